//! What is asked, as the Messages API wants it.

use legwork_protocol::Image;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Family, Means, RAW, schema, toolset};
use crate::model::{Answer, Part, Request, Tool, ToolResult, Turn, pointing};

#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Offered<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Output>,
    stream: bool,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Vec<Content<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    /// As the vendor wrote it.
    Raw(&'a Value),
    Ours(Block<'a>),
}

#[derive(Serialize)]
struct Block<'a> {
    #[serde(flatten)]
    kind: Kind<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Cache>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Kind<'a> {
    Text {
        text: &'a str,
    },
    Image {
        source: Source<'a>,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: Map<String, Value>,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: Vec<Block<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        toolset_name: Option<&'a str>,
    },
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "base64")]
struct Source<'a> {
    media_type: &'a str,
    data: &'a str,
}

/// What stands up to here is worth keeping at the server.
#[derive(Serialize)]
#[serde(tag = "type", rename = "ephemeral")]
struct Cache {}

#[derive(Serialize)]
#[serde(untagged)]
enum Offered<'a> {
    Tool { name: &'a str, description: &'a str, input_schema: &'a Map<String, Value> },
    Toolset(Toolset),
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "browser_toolset_20260801")]
struct Toolset {
    configs: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Choice {
    Any,
}

#[derive(Serialize)]
struct Output {
    format: Format,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "json_schema")]
struct Format {
    schema: Value,
}

/// What is written where a request sets no limit.
const USUAL_OUTPUT: u32 = 8192;

/// Turns from the end at which the server is asked to keep what stands before: the last is new to it, the one
/// before is where it kept the last time.
const KEPT: usize = 2;

/// Writes a request.
pub(super) fn write<'a>(
    request: &'a Request,
    model: &'a str,
    means: Means,
    stream: bool,
) -> Body<'a> {
    let family = Family::of(model);
    let toolset = family.points && (pointing::has_sight(request) || has_pointed(&request.turns));
    let tools = offered(&request.tools, toolset);
    let force = request.must_call && means.force && !tools.is_empty();
    let mut messages = messages(&request.turns, means);
    keep(&mut messages);
    Body {
        model,
        max_tokens: most(request.max_output, family),
        system: text(&request.system)
            .map(|block| Block { cache_control: Some(Cache {}), ..block })
            .into_iter()
            .collect(),
        messages,
        tools,
        tool_choice: force.then_some(Choice::Any),
        output_config: request
            .schema
            .as_ref()
            .map(|(_, schema)| Output { format: Format { schema: schema::closed(schema) } }),
        stream,
    }
}

/// Thoughts count as written, though nobody reads them: they get room beside the words.
fn most(words: u32, family: Family) -> u32 {
    let words = if words == 0 { USUAL_OUTPUT } else { words };
    words.saturating_add(if family.thinks { 8192 } else { 0 })
}

fn offered(tools: &[Tool], toolset: bool) -> Vec<Offered<'_>> {
    let ours = tools.iter().map(|tool| Offered::Tool {
        name: &tool.name,
        description: &tool.about,
        input_schema: &tool.schema,
    });
    let withheld = toolset::WITHHELD.iter();
    let configs = withheld.map(|name| ((*name).into(), serde_json::json!({ "enabled": false })));
    let theirs = toolset.then(|| Offered::Toolset(Toolset { configs: configs.collect() }));
    ours.chain(theirs).collect()
}

fn messages(turns: &[Turn], means: Means) -> Vec<Message<'_>> {
    let mut messages: Vec<Message<'_>> = Vec::new();
    let mut at = 0;
    while let Some(turn) = turns.get(at) {
        at += 1;
        match turn {
            Turn::User(parts) => add(
                &mut messages,
                "user",
                parts.iter().filter_map(piece).map(Content::Ours).collect(),
            ),
            Turn::Model(answer) => {
                add(&mut messages, "assistant", said(answer, means));
                let results = match turns.get(at) {
                    Some(Turn::Tools(results)) => {
                        at += 1;
                        results.as_slice()
                    }
                    _ => &[],
                };
                add(&mut messages, "user", results_of(answer, results));
            }
            // Results of calls that were dropped from the conversation are words like any other.
            Turn::Tools(results) => {
                let parts = results.iter().flat_map(|result| &result.parts);
                add(&mut messages, "user", parts.filter_map(piece).map(Content::Ours).collect());
            }
        }
    }
    messages
}

