//! The cart: what it shows, and the book in which is written what is about to be put in it. A crash between
//! two lines of that book can be told apart from one before or after, so that nothing is added twice.

use legwork_protocol::Boxed;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::errand::{Product, Trouble};
use crate::item::ItemId;

/// What the cart shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// Its lines, from the top.
    pub lines: Vec<Line>,
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
}

/// Keeps the book of the cart.
pub trait Till: Send + Sync {
    /// Waits for the cart's turn, which ends when the answer is dropped: one looks at the cart, adds and
    /// looks again without anybody else in between.
    fn turn(&self) -> Boxed<'_, tokio::sync::OwnedMutexGuard<()>>;

    /// Writes down what is about to be added. After an error nothing may be.
    fn intend<'a>(&'a self, item: &'a ItemId, intent: &'a Intent)
    -> Boxed<'a, Result<(), Trouble>>;
}
