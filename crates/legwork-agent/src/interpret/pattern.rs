//! Patterns of what can be said, and where the words of a clause fit into them.

use std::collections::BTreeMap;
use std::ops::Range;

use super::gap::Gap;
use super::token::{Kind, Token};

/// A way to say something.
#[derive(Debug)]
pub struct Pattern(Vec<Item>);

#[derive(Debug)]
enum Item {
    Word(Vec<String>),
    Maybe(Vec<Item>),
    Gap(Gap),
}

/// How a clause fits a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// How many of its words are the pattern's own.
    pub own: usize,
    /// What fills the gaps, in the pattern's order.
    pub gaps: Vec<(Gap, Range<usize>)>,
}

impl Pattern {
    /// Reads a pattern as `english.toml` writes it.
    pub fn read(text: &str, verbs: &BTreeMap<String, Vec<String>>) -> Result<Pattern, String> {
        let spread = text.replace('[', " [ ").replace(']', " ] ");
        let mut parts = spread.split_whitespace();
        let items = items(&mut parts, verbs, text, false)?;
        Ok(Pattern(items))
    }

    /// The words it may begin with.
    pub fn starts(&self) -> Vec<String> {
        starts(&self.0)
    }

    /// Every way in which all of these tokens fit.
    pub fn fits(&self, tokens: &[Token]) -> Vec<Fit> {
        let mut found = Vec::new();
        let refs: Vec<&Item> = self.0.iter().collect();
        fit(&refs, tokens, 0, Fit { own: 0, gaps: Vec::new() }, &mut found);
        found
    }
}

fn items<'a>(
    parts: &mut impl Iterator<Item = &'a str>,
    verbs: &BTreeMap<String, Vec<String>>,
    whole: &str,
    inner: bool,
) -> Result<Vec<Item>, String> {
    let mut out = Vec::new();
    while let Some(part) = parts.next() {
        let gap = part.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let list = part.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
        match (part, gap, list) {
            ("[", ..) => out.push(Item::Maybe(items(parts, verbs, whole, true)?)),
            ("]", ..) if inner => return Ok(out),
            ("]", ..) => return Err(format!("a ] too many in {whole:?}")),
            (_, Some(gap), _) => out.push(Item::Gap(Gap::named(gap)?)),
            (_, _, Some(list)) => {
                let words = verbs.get(list).ok_or_else(|| format!("no verbs {list:?}"))?;
                out.push(Item::Word(words.clone()));
            }
            _ => out.push(Item::Word(part.split('|').map(str::to_owned).collect())),
        }
    }
    if inner { Err(format!("a ] is missing in {whole:?}")) } else { Ok(out) }
}

fn starts(items: &[Item]) -> Vec<String> {
    match items.first() {
        Some(Item::Word(words)) => words.clone(),
        Some(Item::Maybe(inner)) => {
            let mut all = starts(inner);
            all.extend(starts(&items[1..]));
            all
        }
        Some(Item::Gap(_)) | None => Vec::new(),
    }
}

fn fit(items: &[&Item], tokens: &[Token], at: usize, so_far: Fit, found: &mut Vec<Fit>) {
    let Some((first, rest)) = items.split_first() else {
        if at == tokens.len() && !found.contains(&so_far) {
            found.push(so_far);
        }
        return;
    };
    match first {
        Item::Word(words) => {
            let here = tokens.get(at).filter(|token| token.kind == Kind::Word);
            if here.is_some_and(|token| words.contains(&token.lower)) {
                fit(rest, tokens, at + 1, Fit { own: so_far.own + 1, ..so_far }, found);
            }
        }
        Item::Maybe(inner) => {
            let with: Vec<&Item> = inner.iter().chain(rest.iter().copied()).collect();
            fit(&with, tokens, at, so_far.clone(), found);
            fit(rest, tokens, at, so_far, found);
        }
        Item::Gap(gap) => {
            for end in at + 1..=tokens.len() {
                if gap.takes(&tokens[at..end]) {
                    let mut next = so_far.clone();
                    next.gaps.push((*gap, at..end));
                    fit(rest, tokens, end, next, found);
                }
            }
        }
    }
}
