//! The end of a run: a last look at the cart, and the summary.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use base64::Engine;
use serde_json::{Map, Value};

use super::book::Got;
use super::run::{Ending, Run};
use super::settle::{Age, Verdict};
use crate::cart::{Contents, Line};
use crate::errand::Trouble;
use crate::item::Item;
use crate::lane::Lane;
use crate::summary::{BlockedHost, Cart, Failed, NotBegun, NotFound, Other, Resumed, Summary, Why};

/// How long the last look, the picture and the delivery of the summary may take.
const LAST: Duration = Duration::from_secs(60);

impl Run<'_> {
    /// What is in the cart at the end, once what came late is settled as well.
    pub(super) async fn last_look(&self, lane: &Lane, todo: &[Item]) -> Option<Contents> {
        let now = match self.look_again(lane, LAST, &mut false).await {
            Ok(now) => now,
            Err(trouble) => {
                let text = format!("it could not be looked at in the end: {trouble}");
                self.note("the cart", text);
                return None;
            }
        };
        for (at, item) in todo.iter().enumerate() {
            let failed = match self.endings().get(&at) {
                Some(Ending::Failed(trouble)) => !matches!(trouble, Trouble::Left(_)),
                _ => false,
            };
            let verdict = self.register.verdict(&item.id, &now, Age::Now).filter(|_| failed);
            // What a shop did after everybody had stopped waiting for it.
            if let Some(Verdict::Done(got)) = verdict {
                self.noted(self.register.got(&item.id, &got));
                self.already(item, &got);
                self.close(at, todo, Ending::Got(got)).await;
            }
        }
        Some(now)
    }

    /// The summary, in the order of the list.
    pub(super) fn summary(&self, todo: &[Item], carts: &Carts) -> Summary {
        let mut summary = Summary::of(&self.trip.site);
        let endings = self.endings().clone();
        for (at, item) in todo.iter().enumerate() {
            match endings.get(&at) {
                Some(ending) => self.put(&mut summary, item, ending),
                None => summary.not_begun.push(self.not_begun(item)),
            }
        }
        self.hear_blocked();
        let heard = std::mem::take(&mut *self.heard());
        summary.steering = heard.steering;
        summary.notes = heard.notes;
        summary.blocked = by_host(&heard.blocked);
        carts.hold_against(&mut summary);
        summary
    }

    fn put(&self, summary: &mut Summary, item: &Item, ending: &Ending) {
        let said = item.name.clone();
        match ending {
            Ending::Got(got) => match got.added(item, &self.trip.site) {
                Some(added) => summary.added.push(added),
                None => {
                    let (product, quantity) = (got.product.clone(), got.quantity);
                    summary.resumed.push(Resumed { item: said, product, quantity });
                }
            },
            Ending::NotFound { reason, out_of_stock } => {
                let (reason, out_of_stock) = (reason.clone(), *out_of_stock);
                summary.not_found.push(NotFound { item: said, reason, out_of_stock });
            }
            Ending::Failed(trouble) => {
                summary.failed.push(Failed { item: said, error: trouble.to_string() });
            }
            // It has a note.
            Ending::TakenOff => {}
        }
    }

    fn not_begun(&self, item: &Item) -> NotBegun {
        let ended = self.ended().unwrap_or_else(|| "the run was stopped".into());
        let doubt = self.register.entry(&item.id).is_some_and(|entry| entry.in_doubt());
        let reason = match doubt {
            true => {
                format!("{ended} while it was being added; the next run looks at the cart first")
            }
            false => ended,
        };
        NotBegun { item: item.name.clone(), reason }
    }

    /// Leaves a picture of the cart in a file.
    pub(super) async fn picture(&self, lane: &Lane, to: &Path) {
        if let Err(trouble) = pictured(lane, to).await {
            self.note("the picture of the cart", trouble.to_string());
        }
    }

    /// Gives the list the summary. If it does not take it, the person who reads it here is told.
    pub(super) async fn deliver(&self, summary: &mut Summary) {
        let sent = tokio::time::timeout(LAST, self.trip.list.send_summary(summary)).await;
        let why = match sent {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it did not answer in time".to_owned(),
        };
        let text = format!("it did not take this summary: {why}");
        summary.notes.push(crate::summary::Note { about: "the list".into(), text });
    }
}

async fn pictured(lane: &Lane, to: &Path) -> Result<(), Trouble> {
    let whole = Map::from_iter([("full_page".to_owned(), Value::Bool(true))]);
    let taken = tokio::time::timeout(LAST, lane.call("browser_take_screenshot", whole)).await;
    let taken = taken.map_err(|_| Trouble::TimedOut("it took too long".into()))??;
    let none = || Trouble::Agent("the browser gave none".into());
    let picture = &taken.images.first().ok_or_else(none)?.data;
    let unusable =
        |error: &dyn std::fmt::Display| Trouble::Agent(format!("{}: {error}", to.display()));
    let bytes = base64::engine::general_purpose::STANDARD.decode(picture);
    std::fs::write(to, bytes.map_err(|error| unusable(&error))?).map_err(|error| unusable(&error))
}

