//! What a product's own page says: that it is this product, what it costs, whether it can be had, and what
//! puts it in the cart. Only what belongs to the product counts, not what is shown beside it.

use url::Url;

use super::cards::{is_add, is_unavailable};
use super::prices;
use super::words::{says, stems, words};
use crate::cart::is_quantity;
use crate::money::Price;
use crate::page::{Field, Kind, Line, Page, Piece, said};
use crate::site::Site;

/// Lines that are looked through for the product.
const FAR: usize = 60;

/// What a page offers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Offer {
    /// The price as it is written.
    pub(super) price_text: String,
    /// What that means.
    pub(super) price: Price,
    /// Puts it in the cart.
    pub(super) add: String,
    /// Says how many.
    pub(super) quantity: Option<Field>,
    /// One more.
    pub(super) increase: Option<String>,
}

/// Why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoOffer {
    /// It cannot be had now.
    SoldOut,
    /// It is not there, or not as it was.
    Otherwise(String),
}

/// Reads the page of a product.
pub(super) fn read(page: &Page, name: &str, url: &Url, site: &Site) -> Result<Offer, NoOffer> {
    let otherwise = |why: &str| NoOffer::Otherwise(format!("{name}: {why}"));
    if page.status.is_some_and(|status| status >= 400) {
        return Err(otherwise("its page is gone"));
    }
    if !Url::parse(&page.url)
        .is_ok_and(|there| there.path() == url.path() && site.is_shop_page(&there))
    {
        return Err(otherwise("its page leads elsewhere"));
    }
    let pieces = about(page, name).ok_or_else(|| otherwise("its page shows something else"))?;
    if is_unavailable(&pieces) {
        return Err(NoOffer::SoldOut);
    }
    let (price_text, price) = prices::paid(&said(&pieces), site.currency)
        .ok_or_else(|| otherwise("its price cannot be read"))?;
    let add = pieces.iter().find_map(|piece| match piece {
        Piece::Button { name, reference, enabled: true } if is_add(name) => Some(reference.clone()),
        _ => None,
    });
    let add = add.ok_or_else(|| otherwise("nothing on its page puts it in the cart"))?;
    let quantity = pieces.iter().find_map(|piece| match piece {
        Piece::Field(field) if is_quantity(field) && field.enabled => Some(field.clone()),
        _ => None,
    });
    let increase = pieces.iter().find_map(|piece| match piece {
        Piece::Button { name, reference, enabled: true } if is_increase(name) => {
            Some(reference.clone())
        }
        _ => None,
    });
    Ok(Offer { price_text, price, add, quantity, increase })
}

fn is_increase(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    words().increase.iter().any(|word| name == *word || name == format!("{word} quantity"))
}

/// What belongs to the product: from the line that names it to the next heading behind what can be bought.
fn about(page: &Page, name: &str) -> Option<Vec<Piece>> {
    let lines = page.matter();
    let wanted = stems(name);
    let names = |line: &&&Line| {
        let said = stems(&line.text());
        !wanted.is_empty() && wanted.iter().all(|word| said.contains(word))
    };
    let title = lines.iter().position(|line| matches!(line.kind, Kind::Heading(1)) && names(&line));
    let start = title.or_else(|| lines.iter().position(|line| names(&line) && !is_way(line)))?;
    let mut pieces: Vec<Piece> = Vec::new();
    for (at, line) in lines[start..].iter().take(FAR).enumerate() {
        if at > 0 && matches!(line.kind, Kind::Heading(_)) && is_settled(&pieces) {
            break;
        }
        pieces.extend(line.pieces.iter().cloned());
    }
    Some(pieces)
}

/// Whether it was said by now how the product can be had, or that it cannot.
fn is_settled(pieces: &[Piece]) -> bool {
    pieces.iter().any(|piece| match piece {
        Piece::Button { name, .. } => is_add(name),
        other => says(other.words(), &words().unavailable),
    })
}

/// Links that lead to the product, as a list of results or a breadcrumb has them.
fn is_way(line: &Line) -> bool {
    line.pieces.iter().all(|piece| matches!(piece, Piece::Link { .. }))
        && line.kind != Kind::Heading(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shopper::pages::{page, shop};

    fn offer(of: &str, page_name: &str, name: &str) -> Result<Offer, NoOffer> {
        let page = page(of, page_name);
        read(&page, name, &page.url.parse().unwrap(), &shop(of))
    }

    #[test]
    fn a_product_page_says_what_it_costs_and_what_adds_it() {
        let milk = offer("demo", "product", "2% Milk").unwrap();
        assert_eq!((milk.price_text.as_str(), milk.add.as_str()), ("$2.99", "e208"));
        assert_eq!(milk.quantity.unwrap().reference, "e206");
        assert_eq!(milk.increase.as_deref(), Some("e207"));
        let oats = offer("oscar", "product", "Meadowlark Oat Milk 1 L").unwrap();
        assert_eq!(
            (oats.price_text.as_str(), oats.add.as_str(), oats.quantity),
            ("£1.95", "e132", None)
        );
    }

    #[test]
    fn what_is_sold_out_or_something_else_is_no_offer() {
        assert_eq!(offer("demo", "product-out-of-stock", "Strawberries"), Err(NoOffer::SoldOut));
        let name = "Meadowlark Barista Oat Milk 1 L";
        assert_eq!(offer("oscar", "product-out-of-stock", name), Err(NoOffer::SoldOut));
        assert!(matches!(offer("demo", "product", "Oat Milk"), Err(NoOffer::Otherwise(_))));
        let mut gone = page("demo", "product");
        gone.status = Some(404);
        let url = gone.url.parse().unwrap();
        assert!(matches!(read(&gone, "2% Milk", &url, &shop("demo")), Err(NoOffer::Otherwise(_))));
        gone.status = None;
        gone.url = "http://127.0.0.1:8000/checkout".into();
        assert!(matches!(read(&gone, "2% Milk", &url, &shop("demo")), Err(NoOffer::Otherwise(_))));
    }
}
