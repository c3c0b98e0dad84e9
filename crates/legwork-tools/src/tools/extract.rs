//! `browser_extract`: the page as a document (E3).

use legwork_engine::Screenshot;
use legwork_engine::extract::Mode;
use legwork_protocol::{Extract, ExtractFormat, Reply, ToolError};
use serde_json::json;

use super::{Execute, screenshot};
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::imitation::defused;
use crate::policy::Permitted;

impl Execute for Extract {
    async fn run(permitted: Permitted<Extract>, desk: &Desk) -> Result<Reply, ToolError> {
        let extract = permitted.into_action();
        let page = desk.page().await?;
        let (format, content) = match extract.format {
            ExtractFormat::ScreenshotBase64 => {
                let options = Screenshot { limit: Some(desk.limits.pixels), ..Default::default() };
                let reply = screenshot::reply(desk, &screenshot::take(desk, &options).await?)?;
                let content = reply.images[0].data.clone();
                let data = json!({ "format": "screenshot_base64", "content": content });
                return Ok(reply.with_data(data));
            }
            ExtractFormat::Markdown => {
                let mode = if extract.whole { Mode::Whole } else { Mode::Article };
                ("markdown", page.markdown(mode).await.map_err(from_engine)?.markdown)
            }
            ExtractFormat::Html => ("html", page.html().await.map_err(from_engine)?),
            ExtractFormat::Text => ("text", page.text().await.map_err(from_engine)?),
        };
        // Who reads the text reads our words beside it; HTML is code, and stays what it is.
        let told = if format == "html" { content.clone() } else { defused(&content) };
        let data = json!({ "format": format, "content": content });
        Ok(Reply::text(desk.within(&told, extract.max_tokens)).with_data(data))
    }
}
