//! `browser_take_screenshot` (P5): a file and a picture.

use base64::Engine as _;
use legwork_engine::{Hides, Picture, Screenshot, Shot, Subject};
use legwork_protocol::{Image, ImageFormat, Reply, TakeScreenshot, ToolError};
use serde_json::json;

use super::{Execute, patience, target};
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for TakeScreenshot {
    async fn run(permitted: Permitted<TakeScreenshot>, desk: &Desk) -> Result<Reply, ToolError> {
        let wanted = permitted.into_action();
        let of = match (&wanted.target, wanted.full_page) {
            (Some(_), true) => {
                return Err(ToolError::invalid("give either a target or full_page"));
            }
            (Some(element), false) => Subject::Element(target(element)?),
            (None, true) => Subject::Page,
            (None, false) => Subject::Window,
        };
        let options = Screenshot {
            of,
            format: match wanted.format {
                ImageFormat::Png => Shot::Png,
                ImageFormat::Jpeg => Shot::Jpeg(85),
                ImageFormat::Webp => Shot::Webp(85),
            },
            limit: Some(desk.limits.pixels),
            boxes: wanted.boxes,
            timeout: patience(wanted.timeout),
        };
        reply(desk, &take(desk, &options).await?)
    }
}

/// A picture of the page, without what fields hold of secrets that were read.
pub(super) async fn take(desk: &Desk, options: &Screenshot) -> Result<Picture, ToolError> {
    let (page, vault) = (desk.page().await?, desk.vault());
    let redactor = vault.redactor();
    let hides = |value: &str| redactor.finds(value);
    let hides = redactor.knows_something().then_some(&hides as Hides<'_>);
    page.screenshot_hiding(options, hides).await.map_err(from_engine)
}

/// A picture kept in a file and shown.
pub(super) fn reply(desk: &Desk, picture: &Picture) -> Result<Reply, ToolError> {
    let media_type = picture.format.media_type();
    let extension = media_type.strip_prefix("image/").unwrap_or("png");
    let path = desk.files.keep("screenshots", extension, &picture.bytes)?;
    let path = path.display().to_string();
    let cut = if picture.cut { "; it is cut off at 16000 pixels" } else { "" };
    let data = base64::engine::general_purpose::STANDARD.encode(&picture.bytes);
    let image = Image { path: Some(path.clone()), ..Image::new(media_type, data) };
    let data = json!({ "path": path, "width": picture.width, "height": picture.height });
    Ok(Reply {
        text: format!("Screenshot taken (saved as {path}){cut}"),
        images: vec![image],
        data,
    })
}
