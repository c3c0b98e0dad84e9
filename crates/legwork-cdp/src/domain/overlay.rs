//! `Overlay`: drawing over a page what the page itself does not know of.

use crate::dom::Rgba;
use crate::id::ObjectId;

protocol! { "Overlay";
    command Enable = "enable" {}
    command HideHighlight = "hideHighlight" {}
    command HighlightNode = "highlightNode" {
        highlight_config: HighlightConfig,
        object_id?: ObjectId,
    }

    type HighlightConfig = "HighlightConfig" {
        show_info?: bool,
        content_color?: Rgba,
        padding_color?: Rgba,
        border_color?: Rgba,
    }
}
