//! One item: sent for, and sent for again where that may help. Before anything is begun again, and before
//! anything is given up, the cart is looked at if something was about to be added.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use legwork_protocol::Boxed;

use super::book::{Entry, Got};
use super::register::ItemTill;
use super::run::{Ending, Run};
use super::settle::{Age, Verdict};
use super::stopwatch::Stopwatch;
use crate::cart::Contents;
use crate::errand::{Chooser, Errand, Floor, Outcome, Product, Stage, Trouble};
use crate::item::Item;
use crate::lane::Lane;
use crate::preferences::Preference;

/// How long a look at the cart may take.
const LOOK: Duration = Duration::from_secs(60);

/// The attempts at one item.
pub(super) struct Attempts<'a> {
    run: &'a Run<'a>,
    lane: &'a Lane,
    item: &'a Item,
    watch: Stopwatch,
    /// The sign-in that the last thing was done with.
    signed: u64,
    /// What was used up of one retry each.
    retried: Retried,
    /// What is in the cart already of what is wanted.
    part: Option<Got>,
    /// Turns of a model so far.
    turns: AtomicU32,
}

#[derive(Default)]
struct Retried {
    network: bool,
    sign_in: bool,
}

/// How an attempt ended.
enum End {
    /// As the shopper says.
    Said(Result<Outcome, Trouble>),
    /// Somebody else had to sign in.
    Stopped,
}

/// What the cart says.
enum Seen {
    /// It is there.
    Got(Got),
    /// It is not, or not all of it.
    Open,
    /// Nobody can tell.
    Unclear(Trouble),
}

