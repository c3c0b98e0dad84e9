//! What can be read without calling a tool: the page as it is now, and the screenshots that were taken.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use legwork_protocol::{Reply, ToolCall, ToolHost};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents};
use serde_json::Value;

use super::server::Door;

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

    /// Remembers the screenshot of a reply.
    pub fn keep(&self, session: &str, reply: &Reply) {
        let path = reply.data.get("path").and_then(Value::as_str).map(PathBuf::from);
        let (Some(path), [image]) = (path, &reply.images[..]) else { return };
        let Some(name) = path.file_name() else { return };
        let uri = format!("{SCREENSHOTS}{}", name.to_string_lossy());
        let mut taken = self.taken();
        let shots = taken.entry(session.to_owned()).or_default();
        shots.push_back(Shot { uri, path, media_type: image.media_type.clone() });
        if shots.len() > LISTED {
            shots.pop_front();
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

/// The page, and the screenshots with the newest first.
pub fn list(shots: &Shots, session: &str) -> Vec<Resource> {
    let page = Resource::new(SNAPSHOT, "snapshot")
        .with_title("The page as it is now")
        .with_description(
            "What browser_snapshot answers: one line per thing one can act on, with refs",
        )
        .with_mime_type("text/plain");
    let listed = |shot: Shot| {
        let name = shot.uri.strip_prefix(SCREENSHOTS).unwrap_or(&shot.uri).to_owned();
        Resource::new(shot.uri, name).with_mime_type(shot.media_type)
    };
    let shots = shots.of(session).into_iter().rev().map(listed);
    std::iter::once(page).chain(shots).collect()
}

/// Reads one of those that are listed, and nothing else.
pub async fn read(door: &Door, session: &str, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let contents = if uri == SNAPSHOT {
        let call = ToolCall::new(session, "browser_snapshot", Default::default());
        let seen = door.host.call(call).await;
        let reply = seen.map_err(|error| ErrorData::internal_error(error.told(), None))?;
        ResourceContents::text(reply.text, uri)
    } else {
        let Some(shot) = door.shots.of(session).into_iter().find(|shot| shot.uri == uri) else {
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
