//! One thing to do: the clause is held against every rule, and the best fit is taken.

use legwork_protocol::assistant::Work;

use super::describe::describe_all;
use super::english::{English, Rule, Sense};
use super::fault::Fault;
use super::gap::joined;
use super::list;
use super::mean::{Reading, works};
use super::pattern::Fit;
use super::phrase::{self, quoted, said};
use super::scene::Scene;
use super::token::{Kind, Token};

/// More words than that are no clause.
const LONGEST: usize = 80;

/// Reads a clause: its tasks, and the scene after them.
pub fn read<'a>(tokens: &[Token], scene: &Scene<'a>) -> Result<(Vec<Work>, Scene<'a>), Fault> {
    let bare = trimmed(tokens);
    if bare.is_empty() || bare.len() > LONGEST {
        return Err(Fault::beyond(tokens, GENERAL));
    }
    if let Some(read) = gapped(bare, scene) {
        return read.map_err(|fault| fault.within(bare));
    }
    plain(bare, scene).map_err(|fault| fault.within(bare))
}

const GENERAL: &str = "begin with what to do, such as go to, click, type, select, wait for or read";

/// The clause without what only leads to it and what only follows it.
pub fn trimmed(tokens: &[Token]) -> &[Token] {
    let mut rest = tokens;
    loop {
        let before = rest.len();
        while let [first, others @ ..] = rest {
            let joint = first.kind == Kind::Mark || first.is("and") || first.is("&");
            if !joint {
                break;
            }
            rest = others;
        }
        while let [others @ .., last] = rest {
            if last.kind != Kind::Mark && !last.is("and") {
                break;
            }
            rest = others;
        }
        rest = without_opener(without_closer(rest));
        if rest.len() == before {
            return without_purpose(rest);
        }
    }
}

/// Openers go only if something that can be said follows: "first Remove" is no opener.
fn without_opener(tokens: &[Token]) -> &[Token] {
    let english = English::get();
    for opener in english.list("openers") {
        let parts: Vec<&str> = opener.split(' ').collect();
        if tokens.len() <= parts.len() || !tokens.iter().zip(&parts).all(|(t, part)| t.is(part)) {
            continue;
        }
        let rest = &tokens[parts.len()..];
        let rest = if rest[0].mark(",") || rest[0].mark(":") { &rest[1..] } else { rest };
        let starts = |token: &Token| {
            let opens = |one: &String| one.split(' ').next() == Some(&token.lower);
            english.starter(&token.lower) || english.list("openers").iter().any(opens)
        };
        if rest.first().is_some_and(|token| token.kind == Kind::Word && starts(token)) {
            return rest;
        }
    }
    tokens
}

fn without_closer(tokens: &[Token]) -> &[Token] {
    for closer in English::get().list("closers") {
        let parts: Vec<&str> = closer.split(' ').collect();
        let Some(at) = tokens.len().checked_sub(parts.len()).filter(|at| *at > 1) else { continue };
        // Buttons are called "Pay now" and "Sign up now": where "Pay" is meant, it is asked or said without.
        if closer == "now" && clicks(tokens) {
            continue;
        }
        if tokens[at..].iter().zip(&parts).all(|(token, part)| token.is(part) && !token.capital()) {
            return &tokens[..at];
        }
    }
    tokens
}

fn clicks(tokens: &[Token]) -> bool {
    let first = tokens.first();
    first.is_some_and(|first| English::get().has("clicks", &first.lower))
}

/// "Click the trash icon to delete it": what a click on something exactly named is for is not needed.
fn without_purpose(tokens: &[Token]) -> &[Token] {
    let english = English::get();
    let purpose = tokens.windows(2).enumerate().skip(2).find(|(_, two)| {
        two[0].is("to") && two[1].kind == Kind::Word && english.has("purposes", &two[1].lower)
    });
    match purpose {
        Some((at, _)) if clicks(tokens) => {
            let last = &tokens[at - 1];
            let named = last.literal() || phrase::kind(&last.lower).is_some();
            if named { &tokens[..at] } else { tokens }
        }
        _ => tokens,
    }
}

/// The best fit: the most words of a rule's own, of equals the first rule.
fn best(tokens: &[Token]) -> Option<(&'static Rule, Vec<Fit>)> {
    let mut best: Option<(usize, &Rule, Vec<Fit>)> = None;
    for rule in &English::get().rules {
        let fits: Vec<Fit> =
            rule.patterns.iter().flat_map(|pattern| pattern.fits(tokens)).collect();
        let Some(most) = fits.iter().map(|fit| fit.own).max() else { continue };
        if best.as_ref().is_none_or(|(own, ..)| most > *own) {
            let fits = fits.into_iter().filter(|fit| fit.own == most).collect();
            best = Some((most, rule, fits));
        }
    }
    best.map(|(_, rule, fits)| (rule, fits))
}

