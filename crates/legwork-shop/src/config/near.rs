//! What somebody meant who mistyped a word.

use strsim::osa_distance;

/// The one of some words that is spelled much like this one, if any is.
pub fn near<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let limit = (word.chars().count() / 3).clamp(1, 3);
    let distances =
        known.into_iter().map(|known| (osa_distance(&word, &known.to_lowercase()), known));
    distances.filter(|(far, _)| *far <= limit).min_by_key(|(far, _)| *far).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spelled_alike_is_meant() {
        let known = ["site", "list", "concurrency", "time_budget"];
        for (word, meant) in [
            ("sit", Some("site")),
            ("stie", Some("site")),
            ("LIST", Some("list")),
            ("concurency", Some("concurrency")),
            ("timebudget", Some("time_budget")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(near(word, known), meant, "{word}");
        }
    }
}
