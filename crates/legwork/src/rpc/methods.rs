//! The methods: what a name asks for, and what its result looks like.

use std::sync::Arc;

use legwork_protocol::rpc::{self, Id, Params};
use legwork_protocol::{Action, Hints, Progress, Reply, Set, Spec, ToolCall, ToolError, find};
use legwork_tools::engine::Blocked;
use legwork_tools::{Recording, SessionInfo};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::connection::Connection;
use crate::{fit, trace};

/// Answers a request.
pub(super) async fn answer(
    connection: &Arc<Connection>,
    id: Option<&Id>,
    method: &str,
    params: Params,
) -> Result<Value, ToolError> {
    let mut params = params.named()?;
    if method == "$/cancelRequest" {
        let Cancel { id } = read(method, params)?;
        connection.cancel(&id);
        return Ok(Value::Null);
    }
    let session = session(&mut params)?;
    match method {
        "browser.version" => version(read(method, params)?),
        "browser.sessions" => {
            let Nothing {} = read(method, params)?;
            Ok(sessions(connection).await)
        }
        "browser.blocked" => {
            let Nothing {} = read(method, params)?;
            Ok(
                json!({ "blocked": connection.host.blocked().iter().map(blocked).collect::<Vec<_>>() }),
            )
        }
        "browser.subscribe" => {
            let kinds = connection.subscribe(read(method, params)?, session)?;
            Ok(json!({ "events": kinds }))
        }
        "browser.unsubscribe" => {
            let Nothing {} = read(method, params)?;
            connection.unsubscribe();
            Ok(json!({ "events": [] }))
        }
        "tools.list" => tools(read(method, params)?),
        "assistant.send" => {
            let message = read(method, params)?;
            connection.assistant.send(connection, message).await?;
            Ok(json!({ "sent": true }))
        }
        "browser.stop" | "browser.history" | "browser.undo" | "browser.record" => {
            let session = session.unwrap_or_else(|| connection.serving.session.clone());
            beside(connection, &session, method, params).await
        }
        _ => {
            let session = session.unwrap_or_else(|| connection.serving.session.clone());
            let Some(spec) = find(tool_of(method)) else {
                let door = connection.serving.door;
                let call = ToolCall { door, ..ToolCall::new(&session, method, Map::new()) };
                return Err(connection.host.turned_away(&call, unknown(method)));
            };
            let progress = follower(connection, id, params.remove("progress"))?;
            let describe = flag(&mut params, "describe")?;
            let of_run = flag(&mut params, "of_run")?;
            let call = ToolCall::new(&session, spec.name, params);
            let door = connection.serving.door;
            let call = ToolCall { door, progress, describe, of_run, ..call };
            let reply = run(connection, call).await?;
            // An extract of the seed's is the whole of what was extracted.
            let whole = of_run || method == "browser.extract" || !connection.serving.budget;
            let reply = match whole {
                true => reply,
                false => fit::reply(reply, connection.host.files()),
            };
            Ok(result(method, reply))
        }
    }
}

/// Something a caller may want for one call, beside the tool's own arguments.
fn flag(params: &mut Map<String, Value>, name: &str) -> Result<bool, ToolError> {
    match params.remove(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(wanted)) => Ok(wanted),
        Some(_) => Err(ToolError::invalid(format!("{name} is true or false"))),
    }
}

/// What is asked about the calls of a session, beside them.
async fn beside(
    connection: &Connection,
    session: &str,
    method: &str,
    params: Map<String, Value>,
) -> Result<Value, ToolError> {
    let (host, door) = (&connection.host, connection.serving.door);
    let reply = match method {
        "browser.stop" => {
            let Stop { all } = read(method, params)?;
            let stopped = host.stop((!all).then_some(session));
            return Ok(json!({ "stopped": stopped }));
        }
        "browser.record" => {
            let Record { on, window } = read(method, params)?;
            let how = match (on, window) {
                (false, _) => Recording::Off,
                (true, false) => Recording::On,
                (true, true) => Recording::InWindow,
            };
            host.record(session, how, door).await?;
            return Ok(json!({ "recording": on }));
        }
        "browser.undo" => {
            let Undo { count } = read(method, params)?;
            host.undo(session, count.unwrap_or(1), door).await?
        }
        _ => {
            let Nothing {} = read(method, params)?;
            host.history(session, door).await?
        }
    };
    Ok(result(method, reply))
}

/// The tool behind a method: the seed's four have a dot, all others go by their own name.
fn tool_of(method: &str) -> &str {
    match method {
        "browser.open" => "browser_open",
        "browser.act" => "browser_act",
        "browser.extract" => "browser_extract",
        "browser.close" => "browser_close",
        other => other,
    }
}

pub(super) async fn run(connection: &Connection, call: ToolCall) -> Result<Reply, ToolError> {
    // Closing opens nothing, so it is never one session too many.
    if call.tool == "browser_close" {
        return trace::call(&connection.host, call).await;
    }
    let admitted = connection.sessions.admit(&connection.host, &call.session).await;
    let _use = admitted.map_err(|error| connection.host.turned_away(&call, error))?;
    trace::call(&connection.host, call).await
}