/// Turns of one side that follow each other are one.
fn add<'a>(messages: &mut Vec<Message<'a>>, role: &'static str, content: Vec<Content<'a>>) {
    match messages.last_mut() {
        _ if content.is_empty() => {}
        Some(last) if last.role == role => last.content.extend(content),
        _ => messages.push(Message { role, content }),
    }
}

/// Marks the ends of the last turns that are ours.
fn keep(messages: &mut [Message<'_>]) {
    let ours = messages.iter_mut().rev().filter(|message| message.role == "user").take(KEPT);
    for message in ours {
        if let Some(Content::Ours(block)) = message.content.last_mut() {
            block.cache_control = Some(Cache {});
        }
    }
}

/// What a model said, as the vendor wrote it, or as near to that as we can.
fn said(answer: &Answer, means: Means) -> Vec<Content<'_>> {
    if let Some(blocks) = raw(answer) {
        let thought = |block: &&Value| means.thoughts || !is_thought(block);
        return blocks.iter().filter(thought).map(Content::Raw).collect();
    }
    let calls = answer.calls.iter().map(|call| {
        let input = call.arguments.clone().unwrap_or_default();
        block(Kind::ToolUse { id: &call.id, name: &call.name, input })
    });
    text(&answer.text).into_iter().chain(calls).map(Content::Ours).collect()
}

pub(super) fn is_thought(block: &Value) -> bool {
    matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"))
}

/// One result for every call: the API takes no call without.
fn results_of<'a>(answer: &'a Answer, results: &'a [ToolResult]) -> Vec<Content<'a>> {
    let answered = answer.calls.iter().map(|call| {
        let toolset_name = toolset_of(answer, &call.id);
        let result = results.iter().find(|result| result.id == call.id);
        let (is_error, mut content) = match result {
            // The API takes nothing but words of what failed.
            Some(result) if result.failed => {
                (true, result.parts.iter().filter_map(words).collect())
            }
            Some(result) => (false, result.parts.iter().filter_map(piece).collect::<Vec<_>>()),
            None => (false, Vec::new()),
        };
        if content.is_empty() {
            content.push(block(Kind::Text {
                text: if result.is_some() { "Done." } else { "(left out)" },
            }));
        }
        Content::Ours(block(Kind::ToolResult {
            tool_use_id: &call.id,
            content,
            is_error,
            toolset_name,
        }))
    });
    let known = |result: &&ToolResult| !answer.calls.iter().any(|call| call.id == result.id);
    let others = results.iter().filter(known).flat_map(|result| &result.parts);
    answered.chain(others.filter_map(piece).map(Content::Ours)).collect()
}

/// Whether members of the toolset were called before: what was called has to be offered.
fn has_pointed(turns: &[Turn]) -> bool {
    turns.iter().any(|turn| match turn {
        Turn::Model(answer) => {
            answer.calls.iter().any(|call| toolset_of(answer, &call.id).is_some())
        }
        _ => false,
    })
}

/// The toolset that a call was a member of, which its result has to name.
fn toolset_of<'a>(answer: &'a Answer, id: &str) -> Option<&'a str> {
    let block = raw(answer)?.iter().find(|block| block["id"] == id)?;
    block["toolset_name"].as_str()
}

fn raw(answer: &Answer) -> Option<&[Value]> {
    answer.raw.as_ref()?.get(RAW)?.as_array().map(Vec::as_slice).filter(|blocks| !blocks.is_empty())
}

fn piece(part: &Part) -> Option<Block<'_>> {
    match part {
        Part::Text(_) => words(part),
        Part::Picture(image) => Some(picture_of(image)),
    }
}

fn words(part: &Part) -> Option<Block<'_>> {
    match part {
        Part::Text(words) => text(words),
        Part::Picture(_) => None,
    }
}

/// The API takes no words that are only spaces.
fn text(text: &str) -> Option<Block<'_>> {
    (!text.trim().is_empty()).then(|| block(Kind::Text { text }))
}

fn picture_of(image: &Image) -> Block<'_> {
    block(Kind::Image { source: Source { media_type: &image.media_type, data: &image.data } })
}

fn block(kind: Kind<'_>) -> Block<'_> {
    Block { kind, cache_control: None }
}
