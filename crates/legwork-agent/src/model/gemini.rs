//! Google's Gemini API (`generateContent`), with its Computer Use tool. Every request carries the whole
//! conversation, the model's own pieces (the signatures of its thoughts among them) as it wrote them.
//! <https://ai.google.dev/api/generate-content>

mod computer;
mod reply;
mod request;
mod schema;

use self::computer::{Dialect, Grid};
use self::reply::Response;
use super::choose::Chosen;
use super::http::Post;
use super::{Abilities, Asking, Heard, Model, Price, Request};

/// Where the vendor's pieces are in [`Answer::raw`](super::Answer), so that another adapter's are not taken for
/// ours.
const RAW: &str = "gemini";
/// The ids of its calls, in order: older models give none.
const IDS: &str = "ids";

/// A model of Google's.
pub(crate) struct Gemini {
    chosen: Chosen,
}

impl Gemini {
    pub(crate) fn new(chosen: Chosen) -> Gemini {
        Gemini { chosen }
    }
}

impl Model for Gemini {
    fn name(&self) -> &str {
        &self.chosen.name
    }

    fn abilities(&self) -> Abilities {
        let family = Family::of(&self.chosen.wire_name);
        Abilities {
            vision: self.chosen.vision.unwrap_or(true),
            computer: family.dialect.is_some(),
            schema: true,
            window: self.chosen.window,
        }
    }

    fn price(&self) -> Option<Price> {
        self.chosen.price
    }

    fn ask<'a>(&'a self, request: &'a Request, heard: &'a Heard) -> Asking<'a> {
        Box::pin(async move {
            let Chosen { wire_name: name, http, streaming, .. } = &self.chosen;
            let family = Family::of(name);
            let body = request::write(request, family);
            let model = name.strip_prefix("models/").unwrap_or(name);
            let (method, query): (_, &[_]) = match streaming {
                true => ("streamGenerateContent", &[("alt", "sse")]),
                false => ("generateContent", &[]),
            };
            let path = &format!("v1beta/models/{model}:{method}");
            let deadline = request.deadline;
            let post = Post { path, query, headers: &[], body: &body, deadline };
            let points = request::dialect(request, family).is_some();
            let grid = request.viewport.filter(|_| points).map(Grid::of);
            http.ask(post, heard, || Response::new(grid)).await
        })
    }
}

/// What a name tells of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Family {
    /// How it points, if it does.
    dialect: Option<Dialect>,
    /// Takes pictures inside the results of functions.
    pictures_inside: bool,
    /// Thinks before it answers.
    thinks: bool,
}

impl Family {
    /// A name that is not known is taken for a new model, but not for one that points.
    fn of(name: &str) -> Family {
        let name = name.strip_prefix("models/").unwrap_or(name);
        let version = name.strip_prefix("gemini-").and_then(version);
        let plain =
            !["image", "tts", "live", "embedding", "audio"].iter().any(|kind| name.contains(kind));
        let dialect = match version {
            _ if name.contains("computer-use") => Some(Dialect::Legacy),
            Some(version) if version >= (3, 5) && plain => Some(Dialect::Current),
            Some((3, _)) if plain => Some(Dialect::Legacy),
            _ => None,
        };
        let pictures_inside = dialect.is_some() || version.is_none_or(|version| version >= (3, 0));
        let thinks = version.is_some_and(|version| version >= (2, 5));
        Family { dialect, pictures_inside, thinks }
    }
}

/// `3.5-flash` is 3.5, `3-pro` is 3.0.
fn version(text: &str) -> Option<(u32, u32)> {
    let number = text.split('-').next()?;
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests;
