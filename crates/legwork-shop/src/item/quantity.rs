//! How many of what: `2x milk`, `milk (2)`, `3 bananas`, `two lemons`. A number that is part of what is wanted, like that
//! of `1.5 kg flour` or `7up`, is not a quantity; where it could be either, the whole text is wanted once.

use std::fmt;

/// The most of one thing that a list can ask for. A greater number is taken for part of a name.
pub const MOST: u32 = 999;

/// What is wanted, and how many of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// How many, at least one.
    pub quantity: u32,
    /// Of what: never empty, words with one space between them.
    pub what: String,
}

impl Wanted {
    /// Reads what somebody wrote; `None` if it names nothing.
    pub fn read(written: &str) -> Option<Wanted> {
        let text = written.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            return None;
        }
        let found = times(&text).or_else(|| at_the_end(&text)).or_else(|| counted(&text));
        let found = found.or_else(|| in_words(&text));
        let (quantity, what) = found.unwrap_or((1, &text));
        Some(Wanted { quantity, what: what.to_owned() })
    }

    /// What two ways to write the same have in common.
    pub(super) fn key(&self) -> (u32, String) {
        (self.quantity, self.what.to_lowercase())
    }
}

/// The shortest spelling that is read as the same again.
impl fmt::Display for Wanted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wanted { quantity, what } = self;
        if *quantity == 1 && Wanted::read(what).as_ref() == Some(self) {
            return out.write_str(what);
        }
        write!(out, "{quantity}x {what}")
    }
}

/// `2x milk`, `2 x milk`, `2 × milk`.
fn times(text: &str) -> Option<(u32, &str)> {
    let (number, rest) = digits(text)?;
    let rest = rest.trim_start();
    let what = ["x ", "X ", "×", "* "].iter().find_map(|sign| rest.strip_prefix(sign))?;
    named(number, what)
}

/// `milk x2`, `milk x 2`, `milk 2x`, `milk, 2x`, `milk (2)`, `milk (x2)`.
fn at_the_end(text: &str) -> Option<(u32, &str)> {
    let (number, what) = match text.strip_suffix(')') {
        Some(inside) => {
            let (what, inside) = inside.rsplit_once('(')?;
            (inside.trim().trim_matches(SIGNS).trim(), what)
        }
        None => {
            let (before, last) = text.rsplit_once(' ')?;
            match last.strip_prefix(SIGNS).or_else(|| last.strip_suffix(SIGNS)) {
                Some("") => return None,
                Some(number) => (number, before),
                None => (last, before.strip_suffix(SIGNS)?.strip_suffix(' ')?),
            }
        }
    };
    named(number, what.trim_end_matches([' ', ',', ';', ':', '-', '–']))
}

/// What stands for "times".
const SIGNS: [char; 3] = ['x', 'X', '×'];

/// `3 bananas`, `2 cans of tomatoes`: a number, then a word that is neither a measure nor part of a name.
fn counted(text: &str) -> Option<(u32, &str)> {
    let (number, rest) = digits(text)?;
    let what = rest.strip_prefix(' ')?;
    let starts = |letter: char| letter.is_alphabetic() || matches!(letter, '"' | '\'' | '“' | '«');
    let word = what.split([' ', '-', ',', '/']).next()?.trim_end_matches('.').to_lowercase();
    let lower = text.to_lowercase();
    let named_so = NAMES.iter().any(|name| {
        lower.strip_prefix(name).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    if !what.starts_with(starts) || MEASURES.contains(&word.as_str()) || named_so {
        return None;
    }
    named(number, what)
}

/// `two lemons`, as `2 lemons` would be read.
fn in_words(text: &str) -> Option<(u32, &str)> {
    const WORDS: [&str; 6] = ["one", "two", "three", "four", "five", "six"];
    let (word, what) = text.split_once(' ')?;
    let number = 1 + WORDS.iter().position(|one| word.eq_ignore_ascii_case(one))?;
    let figures = format!("{number} {what}");
    counted(&figures).map(|(number, _)| (number, what.trim()))
}

/// The digits at the beginning, and what follows.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit())?;
    (end > 0).then(|| text.split_at(end))
}

fn named<'t>(number: &str, what: &'t str) -> Option<(u32, &'t str)> {
    let plain = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    let number: u32 = if plain { number.parse().ok()? } else { return None };
    let what = what.trim();
    ((1..=MOST).contains(&number) && !what.is_empty()).then_some((number, what))
}

/// Words after a number that make it a size: `2 l milk` is one thing, of two litres.
const MEASURES: &[&str] = &[
    "c",
    "cc",
    "centilitre",
    "centilitres",
    "cl",
    "cm",
    "count",
    "ct",
    "cup",
    "cups",
    "dl",
    "fl",
    "floz",
    "foot",
    "ft",
    "g",
    "gal",
    "gallon",
    "gallons",
    "gr",
    "gram",
    "gramme",
    "grammes",
    "grams",
    "in",
    "inch",
    "kg",
    "kgs",
    "kilo",
    "kilogram",
    "kilograms",
    "kilos",
    "l",
    "lb",
    "lbs",
    "liter",
    "liters",
    "litre",
    "litres",
    "livre",
    "livres",
    "lt",
    "ltr",
    "m",
    "mg",
    "milliliter",
    "milliliters",
    "millilitre",
    "millilitres",
    "ml",
    "mm",
    "ounce",
    "ounces",
    "oz",
    "pack",
    "percent",
    "pint",
    "pints",
    "pk",
    "ply",
    "pound",
    "pounds",
    "pt",
    "qt",
    "quart",
    "quarts",
    "tbsp",
    "tsp",
    "w",
    "watt",
    "way",
];

