//! What is asked, as Chat Completions wants it. Results of tools are words only there, so their pictures follow in
//! a turn of the user's.

use legwork_protocol::Image;
use serde::Serialize;
use serde_json::{Map, Value};

use super::RAW;
use crate::model::openai::schema;
use crate::model::{Answer, Part, Request, Tool, ToolResult, Turn};

#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Offered<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Format<'a>>,
    /// The newer name is not known to most servers that are not OpenAI's.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Message<'a> {
    /// As the server wrote it.
    Raw(&'a Value),
    Ours(Ours<'a>),
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum Ours<'a> {
    System {
        content: &'a str,
    },
    User {
        content: Content<'a>,
    },
    Assistant {
        content: &'a str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Made<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: String,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    Pieces(Vec<Piece<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: Url },
}

#[derive(Serialize)]
struct Url {
    url: String,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "function")]
struct Made<'a> {
    id: &'a str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: String,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "function")]
struct Offered<'a> {
    function: Described<'a>,
}

#[derive(Serialize)]
struct Described<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Map<String, Value>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format<'a> {
    JsonSchema {
        json_schema: Named<'a>,
    },
    /// llama.cpp's own: its server knows both, its Python server only this.
    JsonObject {
        schema: &'a Map<String, Value>,
    },
}

/// What has to be known of a server to write for it.
pub(super) struct Server<'a> {
    pub(super) model: &'a str,
    /// Whether the model reads pictures.
    pub(super) vision: bool,
    pub(super) stream: bool,
    /// Whether schemas go in llama.cpp's own form.
    pub(super) bare_schema: bool,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    schema: &'a Map<String, Value>,
    strict: bool,
}

/// Writes a request, with pictures only for a model that reads them.
pub(super) fn write<'a>(request: &'a Request, server: &Server<'a>) -> Body<'a> {
    let tools: Vec<_> = request.tools.iter().map(offered).collect();
    let response_format = request.schema.as_ref().map(|(name, schema)| match server.bare_schema {
        true => Format::JsonObject { schema },
        false => Format::JsonSchema {
            json_schema: Named { name, schema, strict: schema::is_strict(schema) },
        },
    });
    Body {
        model: server.model,
        messages: messages(request, server.vision),
        tool_choice: (request.must_call && !tools.is_empty()).then_some("required"),
        tools,
        response_format,
        max_tokens: (request.max_output > 0).then_some(request.max_output),
        stream: server.stream,
        stream_options: server.stream.then_some(StreamOptions { include_usage: true }),
    }
}

fn offered(tool: &Tool) -> Offered<'_> {
    let Tool { name, about, schema } = tool;
    Offered { function: Described { name, description: about, parameters: schema } }
}

fn messages(request: &Request, vision: bool) -> Vec<Message<'_>> {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(Message::Ours(Ours::System { content: &request.system }));
    }
    for turn in &request.turns {
        match turn {
            Turn::User(parts) => messages.push(user(parts.iter().collect(), vision)),
            Turn::Model(answer) => messages.push(said(answer)),
            Turn::Tools(results) => results_of(results, vision, &mut messages),
        }
    }
    messages
}

fn user(parts: Vec<&Part>, vision: bool) -> Message<'_> {
    let content = match parts[..] {
        [Part::Text(text)] => Content::Text(text),
        _ => Content::Pieces(parts.into_iter().map(|part| piece(part, vision)).collect()),
    };
    Message::Ours(Ours::User { content })
}

fn piece(part: &Part, vision: bool) -> Piece<'_> {
    match part {
        Part::Text(text) => Piece::Text { text },
        Part::Picture(image) if vision => Piece::ImageUrl { image_url: Url { url: url(image) } },
        Part::Picture(_) => Piece::Text { text: "[A picture, which this model cannot read.]" },
    }
}

fn said(answer: &Answer) -> Message<'_> {
    if let Some(message) = answer.raw.as_ref().and_then(|raw| raw.get(RAW)) {
        return Message::Raw(message);
    }
    let tool_calls = answer.calls.iter().map(|call| {
        let arguments = match &call.arguments {
            Ok(arguments) => Value::Object(arguments.clone()).to_string(),
            Err(_) => "{}".into(),
        };
        Made { id: &call.id, function: Function { name: &call.name, arguments } }
    });
    let tool_calls = tool_calls.collect();
    Message::Ours(Ours::Assistant { content: &answer.text, tool_calls })
}

fn results_of<'a>(results: &'a [ToolResult], vision: bool, messages: &mut Vec<Message<'a>>) {
    let mut pictures: Vec<&Part> = Vec::new();
    for result in results {
        let mut words: Vec<&str> = Vec::new();
        for part in &result.parts {
            match part {
                Part::Text(text) => words.push(text),
                Part::Picture(_) if vision => {
                    words.push("[The picture is in the next message.]");
                    pictures.push(part);
                }
                Part::Picture(_) => words.push("[A picture, which this model cannot read.]"),
            }
        }
        let content = words.join("\n");
        messages.push(Message::Ours(Ours::Tool { tool_call_id: &result.id, content }));
    }
    if !pictures.is_empty() {
        messages.push(user(pictures, vision));
    }
}

fn url(image: &Image) -> String {
    format!("data:{};base64,{}", image.media_type, image.data)
}
