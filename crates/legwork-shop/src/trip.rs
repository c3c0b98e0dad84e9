//! A whole shopping trip: every item of a list, one errand each, the list changed after each, a summary at
//! the end. Whatever breaks on the way, nothing is added twice: the book says what was about to be added, and
//! the cart says what was.

mod attempt;
mod begin;
mod book;
mod chrome;
mod finish;
mod gate;
mod look;
mod marks;
mod register;
mod run;
mod settle;
mod stopwatch;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use legwork_protocol::{Blocked, Warden};

use crate::errand::{Budget, Chooser, Outcome, Shopper, Stage, Trouble};
use crate::item::{Item, ItemId, Retry};
use crate::list::{ListError, ShoppingListProvider};
use crate::money::Money;
use crate::sign_in::Door;
use crate::site::Site;
use crate::summary::Summary;

use self::book::BookError;
use self::finish::{Carts, without};
use self::look::Look;
use self::register::Register;
use self::run::Run;

/// The session that is shopped in. Others are beside it.
pub const SESSION: &str = "shop";

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
    /// Where a picture of the cart is left in the end, if one is wanted.
    pub picture: Option<PathBuf>,
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
    /// There was no trip; this is what there is to tell of it.
    Undone(Box<Summary>),
    /// What an item asks for was found in the cart, put there by an attempt that was interrupted.
    Already(ItemId, String),
}

/// Why there was no trip.
#[derive(Debug, thiserror::Error)]
pub enum TripError {
    /// The list cannot be shopped from.
    #[error(transparent)]
    List(#[from] ListError),
    /// Another program shops from the same list.
    #[error("another program (process {process}) is shopping from {list:?}; wait until it is done")]
    InUse {
        /// The list.
        list: String,
        /// The other program.
        process: String,
    },
    /// What protects from adding twice cannot be kept.
    #[error("the book of what is in the cart cannot be kept: {0}")]
    Book(String),
    /// The shop does not let us in.
    #[error("could not sign in: {0}")]
    SignIn(Trouble),
}

impl Trip {
    /// Shops for everything on the list. What goes wrong with an item is told in the summary; an error says
    /// that nothing was begun. Dropping it stops; the next run goes on from the book.
    pub async fn run(&self) -> Result<Summary, TripError> {
        self.run_until(std::future::pending()).await
    }

    /// The same, until somebody says stop. What is under way then is left in the book.
    pub async fn run_until(
        &self,
        stop: impl Future<Output = ()> + Send,
    ) -> Result<Summary, TripError> {
        self.made(&look::Page, stop).await
    }

    async fn made(
        &self,
        look: &dyn Look,
        stop: impl Future<Output = ()> + Send,
    ) -> Result<Summary, TripError> {
        let run = Run::new(self, self.register()?, look);
        run.catch_up().await;
        let work = run.worklist().await?;
        run.tell(News::Began(work.todo.clone()));
        run.mark_duplicates(&work).await;
        let (mut carts, mut done) = (Carts::default(), Ok(()));
        if !work.todo.is_empty() {
            let shopped = tokio::select! {
                biased;
                done = self.shopped(&run, &work.todo, &mut carts) => Some(done),
                () = stop => None,
            };
            match shopped {
                Some(shopped) => done = shopped,
                None => run.stopped().await,
            }
        }
        // The list hears also of a trip that could not begin.
        if let Err(error) = &done {
            run.end(error.to_string());
        }
        run.pay_debts(&work.todo).await;
        let mut summary = run.summary(&work.todo, &carts);
        run.deliver(&mut summary).await;
        if done.is_err() {
            run.tell(News::Undone(Box::new(summary.clone())));
        }
        done.map(|()| summary)
    }

    /// What needs the browser, from signing in to the last look at the cart.
    async fn shopped(
        &self,
        run: &Run<'_>,
        todo: &[Item],
        carts: &mut Carts,
    ) -> Result<(), TripError> {
        run.begin().await?;
        let lane = run.first_lane();
        if let Some(before) = run.first_look(&lane).await? {
            let own = run.settle(todo, &before);
            carts.before = Some(without(before, &own));
        }
        run.shop(todo).await;
        carts.after = run.last_look(&lane, todo).await;
        if let (Some(file), Some(_)) = (&self.settings.picture, &carts.after) {
            run.picture(&lane, file).await;
        }
        Ok(())
    }

    fn register(&self) -> Result<Register, TripError> {
        let Settings { folder, list, .. } = &self.settings;
        let site = format!("{} {}", self.site.name, self.site.home);
        Register::open(folder, list, &site).map_err(|error| match error {
            BookError::InUse(process) => TripError::InUse { list: list.clone(), process },
            error => TripError::Book(error.to_string()),
        })
    }
}

#[cfg(test)]
mod tests;
