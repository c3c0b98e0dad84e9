//! `12 eggs`: a bare number before a thing in the plural counts pieces, and the shop sells packs of them.
//! Whether one pack or twelve are meant is not guessed.

use super::size::{self, Measure};
use super::words;
use crate::errand::Product;
use crate::item::Item;

/// Why it is not clear how many are meant, if it is not. `12x eggs` and `12 packs of eggs` are clear.
pub(super) fn doubt(item: &Item, product: &Product) -> Option<String> {
    let wanted = &item.wanted;
    let signed = item.name.split([' ', '(']).any(is_signed) || item.name.contains('(');
    let mut said = wanted.what.split_whitespace();
    let packed = said.clone().any(|word| words::is_container(&words::stem(word)));
    let plural = said.any(|word| words::is_plural(word) && words::is_thing(&words::stem(word)));
    if wanted.quantity < 2 || signed || packed || !plural {
        return None;
    }
    let pack = pack(product)?;
    let (name, what, many) = (&item.name, &wanted.what, wanted.quantity);
    let size = product.size.clone().unwrap_or_else(|| format!("packs of {pack}"));
    Some(format!(
        "it is not clear how many are meant by {name}: {} is sold as {size}; for {many} of these, \
         write {many}x {what}",
        product.name
    ))
}

/// `2x`, `x2`, `x`: with one of these a number is of what the shop sells.
fn is_signed(word: &str) -> bool {
    let word = word.trim_matches([',', ')']).to_lowercase();
    let digits = word.trim_matches(['x', '×', '*']);
    digits.len() < word.len() && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// How many pieces are sold together.
fn pack(product: &Product) -> Option<u32> {
    let said = format!("{} {}", product.name, product.size.as_deref().unwrap_or_default());
    let sizes = size::take(&said).0;
    let count = sizes.iter().find(|size| size.measure == Measure::Count && size.amount > 1.0)?;
    Some(count.amount.round() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::{ItemId, Status};

    #[test]
    fn a_bare_number_of_what_is_sold_in_packs_is_not_clear() {
        let product = |size: &str| Product {
            name: "Large White Eggs".into(),
            brand: None,
            size: Some(size.into()),
            price_text: String::new(),
            price: None,
            url: "https://shop.example/p/1".parse().unwrap(),
            available: true,
        };
        let clear = |written: &str, size: &str| {
            let item = Item::read(ItemId::new("1"), written, Status::NeedsAction).unwrap();
            doubt(&item, &product(size)).is_none()
        };
        for written in ["12 eggs", "two large eggs", "6 Eggs"] {
            assert!(!clear(written, "12 pack"), "{written}");
            assert!(clear(written, "each"), "{written}");
        }
        for written in [
            "eggs",
            "2x eggs",
            "eggs x2",
            "eggs x 2",
            "2 x eggs",
            "eggs (2)",
            "2 cartons of eggs",
            "2 toilet paper",
            "2× eggs",
            "eggs, 2x",
            "dozen eggs",
        ] {
            assert!(clear(written, "12 pack"), "{written}");
        }
    }
}
