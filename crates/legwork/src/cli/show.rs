//! What goes to standard output: the reply's text, or all of it as JSON; pictures go to files.

use std::io::{ErrorKind, Write};
use std::path::Path;

use base64::Engine as _;
use legwork_protocol::{Code, Image, Reply};
use serde_json::{Value, json};

use super::call::Call;
use super::failure::{Exit, Failure};

/// Prints a reply, and puts its picture where it was asked for.
pub(super) fn reply(reply: &Reply, call: &Call, json: bool, pictures: bool) -> Result<(), Failure> {
    let mut reply = reply.clone();
    if let (Some(file), Some(image)) = (&call.picture, reply.images.first()) {
        keep(image, file)?;
        reply.text = format!("Screenshot taken (saved as {})", file.display());
        if let Value::Object(data) = &mut reply.data {
            data.insert("path".to_owned(), file.display().to_string().into());
        }
    }
    match json {
        true => line(&whole(&reply, pictures).to_string()),
        false if call.tool == "browser_eval" => line(bare(&reply.text)),
        false => line(&reply.text),
    }
}

/// The value of a script as such, for the next program; tools wrap it for models.
fn bare(text: &str) -> &str {
    let inside = text.strip_prefix("<javascript_result>");
    inside.and_then(|text| text.strip_suffix("</javascript_result>")).unwrap_or(text)
}

/// The reply as JSON; pictures are named, and inside only where that was asked for.
fn whole(reply: &Reply, pictures: bool) -> Value {
    let image = |image: &Image| match pictures {
        true => json!(image),
        false => json!({ "media_type": image.media_type }),
    };
    let mut whole = json!({ "text": reply.text, "data": reply.data });
    if !reply.images.is_empty() {
        whole["images"] = reply.images.iter().map(image).collect();
    }
    whole
}

fn keep(image: &Image, file: &Path) -> Result<(), Failure> {
    let failed = |reason: String| {
        let message = format!("{}: {reason}", file.display());
        Failure::new(Exit::Tool, Code::FileError.text(), message)
    };
    let bytes = base64::engine::general_purpose::STANDARD.decode(&image.data);
    let bytes = bytes.map_err(|error| failed(error.to_string()))?;
    std::fs::write(file, bytes).map_err(|error| failed(error.to_string()))
}

/// Prints a text, with a newline at its end.
pub(super) fn line(text: &str) -> Result<(), Failure> {
    bytes(format!("{}\n", text.trim_end_matches('\n')).as_bytes())
}

/// Prints bytes. A reader that has seen enough is no failure.
pub(super) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::new(
            Exit::Tool,
            Code::FileError.text(),
            format!("standard output: {error}"),
        )),
        _ => Ok(()),
    }
}