/// Names that begin with a number and a word.
const NAMES: &[&str] = &[
    "1000 island",
    "100 grand",
    "1 a day",
    "3 musketeers",
    "4 seasons",
    "5 alive",
    "5 spice",
    "7 up",
    "8 o'clock",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_quantity_is_read_however_it_is_written() {
        let cases = [
            ("milk", 1, "milk"),
            ("2x milk", 2, "milk"),
            ("2 x milk", 2, "milk"),
            ("2X Milk", 2, "Milk"),
            ("2×milk", 2, "milk"),
            ("2 * milk", 2, "milk"),
            ("milk x2", 2, "milk"),
            ("milk x 2", 2, "milk"),
            ("milk 2x", 2, "milk"),
            ("milk, x2", 2, "milk"),
            ("oat milk - 2x", 2, "oat milk"),
            ("milk: x 2", 2, "milk"),
            ("milk ×2", 2, "milk"),
            ("milk (2)", 2, "milk"),
            ("milk(2)", 2, "milk"),
            ("milk (x2)", 2, "milk"),
            ("milk (2x)", 2, "milk"),
            ("  oat   milk  ( 2 ) ", 2, "oat milk"),
            ("3 bananas", 3, "bananas"),
            ("12 eggs", 12, "eggs"),
            ("two lemons", 2, "lemons"),
            ("Three cans of tuna", 3, "cans of tuna"),
            ("2 cans of tomatoes", 2, "cans of tomatoes"),
            ("3 'Mars' bars", 3, "'Mars' bars"),
            ("2x 1l milk", 2, "1l milk"),
            ("2 x 1 l milk", 2, "1 l milk"),
            ("1l milk x2", 2, "1l milk"),
            ("2x 7up", 2, "7up"),
            ("2x milk (3)", 2, "milk (3)"),
            ("3 Wattwil cheeses", 3, "Wattwil cheeses"),
        ];
        for (written, quantity, what) in cases {
            let expected = Wanted { quantity, what: what.into() };
            assert_eq!(Wanted::read(written), Some(expected), "{written}");
        }
    }

    #[test]
    fn a_number_that_belongs_to_what_is_wanted_is_no_quantity() {
        let cases = [
            "1.5 kg flour",
            "1,5 kg flour",
            "500 g butter",
            "500g butter",
            "2 l milk",
            "2 L milk",
            "2 lbs. beef",
            "2% milk",
            "2 % milk",
            "7up",
            "7 Up",
            "7 up zero",
            "1 1/2 kg flour",
            "1/2 watermelon",
            "½ melon",
            "6-pack of beer",
            "6 pack beer",
            "2-in-1 shampoo",
            "2 in 1 shampoo",
            "3 musketeers bar",
            "Three Musketeers bar",
            "five spice",
            "two litres milk",
            "two",
            "tworivers cheese",
            "1000 island dressing",
            "2000 flushes",
            "0 bananas",
            "milk (2%)",
            "milk (lactose free)",
            "cereal X",
            "xbox",
            "2",
            "x2",
            "2x",
            "(2)",
            "coffee 100",
            "vitamin b12",
            "18446744073709551616 bananas",
            "2 fl oz extract",
            "3 ply tissues",
        ];
        for written in cases {
            let expected = Wanted { quantity: 1, what: written.into() };
            assert_eq!(Wanted::read(written), Some(expected), "{written}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_as_the_same(quantity in 1..=MOST, words in any_words()) {
            let what = words.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assume!(!what.is_empty());
            let wanted = Wanted { quantity, what };
            prop_assert_eq!(Wanted::read(&wanted.to_string()), Some(wanted));
        }

        #[test]
        fn reading_never_panics_and_reads_its_own_print(written in any_words()) {
            if let Some(wanted) = Wanted::read(&written) {
                prop_assert!((1..=MOST).contains(&wanted.quantity));
                prop_assert_eq!(Wanted::read(&wanted.to_string()), Some(wanted));
            }
        }
    }

    /// Anything at all, and things that look like quantities.
    fn any_words() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[0-9]{1,4}",
            Just("x".to_owned()),
            Just("×".to_owned()),
            Just("(2)".to_owned()),
            Just("kg".to_owned()),
            Just("milk".to_owned()),
            "[0-9]{1,3}x",
            "x[0-9]{1,3}",
            "\\PC{0,6}",
        ];
        let pieces = proptest::collection::vec(piece, 0..5).prop_map(|pieces| pieces.join(" "));
        prop_oneof![pieces, "\\PC*"]
    }
}
