//! Words as they are compared: without accents, in the singular, and with a measure of how alike two are. The
//! lists are data, in `words.toml`.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
pub(super) use strsim::osa_distance as distance;

use serde::Deserialize;

/// The words of shops and lists.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the file says what each list is")]
pub struct Words {
    pub add: Vec<String>,
    pub never: Vec<String>,
    pub unavailable: Vec<String>,
    pub empty: Vec<String>,
    pub quantity: Vec<String>,
    pub increase: Vec<String>,
    pub update: Vec<String>,
    pub aside: Vec<String>,
    pub remove: Vec<String>,
    pub next: Vec<String>,
    pub did_you_mean: Vec<String>,
    pub nothing: Vec<String>,
    pub dismiss: Vec<String>,
    pub acknowledge: Vec<String>,
    pub not_paid: Vec<String>,
    empty_words: Stems,
    containers: Stems,
    connectives: Stems,
    qualities: Stems,
    neutral: Stems,
    variants: Stems,
    altered: Stems,
    changing: Stems,
    flavoured: Stems,
    no_flavour: Stems,
    before_flavour: Stems,
    flavours: Stems,
    known: Stems,
    same: Vec<Vec<String>>,
    together: Vec<String>,
    species: HashMap<String, Stems>,
}

/// A set of stems.
#[derive(Deserialize)]
#[serde(from = "Vec<String>")]
struct Stems(HashSet<String>);

impl From<Vec<String>> for Stems {
    fn from(words: Vec<String>) -> Stems {
        Stems(words.iter().map(|word| plain_stem(word)).collect())
    }
}

impl Stems {
    fn has(&self, stem: &str) -> bool {
        self.0.contains(stem)
    }
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    toml::from_str(include_str!("words.toml"))
        .expect("the words that are built in are read by a test")
});

/// One spelling of every word that has several.
static SAME: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let stems = |group: &Vec<String>| -> Vec<(String, String)> {
        let first = plain_stem(&group[0]);
        group.iter().map(|word| (plain_stem(word), first.clone())).collect()
    };
    WORDS.same.iter().filter(|group| !group.is_empty()).flat_map(stems).collect()
});

/// Names of things.
static THINGS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lists = [&WORDS.known, &WORDS.changing, &WORDS.flavoured];
    lists.into_iter().flat_map(|stems| &stems.0).map(String::as_str).collect()
});

/// Pairs of stems that are one word.
static TOGETHER: LazyLock<HashSet<(String, String)>> = LazyLock::new(|| {
    let pair =
        |words: &String| words.split_once(' ').map(|(one, two)| (plain_stem(one), plain_stem(two)));
    WORDS.together.iter().filter_map(pair).collect()
});

/// The words that are built in.
pub fn words() -> &'static Words {
    &WORDS
}

/// What a word of a product's name that nobody asked for does to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// Nothing.
    Neutral,
    /// It is a variety of it.
    Variant,
    /// It was made into something else, which may or may not be wanted.
    Altered,
    /// It is another thing.
    Changing,
    /// Nobody knows: most often it is a brand.
    Unknown,
}

/// What a word does to a thing of this kind.
pub(super) fn sort(stem: &str, head: &str) -> Sort {
    let has = |stems: &Stems| stems.has(stem);
    match stem {
        _ if is_number(stem) => Sort::Neutral,
        _ if has(&WORDS.neutral) || has(&WORDS.containers) => Sort::Neutral,
        _ if has(&WORDS.altered) => Sort::Altered,
        _ if has(&WORDS.no_flavour) => Sort::Changing,
        _ if has(&WORDS.changing) && WORDS.flavoured.has(head) => Sort::Variant,
        _ if has(&WORDS.changing) => Sort::Changing,
        _ if has(&WORDS.variants) || WORDS.flavoured.has(head) => Sort::Variant,
        _ => Sort::Unknown,
    }
}

/// Whether it is spelt as it is meant.
pub(super) fn is_known(stem: &str) -> bool {
    let lists = [&WORDS.variants, &WORDS.altered, &WORDS.neutral];
    is_thing(stem) || lists.iter().any(|stems| stems.has(stem)) || WORDS.species.contains_key(stem)
}

/// Words that are spelt as they are meant.
pub(super) fn known() -> impl Iterator<Item = &'static str> {
    THINGS.iter().copied()
}

/// Whether it names a thing.
pub(super) fn is_thing(stem: &str) -> bool {
    THINGS.contains(stem)
}

/// Says nothing about what is wanted.
pub(super) fn is_empty_word(stem: &str) -> bool {
    WORDS.empty_words.has(stem)
}

/// Says what it is in.
pub(super) fn is_container(stem: &str) -> bool {
    WORDS.containers.has(stem)
}

/// What follows it says what a thing comes with.
pub(super) fn is_connective(stem: &str) -> bool {
    WORDS.connectives.has(stem)
}

/// Says how a thing is, never what it is.
pub(super) fn is_quality(stem: &str) -> bool {
    WORDS.qualities.has(stem)
}

