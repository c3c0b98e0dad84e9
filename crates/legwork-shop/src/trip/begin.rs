//! The beginning of a run: signed in, under the rules for shopping, and clear about what an interrupted run
//! left behind.

use std::time::Duration;

use super::book::Got;
use super::run::Run;
use super::settle::{Age, Verdict};
use super::{News, TripError};
use crate::cart::Contents;
use crate::errand::Trouble;
use crate::item::Item;
use crate::lane::Lane;
use crate::site::Phase;

/// How long a run that was stopped waits for anything.
const SOON: Duration = Duration::from_secs(10);

/// How long the first look at the cart may take.
const LOOK: Duration = Duration::from_secs(60);

impl Run<'_> {
    /// Signs in before any agent starts; a network that failed is tried once more.
    pub(super) async fn begin(&self) -> Result<(), TripError> {
        let mut entered = self.enter().await;
        if entered.as_ref().is_err_and(Trouble::may_pass) {
            entered = self.enter().await;
        }
        entered.map_err(TripError::SignIn)?;
        if self.trip.door.is_some() {
            self.tell(News::SignedIn);
        }
        Ok(())
    }

    /// Somebody said stop, perhaps while one was being signed in: what follows is not to be in that phase.
    pub(super) async fn stopped(&self) {
        let policy = self.trip.site.policy(Phase::Shopping);
        let governed = tokio::time::timeout(SOON, self.trip.host.govern(&policy)).await;
        if !matches!(governed, Ok(Ok(()))) {
            self.note("the browser", "the rules for shopping could not be put in force".into());
        }
    }

    /// The cart before anything is added; tried twice, and done without if need be. A shop that wants a sign-in
    /// to which there is no door ends the run.
    pub(super) async fn first_look(&self, lane: &Lane) -> Result<Option<Contents>, TripError> {
        let first = self.contents(lane, LOOK).await;
        let looked = match first {
            Err(trouble) if trouble.may_pass() => self.contents(lane, LOOK).await,
            other => other,
        };
        match looked {
            Err(Trouble::SignedOut) if self.trip.door.is_none() => {
                Err(TripError::SignIn(Trouble::SignedOut))
            }
            Err(trouble) => {
                let text = format!("it could not be looked at in the beginning: {trouble}");
                self.note("the cart", text);
                Ok(None)
            }
            Ok(contents) => Ok(Some(contents)),
        }
    }

    /// Settles what an interrupted run left in doubt. What cannot be settled now is looked at when its item
    /// has its turn. Says what of the cart turned out to be this list's.
    pub(super) fn settle(&self, todo: &[Item], now: &Contents) -> Vec<Got> {
        let mut own = Vec::new();
        for item in todo {
            match self.register.verdict(&item.id, now, Age::Earlier) {
                Some(Verdict::Done(got)) => self.noted(self.register.got(&item.id, &got)),
                Some(Verdict::Nothing) => self.noted(self.register.nothing(&item.id)),
                Some(Verdict::Rest(got, _)) => own.push(got),
                Some(Verdict::Unclear(_)) | None => {}
            }
            own.extend(self.register.entry(&item.id).and_then(|entry| entry.got));
        }
        own
    }
}