/// A reply as a result. An extract is what was extracted and nothing else; any other reply is its data
/// with the text, and the pictures if there are any.
fn result(method: &str, reply: Reply) -> Value {
    let mut result = match reply.data {
        Value::Object(data) => data,
        Value::Null => Map::new(),
        other => Map::from_iter([("data".to_owned(), other)]),
    };
    if method == "browser.extract" && result.contains_key("content") {
        return result.into();
    }
    result.insert("text".to_owned(), reply.text.into());
    if !reply.images.is_empty() {
        result.insert("images".to_owned(), json!(reply.images));
    }
    result.into()
}

/// The session a call names, as `session_id` or `session`.
fn session(params: &mut Map<String, Value>) -> Result<Option<String>, ToolError> {
    let named = named_session(params, "session")?;
    Ok(named_session(params, "session_id")?.or(named))
}

/// The session that one of a call's parameters names.
pub fn named_session(
    params: &mut Map<String, Value>,
    word: &str,
) -> Result<Option<String>, ToolError> {
    match params.remove(word) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) if !name.is_empty() && name.len() <= 100 => Ok(Some(name)),
        Some(_) => Err(ToolError::invalid(format!("{word} is a text of 1 to 100 bytes"))),
    }
}

type Follower = Arc<dyn Fn(Progress) + Send + Sync>;

/// Who hears of a call's progress: `progress` is `true` for the request's id as the token, or a token.
fn follower(
    connection: &Arc<Connection>,
    id: Option<&Id>,
    progress: Option<Value>,
) -> Result<Option<Follower>, ToolError> {
    let token = match progress {
        None | Some(Value::Null | Value::Bool(false)) => return Ok(None),
        Some(Value::Bool(true)) => json!(id),
        Some(token @ (Value::String(_) | Value::Number(_))) => token,
        Some(_) => return Err(ToolError::invalid("progress is true, a text or a number")),
    };
    let connection = connection.clone();
    Ok(Some(Arc::new(move |progress: Progress| {
        let Progress { done, total, message } = progress;
        let value = json!({ "done": done, "total": total, "message": message });
        connection.notify("$/progress", json!({ "token": token, "value": value }));
    })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cancel {
    id: Id,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stop {
    /// In every session.
    #[serde(default)]
    all: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// Whether what a person does is told.
    on: bool,
    /// A session that is not open yet gets a window.
    #[serde(default)]
    window: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Undo {
    /// How many deeds to take back.
    count: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Version {
    /// The newest protocol that the caller speaks.
    protocol_version: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    set: Option<String>,
}

fn version(params: Version) -> Result<Value, ToolError> {
    let callers = params.protocol_version.unwrap_or(rpc::PROTOCOL);
    let Some(spoken) = rpc::negotiate(callers) else {
        let (oldest, newest) = (rpc::OLDEST_PROTOCOL, rpc::PROTOCOL);
        let message = format!("protocol {callers} is not spoken here, only {oldest} to {newest}");
        return Err(ToolError::invalid(message).with_hint("update the caller"));
    };
    let version = env!("CARGO_PKG_VERSION");
    Ok(json!({ "name": "legwork", "version": version, "protocol_version": spoken }))
}

async fn sessions(connection: &Connection) -> Value {
    let open = connection.host.sessions().await.into_iter();
    let open = open.map(|session| {
        let SessionInfo { name, url, tabs, guard, headless } = session;
        json!({ "session_id": name, "url": url, "tabs": tabs, "guard": guard, "headless": headless })
    });
    json!({ "sessions": open.collect::<Vec<_>>() })
}

fn blocked(one: &Blocked) -> Value {
    let Blocked { host, url, kind, page, rule } = one;
    json!({ "host": host, "url": url, "kind": kind, "page": page, "rule": rule })
}

fn tools(params: List) -> Result<Value, ToolError> {
    let set = params.set.as_deref().unwrap_or("all");
    let Some(tools) = Set::tools(set) else {
        let names = Set::NAMES.join(", ");
        let error = ToolError::invalid(format!("there is no set of tools {set:?}"));
        return Err(error.with_hint(format!("there is {names}")));
    };
    let one = |tool: &Spec| {
        let Hints { read_only, destructive, idempotent, open_world } = tool.hints;
        json!({
            "name": tool.name,
            "description": tool.about,
            "input_schema": tool.schema,
            "hints": {
                "read_only": read_only, "destructive": destructive,
                "idempotent": idempotent, "open_world": open_world,
            },
        })
    };
    Ok(json!({ "tools": tools.into_iter().map(one).collect::<Vec<_>>() }))
}

fn read<T: DeserializeOwned>(method: &str, params: Map<String, Value>) -> Result<T, ToolError> {
    serde_json::from_value(Value::Object(params))
        .map_err(|error| ToolError::invalid(format!("{method}: {error}")))
}

fn unknown(method: &str) -> ToolError {
    let shown: String = method.chars().take(60).collect();
    // The catalogue knows what comes near.
    let near = Action::parse(method, Map::new()).err().and_then(|error| error.hint);
    ToolError {
        hint: near,
        ..ToolError::new(
            legwork_protocol::Code::UnknownTool,
            format!("there is no method {shown:?}"),
        )
    }
}
