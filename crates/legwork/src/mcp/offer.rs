//! What is offered: which tools of the catalogue a client is shown, as MCP describes them.

use std::sync::Arc;

use legwork_protocol::{Set, Spec, catalogue, find};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};

/// The tools a client is shown. Those that are not shown can be called all the same: what may be done is
/// for policy to say.
#[derive(Debug, Clone)]
pub struct Offer {
    tools: Vec<&'static Spec>,
}

impl Offer {
    /// Reads a list of sets and tools, separated by commas.
    pub fn parse(text: &str) -> Result<Offer, String> {
        let mut names = Vec::new();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            names.extend(named(word)?);
        }
        if names.is_empty() {
            return Err("no tools are left to offer".to_owned());
        }
        let tools = catalogue().iter().filter(|spec| names.contains(&spec.name)).collect();
        Ok(Offer { tools })
    }

    /// The tools as they are listed; with an argument that names the browser session, where nothing else
    /// tells one conversation from another.
    pub fn list(&self, sessions: Sessions) -> Vec<Tool> {
        self.tools.iter().map(|spec| described(spec, sessions)).collect()
    }
}

/// How a call finds its browser session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sessions {
    /// The conversation has one.
    Implied,
    /// Every call may name one.
    Named,
}

fn named(word: &str) -> Result<Vec<&'static str>, String> {
    if let Some(tools) = Set::tools(word) {
        return Ok(tools.into_iter().map(|spec| spec.name).collect());
    }
    let exact = catalogue().iter().find(|spec| spec.name == word);
    match exact.or_else(|| find(word)) {
        Some(spec) => Ok(vec![spec.name]),
        None => {
            Err(format!("there is no set or tool {word:?}; sets are {}", Set::NAMES.join(", ")))
        }
    }
}

fn described(spec: &Spec, sessions: Sessions) -> Tool {
    let mut schema = spec.schema.clone();
    if sessions == Sessions::Named {
        let properties = schema.entry("properties").or_insert_with(|| json!({}));
        // The instructions say what it is; here it is said for every tool there is.
        properties["session"] = json!({ "type": "string" });
    }
    let annotations = spec.hints.annotations();
    let mut tool = Tool::new(spec.name, spec.about.clone(), Arc::new(schema));
    if !annotations.is_empty() {
        tool.annotations =
            serde_json::from_value::<ToolAnnotations>(Value::Object(annotations)).ok();
    }
    tool
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let offer = Offer::parse(text).unwrap();
        offer.list(Sessions::Implied).into_iter().map(|tool| tool.name.into_owned()).collect()
    }

    #[test]
    fn sets_and_tools_are_offered_once_and_in_order() {
        assert_eq!(
            names("sidecar"),
            ["browser_extract", "browser_open", "browser_act", "browser_close"]
        );
        assert_eq!(names("drag, browser_click,click"), ["browser_click", "browser_drag"]);
        assert_eq!(names("click_element"), ["click_element"]);
        assert!(names("core,devtools").len() > names("core").len());
        let error = Offer::parse("core,everything").unwrap_err();
        assert!(error.contains("\"everything\"") && error.contains("devtools"), "{error}");
        assert!(Offer::parse(" , ").is_err());
    }

    #[test]
    fn annotations_are_true_and_only_where_they_tell_something() {
        let offer = Offer::parse("browser_click,browser_snapshot").unwrap();
        let tools = offer.list(Sessions::Implied);
        let hints = |tool: &Tool| serde_json::to_value(&tool.annotations).unwrap();
        assert_eq!(hints(&tools[0]), json!({ "readOnlyHint": true }));
        assert_eq!(hints(&tools[1]), Value::Null);
    }

    #[test]
    fn a_session_can_be_named_where_nothing_implies_it() {
        let offer = Offer::parse("browser_back").unwrap();
        let session = |sessions| {
            let tool = offer.list(sessions).remove(0);
            tool.input_schema.get("properties").is_some_and(|p| p.get("session").is_some())
        };
        assert!(session(Sessions::Named));
        assert!(!session(Sessions::Implied));
    }
}
