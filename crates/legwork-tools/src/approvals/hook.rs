//! A command that answers for a person: it reads the question as JSON, and its exit code is the answer.

use std::process::Stdio;

use legwork_protocol::{Answer, Question};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// Exit codes: 0 approves, 1 denies, anything else is no answer. Ended when nobody waits for it any more.
pub(super) async fn ask(command: &[String], question: &Question) -> Option<Answer> {
    let (program, arguments) = command.split_first()?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .spawn()
        .inspect_err(|error| tracing::error!("the approval hook {program}: {error}"))
        .ok()?;
    let told = json!({
        "id": question.id, "action": question.action, "site": question.site,
        "because": question.because, "expires_seconds": question.expires.as_secs(),
    });
    if let Some(mut input) = child.stdin.take() {
        // A hook that does not read its question may still answer.
        let _ = input.write_all(format!("{told}\n").as_bytes()).await;
    }
    match child.wait().await.ok()?.code() {
        Some(0) => Some(Answer::Approve),
        Some(1) => Some(Answer::Deny),
        other => {
            tracing::error!("the approval hook {program} ended with {other:?}");
            None
        }
    }
}
