//! How people write what they want: in which order, with which slips, and with the number wherever it goes.

use std::collections::HashSet;

use super::Details;
use super::dice::Dice;
use crate::catalogue::{Catalogue, Product};
use crate::search::{distance, tokens};

/// What is named of a product, in one of the usual orders.
pub(super) fn of(dice: &mut Dice, product: &Product, details: &Details) -> String {
    let kind = kind_of(dice, product);
    let kind = packed(dice, &product.kind, kind, details);
    let mut words = details.variants.clone();
    words.push(&kind);
    if let Some(brand) = details.brand {
        words.insert(0, brand);
    }
    let size =
        details.size.map(|size| if dice.chance(40) { size.replace(' ', "") } else { size.into() });
    let phrase = words.join(" ");
    // What the shelf says is in lower case on most lists.
    let phrase = if dice.chance(80) { phrase.to_lowercase() } else { phrase };
    match size {
        Some(size) if dice.chance(50) => format!("{size} {phrase}"),
        Some(size) if dice.chance(30) => format!("{phrase}, {size}"),
        Some(size) => format!("{phrase} {size}"),
        None => phrase,
    }
}

/// The kind, of fruit, vegetables and rolls at times as one of them.
fn kind_of(dice: &mut Dice, product: &Product) -> String {
    let countable = matches!(&*product.category, "Produce" | "Bakery");
    let kind = &product.kind;
    let mass = kind.ends_with("ss") || kind.ends_with("us") || !kind.ends_with('s');
    if !countable || mass || !dice.chance(30) {
        return kind.clone();
    }
    let one = kind.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let one = one.or_else(|| kind.strip_suffix("oes").map(|stem| format!("{stem}o")));
    one.unwrap_or_else(|| kind.trim_end_matches('s').to_owned())
}

/// At times the packing is named, where nothing else is.
fn packed(dice: &mut Dice, kind: &str, written: String, details: &Details) -> String {
    let named = details.brand.is_some() || details.size.is_some() || !details.variants.is_empty();
    let packing = match kind {
        "milk" | "eggs" | "orange juice" => "carton of",
        "bread" => "a loaf of",
        "peanut butter" | "honey" | "mustard" | "strawberry jam" | "salsa" => "jar of",
        "olive oil" | "ketchup" | "soy sauce" | "maple syrup" | "balsamic vinegar" => "bottle of",
        "carrots" | "potatoes" | "onions" | "potato chips" | "flour" => "bag of",
        "diced tomatoes" | "chickpeas" | "tomato soup" | "black beans" | "tuna" => "a can of",
        "corn flakes" | "crackers" | "granola bars" => "box of",
        _ => return written,
    };
    if named || !dice.chance(20) {
        return written;
    }
    format!("{packing} {written}")
}

/// Whether a size is a weight or a volume, which people write; nobody writes `each`.
pub(super) fn is_measure(size: &str) -> bool {
    size.rsplit(' ').next().is_some_and(|unit| matches!(unit, "L" | "mL" | "g" | "kg"))
}

/// The phrase with a number at times, and that number.
pub(super) fn counted(dice: &mut Dice, phrase: &str, fitting: &[&Product]) -> (String, u32) {
    if dice.chance(50) {
        return (phrase.to_owned(), 1);
    }
    let quantity = 2 + dice.below(4) as u32;
    let single = |product: &&Product| product.size == "each";
    let begins = phrase.starts_with(|first: char| first.is_alphabetic());
    if fitting.iter().all(single) && begins && dice.chance(60) {
        return (format!("{quantity} {}", many(phrase)), quantity);
    }
    (spelt(dice, phrase, quantity), quantity)
}

/// A number that cannot be taken for anything else, in one of its spellings.
pub(super) fn spelt(dice: &mut Dice, phrase: &str, quantity: u32) -> String {
    if quantity == 1 {
        return phrase.to_owned();
    }
    match dice.below(7) {
        0 => format!("{quantity}x {phrase}"),
        1 => format!("{quantity} x {phrase}"),
        2 => format!("{phrase} x{quantity}"),
        3 => format!("{phrase} ({quantity})"),
        4 => format!("{phrase}, {quantity}x"),
        5 => format!("{quantity}× {phrase}"),
        _ => format!("{phrase} x {quantity}"),
    }
}

/// More than one of it.
fn many(phrase: &str) -> String {
    match phrase.chars().last() {
        Some('s' | 'S') => phrase.to_owned(),
        Some('y') => format!("{}ies", phrase.trim_end_matches('y')),
        Some('o') if phrase.ends_with("mango") => format!("{phrase}es"),
        _ => format!("{phrase}s"),
    }
}

/// At times the first letter is a capital.
pub(super) fn cased(dice: &mut Dice, phrase: String) -> String {
    let mut letters = phrase.chars();
    match letters.next() {
        Some(first) if dice.chance(30) => first.to_uppercase().chain(letters).collect(),
        _ => phrase,
    }
}

/// Every word that the store uses for its products.
pub(super) fn words_of(catalogue: &Catalogue) -> HashSet<String> {
    let texts = catalogue.products().iter().flat_map(|product| {
        [&product.name, &product.brand, &product.kind, &product.category, &product.description]
    });
    texts.flat_map(|text| tokens(text)).collect()
}

/// The phrase with one slip in one of its longer words, if there is one after which the word can still only
/// be itself.
pub(super) fn misspelt(dice: &mut Dice, phrase: &str, known: &HashSet<String>) -> String {
    let words: Vec<&str> = phrase.split(' ').collect();
    for _ in 0..20 {
        let at = dice.below(words.len());
        let word = words[at];
        if word.len() < 5 || !word.bytes().all(|letter| letter.is_ascii_alphabetic()) {
            continue;
        }
        let wrong = slip(dice, word);
        if is_clear(word, &wrong, known) {
            let mut words: Vec<&str> = words.clone();
            words[at] = &wrong;
            return words.join(" ");
        }
    }
    phrase.to_owned()
}

/// One letter dropped, doubled, changed, or swapped with the next; never the first.
fn slip(dice: &mut Dice, word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let at = 1 + dice.below(letters.len() - 2);
    match dice.below(4) {
        0 => {
            letters.remove(at);
        }
        1 => letters.insert(at, letters[at]),
        2 => letters.swap(at, at + 1),
        _ => letters[at] = *dice.pick(&['a', 'e', 'i', 'o', 'u']),
    }
    letters.into_iter().collect()
}

/// Whether a misspelt word is no word of the store, and one slip away from the one that was meant alone.
fn is_clear(word: &str, wrong: &str, known: &HashSet<String>) -> bool {
    let (Some(meant), Some(read)) = (tokens(word).pop(), tokens(wrong).pop()) else {
        return false;
    };
    let near = |other: &&String| {
        let lengths = other.len().abs_diff(read.len()) <= 1;
        lengths && **other != meant && distance(&read, other) <= 1
    };
    !known.contains(&read)
        && distance(&read, &meant) == 1
        && !known.iter().any(|other| near(&other))
}
