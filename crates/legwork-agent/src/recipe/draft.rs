//! A step as it was seen, before it is known what of it will last: attempts that came to nothing are left
//! out, and the rest becomes a recipe.

use std::collections::BTreeMap;

use legwork_protocol::Known;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::parameters::{Values, Wanted, is_live, is_plain, is_secret, name_of};
use super::{Element, Expect, Parameter, Recipe, RecipeError, Step, Tool};

/// Something that was done.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    /// The task it belonged to.
    pub(super) task: String,
    pub(super) tool: Tool,
    pub(super) value: Option<String>,
    /// The value was said in a call, where the name of a secret was filled in as one.
    pub(super) called: bool,
    pub(super) with: Map<String, Value>,
    pub(super) element: Option<Known>,
    pub(super) onto: Option<Known>,
    /// It led to another address.
    pub(super) moved: bool,
    /// It was done and nothing came of it.
    pub(super) idle: bool,
    pub(super) expect: Expect,
}

/// What a reply's data says of what was done.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Data {
    pub(super) verdict: String,
    pub(super) url: Option<String>,
    pub(super) effects: Vec<String>,
    pub(super) change: String,
    pub(super) page: Option<String>,
    pub(super) element: Option<Known>,
    pub(super) onto: Option<Known>,
    pub(super) fields: Vec<Filled>,
    pub(super) steps: Vec<Part>,
    /// How many elements a query found, and the first of them.
    pub(super) count: usize,
    pub(super) items: Vec<Matched>,
}

/// An element that a query found.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Matched {
    pub(super) role: String,
    pub(super) name: String,
    pub(super) attributes: BTreeMap<String, String>,
}

/// A field of a form.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Filled {
    pub(super) name: String,
    pub(super) element: Option<Known>,
}

/// A step of a batch.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Part {
    pub(super) ok: bool,
    pub(super) reply: Value,
}

impl Data {
    /// Reads what it can; data of another shape says nothing.
    pub(super) fn of(data: &Value) -> Data {
        Data::deserialize(data).unwrap_or_default()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.verdict == "nothing_changed"
    }

    /// Whether the address is another one.
    pub(super) fn moved(&self) -> bool {
        self.effects.iter().any(|effect| effect.starts_with("→ "))
    }

    /// Whether something changed that can be read: more than the focus or a colour.
    pub(super) fn changed(&self) -> bool {
        let silent = ["focus on ", "something without text", "at "];
        let counts = |effect: &String| !silent.iter().any(|start| effect.starts_with(start));
        self.verdict == "done" && (!self.change.is_empty() || self.effects.iter().any(counts))
    }

    /// Everything that was said of the page.
    pub(super) fn said(&self) -> String {
        let page = self.page.as_deref().unwrap_or_default();
        format!("{}\n{}\n{page}", self.effects.join("\n"), self.change)
    }

    /// What the field held afterwards, unless that is a secret.
    pub(super) fn held(&self) -> Option<String> {
        let value = self.effects.iter().find_map(|effect| effect.strip_prefix("value: "))?;
        let held: String = serde_json::from_str(value).ok()?;
        (!held.contains('•') && !held.ends_with('…')).then_some(held)
    }

    /// The words that tell a reader that it worked: an announcement, a dialog, or the title of the page
    /// that came. Words with numbers in them are others the next time.
    pub(super) fn words(&self) -> Option<String> {
        let mut own = self.change.lines().filter(|line| !line.ends_with("(earlier)"));
        let announced = own.find_map(|line| {
            let line = line.trim_start_matches("+ ");
            ["status: ", "alert: ", "dialog "].into_iter().find_map(|mark| line.strip_prefix(mark))
        });
        let titled = || self.page.as_ref()?.lines().find_map(|line| line.strip_prefix("# "));
        let words = announced.or_else(titled)?.trim_end_matches(':').trim();
        let lasting =
            !words.contains(|letter: char| letter.is_numeric() || "[]<>()\"…".contains(letter));
        (lasting && words.chars().count() <= 60 && words.contains(char::is_alphabetic))
            .then(|| words.to_owned())
    }
}

