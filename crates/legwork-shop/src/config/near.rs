//! What somebody meant who mistyped a word.

/// The one of some words that is spelled much like this one, if any is.
pub fn near<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let limit = (word.chars().count() / 3).clamp(1, 3);
    let distances = known.into_iter().map(|known| (distance(&word, &known.to_lowercase()), known));
    distances.filter(|(far, _)| *far <= limit).min_by_key(|(far, _)| *far).map(|(_, known)| known)
}

/// How many letters have to be added, removed or replaced to turn one word into the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spelled_alike_is_meant() {
        let known = ["site", "list", "concurrency", "time_budget"];
        for (word, meant) in [
            ("sit", Some("site")),
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