impl<'a> Attempts<'a> {
    pub(super) fn new(run: &'a Run<'a>, lane: &'a Lane, item: &'a Item) -> Attempts<'a> {
        let watch = Stopwatch::new(run.trip.settings.budget.time);
        let (retried, turns) = Default::default();
        Attempts { run, lane, item, watch, signed: 0, retried, part: None, turns }
    }

    /// Gets the item, or says what became of it.
    pub(super) async fn go(mut self) -> Ending {
        let ending = self.until_over().await;
        self.run.register.give_up(&self.item.id);
        ending
    }

    async fn until_over(&mut self) -> Ending {
        // What an earlier run left in doubt and nobody could settle when this one began.
        match self.seen(Age::Earlier).await {
            Seen::Got(got) => return Ending::Got(got),
            Seen::Unclear(trouble) => return Ending::Failed(trouble),
            Seen::Open => {}
        }
        loop {
            let end = self.once().await;
            if let End::Said(Ok(Outcome::Added(added))) = &end {
                return self.added(Got::reported(added));
            }
            // What is there may not stay, so that it is not what was wanted, whatever the cart says.
            if let End::Said(Err(trouble @ Trouble::Left(_))) = &end {
                return Ending::Failed(self.with_part(trouble.clone()));
            }
            if let End::Said(Err(Trouble::SignedOut)) = &end
                && let Err(trouble) = self.sign_in_again().await
            {
                return Ending::Failed(self.with_part(trouble));
            }
            match self.seen(Age::Now).await {
                Seen::Got(got) => return Ending::Got(got),
                Seen::Unclear(trouble) => return Ending::Failed(trouble),
                Seen::Open => {}
            }
            match self.after(end) {
                Some(ending) => return ending,
                None => continue,
            }
        }
    }

    /// What follows when the item is not in the cart: an ending, or another attempt.
    fn after(&mut self, end: End) -> Option<Ending> {
        match end {
            End::Stopped | End::Said(Err(Trouble::SignedOut)) => None,
            End::Said(Err(trouble)) if trouble.may_pass() && !self.retried.network => {
                self.retried.network = true;
                None
            }
            End::Said(Err(trouble)) => Some(Ending::Failed(self.with_part(trouble))),
            End::Said(Ok(Outcome::NotFound { reason, .. })) if self.part.is_some() => {
                Some(Ending::Failed(self.with_part(Trouble::Agent(reason))))
            }
            End::Said(Ok(Outcome::NotFound { reason, out_of_stock })) => {
                Some(Ending::NotFound { reason, out_of_stock })
            }
            End::Said(Ok(Outcome::Added(_))) => None,
        }
    }

    /// What went wrong, with what is in the cart all the same.
    fn with_part(&self, trouble: Trouble) -> Trouble {
        let Some(Got { quantity, product, .. }) = &self.part else { return trouble };
        let wanted = self.item.wanted.quantity;
        trouble.told(|why| format!("{quantity} of {wanted} are in the cart ({product}); {why}"))
    }

    /// The item is in the cart, with what was there of it before.
    fn added(&mut self, mut got: Got) -> Ending {
        match self.part.take() {
            Some(part) if part.url == got.url => got.quantity += part.quantity,
            Some(part) => {
                let text = format!(
                    "{} × {} is in the cart for it as well, from an attempt that was interrupted",
                    part.quantity, part.product
                );
                self.run.note(&self.item.name, text);
            }
            None => {}
        }
        self.run.noted(self.run.register.got(&self.item.id, &got));
        Ending::Got(got)
    }

    /// Sends the shopper once.
    async fn once(&mut self) -> End {
        let pass = self.run.gate.pass().await;
        self.signed = pass.number;
        self.run.banner(self.lane, self.item).await;
        let (run, errand) = (self.run, self.errand());
        let till = ItemTill { register: &run.register, item: &self.item.id, watch: &self.watch };
        let person =
            run.trip.person.as_deref().map(|person| Patient { person, watch: &self.watch });
        let told = |stage: Stage| {
            if let Stage::Thinking(turn) = stage {
                self.turns.fetch_max(turn, Ordering::Relaxed);
            }
            run.tell_stage(self.item, stage);
        };
        let floor = Floor {
            lane: self.lane,
            till: &till,
            person: person.as_ref().map(|person| person as &dyn Chooser),
            told: &told,
        };
        let shopping = async { run.trip.shopper.shop(&errand, &floor).await };
        tokio::select! {
            biased;
            said = AssertUnwindSafe(shopping).catch_unwind() => End::Said(unwound(said)),
            () = run.gate.closing(pass.number) => End::Stopped,
            () = self.watch.run_out() => End::Said(Err(Trouble::TimedOut(self.took_too_long()))),
        }
    }

    fn took_too_long(&self) -> String {
        format!("time-out after {}", spoken(self.run.trip.settings.budget.time))
    }

    /// What the shopper is sent for: the item, or what is missing of it.
    fn errand(&self) -> Errand {
        let settings = &self.run.trip.settings;
        let mut item = self.item.clone();
        let mut preference = self.run.preference(&item);
        if let Some(part) = &self.part {
            item.wanted.quantity = item.wanted.quantity.saturating_sub(part.quantity).max(1);
            let product = part.product.clone();
            let ceiling = preference.as_ref().and_then(|said| said.price_ceiling.clone());
            let same = part.url.clone().map(|url| Preference {
                product,
                url,
                size: None,
                brand: None,
                price_ceiling: ceiling,
            });
            preference = same.or(preference);
        }
        let turns = self.turns.load(Ordering::Relaxed);
        Errand { item, preference, budget: settings.budget, turns }
    }

    /// Signs in once more, or waits until somebody else has. It helps each item once.
    async fn sign_in_again(&mut self) -> Result<(), Trouble> {
        self.run.sign_in_once(self.signed, &mut self.retried.sign_in).await
    }

    /// Finds out what is in the cart of what was about to be added.
    async fn seen(&mut self, age: Age) -> Seen {
        let register = &self.run.register;
        let in_doubt = |entry: &Entry| entry.in_doubt();
        if register.entry(&self.item.id).filter(in_doubt).is_none() {
            return Seen::Open;
        }
        let _turn = register.turn_to_look().await;
        let now = match self.look().await {
            Ok(now) => now,
            Err(trouble) => {
                let may_be =
                    |why| format!("it may be in the cart or not: {why}; the next run looks again");
                return Seen::Unclear(trouble.told(may_be));
            }
        };
        match register.verdict(&self.item.id, &now, age) {
            Some(verdict) => self.believed(verdict, age),
            None => Seen::Open,
        }
    }

    /// What follows from what the cart says.
    fn believed(&mut self, verdict: Verdict, age: Age) -> Seen {
        let run = self.run;
        match verdict {
            Verdict::Done(got) => {
                run.noted(run.register.got(&self.item.id, &got));
                run.already(self.item, &got);
                return Seen::Got(got);
            }
            Verdict::Nothing => {
                self.part = None;
                run.noted(run.register.not_yet(&self.item.id));
            }
            Verdict::Rest(part, _) if part.url.is_some() => self.part = Some(part),
            Verdict::Rest(Got { product, quantity, .. }, rest) => {
                let what = format!("{quantity} × {product} are in the cart and {rest} are missing");
                return self.unclear(age, &format!("{what}, but its page is not known"));
            }
            Verdict::Unclear(why) => return self.unclear(age, &why),
        }
        Seen::Open
    }

    /// What cannot be told is left to the person. A later run asks the cart once more, and then begins anew:
    /// by then the person has been told.
    fn unclear(&self, age: Age, why: &str) -> Seen {
        if age == Age::Earlier {
            self.run.noted(self.run.register.nothing(&self.item.id));
        }
        Seen::Unclear(Trouble::Agent(format!("{why}; please look at the cart")))
    }

    /// Looks at the cart, once more if that did not work.
    async fn look(&mut self) -> Result<Contents, Trouble> {
        self.run.look_again(self.lane, LOOK, &mut self.retried.sign_in).await
    }
}

/// A person, for whom the stopwatch stands still.
struct Patient<'a> {
    person: &'a dyn Chooser,
    watch: &'a Stopwatch,
}

impl Chooser for Patient<'_> {
    fn choose<'a>(&'a self, item: &'a Item, products: &'a [Product]) -> Boxed<'a, Option<usize>> {
        Box::pin(async move {
            let _waiting = self.watch.pause();
            self.person.choose(item, products).await
        })
    }
}

/// A shopper that panics is one that cannot go on.
fn unwound(
    said: Result<Result<Outcome, Trouble>, Box<dyn Any + Send>>,
) -> Result<Outcome, Trouble> {
    said.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Trouble::Agent(format!("the shopper broke down: {text}")))
    })
}

/// A time as people say it: `5m`, `90s`.
fn spoken(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{}ms", time.as_millis()),
        seconds if seconds % 60 == 0 => format!("{}m", seconds / 60),
        seconds => format!("{seconds}s"),
    }
}
