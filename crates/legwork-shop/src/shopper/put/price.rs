//! The prices of one product: where it was found, on its page, in the cart. Where they differ it is told, and
//! the cart counts. What costs more there than it may is taken out again.

use super::{Put, Target};
use crate::cart::{self, Asks};
use crate::errand::{Stage, Trouble};
use crate::money::{Price, Terms};
use crate::preferences;
use crate::shopper::walk::Walk;
use crate::summary::Added;

/// Tells if a product costs something else on its page than where it was found.
pub(super) fn compare(walk: &Walk<'_>, target: &Target<'_>, page: &Price) {
    let by_weight = |price: &Price| matches!(price.terms, Terms::Per(_));
    let comparable = target.shown.filter(|shown| !by_weight(shown) && !by_weight(page));
    if let Some(shown) = comparable.filter(|shown| shown.each() != page.each()) {
        let (found, here) = (shown.each(), page.each());
        let text =
            format!("{} costs {found} among the results and {here} on its page", target.name);
        walk.tell(Stage::Noted(text));
    }
}

/// Takes over what the cart asks, and tells if that is something else than the page said. Says why it may not
/// be bought at that price, if so.
pub(super) fn hold(
    walk: &Walk<'_>,
    target: &Target<'_>,
    added: &mut Added,
    asks: Asks,
) -> Option<String> {
    let site = walk.floor.lane.site();
    let before = added.price.each();
    let text = match asks {
        Asks::TheSame => return None,
        Asks::Unclear(line) => {
            let text =
                format!("it costs {before} on its page and something else in the cart: {line}");
            if target.ceiling.is_some() {
                return Some(text);
            }
            text
        }
        Asks::Another(price_text, price) => {
            if let Some(why) = preferences::over(target.ceiling, &price, site.currency) {
                return Some(format!("{why}, in the cart; its page said {before}"));
            }
            let text = format!("it costs {before} on its page and {} in the cart", price.each());
            if price.shown.currency == site.currency {
                (added.price_text, added.price) = (price_text, price);
            }
            text
        }
    };
    walk.tell(Stage::Noted(format!("{}: {text}", target.name)));
    None
}

/// Leaves the cart as it was before, as far as it lets itself be changed.
pub(super) async fn take_back(
    walk: &Walk<'_>,
    target: &Target<'_>,
    had: u32,
    why: String,
) -> Result<Put, Trouble> {
    let (floor, item) = (walk.floor, &walk.errand.item.id);
    let why = format!("{}: {why}", target.name);
    let out = cart::take_out(floor.lane, (target.name, target.url), had).await;
    // The cart was looked at, and what is left there is told.
    floor.till.not_added(item).await;
    match out {
        Ok(true) => Ok(Put::Otherwise(format!("{why}; it was taken out of the cart again"))),
        Ok(false) => Err(Trouble::Agent(format!("{why}; please take it out of the cart"))),
        Err(trouble) => {
            Err(Trouble::Agent(format!("{why}; please take it out of the cart ({trouble})")))
        }
    }
}
