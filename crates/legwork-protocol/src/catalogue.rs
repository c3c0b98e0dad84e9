//! The one list of tools.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::args::{act, batch, developer, form, navigate, see, sidecar, wait};
use crate::error::{Code, ToolError};
use crate::schema;

/// A selection of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// What most errands need.
    Core,
    /// For those who build web pages.
    Devtools,
    /// The sidecar's four.
    Sidecar,
    /// The assistant's spellings.
    Assistant,
}

impl Set {
    /// The names of all sets.
    pub const NAMES: &[&str] = &["core", "devtools", "sidecar", "assistant", "all"];

    /// The tools of a set by name, or `None` if there is no such set.
    pub fn tools(name: &str) -> Option<Vec<&'static Spec>> {
        let in_set = |set: Set| catalogue().iter().filter(move |tool| tool.sets.contains(&set));
        Some(match name {
            "core" => in_set(Set::Core).collect(),
            "devtools" => in_set(Set::Devtools).collect(),
            "sidecar" => in_set(Set::Sidecar).collect(),
            "assistant" => in_set(Set::Assistant).collect(),
            "all" => catalogue().iter().filter(|tool| tool.alias_of.is_none()).collect(),
            _ => return None,
        })
    }
}

/// What is true of a tool, whatever its arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints {
    /// Changes nothing.
    pub read_only: bool,
    /// May change what cannot be changed back.
    pub destructive: bool,
    /// Twice is the same as once.
    pub idempotent: bool,
    /// Deals with the world outside.
    pub open_world: bool,
}

impl Hints {
    const LOOK: Hints =
        Hints { read_only: true, destructive: false, idempotent: true, open_world: true };
    const OWN: Hints = Hints { open_world: false, ..Hints::LOOK };
    const ACT: Hints =
        Hints { read_only: false, destructive: true, idempotent: false, open_world: true };
    const MOVE: Hints = Hints { destructive: false, ..Hints::ACT };
    const SET: Hints = Hints { idempotent: true, ..Hints::MOVE };
    const CLEAR: Hints = Hints { idempotent: true, ..Hints::ACT };

    /// The hints in the words of MCP, as far as they differ from what is assumed without them.
    pub fn annotations(self) -> Map<String, Value> {
        let differ = [
            ("readOnlyHint", self.read_only, false),
            ("destructiveHint", self.destructive, true),
            ("idempotentHint", self.idempotent, false),
            ("openWorldHint", self.open_world, true),
        ];
        // Whether what changes nothing is destructive or may be repeated is no question.
        let settled =
            |name: &str| self.read_only && matches!(name, "destructiveHint" | "idempotentHint");
        let told = differ.into_iter().filter(|(name, is, assumed)| is != assumed && !settled(name));
        told.map(|(name, is, _)| (name.to_owned(), is.into())).collect()
    }
}

/// A tool as it is advertised.
#[derive(Debug, Clone)]
pub struct Spec {
    /// Its name.
    pub name: &'static str,
    /// The tool it is another spelling of.
    pub alias_of: Option<&'static str>,
    /// What it does.
    pub about: String,
    /// The JSON Schema of its arguments.
    pub schema: Map<String, Value>,
    /// The sets it is in.
    pub sets: &'static [Set],
    /// What is true of it.
    pub hints: Hints,
}

impl Spec {
    /// What is true of one call, where its arguments rule out what the tool could do with others: a wait
    /// for a script to become true runs that script, and any other only looks; of what is done to tabs only
    /// closing one loses anything.
    pub fn hints_of(&self, arguments: &Map<String, Value>) -> Hints {
        match self.name {
            "browser_wait" if !arguments.contains_key("expression") => Hints::LOOK,
            "browser_tabs" => match arguments.get("action").and_then(Value::as_str) {
                None | Some("list") => Hints::LOOK,
                Some("close") => Hints::ACT,
                Some(_) => Hints::MOVE,
            },
            _ => self.hints,
        }
    }

