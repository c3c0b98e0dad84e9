//! The file: TOML, with the line and column of every mistake.

use std::path::Path;

use toml::de::DeTable;

use super::{Error, Values};

/// Reads the text into the values; gives the keys that were set and their lines.
pub(super) fn read(
    path: &Path,
    text: &str,
    values: &mut Values,
) -> Result<Vec<(&'static str, usize)>, Error> {
    let wrong = |at: usize, message: String| {
        let (line, column) = place(text, at);
        Error::File { path: path.to_owned(), line, column, message }
    };
    let table = DeTable::parse(text).map_err(|error| {
        wrong(error.span().map_or(0, |span| span.start), error.message().to_owned())
    })?;
    let base = path.parent().unwrap_or(Path::new(""));
    let base = std::path::absolute(base).unwrap_or_else(|_| base.to_owned());
    let mut set = Vec::new();
    for (key, value) in table.get_ref().iter() {
        let known = super::KEYS.iter().any(|known| known.name == key.get_ref());
        let at = if known { value.span().start } else { key.span().start };
        let name = values
            .set_toml(key.get_ref(), value.get_ref(), &base)
            .map_err(|message| wrong(at, message))?;
        set.push((name, place(text, key.span().start).0));
    }
    Ok(set)
}

/// Line and column of a byte, from 1, in characters.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (line, before[start..].chars().count() + 1)
}
