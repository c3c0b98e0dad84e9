//! From the cards of a page to products: name, brand, size, price, whether it can be bought.

use super::words::{says, words};
use super::{prices, size};
use crate::errand::Product;
use crate::page::{Card, Page, Piece, Shop};
use crate::site::Site;

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
        words().aside.iter().any(|word| *word == name)
    };
    let is_page = |url: &url::Url| site.is_shop_page(url) && url.path() != site.cart.path();
    let is_end = |name: &str| is_add(name);
    page.cards(&Shop { home: &site.home, is_page: &is_page, is_aside: &is_aside, is_end: &is_end })
}

/// Whether a button puts something in the cart, and does nothing else.
pub(crate) fn is_add(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    let words = words();
    let adds = words.add.iter().any(|add| {
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
    let sold_out = is_unavailable(&card.pieces);
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
pub(super) fn is_unavailable(pieces: &[Piece]) -> bool {
    let buttons: Vec<bool> = pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Button { name, enabled, .. } if is_add(name) => Some(*enabled),
            _ => None,
        })
        .collect();
    let said = |piece: &Piece| says(piece.words(), &words().unavailable);
    pieces.iter().any(said) || (!buttons.is_empty() && !buttons.contains(&true))
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
