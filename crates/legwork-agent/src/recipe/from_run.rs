//! A recipe of a run: its calls, typed again, without those that only looked or failed.

use legwork_protocol::assistant::{Input, InputValue, Task, Work};
use legwork_protocol::{Act, ActKind, Action, FillForm, FormValue, Known, Submit, TabAction, Type};
use serde::Serialize;
use serde_json::{Map, Value};

use super::draft::{self, Data, Draft};
use super::parameters::Wanted;
use super::{Expect, Recipe, RecipeError, Tool};
use crate::run::{Step, StepState, results_named};

/// Makes a recipe of a run that is over, by its tasks and steps. What was `wanted` becomes parameters.
pub fn from_run(tasks: &[Task], steps: &[Step], wanted: &[Wanted]) -> Result<Recipe, RecipeError> {
    draft::recipe(drafts(tasks, steps)?, wanted)
}

/// Makes a recipe of steps alone, of which nobody knows what they were for.
pub fn from_steps(steps: &[Step], wanted: &[Wanted]) -> Result<Recipe, RecipeError> {
    from_run(&[], steps, wanted)
}

/// What the steps did, in order.
pub(super) fn drafts(tasks: &[Task], steps: &[Step]) -> Result<Vec<Draft>, RecipeError> {
    let mut drafts: Vec<Draft> = Vec::new();
    for (index, step) in steps.iter().enumerate().filter(|(_, step)| step.state == StepState::Done)
    {
        let task = tasks.iter().find(|task| task.id == step.task);
        let later = &steps[index + 1..];
        let last = later.first().is_none_or(|next| next.task != step.task);
        // What a task was to read, it read last.
        let again = |next: &Step| next.task == step.task && is_reading(next);
        let reads = task.is_some_and(|task| matches!(task.work, Work::Extract(_)))
            && !later.iter().any(again);
        let call = Called { step, last: last || reads, reads };
        let from = drafts.len();
        call.drafts(&step.tool, step.arguments.clone(), &step.data, &mut drafts)?;
        if task.is_some_and(enters_a_result) {
            drafts[from..].iter_mut().for_each(forget_value);
        }
    }
    Ok(drafts)
}

fn is_reading(step: &Step) -> bool {
    const READS: [&str; 3] = ["browser_query", "browser_take_screenshot", "browser_extract"];
    step.state == StepState::Done && READS.contains(&step.tool.as_str())
}

fn enters_a_result(task: &Task) -> bool {
    let Work::Input(Input { value: Some(InputValue::Text(text)), .. }) = &task.work else {
        return false;
    };
    results_named(text).next().is_some()
}

/// What a page said is another thing the next time, and has to be said then.
fn forget_value(draft: &mut Draft) {
    if matches!(draft.tool, Tool::Type | Tool::Fill) {
        (draft.value, draft.expect.value) = (None, None);
    }
}

/// A call of the run.
struct Called<'a> {
    step: &'a Step,
    /// The last of its task, so perhaps what the task was for.
    last: bool,
    /// What the task was to read.
    reads: bool,
}