/// A recipe of what was done, in which what is wanted may be another each time.
pub(super) fn recipe(drafts: Vec<Draft>, wanted: &[Wanted]) -> Result<Recipe, RecipeError> {
    let pairs: Vec<_> = wanted.iter().flat_map(|one| sought(one, &drafts)).collect();
    if let Some((name, _)) = pairs.iter().find(|(name, value)| !is_parameter(name, value)) {
        let message = format!("{name:?} cannot be a parameter: names and values are plain text");
        return Err(RecipeError::Parameter(message));
    }
    let values = Values::new(pairs);
    let steps = steps(drafts, &values)?;
    let made_with = format!("legwork {}", env!("CARGO_PKG_VERSION"));
    let mut recipe = Recipe { name: "recipe".into(), made_with, steps, ..Default::default() };
    let unknown: Vec<Parameter> = recipe.steps.iter_mut().filter_map(asked).collect();
    let found = |(name, value): (String, String)| {
        let found = recipe.steps.iter().find(|step| super::parameters::named(step).contains(&name));
        let found = found.map(Step::told).unwrap_or_default();
        Parameter { name, default: Some(value), found }
    };
    recipe.parameters = values.used_in(&recipe).into_iter().map(found).collect();
    for one in unknown {
        if recipe.parameters.iter().all(|known| known.name != one.name) {
            recipe.parameters.push(one);
        }
    }
    Ok(recipe)
}

/// The steps that drafts come to.
pub(super) fn steps(drafts: Vec<Draft>, values: &Values) -> Result<Vec<Step>, RecipeError> {
    let drafts = lasting(drafts);
    if drafts.is_empty() {
        return Err(RecipeError::Nothing);
    }
    let step = |(index, draft): (usize, &Draft)| {
        let what = draft.tool.verb();
        let live = |part| RecipeError::Live { step: index + 1, what, part };
        Ok(draft.as_text().map_err(live)?.step(values))
    };
    drafts.iter().enumerate().map(step).collect()
}

/// Whether a name and a value stay what they are when they are written as `{{name}}`.
fn is_parameter(name: &str, value: &str) -> bool {
    !name.contains(['{', '}']) && !name.starts_with("secret:") && is_plain(value)
}

/// An element of which nothing is read as the name of a parameter or a secret, if there is one: ways that
/// would be are left out.
pub(super) fn as_text(known: &Known) -> Option<Known> {
    let Known { name, find, .. } = known;
    let find: Vec<String> = find.iter().filter(|way| !is_live(way)).cloned().collect();
    (!is_live(name) && !find.is_empty()).then(|| Known { find, ..known.clone() })
}

/// Files of a person whose place is not known become a parameter that has to be said, and so does what was
/// read on a page and entered.
fn asked(step: &mut Step) -> Option<Parameter> {
    let found = match step.tool {
        Tool::Upload if !step.with.contains_key("paths") => "files that were chosen by hand",
        Tool::Type | Tool::Fill => "what was read on a page before",
        _ => return None,
    };
    if step.value.is_some() {
        return None;
    }
    let name = name_of(&step.element.as_ref()?.name);
    step.value = Some(format!("{{{{{name}}}}}"));
    Some(Parameter { name, default: None, found: found.to_owned() })
}

/// What is asked for as a parameter, with what it was.
fn sought(wanted: &Wanted, drafts: &[Draft]) -> Vec<(String, String)> {
    match wanted {
        Wanted::Value { name, value } => vec![(name.clone(), value.clone())],
        Wanted::Label(label) => {
            let of_it = |draft: &&Draft| {
                let element = draft.element.as_ref();
                element.is_some_and(|known| !known.secret && known.name.eq_ignore_ascii_case(label))
            };
            let entered = drafts.iter().filter(of_it).filter_map(|draft| draft.value.clone());
            let mut entered = entered.filter(|value| !is_live(value));
            // What was entered last is what counted.
            entered.next_back().map(|value| (name_of(label), value)).into_iter().collect()
        }
    }
}

/// Leaves out what was tried and given up.
fn lasting(drafts: Vec<Draft>) -> Vec<Draft> {
    let mut kept: Vec<Draft> = Vec::new();
    let later = |index: usize, task: &str| {
        drafts[index + 1..]
            .iter()
            .any(|after| after.task == task && !after.idle && after.tool != Tool::Wait)
    };
    for (index, draft) in drafts.iter().enumerate() {
        // A click that did nothing, after which something else was done.
        if draft.idle && draft.tool == Tool::Click && later(index, &draft.task) {
            continue;
        }
        // There and back again.
        if draft.tool == Tool::Back && kept.last().is_some_and(|last| last.moved) {
            kept.pop();
            continue;
        }
        if kept.last().is_some_and(|last| is_replaced(last, draft)) {
            kept.pop();
        }
        kept.push(draft.clone());
    }
    kept
}

