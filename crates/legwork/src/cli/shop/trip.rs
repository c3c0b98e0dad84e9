//! A trip: the browser, the list, whoever shops and the person put together; and what came of it told.

use std::path::Path;
use std::sync::Arc;

use legwork_protocol::{Code, ToolError};
use legwork_shop::agent::{ModelFirst, ModelShopper};
use legwork_shop::errand::{Chooser, Shopper, Trouble};
use legwork_shop::shopper::Embedded;
use legwork_shop::sign_in::{Credentials, Door, Kept};
use legwork_shop::site::Site;
use legwork_shop::summary::{Added, Cart, Summary, Why};
use legwork_shop::trip::{News, Settings, Trip, TripError};
use legwork_tools::Host;
use tokio::sync::mpsc;

use super::super::approve::at_terminal;
use super::super::failure::{Exit, Failure};
use super::super::keyboard::Keyboard;
use super::super::{Globals, show};
use super::asking::{Ask, Counter};
use super::attend::{Attend, Ended, Memory};
use super::unusable;
use crate::config::Config;
use crate::shop::{self, Folder, Opened, Plan};
use crate::{approve, assistant};

pub(super) async fn run(globals: &Globals, plan: &Plan, folder: &Folder) -> Result<(), Failure> {
    let config = globals.load(true)?;
    folder.made().map_err(unusable)?;
    // A list or a model that cannot be used is told before a browser starts.
    let opened = plan.source.open(folder, plan.resume).await.map_err(unusable)?;
    let shopper = shopper(&config, plan).await.map_err(Failure::unreadable)?;
    shop::browser_is_there(&config)?;
    let host = shop::host(&config, &plan.site, &plan.profile).map_err(unusable)?;
    let door = door(&plan.site);
    if let (None, Some(_), false) = (&door, &plan.site.sign_in, globals.json) {
        eprintln!("({})", untold(&plan.site));
    }
    let (told, news) = mpsc::unbounded_channel();
    let (person, asked) = person(plan.ask && !globals.json);
    let keyboard = match person {
        Some(_) => Keyboard::new(false),
        None => Keyboard::nobody(),
    };
    let trip = Trip {
        host: Arc::new(host.clone()),
        site: Arc::new(plan.site.clone()),
        list: opened.list.clone(),
        shopper,
        door,
        person,
        watch: Arc::new(move |one: News| drop(told.send(one))),
        settings: settings(plan, folder, &opened),
    };
    let attend = Attend::new(memory(plan, folder), keyboard, globals.json);
    let _answers = approve::listen_for(&host, &attend.told);
    let ended = attend.run(&trip, news, asked).await;
    let ended = ended.map_err(|error| Failure::internal(&error.into()))?;
    close(&host, &ended).await;
    told_of(ended, plan, &opened, globals.json)
}

/// Whoever can be asked here, and where the questions arrive.
fn person(wanted: bool) -> (Option<Arc<dyn Chooser>>, mpsc::UnboundedReceiver<Ask>) {
    let (asks, asked) = mpsc::unbounded_channel();
    let person = (wanted && at_terminal()).then(|| Arc::new(Counter(asks)) as Arc<dyn Chooser>);
    (person, asked)
}

fn memory(plan: &Plan, folder: &Folder) -> Memory {
    Memory { preferences: folder.preferences(), shop: plan.site.name.clone(), all: plan.remember }
}

fn settings(plan: &Plan, folder: &Folder, opened: &Opened) -> Settings {
    Settings {
        retry: plan.retry,
        concurrency: plan.concurrency,
        budget: plan.budget,
        folder: folder.path().to_owned(),
        list: opened.name.clone(),
        picture: plan.picture.clone(),
    }
}

/// How one is signed in: with credentials where they are all set, else as the profile is from before; none
/// where the description does not say how to tell.
fn door(site: &Site) -> Option<Arc<dyn Door>> {
    let credentials = site.sign_in.is_some() && Credentials::missing(site).is_empty();
    match (credentials, &site.signed_in) {
        (true, _) => Some(Arc::new(Credentials)),
        (false, Some(_)) => Some(Arc::new(Kept)),
        (false, None) => None,
    }
}

/// What is to be known of a shop with a sign-in that cannot be seen.
fn untold(site: &Site) -> String {
    let variables = Credentials::missing(site).join(" and ");
    format!(
        "nothing in the description of {} tells whether you are signed in: add [signed_in], or set {variables}",
        site.name
    )
}

/// Who shops: the shopper without a model, and a model where that one does not know better; or, where a model
/// was asked for, that model for all that was not chosen before.
async fn shopper(config: &Config, plan: &Plan) -> Result<Arc<dyn Shopper>, ToolError> {
    let named = plan.model.as_deref();
    let asked = named.or(plan.second.as_deref());
    let model = match assistant::model(config, asked).await {
        Err(error) if asked.is_none() => {
            // The one that is configured for errands is welcome here and not needed.
            eprintln!("(shopping without the configured model: {})", error.message);
            None
        }
        model => model?,
    };
    let model = model.map(|model| Arc::new(ModelShopper::new(model)) as Arc<dyn Shopper>);
    Ok(match (named, model) {
        (Some(_), Some(model)) => Arc::new(ModelFirst(model)),
        (_, next) => Arc::new(Embedded { next }),
    })
}