/// The cart before the run and after it, where it was looked at.
#[derive(Default)]
pub(super) struct Carts {
    pub(super) before: Option<Contents>,
    pub(super) after: Option<Contents>,
}

impl Carts {
    /// Writes beside what was added what the cart shows of it, and lists what else is there.
    fn hold_against(&self, summary: &mut Summary) {
        let Some(after) = &self.after else { return self.as_each_was_seen(summary) };
        let mut left: Vec<(Line, u32)> =
            after.lines.iter().map(|line| (line.clone(), line.quantity)).collect();
        for line in self.before.iter().flat_map(|before| &before.lines) {
            take(&mut left, &line.product, line.url.as_ref(), line.quantity);
        }
        for added in &mut summary.added {
            let (product, url) = (&added.product, Some(&added.url));
            let (seen, text) = take(&mut left, product, url, added.quantity);
            added.cart = match text {
                Some(line) => Cart::Shows { quantity: seen, line },
                None => Cart::Missing,
            };
        }
        for resumed in &summary.resumed {
            take(&mut left, &resumed.product, None, resumed.quantity);
        }
        summary.others = self.others(after, &left);
    }

    /// Without a last look, what the cart showed when each item was added, less what was there before.
    fn as_each_was_seen(&self, summary: &mut Summary) {
        for added in &mut summary.added {
            let before = self.before.as_ref();
            let before = before.map_or(0, |cart| cart.count(&added.product, Some(&added.url)));
            if let Cart::Shows { quantity, .. } = &mut added.cart {
                // Another item may have asked for the same.
                *quantity = quantity.saturating_sub(before).min(added.quantity);
            }
        }
    }

    /// What nothing explains.
    fn others(&self, after: &Contents, left: &[(Line, u32)]) -> Vec<Other> {
        let mut others = Vec::new();
        for (line, (_, unexplained)) in after.lines.iter().zip(left) {
            let product = line.product.clone();
            let own = |other: &&Line| other.is_of(&line.product, line.url.as_ref());
            let before = self.before.as_ref().map(|before| {
                let there = before.lines.iter().filter(own).map(|line| line.quantity);
                there.fold(0, u32::saturating_add).min(line.quantity)
            });
            let unasked = if before.is_some() { Why::Unasked } else { Why::Unknown };
            for (quantity, why) in [(before.unwrap_or(0), Why::Before), (*unexplained, unasked)] {
                if quantity > 0 {
                    others.push(Other { product: product.clone(), quantity, why });
                }
            }
        }
        others
    }
}

/// A cart without what an interrupted run put there for this list.
pub(super) fn without(cart: Contents, own: &[Got]) -> Contents {
    let mut left: Vec<(Line, u32)> =
        cart.lines.into_iter().map(|line| (line.clone(), line.quantity)).collect();
    for Got { product, url, quantity, .. } in own {
        take(&mut left, product, url.as_ref(), *quantity);
    }
    let rest = left.into_iter().filter(|(_, quantity)| *quantity > 0);
    Contents { lines: rest.map(|(line, quantity)| Line { quantity, ..line }).collect() }
}

/// Takes up to so many of a product from what is left, and says how many there were and in which line.
fn take(
    left: &mut [(Line, u32)],
    product: &str,
    url: Option<&url::Url>,
    quantity: u32,
) -> (u32, Option<String>) {
    let (mut taken, mut text) = (0, None);
    for (line, left) in left.iter_mut().filter(|(line, _)| line.is_of(product, url)) {
        let some = (*left).min(quantity - taken);
        *left -= some;
        taken += some;
        if some > 0 {
            text.get_or_insert(line.text.clone());
        }
    }
    (taken, text)
}

/// What was blocked, by host and rule, the most frequent first.
fn by_host(blocked: &[legwork_protocol::Blocked]) -> Vec<BlockedHost> {
    let mut hosts: BTreeMap<(&str, &str), BlockedHost> = BTreeMap::new();
    for one in blocked {
        let found = hosts.entry((&one.host, &one.rule)).or_insert_with(|| BlockedHost {
            host: one.host.clone(),
            count: 0,
            rule: one.rule.clone(),
            kinds: Vec::new(),
        });
        found.count += 1;
        if !found.kinds.contains(&one.kind) {
            found.kinds.push(one.kind.clone());
        }
    }
    let mut hosts: Vec<_> = hosts.into_values().collect();
    hosts.sort_by_key(|host| std::cmp::Reverse(host.count));
    hosts
}
