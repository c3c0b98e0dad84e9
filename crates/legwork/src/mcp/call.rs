//! One call of a tool: its progress on the way, its end when the client gives up, its reply as MCP
//! frames it.

#![expect(deprecated, reason = "logging leaves the protocol; the clients of today still use it")]

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use legwork_protocol::{Progress, Reply, ToolCall, ToolError, ToolHost, find};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, LoggingLevel,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::person::Reachable;
use super::server::{Server, Structured};
use crate::trace;

/// How often a client hears that a call still runs, if the call itself says nothing.
const BEAT: Duration = Duration::from_secs(5);

/// Clients that show a model the data in place of the text when a reply has both. The text is the shorter
/// by far, so they get the text alone.
/// <https://github.com/anthropics/claude-code/issues/79944>, <https://github.com/microsoft/vscode/issues/290063>
const HIDE_THE_TEXT: [&str; 2] = ["claude-code", "Visual Studio Code"];

/// Runs a call and frames its reply. An error of a tool is a reply too: a model is to read it.
pub async fn answer(
    server: &Server,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let reachable = Reachable::of(&context, &request, &server.door.posed);
    let mut arguments = request.arguments.unwrap_or_default();
    let session = server.session(&context, || named_session(arguments.remove("session")))?;
    let person = reachable.as_ref().map(Reachable::person);
    let call =
        ToolCall { door: "mcp", person, ..ToolCall::new(&session, &request.name, arguments) };
    let began = Instant::now();
    let ended = tokio::select! {
        biased;
        // Dropping the call is what cancels it. Nobody waits for this answer any more.
        () = context.ct.cancelled() => Err(ErrorData::invalid_request("cancelled", None)),
        ended = followed(&server.door.host, call, &context) => Ok(ended),
    }?;
    log(server, &context, &request.name, &ended, began.elapsed()).await;
    if let Ok(reply) = &ended
        && find(&request.name).is_some_and(|tool| tool.name == "browser_take_screenshot")
    {
        server.door.shots.keep(&session, reply);
    }
    let structured = match server.door.structured {
        Structured::Always => true,
        Structured::Never => false,
        Structured::Auto => shows_the_text(&context),
    };
    if let Some(required) = reachable.and_then(|who| who.input_required(&server.door.posed)) {
        return Ok(required.into());
    }
    Ok(framed(ended, structured).into())
}

fn named_session(argument: Option<Value>) -> Option<String> {
    match argument {
        Some(Value::String(name)) if !name.is_empty() => Some(name),
        _ => None,
    }
}

fn shows_the_text(context: &RequestContext<RoleServer>) -> bool {
    let client = context.client_info().map(|client| client.name).unwrap_or_default();
    !HIDE_THE_TEXT.iter().any(|name| client.starts_with(name))
}

/// Runs a call, telling the client how far it is if it asked to be told.
async fn followed(
    host: &impl ToolHost,
    mut call: ToolCall,
    context: &RequestContext<RoleServer>,
) -> Result<Reply, ToolError> {
    let Some(token) = context.meta.get_progress_token() else {
        return trace::call(host, call).await;
    };
    let mut follower = Follower { peer: &context.peer, token, last: None };
    let (tell, mut hear) = mpsc::unbounded_channel();
    call.progress = Some(Arc::new(move |progress| drop(tell.send(progress))));
    let (tool, began) = (call.tool.clone(), Instant::now());
    let mut running = pin!(trace::call(host, call));
    let mut beat = tokio::time::interval(BEAT);
    beat.reset();
    let ended = loop {
        tokio::select! {
            biased;
            Some(progress) = hear.recv() => {
                beat.reset();
                follower.tell(progress).await;
            }
            ended = &mut running => break ended,
            _ = beat.tick() => {
                let seconds = began.elapsed().as_secs();
                let message = format!("{tool} has run for {seconds} s");
                follower.tell(Progress { done: seconds, total: None, message }).await;
            }
        }
    };
    while let Ok(progress) = hear.try_recv() {
        follower.tell(progress).await;
    }
    ended
}

/// A client that wants to know how far a call is.
struct Follower<'a> {
    peer: &'a Peer<RoleServer>,
    token: ProgressToken,
    last: Option<u64>,
}

impl Follower<'_> {
    /// Tells of progress. The protocol wants it to grow each time, so what does not is left out.
    async fn tell(&mut self, progress: Progress) {
        if self.last.is_some_and(|last| progress.done <= last) {
            return;
        }
        self.last = Some(progress.done);
        let told = ProgressNotificationParam::new(self.token.clone(), progress.done as f64)
            .with_message(progress.message);
        let told = match progress.total {
            Some(total) => told.with_total(total as f64),
            None => told,
        };
        // A client that cannot be told will be found gone when it is answered.
        let _ = self.peer.notify_progress(told).await;
    }
}

fn framed(ended: Result<Reply, ToolError>, structured: bool) -> CallToolResult {
    match ended {
        Ok(reply) => {
            let mut content = vec![ContentBlock::text(reply.text)];
            let images = reply.images.into_iter();
            content.extend(images.map(|image| ContentBlock::image(image.data, image.media_type)));
            let mut result = CallToolResult::success(content);
            result.structured_content =
                Some(reply.data).filter(|data| structured && data.is_object());
            result
        }
        Err(error) => {
            let mut result = CallToolResult::error(vec![ContentBlock::text(error.told())]);
            result.structured_content = structured.then(|| json!(error));
            result
        }
    }
}

/// Tells a client that asked for it how a call went.
async fn log(
    server: &Server,
    context: &RequestContext<RoleServer>,
    tool: &str,
    ended: &Result<Reply, ToolError>,
    took: Duration,
) {
    let Some(least) = server.level(context) else { return };
    let took = took.as_millis();
    let (level, data) = match ended {
        Ok(_) => (LoggingLevel::Debug, format!("{tool} answered after {took} ms")),
        Err(error) => {
            (LoggingLevel::Warning, format!("{tool} failed after {took} ms: {}", error.code))
        }
    };
    if (level as u8) < (least as u8) {
        return;
    }
    let told = LoggingMessageNotificationParam::new(level, data.into()).with_logger("legwork");
    let _ = context.peer.notify_logging_message(told).await;
}
