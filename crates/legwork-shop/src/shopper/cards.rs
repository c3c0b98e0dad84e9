//! From the cards of a page to products: name, brand, size, price, whether it can be bought.

use super::words::{says, words};
use super::{prices, size};
use crate::errand::Product;
use crate::page::{Card, Page, Piece, Shop};
use crate::site::{Hints, Site};

/// Words that a brand has at most.
const BRAND: usize = 4;

/// What a page shows of products: only what has a price, or says that it cannot be bought.
pub(super) fn products(page: &Page, site: &Site) -> Vec<Product> {
    let mut out: Vec<Product> = Vec::new();
    for card in cut(page, site) {
        if let Some(product) = product(&card, site)
            && !out.iter().any(|other| other.url == product.url)
        {
            out.push(product);
        }
    }
    out
}

/// The cards of a page.
pub(crate) fn cut(page: &Page, site: &Site) -> Vec<Card> {
    let is_aside = |name: &str| {
        let name = name.trim().to_lowercase();
        words().aside.contains(&name)
    };
    let is_page = |url: &url::Url| site.is_shop_page(url) && url.path() != site.cart.path();
    let is_end = |name: &str| is_add(name, &site.hints);
    page.cards(&Shop { home: &site.home, is_page: &is_page, is_aside: &is_aside, is_end: &is_end })
}

/// Whether a button puts something in the cart, and does nothing else.
pub(crate) fn is_add(name: &str, hints: &Hints) -> bool {
    let name = name.trim().to_lowercase();
    let words = words();
    let adds = words.add.iter().chain(&hints.add).any(|add| {
        // `Add Oat milk to cart` names what it adds.
        let named = add
            .strip_prefix("add")
            .is_some_and(|to| !to.is_empty() && name.starts_with("add ") && name.ends_with(to));
        *add == name || named || (add.contains(' ') && says(&name, std::slice::from_ref(add)))
    });
    adds && !says(&name, &words.never)
}

fn product(card: &Card, site: &Site) -> Option<Product> {
    let text = card.text();
    let sold_out = is_unavailable(&card.pieces, &site.hints);
    let paid = prices::paid(&text, site.currency);
    if paid.is_none() && !sold_out {
        return None;
    }
    let whole = prices::before(&card.name, site.currency);
    let name = if whole.is_empty() { card.name.clone() } else { whole };
    let beside = beside(card, &name, site);
    let size = size::text(&name).or_else(|| size::text(&beside));
    let brand = brand(&beside);
    let (price_text, price) =
        paid.map_or((String::new(), None), |(text, price)| (text, Some(price)));
    Some(Product {
        name,
        brand,
        size,
        price_text,
        price,
        url: card.url.clone(),
        available: !sold_out,
    })
}

/// Whether it says that it cannot be bought, or the button that would add it cannot be pressed.
pub(super) fn is_unavailable(pieces: &[Piece], hints: &Hints) -> bool {
    let buttons: Vec<bool> = pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Button { name, enabled, .. } if is_add(name, hints) => Some(*enabled),
            _ => None,
        })
        .collect();
    pieces.iter().any(|piece| says_sold_out(piece, hints))
        || (!buttons.is_empty() && !buttons.contains(&true))
}

/// Whether it says that something cannot be bought.
pub(super) fn says_sold_out(piece: &Piece, hints: &Hints) -> bool {
    [&words().unavailable, &hints.sold_out].iter().any(|any| says(piece.words(), any))
}

/// What stands beside the name, up to the price.
fn beside(card: &Card, name: &str, site: &Site) -> String {
    let mut out = String::new();
    for piece in &card.pieces {
        let Piece::Text(text) = piece else { continue };
        let before = prices::before(text, site.currency);
        // A name that was cut off, or stands there once more, is no brand.
        if !before.ends_with('…') && before != name {
            out += &before;
            out.push(' ');
        }
        if before.len() < text.trim().len() {
            break;
        }
    }
    out.trim().to_owned()
}

