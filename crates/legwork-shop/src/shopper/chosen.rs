//! What was chosen for an item before. It is added without a search while it can be had as it was. Where it
//! cannot, nothing takes its place in silence: only what is the same thing in the same size may, unless a
//! person chooses, and the summary says so.

use super::choose;
use super::count::Doubt;
use super::put::{self, Put, Target};
use super::score::{self, Thing, Want};
use super::size;
use super::walk::Walk;
use crate::errand::{Errand, Floor, Outcome, Product, Stage, Trouble};
use crate::preferences::Preference;
use crate::summary::Added;

/// What came of what was chosen before.
pub(crate) enum Before {
    /// Nothing was.
    Nothing,
    /// It is in the cart.
    Added(Box<Added>),
    /// It is not clear how many are meant.
    HowMany(Product, Doubt),
    /// It cannot be had.
    Lacking(Lacking),
}

/// Something that was chosen before and cannot be had as it was.
pub(crate) struct Lacking {
    chosen: Preference,
    /// What is the matter with it.
    pub(super) why: String,
    /// Whether the shop has it at other times.
    pub(super) sold_out: bool,
}

/// What may take the place of something that was chosen: the same thing in the same size.
pub(super) struct Like {
    want: Want,
}

/// Adds what was chosen before, if it is still to be had as it was.
pub(crate) async fn before(errand: &Errand, floor: &Floor<'_>) -> Result<Before, Trouble> {
    let Some(chosen) = &errand.preference else { return Ok(Before::Nothing) };
    let lacking = |why: String, sold_out| {
        let (chosen, product) = (chosen.clone(), &chosen.product);
        let why = format!("{product}, chosen before, cannot be had: {why}");
        Ok(Before::Lacking(Lacking { chosen, why, sold_out }))
    };
    if !floor.lane.site().is_shop_page(&chosen.url) {
        return lacking("its page is none of this shop".into(), false);
    }
    let walk = Walk::new(errand, floor);
    match put::put(&walk, &Target::remembered(chosen)).await? {
        Put::Done(added) => Ok(Before::Added(added)),
        Put::HowMany(doubt) => Ok(Before::HowMany(product(chosen), doubt)),
        Put::SoldOut => lacking("it is out of stock".into(), true),
        Put::Otherwise(why) => {
            let named = format!("{}: ", chosen.product);
            lacking(why.strip_prefix(&named).unwrap_or(&why).to_owned(), false)
        }
    }
}

/// A choice as a product whose price nobody has seen.
fn product(chosen: &Preference) -> Product {
    let Preference { product, url, size, brand, .. } = chosen.clone();
    let (price_text, price) = (String::new(), None);
    Product { name: product, brand, size, price_text, price, url, available: true }
}

impl Lacking {
    #[cfg(test)]
    pub(super) fn of(chosen: Preference) -> Lacking {
        Lacking { chosen, why: String::new(), sold_out: true }
    }

    /// What may take its place among products, which it is taken out of. Where the choice does not say its
    /// size, the shop may.
    pub(super) fn like(&self, products: &mut Vec<Product>) -> Like {
        let own = products.iter().position(|product| product.url == self.chosen.url);
        let own = own.map(|at| products.remove(at));
        let mut want = Want::read(&self.chosen.product);
        let sizes = [self.chosen.size.clone(), own.and_then(|own| own.size)];
        let said = sizes.iter().flatten().map(|said| size::take(said).0);
        if want.sizes.is_empty() {
            want.sizes = said.into_iter().find(|sizes| !sizes.is_empty()).unwrap_or_default();
        }
        Like { want }
    }

    /// Tells whoever reads the summary that something else was taken.
    pub(crate) fn note(&self, outcome: &Outcome, floor: &Floor<'_>) {
        if let Outcome::Added(added) = outcome {
            let text = format!("{}; {} was taken instead", self.why, added.product);
            (floor.told)(Stage::Noted(text));
        }
    }
}

impl Like {
    /// Whether a product is the same thing in the same size. Of what says no size, none is known to be.
    pub(super) fn is(&self, product: &Product) -> bool {
        let unsized_too = !self.want.sizes.is_empty() || Thing::read(product).sizes.is_empty();
        let judged = choose::judge(&self.want, std::slice::from_ref(product));
        unsized_too && judged.iter().all(|one| one.fit.size == 0 && one.fit.points >= score::ENOUGH)
    }
}
