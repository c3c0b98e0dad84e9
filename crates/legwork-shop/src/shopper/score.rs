//! How well a product fits what is wanted, in points that can be explained. A hundred is the very thing; every
//! reservation takes points away, and says why.
//!
//! | reservation | points |
//! |---|---|
//! | a word of the list that the product does not say | 50 |
//! | it is something else: `milk chocolate` for `milk` | 50 |
//! | a word that makes another thing of it: `chocolate milk` for `milk` | 50 |
//! | another size than the list says, or sold by the bunch | 50 |
//! | no size, and the list says one | 15 |
//! | a word that nobody knows after the first word that fits | 12 |
//! | it was frozen, canned, smoked or is a kind of its own, unasked: `baby carrots` | 16 |
//! | a word that nobody knows before that, most often a brand | 4, at most 8 |
//! | it is in no can, and the list says a can of it | 5 |
//! | a misspelt word | 4 |
//! | a variety: `brown`, `salted`, `skim` | 3 |
//! | a word that says nothing: `fresh`, `large` | 1 |

mod thing;

use std::collections::HashSet;
use std::fmt;

use super::size::{self, Measure, Size};
use super::words::{self, Sort};
pub(super) use thing::Thing;

/// From here on a product is taken.
pub(super) const ENOUGH: i32 = 70;

/// From here on nothing better is looked for.
pub(super) const SURE: i32 = 90;

/// What is wanted, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Want {
    /// The words that have to be there.
    pub(super) words: Vec<String>,
    /// Which of them are misspelt, and stand here as they are meant.
    slipped: Vec<bool>,
    /// Which of them are in the plural, by their ending.
    plural: Vec<bool>,
    /// How many of them name the thing itself.
    core: usize,
    /// Which of them says what it is.
    head: usize,
    /// Whether a can of it is wanted: what is in one is better, and what is not will do.
    in_a_can: bool,
    /// How much of it.
    pub(super) sizes: Vec<Size>,
}

/// How well a product fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// Points of a hundred; may be less than none.
    pub points: i32,
    /// What took points away.
    pub reservations: Vec<(String, i32)>,
    /// What tells it from other things that fit.
    pub(super) other: Vec<String>,
    /// Points that its size took away.
    pub(super) size: i32,
}

impl fmt::Display for Fit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} points", self.points)?;
        self.reservations.iter().try_for_each(|(why, points)| write!(out, ", -{points} {why}"))
    }
}

impl Want {
    /// Takes apart what a list says. Containers count only where nothing else is said.
    pub(super) fn read(what: &str) -> Want {
        let (sizes, rest) = size::take(what);
        let all = words::stems(&rest);
        let words = meant(&all);
        let plurals = what.split_whitespace().filter(|word| words::is_plural(word));
        let plurals: HashSet<String> = plurals.map(words::stem).collect();
        let plural = words.iter().map(|word| plurals.contains(word)).collect();
        let in_a_can = all.iter().any(|word| word == "can" || word == "tin");
        let (slipped, core) = (vec![false; words.len()], core(what).min(words.len()));
        Want { words, slipped, plural, core, head: 0, in_a_can, sizes }.with_head()
    }

    /// The same with its misspelt words as the shop has them. `seen` is every word that the shop has shown: a
    /// word that it writes so is not misspelt.
    pub(super) fn meant(&self, seen: &HashSet<String>) -> Want {
        let mut want = self.clone();
        let several = want.words.len() > 1;
        for at in (0..want.words.len()).rev() {
            let word = &want.words[at];
            let whole = want.words.get(at + 1).map(|next| format!("{word}{next}"));
            if let Some(whole) =
                whole.filter(|whole| words::is_known(whole) && seen.contains(whole))
            {
                want.join(at, whole);
            } else if let Some(meant) = words::meant(word, several && want.plural[at], seen) {
                want.words[at] = meant.to_owned();
                want.slipped[at] = true;
            } else if let Some(parts) =
                words::parts(word, seen).filter(|_| !seen.contains(word) && !words::is_known(word))
            {
                want.split(at, parts);
            }
        }
        want.with_head()
    }

    /// Puts two words together that are one: `tooth paste`.
    fn join(&mut self, at: usize, whole: String) {
        self.words[at] = whole;
        self.words.remove(at + 1);
        self.slipped.remove(at);
        self.plural.remove(at);
        self.core -= usize::from(at + 1 < self.core);
    }

    /// Takes apart a word that is two: `frozenpizza`.
    fn split(&mut self, at: usize, (one, two): (String, String)) {
        self.words[at] = two;
        self.words.insert(at, one);
        self.slipped.insert(at, false);
        self.plural.insert(at, false);
        self.core += usize::from(at < self.core);
    }

    /// What it is: the last word that can say so, or one in the plural or one that flavours stand behind,
    /// though more follows: `bagels sesame` are bagels, and `toothpaste mint` is toothpaste.
    fn with_head(self) -> Want {
        let words = &self.words[..self.core];
        let plural = (0..words.len()).rfind(|at| self.plural[*at] && words::is_thing(&words[*at]));
        let head = plural.unwrap_or_else(|| head(words, None));
        let before = words[..head].iter().rposition(|word| words::is_before_flavour(word));
        let flavour = words.get(head).is_some_and(|word| words::is_flavour(word));
        let head = before.filter(|_| flavour && plural.is_none()).unwrap_or(head);
        Want { head, ..self }
    }
}