/// Whether a flavour may stand behind it.
pub(super) fn is_before_flavour(stem: &str) -> bool {
    WORDS.before_flavour.has(stem)
}

/// Whether it is such a flavour.
pub(super) fn is_flavour(stem: &str) -> bool {
    WORDS.flavours.has(stem)
}

/// Whether one is a kind of the other, as cheddar is of cheese.
pub(super) fn is_species(stem: &str, of: &str) -> bool {
    WORDS.species.get(of).is_some_and(|stems| stems.has(stem))
}

/// Whether a text says one of these, as whole words.
pub(crate) fn says(text: &str, any: &[String]) -> bool {
    let text = format!(" {} ", spaced(text));
    any.iter().any(|words| text.contains(&format!(" {} ", spaced(words))))
}

/// The text in lower case with one space between its words; signs stay where they stand alone.
pub(super) fn spaced(text: &str) -> String {
    let lower = text.to_lowercase();
    let kept = |letter: char| letter.is_alphanumeric() || "'-+×›»→&".contains(letter);
    let plain: String =
        lower.chars().map(|letter| if kept(letter) { letter } else { ' ' }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The stems of a text, in order. Percentages stay whole.
pub(super) fn stems(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let kept =
        |letter: char| letter.is_alphanumeric() || letter == '%' || letter == '.' || letter == '\'';
    let words = lower.split(|letter: char| !kept(letter));
    let words = words.map(|word| word.trim_matches(['.', '\'']).replace('\'', ""));
    let mut out: Vec<String> = Vec::new();
    let mut before = None;
    for word in words.filter(|word| !word.is_empty()) {
        let stem = stem(&word);
        match (out.last_mut(), before.and_then(|first: String| together(&first, &stem))) {
            (Some(first), Some(whole)) => *first = whole,
            _ => out.push(stem),
        }
        before = Some(word);
    }
    out
}

/// The pair that is one word, if these are it, or one of them is a slip of it. `Eggs white` are eggs: what
/// begins a word is never in the plural.
fn together(first: &str, second: &str) -> Option<String> {
    let slip = |word: &str, meant: &str| !is_known(&stem(word)) && is_slip(word, meant);
    let meant = |(one, two): &&(String, String)| {
        (one == first && (two == second || slip(second, two)))
            || (two == second && slip(first, one))
    };
    TOGETHER.iter().find(meant).map(|(one, two)| format!("{one}{two}"))
}

/// Whether a word ends as those that stand for more than one.
pub(super) fn is_plural(word: &str) -> bool {
    let word = word.to_lowercase();
    word.ends_with('s') && singular(&word) != word
}

/// A word without accents, in the singular, in its first spelling.
pub(super) fn stem(word: &str) -> String {
    let stem = plain_stem(word);
    SAME.get(&stem).cloned().unwrap_or(stem)
}

/// The first spelling of a word that has several, if this is another one.
pub(super) fn usual(word: &str) -> Option<&'static str> {
    let stem = plain_stem(word);
    SAME.get(&stem).filter(|first| **first != stem).map(String::as_str)
}

fn plain_stem(word: &str) -> String {
    let one = singular(word);
    match one.strip_suffix("ie") {
        Some(begin) if begin.len() > 1 => format!("{begin}y"),
        _ => one,
    }
}

/// A word without accents, in the singular.
pub(super) fn singular(word: &str) -> String {
    let plain: String = word.to_lowercase().chars().map(without_accent).collect();
    let ends = |end: &str| plain.len() > end.len() + 1 && plain.ends_with(end);
    let without = |count: usize, with: &str| format!("{}{with}", &plain[..plain.len() - count]);
    if is_number(&plain) || !plain.is_ascii() {
        plain
    } else if ends("ies") {
        without(3, "y")
    } else if ends("lves") || ends("aves") {
        without(3, "f")
    } else if ["oes", "ches", "shes", "xes", "sses"].iter().any(|end| ends(end)) {
        without(2, "")
    } else if ends("s") && !["ss", "us", "is"].iter().any(|end| ends(end)) {
        without(1, "")
    } else {
        plain
    }
}

pub(super) fn is_number(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit())
}

fn without_accent(letter: char) -> char {
    match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => 'a',
        'ç' => 'c',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ñ' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => 'o',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        other => other,
    }
}

/// Whether one is a misspelling of the other: a letter too many, too few, wrong or swapped with its
/// neighbour; two of that in long words.
pub(super) fn is_slip(written: &str, meant: &str) -> bool {
    let length = written.chars().count().min(meant.chars().count());
    if is_number(written) || is_number(meant) || length < 3 || written.chars().count() < 4 {
        return false;
    }
    let most = if length >= 7 { 2 } else { 1 };
    if written.chars().count().abs_diff(meant.chars().count()) > most {
        return false;
    }
    let away = distance(written, meant);
    // People rarely slip on the first letter; if they do, on nothing else.
    let begins_alike = written.chars().next() == meant.chars().next();
    away > 0 && away <= if begins_alike { most } else { 1 } && (begins_alike || length >= 5)
}

