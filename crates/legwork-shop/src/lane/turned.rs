//! Names on a page whose letters are shown in another order than they stand there. A snapshot holds no marks
//! that turn letters around, so that they are asked for by themselves.

use legwork_protocol::Query;
use serde::Deserialize;

use super::{Lane, read};

/// What is called something: what is pressed, and what stands above other things. A name without these marks is
/// not the same as it was.
const NAMES: &str = "xpath=//*[self::a or self::button or self::h1 or self::h2 or self::h3 or self::h4]\
     [translate(., '\u{202d}\u{202e}', '') != string(.)]";

/// Names of one page that are told.
const MOST: usize = 20;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Found {
    items: Vec<Named>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Named {
    name: String,
    text: String,
}

impl Lane {
    /// Such names on the page that is shown; none where it cannot be asked now.
    pub(crate) async fn turned(&self) -> Vec<String> {
        let query = Query { target: NAMES.to_owned(), limit: Some(MOST) };
        // Not past dialogs: this is asked unasked, and what waits for an answer is somebody else's.
        let Ok(reply) = self.caller().call("browser_query", &query).await else {
            return Vec::new();
        };
        let found: Found = read(&reply);
        let said = |one: Named| if one.text.is_empty() { one.name } else { one.text };
        found.items.into_iter().map(said).filter(|said| !said.trim().is_empty()).collect()
    }
}