/// The words that say what is wanted: those that say something, without what it is in if more is said.
fn meant(all: &[String]) -> Vec<String> {
    let told = |word: &&String| !words::is_connective(word) && !words::is_empty_word(word);
    let meant: Vec<String> = all.iter().filter(told).cloned().collect();
    let strong: Vec<String> =
        meant.iter().filter(|word| !words::is_container(word)).cloned().collect();
    match (strong.is_empty(), meant.is_empty()) {
        (false, _) => strong,
        (true, false) => meant,
        (true, true) => all.to_vec(),
    }
}

/// How many words name the thing itself. What follows a comma, a bracket, a dash or `from` says more of it:
/// `chips, salt and vinegar`.
fn core(what: &str) -> usize {
    let ends = [", ", "; ", ": ", " - ", " – ", "("].iter().filter_map(|end| what.find(end));
    let mut ends: Vec<usize> = ends.chain([what.len()]).collect();
    ends.sort_unstable();
    let words = ends.into_iter().find_map(|end| {
        let all = words::stems(&size::take(&what[..end]).1);
        let more = all.iter().position(|word| words::is_connective(word)).filter(|at| *at > 0);
        let words = meant(&all[..more.unwrap_or(all.len())]);
        words.iter().any(|word| says_what(word)).then_some(words.len())
    });
    words.unwrap_or(1).max(1)
}

/// Which word says what it is: the last one that is not only a variety or says nothing, and is not denied:
/// `broth, no salt added`.
fn head(words: &[String], wanted: Option<&String>) -> usize {
    let denied = |at: usize| at > 0 && words[at - 1] == words::stem("without");
    let tells =
        |at: &usize| wanted == Some(&words[*at]) || (says_what(&words[*at]) && !denied(*at));
    (0..words.len()).rfind(tells).unwrap_or(words.len().saturating_sub(1))
}

/// Whether a word can say what a thing is.
fn says_what(word: &str) -> bool {
    match words::sort(word, "") {
        _ if words::is_quality(word) => false,
        Sort::Neutral => false,
        // Varieties that are also things: salt.
        Sort::Variant => words::is_thing(word),
        _ => true,
    }
}

/// Where each word of the list stands in the product.
struct Match {
    /// The place in the name, if it stands there.
    place: Option<usize>,
    /// Another place that belongs to it.
    also: Option<usize>,
    found: bool,
}

/// How well a product fits what is meant.
pub(super) fn fit(want: &Want, thing: &Thing) -> Fit {
    let mut fit = Fit { points: 100, reservations: Vec::new(), other: Vec::new(), size: 0 };
    let matches = find(want, thing);
    for ((word, found), slipped) in want.words.iter().zip(&matches).zip(&want.slipped) {
        if !found.found {
            fit.take(format!("it does not say {word:?}"), 50);
        } else if *slipped {
            fit.take(format!("{word:?} is spelt otherwise"), 4);
        }
    }
    let head = head_of(thing, want, want.head);
    if !is_the_thing(want, thing, &matches) {
        let what = thing.words.get(head).map(String::as_str).unwrap_or_default();
        fit.take(format!("it is {what:?}"), 50);
    }
    extras(thing, &matches, head, &mut fit);
    let says_so = || thing.words.iter().any(|word| *word == words::stem("canned"));
    if want.in_a_can && !says_so() && !is_canned("canned", thing) {
        fit.take("it is in no can".into(), 5);
    }
    let before = fit.points;
    for wanted in &want.sizes {
        match size::fits(wanted, &thing.sizes) {
            Some(true) => {}
            Some(false) => fit.take("it is another size".into(), 50),
            None if thing.otherwise => fit.take("it is sold otherwise".into(), 50),
            None => fit.take("it does not say its size".into(), 15),
        }
    }
    fit.size = before - fit.points;
    fit
}

impl Fit {
    fn take(&mut self, why: String, points: i32) {
        self.points -= points;
        self.reservations.push((why, points));
    }
}

/// Whether what the list names is what the product is. A brand and what says more of it may stand behind it:
/// `milk Meadowbrook`, `flour whole wheat Stonemill`.
fn is_the_thing(want: &Want, thing: &Thing, matches: &[Match]) -> bool {
    if is_as_written(want, thing, matches) {
        return true;
    }
    let more = |at: &usize| {
        let Some((word, found)) = want.words.get(*at).zip(matches.get(*at)) else { return false };
        let unknown = words::sort(word, "") == Sort::Unknown && !words::is_thing(word);
        let brand = found.place.is_none() || unknown;
        found.found && (brand || !says_what(word))
    };
    let behind = (0..=want.head).rev().take_while(more).last();
    let last = behind.map_or(want.head, |at| at.saturating_sub(1));
    let kind = |at: usize| thing.words.get(at).map(String::as_str).unwrap_or_default();
    (last..=want.head).any(|at| {
        let head = head_of(thing, want, at);
        match matches.get(at).and_then(|found| found.place) {
            Some(place) => {
                place == head || (place + 1 == head && words::is_species(kind(place), kind(head)))
            }
            None => false,
        }
    })
}

