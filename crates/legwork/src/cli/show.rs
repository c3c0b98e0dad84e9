//! What goes to standard output: the reply's text, or all of it as JSON; pictures go to files.

use std::io::{ErrorKind, IsTerminal as _, Write};
use std::path::Path;

use base64::Engine as _;
use legwork_protocol::{Code, Image, Reply};
use legwork_tools::Files;
use serde_json::{Value, json};

use super::call::{Call, Prints};
use super::failure::{Exit, Failure};
use crate::fit;

/// In which form a reply is printed.
pub(super) enum How {
    Text,
    /// All of it, with its pictures or without; data beyond the budget goes to a file.
    Json {
        pictures: bool,
        files: Files,
    },
}

/// Prints a reply, and puts its picture where it was asked for.
pub(super) fn reply(mut reply: Reply, call: &Call, how: How) -> Result<(), Failure> {
    if let (Some(file), Some(image)) = (&call.picture, reply.images.first()) {
        keep(image, file)?;
        reply.text = format!("Screenshot taken (saved as {})", file.display());
        if let Value::Object(data) = &mut reply.data {
            data.insert("path".to_owned(), file.display().to_string().into());
        }
    }
    match (how, call.prints) {
        (How::Json { pictures, files }, _) => {
            line(&whole(fit::reply(reply, &files), pictures).to_string())
        }
        (How::Text, Prints::Value) => line(bare(&reply.text)),
        (How::Text, Prints::Text) => line(&reply.text),
    }
}

fn bare(text: &str) -> &str {
    let inside = text.strip_prefix("<javascript_result>");
    inside.and_then(|text| text.strip_suffix("</javascript_result>")).unwrap_or(text)
}

/// The reply as JSON; pictures are named, and inside only where that was asked for.
fn whole(reply: Reply, pictures: bool) -> Value {
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

/// Prints a text, with a newline at its end. A terminal does what it is told, so it is told nothing by pages
/// and files; another program gets what they say.
pub(super) fn line(text: &str) -> Result<(), Failure> {
    let text = text.trim_end_matches('\n');
    match std::io::stdout().is_terminal() {
        true => bytes(format!("{}\n", harmless(text)).as_bytes()),
        false => bytes(format!("{text}\n").as_bytes()),
    }
}

/// A text in which controls are written out, as JSON writes them.
fn harmless(text: &str) -> String {
    let shown = |letter: char| match letter {
        '\n' | '\t' => letter.to_string(),
        control if control.is_control() => format!("\\u{:04x}", u32::from(control)),
        letter => letter.to_string(),
    };
    text.chars().map(shown).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_says_moves_no_cursor() {
        let text = "a\tb\nc\u{1b}[2J\u{9b}31m\u{7f}é";
        assert_eq!(harmless(text), "a\tb\nc\\u001b[2J\\u009b31m\\u007fé");
    }
}
