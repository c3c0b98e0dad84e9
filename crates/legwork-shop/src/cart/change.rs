//! Changes a line of the cart: to another quantity, or out of it. The cart tells what came of it.

use url::Url;

use super::{Entry, at_rest, entries, open};
use crate::errand::{Floor, Trouble};
use crate::item::ItemId;
use crate::lane::Lane;

/// Says another quantity in a line; whether it takes one. Only that the shop does not know us any more is a
/// trouble: else the cart tells.
pub(crate) async fn set(lane: &Lane, entry: &Entry, quantity: u32) -> Result<bool, Trouble> {
    let Some(field) = &entry.field else { return Ok(false) };
    let number = quantity.to_string();
    if field.role == "combobox" {
        return done(lane.choose(&field.reference, &number).await);
    }
    if !done(lane.fill(&field.reference, &number).await)? {
        return Ok(false);
    }
    done(match &entry.update {
        Some(update) => lane.click(update).await,
        None => lane.enter(&field.reference).await,
    })
}

fn done(ended: Result<(), Trouble>) -> Result<bool, Trouble> {
    match ended {
        Err(Trouble::SignedOut) => Err(Trouble::SignedOut),
        other => Ok(other.is_ok()),
    }
}

/// Takes out again what may not be bought, as far as the cart lets itself be changed, and says why it is not.
/// `had` is how many were there before; where nothing was added, what is there is a person's and stays.
pub(super) async fn take_back(
    floor: &Floor<'_>,
    item: &ItemId,
    (name, url): (&str, &Url),
    had: Option<u32>,
    why: &str,
) -> Result<String, Trouble> {
    let why = format!("{name}: {why}");
    let out = match had {
        Some(had) => take_out(floor.lane, (name, url), had).await,
        None => Ok(false),
    };
    // What could not be taken out stays in the book: the next run puts nothing beside it.
    match (out, had) {
        (Ok(true), _) => {
            floor.till.not_added(item).await;
            Ok(format!("{why}; it was taken out of the cart again"))
        }
        (_, None) => Err(Trouble::Agent(format!("{why}; it was in the cart before, and stays"))),
        (Ok(false), _) => Err(Trouble::Left(format!("{why}; please take it out of the cart"))),
        (Err(trouble), _) => {
            Err(Trouble::Left(format!("{why}; please take it out of the cart ({trouble})")))
        }
    }
}

/// Takes out what was put in, until so many of a product are left. Whether the cart shows that then.
async fn take_out(lane: &Lane, (name, url): (&str, &Url), left: u32) -> Result<bool, Trouble> {
    let (page, _) = open(lane).await?;
    let entries = entries(&page, lane.site()).unwrap_or_default();
    let mut own = entries.iter().filter(|entry| entry.line.is_of(name, Some(url)));
    // With several lines of one product it cannot be said which is meant.
    let (Some(entry), None) = (own.next(), own.next()) else { return Ok(false) };
    let removed = match (left, &entry.remove) {
        (0, Some(remove)) => done(lane.click(remove).await)?,
        _ => false,
    };
    // Where there is no button, or it may not be pressed, none of it is the same.
    if !removed && !set(lane, entry, left).await? {
        return Ok(false);
    }
    let (page, mut now) = open(lane).await?;
    if now.count(name, Some(url)) != left {
        (_, now) = at_rest(lane, &page).await?;
    }
    Ok(now.count(name, Some(url)) == left)
}