    /// What an argument is, in words: as described, and with the default that its schema states.
    pub fn about_argument(&self, name: &str) -> String {
        let schema = self.schema.get("properties").and_then(|all| all.get(name));
        let part = |word| schema.and_then(|schema| schema.get(word));
        let described = part("description").and_then(Value::as_str).map(str::to_owned);
        let default = part("default").map(|value| match value {
            Value::String(text) => format!("Default {text}"),
            other => format!("Default {other}"),
        });
        described.into_iter().chain(default).collect::<Vec<_>>().join("; ")
    }
}

macro_rules! tools {
    ($($kind:ident = $args:ty, $name:literal, $hints:ident, [$($set:ident),*] $(, also $alias:literal)?;)*) => {
        /// A call that was read: one of the tools with its arguments.
        #[derive(Debug, Clone, PartialEq)]
        #[expect(missing_docs, reason = "each is documented at its arguments")]
        pub enum Action {
            $($kind($args),)*
        }

        impl Action {
            /// The tool's name.
            pub fn tool(&self) -> &'static str {
                match self { $(Action::$kind(_) => $name,)* }
            }

            /// The arguments as JSON, in the spelling of the schema.
            pub fn arguments(&self) -> Value {
                let written = match self { $(Action::$kind(one) => serde_json::to_value(one),)* };
                written.expect("arguments were read from JSON")
            }

            fn read(name: &str, arguments: Value) -> Result<Action, serde_json::Error> {
                match name {
                    $($name => serde_json::from_value(arguments).map(Action::$kind),)*
                    _ => unreachable!("the name was looked up in the same list"),
                }
            }
        }

        fn list() -> Vec<Spec> {
            let mut list = Vec::new();
            $(
                let mut schema = schema::of::<$args>();
                let about = schema.remove("description");
                let about = about.and_then(|text| text.as_str().map(on_one_line)).unwrap_or_default();
                let sets: &[Set] = &[$(Set::$set),*];
                let hints = Hints::$hints;
                list.push(Spec { name: $name, alias_of: None, about, schema, sets, hints });
                $(list.push(Spec {
                    name: $alias,
                    alias_of: Some($name),
                    sets: &[Set::Assistant],
                    ..list[list.len() - 1].clone()
                });)?
            )*
            list
        }
    };
}

tools! {
    Navigate = navigate::Navigate, "browser_navigate", SET, [Core];
    Snapshot = see::Snapshot, "browser_snapshot", LOOK, [Core], also "get_page_dom";
    Find = see::Find, "browser_find", LOOK, [Core];
    Query = see::Query, "browser_query", LOOK, [Devtools];
    Click = act::Click, "browser_click", ACT, [Core], also "click_element";
    Type = act::Type, "browser_type", ACT, [Core], also "input_text";
    FillForm = form::FillForm, "browser_fill_form", ACT, [Core];
    PressKey = act::PressKey, "browser_press_key", ACT, [Core];
    Select = act::Select, "browser_select", ACT, [Core];
    Hover = act::Hover, "browser_hover", SET, [Core];
    Scroll = act::Scroll, "browser_scroll", MOVE, [Core], also "scroll_page";
    Drag = act::Drag, "browser_drag", ACT, [Devtools], also "drag_element";
    Upload = act::Upload, "browser_upload", ACT, [Core];
    Wait = wait::Wait, "browser_wait", ACT, [Core];
    Eval = developer::Eval, "browser_eval", ACT, [Core, Devtools];
    Extract = see::Extract, "browser_extract", LOOK, [Core, Sidecar];
    TakeScreenshot = see::TakeScreenshot, "browser_take_screenshot", LOOK, [Core, Devtools];
    HandleDialog = navigate::HandleDialog, "browser_handle_dialog", ACT, [Core];
    Tabs = navigate::Tabs, "browser_tabs", ACT, [Core];
    Back = navigate::Back, "browser_back", MOVE, [Core];
    Forward = navigate::Forward, "browser_forward", MOVE, [Devtools];
    Reload = navigate::Reload, "browser_reload", ACT, [Devtools];
    Resize = navigate::Resize, "browser_resize", SET, [Devtools];
    RecentConsoleLogs = developer::RecentConsoleLogs, "browser_recent_console_logs", LOOK, [Devtools];
    ClearConsoleLogs = developer::ClearConsoleLogs, "browser_clear_console_logs", CLEAR, [Devtools];
    GetNetworkSources = developer::GetNetworkSources, "browser_get_network_sources", LOOK, [Devtools];
    GetServiceWorkers = developer::GetServiceWorkers, "browser_get_service_workers", LOOK, [Devtools];
    SetOffline = developer::SetOffline, "browser_set_offline", SET, [Devtools];
    Downloads = developer::Downloads, "browser_downloads", LOOK, [Devtools];
    ReadImage = developer::ReadImage, "read_image", OWN, [Devtools];
    Open = sidecar::Open, "browser_open", ACT, [Sidecar];
    Act = sidecar::Act, "browser_act", ACT, [Sidecar];
    Close = sidecar::Close, "browser_close", ACT, [Core, Sidecar];
    Batch = batch::Batch, "browser_batch", ACT, [Core];
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every tool and every alias.
pub fn catalogue() -> &'static [Spec] {
    static LIST: LazyLock<Vec<Spec>> = LazyLock::new(list);
    &LIST
}

