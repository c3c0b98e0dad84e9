//! Instructions are taken apart into clauses: at full stops, lines and "then" always, at commas and "and"
//! where a verb begins something new.

use legwork_protocol::assistant::Work;

use super::clause;
use super::describe::describe_all;
use super::english::English;
use super::fault::Fault;
use super::gap::joined;
use super::phrase::{quoted, said};
use super::scene::Scene;
use super::token::{Kind, Token};

type Read<'a> = Result<(Vec<Work>, Scene<'a>), Fault>;

/// Reads everything that was said.
pub fn read<'a>(tokens: &[Token], mut scene: Scene<'a>) -> Read<'a> {
    let mut all = Vec::new();
    for (sentence, ends) in sentences(tokens) {
        if says_something(sentence) {
            let (works, after) = one(sentence, &scene)?;
            all.extend(works);
            scene = after;
        }
        if let Some(part) = scene.dangling.clone().filter(|_| ends) {
            return Err(Fault::whole(part, "say what to do there"));
        }
        if ends {
            scene.scope = None;
        }
    }
    Ok((all, scene))
}

/// Whether there is more than courtesies, headings and marks.
pub fn is_instruction(tokens: &[Token]) -> bool {
    sentences(tokens).into_iter().any(|(sentence, _)| says_something(sentence))
}

fn says_something(sentence: &[Token]) -> bool {
    let bare = clause::trimmed(sentence);
    !bare.is_empty() && !English::get().has("headings", &joined(bare))
}

/// Sentences, and whether each ends with a mark: "then" does not change what is spoken of.
fn sentences(tokens: &[Token]) -> Vec<(&[Token], bool)> {
    let english = English::get();
    let (mut out, mut from, mut at) = (Vec::new(), 0, 0);
    while at < tokens.len() {
        let mark = tokens[at].kind == Kind::Mark && !matches!(&*tokens[at].text, "," | ":");
        let words = english.list("splitters").iter().map(|splitter| splitter.split(' '));
        let splitter = words.map(|parts| parts.collect::<Vec<_>>()).find(|parts| {
            let here = tokens.get(at..at + parts.len());
            here.is_some_and(|here| {
                here.iter().zip(parts).all(|(t, part)| t.is(part) && !t.capital())
            })
        });
        let length = splitter.map_or(usize::from(mark), |parts| parts.len());
        if length > 0 {
            out.push((&tokens[from..at], mark));
            from = at + length;
        }
        at += length.max(1);
    }
    out.push((&tokens[from..], true));
    out
}

/// Where the sentence ends that goes on here: at a mark, or with the instruction.
pub fn end(tokens: &[Token], from: usize) -> usize {
    let ends = sentences(tokens).into_iter().filter(|(_, ends)| *ends);
    let ends = ends.filter_map(|(sentence, _)| Some(sentence.last()?.span.end));
    let last = tokens.last().map_or(0, |token| token.span.end);
    ends.into_iter().find(|end| *end > from).unwrap_or(last)
}

/// One sentence. A verb with a capital letter after "and" may be part of a name ("Save and Reload"): where
/// both can be done, it is asked which.
fn one<'a>(tokens: &[Token], scene: &Scene<'a>) -> Read<'a> {
    let (cuts, doubtful) = cuts(tokens);
    let all = divide(tokens, &cuts, scene);
    if doubtful.is_empty() {
        return all;
    }
    let sure: Vec<usize> = cuts.iter().filter(|cut| !doubtful.contains(cut)).copied().collect();
    let fewer = divide(tokens, &sure, scene);
    let Ok(all) = all else { return fewer };
    let other = match fewer {
        Ok(fewer) if fewer.0 != all.0 => describe_all(&fewer.0),
        Err(Fault::Doubt(doubt)) if !doubt.choices.is_empty() => doubt.choices[0].clone(),
        _ => return Ok(all),
    };
    let bare = clause::trimmed(tokens);
    let message = format!("How is {} meant?", quoted(&said(bare).replace('"', "'")));
    Err(Fault::doubt(bare, message, vec![describe_all(&all.0), other]))
}

/// Where a new clause may begin, and which of these places are doubtful.
fn cuts(tokens: &[Token]) -> (Vec<usize>, Vec<usize>) {
    let (mut cuts, mut doubtful) = (Vec::new(), Vec::new());
    let joint = |token: &Token| token.mark(",") || token.is("and") || token.is("&");
    for at in 1..tokens.len() {
        if !joint(&tokens[at]) || joint(&tokens[at - 1]) {
            continue;
        }
        let rest = clause::trimmed(&tokens[at..]);
        let Some(first) = rest.first().filter(|first| first.kind == Kind::Word) else { continue };
        if !English::get().starter(&first.lower) {
            continue;
        }
        cuts.push(at);
        if first.capital() && !tokens[at].mark(",") && first.text != "I" {
            doubtful.push(at);
        }
    }
    (cuts, doubtful)
}

/// The first clause that can be understood is taken, and the rest after it. What follows a clause that is
/// whole is never made part of it because it cannot be understood itself.
fn divide<'a>(tokens: &[Token], cuts: &[usize], scene: &Scene<'a>) -> Read<'a> {
    let (mut all, mut scene, mut from) = (Vec::new(), scene.clone(), 0);
    'clauses: loop {
        let mut fault = None;
        for cut in cuts.iter().filter(|cut| **cut > from) {
            match clause::read(&tokens[from..*cut], &scene) {
                Ok((works, after)) => {
                    all.extend(works);
                    (scene, from) = (after, *cut);
                    continue 'clauses;
                }
                Err(other) => fault = fault.or(Some(other)),
            }
        }
        let last = clause::read(&tokens[from..], &scene);
        let (works, after) = last.map_err(|other| fault.unwrap_or(other))?;
        all.extend(works);
        return Ok((all, after));
    }
}
