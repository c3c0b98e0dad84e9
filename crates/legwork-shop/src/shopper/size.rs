//! How much of it: `1 L`, `500 g`, `6 x 330 ml`, `12 pack`, brought to one unit of each kind.

use super::words::stem;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// In grams.
    Mass,
    /// In millilitres.
    Volume,
    /// In pieces.
    Count,
}

/// A size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Size {
    /// Of what kind.
    pub(super) measure: Measure,
    /// How much.
    pub(super) amount: f64,
}

impl Size {
    /// Whether they are the same, but for rounding.
    pub(super) fn is(&self, other: &Size) -> bool {
        self.measure == other.measure
            && (self.amount - other.amount).abs() <= 0.015 * self.amount.max(other.amount)
    }
}

/// Whether one of these sizes is the one that is wanted; `None` if nothing is said that could be compared.
pub(super) fn fits(wanted: &Size, sizes: &[Size]) -> Option<bool> {
    let mut of_kind = sizes.iter().filter(|size| size.measure == wanted.measure).peekable();
    if of_kind.peek().is_none() {
        return is_another(wanted, sizes).then_some(false);
    }
    Some(of_kind.any(|size| size.is(wanted)))
}

/// Whether sizes of other measures are surely not this one: a bottle is no six-pack, and so many grams are
/// about as many millilitres.
fn is_another(wanted: &Size, sizes: &[Size]) -> bool {
    let bulk = |size: &&Size| size.measure != Measure::Count;
    let mut bulk = sizes.iter().filter(bulk).peekable();
    let near = |size: &Size| (size.amount - wanted.amount).abs() <= 0.1 * wanted.amount;
    match wanted.measure {
        _ if bulk.peek().is_none() => false,
        Measure::Count => wanted.amount > 1.0,
        _ => !bulk.any(near),
    }
}

/// The sizes in a text, and the text without them. Of several together, the whole, one and the count are
/// sizes: `6 x 330 ml` is also `330 ml`, and a `6 pack`.
pub(super) fn take(text: &str) -> (Vec<Size>, String) {
    let words: Vec<String> = split(text);
    let (mut sizes, mut rest) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < words.len() {
        match several(&words[at..])
            .or_else(|| single(&words[at..]))
            .or_else(|| pack_of(&words[at..]))
        {
            Some((found, used)) => {
                sizes.extend(found);
                at += used;
            }
            None => {
                rest.push(words[at].clone());
                at += 1;
            }
        }
    }
    (sizes, rest.join(" "))
}

/// The first size in a text, as it is written there.
pub(super) fn text(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let spans = (0..words.len())
        .flat_map(|from| (1..=4.min(words.len() - from)).rev().map(move |count| (from, count)));
    spans.into_iter().find_map(|(from, count)| {
        let written = words[from..from + count].join(" ");
        let (sizes, rest) = take(&written);
        (!sizes.is_empty() && rest.is_empty())
            .then(|| written.trim_matches(['(', ')', ',', ';', '·']).trim().to_owned())
    })
}

/// Words, with numbers cut off from what is written to them: `500g` is two.
fn split(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for word in text.split(|letter: char| {
        letter.is_whitespace() || letter == '(' || letter == ')' || letter == '|'
    }) {
        let word = word.trim_matches([',', ';', '·', ':']);
        let end = word
            .find(|letter: char| !letter.is_ascii_digit() && letter != '.' && letter != ',')
            .unwrap_or(word.len());
        let (number, tail) = word.split_at(end);
        let tail_word = tail.trim_start_matches('-');
        let cut = !number.is_empty() && !tail_word.is_empty();
        if cut
            && (unit(tail_word).is_some()
                || ["x", "×", "pk", "pack"].contains(&tail_word.to_lowercase().as_str()))
        {
            out.extend([number.to_owned(), tail_word.to_owned()]);
        } else if cut
            && let Some((sign, amount)) =
                tail.split_at_checked(tail.chars().next().map_or(0, char::len_utf8))
            && ["x", "×"].contains(&sign.to_lowercase().as_str())
        {
            // `6x330ml`
            out.extend([number.to_owned(), sign.to_owned()]);
            out.extend(split(amount));
        } else if !word.is_empty() {
            out.push(word.to_owned());
        }
    }
    out
}

/// `6 x 330 ml`.
fn several(words: &[String]) -> Option<(Vec<Size>, usize)> {
    let count = number(words.first()?)?;
    let times = words.get(1)?.to_lowercase();
    if times != "x" && times != "×" {
        return None;
    }
    let (each, used) = single(&words[2..])?;
    let each = *each.first()?;
    let whole = Size { amount: each.amount * count, ..each };
    Some((vec![whole, each, Size { measure: Measure::Count, amount: count }], used + 2))
}

