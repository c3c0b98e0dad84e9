//! What a product's own page says: that it is this product, what it costs, whether it can be had, and what
//! puts it in the cart. Only what belongs to the product counts, not what is shown beside it.

mod own;

use url::Url;

use super::cards::{is_add, is_unavailable};
use super::prices;
use super::words::words;
use crate::cart::is_quantity;
use crate::money::Price;
use crate::page::{Field, Page, Piece, said};
use crate::site::Site;

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
    let pieces = own::part(page, name, url, site)
        .ok_or_else(|| otherwise("its page shows something else"))?;
    if is_unavailable(&pieces, &site.hints) {
        return Err(NoOffer::SoldOut);
    }
    let (price_text, price) = prices::paid(&said(&pieces), site.currency)
        .ok_or_else(|| otherwise("its price cannot be read"))?;
    let add = pieces.iter().find_map(|piece| match piece {
        Piece::Button { name, reference, enabled: true } if is_add(name, &site.hints) => {
            Some(reference.clone())
        }
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

    fn shown(text: &str) -> Result<Offer, NoOffer> {
        let page = Page::read("http://127.0.0.1:8000/p/1", "", text);
        read(&page, "Oat Milk", &page.url.parse().unwrap(), &shop("demo"))
    }

    #[test]
    fn a_page_that_sells_only_other_products_offers_nothing() {
        let others = [
            "## You may also like\n- <Soy Milk e1 → /p/2> $3.49 [Add to cart e2]",
            "### <Soy Milk e1 → /p/2>\n$3.49\n[Add to cart e2]",
            "## Soy Milk\n$3.49\n[Add to cart e2]",
            "## Also bought\n### Soy Milk\n$3.49 [Add to cart e2]",
            "<Soy Milk e1 → /p/2>\n$3.49\n[Add to cart e2]",
            "<Soy Milk e1 → /p/2> $3.49 [Add Soy Milk to cart e2]",
            "- <Soy Milk e1 → /dairy/p9/2> $3.49 [Add to cart e2]",
            "| <Oat Milk e1 → /p/2> | $3.49 | [Add to cart e2]",
        ];
        for rest in others {
            for own in ["$4.49\nOnly in our stores", "Only in our stores", "4 L $4.49"] {
                let text = format!("# Oat Milk\n{own}\n{rest}");
                assert!(matches!(shown(&text), Err(NoOffer::Otherwise(_))), "{text}");
            }
        }
        let text = "# Havermelk\nOnly in our stores\n- <Oat Milk e1 → /p/2> $3 [Add to cart e2]";
        assert!(matches!(shown(text), Err(NoOffer::Otherwise(_))), "another of that name");
    }

    #[test]
    fn what_stands_between_a_product_and_its_button_is_not_in_the_way() {
        let others = "## You may also like\n- <Soy Milk e1 → /p/2> $0.49 [Add to cart e2]";
        for own in [
            "# Oat Milk\n## Meadow\n1 L\n$4.49\n[Add to cart e9]",
            "# Oat Milk\nby <Meadow e3 → /brand/meadow>\n$4.49\n[Add to cart e9]",
            "# Oat Milk\n$4.49\n<Meadow e3 → /brand/meadow>\n[Add to cart e9]",
            "# Oat Milk\n$4.49 by <Meadow e3 → /brand/meadow>\n[Add to cart e9]",
            "# Oat Milk\nMeadow\n## $4.49\n[Add to cart e9]",
            "# Oat Milk\n<1 L e3 → /p/2> <2 L e4 → /p/3>\n$4.49\n[Add to cart e9]",
            "# Oat Milk\n$4.49\n- <Delivery e3 → /help/delivery> from $5.99\n[Add to cart e9]",
            "Home > Oat Milk\n<Reviews e3 → /p/1/reviews> (3)\n## Oat Milk\n$4.49 [Add to cart e9]",
        ] {
            let offer = shown(&format!("{own}\n{others}"));
            let told = offer.map(|offer| (offer.price_text, offer.add));
            assert_eq!(told, Ok(("$4.49".into(), "e9".into())), "{own}");
        }
    }
}
