//! `browser_open` (E3): a session with settings of its own, and a page in it.

use std::path::PathBuf;

use legwork_engine::{NAVIGATION, SessionOptions};
use legwork_protocol::{Open, Reply, ToolError};

use super::Execute;
use super::navigate::arrived;
use super::resize::viewport;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;
use crate::undo::Way;

impl Execute for Open {
    async fn run(permitted: Permitted<Open>, desk: &Desk) -> Result<Reply, ToolError> {
        let open = permitted.into_action();
        let wanted = options(&open, &desk.defaults)?;
        if differs(&wanted, &desk.options()) {
            desk.reopen(wanted).await?;
        }
        let page = desk.page().await?;
        let outcome = page.navigate(&open.url, NAVIGATION).await.map_err(from_engine)?;
        desk.history.note_move(&page, "went to", Way::Back, &outcome);
        let mut reply = arrived(desk, &page, outcome, open.observe).await?;
        reply.data["session_id"] = desk.name.clone().into();
        if open.user_data_dir.is_some() {
            reply.text += "\n(this profile keeps cookies and passwords)";
        }
        Ok(reply)
    }
}

fn options(open: &Open, defaults: &SessionOptions) -> Result<SessionOptions, ToolError> {
    Ok(SessionOptions {
        headed: open.headless.map_or(defaults.headed, |headless| !headless),
        user_data_dir: open
            .user_data_dir
            .as_ref()
            .map(PathBuf::from)
            .or_else(|| defaults.user_data_dir.clone()),
        isolate: defaults.isolate,
        viewport: match open.viewport {
            Some(size) => viewport(size.width, size.height, None)?,
            None => defaults.viewport,
        },
        highlight: defaults.highlight,
        keeping: defaults.keeping.clone(),
        permissions: defaults.permissions.clone(),
        guard: defaults.guard.clone(),
    })
}

fn differs(a: &SessionOptions, b: &SessionOptions) -> bool {
    a.headed != b.headed || a.user_data_dir != b.user_data_dir || a.viewport != b.viewport
}
