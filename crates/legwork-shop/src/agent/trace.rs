//! What an agent left in the cart: what the cart shows of a report, and how it changed meanwhile.

use std::fmt;

use url::Url;

use crate::cart::{Contents, Line};
use crate::summary::{Added, Cart};

/// What the cart shows of what was reported.
pub(super) fn shown(added: &Added, cart: &Contents) -> Cart {
    let lines: Vec<&Line> = cart.lines.iter().filter(|line| is_of(line, added)).collect();
    match lines.first() {
        None => Cart::Missing,
        Some(first) => Cart::Shows {
            quantity: lines.iter().fold(0, |sum, line| sum.saturating_add(line.quantity)),
            line: first.text.clone(),
        },
    }
}

/// A line of the cart whose quantity is another one now.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change<'a> {
    line: &'a Line,
    before: u32,
    after: u32,
}

impl Change<'_> {
    /// Whether it is of what was reported.
    pub(super) fn is_of(&self, added: &Added) -> bool {
        is_of(self.line, added)
    }
}

impl fmt::Display for Change<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Change { line, before, after } = self;
        write!(out, "{:?} from {before} to {after}", line.product)
    }
}

/// How the cart changed.
pub(super) fn changes<'a>(before: &'a Contents, after: &'a Contents) -> Vec<Change<'a>> {
    let came = after.lines.iter().map(|line| Change {
        line,
        before: quantity_in(before, line),
        after: quantity_in(after, line),
    });
    let gone = before.lines.iter().filter(|line| quantity_in(after, line) == 0);
    let gone = gone.map(|line| Change { line, before: quantity_in(before, line), after: 0 });
    came.chain(gone).filter(|change| change.before != change.after).collect()
}

fn quantity_in(cart: &Contents, line: &Line) -> u32 {
    let same = cart.lines.iter().filter(|other| is_same(other, line));
    same.fold(0, |sum, other| sum.saturating_add(other.quantity))
}

fn is_same(one: &Line, other: &Line) -> bool {
    match (&one.url, &other.url) {
        (Some(one), Some(other)) => is_same_page(one, other),
        _ => plain(&one.product) == plain(&other.product),
    }
}

/// By its page, or else by its name. A line that leads nowhere may have it shorter, or say the size as well.
fn is_of(line: &Line, added: &Added) -> bool {
    let (shown, reported) = (plain(&line.product), plain(&added.product));
    match &line.url {
        Some(url) => is_same_page(url, &added.url) || shown == reported,
        None => {
            let alike = shown.starts_with(&reported) || reported.starts_with(&shown);
            !shown.is_empty() && alike
        }
    }
}

/// Whether two addresses lead to one page. What follows the path may only say where one came from; where
/// both have such a part, it may as well name the product.
fn is_same_page(one: &Url, other: &Url) -> bool {
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    let query = match (one.query(), other.query()) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    };
    one.origin() == other.origin() && path(one) == path(other) && query
}

fn plain(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::Wanted;
    use crate::site;
    use crate::summary::Report;

    fn line(product: &str, path: &str, quantity: u32) -> Line {
        let url = (!path.is_empty())
            .then(|| Url::parse(&format!("https://www.metro.ca/p/{path}")).unwrap());
        Line { product: product.into(), url, quantity, text: format!("{quantity} × {product}") }
    }

    fn added(product: &str, path: &str) -> Added {
        let url = format!("https://www.metro.ca/p/{path}");
        let report = Report {
            item_name: product,
            price_text: "$1.00",
            price_cents: 100,
            url: &url,
            quantity: 1,
        };
        Added::reported(Wanted::read("x").unwrap(), &report, &site::metro()).unwrap()
    }

    #[test]
    fn the_cart_shows_a_report_by_its_page_or_its_name() {
        let lines = vec![line("Oat milk", "oat?from=search", 2), line("Butter, salted", "", 1)];
        let cart = Contents { lines };
        for (product, path, quantity) in [
            ("Oat drink", "oat", Some(2)),
            ("oat  MILK", "elsewhere", Some(2)),
            ("Butter", "butter", Some(1)),
            ("Oat", "oats", None),
            ("Milk", "milk", None),
        ] {
            let expected = |cart: &Cart| match cart {
                Cart::Shows { quantity, .. } => Some(*quantity),
                _ => None,
            };
            let shown = shown(&added(product, path), &cart);
            assert_eq!(expected(&shown), quantity, "{product}: {shown:?}");
        }
    }

    #[test]
    fn what_came_went_and_became_more_is_told() {
        let before = Contents { lines: vec![line("Milk", "a", 1), line("Rice", "", 1)] };
        let lines = vec![line("Milk", "a", 3), line("Rice", "", 1), line("Card", "c", 1)];
        let after = Contents { lines };
        let told = |changes: Vec<Change>| -> Vec<String> {
            changes.iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            told(changes(&before, &after)),
            ["\"Milk\" from 1 to 3", "\"Card\" from 0 to 1"]
        );
        assert_eq!(told(changes(&after, &before)).len(), 2);
        assert!(changes(&after, &after).is_empty());
    }
}