/// The few words beside a name that are no size.
fn brand(beside: &str) -> Option<String> {
    let (_, rest) = size::take(beside);
    let rest = rest.trim_matches([' ', '·', '|', '-', ',', '•', '(', ')']).to_owned();
    let count = rest.split_whitespace().count();
    (1..=BRAND).contains(&count).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shopper::pages::{page, shop};

    /// Name, brand, size, price, and whether it can be had, of the products that a page shows.
    fn shown(of: &str, name: &str) -> Vec<String> {
        let told = |product: Product| {
            let or_none = |text: Option<String>| text.unwrap_or("-".into());
            let had = if product.available { "" } else { " (sold out)" };
            let (brand, size) = (or_none(product.brand), or_none(product.size));
            format!("{} | {brand} | {size} | {}{had}", product.name, product.price_text)
        };
        products(&page(of, name), &shop(of)).into_iter().map(told).collect()
    }

    #[test]
    fn the_results_of_the_demo_store_are_read() {
        let all = shown("demo", "search-milk");
        assert_eq!(all.len(), 20);
        assert_eq!(all[0], "Lactose-Free 2% Milk | Lakeshore | 2 L | $5.99");
        assert!(all.contains(&"1% Milk | Lakeshore | 2 L | $4.69".to_owned()), "{all:#?}");
        assert_eq!(shown("demo", "search-misspelt").len(), 3);
    }

    #[test]
    fn the_results_of_a_shop_nobody_here_wrote_are_read() {
        let all = shown("oscar", "search-milk");
        let expected = [
            "Milbrook Whole Milk 1 L | - | 1 L | £1.35",
            "Milbrook Whole Milk 2 L | - | 2 L | £2.25",
            "Meadowlark Oat Milk 1 L | - | 1 L | £1.95",
            "Milbrook Semi-Skimmed Milk 2 L | - | 2 L | £2.15",
            "Meadowlark Barista Oat Milk 1 L | - | 1 L | £2.40 (sold out)",
        ];
        assert_eq!(all, expected);
        assert_eq!(shown("oscar", "search-nothing"), [""; 0]);
    }

    #[test]
    fn cards_are_read_however_they_are_built() {
        let text = "<Butter picture e40 → /p/7>\nLurpak\n### <Salted Butter e41 → /p/7>\n250 g\nPrice $5.49\n\
                    $2.20 / 100 g\n[Decrease e42] [textbox Quantity e43 = \"1\"] [Increase e44]\n\
                    [Add Salted Butter to cart e45]\n\
                    <Peanut e46 → /p/8> Kraft <Peanut Butter e47 → /p/8> 500 g $6.49 [Add Peanut Butter to cart e48]\n\
                    <Almond Butter Kraft 300 g $8.00 e49 → /p/10>\n\
                    <Cocoa Butter e50 → /p/11> Kraft · 300 g $8.00 Out of stock [Add to cart e51 disabled]\n\
                    - <Whole Milk Whole Milk e7 → /p/1> Dairyland 1 L $3.49 $0.35 / 100 ml [Add to cart e9]\n\
                    <Next e15 → /search?q=milk&page=2>";
        let site = shop("demo");
        let read = products(&Page::read("http://127.0.0.1:8000/search", "", text), &site);
        let told: Vec<_> = read
            .iter()
            .map(|product| (product.name.as_str(), product.price_text.as_str(), product.available))
            .collect();
        let expected = [
            ("Salted Butter", "$5.49", true),
            ("Peanut Butter", "$6.49", true),
            ("Almond Butter Kraft 300 g", "$8.00", true),
            ("Cocoa Butter", "$8.00", false),
            ("Whole Milk", "$3.49", true),
        ];
        assert_eq!(told, expected);
        assert_eq!(read[1].brand.as_deref(), Some("Kraft"));
    }

    #[test]
    fn only_what_adds_and_nothing_else_is_pressed() {
        for name in [
            "Add to cart",
            "ADD TO BASKET",
            "Add Oat milk to cart",
            "Ajouter au panier",
            "In den Warenkorb",
            "Add",
        ] {
            assert!(is_add(name, &Hints::default()), "{name}");
        }
        for name in [
            "Buy now",
            "Checkout",
            "Add to wish list",
            "Add to cart and check out",
            "Add to list",
            "Pay",
            "Add to cart & buy now",
            "Subscribe",
            "Address",
            "Remove",
            "Add a review",
            "Jetzt kaufen",
        ] {
            assert!(!is_add(name, &Hints::default()), "{name}");
        }
        let hints = Hints { add: vec!["into the trolley".into()], ..Hints::default() };
        assert!(is_add("Into the Trolley", &hints));
        assert!(!is_add("Into the trolley", &Hints::default()));
        assert!(!is_add("Into the trolley and pay", &hints));
    }

    #[test]
    fn a_site_may_say_what_its_shop_says_of_what_cannot_be_had() {
        let text = "<Salted Butter e41 → /p/7> 250 g $5.49 Back on Friday [Add to cart e45]";
        let page = Page::read("http://127.0.0.1:8000/search", "", text);
        let had = |site: &Site| products(&page, site)[0].available;
        let mut site = shop("demo");
        assert!(had(&site));
        site.hints.sold_out.push("back on friday".into());
        assert!(!had(&site));
    }
}
