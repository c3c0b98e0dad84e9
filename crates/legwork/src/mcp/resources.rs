//! What can be read without calling a tool: the page as it is now, and the screenshots that were taken.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use legwork_protocol::{Reply, ToolCall};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents};
use url::form_urlencoded::{self, byte_serialize};

use super::call::DOOR;
use super::server::Door;
use crate::trace;

const SCHEME: &str = "legwork://";
const SESSIONS: &str = "legwork://sessions/";
const SNAPSHOT: &str = "legwork://page/snapshot";
const SCREENSHOTS: &str = "legwork://screenshots/";

/// How many screenshots of a session stay listed. Their files stay anyway.
const LISTED: usize = 50;

/// The screenshots that were taken, by session.
#[derive(Default)]
pub struct Shots {
    taken: Mutex<HashMap<String, VecDeque<Shot>>>,
}

#[derive(Debug, Clone)]
struct Shot {
    uri: String,
    path: PathBuf,
    media_type: String,
}

impl Shots {
    fn taken(&self) -> MutexGuard<'_, HashMap<String, VecDeque<Shot>>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the screenshots of a reply, whichever tool took them.
    pub fn keep(&self, session: &str, reply: &Reply) {
        for image in &reply.images {
            let Some(path) = image.path.as_ref().map(PathBuf::from) else { continue };
            let Some(name) = path.file_name() else { continue };
            let uri = format!("{SCREENSHOTS}{}", name.to_string_lossy());
            let mut taken = self.taken();
            let shots = taken.entry(session.to_owned()).or_default();
            shots.push_back(Shot { uri, path, media_type: image.media_type.clone() });
            if shots.len() > LISTED {
                shots.pop_front();
            }
        }
    }

    /// Forgets what was taken in a session.
    pub fn forget(&self, session: &str) {
        self.taken().remove(session);
    }

    fn of(&self, session: &str) -> Vec<Shot> {
        self.taken().get(session).map(|shots| shots.iter().cloned().collect()).unwrap_or_default()
    }
}

/// The page of a session, and its screenshots with the newest first. Those of a session that goes by a name
/// have that name in their addresses.
pub fn list(shots: &Shots, session: &str, named: Option<&str>) -> Vec<Resource> {
    let scoped = |uri: &str| match named {
        Some(name) => uri.replacen(SCHEME, &format!("{SESSIONS}{}/", encoded(name)), 1),
        None => uri.to_owned(),
    };
    let page = Resource::new(scoped(SNAPSHOT), "snapshot")
        .with_title("The page as it is now")
        .with_description(
            "What browser_snapshot answers: one line per thing one can act on, with refs",
        )
        .with_mime_type("text/plain");
    let listed = |shot: Shot| {
        let name = shot.uri.strip_prefix(SCREENSHOTS).unwrap_or(&shot.uri).to_owned();
        Resource::new(scoped(&shot.uri), name).with_mime_type(shot.media_type)
    };
    let shots = shots.of(session).into_iter().rev().map(listed);
    std::iter::once(page).chain(shots).collect()
}

fn encoded(name: &str) -> String {
    byte_serialize(name.as_bytes()).collect()
}

/// The session that an address names, if it does, and what is wanted of it.
pub fn scope(uri: &str) -> (Option<String>, String) {
    let named = uri.strip_prefix(SESSIONS).and_then(|rest| rest.split_once('/'));
    let decoded = named.and_then(|(name, rest)| {
        let (name, _) = form_urlencoded::parse(name.as_bytes()).next()?;
        Some((name.into_owned(), format!("{SCHEME}{rest}")))
    });
    match decoded {
        Some((name, rest)) => (Some(name), rest),
        None => (None, uri.to_owned()),
    }
}

/// Reads one of those that are listed, and nothing else; the answer repeats the address that was asked for.
pub async fn read(
    door: &Door,
    session: &str,
    resource: &str,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let contents = if resource == SNAPSHOT {
        let call = ToolCall::new(session, "browser_snapshot", Default::default());
        let seen = trace::call(&door.host, ToolCall { door: DOOR, ..call }).await;
        let reply = seen.map_err(|error| ErrorData::internal_error(error.told(), None))?;
        ResourceContents::text(reply.text, uri)
    } else {
        let Some(shot) = door.shots.of(session).into_iter().find(|shot| shot.uri == resource)
        else {
            let message = format!("there is no resource {uri:?}");
            return Err(ErrorData::resource_not_found(
                message,
                Some(serde_json::json!({ "uri": uri })),
            ));
        };
        let bytes = tokio::fs::read(&shot.path).await.map_err(|error| {
            ErrorData::resource_not_found(format!("{}: {error}", shot.path.display()), None)
        })?;
        ResourceContents::blob(STANDARD.encode(bytes), uri).with_mime_type(shot.media_type)
    };
    Ok(ReadResourceResult::new(vec![contents]))
}
