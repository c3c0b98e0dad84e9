//! A whole shopping trip: every item of a list, one errand each, the list changed after each, a summary at
//! the end.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use legwork_protocol::{Blocked, Warden};

use crate::errand::{Budget, Chooser, Outcome, Shopper, Stage, Trouble};
use crate::item::{Item, ItemId, Retry};
use crate::list::ShoppingListProvider;
use crate::money::Money;
use crate::sign_in::Door;
use crate::site::Site;

/// A trip, before it begins.
pub struct Trip {
    /// The browser.
    pub host: Arc<dyn Warden>,
    /// The shop.
    pub site: Arc<Site>,
    /// The list.
    pub list: Arc<dyn ShoppingListProvider>,
    /// Who shops.
    pub shopper: Arc<dyn Shopper>,
    /// How one is signed in; none where the shop needs no sign-in.
    pub door: Option<Arc<dyn Door>>,
    /// Who can be asked.
    pub person: Option<Arc<dyn Chooser>>,
    /// Who hears how it goes.
    pub watch: Arc<dyn Fn(News) + Send + Sync>,
    /// The rest.
    pub settings: Settings,
}

/// How a trip is made.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Whether what did not work before is tried again.
    pub retry: Retry,
    /// How many items are shopped for at a time.
    pub concurrency: NonZeroUsize,
    /// What an item may cost.
    pub budget: Budget,
    /// The folder of the books, and of the preferences.
    pub folder: PathBuf,
    /// Names the list, so that its book is found again: the path of the file, or the service and list.
    pub list: String,
}

/// What happens on a trip.
#[derive(Debug, Clone)]
pub enum News {
    /// It begins with these items.
    Began(Vec<Item>),
    /// One is signed in.
    SignedIn,
    /// Something is being done for an item.
    Doing(ItemId, Stage),
    /// An item is over; the list says so.
    Over(ItemId, Result<Outcome, Trouble>),
    /// What is in the cart costs this much so far.
    SoFar(Money),
    /// Something was not let through.
    Blocked(Blocked),
    /// The list could not be changed, and why; the book knows it.
    ListBehind(ItemId, String),
}
