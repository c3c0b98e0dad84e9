//! The shopper that asks a model: a fresh agent for each item, which looks, thinks and acts with the tools of
//! its lane and reports with two of its own (G3). A report is checked and then believed; the cart is looked
//! at all the same, and what it shows stands beside the report.

mod hands;
mod prompt;
mod report;
mod trace;

use std::sync::Arc;

use legwork_agent::model::Model;
use legwork_agent::think::{Achieved, ThinkError, pursue_with};
use tokio::sync::mpsc;

use crate::cart::Shown;
use crate::errand::{Errand, Floor, Outcome, Shopped, Shopper, Stage, Trouble};
use crate::shopper::chosen::{self, Before};
use crate::summary::Added;
use hands::AgentHands;
use report::{ItemReports, Reported};

/// A shopper that asks a model.
pub struct ModelShopper {
    model: Arc<dyn Model>,
}

impl ModelShopper {
    /// One that asks this model.
    pub fn new(model: Arc<dyn Model>) -> ModelShopper {
        ModelShopper { model }
    }

    async fn see_through(&self, errand: &Errand, floor: &Floor<'_>) -> Result<Outcome, Trouble> {
        let (over, mut troubles) = mpsc::unbounded_channel();
        let mut hands = AgentHands::new(errand, floor, over);
        let mut reports = ItemReports::new(errand, floor.lane.site());
        hands.open_search().await?;
        let goal = prompt::goal(errand, floor.lane);
        let ended = tokio::select! {
            biased;
            Some(trouble) = troubles.recv() => Err(trouble),
            ended = pursue_with(&goal, self.model.as_ref(), &mut hands, &mut reports) => Ok(ended),
        };
        let ended = match ended {
            Ok(Ok(Achieved::Skipped)) => return hands.nothing_added(Ok(hands.not_chosen())).await,
            Ok(ended) => told(ended, hands.wanting()),
            Err(trouble) => Err(trouble),
        };
        match (ended, reports.taken) {
            (Ok(()), Some(Reported::Added(added))) => hands.added(*added).await,
            (Ok(()), Some(Reported::NotFound { reason, out_of_stock })) => {
                let not_found = Outcome::NotFound { reason, out_of_stock };
                hands.nothing_added(Ok(not_found)).await
            }
            (Ok(()), None) => Err(Trouble::Agent("the model reported nothing".into())),
            (Err(trouble), _) => hands.nothing_added(Err(trouble)).await,
        }
    }
}

impl Shopper for ModelShopper {
    fn shop<'a>(&'a self, errand: &'a Errand, floor: &'a Floor<'a>) -> Shopped<'a> {
        Box::pin(self.see_through(errand, floor))
    }
}

/// A model from the start, for who wants that; only what was chosen before, and can be had, is added without
/// one.
pub struct ModelFirst(pub Arc<dyn Shopper>);

impl Shopper for ModelFirst {
    fn shop<'a>(&'a self, errand: &'a Errand, floor: &'a Floor<'a>) -> Shopped<'a> {
        Box::pin(async move {
            match chosen::before(errand, floor).await? {
                Before::Added(added) => Ok(Outcome::Added(added)),
                Before::Nothing | Before::HowMany(..) => self.0.shop(errand, floor).await,
                Before::Lacking(lacking) => {
                    let outcome = self.0.shop(errand, floor).await?;
                    lacking.note(&outcome, floor);
                    Ok(outcome)
                }
            }
        })
    }
}

/// What thinking came to, where it did not end with a report. `wanting` is what a person was needed for and
/// nobody could be asked.
fn told(ended: Result<Achieved, ThinkError>, wanting: Option<&str>) -> Result<(), Trouble> {
    Err(match ended {
        Ok(Achieved::Done(_)) => return Ok(()),
        Ok(Achieved::Failed(why)) => Trouble::Agent(why),
        Ok(Achieved::Skipped | Achieved::Stopped) => {
            let what = wanting.unwrap_or("it was stopped");
            Trouble::Agent(format!("a person is needed and cannot be asked: {what}"))
        }
        Err(ThinkError::Spent(spent)) => {
            Trouble::TimedOut(format!("no result after {}", spent.limit))
        }
        Err(ThinkError::Model(error)) => Trouble::Agent(error.to_string()),
    })
}

impl AgentHands<'_> {
    /// The report is believed; what the cart shows of it stands beside it. Who is not signed in any more may
    /// have added nothing. If the cart cannot be looked at for another reason, also not a second time, nobody
    /// looked: the item is not begun again for that, since it may be in there.
    async fn added(&mut self, mut added: Added) -> Result<Outcome, Trouble> {
        self.tell(Stage::Checking);
        let mut looked = self.cart_now().await;
        if looked.as_ref().is_err_and(Trouble::may_pass) {
            looked = self.cart_now().await;
        }
        let (before, after) = match looked {
            Ok(looked) => looked,
            Err(Trouble::SignedOut) => return Err(Trouble::SignedOut),
            Err(_) => return Ok(Outcome::Added(Box::new(added))),
        };
        let had = before.as_ref().map(|before| before.count(&added.product, Some(&added.url)));
        let lines = trace::of(&after, &added);
        let shown = Shown { lines, had, said: "as it was reported" };
        if let Some(reason) = shown.hold(self.errand, self.floor, &mut added).await? {
            return Ok(Outcome::NotFound { reason, out_of_stock: false });
        }
        added.cart = trace::shown(&added, &after);
        if let Some(before) = before {
            let changes = trace::changes(&before, &after);
            let others = changes.iter().filter(|change| !change.is_of(&added, &after));
            others.for_each(|other| self.steered(format!("the cart changed as well: {other}")));
        }
        Ok(Outcome::Added(Box::new(added)))
    }

    /// The person was asked, and chose nothing.
    fn not_chosen(&self) -> Outcome {
        let asked = self.wanting().unwrap_or_default();
        let reason = format!("asked {asked:?}, nothing was chosen");
        Outcome::NotFound { reason, out_of_stock: false }
    }

    /// Nothing is in the cart of what was not reported as added; where that is not so, it is said.
    async fn nothing_added(&mut self, ended: Result<Outcome, Trouble>) -> Result<Outcome, Trouble> {
        let gone = matches!(ended, Err(Trouble::SignedOut | Trouble::Network(_)));
        if !self.has_touched() || gone {
            return ended;
        }
        let why = match &ended {
            Ok(Outcome::NotFound { reason, .. }) => format!("reported as not found ({reason})"),
            Ok(Outcome::Added(_)) => return ended,
            Err(trouble) => trouble.to_string(),
        };
        self.tell(Stage::Checking);
        let (before, after) = match self.cart_now().await {
            Ok((Some(before), after)) => (before, after),
            Ok((None, _)) => return ended,
            Err(Trouble::SignedOut) => return Err(Trouble::SignedOut),
            Err(trouble) => {
                let unseen = format!("{why}; the cart could not be looked at: {trouble}");
                return Err(Trouble::Network(unseen));
            }
        };
        let changes = trace::changes(&before, &after);
        let changes: Vec<_> = changes.iter().map(ToString::to_string).collect();
        if changes.is_empty() {
            self.not_added().await;
            return ended;
        }
        let why = format!("{why}, but the cart changed: {}", changes.join(", "));
        Err(match ended {
            Err(Trouble::TimedOut(_)) => Trouble::TimedOut(why),
            Err(_) => Trouble::Agent(why),
            // Whatever it is, it is not the item: the report says so.
            Ok(_) => {
                self.not_added().await;
                Trouble::Agent(why)
            }
        })
    }
}
