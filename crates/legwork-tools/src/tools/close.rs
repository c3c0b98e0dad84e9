//! `browser_close`: the session is gone; the next call starts a new one.

use legwork_protocol::{Close, Reply, ToolError};

use super::Execute;
use crate::desk::Desk;
use crate::policy::Permitted;

impl Execute for Close {
    async fn run(_: Permitted<Close>, desk: &Desk) -> Result<Reply, ToolError> {
        let open = desk.open_session().is_some();
        desk.restart(desk.defaults.clone()).await;
        Ok(Reply::text(if open { "done" } else { "done: no session was open" }))
    }
}
