//! What is told of the program's own work: a log on standard error, and a span for each call of a tool,
//! which the feature `otel` sends to a collector. Never holds a call's arguments: they may be secrets.

#[cfg(feature = "otel")]
mod otel;

use legwork_protocol::{Reply, ToolCall, ToolError, ToolHost, find};
use tracing::Instrument;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// What has to be done with the traces when the program ends: dropped, it sends the last of them.
#[derive(Default)]
pub struct Traces {
    #[cfg(feature = "otel")]
    _sent: Option<otel::Sent>,
}

/// Logs to standard error, which for the daemon is its log file. Doors that run tools also send traces,
/// where the environment names a collector.
pub fn start(level: tracing::Level, runs_tools: bool) -> Traces {
    let log = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_filter(LevelFilter::from_level(level));
    let log = tracing_subscriber::registry().with(log);
    #[cfg(feature = "otel")]
    if runs_tools {
        let (layer, sent) = otel::start().unzip();
        log.with(layer).init();
        return Traces { _sent: sent };
    }
    let _ = runs_tools;
    log.init();
    Traces::default()
}

/// Runs a call under a span of its own.
pub async fn call(host: &impl ToolHost, call: ToolCall) -> Result<Reply, ToolError> {
    let tool = find(&call.tool).map_or("unknown", |spec| spec.name);
    let span = tracing::info_span!(
        "call",
        otel.name = tool,
        session = call.session,
        error.type = tracing::field::Empty,
        otel.status_code = tracing::field::Empty,
    );
    let answer = host.call(call).instrument(span.clone()).await;
    if let Err(error) = &answer {
        span.record("error.type", error.code.text());
        span.record("otel.status_code", "ERROR");
    }
    answer
}