impl Called<'_> {
    fn drafts(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        data: &Value,
        out: &mut Vec<Draft>,
    ) -> Result<(), RecipeError> {
        // What cannot be read was not done either.
        let Ok(action) = Action::parse(tool, arguments) else { return Ok(()) };
        let data = Data::of(data);
        match action {
            Action::Batch(batch) => {
                for (step, done) in
                    batch.steps.into_iter().zip(data.steps).filter(|(_, one)| one.ok)
                {
                    self.drafts(&step.tool, step.arguments, &done.reply, out)?;
                }
            }
            Action::FillForm(form) => out.extend(self.form(form, &data)?),
            action => {
                if let Some(draft) = self.draft(action, &data) {
                    out.push(self.whole(draft, &data)?);
                }
            }
        }
        Ok(())
    }

    /// What is said of every kind of step.
    fn whole(&self, draft: Draft, data: &Data) -> Result<Draft, RecipeError> {
        let pressed = draft.tool == Tool::Press || draft.tool == Tool::Scroll;
        let sees =
            matches!(draft.tool, Tool::Extract | Tool::Screenshot) && draft.element.is_some();
        let acts = draft.tool.needs_element() || pressed || sees;
        let given = draft.element.clone();
        let element = match (acts, &data.element) {
            (true, Some(known)) => Some(known.clone()),
            (true, None) => given.filter(|known| !known.find.iter().any(|way| is_ref(way))),
            (false, _) => None,
        };
        if (draft.tool.needs_element() || sees) && element.is_none() {
            let target = draft.element.map(|known| known.find.join("")).unwrap_or_default();
            return Err(RecipeError::Unfindable { step: self.step.number, target });
        }
        let typed = matches!(draft.tool, Tool::Type | Tool::Choose);
        let moved = data.moved() || draft.tool == Tool::Navigate;
        let expect = Expect {
            address: data.url.as_ref().filter(|_| moved).map(|url| draft::pattern(url)),
            words: data.words(),
            value: data.held().filter(|_| typed && !data.moved()),
            change: matches!(draft.tool, Tool::Click | Tool::Drag | Tool::Press) && data.changed(),
        };
        Ok(Draft {
            task: self.step.task.clone(),
            called: true,
            element,
            onto: data.onto.clone().or(draft.onto),
            moved: data.moved(),
            idle: data.is_idle(),
            expect,
            ..draft
        })
    }

    fn draft(&self, action: Action, data: &Data) -> Option<Draft> {
        Some(match action {
            Action::Navigate(to) => valued(Tool::Navigate, to.url),
            Action::Open(open) => valued(Tool::Navigate, open.url),
            Action::Click(click) => acting(Tool::Click, &click, &click.target),
            Action::Hover(hover) => acting(Tool::Hover, &hover, &hover.target),
            Action::Type(typed) => typing(typed),
            Action::Select(select) => {
                let draft = acting(Tool::Choose, &select, &select.target);
                one_or_many(draft, "option", select.option.0)
            }
            Action::Upload(upload) => {
                let draft = acting(Tool::Upload, &upload, &upload.target);
                one_or_many(draft, "paths", upload.paths.0)
            }
            Action::PressKey(press) => {
                let target = press.target.clone().unwrap_or_default();
                let draft = acting(Tool::Press, &press, &target);
                let with = without(draft.with, &["key"]);
                let element = draft.element.filter(|_| !target.is_empty());
                Draft { value: Some(press.key), with, element, ..draft }
            }
            Action::Scroll(scroll) => {
                let target = scroll.target.clone().unwrap_or_default();
                let draft = acting(Tool::Scroll, &scroll, &target);
                Draft { element: draft.element.filter(|_| !target.is_empty()), ..draft }
            }
            Action::Drag(drag) => {
                let draft = acting(Tool::Drag, &drag, &drag.from);
                let with = without(draft.with, &["from", "to"]);
                Draft { with, onto: Some(by(&drag.to)), ..draft }
            }
            Action::Query(query) if self.reads => return read(&query.target, data),
            Action::TakeScreenshot(shot) if self.reads && shot.target.is_some() => {
                acting(Tool::Screenshot, &shot, &shot.target.clone().unwrap_or_default())
            }
            Action::Act(act) => return self.act(act, data),
            other => return self.beside(other),
        })
    }

    /// What is done to no element.
    fn beside(&self, action: Action) -> Option<Draft> {
        let plain = |tool: Tool, with: Map<String, Value>| Draft { tool, with, ..Draft::default() };
        Some(match action {
            Action::Wait(wait) => {
                let with = rest(&wait);
                // A ref is another thing's the next time.
                let by_ref = wait.target.as_deref().is_some_and(is_ref);
                return (!by_ref).then(|| plain(Tool::Wait, with));
            }
            Action::Extract(extract) => plain(Tool::Extract, rest(&extract)),
            Action::TakeScreenshot(shot) if self.last && shot.target.is_none() => {
                plain(Tool::Screenshot, rest(&shot))
            }
            Action::Back(_) => plain(Tool::Back, Map::new()),
            Action::Forward(_) => plain(Tool::Forward, Map::new()),
            Action::Reload(_) => plain(Tool::Reload, Map::new()),
            Action::Tabs(tabs) if tabs.action != TabAction::List => plain(Tool::Tabs, rest(&tabs)),
            Action::HandleDialog(dialog) => {
                let with = Map::from_iter([("accept".to_owned(), dialog.accept.into())]);
                Draft { value: dialog.text, ..plain(Tool::Dialog, with) }
            }
            Action::Eval(eval) => {
                let with = without(rest(&eval), &["expression"]);
                Draft { value: Some(eval.expression), ..plain(Tool::Evaluate, with) }
            }
            _ => return None,
        })
    }

    /// The sidecar's words for other tools.
    fn act(&self, act: Act, data: &Data) -> Option<Draft> {
        let target = act.selector.clone().unwrap_or_default();
        let action = match act.action {
            ActKind::Click => {
                Action::Click(legwork_protocol::Click { target, ..Default::default() })
            }
            ActKind::Type => {
                let text = act.value.unwrap_or_default();
                Action::Type(Type { target, text, clear: true, ..Default::default() })
            }
            _ => return None,
        };
        self.draft(action, data)
    }

    /// Each field by itself, and what sent the form.
    fn form(&self, form: FillForm, data: &Data) -> Result<Vec<Draft>, RecipeError> {
        let mut drafts = Vec::new();
        for (name, value) in &form.fields.0 {
            let filled = data.fields.iter().find(|field| field.name == *name);
            let known = filled.and_then(|field| field.element.clone());
            let known = known.or_else(|| (!is_ref(name)).then(|| by(name)));
            let unknown =
                || RecipeError::Unfindable { step: self.step.number, target: name.clone() };
            drafts.push(Draft {
                task: self.step.task.clone(),
                called: true,
                ..filling(known.ok_or_else(unknown)?, value)
            });
        }
        let submit = form.submit.filter(|submit| *submit != Submit::Own(false));
        if let (Some(_), Some(known)) = (submit, &data.element) {
            let by_key =
                !known.kind.is_empty() && !matches!(&*known.kind, "submit" | "button" | "image");
            let (tool, value) = match by_key {
                true => (Tool::Press, Some("Enter".to_owned())),
                false => (Tool::Click, None),
            };
            let sent = Draft { tool, value, ..Draft::default() };
            drafts.push(self.whole(sent, data)?);
        }
        Ok(drafts)
    }
}

