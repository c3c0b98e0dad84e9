//! `browser_eval` (P4).

use legwork_engine::Evaluate;
use legwork_protocol::{Eval, Reply, ToolError};
use serde_json::{Value, json};

use super::{Execute, patience};
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for Eval {
    async fn run(permitted: Permitted<Eval>, desk: &Desk) -> Result<Reply, ToolError> {
        let (eval, bound) = permitted.into_parts();
        let options = Evaluate {
            await_promise: eval.await_promise.unwrap_or(true),
            timeout: patience(eval.timeout),
        };
        let page = bound.page(desk).await?;
        desk.history.note_script(&page);
        let value = page.evaluate(&eval.expression, options).await.map_err(from_engine)?;
        let data = serde_json::from_str::<Value>(&value).ok();
        // Inside a string a stroke may be escaped, and the end that we write is the only one.
        let wrap = |value: &str| {
            let value = value.replace("</javascript_result", "<\\/javascript_result");
            format!("<javascript_result>{value}</javascript_result>")
        };
        let reply = desk.inline_or_file("The result", "json", value, wrap)?;
        Ok(match (reply.data.is_null(), data) {
            (true, Some(value)) => reply.with_data(json!({ "value": value })),
            _ => reply,
        })
    }
}
