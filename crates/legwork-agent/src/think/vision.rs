//! Pictures for a model that reads them: where text does not suffice, and never for one that does not.

use legwork_protocol::{Action, Reply};
use serde::Deserialize;
use serde_json::Map;

use super::history::{Exchange, Kept, Piece};
use super::mind::Mind;

/// What a picture's reply says of it.
#[derive(Debug, Default, Deserialize)]
struct Size {
    #[serde(default)]
    width: u32,
    #[serde(default)]
    height: u32,
}

/// Controls up to which a page with a canvas counts as drawn.
const FEW: usize = 12;

/// Whether a page's text says little of what is seen: it is empty, or drawn on a canvas.
pub(super) fn is_drawn(url: &str, page: &str) -> bool {
    let blank = url.is_empty() || url.starts_with("about:");
    let empty = page.trim().is_empty() || page.trim() == "(the page is empty)";
    let controls = page.matches(['[', '<']).count();
    !blank && (empty || (page.contains("(canvas") && controls <= FEW))
}

impl Mind<'_> {
    /// The window as it is now, if the model reads pictures and one can be taken.
    pub(super) async fn picture(&mut self) -> Vec<Piece> {
        if !self.model.abilities().vision {
            return Vec::new();
        }
        match self.hands.call("browser_take_screenshot", Map::new()).await {
            Ok(reply) => self.pictures(&reply),
            Err(_) => Vec::new(),
        }
    }

    /// The pictures of a reply with their size; a line instead for a model that does not read them.
    pub(super) fn pictures(&self, reply: &Reply) -> Vec<Piece> {
        if reply.images.is_empty() {
            return Vec::new();
        }
        if !self.model.abilities().vision {
            return vec![Piece::ours(
                "(A picture was taken and saved. You cannot be shown pictures.)",
            )];
        }
        let Size { width, height } = Size::deserialize(&reply.data).unwrap_or_default();
        let (across, down) = self.viewport();
        let about = format!(
            "A picture as it is now, {width} x {height} pixels (the window is {across} x {down} CSS pixels):"
        );
        let images = reply.images.iter().cloned().map(Piece::Picture);
        [Piece::Ours(about)].into_iter().chain(images).collect()
    }

    /// Remembers whether the model goes by pictures or by the text of pages.
    pub(super) fn note_pointing(&mut self, action: &Action) {
        let arguments = action.arguments();
        let named = ["target", "from"].iter().filter_map(|name| arguments.get(name)?.as_str());
        for target in named {
            self.pointing = target.trim_start().starts_with("point=");
        }
    }

    /// Whoever pointed at a place sees what came of it, once for an answer.
    pub(super) async fn show_what_came_of_pointing(&mut self, exchange: &mut Exchange) {
        let pictured = |kept: &Kept| kept.pieces.iter().any(|one| matches!(one, Piece::Picture(_)));
        if !self.pointing || exchange.results.iter().any(pictured) {
            return;
        }
        let picture = self.picture().await;
        if let Some(last) = exchange.results.last_mut() {
            last.pieces.extend(picture);
        }
    }

    /// Whether a picture belongs beside what an action came to.
    pub(super) fn wants_picture(&self, action: &Action, vain: u32) -> bool {
        let shows = matches!(action, Action::TakeScreenshot(_));
        self.model.abilities().vision && !shows && (vain == 2 || self.drawn)
    }
}
