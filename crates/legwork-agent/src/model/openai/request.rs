//! What is asked, as the Responses API wants it.

use std::collections::HashMap;

use legwork_protocol::Image;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::computer::Scale;
use super::{Family, PART, RAW, schema};
use crate::model::picture;
use crate::model::{Answer, Part, Request, Tool, ToolResult, Turn};

#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    instructions: &'a str,
    input: Vec<Item<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Offered<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    /// What a page says is nobody's to keep.
    store: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    include: &'static [&'static str],
    stream: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    /// As the vendor wrote it.
    Raw(&'a Value),
    Ours(Ours<'a>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Ours<'a> {
    Message {
        role: &'static str,
        content: Content<'a>,
    },
    FunctionCall {
        call_id: &'a str,
        name: &'a str,
        arguments: String,
    },
    FunctionCallOutput {
        call_id: &'a str,
        output: Content<'a>,
    },
    ComputerCallOutput {
        call_id: &'a str,
        output: Screenshot,
        acknowledged_safety_checks: Vec<Check>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(String),
    Pieces(Vec<Piece<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece<'a> {
    InputText { text: &'a str },
    InputImage { image_url: String, detail: &'static str },
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "computer_screenshot")]
struct Screenshot {
    image_url: String,
}

/// A safety check, as it came and goes back.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Check {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
}

impl Check {
    /// The vendor's words.
    pub(super) fn words(&self) -> &str {
        self.message.as_deref().or(self.code.as_deref()).unwrap_or("a safety check")
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Offered<'a> {
    Function {
        name: &'a str,
        description: &'a str,
        parameters: &'a Map<String, Value>,
        strict: bool,
    },
    Computer,
}

#[derive(Serialize)]
struct Text<'a> {
    format: Format<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "json_schema")]
struct Format<'a> {
    name: &'a str,
    schema: &'a Map<String, Value>,
    strict: bool,
}

/// Writes a request.
pub(super) fn write<'a>(
    request: &'a Request,
    model: &'a str,
    family: Family,
    stream: bool,
) -> Body<'a> {
    let tools = offered(&request.tools, family.computer && request.viewport.is_some());
    let text = request.schema.as_ref().map(|(name, schema)| Text {
        format: Format { name, schema, strict: schema::is_strict(schema) },
    });
    Body {
        model,
        instructions: &request.system,
        input: input(&request.turns),
        tool_choice: (request.must_call && !tools.is_empty()).then_some("required"),
        tools,
        text,
        max_output_tokens: (request.max_output > 0).then(|| most(request.max_output, family)),
        store: false,
        include: if family.reasons { &["reasoning.encrypted_content"] } else { &[] },
        stream,
    }
}

/// Thoughts count as written here, though nobody reads them: they get room beside the words. The API takes no
/// less than 16.
fn most(words: u32, family: Family) -> u32 {
    let thoughts = if family.reasons { 8_192 } else { 0 };
    words.saturating_add(thoughts).max(16)
}

/// How the last picture that the model was shown relates to the page.
pub(super) fn scale(request: &Request) -> Scale {
    let pictures = request.turns.iter().rev().flat_map(|turn| match turn {
        Turn::User(parts) => parts.iter().rev().collect(),
        Turn::Tools(results) => results.iter().rev().flat_map(|r| r.parts.iter().rev()).collect(),
        Turn::Model(_) => Vec::new(),
    });
    let mut sizes = pictures.filter_map(|part| match part {
        Part::Picture(image) => picture::size(image),
        Part::Text(_) => None,
    });
    match (request.viewport, sizes.next()) {
        (Some((width, height)), Some((across, down))) if across > 0 && down > 0 => {
            Scale(f64::from(width) / f64::from(across), f64::from(height) / f64::from(down))
        }
        _ => Scale(1.0, 1.0),
    }
}

fn offered(tools: &[Tool], computer: bool) -> Vec<Offered<'_>> {
    let functions = tools.iter().map(|tool| Offered::Function {
        name: &tool.name,
        description: &tool.about,
        parameters: &tool.schema,
        // Our tools have arguments that may be left out, which strict tools may not.
        strict: false,
    });
    functions.chain(computer.then_some(Offered::Computer)).collect()
}

fn input(turns: &[Turn]) -> Vec<Item<'_>> {
    let mut input = Vec::new();
    let mut at = 0;
    while let Some(turn) = turns.get(at) {
        at += 1;
        match (turn, turns.get(at)) {
            (Turn::User(parts), _) => input.push(message(pieces(parts))),
            (Turn::Model(answer), Some(Turn::Tools(results))) => {
                at += 1;
                exchange(answer, results, &mut input);
            }
            (Turn::Model(answer), _) => said(answer, &mut input),
            // Results of calls that were dropped from the conversation are words like any other.
            (Turn::Tools(results), _) => {
                let parts = results.iter().flat_map(|result| &result.parts);
                input.push(message(parts.map(piece).collect()));
            }
        }
    }
    input
}

