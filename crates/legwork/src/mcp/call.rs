//! One call of a tool: its progress on the way, its end when the client gives up, its reply as MCP
//! frames it.

#![expect(deprecated, reason = "logging leaves the protocol; the clients of today still use it")]

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use legwork_protocol::{Progress, Reply, ToolCall, ToolError, ToolHost};
use legwork_tools::Files;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, LoggingLevel,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use serde_json::json;
use tokio::sync::mpsc;

use super::offer::Sessions;
use super::person::Reachable;
use super::server::{Server, Structured};
use crate::{fit, rpc, trace};

/// The door, as records name it.
pub const DOOR: &str = "mcp";

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
    let structured = match server.door.structured {
        Structured::Always => true,
        Structured::Never => false,
        Structured::Auto => shows_the_text(&context),
    };
    let mut arguments = request.arguments.unwrap_or_default();
    let named = match server.sessions() {
        Sessions::Named => rpc::named_session(&mut arguments, "session"),
        Sessions::Implied => Ok(None),
    };
    let session = match named {
        Ok(named) => server.session(&context, named.as_deref())?,
        Err(error) => return Ok(framed(Err(error), structured, server.door.host.files()).into()),
    };
    let person = reachable.as_ref().map(Reachable::person);
    let client = context.client_info().map(|client| plain(&client.name, &client.version));
    let call = ToolCall {
        client,
        door: DOOR,
        person,
        ..ToolCall::new(&session, &request.name, arguments)
    };
    let began = Instant::now();
    let ended = tokio::select! {
        biased;
        // Dropping the call is what cancels it. Nobody waits for this answer any more.
        () = context.ct.cancelled() => Err(ErrorData::invalid_request("cancelled", None)),
        ended = followed(&server.door.host, call, &context) => Ok(ended),
    }?;
    log(server, &context, &request.name, &ended, began.elapsed()).await;
    if let Ok(reply) = &ended {
        server.door.shots.keep(&session, reply);
    }
    if let Some(required) = reachable.and_then(|who| who.input_required(&server.door.posed)) {
        return Ok(required.into());
    }
    Ok(framed(ended, structured, server.door.host.files()).into())
}

/// A client's name and version as it gives them, in one line.
fn plain(name: &str, version: &str) -> String {
    let letters = |text: &str| text.chars().filter(|letter| !letter.is_control()).collect();
    let (name, version): (String, String) = (letters(name), letters(version));
    format!("{name} {version}").trim().to_owned()
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
    let mut follower = Follower { peer: &context.peer, token, growth: Growth::default() };
    let (tell, mut hear) = mpsc::unbounded_channel();
    call.progress = Some(Arc::new(move |progress| drop(tell.send(progress))));
    let mut running = pin!(trace::call(host, call));
    let ended = loop {
        tokio::select! {
            biased;
            Some(progress) = hear.recv() => follower.tell(progress).await,
            ended = &mut running => break ended,
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
    growth: Growth,
}

impl Follower<'_> {
    async fn tell(&mut self, progress: Progress) {
        let told =
            ProgressNotificationParam::new(self.token.clone(), self.growth.next(progress.done))
                .with_message(progress.message);
        let told = match progress.total {
            Some(total) => told.with_total(total as f64),
            None => told,
        };
        // A client that cannot be told will be found gone when it is answered.
        let _ = self.peer.notify_progress(told).await;
    }
}

/// Progress as the protocol wants it: more each time. What is told of the same step comes ever nearer to
/// the next one.
#[derive(Default)]
struct Growth {
    last: Option<u64>,
    repeated: u32,
}

impl Growth {
    fn next(&mut self, done: u64) -> f64 {
        match self.last {
            Some(last) if done <= last => {
                self.repeated += 1;
                last as f64 + f64::from(self.repeated) / (f64::from(self.repeated) + 1.0)
            }
            _ => {
                *self = Growth { last: Some(done), repeated: 0 };
                done as f64
            }
        }
    }
}

fn framed(ended: Result<Reply, ToolError>, structured: bool, files: &Files) -> CallToolResult {
    match ended {
        Ok(reply) => {
            let data =
                Some(reply.data_beside_images()).filter(|data| structured && data.is_object());
            let mut content = vec![ContentBlock::text(reply.text)];
            let images = reply.images.into_iter();
            content.extend(images.map(|image| ContentBlock::image(image.data, image.media_type)));
            let mut result = CallToolResult::success(content);
            result.structured_content = data.map(|data| fit::within(data, files));
            result
        }
        Err(error) => {
            let mut result = CallToolResult::error(vec![ContentBlock::text(error.told())]);
            result.structured_content = structured.then(|| fit::within(json!(error), files));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_grows_each_time_and_stays_below_the_next_step() {
        let mut growth = Growth::default();
        let told: Vec<f64> = [0, 0, 0, 1, 1, 0, 4].map(|done| growth.next(done)).into();
        assert!(told.windows(2).all(|pair| pair[0] < pair[1]), "{told:?}");
        assert_eq!((told[0], told[3], told[6]), (0.0, 1.0, 4.0));
        let hours = (0..100_000).map(|_| growth.next(4)).collect::<Vec<f64>>();
        assert!(hours.is_sorted_by(|a, b| a < b) && hours[99_999] < 5.0);
    }
}
