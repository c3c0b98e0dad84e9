//! One item's errand: what a shopper is given, and what it may come to. The shopper that needs no model and
//! the one that asks a model are alike from here.

use std::time::Duration;

use legwork_protocol::{Boxed, ToolError};
use url::Url;

use crate::cart::Till;
use crate::item::Item;
use crate::lane::Lane;
use crate::money::Price;
use crate::preferences::Preference;
use crate::summary::{Added, Steering};

/// Somebody who gets one item into the cart.
pub trait Shopper: Send + Sync {
    /// Gets it, or says why not. Dropping it stops; what was begun stands in the till's book.
    fn shop<'a>(&'a self, errand: &'a Errand, floor: &'a Floor<'a>) -> Shopped<'a>;
}

/// What came of an errand, on its way.
pub type Shopped<'a> = Boxed<'a, Result<Outcome, Trouble>>;

/// What is to be got.
#[derive(Debug, Clone)]
pub struct Errand {
    /// The item of the list.
    pub item: Item,
    /// What was chosen for it before.
    pub preference: Option<Preference>,
    /// What it may cost.
    pub budget: Budget,
    /// Turns of it that earlier attempts took.
    pub turns: u32,
}

impl Errand {
    /// The most that one may cost, as a person said it.
    pub(crate) fn ceiling(&self) -> Option<&str> {
        self.preference.as_ref().and_then(|said| said.price_ceiling.as_deref())
    }
}

/// What an item may cost in time and in turns of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Time, waiting for a person not counted.
    pub time: Duration,
    /// Turns.
    pub turns: u32,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { time: Duration::from_secs(300), turns: 40 }
    }
}

/// What a shopper has to work with.
pub struct Floor<'a> {
    /// Its way to the shop.
    pub lane: &'a Lane,
    /// The cart's book.
    pub till: &'a dyn Till,
    /// The person to ask, if there is one.
    pub person: Option<&'a dyn Chooser>,
    /// Hears what is being done.
    pub told: &'a (dyn Fn(Stage) + Send + Sync),
}

/// What is being done for an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Searching for these words.
    Searching(String),
    /// Looking at this product.
    Looking(String),
    /// Waiting for a person to choose.
    Asking,
    /// A model thinks; its turn.
    Thinking(u32),
    /// Putting this product in the cart.
    Adding(String),
    /// Looking at the cart.
    Checking,
    /// A page tried to make the shopper do something else.
    Steered(Steering),
    /// Something that whoever reads the summary should know.
    Noted(String),
}

/// What came of an errand that was seen through.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It is in the cart, and the cart was looked at.
    Added(Box<Added>),
    /// It is not, and nothing else is instead.
    NotFound {
        /// Why nothing was taken.
        reason: String,
        /// Whether the shop has it at other times.
        out_of_stock: bool,
    },
}

/// Why an errand was not seen through.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// The shop does not know us any more.
    #[error("the sign-in has expired")]
    SignedOut,
    /// The shop does not know us any more, and signing in again did not help.
    #[error("auth_recovery_failed: {0}")]
    NotLetIn(String),
    /// There is no browser to shop with.
    #[error("{}", .0.told())]
    NoBrowser(ToolError),
    /// The shop, the connection or the browser failed.
    #[error("{0}")]
    Network(String),
    /// It took too long, or too many turns.
    #[error("{0}")]
    TimedOut(String),
    /// Whoever shops cannot go on.
    #[error("{0}")]
    Agent(String),
    /// Something is in the cart that may not stay there, and could not be taken out.
    #[error("{0}")]
    Left(String),
}

impl Trouble {
    /// Whether it may be over when the same is tried once more.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Trouble::Network(_) | Trouble::NoBrowser(_))
    }

    /// The same, with more to say about it.
    pub(crate) fn told(self, say: impl FnOnce(String) -> String) -> Trouble {
        match self {
            Trouble::SignedOut => Trouble::NotLetIn(say(Trouble::SignedOut.to_string())),
            Trouble::NotLetIn(why) => Trouble::NotLetIn(say(why)),
            Trouble::NoBrowser(error) => {
                Trouble::NoBrowser(ToolError { message: say(error.message), ..error })
            }
            Trouble::Network(why) => Trouble::Network(say(why)),
            Trouble::TimedOut(why) => Trouble::TimedOut(say(why)),
            Trouble::Agent(why) => Trouble::Agent(say(why)),
            Trouble::Left(why) => Trouble::Left(say(why)),
        }
    }
}

/// A product as the shop shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    /// Its name.
    pub name: String,
    /// Its brand, where it is told apart from the name.
    pub brand: Option<String>,
    /// Its size, such as `500 g`.
    pub size: Option<String>,
    /// Its price as the shop writes it.
    pub price_text: String,
    /// Its price, if that can be read.
    pub price: Option<Price>,
    /// Its page.
    pub url: Url,
    /// Whether it can be bought now.
    pub available: bool,
}

/// A person who can choose between products.
pub trait Chooser: Send + Sync {
    /// Asks which product is meant; `None` for none of them, or if nobody answers.
    fn choose<'a>(&'a self, item: &'a Item, products: &'a [Product]) -> Boxed<'a, Option<usize>>;
}