/// What the model called and what came of it.
fn exchange<'a>(answer: &'a Answer, results: &'a [ToolResult], input: &mut Vec<Item<'a>>) {
    let computer = computer_calls(answer);
    let group = |result: &'a ToolResult| {
        let (call, _) = result.id.rsplit_once(PART)?;
        computer.contains_key(call).then_some(call)
    };
    let asked = |id: &str| answer.calls.iter().any(|call| call.id == id && call.safety.is_some());
    // The person is asked before the first of its actions; those after a failed one are never tried.
    let acknowledged = |call: &str| {
        let mut parts = results.iter().filter(|r| group(r) == Some(call) && asked(&r.id));
        parts.next().is_some_and(|first| first.acknowledged)
    };
    if computer.iter().any(|(call, checks)| !checks.is_empty() && !acknowledged(call)) {
        return in_words(answer, results, input);
    }
    said(answer, input);
    let mut done: Vec<&str> = Vec::new();
    let mut unseen = Vec::new();
    for result in results {
        let Some(call_id) = group(result) else {
            let output = content(&result.parts);
            input.push(Item::Ours(Ours::FunctionCallOutput { call_id: &result.id, output }));
            continue;
        };
        if done.contains(&call_id) {
            continue;
        }
        done.push(call_id);
        let acknowledged_safety_checks = computer.get(call_id).cloned().unwrap_or_default();
        let parts = results.iter().filter(|r| group(r) == Some(call_id)).flat_map(|r| &r.parts);
        let picture = last_picture(parts);
        if picture.is_none() {
            unseen.push(Piece::InputText { text: "[There is no picture of this.]" });
        }
        let image_url = picture.unwrap_or_else(|| picture::NONE.into());
        let output = Screenshot { image_url };
        let output = Ours::ComputerCallOutput { call_id, output, acknowledged_safety_checks };
        input.push(Item::Ours(output));
    }
    // The tool takes nothing but a picture back; what our tools said of it goes beside.
    let told = results.iter().filter(|result| group(result).is_some()).flat_map(|r| &r.parts);
    let told: Vec<_> = told.filter_map(words).chain(unseen).collect();
    if !told.is_empty() {
        input.push(message(told));
    }
}

/// The computer calls of an answer with their safety checks.
fn computer_calls(answer: &Answer) -> HashMap<&str, Vec<Check>> {
    let items = raw(answer).unwrap_or_default().iter();
    let calls = items.filter(|item| item["type"] == "computer_call");
    calls
        .filter_map(|item| {
            let checks = Vec::<Check>::deserialize(&item["pending_safety_checks"]);
            Some((item["call_id"].as_str()?, checks.unwrap_or_default()))
        })
        .collect()
}

fn last_picture<'a>(parts: impl Iterator<Item = &'a Part>) -> Option<String> {
    let pictures = parts.filter_map(|part| match part {
        Part::Picture(image) => Some(url(image)),
        Part::Text(_) => None,
    });
    pictures.last()
}

/// What a model said, as the vendor wrote it, or as near to that as we can.
fn said<'a>(answer: &'a Answer, input: &mut Vec<Item<'a>>) {
    if let Some(items) = raw(answer) {
        input.extend(items.iter().map(Item::Raw));
        return;
    }
    if !answer.text.is_empty() {
        let content = Content::Text(answer.text.clone());
        input.push(Item::Ours(Ours::Message { role: "assistant", content }));
    }
    for call in &answer.calls {
        let arguments = match &call.arguments {
            Ok(arguments) => Value::Object(arguments.clone()).to_string(),
            Err(_) => "{}".into(),
        };
        let (call_id, name) = (&call.id, &call.name);
        input.push(Item::Ours(Ours::FunctionCall { call_id, name, arguments }));
    }
}

/// A turn that cannot go back as it was, because a safety check of it was not agreed to.
fn in_words<'a>(answer: &'a Answer, results: &'a [ToolResult], input: &mut Vec<Item<'a>>) {
    if !answer.text.is_empty() {
        let content = Content::Text(answer.text.clone());
        input.push(Item::Ours(Ours::Message { role: "assistant", content }));
    }
    let mut told = vec![Piece::InputText {
        text: "The person did not agree to a safety check of what you wanted to do. What came of it:",
    }];
    told.extend(results.iter().flat_map(|result| &result.parts).filter_map(words));
    input.push(message(told));
}

fn raw(answer: &Answer) -> Option<&[Value]> {
    answer.raw.as_ref()?.get(RAW)?.as_array().map(Vec::as_slice)
}

fn message(pieces: Vec<Piece<'_>>) -> Item<'_> {
    Item::Ours(Ours::Message { role: "user", content: Content::Pieces(pieces) })
}

fn content(parts: &[Part]) -> Content<'_> {
    match parts {
        [] => Content::Text(String::new()),
        [Part::Text(text)] => Content::Text(text.clone()),
        parts => Content::Pieces(pieces(parts)),
    }
}

fn pieces(parts: &[Part]) -> Vec<Piece<'_>> {
    parts.iter().map(piece).collect()
}

fn piece(part: &Part) -> Piece<'_> {
    match part {
        Part::Text(text) => Piece::InputText { text },
        Part::Picture(image) => Piece::InputImage { image_url: url(image), detail: "auto" },
    }
}

fn words(part: &Part) -> Option<Piece<'_>> {
    matches!(part, Part::Text(text) if !text.is_empty()).then(|| piece(part))
}

fn url(image: &Image) -> String {
    format!("data:{};base64,{}", image.media_type, image.data)
}
