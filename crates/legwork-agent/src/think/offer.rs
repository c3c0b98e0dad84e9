//! What a model may call, and what its calls mean: the tools of the browser that a task needs, and four words
//! of our own: ask the person, note, done, give up.

use std::sync::LazyLock;

use legwork_protocol::assistant::AssistanceKind;
use legwork_protocol::{Action, Code, ToolError, find};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::model::{Call, Tool};

/// The tools that are offered, in the order of their use. Those in the first half do for small models.
const OFFERED: &[&str] = &[
    "browser_navigate",
    "browser_snapshot",
    "browser_find",
    "browser_click",
    "browser_type",
    "browser_select",
    "browser_press_key",
    "browser_scroll",
    "browser_wait",
    "browser_back",
    "browser_handle_dialog",
    "browser_fill_form",
    "browser_hover",
    "browser_drag",
    "browser_upload",
    "browser_extract",
    "browser_tabs",
    "browser_take_screenshot",
];

/// How many of them a model with a small window gets.
const FEW: usize = 11;

/// Never called for a task: they run code, read files of this machine, or end or change the session.
const WITHHELD: &[&str] = &[
    "browser_eval",
    "browser_act",
    "browser_open",
    "browser_close",
    "browser_set_offline",
    "browser_clear_console_logs",
    "read_image",
];

/// Arguments that a task does not need.
const TRIMMED: &[&str] = &["observe", "max_tokens", "format", "expression"];

/// How much is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offer {
    All,
    Few,
}

/// What is offered. A goal's own tools take the place of `done`.
pub(super) fn tools(offer: Offer, own: &[Tool]) -> Vec<Tool> {
    let names = match offer {
        Offer::All => OFFERED,
        Offer::Few => &OFFERED[..FEW],
    };
    let browser = names.iter().filter_map(|name| find(name)).map(|spec| {
        let mut schema = spec.schema.clone();
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            properties.retain(|name, _| !TRIMMED.contains(&name.as_str()));
        }
        Tool { name: spec.name.to_owned(), about: spec.about.clone(), schema }
    });
    let ours = OWN.iter().filter(|tool| own.is_empty() || tool.name != "done").cloned();
    browser.chain(ours).chain(own.iter().cloned()).collect()
}

static OWN: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let text = |about: &str| json!({ "type": "string", "description": about });
    vec![
        Tool::new(
            "request_assistance",
            "Asks the person and waits: for captchas, sign-ins, codes, and what only the person can decide.",
            json!({
                "type": { "type": "string", "enum": ["captcha", "login", "two_factor", "custom"] },
                "message": text("What the person is to do or to answer"),
                "choices": { "type": "array", "items": { "type": "string" }, "description": "Answers to choose from" },
            }),
            &["type", "message"],
        ),
        Tool::new(
            "note",
            "Keeps what will be needed later. Answers of tools are shown in full for a few turns only.",
            json!({ "text": text("What to keep, in few words") }),
            &["text"],
        ),
        Tool::new(
            "done",
            "The task is done, and the last answers of the tools show it.",
            json!({
                "outcome": text("What was done, or the information that was asked for"),
                "seen": text("A few words that are on the page now and show it"),
            }),
            &["outcome"],
        ),
        Tool::new(
            "give_up",
            "The task cannot be done.",
            json!({ "reason": text("Why, and what was tried") }),
            &["reason"],
        ),
    ]
});

