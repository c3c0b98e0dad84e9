//! What is asked, as `generateContent` wants it.

use legwork_protocol::Image;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::computer::{self, Dialect};
use super::{Family, IDS, RAW, schema};
use crate::model::{Answer, Part, Request, Tool, ToolResult, Turn, pointing};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Content<'a>>,
    contents: Vec<Content<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Offered<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<ToolConfig>,
    generation_config: Generation,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    /// As the vendor wrote it.
    Raw(&'a Value),
    Ours {
        #[serde(skip_serializing_if = "Option::is_none")]
        role: Option<&'static str>,
        parts: Vec<Piece<'a>>,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Piece<'a> {
    Text(String),
    InlineData(Blob<'a>),
    FunctionResponse(Response<'a>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Blob<'a> {
    mime_type: &'a str,
    data: &'a str,
}

#[derive(Serialize)]
struct Response<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: &'a str,
    response: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Piece<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Offered<'a> {
    FunctionDeclarations(Vec<Function<'a>>),
    ComputerUse(ComputerUse),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Map::is_empty")]
    parameters_json_schema: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ComputerUse {
    environment: &'static str,
    excluded_predefined_functions: &'static [&'static str],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolConfig {
    function_calling_config: Calling,
}

#[derive(Serialize)]
struct Calling {
    mode: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Generation {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<Map<String, Value>>,
}

/// Pictures that are kept where the model points at them; what older ones showed is gone anyway.
const KEPT: usize = 3;

/// What stands for an older one.
const DROPPED: &str = "(an older picture, left out)";

/// Writes a request.
pub(super) fn write(request: &Request, family: Family) -> Body<'_> {
    let dialect = dialect(request, family);
    let functions: Vec<_> = request.tools.iter().map(function).collect();
    // Whoever points is not made to call a function: pointing is none of those declared.
    let force = request.must_call && dialect.is_none() && !functions.is_empty();
    let mut tools = Vec::new();
    if !functions.is_empty() {
        tools.push(Offered::FunctionDeclarations(functions));
    }
    tools.extend(dialect.map(|dialect| {
        let excluded_predefined_functions = dialect.excluded();
        let environment = "ENVIRONMENT_BROWSER";
        Offered::ComputerUse(ComputerUse { environment, excluded_predefined_functions })
    }));
    let drop = match dialect {
        Some(_) => pictures(&request.turns).saturating_sub(KEPT),
        None => 0,
    };
    let schema = request.schema.as_ref().map(|(_, schema)| schema::portable(schema));
    Body {
        system_instruction: (!request.system.is_empty()).then(|| Content::Ours {
            role: None,
            parts: vec![Piece::Text(request.system.clone())],
        }),
        contents: Writer { family, drop, contents: Vec::new() }.write(&request.turns),
        tools,
        tool_config: force
            .then_some(ToolConfig { function_calling_config: Calling { mode: "ANY" } }),
        generation_config: Generation {
            max_output_tokens: (request.max_output > 0).then(|| most(request.max_output, family)),
            response_mime_type: schema.as_ref().map(|_| "application/json"),
            response_json_schema: schema,
        },
    }
}

/// How the model may point, if it may: where it was shown a picture, or has pointed before.
pub(super) fn dialect(request: &Request, family: Family) -> Option<Dialect> {
    let pointed = |turn: &Turn| match turn {
        Turn::Model(answer) => {
            let own = raw(answer).into_iter().flat_map(calls_of);
            own.filter_map(|call| call["name"].as_str()).any(computer::is_known)
        }
        _ => false,
    };
    let may = request.viewport.is_some()
        && (pointing::has_sight(request) || request.turns.iter().any(pointed));
    family.dialect.filter(|_| may)
}

/// Thoughts count as written, though nobody reads them: they get room beside the words.
fn most(words: u32, family: Family) -> u32 {
    words.saturating_add(if family.thinks { 8192 } else { 0 })
}

fn function(tool: &Tool) -> Function<'_> {
    let schema = schema::portable(&tool.schema);
    let empty = schema.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty);
    let open = schema.get("additionalProperties").is_some_and(|more| *more != false);
    Function {
        name: &tool.name,
        description: &tool.about,
        parameters_json_schema: if empty && !open { Map::new() } else { schema },
    }
}

fn pictures(turns: &[Turn]) -> usize {
    let of = |parts: &[Part]| parts.iter().filter(|part| matches!(part, Part::Picture(_))).count();
    let counts = turns.iter().map(|turn| match turn {
        Turn::User(parts) => of(parts),
        Turn::Tools(results) => results.iter().map(|result| of(&result.parts)).sum(),
        Turn::Model(_) => 0,
    });
    counts.sum()
}

struct Writer<'a> {
    family: Family,
    /// Pictures still to be left out, the oldest first.
    drop: usize,
    contents: Vec<Content<'a>>,
}

impl<'a> Writer<'a> {
    fn write(mut self, turns: &'a [Turn]) -> Vec<Content<'a>> {
        let mut at = 0;
        while let Some(turn) = turns.get(at) {
            at += 1;
            match turn {
                Turn::User(parts) => {
                    let parts = self.pieces(parts);
                    self.say(parts);
                }
                Turn::Model(answer) => {
                    let results = match turns.get(at) {
                        Some(Turn::Tools(results)) => {
                            at += 1;
                            results.as_slice()
                        }
                        _ => &[],
                    };
                    self.exchange(answer, results);
                }
                // Results of calls that were dropped from the conversation are words like any other.
                Turn::Tools(results) => {
                    for result in results {
                        let parts = self.pieces(&result.parts);
                        self.say(parts);
                    }
                }
            }
        }
        self.contents
    }

    /// What the model said and called, and what came of it.
    fn exchange(&mut self, answer: &'a Answer, results: &'a [ToolResult]) {
        let agreed = |id: &str| results.iter().any(|result| result.id == id && result.acknowledged);
        let refused = answer.calls.iter().any(|call| call.safety.is_some() && !agreed(&call.id));
        let own = raw(answer).filter(|_| !refused);
        let Some(own) = own else { return self.in_words(answer, results, refused) };
        self.contents.push(Content::Raw(own));
        let mut parts = Vec::new();
        let mut beside = Vec::new();
        for (theirs, call) in calls_of(own).zip(&answer.calls) {
            let result = results.iter().find(|result| result.id == call.id);
            let given = result.map(|result| self.pieces(&result.parts)).unwrap_or_default();
            let mut response = response(result);
            let mut inside = Vec::new();
            for piece in given {
                match piece {
                    Piece::InlineData(_) if self.family.pictures_inside => inside.push(piece),
                    Piece::InlineData(_) => beside.push(piece),
                    Piece::Text(text) => add_words(&mut response, result, &text),
                    Piece::FunctionResponse(_) => {}
                }
            }
            let id = theirs["id"].as_str();
            let name = theirs["name"].as_str().unwrap_or_default();
            if self.family.dialect.is_some() && computer::is_known(name) {
                // The vendor takes no picture without the address of what it shows.
                response.entry("url").or_insert_with(|| "about:blank".into());
            }
            parts.push(Piece::FunctionResponse(Response { id, name, response, parts: inside }));
        }
        parts.extend(beside);
        self.say(parts);
    }

    /// A turn that cannot go back as it was: of another vendor's model, or with a safety check that was not agreed
    /// to.
    fn in_words(&mut self, answer: &Answer, results: &'a [ToolResult], refused: bool) {
        let calls = answer.calls.iter().map(|call| {
            let arguments = call.arguments.clone().map(Value::Object).unwrap_or_default();
            format!("(called {} {arguments})", call.name)
        });
        let said = Some(answer.text.clone()).filter(|text| !text.is_empty());
        let said: Vec<Piece<'_>> = said.into_iter().chain(calls).map(Piece::Text).collect();
        if !said.is_empty() {
            self.contents.push(Content::Ours { role: Some("model"), parts: said });
        }
        let mut told = Vec::new();
        if refused {
            let text = "There was a safety check of what you wanted to do that nobody agreed to. What came of it:";
            told.push(Piece::Text(text.into()));
        }
        for result in results {
            told.extend(self.pieces(&result.parts));
        }
        self.say(told);
    }

    fn say(&mut self, parts: Vec<Piece<'a>>) {
        match self.contents.last_mut() {
            _ if parts.is_empty() => {}
            Some(Content::Ours { role: Some("user"), parts: said }) => said.extend(parts),
            _ => self.contents.push(Content::Ours { role: Some("user"), parts }),
        }
    }

    fn pieces(&mut self, parts: &'a [Part]) -> Vec<Piece<'a>> {
        let mut pieces = Vec::new();
        for part in parts {
            pieces.push(match part {
                Part::Text(text) if text.is_empty() => continue,
                Part::Text(text) => Piece::Text(text.clone()),
                Part::Picture(_) if self.drop > 0 => {
                    self.drop -= 1;
                    Piece::Text(DROPPED.into())
                }
                Part::Picture(Image { media_type, data, .. }) => {
                    Piece::InlineData(Blob { mime_type: media_type, data })
                }
            });
        }
        pieces
    }
}

/// The fixed part of what is said of a call.
fn response(result: Option<&ToolResult>) -> Map<String, Value> {
    let mut response = Map::new();
    let Some(result) = result else {
        response.insert("error".into(), "(left out)".into());
        return response;
    };
    // What stands behind the path is the page's own text, and may be a token of the person's.
    if let Some(url) = &result.url {
        let shown = url.split(['?', '#']).next().unwrap_or_default();
        response.insert("url".into(), json!(shown));
    }
    if result.acknowledged {
        response.insert("safety_acknowledgement".into(), "true".into());
    }
    response
}

fn add_words(response: &mut Map<String, Value>, result: Option<&ToolResult>, text: &str) {
    let failed = result.is_some_and(|result| result.failed);
    let before =
        response.entry(if failed { "error" } else { "output" }).or_insert_with(|| "".into());
    let joined = match before.as_str() {
        Some("") | None => text.to_string(),
        Some(before) => format!("{before}\n{text}"),
    };
    *before = joined.into();
}

/// The calls in a turn of the vendor's.
pub(super) fn calls_of(content: &Value) -> impl Iterator<Item = &Value> {
    let parts = content["parts"].as_array().into_iter().flatten();
    parts.filter_map(|part| part.get("functionCall"))
}

/// The turn as the vendor wrote it, if it did and as many calls are in it as were read.
fn raw(answer: &Answer) -> Option<&Value> {
    let raw = answer.raw.as_ref()?;
    let content = raw.get(RAW)?;
    let ids = raw.get(IDS)?.as_array()?;
    let same = ids.len() == answer.calls.len() && calls_of(content).count() == ids.len();
    let said = content["parts"].as_array().is_some_and(|parts| !parts.is_empty());
    (same && said).then_some(content)
}