/// What was read: one element by what lasts of it, or all that match.
fn read(target: &str, data: &Data) -> Option<Draft> {
    let plain = Draft { tool: Tool::Extract, ..Draft::default() };
    match &data.items[..] {
        [] => None,
        [one] if data.count == 1 => {
            let mut find: Vec<String> =
                Some(target.to_owned()).filter(|it| !is_ref(it)).into_iter().collect();
            let is_word = |id: &&String| {
                id.starts_with(|it: char| it.is_ascii_alphabetic())
                    && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
            };
            find.extend(one.attributes.get("id").filter(is_word).map(|id| format!("css=#{id}")));
            if find.is_empty() && !one.role.is_empty() && !one.name.is_empty() {
                find.push(format!("role={}[name={:?} exact]", one.role, one.name));
            }
            find.dedup();
            let find = if find.is_empty() { vec![target.to_owned()] } else { find };
            // Its words are what is read, and others the next time.
            let known = Known { role: one.role.clone(), find, ..Default::default() };
            Some(Draft { element: Some(known), ..plain })
        }
        _ => {
            let with = Map::from_iter([("target".to_owned(), target.into())]);
            Some(Draft { with, ..plain })
        }
    }
}

fn filling(known: Known, value: &FormValue) -> Draft {
    if let FormValue::Options(options) = value {
        let draft = Draft { tool: Tool::Choose, element: Some(known), ..Draft::default() };
        return one_or_many(draft, "option", options.clone());
    }
    let text = value.text();
    let is_text = matches!(&*known.kind, "text" | "email" | "search" | "tel" | "url" | "textarea");
    let held = Some(text.clone()).filter(|_| is_text && !known.secret);
    let expect = Expect { value: held, ..Default::default() };
    Draft { tool: Tool::Fill, value: Some(text), element: Some(known), expect, ..Draft::default() }
}

fn typing(typed: Type) -> Draft {
    let draft = acting(Tool::Type, &typed, &typed.target);
    let with = without(draft.with, &["text"]);
    Draft { value: Some(typed.text), with, ..draft }
}

fn valued(tool: Tool, value: String) -> Draft {
    Draft { tool, value: Some(value), ..Draft::default() }
}

/// One thing is the step's value; several are an argument.
fn one_or_many(draft: Draft, name: &str, mut all: Vec<String>) -> Draft {
    let mut with = without(draft.with, &[name]);
    let value = match all.len() {
        1 => all.pop(),
        _ => {
            with.insert(name.to_owned(), all.into());
            None
        }
    };
    Draft { value, with, ..draft }
}

/// An element by the target it was called by, for want of anything better.
fn by(target: &str) -> Known {
    Known { find: vec![target.to_owned()], ..Default::default() }
}

fn is_ref(target: &str) -> bool {
    target
        .strip_prefix('e')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

fn acting<T: Serialize>(tool: Tool, arguments: &T, target: &str) -> Draft {
    let with = without(rest(arguments), &["target"]);
    Draft { tool, with, element: Some(by(target)), ..Draft::default() }
}

/// Arguments that say something, without how the reply is to look.
fn rest<T: Serialize>(arguments: &T) -> Map<String, Value> {
    let Ok(Value::Object(all)) = serde_json::to_value(arguments) else { return Map::new() };
    let usual = |name: &str, value: &Value| {
        matches!(name, "observe" | "timeout" | "max_tokens")
            || matches!(value, Value::Null | Value::Bool(false))
            || matches!((name, value.as_str()), ("button", Some("left")) | ("by", Some("label")))
            || matches!((name, value.as_str()), ("format", Some("png" | "markdown")))
    };
    all.into_iter().filter(|(name, value)| !usual(name, value)).collect()
}

fn without(mut with: Map<String, Value>, names: &[&str]) -> Map<String, Value> {
    with.retain(|name, _| !names.contains(&name.as_str()));
    with
}
