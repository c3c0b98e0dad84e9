//! Which of several products is taken, if any: the best, if it fits well enough and nothing else fits as well.
//! Of several that are the same thing, the cheapest by its measure, then the first.

use std::collections::HashSet;

use rust_decimal::Decimal;
use rust_decimal::prelude::FromPrimitive;

use super::score::{self, ENOUGH, Fit, Thing, Want};
use super::size::{Measure, Size};
use crate::errand::Product;

/// Points by which varieties of one thing may differ and be equally good.
const EQUAL: i32 = 1;

/// Points by which another thing has to be worse.
const CLEAR: i32 = 4;

/// Points that may be given up because the best cannot be bought.
const SECOND: i32 = 8;

/// Points from which on a person is shown a product.
const WORTH_SHOWING: i32 = 30;

/// Products that a person is shown at most.
const SHOWN: usize = 8;

/// A product, and how well it fits.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    pub(super) product: Product,
    pub(super) fit: Fit,
    sizes: Vec<Size>,
}

/// What follows from what was seen.
#[derive(Debug)]
pub(super) enum Choice<'j> {
    /// This one.
    Take(&'j Judged),
    /// This one, if it could be bought.
    SoldOut(&'j Judged),
    /// It is not clear; what comes [`near`] may be meant.
    Unsure,
}

/// Judges products, in their order.
pub(super) fn judge(want: &Want, products: &[Product]) -> Vec<Judged> {
    let things: Vec<Thing> = products.iter().map(Thing::read).collect();
    let seen: HashSet<String> =
        things.iter().flat_map(|thing| thing.vocabulary().cloned()).collect();
    let want = want.meant(&seen);
    let judged = products.iter().zip(things).map(|(product, thing)| {
        let fit = score::fit(&want, &thing);
        Judged { product: product.clone(), fit, sizes: thing.sizes }
    });
    judged.collect()
}

/// Chooses.
pub(super) fn choose(judged: &[Judged]) -> Choice<'_> {
    let good: Vec<&Judged> = judged.iter().filter(|one| one.fit.points >= ENOUGH).collect();
    let Some(best) = first_best(&good) else { return Choice::Unsure };
    let can_be_had = |one: &&&Judged| one.product.available && one.product.price.is_some();
    let to_be_had: Vec<&Judged> = good.iter().filter(can_be_had).copied().collect();
    let top = match first_best(&to_be_had) {
        Some(top) if top.fit.points >= best.fit.points - SECOND => top,
        _ if best.product.available => return Choice::Unsure,
        _ => return Choice::SoldOut(best),
    };
    let rivals = to_be_had.iter().filter(|one| one.fit.other != top.fit.other);
    if rivals.into_iter().any(|one| one.fit.points > top.fit.points - CLEAR) {
        return Choice::Unsure;
    }
    if is_chosen_by_size(top, judged) {
        return Choice::Unsure;
    }
    let equal: Vec<&Judged> =
        to_be_had.into_iter().filter(|one| one.fit.points >= top.fit.points - EQUAL).collect();
    Choice::Take(cheapest(&equal).unwrap_or(top))
}

/// Whether a kind of its own is best only because of its size: baby carrots, where the carrots are of another.
fn is_chosen_by_size(top: &Judged, judged: &[Judged]) -> bool {
    let plain = |one: &&Judged| one.fit.other.is_empty();
    let better = |one: &Judged| one.fit.points + one.fit.size > top.fit.points + top.fit.size;
    !top.fit.other.is_empty() && judged.iter().filter(plain).any(better)
}

/// The most points of all.
pub(super) fn most(judged: &[Judged]) -> i32 {
    let buyable = judged.iter().filter(|one| one.product.available && one.product.price.is_some());
    buyable.map(|one| one.fit.points).max().unwrap_or(i32::MIN)
}

fn first_best<'j>(judged: &[&'j Judged]) -> Option<&'j Judged> {
    // Of equals, `max_by_key` gives the last.
    judged.iter().rev().max_by_key(|one| one.fit.points).copied()
}

/// What may be meant, best first; none if nothing comes near.
pub(super) fn near(judged: &[Judged]) -> Vec<&Judged> {
    let mut near: Vec<&Judged> = judged
        .iter()
        .filter(|one| {
            one.fit.points >= WORTH_SHOWING && one.product.available && one.product.price.is_some()
        })
        .collect();
    near.sort_by_key(|one| std::cmp::Reverse(one.fit.points));
    near.truncate(SHOWN);
    near
}

/// By measure where all have the same, else by the piece.
fn cheapest<'j>(equal: &[&'j Judged]) -> Option<&'j Judged> {
    let measures = [Measure::Mass, Measure::Volume, Measure::Count];
    let amount = |one: &Judged, measure: Measure| {
        one.sizes
            .iter()
            .find(|size| size.measure == measure)
            .and_then(|size| Decimal::from_f64(size.amount))
    };
    let common = measures
        .into_iter()
        .find(|measure| equal.iter().all(|one| amount(one, *measure).is_some()));
    let cost = |one: &&&Judged| {
        let each = one.product.price.as_ref().map(|price| price.each().amount)?;
        let of = common.and_then(|measure| amount(one, measure)).unwrap_or(Decimal::ONE);
        each.checked_div(of)
    };
    let costs = equal.iter().filter_map(|one| Some((cost(&one)?, *one)));
    costs.reduce(|least, one| if one.0 < least.0 { one } else { least }).map(|(_, one)| one)
}