/// `330 ml`, `12 pack`, `dozen`.
fn single(words: &[String]) -> Option<(Vec<Size>, usize)> {
    let first = words.first()?.to_lowercase();
    if first == "dozen" {
        return Some((vec![Size { measure: Measure::Count, amount: 12.0 }], 1));
    }
    let amount = number(&first)?;
    let name = words.get(1)?.to_lowercase();
    let (fluid, used) = match words.get(2).map(|word| word.to_lowercase()) {
        Some(ounce) if name == "fl" && ounce.starts_with("oz") => (true, 3),
        _ => (false, 2),
    };
    let (measure, of) = if fluid { (Measure::Volume, 29.5735) } else { unit(&name)? };
    Some((vec![Size { measure, amount: amount * of }], used))
}

/// `pack of 6`.
fn pack_of(words: &[String]) -> Option<(Vec<Size>, usize)> {
    let [pack, of, count, ..] = words else { return None };
    let packs = ["pack", "box", "bag", "case", "carton"].contains(&pack.to_lowercase().as_str());
    let amount = number(count).filter(|_| packs && of.eq_ignore_ascii_case("of"))?;
    Some((vec![Size { measure: Measure::Count, amount }], 3))
}

fn number(word: &str) -> Option<f64> {
    let digits = word.starts_with(|letter: char| letter.is_ascii_digit());
    let plain = word.replace(',', ".");
    plain.parse().ok().filter(|amount: &f64| digits && *amount > 0.0 && amount.is_finite())
}

/// What a unit measures, and how much of it one is.
fn unit(name: &str) -> Option<(Measure, f64)> {
    use Measure::{Count, Mass, Volume};
    Some(match stem(name.trim_end_matches('.')).as_str() {
        "g" | "gr" | "gram" | "gramme" => (Mass, 1.0),
        "kg" | "kilo" | "kilogram" => (Mass, 1000.0),
        "mg" => (Mass, 0.001),
        "oz" | "ounce" => (Mass, 28.3495),
        "lb" | "pound" => (Mass, 453.592),
        "ml" | "millilitre" | "milliliter" => (Volume, 1.0),
        "cl" => (Volume, 10.0),
        "dl" => (Volume, 100.0),
        "l" | "lt" | "litre" | "liter" => (Volume, 1000.0),
        "gal" | "gallon" => (Volume, 3785.41),
        "pack" | "pk" | "ct" | "count" | "pc" | "piece" | "bag" | "roll" | "can" | "bottle"
        | "unit" => (Count, 1.0),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_any_spelling() {
        let cases = [
            ("1 L milk", "milk", vec![(Measure::Volume, 1000.0)]),
            ("milk 1l", "milk", vec![(Measure::Volume, 1000.0)]),
            ("butter 0.5 kg", "butter", vec![(Measure::Mass, 500.0)]),
            ("butter, 500g", "butter", vec![(Measure::Mass, 500.0)]),
            ("0,5 kg flour", "flour", vec![(Measure::Mass, 500.0)]),
            (
                "Water 6 x 500 ml",
                "Water",
                vec![(Measure::Volume, 3000.0), (Measure::Volume, 500.0), (Measure::Count, 6.0)],
            ),
            (
                "Water 6x500ml",
                "Water",
                vec![(Measure::Volume, 3000.0), (Measure::Volume, 500.0), (Measure::Count, 6.0)],
            ),
            ("Eggs 12 pack", "Eggs", vec![(Measure::Count, 12.0)]),
            ("Eggs 12-pack", "Eggs", vec![(Measure::Count, 12.0)]),
            ("dozen eggs", "eggs", vec![(Measure::Count, 12.0)]),
            ("pack of 6 bagels", "bagels", vec![(Measure::Count, 6.0)]),
            ("2% Milk 4 L", "2% Milk", vec![(Measure::Volume, 4000.0)]),
            ("7up", "7up", vec![]),
            ("Tea 80 bags", "Tea", vec![(Measure::Count, 80.0)]),
        ];
        for (text, rest, expected) in cases {
            let (sizes, left) = take(text);
            let found: Vec<_> = sizes.iter().map(|size| (size.measure, size.amount)).collect();
            assert_eq!((found, left.as_str()), (expected, rest), "{text}");
        }
    }

    #[test]
    fn a_litre_is_a_thousand_millilitres() {
        let one = |text| take(text).0;
        assert_eq!(fits(&one("1 L")[0], &one("1000 ml")), Some(true));
        assert_eq!(fits(&one("0.5 kg")[0], &one("500 g")), Some(true));
        assert_eq!(fits(&one("1 L")[0], &one("2 L")), Some(false));
        assert_eq!(fits(&one("1 L")[0], &one("12 pack")), None);
        assert_eq!(fits(&one("6 pack")[0], &one("1 L")), Some(false));
        assert_eq!(fits(&one("500 g")[0], &one("500 ml")), None);
        assert_eq!(fits(&one("250 g")[0], &one("500 ml")), Some(false));
        assert_eq!(fits(&one("1 lb")[0], &one("454 g")), Some(true));
    }
}
