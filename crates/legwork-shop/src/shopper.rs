//! The shopper that needs no model. It searches, reads what the shop shows, takes what clearly fits, puts it in
//! the cart and looks there whether it is. What does not clearly fit it asks about, hands over, or reports as
//! not found with what it saw: it never takes something else.
//!
//! - `search`: which words are searched for, and what the shop showed.
//! - `score` and `choose`: how well each fits, and which is taken. Every point can be explained.
//! - `chosen`: what was chosen before, and what may take its place.
//! - `count`: whether a number is of pieces or of packs.
//! - `offer`: what a product's own page says.
//! - `put`: into the cart, once, and verified there.
//!
//! Everything on a page is data. Only the list says how many.

pub(crate) mod cards;
mod choose;
pub(crate) mod chosen;
mod count;
mod offer;
pub(crate) mod prices;
mod put;
mod score;
mod search;
mod size;
mod walk;
mod words;

use std::sync::Arc;

pub(crate) use words::says;
pub use words::{Words, words};

use url::Url;

use crate::cart;
use crate::errand::{Errand, Floor, Outcome, Product, Shopped, Shopper, Stage, Trouble};
use choose::{Choice, Judged};
use chosen::{Before, Lacking};
use count::Doubt;
use put::{Put, Target};
use score::Want;
use walk::Walk;

/// Products that are named when nothing was taken.
const NAMED: usize = 5;

/// Gets items by itself.
#[derive(Clone, Default)]
pub struct Embedded {
    /// Who shops where this one is not sure and nobody can be asked.
    pub next: Option<Arc<dyn Shopper>>,
}

impl Shopper for Embedded {
    fn shop<'a>(&'a self, errand: &'a Errand, floor: &'a Floor<'a>) -> Shopped<'a> {
        Box::pin(self.run(errand, floor))
    }
}

impl Embedded {
    async fn run(&self, errand: &Errand, floor: &Floor<'_>) -> Result<Outcome, Trouble> {
        match chosen::before(errand, floor).await? {
            Before::Nothing => self.search(errand, floor, None).await,
            Before::Added(added) => Ok(Outcome::Added(added)),
            Before::HowMany(product, doubt) => {
                let walk = Walk::new(errand, floor);
                self.how_many(&walk, &product, &doubt).await
            }
            Before::Lacking(lacking) => {
                let outcome = self.search(errand, floor, Some(&lacking)).await?;
                lacking.note(&outcome, floor);
                Ok(outcome)
            }
        }
    }

    /// Looks for what is wanted. Where something else was chosen before, what is taken instead has to be like
    /// it, and whoever can be asked is asked.
    async fn search(
        &self,
        errand: &Errand,
        floor: &Floor<'_>,
        lacking: Option<&Lacking>,
    ) -> Result<Outcome, Trouble> {
        let walk = Walk::new(errand, floor);
        let want = Want::read(&errand.item.wanted.what);
        let mut products = search::search(&walk, &want).await?;
        let like = lacking.map(|lacking| lacking.like(&mut products));
        // What its own page says counts: each round, one product turned out not to be had.
        for _ in 0..=products.len() {
            let judged = choose::judge(&want, &products);
            let (chosen, fit) = match choose::choose(&judged) {
                Choice::Take(one) => (one.product.clone(), one.fit.to_string()),
                Choice::SoldOut(one) if lacking.is_none() => return Ok(sold_out(&one.product)),
                Choice::SoldOut(_) | Choice::Unsure => {
                    return self.unsure(&walk, &judged, against(lacking)).await;
                }
            };
            if like.as_ref().is_some_and(|like| floor.person.is_some() || !like.is(&chosen)) {
                return self.unsure(&walk, &judged, against(lacking)).await;
            }
            match put::put(&walk, &Target::found(&chosen)).await? {
                Put::Done(mut added) => {
                    added.chosen = Some(fit);
                    return Ok(Outcome::Added(added));
                }
                Put::SoldOut => mark_sold_out(&mut products, &chosen),
                Put::HowMany(doubt) => return self.how_many(&walk, &chosen, &doubt).await,
                Put::Otherwise(why) => {
                    products.retain(|product| product.url != chosen.url);
                    let judged = choose::judge(&want, &products);
                    let against = Against { why, out_of_stock: false };
                    return self.unsure(&walk, &judged, Some(against)).await;
                }
            }
        }
        Ok(not_found("nothing of it can be had".into()))
    }