fn plain<'a>(tokens: &[Token], scene: &Scene<'a>) -> Result<(Vec<Work>, Scene<'a>), Fault> {
    let Some((rule, fits)) = best(tokens) else { return Err(unknown(tokens)) };
    let mut found: Vec<(Vec<Work>, Scene<'a>)> = Vec::new();
    let mut fault = None;
    for fit in &fits {
        let mut after = scene.clone();
        match works(&Reading { sense: rule.sense, tokens, fit }, &mut after) {
            Ok(works) if found.iter().all(|(other, _)| *other != works) => {
                found.push((works, after))
            }
            Ok(_) => {}
            Err(other) => fault = fault.or(Some(other)),
        }
    }
    match (found.len(), fault) {
        (1, None) => Ok(found.remove(0)),
        (0, Some(fault)) => Err(fault),
        (0, None) => Err(unknown(tokens)),
        // A reading that is beyond the grammar may still be the one that is meant.
        _ => {
            let message = format!("How is {} meant?", quoted(&said(tokens)));
            let choices = found.iter().map(|(works, _)| describe_all(works)).collect();
            Err(Fault::doubt(tokens, message, choices))
        }
    }
}

/// A clause that no rule fits: the hint is the rule that begins alike.
fn unknown(tokens: &[Token]) -> Fault {
    let first = tokens.first().map_or("", |token| &token.lower);
    let rules = English::get().rules.iter();
    let alike = rules.clone().find(|rule| {
        rule.patterns.iter().any(|pattern| pattern.starts().iter().any(|word| word == first))
    });
    let same = |rule: &&Rule| rule.like.split(' ').next() == Some(first);
    match alike.filter(same) {
        Some(rule) => Fault::beyond(tokens, format!("say it like this: {}", rule.like)),
        None => Fault::beyond(tokens, GENERAL),
    }
}

/// Clauses that share a verb: "fill Email with a@b.c and Name with Jane", "click A, B and C".
fn gapped<'a>(
    tokens: &[Token],
    scene: &Scene<'a>,
) -> Option<Result<(Vec<Work>, Scene<'a>), Fault>> {
    let (parts, commas) = list::split(tokens);
    let (first, others) = parts.split_first().filter(|(_, others)| !others.is_empty())?;
    let (rule, fits) = best(first)?;
    let fit = fits.first()?;
    let verb = &first[..fit.gaps.first()?.1.start];
    let clauses: Vec<Vec<Token>> =
        others.iter().map(|part| verb.iter().chain(*part).cloned().collect()).collect();
    let same = clauses.iter().all(|clause| {
        best(clause).is_some_and(|(other, fits)| {
            other.sense == rule.sense && fits.iter().all(|other| other.gaps.len() >= fit.gaps.len())
        })
    });
    let lists = matches!(
        rule.sense,
        Sense::Click | Sense::Double | Sense::Right | Sense::Hover | Sense::Key | Sense::Go
    );
    if !same || fit.gaps.len() < 2 && !lists {
        return None;
    }
    if fit.gaps.len() < 2 && !commas && list::doubtful(&parts) && rule.sense == Sense::Click {
        let several = phrase::judge(&tokens[verb.len()..]).err();
        return Some(Err(several.unwrap_or_else(|| one_or_more(tokens, verb, &parts))));
    }
    let mut all = plain(first, scene).ok()?;
    for clause in &clauses {
        let (works, after) = plain(clause, &all.1).ok()?;
        all.0.extend(works);
        all.1 = after;
    }
    let points = matches!(rule.sense, Sense::Click | Sense::Double | Sense::Right);
    if let Some(other) = others.iter().find(|part| points && !reads_as_name(part)) {
        return Some(Err(Fault::beyond(other, phrase::EACH_WITH_A_VERB)));
    }
    Some(Ok(all))
}

/// Whether what follows a comma is told from something to do: "click About us, order two pizzas".
fn reads_as_name(part: &[Token]) -> bool {
    part.first().is_some_and(|first| {
        first.kind != Kind::Word || first.capital() || English::get().has("articles", &first.lower)
    })
}

fn one_or_more(tokens: &[Token], verb: &[Token], parts: &[&[Token]]) -> Fault {
    let name = |part: &[Token]| quoted(&said(part).replace('"', ""));
    let whole = name(&tokens[verb.len()..]);
    let verb = joined(verb);
    let first = name(&parts[0][verb.split(' ').count()..]);
    let rest = parts[1..].iter().map(|part| name(part));
    let each: Vec<String> =
        std::iter::once(first).chain(rest).map(|n| format!("{verb} {n}")).collect();
    let message = format!("Is {whole} one name, or are these {}?", parts.len());
    Fault::doubt(tokens, message, vec![format!("{verb} {whole}"), each.join(" and ")])
}