/// A tool by its name, an alias, or its name without `browser_`.
pub fn find(name: &str) -> Option<&'static Spec> {
    let named = |wanted: &str| catalogue().iter().find(|tool| tool.name == wanted);
    let short = || named(&format!("browser_{name}"));
    let spec = named(name).or_else(short)?;
    match spec.alias_of {
        Some(canonical) => named(canonical),
        None => Some(spec),
    }
}

impl Action {
    /// Reads a call. What is wrong with it is said in one sentence, with what the tool takes.
    pub fn parse(name: &str, arguments: Map<String, Value>) -> Result<Action, ToolError> {
        let Some(spec) = find(name) else { return Err(unknown(name)) };
        Action::read(spec.name, Value::Object(arguments)).map_err(|error| {
            let message = error.to_string();
            let sentence = message.split(" at line ").next().unwrap_or(&message);
            ToolError::invalid(format!("{}: {sentence}", spec.name)).with_hint(takes(spec))
        })
    }
}

fn takes(spec: &Spec) -> String {
    let required: Vec<&str> = spec
        .schema
        .get("required")
        .and_then(Value::as_array)
        .map_or_else(Vec::new, |names| names.iter().filter_map(Value::as_str).collect());
    let Some(Value::Object(properties)) = spec.schema.get("properties") else {
        return format!("{} takes no arguments", spec.name);
    };
    let names: Vec<String> = properties
        .keys()
        .map(|name| match required.contains(&name.as_str()) {
            true => name.clone(),
            false => format!("{name}?"),
        })
        .collect();
    match names.is_empty() {
        true => format!("{} takes no arguments", spec.name),
        false => format!("{}({})", spec.name, names.join(", ")),
    }
}

