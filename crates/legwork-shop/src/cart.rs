//! The cart: what it shows, and the book in which is written what is about to be put in it. A crash between
//! two lines of that book can be told apart from one before or after, so that nothing is added twice.

mod read;

use legwork_protocol::Boxed;
use serde::{Deserialize, Serialize};
use url::Url;

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
    /// How many of a product the cart shows, over all its lines: those that lead to its page, or, where a line
    /// leads nowhere, those of its name.
    pub fn count(&self, name: &str, url: &Url) -> u32 {
        self.of(name, url).map(|line| line.quantity).fold(0, u32::saturating_add)
    }

    /// The lines of a product.
    pub fn of<'c>(&'c self, name: &'c str, url: &'c Url) -> impl Iterator<Item = &'c Line> {
        self.lines.iter().filter(move |line| match &line.url {
            Some(page) => {
                page.origin() == url.origin()
                    && page.path() == url.path()
                    && page.query() == url.query()
            }
            None => line.product.trim().to_lowercase() == name.trim().to_lowercase(),
        })
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

/// What is about to be put in the cart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// Name and page of the product, where it is known beforehand.
    pub product: Option<(String, Url)>,
    /// Its price as the shop writes it, where that is known beforehand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<String>,
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
            quantity,
            before,
        }
    }

    /// So many of something that is not chosen yet.
    pub fn of_something(quantity: u32, before: Contents) -> Intent {
        Intent { product: None, price: None, quantity, before }
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
