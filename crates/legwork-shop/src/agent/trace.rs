//! What an agent left in the cart: what the cart shows of a report, and how it changed meanwhile.

use std::fmt;

use crate::cart::{Contents, Line};
use crate::summary::{Added, Cart};

/// What the cart shows of what was reported.
pub(super) fn shown(added: &Added, cart: &Contents) -> Cart {
    let lines: Vec<&Line> = of(cart, added);
    match lines.first() {
        None => Cart::Missing,
        Some(first) => Cart::Shows {
            quantity: lines.iter().fold(0, |sum, line| sum.saturating_add(line.quantity)),
            line: first.text.clone(),
        },
    }
}

/// The lines of what was reported. A model may say another page of it than the cart does; where no line leads
/// to the page that it said, the name tells.
pub(super) fn of<'c>(cart: &'c Contents, added: &Added) -> Vec<&'c Line> {
    let by_page: Vec<&Line> = cart.of(&added.product, Some(&added.url)).collect();
    match by_page.is_empty() {
        true => cart.of(&added.product, None).collect(),
        false => by_page,
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
    /// Whether it is of what was reported, as this cart shows it.
    pub(super) fn is_of(&self, added: &Added, cart: &Contents) -> bool {
        of(cart, added).contains(&self.line)
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
        before: before.count(&line.product, line.url.as_ref()),
        after: after.count(&line.product, line.url.as_ref()),
    });
    let count = |cart: &Contents, line: &Line| cart.count(&line.product, line.url.as_ref());
    let gone = before.lines.iter().filter(|line| count(after, line) == 0);
    let gone = gone.map(|line| Change { line, before: count(before, line), after: 0 });
    came.chain(gone).filter(|change| change.before != change.after).collect()
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;
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
        Added::reported("x", &report, &site::metro()).unwrap()
    }

    #[test]
    fn the_cart_shows_a_report_by_its_page_or_its_name() {
        let lines = vec![line("Oat milk", "oat?from=search", 2), line("Butter, salted", "", 1)];
        let cart = Contents { lines };
        for (product, path, quantity) in [
            ("Oat drink", "oat", Some(2)),
            ("oat  MILK", "elsewhere", Some(2)),
            ("butter,  salted", "butter", Some(1)),
            ("Butter", "butter", None),
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