/// The word of the shop that a misspelt one means: the nearest, if there is one nearest, and no word that the
/// shop has not shown is nearer. `Chicpeas` are chickpeas, not chicken. Words in the plural are compared so:
/// a slip in `cips` is one in four letters, not in three.
pub(super) fn meant<'s>(
    written: &str,
    plural: bool,
    shown: &'s HashSet<String>,
) -> Option<&'s str> {
    if is_known(written) || shown.contains(written) {
        return None;
    }
    let readings = readings(written);
    // People rarely slip on the first letter: `almon` is almond, not salmon.
    let away = |word: &str| {
        let begins = word.chars().next() == written.chars().next();
        let slips = readings.iter().filter(|reading| is_slip(reading, word));
        let slips = slips.map(|reading| distance(reading, word));
        let end = |word: &str| match word.strip_suffix('y') {
            Some(begin) => format!("{begin}ies"),
            None => format!("{word}s"),
        };
        let many = plural.then(|| (end(written), end(word)));
        let many = many.filter(|(written, word)| is_slip(written, word));
        let least = slips.chain(many.map(|(written, word)| distance(&written, &word))).min()?;
        Some(2 * least + usize::from(!begins))
    };
    let mut near: Vec<(usize, &str)> =
        shown.iter().filter_map(|word| Some((away(word)?, word.as_str()))).collect();
    near.sort_unstable();
    let (least, nearest) = *near.first()?;
    let rival = near.get(1).is_some_and(|(away, _)| *away == least);
    let other = known().any(|word| away(word).is_some_and(|away| away < least));
    (!rival && !other).then_some(nearest)
}

/// A stem that is misspelt, as it may have been written: its ending was taken for that of a word.
fn readings(stem: &str) -> Vec<String> {
    let ie = stem.strip_suffix('y').map(|begin| format!("{begin}ie"));
    let one = stem.strip_suffix('s').map(str::to_owned);
    let sse = stem.ends_with("ss").then(|| format!("{stem}e"));
    let with = (stem.len() > 4).then(|| format!("{stem}s"));
    [Some(stem.to_owned()), ie, one, sse, with].into_iter().flatten().collect()
}

/// The two words that were written as one, each of which is known or was shown by the shop.
pub(super) fn parts(written: &str, shown: &HashSet<String>) -> Option<(String, String)> {
    if !written.is_ascii() {
        return None;
    }
    let part = |word: &str| {
        word.len() > 2 && (is_known(&stem(word)) || (word.len() > 3 && shown.contains(&stem(word))))
    };
    let cuts = (3..written.len().saturating_sub(2)).map(|at| written.split_at(at));
    let (one, two) = cuts.into_iter().find(|(one, two)| part(one) && part(two))?;
    Some((stem(one), stem(two)))
}

/// The thing that a word ends with, though what stands before it is unknown: `facialtissues`.
pub(super) fn ending(written: &str) -> Option<&str> {
    let ends = (3..written.len().saturating_sub(3)).filter_map(|at| written.get(at..));
    ends.into_iter().find(|end| is_thing(&stem(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singular_and_plural_are_one_word() {
        let pairs = [
            ("tomatoes", "tomato"),
            ("berries", "berry"),
            ("cookies", "cookie"),
            ("boxes", "box"),
            ("radishes", "radish"),
            ("loaves", "loaf"),
            ("bananas", "banana"),
            ("crème", "creme"),
            ("Yoghurts", "yogurt"),
            ("Halves", "half"),
        ];
        for (many, one) in pairs {
            assert_eq!(stem(many), stem(one), "{many}");
        }
        for same in ["asparagus", "hummus", "swiss", "2%"] {
            assert_eq!(stem(same), same);
        }
    }

    #[test]
    fn slips_are_told_from_other_words() {
        for (written, meant) in [
            ("mlik", "milk"),
            ("bananna", "banana"),
            ("brocoli", "broccoli"),
            ("spagetti", "spaghetti"),
            ("tomatos", "tomato"),
        ] {
            assert!(is_slip(written, meant), "{written}");
        }
        for (written, meant) in
            [("pea", "pear"), ("milk", "milk"), ("milk", "silt"), ("2l", "3l"), ("rice", "ice")]
        {
            assert!(!is_slip(written, meant), "{written}");
        }
    }

    #[test]
    fn whole_words_are_looked_for() {
        let any = ["unavailable".to_owned(), "out of stock".to_owned()];
        assert!(says("Sorry, Out-of  stock", &any) || says("Sorry, Out of  stock!", &any));
        assert!(says("£2.40 Unavailable", &any));
        assert!(!says("In stock (40 available)", &any));
    }

    #[test]
    fn the_words_that_are_built_in_are_read() {
        assert!(words().add.iter().any(|word| word == "add to cart"));
        assert_eq!(sort("chocolate", "milk"), Sort::Changing);
        assert_eq!(sort("blueberry", "muffin"), Sort::Variant);
    }
}
