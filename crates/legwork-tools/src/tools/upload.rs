//! `browser_upload`.

use legwork_protocol::{Reply, ToolError, Upload};

use super::Execute;
use crate::answer;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for Upload {
    async fn run(permitted: Permitted<Upload>, desk: &Desk) -> Result<Reply, ToolError> {
        let (upload, bound) = permitted.into_parts();
        if upload.paths.0.is_empty() {
            return Err(ToolError::invalid("paths is empty: give at least one file"));
        }
        let page = bound.page(desk).await?;
        let how = desk.acting(upload.timeout, upload.observe);
        let files = desk.files_for_page(&upload.paths.0).await?;
        let target = bound.target(&upload.target)?;
        let outcome = page.upload(&target, &files, &how).await.map_err(from_engine)?;
        answer::of(desk, &page, "gave files to", outcome, upload.observe).await
    }
}