fn unknown(name: &str) -> ToolError {
    let shown: String = name.chars().take(60).collect();
    let words: Vec<&str> =
        name.split('_').filter(|word| word.len() > 2 && *word != "browser").collect();
    let near: Vec<&str> = catalogue()
        .iter()
        .filter(|tool| tool.alias_of.is_none() && words.iter().any(|word| tool.name.contains(word)))
        .map(|tool| tool.name)
        .collect();
    let error = ToolError::new(Code::UnknownTool, format!("there is no tool {shown:?}"));
    match near.is_empty() {
        true => error.with_hint("list the tools to see their names"),
        false => error.with_hint(format!("there is {}", near.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(tools: &[&Spec]) -> usize {
        let one = |tool: &&Spec| {
            let listed = serde_json::json!({
                "name": tool.name, "description": tool.about, "inputSchema": tool.schema,
                "annotations": tool.hints.annotations(),
            });
            listed.to_string().len() + 1
        };
        tools.iter().map(one).sum()
    }

    #[test]
    fn the_list_of_tools_is_short_enough_for_a_model() {
        let core = size(&Set::tools("core").unwrap());
        let all = size(&Set::tools("all").unwrap());
        assert!(core < 9_950, "core takes {core} bytes");
        assert!(all < 20_000, "all takes {all} bytes");
    }

    #[test]
    fn every_tool_and_argument_says_what_it_is() {
        for tool in catalogue() {
            assert!(!tool.about.is_empty(), "{}", tool.name);
            let properties = tool.schema.get("properties").and_then(Value::as_object);
            for (name, property) in properties.into_iter().flatten() {
                assert!(!tool.about_argument(name).is_empty(), "{}.{name}", tool.name);
                assert!(property.get("anyOf").is_none(), "{}.{name}: {property}", tool.name);
            }
        }
    }

    #[test]
    fn names_aliases_and_short_names_lead_to_the_tool() {
        for (name, expected) in [
            ("browser_click", Some("browser_click")),
            ("click_element", Some("browser_click")),
            ("click", Some("browser_click")),
            ("read_image", Some("read_image")),
            ("browser_clicks", None),
        ] {
            assert_eq!(find(name).map(|tool| tool.name), expected, "{name}");
        }
    }

    #[test]
    fn what_may_lose_something_says_so_and_what_only_looks_does_too() {
        let named = |which: fn(&Hints) -> bool| -> String {
            let tools = catalogue().iter().filter(|tool| tool.alias_of.is_none());
            let names = tools.filter(|tool| which(&tool.hints)).map(|tool| tool.name);
            names.map(|name| name.trim_start_matches("browser_")).collect::<Vec<_>>().join(" ")
        };
        // These change where one is or how one looks at it, which can be changed back. Loading a page again
        // is not among them: a page that a form led to sends the form again.
        let kept = "navigate hover scroll back forward resize set_offline";
        assert_eq!(named(|hints| !hints.destructive && !hints.read_only), kept);
        let looks = "snapshot find query extract take_screenshot recent_console_logs get_network_sources \
                     get_service_workers downloads read_image";
        assert_eq!(named(|hints| hints.read_only), looks);
        assert_eq!(named(|hints| hints.read_only && hints.destructive), "");
        assert_eq!(named(|hints| !hints.open_world), "read_image");
    }

    #[test]
    fn a_wait_only_looks_unless_it_runs_a_script() {
        let wait = find("browser_wait").unwrap();
        assert!(!wait.hints.read_only, "who trusts the hint of the tool would let a script run");
        for (arguments, looks) in [
            (serde_json::json!({ "text": "Saved" }), true),
            (serde_json::json!({ "expression": "order()" }), false),
            (serde_json::json!({ "text": "Saved", "expression": null }), false),
        ] {
            let hints = wait.hints_of(arguments.as_object().unwrap());
            assert_eq!((hints.read_only, hints.idempotent), (looks, looks), "{arguments}");
        }
        assert!(find("browser_snapshot").unwrap().hints_of(&Map::new()).read_only);
        assert!(!find("browser_click").unwrap().hints_of(&Map::new()).read_only);
    }

    #[test]
    fn bad_arguments_are_said_in_a_sentence() {
        let read = |name: &str, json: &str| {
            let arguments = serde_json::from_str(json).unwrap();
            Action::parse(name, arguments).map(|action| action.tool().to_owned())
        };
        let said = |name: &str, json: &str| read(name, json).unwrap_err().told();
        assert_eq!(read("click", r#"{"target": "e5"}"#).unwrap(), "browser_click");
        assert_eq!(read("click", r##"{"selector": "#a"}"##).unwrap(), "browser_click");
        let missing = said("browser_click", "{}");
        assert!(missing.contains("missing field `target`"), "{missing}");
        assert!(missing.contains("browser_click(target, "), "{missing}");
        let unknown = said("browser_navigate", r#"{"url": "x", "retries": 3}"#);
        assert!(unknown.contains("unknown field `retries`"), "{unknown}");
        let unknown = said("browser_screenshot", "{}");
        assert!(unknown.contains("browser_take_screenshot"), "{unknown}");
        let wrong = said("browser_resize", r#"{"width": "wide", "height": 5}"#);
        assert!(wrong.contains("invalid type: string \"wide\""), "{wrong}");
    }
}
