//! Calls of tools without a server's help: the model answers with an object that a JSON Schema holds it to, so that
//! even a small model writes calls that can be read. The tools are told in words, and calls and results are turns
//! like any other.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::reply::Completion;
use crate::model::http::{Fault, Reader};
use crate::model::schema;
use crate::model::stream::Event;
use crate::model::{Answer, Call, Heard, Part, Request, Stop, Tool, Turn};

/// The same request for a model that knows no tools.
pub(super) fn without_tools(request: &Request) -> Request {
    let lean = |tool: &Tool| Tool { schema: bounded(&tool.schema), ..tool.clone() };
    let tools: Vec<Tool> = request.tools.iter().map(lean).collect();
    Request {
        system: format!("{}\n\n{}", request.system, told(&tools, request.must_call)),
        turns: request.turns.iter().map(turn).collect(),
        tools: Vec::new(),
        must_call: false,
        schema: Some(("call".into(), any_of(&tools, request.must_call))),
        ..request.clone()
    }
}

/// What the tools are, in words: their names, arguments and what they are for.
fn told(tools: &[Tool], must_call: bool) -> String {
    let say = if must_call { "" } else { ", or {\"say\": words} if there is nothing to call" };
    let mut told = format!(
        "Answer with one JSON object: {{\"tool\": name, \"arguments\": {{…}}}}{say}. The tools:"
    );
    for tool in tools {
        let required = tool.schema.get("required").and_then(Value::as_array);
        let needed = |name: &str| required.is_some_and(|list| list.iter().any(|r| r == name));
        let properties = tool.schema.get("properties").and_then(Value::as_object);
        let names = properties.into_iter().flat_map(Map::keys).map(|name| match needed(name) {
            true => name.clone(),
            false => format!("{name}?"),
        });
        let names: Vec<_> = names.collect();
        let (name, about) = (&tool.name, &tool.about);
        // Writing to a string cannot fail.
        let _ = write!(told, "\n- {name}({}): {about}", names.join(", "));
    }
    told
}

/// The schema of a call of any of these tools. Definitions that tools refer to have to be at its root.
fn any_of(tools: &[Tool], must_call: bool) -> Map<String, Value> {
    let mut definitions = BTreeMap::new();
    let mut ways: Vec<Value> = Vec::new();
    for tool in tools {
        let mut arguments = tool.schema.clone();
        arguments.remove("$schema");
        if let Some(Value::Object(defined)) = arguments.remove("$defs") {
            definitions.extend(defined);
        }
        ways.push(object(json!({ "tool": { "const": tool.name }, "arguments": arguments })));
    }
    if !must_call {
        ways.push(object(json!({ "say": { "type": "string", "maxLength": 4 * LONGEST } })));
    }
    let mut schema = Map::from_iter([("anyOf".to_string(), ways.into())]);
    if !definitions.is_empty() {
        schema.insert("$defs".into(), json!(definitions));
    }
    schema
}

/// The longest text that a model of this kind has a use for. It may go on in one until nothing is left of its answer,
/// and a call that is cut off is none.
const LONGEST: u32 = 200;

/// A schema in which no text goes on for ever, and without what every tool has a good default for.
fn bounded(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::new();
    for (word, value) in schema {
        let made = match word.as_str() {
            "properties" => {
                let mut properties = schema::each(value, bounded);
                if let Some(properties) = properties.as_object_mut() {
                    properties.retain(|name, _| !matches!(name.as_str(), "timeout" | "observe"));
                }
                properties
            }
            "$defs" => schema::each(value, bounded),
            "items" | "additionalProperties" => schema::one(value, bounded),
            "anyOf" | "oneOf" | "allOf" => schema::list(value, bounded),
            _ => value.clone(),
        };
        out.insert(word.clone(), made);
    }
    let kind = schema.get("type");
    let is_text = kind == Some(&json!("string"))
        || kind.and_then(Value::as_array).is_some_and(|kinds| kinds.contains(&json!("string")));
    if is_text && !["enum", "const", "maxLength"].iter().any(|word| schema.contains_key(*word)) {
        out.insert("maxLength".into(), LONGEST.into());
    }
    out
}