/// Ends the browser; the person may not want to wait for that either.
async fn close(host: &Host, ended: &Ended) {
    if matches!(ended, Ended::Left) {
        return;
    }
    tokio::select! {
        () = host.close() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

/// Tells what came of it.
fn told_of(ended: Ended, plan: &Plan, opened: &Opened, json: bool) -> Result<(), Failure> {
    let (summary, stopped) = match ended {
        Ended::Left => return Err(interrupted()),
        Ended::Undone(error, summary) => {
            if let Some(summary) = summary {
                deliver(&summary, plan, json)?;
            }
            return Err(undone(error, plan));
        }
        Ended::Over(summary, stopped) => (summary, stopped),
    };
    deliver(&summary, plan, json)?;
    if let (Some(kept), false) = (&opened.kept, json) {
        eprintln!("what became of each item is in {}", kept.display());
    }
    match stopped {
        true => Err(interrupted()),
        false => complete(&summary),
    }
}

/// Gives the summary to whoever reads it here, and to the file.
fn deliver(summary: &Summary, plan: &Plan, json: bool) -> Result<(), Failure> {
    match json {
        true => show::line(&summary.json())?,
        false => show::line(&summary.markdown())?,
    }
    plan.summary.as_ref().map_or(Ok(()), |file| keep(file, summary))
}

fn keep(file: &Path, summary: &Summary) -> Result<(), Failure> {
    std::fs::write(file, summary.markdown()).map_err(|error| {
        let message = format!("the summary could not be left in {}: {error}", file.display());
        Failure::new(Exit::Tool, Code::FileError.text(), message)
    })
}

/// Whether everything is in the cart.
fn complete(summary: &Summary) -> Result<(), Failure> {
    let shown = |added: &&Added| match added.cart {
        Cart::Shows { quantity, .. } => quantity == added.quantity,
        Cart::Missing | Cart::Unseen => false,
    };
    let unseen = summary.added.len() - summary.added.iter().filter(shown).count();
    let unasked = summary.others.iter().filter(|other| other.why == Why::Unasked).count();
    let missing = [
        (unseen, "not shown by the cart as it was added"),
        (unasked, "there unasked"),
        (summary.not_found.len(), "not found"),
        (summary.failed.len(), "failed"),
        (summary.not_begun.len(), "not begun"),
    ];
    let missing: Vec<String> = missing
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => {
            let message = format!("not everything is in the cart: {}", missing.join(", "));
            let hint = "the summary says why; the next run tries again, unless told --no-retry";
            Err(Failure::new(Exit::Incomplete, "incomplete", message).with_hint(hint))
        }
    }
}

fn interrupted() -> Failure {
    Failure::new(Exit::Interrupted, Code::Cancelled.text(), "interrupted")
        .with_hint("run it again to go on; nothing is added twice")
}

/// Why there was no trip.
fn undone(error: TripError, plan: &Plan) -> Failure {
    let message = error.to_string();
    match error {
        TripError::List(error) => unusable(error.into()),
        TripError::SignIn(Trouble::SignedOut) => {
            let message = format!("{} does not show that you are signed in", plan.site.name);
            let failure =
                |hint: String| Failure::new(Exit::Tool, "signed_out", message).with_hint(hint);
            let names = Credentials::missing(&plan.site);
            if plan.site.signed_in.is_none() && !names.is_empty() {
                return failure(untold(&plan.site));
            }
            let form = match &plan.site.sign_in {
                None => String::new(),
                Some(_) if names.is_empty() => {
                    "; the shop does not take the credentials of the environment".to_owned()
                }
                Some(_) => format!("; or set {}", names.join(" and ")),
            };
            failure(by_hand(plan) + &form)
        }
        TripError::SignIn(Trouble::NoBrowser(error)) => Failure::from(error),
        TripError::SignIn(Trouble::Network(_)) => {
            Failure::from(ToolError::new(Code::NavigationFailed, message))
        }
        TripError::SignIn(_) => {
            Failure::new(Exit::Tool, "sign_in_failed", message).with_hint(by_hand(plan))
        }
        TripError::InUse { .. } => Failure::new(Exit::Tool, "list_in_use", message),
        TripError::Book(_) => Failure::new(Exit::Tool, Code::FileError.text(), message),
    }
}

fn by_hand(plan: &Plan) -> String {
    format!("sign in by hand, once: `legwork authenticate --site {}`", plan.called)
}

#[cfg(test)]
mod tests {
    use legwork_shop::site;
    use legwork_shop::summary::{Other, Report};

    use super::*;

    #[test]
    fn only_a_cart_that_shows_what_was_added_and_nothing_unasked_is_complete() {
        let of = |cart: Cart, why: Option<Why>| {
            let site = site::metro();
            let report = Report {
                item_name: "Tea",
                price_text: "$1.00",
                price_cents: 100,
                url: "https://www.metro.ca/p/tea",
                quantity: 2,
            };
            let mut summary = Summary::of(&site);
            let added = Added::reported("tea", &report, &site).unwrap();
            summary.added.push(Added { cart, ..added });
            let other = |why| Other { product: "Card".into(), quantity: 1, why };
            summary.others.extend(why.map(other));
            complete(&summary).is_ok()
        };
        let shows = |quantity| Cart::Shows { quantity, line: "Tea".into() };
        assert!(of(shows(2), None) && of(shows(2), Some(Why::Before)));
        assert!(of(shows(2), Some(Why::Unknown)), "it may have been there before");
        for (cart, why) in [
            (shows(1), None),
            (shows(3), None),
            (Cart::Unseen, None),
            (Cart::Missing, None),
            (shows(2), Some(Why::Unasked)),
        ] {
            assert!(!of(cart.clone(), why), "{cart:?} {why:?}");
        }
    }
}
