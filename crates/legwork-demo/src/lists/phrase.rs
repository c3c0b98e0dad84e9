//! How people write what they want: in which order, in what it is packed, and with the number wherever it
//! goes.

use super::dice::Dice;
use super::{Details, size};
use crate::catalogue::Product;

/// What is named of a product, in one of the usual orders.
pub(super) fn of(dice: &mut Dice, product: &Product, details: &Details) -> String {
    let kind = kind_of(dice, product);
    let phrase = varied(dice, &kind, &details.variants.join(" "));
    let phrase = details.brand.map_or(phrase.clone(), |brand| branded(dice, &phrase, brand));
    // What the shelf says is in lower case on most lists.
    let phrase = if dice.chance(80) { phrase.to_lowercase() } else { phrase };
    match details.size {
        Some(size) => sized(dice, &product.kind, &phrase, size),
        None => phrase,
    }
}

/// The kind, of fruit, vegetables and rolls at times as one of them.
fn kind_of(dice: &mut Dice, product: &Product) -> String {
    let countable = matches!(&*product.category, "Produce" | "Bakery");
    let kind = &product.kind;
    if !countable || is_mass(kind) || !dice.chance(30) {
        return kind.clone();
    }
    let one = kind.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let one = one.or_else(|| kind.strip_suffix("oes").map(|stem| format!("{stem}o")));
    one.unwrap_or_else(|| kind.trim_end_matches('s').to_owned())
}

/// Whether it is not counted by the piece.
fn is_mass(kind: &str) -> bool {
    kind.ends_with("ss") || kind.ends_with("us") || !kind.ends_with('s')
}

/// `unsalted butter`, `butter unsalted`, `butter, unsalted`, `butter (unsalted)`.
fn varied(dice: &mut Dice, kind: &str, variants: &str) -> String {
    match dice.below(10) {
        _ if variants.is_empty() => kind.to_owned(),
        0 => format!("{kind} {variants}"),
        1 => format!("{kind}, {variants}"),
        2 => format!("{kind} ({variants})"),
        _ => format!("{variants} {kind}"),
    }
}

/// `Casa Rossa olive oil`, `olive oil Casa Rossa`, `olive oil from Casa Rossa`.
fn branded(dice: &mut Dice, phrase: &str, brand: &str) -> String {
    match dice.below(10) {
        0 => format!("{phrase} {brand}"),
        1 => format!("{phrase} from {brand}"),
        2 => format!("{phrase} ({brand})"),
        _ => format!("{brand} {phrase}"),
    }
}

/// The phrase and a size, which stands first only where it cannot be a number of packages.
pub(super) fn sized(dice: &mut Dice, kind: &str, phrase: &str, size: &str) -> String {
    let written = size::spelt(dice, kind, size);
    match dice.below(10) {
        _ if written == "dozen" => format!("dozen {phrase}"),
        0..4 if !size::is_count(size) => format!("{written} {phrase}"),
        4 | 5 => format!("{phrase}, {written}"),
        6 => format!("{phrase} ({written})"),
        7 => format!("{phrase} - {written}"),
        _ => format!("{phrase} {written}"),
    }
}

/// What a kind is packed in: one of it, and several.
fn packing(kind: &str) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        "milk" | "eggs" | "orange juice" | "cream" => ("a carton of", "cartons of"),
        "bread" => ("a loaf of", "loaves of"),
        "peanut butter" | "honey" | "mustard" | "strawberry jam" | "salsa" => ("jar of", "jars of"),
        "olive oil" | "ketchup" | "soy sauce" | "maple syrup" | "balsamic vinegar" | "cola" => {
            ("bottle of", "bottles of")
        }
        "carrots" | "potatoes" | "onions" | "potato chips" | "flour" | "apples" => {
            ("bag of", "bags of")
        }
        "diced tomatoes" | "chickpeas" | "tomato soup" | "black beans" | "tuna" => {
            ("a can of", "cans of")
        }
        "corn flakes" | "crackers" | "granola bars" | "black tea" => ("box of", "boxes of"),
        "spaghetti" | "bacon" | "bagels" | "tortillas" => ("a pack of", "packs of"),
        _ => return None,
    })
}

/// How an item is written, what of that is not the number, and the number.
pub(super) struct Counted {
    pub(super) written: String,
    pub(super) phrase: String,
    pub(super) quantity: u32,
}

/// The phrase with a number at times, and with what it is packed in where nothing but the kind is named.
pub(super) fn counted(
    dice: &mut Dice,
    phrase: String,
    details: &Details,
    fitting: &[&Product],
) -> Counted {
    let kind = fitting.first().map_or("", |product| &*product.kind);
    let bare = details.brand.is_none() && details.size.is_none() && details.variants.is_empty();
    let packing = packing(kind).filter(|_| bare && dice.chance(30));
    let quantity = if dice.chance(50) { 1 } else { 2 + dice.below(4) as u32 };
    let (one, many_of) = packing.unwrap_or_default();
    let first = phrase.starts_with(|first: char| first.is_alphabetic());
    let single = fitting.iter().all(|product| product.size == "each");
    let ends = !details.variants.iter().any(|variant| phrase.ends_with(variant))
        && phrase.ends_with(char::is_alphabetic)
        && details.brand.is_none();
    let phrase = match (quantity, packing) {
        (1, Some(_)) => format!("{one} {phrase}"),
        (_, Some(_)) => format!("{many_of} {phrase}"),
        (2.., None) if single && first && ends => many(&phrase),
        _ => phrase,
    };
    let counts = first && (packing.is_some() || single || (bare && is_mass(kind)));
    let written = match quantity {
        2.. if counts && dice.chance(60) => format!("{} {phrase}", number(dice, quantity)),
        _ => spelt(dice, &phrase, quantity),
    };
    Counted { written, phrase, quantity }
}

/// A number in figures, at times in words.
fn number(dice: &mut Dice, quantity: u32) -> String {
    const WORDS: [&str; 6] = ["zero", "one", "two", "three", "four", "five"];
    let word = WORDS.get(quantity as usize).filter(|_| dice.chance(20));
    word.map_or_else(|| quantity.to_string(), |word| (*word).to_owned())
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
        _ if phrase.ends_with("celery") || phrase.ends_with("broccoli") => phrase.to_owned(),
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
