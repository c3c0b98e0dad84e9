//! What a summary says beside the items: what else is in the cart, what was blocked, what is worth knowing.

use serde::Serialize;

use super::{Summary, escape, said, section};

/// Something that is in the cart from an attempt that was interrupted, before its price was reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Resumed {
    /// What the list says.
    pub item: String,
    /// What the cart calls the product.
    pub product: String,
    /// How many.
    pub quantity: u32,
}

/// Something the run ended before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotBegun {
    /// What the list says.
    pub item: String,
    /// Why the run ended.
    pub reason: String,
}

/// Something in the cart that no item of the list explains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Other {
    /// What the cart calls it.
    pub product: String,
    /// How many of it nothing explains.
    pub quantity: u32,
    /// How it may have come there.
    pub why: Why,
}

/// Why something is in the cart that no item explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It was there when the run began.
    Before,
    /// It came during the run, and no item asked for it.
    Unasked,
    /// It is not known what was there when the run began.
    Unknown,
}

/// Requests to one host that were not let through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlockedHost {
    /// The host.
    pub host: String,
    /// How many.
    pub count: usize,
    /// The rule that says no.
    pub rule: String,
    /// What they were for: `Script`, `Image` …
    pub kinds: Vec<String>,
}

/// Something worth knowing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What it is about: an item, the list, the cart.
    pub about: String,
    /// What happened.
    pub text: String,
}

pub(super) const RESUMED: &str = "In the cart already, from an attempt that was interrupted";

/// What to do about blocked hosts.
const HINT: &str = "If the shop lacks something without one of these hosts, add it to `hosts.required` of the \
site's file; what a path rule blocks is best left blocked.";

impl Summary {
    /// How many became what.
    pub(super) fn counts(&self) -> String {
        let in_cart = self.added.len() + self.resumed.len();
        let (not_found, failed) = (self.not_found.len(), self.failed.len());
        let left = match self.not_begun.len() {
            0 => String::new(),
            left => format!(", {left} not begun"),
        };
        format!("{in_cart} in the cart, {not_found} not found, {failed} failed{left}.")
    }

    /// What it costs, as far as that is known.
    pub(super) fn estimate(&self) -> String {
        let total = self.total().map_or("cannot be added up".into(), |total| total.to_string());
        let without = match self.resumed.len() {
            0 => String::new(),
            count => format!(" without {count} whose price was not seen"),
        };
        format!("Estimated total: **{total}**{without}.")
    }

    /// The sections after those of the items.
    pub(super) fn more(&self, text: &mut String) {
        let left = self.not_begun.iter().map(|left| said(&left.item, &left.reason));
        section(text, "Not begun", left);
        section(text, "Also in the cart", self.others.iter().map(Other::line));
        section(text, "Not let through", self.blocked.iter().map(BlockedHost::line));
        if !self.blocked.is_empty() {
            *text += &format!("\n{HINT}\n");
        }
        section(text, "Worth knowing", self.notes.iter().map(|note| said(&note.about, &note.text)));
    }
}

impl Resumed {
    pub(super) fn line(&self) -> String {
        let Resumed { item, product, quantity } = self;
        let (item, product) = (escape::text(item), escape::text(product));
        format!("{quantity} × {product} for \"{item}\"; its price was not seen")
    }
}

impl Other {
    fn line(&self) -> String {
        let why = match self.why {
            Why::Before => "was in the cart before",
            Why::Unasked => "**nobody asked for this**",
            Why::Unknown => "nobody on the list asked for this; what was there before is not known",
        };
        format!("{} × {}: {why}", self.quantity, escape::text(&self.product))
    }
}

impl BlockedHost {
    fn line(&self) -> String {
        let BlockedHost { host, count, rule, kinds } = self;
        let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
        let kinds = escape::text(&kinds.join(", "));
        format!("{}, {times} ({kinds}): {}", escape::text(host), escape::text(rule))
    }
}