/// Whether what is done next makes what was done before needless.
fn is_replaced(before: &Draft, next: &Draft) -> bool {
    let same = before.element.is_some() && same_element(before, next);
    let sets = |draft: &Draft| {
        matches!(draft.tool, Tool::Fill | Tool::Choose)
            || (draft.tool == Tool::Type && draft.with.get("clear") == Some(&Value::Bool(true)))
    };
    match (before.tool, next.tool) {
        (Tool::Navigate, Tool::Navigate) => true,
        (Tool::Fill | Tool::Type | Tool::Choose, _) => same && sets(next) && !before.moved,
        // A field is clicked to write in it; a double click begins with a single one.
        (Tool::Click, Tool::Fill | Tool::Type) => same && !before.moved,
        (Tool::Click, Tool::Click) => {
            same && next.with.get("count").is_some() && before.with.is_empty()
        }
        _ => false,
    }
}

fn same_element(a: &Draft, b: &Draft) -> bool {
    let ways = |draft: &Draft| draft.element.as_ref().map(|known| known.find.clone());
    ways(a) == ways(b)
}

impl Draft {
    /// The draft if all that a person entered and a page said in it stays text in a recipe; else which
    /// part does not. What is only expected is left out.
    fn as_text(&self) -> Result<Draft, &'static str> {
        let element = |known: &Option<Known>| match known {
            Some(known) => as_text(known).map(Some).ok_or("element"),
            None => Ok(None),
        };
        let text = |text: &Option<String>| text.clone().filter(|text| !is_live(text));
        if self.value.as_deref().is_some_and(is_live) && self.secret().is_none() {
            return Err("value");
        }
        if self.with.values().any(|value| is_live(&value.to_string())) {
            return Err("arguments");
        }
        let Expect { address, words, value, change } = &self.expect;
        let (address, words, value) = (text(address), text(words), text(value));
        Ok(Draft {
            element: element(&self.element)?,
            onto: element(&self.onto)?,
            expect: Expect { address, words, value, change: *change },
            ..self.clone()
        })
    }

    /// The name of the secret that is written instead of the value, if one is: what went into a secret
    /// field is never written.
    fn secret(&self) -> Option<String> {
        let value = self.value.as_ref()?;
        let enters = matches!(self.tool, Tool::Type | Tool::Fill | Tool::Choose | Tool::Dialog);
        if self.called && enters && is_secret(value) {
            return Some(value.clone());
        }
        // A key such as Enter enters nothing.
        let is_key = self.tool == Tool::Press && value.chars().count() > 1;
        let known = self.element.as_ref().filter(|known| known.secret && !is_key)?;
        Some(format!("{{{{secret:{}}}}}", name_of(&known.name)))
    }

    fn written(&self, values: &Values) -> Option<String> {
        let named = |value: &String| match self.tool {
            Tool::Evaluate => values.named_in_script(value),
            _ => values.named(value),
        };
        self.secret().or_else(|| self.value.as_ref().map(named))
    }

    fn step(&self, values: &Values) -> Step {
        let element = |known: &Known| {
            let Known { role, name, kind, find, .. } = known.clone();
            values.element(Element { role, name, kind, find })
        };
        let text = |text: &Option<String>| text.as_ref().map(|text| values.named(text));
        let mut with = self.with.clone();
        with.values_mut().for_each(|value| rename(value, values));
        let secret = self.element.as_ref().is_some_and(|known| known.secret);
        Step {
            tool: self.tool,
            value: self.written(values),
            with,
            element: self.element.as_ref().map(element),
            onto: self.onto.as_ref().map(element),
            expect: Expect {
                value: text(&self.expect.value).filter(|_| !secret),
                ..values.expect(&self.expect)
            },
        }
    }
}

fn rename(value: &mut Value, values: &Values) {
    match value {
        Value::String(text) => *text = values.named(text),
        Value::Array(all) => all.iter_mut().for_each(|one| rename(one, values)),
        _ => {}
    }
}