fn object(properties: Value) -> Value {
    let required: Vec<_> =
        properties.as_object().into_iter().flat_map(Map::keys).cloned().collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn turn(turn: &Turn) -> Turn {
    match turn {
        Turn::User(parts) => Turn::User(parts.clone()),
        Turn::Model(answer) => Turn::Model(Answer { text: written(answer), ..Answer::default() }),
        Turn::Tools(results) => {
            let mut parts = Vec::new();
            for result in results {
                parts.push(Part::Text(format!("{} answered:", result.name)));
                parts.extend(result.parts.iter().cloned());
            }
            Turn::User(parts)
        }
    }
}

/// What the model had answered, as it would write it.
fn written(answer: &Answer) -> String {
    let calls = answer.calls.iter().map(|call| {
        let arguments = call.arguments.clone().unwrap_or_default();
        json!({ "tool": call.name, "arguments": arguments }).to_string()
    });
    let calls: Vec<_> = calls.collect();
    if calls.is_empty() { json!({ "say": answer.text }).to_string() } else { calls.join("\n") }
}

/// An answer on its way. Its words are an object, and so nothing to hear.
#[derive(Default)]
pub(super) struct Object(Completion);

#[derive(Deserialize)]
#[serde(untagged)]
enum Chose {
    Call {
        tool: String,
        #[serde(default)]
        arguments: Map<String, Value>,
    },
    Say {
        say: String,
    },
}

impl Reader for Object {
    fn event(&mut self, event: Event, _heard: &Heard) -> Result<ControlFlow<()>, Fault> {
        self.0.event(event, &|_| {})
    }

    fn end(self) -> Result<Answer, Fault> {
        Ok(read(self.0.end()?))
    }

    fn whole(self, body: &[u8]) -> Result<Answer, Fault> {
        Ok(read(self.0.whole(body)?))
    }
}

/// The call that the words are. What is none stays words, for the loop to complain about.
fn read(answer: Answer) -> Answer {
    let answer = Answer { raw: None, ..answer };
    // Some models think aloud before they answer.
    let words = answer.text.rsplit("</think>").next().unwrap_or_default().trim();
    let words = words.trim_start_matches("```json").trim_matches('`').trim();
    match serde_json::from_str(words) {
        Ok(Chose::Call { tool, arguments }) => {
            let id = format!("call_{:08x}", getrandom::u32().unwrap_or_default());
            let call = Call { id, name: tool, arguments: Ok(arguments), safety: None };
            let stop = if answer.stop == Stop::Done { Stop::Calls } else { answer.stop };
            Answer { text: String::new(), calls: vec![call], stop, ..answer }
        }
        Ok(Chose::Say { say }) => Answer { text: say, ..answer },
        Err(_) => answer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn click() -> Tool {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "target": { "type": "string" }, "button": { "$ref": "#/$defs/Button" },
                "timeout": { "type": ["string", "integer"] },
            },
            "required": ["target"],
            "$defs": { "Button": { "enum": ["left", "right"] } },
        });
        let Value::Object(schema) = schema else { panic!() };
        Tool { name: "click".into(), about: "Clicks.".into(), schema }
    }

    #[test]
    fn tools_are_told_in_words_and_held_by_a_schema() {
        let request =
            Request { system: "Be good.".into(), tools: vec![click()], ..Request::default() };
        let free = without_tools(&request);
        assert!(
            free.system.starts_with("Be good.\n\nAnswer with one JSON object"),
            "{}",
            free.system
        );
        assert!(free.system.contains("{\"say\": words}"), "{}", free.system);
        assert!(free.system.ends_with("\n- click(target, button?): Clicks."), "{}", free.system);
        let held = without_tools(&Request { must_call: true, ..request });
        let schema = Value::Object(held.schema.unwrap().1);
        assert_eq!(schema["anyOf"].as_array().unwrap().len(), 1);
        assert_eq!(schema["$defs"]["Button"]["enum"][0], "left");
        let call = &schema["anyOf"][0]["properties"];
        assert_eq!(call["tool"]["const"], "click");
        assert!(call["arguments"].get("$defs").is_none());
        let arguments = &call["arguments"]["properties"];
        assert_eq!(arguments["target"]["maxLength"], LONGEST, "no text goes on for ever");
        assert!(arguments.get("timeout").is_none(), "{arguments}");
    }

    #[test]
    fn what_was_called_and_answered_becomes_turns_that_the_model_knows() {
        let arguments = Ok(Map::from_iter([("target".to_string(), json!("Save"))]));
        let call = Call { id: "1".into(), name: "click".into(), arguments, safety: None };
        let answer = Answer { calls: vec![call], ..Answer::default() };
        let Turn::Model(said) = turn(&Turn::Model(answer)) else { panic!() };
        assert_eq!(said.text, r#"{"tool":"click","arguments":{"target":"Save"}}"#);
        assert!(said.calls.is_empty() && said.raw.is_none());
        assert_eq!(read(said).calls[0].name, "click");
    }

    #[test]
    fn an_object_is_a_call_and_anything_else_is_words() {
        let read = |text: &str| read(Answer { text: text.into(), ..Answer::default() });
        for text in [
            r#"{"tool":"click","arguments":{"target":"Save"}}"#,
            "<think>Hm.</think>\n{\"tool\":\"click\",\"arguments\":{\"target\":\"Save\"}}",
            "```json\n{\"tool\":\"click\",\"arguments\":{\"target\":\"Save\"}}\n```",
        ] {
            let answer = read(text);
            assert_eq!(
                (answer.calls[0].name.as_str(), answer.stop),
                ("click", Stop::Calls),
                "{text}"
            );
            assert_eq!(answer.calls[0].arguments.clone().unwrap()["target"], "Save");
        }
        assert_eq!(read(r#"{"say":"Done."}"#).text, "Done.");
        let cut = r#"{"tool":"click","argum"#;
        assert_eq!((read(cut).text.as_str(), read(cut).calls.len()), (cut, 0));
    }
}