/// Whether the product is called as the list says it, and what comes last there is what it is.
fn is_as_written(want: &Want, thing: &Thing, matches: &[Match]) -> bool {
    let places: Option<Vec<usize>> = matches[..want.core].iter().map(|found| found.place).collect();
    places.is_some_and(|places| {
        let ends = places.last().is_some_and(|last| *last == head_of(thing, want, want.core - 1));
        ends && places.windows(2).all(|pair| pair[0] + 1 == pair[1])
    })
}

/// Which word says what a product is, to whom this word of the list does.
fn head_of(thing: &Thing, want: &Want, at: usize) -> usize {
    head(&thing.words[..thing.core], want.words.get(at))
}

fn extras(thing: &Thing, matches: &[Match], head: usize, fit: &mut Fit) {
    let used: HashSet<usize> =
        matches.iter().flat_map(|found| [found.place, found.also]).flatten().collect();
    let first = used.iter().min().copied().unwrap_or(thing.words.len());
    let kind = thing.words.get(head).map(String::as_str).unwrap_or_default();
    let mut brand = 0;
    for (at, word) in thing.words.iter().enumerate().filter(|(at, _)| !used.contains(at)) {
        // `No pulp` is not what somebody wants who wants pulp.
        let denied = *word == words::stem("without") && used.contains(&(at + 1));
        let sort = match words::sort(word, kind) {
            _ if denied => Sort::Changing,
            // The end of a name that says what it is a kind of is no extra.
            _ if at == head && at > 0 && words::is_species(&thing.words[at - 1], word) => {
                Sort::Neutral
            }
            Sort::Neutral => Sort::Neutral,
            _ if words::is_species(word, kind) => Sort::Altered,
            // What it comes with changes it less.
            Sort::Changing | Sort::Altered if at >= thing.core => Sort::Altered,
            Sort::Unknown if at >= thing.core => Sort::Variant,
            sort => sort,
        };
        match sort {
            Sort::Neutral => fit.take(format!("{word:?} says nothing"), 1),
            Sort::Variant => fit.take(format!("{word:?} is a variety"), 3),
            Sort::Altered => fit.take(format!("{word:?} is a kind of its own"), 16),
            Sort::Changing => fit.take(format!("{word:?} makes another thing of it"), 50),
            Sort::Unknown if at < first => {
                if brand < 2 {
                    fit.take(format!("{word:?} may be a brand"), 4);
                }
                brand += 1;
                continue;
            }
            Sort::Unknown => fit.take(format!("nobody knows what {word:?} is"), 12),
        }
        if !matches!(sort, Sort::Neutral | Sort::Variant) {
            fit.other.push(word.clone());
        }
    }
    fit.other.sort();
}

fn find(want: &Want, thing: &Thing) -> Vec<Match> {
    let mut used = HashSet::new();
    let mut out = Vec::new();
    for (number, word) in want.words.iter().enumerate() {
        // A word that stands twice is meant where it says what the thing is: at the end.
        let exact = thing.words.iter().enumerate().rev();
        let mut free = exact.filter(|(at, _)| !used.contains(at));
        let mut found = free.find(|(_, said)| *said == word).map(|(at, _)| Match::at(at));
        found = found.or_else(|| written_together(want, number, thing));
        found = found.or_else(|| thing.beside.contains(word).then(Match::beside));
        found = found.or_else(|| is_canned(word, thing).then(Match::beside));
        let found = found.unwrap_or(Match { found: false, ..Match::beside() });
        used.extend(found.place);
        out.push(found);
    }
    out
}

impl Match {
    fn at(at: usize) -> Match {
        Match { place: Some(at), ..Match::beside() }
    }

    fn beside() -> Match {
        Match { place: None, also: None, found: true }
    }
}

/// `peanutbutter` is `peanut butter`, and the other way round.
fn written_together(want: &Want, number: usize, thing: &Thing) -> Option<Match> {
    let word = &want.words[number];
    let parts = |at: usize| format!("{}{}", thing.words[at], thing.words[at + 1]);
    if let Some(at) = (0..thing.words.len().saturating_sub(1)).find(|at| parts(*at) == *word) {
        return Some(Match { also: Some(at), ..Match::at(at + 1) });
    }
    let before = number.checked_sub(1).map(|at| format!("{}{word}", want.words[at]));
    let after = want.words.get(number + 1).map(|next| format!("{word}{next}"));
    let whole = [before, after];
    let place =
        thing.words.iter().position(|said| whole.iter().flatten().any(|whole| whole == said));
    place.map(Match::at)
}

/// Food that is measured by volume, and less than a litre of it, is in a can or a jar.
fn is_canned(word: &str, thing: &Thing) -> bool {
    let small = |size: &Size| size.measure == Measure::Volume && size.amount <= 1000.0;
    word == words::stem("canned") && thing.sizes.iter().any(small)
}
