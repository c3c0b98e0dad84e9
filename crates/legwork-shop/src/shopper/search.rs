//! Which words are searched for, until the shop shows what fits: as the list has them, then without the size
//! and what it is in, spelt as the shop or the language spells them, in the other number, and in the end only
//! what it is.

use std::collections::HashSet;

use super::cards;
use super::choose;
use super::score::{ENOUGH, SURE, Want};
use super::size;
use super::walk::Walk;
use super::words::{self, says};
use crate::errand::{Product, Stage, Trouble};
use crate::page::{Page, Piece};

/// Searches that are made at most.
const SEARCHES: usize = 5;

/// Pages of the first results that are looked at.
const PAGES: usize = 3;

/// What the shop showed.
pub(super) async fn search(walk: &Walk<'_>, want: &Want) -> Result<Vec<Product>, Trouble> {
    let mut hunt = Hunt { walk, want, products: Vec::new() };
    let mut tried: Vec<String> = Vec::new();
    while tried.len() < SEARCHES {
        let ways = ways(&walk.errand.item.wanted.what, &hunt.products);
        let Some(words) = ways.into_iter().find(|words| !tried.contains(words)) else { break };
        let first = tried.is_empty();
        tried.push(words.clone());
        hunt.look_for(&words, if first { PAGES } else { 1 }).await?;
        if hunt.best() >= ENOUGH {
            break;
        }
    }
    Ok(hunt.products)
}

struct Hunt<'a> {
    walk: &'a Walk<'a>,
    want: &'a Want,
    products: Vec<Product>,
}

impl Hunt<'_> {
    /// Points of the best that can be had.
    fn best(&self) -> i32 {
        choose::most(&choose::judge(self.want, &self.products))
    }

    /// One search, with what the shop suggests instead and the pages that follow.
    async fn look_for(&mut self, words: &str, pages: usize) -> Result<(), Trouble> {
        self.walk.tell(Stage::Searching(words.to_owned()));
        let site = self.walk.floor.lane.site();
        let mut page = self.walk.go(&site.search_url(words)).await?;
        self.take(&mut page).await?;
        if self.best() < SURE
            && let Some(url) = suggestion(&page).and_then(|href| site.home.join(&href).ok())
            && site.is_shop_page(&url)
        {
            let mut other = self.walk.go(&url).await?;
            self.take(&mut other).await?;
        }
        for number in 1..pages {
            let next = following(&page, number + 1).and_then(|href| site.home.join(&href).ok());
            let Some(url) = next.filter(|url| self.best() < SURE && site.is_shop_page(url)) else {
                break;
            };
            page = self.walk.go(&url).await?;
            self.take(&mut page).await?;
        }
        Ok(())
    }

    /// Takes in what a page shows; one that shows nothing yet is looked at again at rest.
    async fn take(&mut self, page: &mut Page) -> Result<(), Trouble> {
        let site = self.walk.floor.lane.site();
        let mut shown = cards::products(page, site);
        let says_so = page.lines.iter().any(|line| says(&line.text(), &words::words().nothing));
        if shown.is_empty() && !says_so {
            *page = Page { url: page.url.clone(), ..self.walk.floor.lane.look_at_rest().await? };
            shown = cards::products(page, site);
        }
        for product in shown {
            if !self.products.iter().any(|other| other.url == product.url) {
                self.products.push(product);
            }
        }
        Ok(())
    }
}

/// The link by which the shop suggests another spelling.
fn suggestion(page: &Page) -> Option<String> {
    let line = page.lines.iter().find(|line| says(&line.text(), &words::words().did_you_mean))?;
    links(&line.pieces).next().map(|(_, href)| href.to_owned())
}

/// The link to the next page of results.
fn following(page: &Page, number: usize) -> Option<String> {
    let all: Vec<&Piece> = page.pieces().collect();
    let named = links(all.iter().copied()).find(|(name, _)| {
        let name = name.trim().to_lowercase();
        words::words().next.contains(&name)
    });
    let numbered =
        || links(all.iter().copied()).find(|(name, _)| name.trim() == number.to_string());
    named.or_else(numbered).map(|(_, href)| href.to_owned())
}

fn links<'p>(
    pieces: impl IntoIterator<Item = &'p Piece>,
) -> impl Iterator<Item = (&'p str, &'p str)> {
    pieces.into_iter().filter_map(|piece| match piece {
        Piece::Link { name, href, .. } if !href.is_empty() => Some((name.as_str(), href.as_str())),
        _ => None,
    })
}