/// A call that was understood.
#[derive(Debug)]
pub(super) enum Command {
    Assist(Assist),
    Note(Note),
    Done(Done),
    GiveUp(GiveUp),
    Tool(Action),
    /// A tool of the goal's own, and its arguments.
    Report(String, Map<String, Value>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Assist {
    #[serde(rename = "type")]
    pub(super) kind: AssistanceKind,
    pub(super) message: String,
    #[serde(default)]
    pub(super) choices: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Note {
    pub(super) text: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Done {
    pub(super) outcome: String,
    #[serde(default)]
    pub(super) seen: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GiveUp {
    pub(super) reason: String,
}

/// Reads a call. What is wrong with it goes back to the model.
pub(super) fn read(call: &Call) -> Result<Command, ToolError> {
    let arguments = arguments(call)?;
    let Some(own) = OWN.iter().find(|tool| tool.name == call.name) else {
        return browser(&call.name, arguments).map(Command::Tool);
    };
    match own.name.as_str() {
        "request_assistance" => own.read(arguments).map(Command::Assist),
        "note" => own.read(arguments).map(Command::Note),
        "done" => own.read(arguments).map(Command::Done),
        _ => own.read(arguments).map(Command::GiveUp),
    }
}

/// A call's arguments, if they are any.
pub(super) fn arguments(call: &Call) -> Result<Map<String, Value>, ToolError> {
    call.arguments.clone().map_err(|wrong| {
        ToolError::invalid(format!("{}: the arguments cannot be read: {wrong}", call.name))
            .with_hint("call again with a JSON object of arguments")
    })
}

fn browser(name: &str, arguments: Map<String, Value>) -> Result<Action, ToolError> {
    let action = Action::parse(name, arguments)?;
    let mut tools = vec![action.tool().to_owned()];
    if let Action::Batch(batch) = &action {
        let canonical = |name: &str| find(name).map_or(name, |spec| spec.name).to_owned();
        tools.extend(batch.steps.iter().map(|step| canonical(&step.tool)));
    }
    match tools.iter().find(|tool| WITHHELD.contains(&tool.as_str())) {
        Some(tool) => Err(ToolError::new(Code::UnknownTool, format!("{tool} is not for tasks"))
            .with_hint(format!("there is {}", OFFERED.join(", ")))),
        None if runs_code(&action) => {
            let error = ToolError::invalid("a task runs no code of its own");
            Err(error.with_hint("wait for text, an element, an address or an event"))
        }
        None => Ok(action),
    }
}

/// A condition that is waited for is code that runs in the page.
fn runs_code(action: &Action) -> bool {
    match action {
        Action::Wait(wait) => wait.expression.is_some(),
        Action::Batch(batch) => {
            batch.steps.iter().any(|step| step.arguments.contains_key("expression"))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: Value) -> Call {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        Call { id: "1".into(), name: name.into(), arguments: Ok(arguments), safety: None }
    }

    #[test]
    fn the_offer_is_short_and_every_tool_of_it_exists() {
        let all = tools(Offer::All, &[]);
        assert_eq!(all.len(), OFFERED.len() + OWN.len());
        let size = |tools: &[Tool]| -> usize {
            let one = |tool: &Tool| {
                tool.name.len() + tool.about.len() + json!(tool.schema).to_string().len()
            };
            tools.iter().map(one).sum()
        };
        assert!(size(&all) < 9_000, "{}", size(&all));
        assert!(size(&tools(Offer::Few, &[])) < 5_500, "{}", size(&tools(Offer::Few, &[])));
    }

    #[test]
    fn the_assistants_spellings_are_understood() {
        for (name, arguments, expected) in [
            ("get_page_dom", json!({}), "browser_snapshot"),
            ("click_element", json!({ "selector": "#a" }), "browser_click"),
            ("input_text", json!({ "selector": "#a", "value": "x" }), "browser_type"),
            ("scroll_page", json!({ "to": "bottom" }), "browser_scroll"),
            ("drag_element", json!({ "from": "e1", "to": "e2" }), "browser_drag"),
        ] {
            let Ok(Command::Tool(action)) = read(&call(name, arguments)) else { panic!("{name}") };
            assert_eq!(action.tool(), expected);
        }
        let asked = json!({ "type": "captcha", "message": "please" });
        let Ok(Command::Assist(assist)) = read(&call("request_assistance", asked)) else {
            panic!()
        };
        assert_eq!(assist.kind, AssistanceKind::Captcha);
    }

    #[test]
    fn what_is_wrong_with_a_call_is_said_with_a_hint() {
        let step = json!({ "tool": "eval", "expression": "1" });
        for (name, arguments, code, hint) in [
            ("browser_eval", json!({ "expression": "1" }), "unknown_tool", "browser_click"),
            ("browser_batch", json!({ "steps": [step] }), "unknown_tool", "browser_click"),
            ("browser_clik", json!({}), "unknown_tool", "list the tools"),
            ("browser_click", json!({}), "invalid_input", "browser_click(target"),
            ("done", json!({ "result": "x" }), "invalid_input", "done(outcome, seen)"),
        ] {
            let error = read(&call(name, arguments)).unwrap_err();
            assert_eq!(error.code.text(), code, "{name}");
            assert!(error.hint.as_ref().unwrap().contains(hint), "{error:?}");
        }
        let broken = Call { arguments: Err("EOF".into()), ..call("done", json!({})) };
        assert!(read(&broken).unwrap_err().message.contains("EOF"));
    }
}
