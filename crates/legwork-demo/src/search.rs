//! The store's search: forgiving with spelling, and as noisy as those of real shops. It finds whatever has
//! one of the words, likes what sells, and puts an advertisement on top of some answers.

use std::collections::BTreeMap;
pub(crate) use strsim::osa_distance as distance;

use crate::catalogue::{Catalogue, Product};

/// Finds products by words.
pub(crate) struct Index {
    seed: u64,
    /// For every product of the catalogue, what each word of it weighs.
    words: Vec<BTreeMap<String, u32>>,
    /// In how many products a word is.
    vocabulary: BTreeMap<String, u32>,
}

/// What was found.
pub(crate) struct Found {
    /// Places in the catalogue, best first.
    pub(crate) products: Vec<usize>,
    /// Whether the first of them is an advertisement.
    pub(crate) sponsored: bool,
    /// What was looked for instead, if words were taken for misspelt.
    pub(crate) instead: Option<String>,
}

impl Index {
    pub(crate) fn of(catalogue: &Catalogue, seed: u64) -> Index {
        let words: Vec<_> = catalogue.products().iter().map(weights).collect();
        let mut vocabulary = BTreeMap::new();
        for word in words.iter().flat_map(BTreeMap::keys) {
            *vocabulary.entry(word.clone()).or_insert(0) += 1;
        }
        Index { seed, words, vocabulary }
    }

    /// Finds what has one of the words, more of them first.
    pub(crate) fn find(&self, query: &str) -> Found {
        let asked = tokens(query);
        let understood: Vec<String> = asked.iter().map(|word| self.understand(word)).collect();
        let score = |words: &BTreeMap<String, u32>| -> u32 {
            understood.iter().filter_map(|word| words.get(word)).sum()
        };
        let mut scored: Vec<(u32, usize)> = (0..self.words.len())
            .map(|at| (score(&self.words[at]), at))
            .filter(|(score, _)| *score > 0)
            .map(|(score, at)| (score + self.popularity(at), at))
            .collect();
        scored.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
        let mut products: Vec<usize> = scored.into_iter().map(|(_, at)| at).collect();
        let chance = noise(self.seed, query);
        let sponsored = products.len() > 4 && chance.is_multiple_of(2);
        if sponsored {
            let at = products.remove(chance as usize / 2 % products.len());
            products.insert(0, at);
        }
        let instead = (understood != asked).then(|| understood.join(" "));
        Found { products, sponsored, instead }
    }

    /// What sells is shown before what does not.
    fn popularity(&self, at: usize) -> u32 {
        (noise(self.seed, &at.to_string()) % 8) as u32
    }

    /// The word itself, or the nearest one the store knows if it is a misspelling of that.
    fn understand(&self, word: &str) -> String {
        let known = |word: &str| self.vocabulary.contains_key(word);
        let letters = word.chars().count();
        let most = match letters {
            0..=3 => 0,
            4..=7 => 1,
            _ => 2,
        };
        if known(word) || most == 0 || word.starts_with(|first: char| first.is_ascii_digit()) {
            return word.to_owned();
        }
        let near = |candidate: &&String| candidate.starts_with(|c: char| c.is_alphabetic());
        let distances =
            self.vocabulary.keys().filter(near).map(|other| (distance(word, other), other));
        let nearest = distances.filter(|(far, _)| *far <= most);
        let best = nearest.min_by_key(|(far, other)| {
            (*far, std::cmp::Reverse(self.vocabulary[*other]), (*other).clone())
        });
        best.map_or(word.to_owned(), |(_, other)| other.clone())
    }
}

/// What each word of a product weighs: the name most, its description least.
fn weights(product: &Product) -> BTreeMap<String, u32> {
    let Product { name, brand, kind, size, category, description, .. } = product;
    let fields = [(description, 1), (category, 2), (size, 4), (kind, 8), (brand, 6), (name, 10)];
    let mut words = BTreeMap::new();
    for (text, weight) in fields {
        for word in tokens(text) {
            let old = words.entry(word).or_insert(0);
            *old = (*old).max(weight);
        }
    }
    words
}

/// The words of a text as they are compared: no capitals, no plurals, a number together with its unit.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let part = |letter: char| letter.is_alphanumeric() || matches!(letter, '%' | '.');
    let words = lower.split(|letter: char| !part(letter));
    let mut all: Vec<String> = Vec::new();
    for word in words.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty()) {
        match all.last_mut() {
            Some(number) if is_unit(word) && number.parse::<f64>().is_ok() => *number += word,
            _ if SILENT.contains(&word) => {}
            _ => all.push(singular(word)),
        }
    }
    all
}

const SILENT: [&str; 9] = ["a", "an", "and", "by", "for", "in", "of", "the", "with"];

fn is_unit(word: &str) -> bool {
    matches!(word, "l" | "ml" | "g" | "kg" | "%" | "pack" | "rolls" | "bags" | "m")
}

/// A word without the ending of its plural, near enough for a search.
fn singular(word: &str) -> String {
    let stem = |end: &str, put: &str| word.strip_suffix(end).map(|stem| format!("{stem}{put}"));
    if word.len() < 4 || word.ends_with("ss") {
        return word.to_owned();
    }
    let plural = stem("ies", "y").or_else(|| stem("oes", "o")).or_else(|| stem("s", ""));
    plural.unwrap_or_else(|| word.to_owned())
}

/// A number that looks like chance and is always the same (FNV-1a, with the bits mixed at the end).
pub(crate) fn noise(seed: u64, text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = text.bytes().fold(start, step);
    (hash ^ (hash >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 7
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str) -> (Vec<String>, Option<String>) {
        let catalogue = Catalogue::bundled();
        let found = Index::of(&catalogue, 1).find(query);
        let name = |at: &usize| catalogue.products()[*at].id.clone();
        (found.products.iter().map(name).collect(), found.instead)
    }

    #[test]
    fn what_is_looked_for_is_on_the_first_page_with_much_else() {
        for (query, id) in [
            ("2% milk 1 l", "meadowbrook-2-milk-1-l"),
            ("oat milk", "oatfield-oat-milk-barista-946-ml"),
            ("bannanas", "farm-stand-bananas-each"),
            ("penut buter", "nutty-fox-crunchy-peanut-butter-500-g"),
            ("Tomatos", "farm-stand-roma-tomatoes-1-kg"),
        ] {
            let (ids, _) = found(query);
            assert!(ids.iter().take(20).any(|found| found == id), "{query}: {ids:?}");
            assert!(ids.len() > 2, "{query}");
        }
    }

    #[test]
    fn the_first_hit_is_often_something_else() {
        let (ids, _) = found("milk");
        assert!(ids.len() > 20);
        assert!(
            !ids[..3].iter().all(|id| id.contains("milk-1-l") || id.contains("milk-2-l")),
            "{ids:?}"
        );
    }

    #[test]
    fn misspelt_words_are_understood_and_unknown_ones_find_nothing() {
        assert_eq!(found("spagetti").1.as_deref(), Some("spaghetti"));
        assert_eq!(found("xylophone").0, Vec::<String>::new());
        assert_eq!(found("milk").1, None);
    }

    #[test]
    fn a_size_is_one_word_however_it_is_spaced() {
        assert_eq!(tokens("2 L Milk, 3.25 %"), ["2l", "milk", "3.25%"]);
        assert_eq!(tokens("500ml of cherries"), ["500ml", "cherry"]);
    }
}
