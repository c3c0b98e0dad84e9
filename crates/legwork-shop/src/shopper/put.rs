//! Puts a product in the cart, once. The cart is looked at before and after, with nobody else in between, and
//! what was meant is written down before anything is pressed. Whatever a press says, the cart tells what came
//! of it; what it does not show was not done.

use url::Url;

use super::count::{self, Doubt};
use super::offer::{self, NoOffer, Offer};
use super::walk::Walk;
use crate::cart::{self, Contents, Intent, Shown};
use crate::errand::{Product, Stage, Trouble};
use crate::item::Item;
use crate::lane::Lane;
use crate::money::{Price, Terms};
use crate::page::{Field, Page};
use crate::preferences::{self, Preference};
use crate::summary::{self, Added, Report};

/// How often the cart is corrected.
const CORRECTIONS: usize = 3;

/// What is to be put there.
pub(super) struct Target<'p> {
    name: &'p str,
    url: &'p Url,
    size: Option<&'p str>,
    /// What it costs where it was found.
    shown: Option<&'p Price>,
    /// How many, where a person said it; else it is as the list says.
    quantity: Option<u32>,
}

impl<'p> Target<'p> {
    /// A product that was found.
    pub(super) fn found(product: &'p Product) -> Target<'p> {
        let Product { name, url, size, price, .. } = product;
        Target { name, url, size: size.as_deref(), shown: price.as_ref(), quantity: None }
    }

    /// A product that was chosen before.
    pub(super) fn remembered(preference: &'p Preference) -> Target<'p> {
        let Preference { product, url, size, .. } = preference;
        Target { name: product, url, size: size.as_deref(), shown: None, quantity: None }
    }

    /// The same, with how many a person wants.
    pub(super) fn so_many(self, quantity: u32) -> Target<'p> {
        Target { quantity: Some(quantity), ..self }
    }
}

/// What came of it.
pub(super) enum Put {
    /// It is there.
    Done(Box<Added>),
    /// It cannot be had now; nothing was done.
    SoldOut,
    /// It is not clear how many are meant; nothing was done.
    HowMany(Doubt),
    /// It is not what it was taken for; nothing was done.
    Otherwise(String),
}

/// Puts as many of a product in the cart as the list asks for.
pub(super) async fn put(walk: &Walk<'_>, target: &Target<'_>) -> Result<Put, Trouble> {
    let (lane, till) = (walk.floor.lane, walk.floor.till);
    let item = &walk.errand.item;
    let clear = target.quantity.is_some();
    if let Some(doubt) = count::doubt(item, target.name, target.size).filter(|_| !clear) {
        return Ok(Put::HowMany(doubt));
    }
    let _turn = till.turn().await;
    walk.tell(Stage::Looking(target.name.to_owned()));
    let before = look(walk).await?.1;
    let page = walk.go(target.url).await?;
    let offer = match offer::read(&page, target.name, target.url, lane.site()) {
        Ok(offer) => offer,
        Err(NoOffer::SoldOut) => return Ok(Put::SoldOut),
        Err(NoOffer::Otherwise(reason)) => return Ok(Put::Otherwise(reason)),
    };
    let quantity = target.quantity.unwrap_or(item.wanted.quantity);
    let mut added = match allowed(walk, target, &offer, quantity) {
        Ok(added) => added,
        Err(reason) => return Ok(Put::Otherwise(reason)),
    };
    let product = Some((target.name.to_owned(), target.url.clone()));
    let price = Some(offer.price_text.clone());
    let intent = Intent { product, price, what: None, quantity, before: before.clone() };
    till.intend(&item.id, &intent).await?;
    walk.tell(Stage::Adding(target.name.to_owned()));
    lane.clear(&page).await;
    let pressed = press(lane, &offer, quantity).await;
    let has = before.count(target.name, Some(target.url));
    let after = settle(walk, target, (has, has.saturating_add(quantity)), pressed).await?;
    let lines = || after.of(target.name, Some(target.url));
    let shown = Shown { lines: lines().collect(), had: Some(has), said: "on its page" };
    if let Some(why) = shown.hold(walk.errand, walk.floor, &mut added).await? {
        return Ok(Put::Otherwise(why));
    }
    let shown = lines().map(|line| line.text.as_str()).collect::<Vec<_>>().join("; ");
    let quantity = after.count(target.name, Some(target.url));
    added.cart = summary::Cart::Shows { quantity, line: shown };
    Ok(Put::Done(Box::new(added)))
}

/// The cart, as it is.
async fn look(walk: &Walk<'_>) -> Result<(Page, Contents), Trouble> {
    walk.tell(Stage::Checking);
    let (page, contents) = cart::open(walk.floor.lane).await?;
    walk.notice(&page).await;
    Ok((page, contents))
}

/// Tells if a product costs something else on its page than where it was found.
fn compare(walk: &Walk<'_>, target: &Target<'_>, page: &Price) {
    let by_weight = |price: &Price| matches!(price.terms, Terms::Per(_));
    let comparable = target.shown.filter(|shown| !by_weight(shown) && !by_weight(page));
    if let Some(shown) = comparable.filter(|shown| shown.each() != page.each()) {
        let (found, here) = (shown.each(), page.each());
        let text =
            format!("{} costs {found} among the results and {here} on its page", target.name);
        walk.tell(Stage::Noted(text));
    }
}

/// Whether it may be put there: it can be reported, costs no more than it may, and so many can be had.
fn allowed(
    walk: &Walk<'_>,
    target: &Target<'_>,
    offer: &Offer,
    quantity: u32,
) -> Result<Added, String> {
    let site = walk.floor.lane.site();
    let Item { name, .. } = &walk.errand.item;
    let otherwise = |why: String| format!("{}: {why}", target.name);
    compare(walk, target, &offer.price);
    for price in [Some(&offer.price), target.shown].into_iter().flatten() {
        if let Some(why) = preferences::over(walk.errand.ceiling(), price, site.currency) {
            return Err(otherwise(why));
        }
    }
    if let Some(most) =
        offer.quantity.as_ref().and_then(|field| field.most).filter(|most| *most < quantity)
    {
        return Err(otherwise(format!("at most {most} can be had")));
    }
    let cents = offer
        .price
        .each()
        .cents()
        .ok_or_else(|| otherwise("its price cannot be counted".into()))?;
    let report = Report {
        item_name: target.name,
        price_text: &offer.price_text,
        price_cents: cents,
        url: target.url.as_str(),
        quantity,
    };
    Added::reported(name, &report, site).map_err(|error| otherwise(error.to_string()))
}

/// Says how many, if the page takes that, and adds. Where it does not, one is added and the cart corrected.
async fn press(lane: &Lane, offer: &Offer, quantity: u32) -> Result<(), Trouble> {
    let number = quantity.to_string();
    match &offer.quantity {
        Some(Field { value: Some(value), .. }) if value.trim() == number => {}
        Some(field) if field.role == "combobox" => {
            if field.options.contains(&number) {
                lane.choose(&field.reference, &number).await?;
            }
        }
        Some(field) => lane.fill(&field.reference, &number).await?,
        None => {
            if let Some(increase) = &offer.increase {
                for _ in 1..quantity {
                    lane.click(increase).await?;
                }
            }
        }
    }
    let pressed = lane.click(&offer.add).await;
    if let Some(Field { reference, value: Some(value), role, .. }) = &offer.quantity
        && value.trim() != number
        && role != "combobox"
    {
        // What was typed and not sent would be lost by leaving, which nobody may do unasked. If the page is
        // another one by now, nothing is lost.
        let _ = lane.fill(reference, value).await;
    }
    pressed
}

/// Looks whether the cart holds what it should, and corrects it as far as it can be corrected there.
async fn settle(
    walk: &Walk<'_>,
    target: &Target<'_>,
    (had, due): (u32, u32),
    pressed: Result<(), Trouble>,
) -> Result<Contents, Trouble> {
    let lane = walk.floor.lane;
    let mut has = had;
    for _ in 0..=CORRECTIONS {
        let (mut page, mut contents) = look(walk).await?;
        has = contents.count(target.name, Some(target.url));
        if has <= had {
            // A shop may show the cart as it was until it knows better.
            (page, contents) = cart::at_rest(lane, &page).await?;
            has = contents.count(target.name, Some(target.url));
        }
        if has == due {
            return Ok(contents);
        }
        // With less than before, one of the two was misread, and nothing is to be built on it.
        if has <= had {
            break;
        }
        let entries = cart::entries(&page, lane.site()).unwrap_or_default();
        let mut own =
            entries.iter().filter(|entry| entry.line.is_of(target.name, Some(target.url)));
        // With several lines of one product it cannot be said which is meant.
        let (Some(entry), None) = (own.next(), own.next()) else { break };
        if !cart::set(lane, entry, due).await? {
            break;
        }
    }
    Err(match (has == had, pressed) {
        (true, Err(trouble)) => trouble,
        (true, Ok(())) => {
            Trouble::Network(format!("the shop did not put {} in the cart", target.name))
        }
        (false, _) => {
            Trouble::Agent(format!("the cart shows {has} of {} instead of {due}", target.name))
        }
    })
}
