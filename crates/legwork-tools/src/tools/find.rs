//! `browser_find`: the row, card or dialog around what the words name.

use legwork_protocol::{Find, Reply, ToolError};

use super::{Execute, target};
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for Find {
    async fn run(permitted: Permitted<Find>, desk: &Desk) -> Result<Reply, ToolError> {
        let find = permitted.into_action();
        let page = desk.page().await?;
        let within = find.within.as_deref().map(target).transpose()?;
        let found = page.find(&target(&find.target)?, within.as_ref()).await;
        let found = found.map_err(from_engine)?;
        let text = desk.within(&found.text, None);
        if found.left == 0 {
            return Ok(Reply::text(text));
        }
        let more = desk.put_aside(&found.rest);
        let left = match found.left {
            1 => "1 more place says it".to_owned(),
            left if left > found.kept => {
                format!("{left} more places say it, the first {} of them", found.kept)
            }
            left => format!("{left} more places say it"),
        };
        Ok(Reply::text(format!("{text}\n(… {left}{more}; more words find fewer)")))
    }
}
