//! `read_image` (P8).

use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use legwork_engine::picture::{self, Output, PictureError};
use legwork_protocol::{Code, Image, ReadImage, Reply, ToolError};
use serde_json::json;

use super::{Execute, in_time};
use crate::desk::Desk;
use crate::files::Jail;
use crate::policy::Permitted;

/// More than any picture that is looked at.
const LARGEST: u64 = 100 * 1024 * 1024;

impl Execute for ReadImage {
    async fn run(permitted: Permitted<ReadImage>, desk: &Desk) -> Result<Reply, ToolError> {
        let ReadImage { path, timeout } = permitted.into_action();
        let (side, jail) = (desk.limits.pixels, desk.jail());
        let reading = async {
            let read = tokio::task::spawn_blocking(move || read(&path, side, &jail));
            read.await.map_err(|error| ToolError::new(Code::Internal, error.to_string()))?
        };
        in_time(timeout, "the picture", reading).await
    }
}

fn read(path: &str, side: u32, jail: &Jail) -> Result<Reply, ToolError> {
    let failed = |message: String| ToolError::new(Code::FileError, message);
    if let Err(error) = std::fs::metadata(path)
        && error.kind() == std::io::ErrorKind::NotFound
    {
        return Err(failed(format!("Image file not found: {path}")));
    }
    let opened = jail.open(Path::new(path))?;
    if opened.size > LARGEST {
        return Err(failed(format!("{path} has {} bytes, more than 100 MB", opened.size)));
    }
    let mut bytes = Vec::new();
    let mut limited = opened.file.take(LARGEST);
    limited.read_to_end(&mut bytes).map_err(|error| failed(format!("{path}: {error}")))?;
    let picture = picture::fit(&bytes, Output::Same, side)
        .map_err(|error| with_cure(failed(format!("{path}: {error}")), &error, path))?;
    let media_type = picture.format.media_type().to_owned();
    let data = json!({ "path": path, "width": picture.width, "height": picture.height });
    let text = format!("Image from {path} (type: {media_type})");
    let bytes = base64::engine::general_purpose::STANDARD.encode(&picture.bytes);
    Ok(Reply { text, images: vec![Image::new(media_type, bytes)], data })
}

/// What turns a picture that cannot be read into one that can.
fn with_cure(told: ToolError, error: &PictureError, path: &str) -> ToolError {
    let jpeg = std::path::Path::new(path).with_extension("jpg");
    let jpeg = jpeg.display();
    match error {
        PictureError::Heic(_) => told.with_hint(format!(
            "convert it: `heif-convert {path} {jpeg}` (package libheif-examples), on a Mac `sips -s format \
             jpeg {path} --out {jpeg}`"
        )),
        PictureError::Avif => told.with_hint(format!(
            "convert it: `magick {path} {jpeg}` (package imagemagick), or open it in the browser and take a \
             screenshot"
        )),
        _ => told,
    }
}
