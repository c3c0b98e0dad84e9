//! `12 eggs`: a bare number before a thing in the plural counts pieces, and the shop sells packs of them.
//! Whether one pack or twelve are meant is not guessed.

use super::size::{self, Measure};
use super::words;
use crate::item::Item;

/// Two numbers that may be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// Why it is not clear.
    pub(super) why: String,
    /// Packs that hold so many pieces.
    packs: u32,
    /// As many packs as the list says.
    many: u32,
}

impl Doubt {
    /// How many packs may be meant, the fewer first.
    pub(super) fn counts(&self) -> [u32; 2] {
        [self.packs, self.many]
    }
}

/// Why it is not clear how many of a product are meant, if it is not. `12x eggs` and `12 packs of eggs` are
/// clear.
pub(super) fn doubt(item: &Item, product: &str, size: Option<&str>) -> Option<Doubt> {
    let wanted = &item.wanted;
    let signed = item.name.split([' ', '(']).any(is_signed) || is_in_brackets(&item.name);
    let packed = is_of_packs(&wanted.what, product);
    let mut said = wanted.what.split_whitespace();
    let plural = said.any(|word| words::is_plural(word) && words::is_thing(&words::stem(word)));
    if wanted.quantity < 2 || signed || packed || !plural {
        return None;
    }
    let pack = pack(product, size)?;
    let (name, what, many) = (&item.name, &wanted.what, wanted.quantity);
    let size = size.map_or_else(|| format!("packs of {pack}"), str::to_owned);
    let why = format!(
        "it is not clear how many are meant by {name}: {product} is sold as {size}; for {many} of these, \
         write {many}x {what}"
    );
    Some(Doubt { why, packs: many.div_ceil(pack), many })
}

/// `bags of bagels`, `bags bagels`; but not `garbage bags`, where the bags are what is sold.
fn is_of_packs(what: &str, product: &str) -> bool {
    let words: Vec<String> = what.split_whitespace().map(words::stem).collect();
    let sold: Vec<String> = product.split_whitespace().map(words::stem).collect();
    words.iter().enumerate().any(|(at, word)| {
        let of = words.get(at + 1).is_some_and(|next| next == "of");
        words::is_container(word) && (of || !sold.contains(word))
    })
}

/// `eggs (2)`; but not `12 eggs (large)`.
fn is_in_brackets(name: &str) -> bool {
    let inner = name.split('(').skip(1).filter_map(|rest| rest.split(')').next());
    inner.map(str::trim).any(|inner| !inner.is_empty() && inner.bytes().all(|b| b.is_ascii_digit()))
}

/// `2x`, `x2`, `x`: with one of these a number is of what the shop sells.
fn is_signed(word: &str) -> bool {
    let word = word.trim_matches([',', ')']).to_lowercase();
    let digits = word.trim_matches(['x', '×', '*']);
    digits.len() < word.len() && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// How many pieces are sold together.
fn pack(product: &str, size: Option<&str>) -> Option<u32> {
    let said = format!("{product} {}", size.unwrap_or_default());
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
        let clear = |written: &str, size: &str| {
            let item = Item::read(ItemId::new("1"), written, Status::NeedsAction).unwrap();
            doubt(&item, "Large White Eggs", Some(size)).is_none()
        };
        for written in ["12 eggs", "two large eggs", "6 Eggs", "12 eggs (large)"] {
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

    #[test]
    fn as_many_packs_as_hold_the_pieces_may_be_meant_or_as_many_as_are_written() {
        for (written, counts) in [("12 eggs", [1, 12]), ("6 eggs", [1, 6]), ("30 eggs", [3, 30])] {
            let item = Item::read(ItemId::new("1"), written, Status::NeedsAction).unwrap();
            let doubt = doubt(&item, "Large White Eggs", Some("12 pack")).unwrap();
            assert_eq!(doubt.counts(), counts, "{written}");
        }
    }

    #[test]
    fn bags_that_are_sold_themselves_are_no_packs() {
        for (written, clear) in
            [("20 garbage bags", false), ("2 boxes garbage bags", true), ("20x garbage bags", true)]
        {
            let item = Item::read(ItemId::new("1"), written, Status::NeedsAction).unwrap();
            let doubt = doubt(&item, "Garbage Bags", Some("20 pack"));
            assert_eq!(doubt.is_none(), clear, "{written}: {doubt:?}");
        }
    }
}
