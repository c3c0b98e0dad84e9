//! The cart: what it shows, and the book in which is written what is about to be put in it. A crash between
//! two lines of that book can be told apart from one before or after, so that nothing is added twice.

mod change;
mod price;
mod read;

use legwork_protocol::Boxed;
use serde::{Deserialize, Serialize};
use url::Url;

pub(crate) use change::set;
pub(crate) use price::Shown;
pub use read::read;
pub(crate) use read::{Entry, at_rest, entries, is_quantity, open};

use crate::errand::{Product, Trouble};
use crate::item::ItemId;

/// What the cart shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// Its lines, from the top.
    pub lines: Vec<Line>,
}

impl Contents {
    /// How many of a product the cart shows, over all its lines.
    pub fn count(&self, name: &str, url: Option<&Url>) -> u32 {
        self.of(name, url).map(|line| line.quantity).fold(0, u32::saturating_add)
    }

    /// The lines of a product.
    pub fn of<'c>(&'c self, name: &str, url: Option<&Url>) -> impl Iterator<Item = &'c Line> {
        self.lines.iter().filter(move |line| line.is_of(name, url))
    }
}

/// A line of the cart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// What the shop calls the product there.
    pub product: String,
    /// The product's page, if the line leads there.
    pub url: Option<Url>,
    /// How many.
    pub quantity: u32,
    /// The line in the cart's own words.
    pub text: String,
}

impl Line {
    /// Whether it is one of a product. Where both lead to a page, the page tells, since shops have several
    /// products of one name; else the name does.
    pub fn is_of(&self, name: &str, url: Option<&Url>) -> bool {
        match (&self.url, url) {
            (Some(one), Some(other)) => is_same_page(one, other),
            _ => plain(&self.product) == plain(name),
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
    let host = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        (host.strip_prefix("www.").unwrap_or(host).to_owned(), url.port_or_known_default())
    };
    let place = one.scheme() == other.scheme() && host(one) == host(other);
    place && path(one) == path(other) && query
}

fn plain(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// What is about to be put in the cart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// Name and page of the product, where it is known beforehand.
    pub product: Option<(String, Url)>,
    /// Its price as the shop writes it, where that is known beforehand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<String>,
    /// What the list asks for, where the product is not known beforehand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// How many.
    pub quantity: u32,
    /// The cart before.
    pub before: Contents,
}

impl Intent {
    /// So many of a product.
    pub fn of(product: &Product, quantity: u32, before: Contents) -> Intent {
        let price = Some(product.price_text.clone());
        Intent {
            product: Some((product.name.clone(), product.url.clone())),
            price,
            what: None,
            quantity,
            before,
        }
    }

    /// So many of something that is not chosen yet, for which the list says this.
    pub fn of_something(what: &str, quantity: u32, before: Contents) -> Intent {
        Intent { product: None, price: None, what: Some(what.to_owned()), quantity, before }
    }
}

/// Keeps the book of the cart.
pub trait Till: Send + Sync {
    /// Waits for the cart's turn, which ends when the answer is dropped: one looks at the cart, adds and
    /// looks again without anybody else in between.
    fn turn(&self) -> Boxed<'_, tokio::sync::OwnedMutexGuard<()>>;

    /// Writes down what is about to be added. After an error nothing may be.
    fn intend<'a>(&'a self, item: &'a ItemId, intent: &'a Intent)
    -> Boxed<'a, Result<(), Trouble>>;

    /// Writes down that what was about to be added is not: the cart was looked at, and what is there instead
    /// is told with what came of the errand.
    fn not_added<'a>(&'a self, _item: &'a ItemId) -> Boxed<'a, ()> {
        Box::pin(std::future::ready(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_of_a_product_by_its_page_or_where_there_is_none_by_its_name() {
        let page = |path: &str| Url::parse(&format!("https://shop.example{path}")).ok();
        for (name, path, expected) in [
            ("Oat milk", "/p/1", true),
            ("Another name", "/p/1?from=search#top", true),
            ("Oat milk", "/p/2", false),
            ("OAT  milk", "", true),
            ("Oat milk 1 L", "", false),
        ] {
            let url = page(path).filter(|_| !path.is_empty());
            let known =
                |url| Line { product: "Oat milk".into(), url, quantity: 1, text: "".into() };
            assert_eq!(known(page("/p/1/")).is_of(name, url.as_ref()), expected, "{name} {path}");
            let by_name = plain(name) == "oat milk";
            assert_eq!(known(None).is_of(name, url.as_ref()), by_name, "{name} {path}");
        }
        let line =
            |path| Line { product: "Tea".into(), url: page(path), quantity: 1, text: "".into() };
        assert!(!line("/p?id=1").is_of("Tea", page("/p?id=2").as_ref()));
        let www = |url: &str| Url::parse(url).ok();
        assert!(line("/p/1").is_of("Other", www("https://www.shop.example/p/1").as_ref()));
        assert!(!line("/p/1").is_of("Tea", www("https://m.shop.example/p/1").as_ref()));
    }
}
