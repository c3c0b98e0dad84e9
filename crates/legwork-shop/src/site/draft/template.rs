//! From the address of one search to the address of every search.

use url::Url;

/// The address with `{query}` where the word stands: as a value of the query, as a part of the path, or in
/// the fragment. `None` if it does not stand there as a whole, or in two places of one kind.
pub(super) fn of(url: &Url, word: &str) -> Option<String> {
    let whole = url.as_str();
    let (before_fragment, fragment) = match whole.split_once('#') {
        Some((before, fragment)) => (before, Some(fragment)),
        None => (whole, None),
    };
    let (path, query) = match before_fragment.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (before_fragment, None),
    };
    let rest =
        |text: Option<&str>, sign: &str| text.map_or(String::new(), |text| format!("{sign}{text}"));
    if let Some(query) = query.and_then(|query| replaced(query, &['&', '='], word)) {
        return Some(format!("{path}?{query}"));
    }
    if let Some(path) = replaced(path, &['/'], word) {
        return Some(path + &rest(query, "?"));
    }
    let fragment = fragment.and_then(|text| replaced(text, &['&', '=', '/', '?'], word))?;
    Some(format!("{path}{}#{fragment}", rest(query, "?")))
}

/// The text with `{query}` in place of the one part that is the word.
fn replaced(text: &str, between: &[char], word: &str) -> Option<String> {
    let mut places = Vec::new();
    let mut at = 0;
    for part in text.split_inclusive(between) {
        let bare = part.trim_end_matches(between);
        if bare.eq_ignore_ascii_case(word) {
            places.push(at..at + bare.len());
        }
        at += part.len();
    }
    let [place] = &places[..] else { return None };
    Some(format!("{}{{query}}{}", &text[..place.start], &text[place.end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_that_was_searched_for_gives_its_place_to_any_other() {
        let check = |url: &str, expect: Option<&str>| {
            assert_eq!(of(&Url::parse(url).unwrap(), "milk").as_deref(), expect, "{url}");
        };
        check("https://a.example/search/?q=milk", Some("https://a.example/search/?q={query}"));
        check(
            "https://a.example/s?n=2&q=Milk&x=#top",
            Some("https://a.example/s?n=2&q={query}&x="),
        );
        check("https://a.example/find/milk/1?n=2", Some("https://a.example/find/{query}/1?n=2"));
        check("https://a.example/#/search?q=milk", Some("https://a.example/#/search?q={query}"));
        check("https://a.example/search?q=milkshake", None);
        check("https://a.example/search?q=milk&was=milk", None);
        check("https://a.example/", None);
    }
}
