//! Outlining what is about to be acted on, for whoever watches the window (W6). The browser draws it over
//! the page, so the page itself notices nothing. The headless shell has no overlay; a window has.

use legwork_cdp::dom::{self, Rgba};
use legwork_cdp::overlay::{self, HideHighlight, HighlightConfig, HighlightNode};

use crate::page::Page;
use crate::prepare::Prepared;

impl Page {
    /// Outlines the element for a moment, where somebody may be watching. That it cannot be outlined
    /// keeps nobody from acting.
    pub(crate) async fn highlight(&self, prepared: &Prepared) {
        let moment = self.session.highlight();
        if moment.is_zero() || prepared.reference.is_empty() {
            return;
        }
        let node = self.handle(&prepared.world, "(ref) => legwork.node(ref)", &prepared.reference);
        let Ok(Some(object_id)) = node.await else { return };
        let session = &prepared.world.session;
        session.notify(&dom::Enable {});
        session.notify(&overlay::Enable {});
        let shown = HighlightNode { highlight_config: outline(), object_id: Some(object_id) };
        if self.tab.unless_blocked(session.send(&shown)).await.is_ok() {
            tokio::time::sleep(moment).await;
            session.notify(&HideHighlight {});
        }
    }
}

/// The element lightly tinted, its edge in full colour.
fn outline() -> HighlightConfig {
    let orange = |a| Some(Rgba { r: 255, g: 120, b: 0, a: Some(a) });
    HighlightConfig {
        show_info: Some(false),
        content_color: orange(0.25),
        padding_color: orange(0.25),
        border_color: orange(0.9),
    }
}