/// An address by what lasts of it: numbers and long codes are others the next time, and so is what stands
/// behind the question mark.
pub(super) fn pattern(url: &str) -> String {
    let (path, query) = url.split_once(['?', '#']).map_or((url, false), |(path, _)| (path, true));
    let (scheme, rest) = path.split_once("://").unwrap_or(("", path));
    let mut parts = rest.split('/');
    let host = parts.next().unwrap_or_default();
    let steady = |part: &str| {
        let digits = part.chars().filter(char::is_ascii_digit).count();
        digits < 3 && part.len() <= 40
    };
    let parts: Vec<&str> = parts.map(|part| if steady(part) { part } else { "*" }).collect();
    let scheme = if scheme.is_empty() { String::new() } else { format!("{scheme}://") };
    let path = if parts.is_empty() { String::new() } else { format!("/{}", parts.join("/")) };
    format!("{scheme}{host}{path}{}", if query { "*" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_tried_and_given_up_is_left_out() {
        let known = |way: &str| Some(Known { find: vec![way.to_owned()], ..Default::default() });
        let click =
            |way: &str| Draft { tool: Tool::Click, element: known(way), ..Draft::default() };
        let fill = |value: &str| Draft {
            tool: Tool::Fill,
            value: Some(value.into()),
            element: known("field"),
            ..Draft::default()
        };
        let plain = |tool: Tool| Draft { tool, ..Draft::default() };
        let drafts = vec![
            plain(Tool::Navigate),
            plain(Tool::Navigate),
            Draft { idle: true, ..click("nothing") },
            Draft { moved: true, ..click("wrong link") },
            plain(Tool::Back),
            click("field"),
            fill("a"),
            fill("b"),
            click("send"),
            Draft { idle: true, ..click("last") },
        ];
        let kept: Vec<(Tool, Option<String>)> =
            lasting(drafts).into_iter().map(|draft| (draft.tool, draft.value)).collect();
        let expected = [
            (Tool::Navigate, None),
            (Tool::Fill, Some("b".to_owned())),
            (Tool::Click, None),
            (Tool::Click, None),
        ];
        assert_eq!(kept, expected);
    }

    #[test]
    fn what_was_entered_or_seen_stays_text_or_is_refused() {
        let known = |name: &str, ways: &[&str]| {
            let find = ways.iter().map(|way| (*way).to_owned()).collect();
            Some(Known { name: name.into(), find, ..Default::default() })
        };
        let secret = |known: Option<Known>| known.map(|known| Known { secret: true, ..known });
        let fill = |value: &str, element: Option<Known>| Draft {
            tool: Tool::Fill,
            value: Some(value.into()),
            element,
            ..Draft::default()
        };
        let called = |draft: Draft| Draft { called: true, ..draft };
        let field = || known("Note", &["css=#note"]);
        let evaluate = Draft { tool: Tool::Evaluate, ..fill("{{secret:pw}}", None) };
        for (draft, expected) in [
            (fill("milk", field()), Ok("milk")),
            (fill("{{secret:pw}}", field()), Err("value")),
            (fill("{{x}}", field()), Err("value")),
            (called(fill("{{secret:pw}}", field())), Ok("{{secret:pw}}")),
            (called(fill("my {{secret:pw}}", field())), Err("value")),
            (called(evaluate), Err("value")),
            (fill("{{secret:pw}}", secret(field())), Ok("{{secret:note}}")),
            (called(fill("{{secret:pw}} 1", secret(field()))), Ok("{{secret:note}}")),
            (fill("milk", known("{{x}}", &["css=#note"])), Err("element")),
            (fill("milk", known("Note", &["\"{{x}}\""])), Err("element")),
            (fill("milk", known("Note", &["\"{{x}}\"", "css=#note"])), Ok("milk")),
        ] {
            let told = format!("{draft:?}");
            match (steps(vec![draft], &Values::default()), expected) {
                (Ok(steps), Ok(value)) => {
                    assert_eq!(steps[0].value.as_deref(), Some(value), "{told}");
                }
                (Err(RecipeError::Live { part, .. }), Err(expected)) => assert_eq!(part, expected),
                (made, _) => panic!("{told}: {made:?}"),
            }
        }
        let enter = Draft { tool: Tool::Press, ..fill("Enter", secret(field())) };
        let words = Expect { words: Some("{{secret:pw}}".into()), ..Default::default() };
        let made = steps(vec![Draft { expect: words, ..enter }], &Values::default()).unwrap();
        assert_eq!(made[0].value.as_deref(), Some("Enter"));
        assert!(made[0].expect.is_empty(), "{made:?}");
    }

    #[test]
    fn what_is_another_each_time_is_left_open_in_an_address() {
        for (url, expected) in [
            ("http://a.b/login", "http://a.b/login"),
            ("http://a.b:8080/", "http://a.b:8080/"),
            ("http://a.b/orders/48213/edit?tab=2", "http://a.b/orders/*/edit*"),
            ("https://a.b/x#part", "https://a.b/x*"),
            ("about:blank", "about:blank"),
        ] {
            assert_eq!(pattern(url), expected, "{url}");
        }
    }
}
