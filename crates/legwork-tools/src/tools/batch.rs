//! `browser_batch`: several steps in one call. Every step is read before the first is done; the batch
//! stops at the first that does not do what it says, and shows the page once, at the end.

use std::time::Duration;

use legwork_protocol::{Action, Batch, Code, Image, Observe, Reply, ToolError};
use serde_json::{Value, json};

use super::canonical;
use crate::desk::Desk;

/// What to do where a step was done and nothing came of it.
const GO_ON: &str = "look with browser_snapshot, and go on with the steps that are left; a browser_wait right \
                     after a step gives it the time that it needs";

/// More steps than anybody wants done unseen.
const MOST: usize = 100;

/// Reads every step; a mistake in one is a mistake of the batch.
pub(crate) fn read(batch: Batch, desk: &Desk) -> Result<Vec<Action>, ToolError> {
    if batch.steps.is_empty() {
        return Err(ToolError::invalid("a batch needs at least one step"));
    }
    if batch.steps.len() > MOST {
        return Err(ToolError::invalid(format!("a batch has at most {MOST} steps")));
    }
    let mut steps = Vec::new();
    for (index, step) in batch.steps.into_iter().enumerate() {
        let in_step = |error: ToolError| ToolError {
            message: format!("step {}: {}", index + 1, error.message),
            ..error
        };
        let action = Action::parse(&step.tool, step.arguments).map_err(in_step)?;
        if matches!(action, Action::Batch(_)) {
            return Err(in_step(ToolError::invalid("a batch cannot hold another batch")));
        }
        steps.push(canonical(action, desk).map_err(in_step)?);
    }
    Ok(steps)
}

/// What the steps came to.
pub(crate) struct Report {
    tools: Vec<&'static str>,
    lines: Vec<String>,
    data: Vec<Value>,
    images: Vec<Image>,
    failed: Option<ToolError>,
    /// Another document was loaded that nobody has seen yet.
    unseen: bool,
}

impl Report {
    pub(crate) fn new(steps: &[Action]) -> Report {
        let tools = steps.iter().map(Action::tool).collect();
        let (lines, data, images) = Default::default();
        Report { tools, lines, data, images, failed: None, unseen: false }
    }

    pub(crate) fn total(&self) -> usize {
        self.tools.len()
    }

    pub(crate) fn done(&self) -> usize {
        self.data.len()
    }

    /// The next step as the batch does it: it looks at the page only where it was told to, and after
    /// the last step.
    pub(crate) fn prepared(&self, mut action: Action) -> Action {
        let last = self.data.len() + 1 == self.total();
        let unseen = self.unseen;
        if let Some(observe) = observe_of(&mut action)
            && observe.is_none()
        {
            *observe = Some(match (last, unseen) {
                (false, _) => Observe::None,
                (true, false) => Observe::Change,
                (true, true) => Observe::Full,
            });
        }
        action
    }

    /// Takes a step's answer; false if the batch has to stop here.
    pub(crate) fn add(&mut self, ended: Result<Reply, ToolError>, desk: &Desk) -> bool {
        let number = self.data.len() + 1;
        let tool = self.tools[number - 1];
        match ended {
            Ok(reply) => {
                let shown = reply.data.get("page").is_some();
                self.unseen = !shown && (self.unseen || desk.has_navigated());
                self.lines.push(format!("{number}. {}", reply.text));
                let idle = reply.data.get("verdict") == Some(&json!("nothing_changed"));
                let data = reply.data_beside_images();
                self.data.push(json!({ "tool": tool, "ok": true, "reply": data }));
                self.images.extend(reply.images);
                if idle && should_change_something(tool) && self.is_relied_on(number) {
                    self.failed = Some(ToolError::new(Code::StepFailed, "").with_hint(GO_ON));
                }
            }
            Err(error) => {
                self.lines.push(format!("{number}. {}", error.told()));
                self.data.push(json!({ "tool": tool, "ok": false, "error": error }));
                self.failed = Some(error);
            }
        }
        self.failed.is_none()
    }

    /// Whether what comes after a step takes for granted that something came of it. A wait does not: it
    /// is there because that takes time.
    fn is_relied_on(&self, number: usize) -> bool {
        self.tools.get(number).is_some_and(|next| *next != "browser_wait")
    }

    pub(crate) async fn answer(self, desk: &Desk) -> Result<Reply, ToolError> {
        let (done, total) = (self.done(), self.total());
        let text = self.lines.join("\n");
        let Some(error) = self.failed else {
            let text = desk.within(&text, None);
            return Ok(Reply { text, images: self.images, data: json!({ "steps": self.data }) });
        };
        // What was done and what changed share the budget.
        let half = Some(desk.limits.tokens / 2);
        let text = desk.within(&text, half);
        let why = match error.code {
            Code::StepFailed => format!("step {done} was done, but nothing has come of it yet; "),
            _ => String::new(),
        };
        let left = match total - done {
            0 => String::new(),
            1 => format!("\n(stopped: {why}1 step not done)"),
            left => format!("\n(stopped: {why}{left} steps not done)"),
        };
        let changed = match desk.page().await {
            Ok(page) if page.dialog().is_none() => page.change(Duration::from_secs(5)).await.ok(),
            _ => None,
        };
        let changed = changed.map(|change| change.text).filter(|text| !text.is_empty());
        let changed = changed.map(|text| format!("\n{}", desk.within(&text, half)));
        let message = format!("{text}{left}{}", changed.unwrap_or_default());
        Err(ToolError { message, ..error })
    }
}

/// A click, a choice or a text that changes nothing is a surprise; a key or a look may be none.
fn should_change_something(tool: &str) -> bool {
    matches!(tool, "browser_click" | "browser_type" | "browser_select" | "browser_drag")
}

fn observe_of(action: &mut Action) -> Option<&mut Option<Observe>> {
    Some(match action {
        Action::Navigate(one) => &mut one.observe,
        Action::Click(one) => &mut one.observe,
        Action::Type(one) => &mut one.observe,
        Action::FillForm(one) => &mut one.observe,
        Action::PressKey(one) => &mut one.observe,
        Action::Select(one) => &mut one.observe,
        Action::Hover(one) => &mut one.observe,
        Action::Scroll(one) => &mut one.observe,
        Action::Drag(one) => &mut one.observe,
        Action::Upload(one) => &mut one.observe,
        Action::Wait(one) => &mut one.observe,
        Action::Back(one) => &mut one.observe,
        Action::Forward(one) => &mut one.observe,
        Action::Reload(one) => &mut one.observe,
        Action::Tabs(one) => &mut one.observe,
        Action::Open(one) => &mut one.observe,
        Action::HandleDialog(one) => &mut one.observe,
        _ => return None,
    })
}
