//! The gate between the two phases of a run. Errands pass it together; whoever signs in again closes it,
//! waits until all have left, and opens it anew. Of several that find themselves signed out, one signs in.

use tokio::sync::{RwLock, RwLockReadGuard, watch};

use crate::errand::Trouble;

/// The gate.
pub(super) struct Gate {
    now: RwLock<Signed>,
    /// The number of the sign-in that somebody wants; errands of an earlier one have to leave.
    wanted: watch::Sender<u64>,
}

/// A sign-in.
struct Signed {
    /// Counts them.
    number: u64,
    /// How it went.
    result: Result<(), Trouble>,
}

/// The right to shop, until somebody signs in.
pub(super) struct Pass<'a> {
    _held: RwLockReadGuard<'a, Signed>,
    /// The sign-in it is of.
    pub(super) number: u64,
}

impl Gate {
    /// A gate after the first sign-in.
    pub(super) fn new() -> Gate {
        let now = RwLock::new(Signed { number: 0, result: Ok(()) });
        Gate { now, wanted: watch::Sender::new(0) }
    }

    /// Goes through, as soon as nobody signs in.
    pub(super) async fn pass(&self) -> Pass<'_> {
        let held = self.now.read().await;
        Pass { number: held.number, _held: held }
    }

    /// Waits until everybody who passed with that sign-in has to leave.
    pub(super) async fn closing(&self, number: u64) {
        let mut wanted = self.wanted.subscribe();
        if wanted.wait_for(|wanted| *wanted > number).await.is_err() {
            std::future::pending().await
        }
    }

    /// Signs in, if nobody did since the sign-in that no longer holds. Whoever waited for another's attempt
    /// shares what came of it.
    pub(super) async fn renew(
        &self,
        expired: u64,
        enter: impl Future<Output = Result<(), Trouble>>,
    ) -> Result<(), Trouble> {
        self.wanted.send_if_modified(|wanted| {
            let later = expired + 1 > *wanted;
            *wanted = (expired + 1).max(*wanted);
            later
        });
        let mut now = self.now.write().await;
        if now.number == expired {
            // A shop that refused once is not asked again and again: it might lock the account. It counts as
            // another sign-in all the same, or those who come after would have to leave for ever.
            let result = match &now.result {
                Err(refused) if !refused.may_pass() => Err(refused.clone()),
                _ => enter.await,
            };
            *now = Signed { number: expired + 1, result };
        }
        now.result.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn of_several_that_are_signed_out_one_signs_in_and_all_share_the_result() {
        for result in [Ok(()), Err(Trouble::SignedOut)] {
            let (gate, count) = (Gate::new(), AtomicU32::new(0));
            let inside = tokio::sync::Barrier::new(3);
            let lane = async || {
                let number = gate.pass().await.number;
                inside.wait().await;
                let enter = async {
                    count.fetch_add(1, Ordering::SeqCst);
                    tokio::task::yield_now().await;
                    result.clone()
                };
                gate.renew(number, enter).await
            };
            let all = tokio::join!(lane(), lane(), lane());
            assert_eq!(all, (result.clone(), result.clone(), result.clone()));
            assert_eq!(count.into_inner(), 1);
        }
    }

    #[tokio::test]
    async fn a_shop_that_refused_is_not_asked_again_and_those_who_shop_there_go_on() {
        let gate = Gate::new();
        let refused = gate.renew(0, async { Err(Trouble::SignedOut) }).await;
        let again = gate.renew(1, async { panic!("it was asked again") }).await;
        assert_eq!((refused, again), (Err(Trouble::SignedOut), Err(Trouble::SignedOut)));
        let pass = gate.pass().await;
        let leave = tokio::time::timeout(Duration::from_millis(10), gate.closing(pass.number));
        assert!(leave.await.is_err(), "they are told to leave, and nobody signs in");
    }

    #[tokio::test]
    async fn a_connection_that_failed_is_tried_again_by_who_comes_after() {
        let gate = Gate::new();
        let cut = Err(Trouble::Network("cut".into()));
        assert_eq!(gate.renew(0, async { cut.clone() }).await, cut);
        assert_eq!(gate.renew(1, async { Ok(()) }).await, Ok(()));
    }

    #[tokio::test]
    async fn nobody_shops_while_somebody_signs_in() {
        let gate = Gate::new();
        let shopping = AtomicU32::new(0);
        let shop = async {
            let pass = gate.pass().await;
            shopping.fetch_add(1, Ordering::SeqCst);
            gate.closing(pass.number).await;
            shopping.fetch_sub(1, Ordering::SeqCst);
        };
        let sign_in = async {
            tokio::task::yield_now().await;
            let enter = async {
                assert_eq!(shopping.load(Ordering::SeqCst), 0);
                Ok(())
            };
            gate.renew(0, enter).await
        };
        let (_, _, signed) = tokio::join!(shop, async {}, sign_in);
        assert_eq!(signed, Ok(()));
        assert_eq!(gate.pass().await.number, 1);
    }
}
