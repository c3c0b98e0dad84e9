//! What nobody understands can be left out: how much of the instruction goes with it, and how that is offered.
//! What would turn the rest into something else, such as a condition, never goes alone.

use std::ops::Range;

use legwork_protocol::assistant::TaskContext;

use super::answer::chosen;
use super::describe::describe;
use super::english::English;
use super::fault::Fault;
use super::phrase::quoted;
use super::read;
use super::sentence;
use super::token::{Kind, Token, tokens};

/// What stands in the place of what is left out.
pub const NOTHING: &str = "do nothing";

/// As much of a part is repeated in a choice.
const SHOWN: usize = 80;

/// A part that can be left out.
#[derive(Debug, PartialEq)]
pub struct Left {
    /// Where it stands in the instruction.
    pub part: Range<usize>,
    /// The words of the choice.
    pub choice: String,
}

impl Left {
    /// Whether the answer is to leave it out.
    pub fn is_meant(&self, answer: &str) -> bool {
        let choices = [self.choice.clone()];
        chosen(&choices, answer).is_some()
    }
}

/// What has to go so that the part that is beyond the grammar is gone and the rest is what it was: the part,
/// its clause, the sentence from there, or everything.
pub fn out(instruction: &str, context: &TaskContext) -> Option<Left> {
    let Err(Fault::Beyond { part, clause, .. }) = read(instruction, context) else { return None };
    let words = tokens(instruction);
    let rest = clause.start..sentence::end(&words, clause.start).max(clause.end);
    let all = 0..instruction.len();
    let parts = [part, clause, rest].into_iter().enumerate();
    let mut fit = parts.filter(|(at, part)| {
        // Where or without what something is done is about the rest, and never goes alone. Something to do does
        // between marks and joints; what is a condition takes along what hangs on it.
        is_to_do(&words, part)
            && (*at > 0 || stands_alone(&words, part))
            && (*at > 1 || !is_restricting(&words, part))
            && is_gone(instruction, part, context)
    });
    let part = fit.next().map_or(all, |(_, part)| part);
    let said = instruction.get(part.clone())?.trim();
    let choice = match said == instruction.trim() {
        true => NOTHING.to_owned(),
        false => format!("leave out {}", quoted(&crate::think::short(said, SHOWN))),
    };
    Some(Left { part, choice })
}

fn stands_alone(words: &[Token], part: &Range<usize>) -> bool {
    let parts = |token: &Token| token.kind == Kind::Mark || token.is("and") || token.is("&");
    let before = words.iter().rfind(|token| token.span.end <= part.start);
    let behind = words.iter().find(|token| token.span.start >= part.end);
    before.is_none_or(parts) && behind.is_none_or(parts)
}

/// Whether a part is no narrowing of what is said before it: nothing that restricts or takes back begins it.
fn is_to_do(words: &[Token], part: &Range<usize>) -> bool {
    let first = words.iter().find(|token| token.span.start >= part.start);
    let narrows = |token: &Token| {
        ["narrowing", "negations"].iter().any(|list| English::get().has(list, &token.lower))
    };
    first.is_some_and(|token| token.kind == Kind::Word && !narrows(token))
}

/// Whether a part says when, or what not, to do the rest.
fn is_restricting(words: &[Token], part: &Range<usize>) -> bool {
    let within = |token: &&Token| token.span.start >= part.start && token.span.end <= part.end;
    let condition = |token: &Token| {
        token.kind == Kind::Word
            && (token.is("when")
                || token.lower.ends_with("n't")
                || ["conditions", "negations"]
                    .iter()
                    .any(|list| English::get().has(list, &token.lower)))
    };
    words.iter().filter(within).any(condition)
}

/// Whether nothing remains of the part, and what comes before it is understood.
fn is_gone(instruction: &str, part: &Range<usize>, context: &TaskContext) -> bool {
    let Some((before, behind)) = instruction.get(..part.start).zip(instruction.get(part.end..))
    else {
        return false;
    };
    let whole = format!("{before}{NOTHING}{behind}");
    match read(&whole, context) {
        Ok(list) => list.tasks.iter().all(|task| !describe(&task.work).contains(NOTHING)),
        Err(Fault::Beyond { part: next, .. }) => next.start >= part.start + NOTHING.len(),
        Err(Fault::Doubt(doubt)) => {
            whole.get(doubt.part).is_some_and(|asked| !asked.contains(NOTHING))
        }
    }
}