/// The words to search for, best first, without repetition.
fn ways(what: &str, seen: &[Product]) -> Vec<String> {
    let (_, rest) = size::take(what);
    let told: Vec<&str> = rest
        .split_whitespace()
        .filter(|word| {
            let stem = words::stem(word);
            !words::is_empty_word(&stem) && !words::is_container(&stem)
        })
        .collect();
    let spelt: Vec<String> = told.iter().map(|word| spelt(word, seen)).collect();
    let last = |count: usize| spelt[spelt.len().saturating_sub(count)..].join(" ");
    let (joined, other) = (joined(&spelt), other_number(&spelt));
    // Shops that search by whole words may write as two what is known as one: `cornflakes`.
    let parted: Vec<String> = spelt.iter().map(|word| parted(word)).collect();
    let known: Vec<&str> =
        spelt.iter().flat_map(|words| words.split(' ')).filter_map(known).collect();
    let all = [
        what.to_owned(),
        told.join(" "),
        spelt.join(" "),
        joined,
        parted.join(" "),
        other,
        known.join(" "),
        last(2),
        last(1),
    ];
    let mut out: Vec<String> = Vec::new();
    for words in all {
        let words = words.to_lowercase();
        if !words.is_empty() && !out.contains(&words) {
            out.push(words);
        }
    }
    out
}

/// The word as the shop or the language spells it, if it is spelt otherwise and only one comes near.
fn spelt(word: &str, seen: &[Product]) -> String {
    let stem = words::stem(word);
    let shown: HashSet<String> =
        seen.iter().flat_map(|product| words::stems(&product.name)).collect();
    if words::is_known(&stem) || shown.contains(&stem) {
        // Shops that search by whole words know one spelling: `yogurt`.
        return words::usual(word).map_or_else(|| word.to_lowercase(), str::to_owned);
    }
    let language: Vec<&str> = words::known().collect();
    let candidates = shown.iter().map(String::as_str).chain(language);
    let mut near: Vec<(usize, &str)> = candidates
        .filter(|known| words::is_slip(&stem, known))
        .map(|known| (words::distance(&stem, known), known))
        .collect();
    near.sort_unstable();
    near.dedup();
    match near.as_slice() {
        [(_, only)] => (*only).to_owned(),
        [(least, first), (more, _), ..] if least < more => (*first).to_owned(),
        [] => parted(word),
        _ => word.to_lowercase(),
    }
}

/// What is surely spelt as the shop may have it.
fn known(word: &str) -> Option<&str> {
    if words::is_known(&words::stem(word)) { Some(word) } else { words::ending(word) }
}

/// Two words that were written as one.
fn parted(word: &str) -> String {
    let parts = words::parts(&words::stem(word), &HashSet::new());
    parts.map_or_else(|| word.to_lowercase(), |(one, two)| format!("{one} {two}"))
}

/// With two words as one that are known as one: `tooth paste`.
fn joined(words: &[String]) -> String {
    let mut out: Vec<String> = Vec::new();
    for word in words {
        match out.last_mut() {
            Some(last) if words::is_known(&words::stem(&format!("{last}{word}"))) => *last += word,
            _ => out.push(word.clone()),
        }
    }
    out.join(" ")
}

/// The last word in the singular if it was in the plural, and the other way round.
fn other_number(words: &[String]) -> String {
    let Some((last, rest)) = words.split_last() else { return String::new() };
    let one = words::singular(last);
    let other = if one == *last { format!("{last}s") } else { one };
    rest.iter().cloned().chain([other]).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_varied_from_the_whole_to_what_it_is() {
        let cases: [(&str, &[&str]); 10] = [
            ("greek yoghurt", &["greek yoghurt", "greek yogurt", "greek yogurts", "yogurt"]),
            ("milk", &["milk", "milks"]),
            (
                "2 L bottle of whole milk",
                &["2 l bottle of whole milk", "whole milk", "whole milks", "milk"],
            ),
            ("bananna", &["bananna", "banana", "bananas"]),
            ("cornflakes", &["cornflakes", "corn flake", "cornflake"]),
            ("peanutbutter", &["peanutbutter", "peanut butter", "peanut butters"]),
            ("Tomatoes", &["tomatoes", "tomato"]),
            ("tortilla cips", &["tortilla cips", "tortilla cip", "tortilla", "cips"]),
            ("facialtissues", &["facialtissues", "facialtissue", "tissues"]),
            (
                "mint tooth paste",
                &[
                    "mint tooth paste",
                    "mint toothpaste",
                    "mint tooth pastes",
                    "mint paste",
                    "tooth paste",
                    "paste",
                ],
            ),
        ];
        for (what, expected) in cases {
            assert_eq!(ways(what, &[]), expected, "{what}");
        }
    }
}