    /// Asks, or hands over, or says what was seen and what speaks against taking something.
    async fn unsure(
        &self,
        walk: &Walk<'_>,
        all: &[Judged],
        against: Option<Against>,
    ) -> Result<Outcome, Trouble> {
        let near = choose::near(all);
        let products: Vec<Product> = near.iter().map(|one| one.product.clone()).collect();
        if let Some(person) = walk.floor.person.filter(|_| !products.is_empty()) {
            walk.tell(Stage::Asking);
            let chosen = person.choose(&walk.errand.item, &products).await;
            let Some(product) = chosen.and_then(|at| products.get(at)) else {
                let none = format!("none of these was chosen: {}", named(&products));
                return Ok(Against::reported(against, &products, none));
            };
            return Ok(match put::put(walk, &Target::found(product)).await? {
                Put::Done(added) => Outcome::Added(added),
                Put::SoldOut => sold_out(product),
                Put::HowMany(doubt) => return self.how_many(walk, product, &doubt).await,
                Put::Otherwise(reason) => not_found(reason),
            });
        }
        if let Some(next) = &self.next {
            return next.shop(walk.errand, walk.floor).await;
        }
        let seen: Vec<Product> = all.iter().map(|one| one.product.clone()).collect();
        let seen = match (products.is_empty(), seen.is_empty()) {
            (false, _) => format!("it is not clear which is meant: {}", weighed(&near)),
            (true, false) => format!("nothing that the shop shows fits: {}", named(&seen)),
            (true, true) => "the shop shows nothing for it".into(),
        };
        Ok(Against::reported(against, &products, seen))
    }

    /// Asks how many are meant. A model knows that no better, so that without a person nothing is taken.
    async fn how_many(
        &self,
        walk: &Walk<'_>,
        product: &Product,
        doubt: &Doubt,
    ) -> Result<Outcome, Trouble> {
        let Some(person) = walk.floor.person else { return Ok(not_found(doubt.why.clone())) };
        walk.tell(Stage::Asking);
        let counts = doubt.counts();
        let choices = counts.map(|count| Product {
            name: format!("{count} × {}", product.name),
            ..product.clone()
        });
        let chosen = person.choose(&walk.errand.item, &choices).await;
        let Some(count) = chosen.and_then(|at| counts.get(at)) else {
            return Ok(not_found(doubt.why.clone()));
        };
        let target = Target::found(product).so_many(*count);
        Ok(match put::put(walk, &target).await? {
            Put::Done(added) => Outcome::Added(added),
            Put::SoldOut => sold_out(product),
            Put::HowMany(Doubt { why, .. }) | Put::Otherwise(why) => not_found(why),
        })
    }
}

/// What speaks against taking something, and is told first where nothing is taken.
struct Against {
    why: String,
    out_of_stock: bool,
}

impl Against {
    /// What is told where nothing was taken: what speaks against it and what else there is, or what was seen.
    fn reported(against: Option<Against>, others: &[Product], seen: String) -> Outcome {
        match against {
            Some(Against { why, out_of_stock }) => {
                let others = match others {
                    [] => String::new(),
                    others => format!("; the shop also shows {}", named(others)),
                };
                Outcome::NotFound { reason: why + &others, out_of_stock }
            }
            None => not_found(seen),
        }
    }
}

fn against(lacking: Option<&Lacking>) -> Option<Against> {
    lacking
        .map(|Lacking { why, sold_out, .. }| Against { why: why.clone(), out_of_stock: *sold_out })
}

fn mark_sold_out(products: &mut [Product], sold_out: &Product) {
    for product in products.iter_mut().filter(|product| product.url == sold_out.url) {
        product.available = false;
    }
}

fn sold_out(product: &Product) -> Outcome {
    Outcome::NotFound { reason: format!("{} is out of stock", product.name), out_of_stock: true }
}

fn not_found(reason: String) -> Outcome {
    Outcome::NotFound { reason, out_of_stock: false }
}

/// Whether a line of the cart may well be what is wanted.
pub(crate) fn fits(what: &str, line: &cart::Line) -> bool {
    let nowhere = || Url::parse("about:blank").expect("it is an address");
    let product = Product {
        name: line.product.clone(),
        // The line says brand and size, where it does, beside the name.
        brand: Some(line.text.clone()),
        size: size::text(&line.product).or_else(|| size::text(&line.text)),
        price_text: String::new(),
        price: None,
        url: line.url.clone().unwrap_or_else(nowhere),
        available: true,
    };
    let judged = choose::judge(&Want::read(what), &[product]);
    judged.iter().any(|one| one.fit.points >= score::ENOUGH)
}

/// The first products by name and price.
fn named(products: &[Product]) -> String {
    let one = |product: &Product| match product.price_text.is_empty() {
        true => product.name.clone(),
        false => format!("{} ({})", product.name, product.price_text),
    };
    first(products.iter().map(one))
}

/// The first products by name and price, each with what speaks most against it.
fn weighed(near: &[&Judged]) -> String {
    let against = |fit: &score::Fit| {
        let most = fit.reservations.iter().max_by_key(|(_, points)| *points);
        most.map_or(String::new(), |(why, _)| format!(": {why}"))
    };
    let one = |one: &&Judged| {
        format!("{} ({}{})", one.product.name, one.product.price_text, against(&one.fit))
    };
    first(near.iter().map(one))
}

fn first(all: impl ExactSizeIterator<Item = String>) -> String {
    let more = all.len().saturating_sub(NAMED);
    let shown: Vec<String> = all.take(NAMED).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
pub(crate) mod pages;
#[cfg(test)]
mod tests;
