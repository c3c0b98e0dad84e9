//! Why a clause is not a task yet: it is beyond the grammar, or it has to be asked about.

use std::ops::Range;

use super::token::Token;

/// Why there is no task.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// Not understood.
    Beyond {
        /// Where it stands in the instruction.
        part: Range<usize>,
        /// The clause that cannot be done because of it.
        clause: Range<usize>,
        /// What could be said instead.
        hint: String,
    },
    /// Understood in more than one way, or in none for want of something.
    Doubt(Doubt),
}

/// Something to ask.
#[derive(Debug, Clone, PartialEq)]
pub struct Doubt {
    /// What it is about: the answer takes its place in the instruction.
    pub part: Range<usize>,
    /// The question.
    pub message: String,
    /// Answers to choose from; each could have been said instead of the part.
    pub choices: Vec<String>,
    /// What stands before and behind an answer in own words.
    pub frame: (String, String),
}

impl Fault {
    /// These words are beyond the grammar.
    pub fn beyond(tokens: &[Token], hint: impl Into<String>) -> Fault {
        Fault::whole(span(tokens), hint)
    }

    /// This part is beyond the grammar, and is a clause by itself.
    pub fn whole(part: Range<usize>, hint: impl Into<String>) -> Fault {
        Fault::Beyond { clause: part.clone(), part, hint: hint.into() }
    }

    /// The same, in a clause of these words.
    pub fn within(self, tokens: &[Token]) -> Fault {
        match self {
            Fault::Beyond { part, hint, .. } => Fault::Beyond { part, clause: span(tokens), hint },
            other => other,
        }
    }

    /// These words have to be asked about.
    pub fn doubt(tokens: &[Token], message: String, choices: Vec<String>) -> Fault {
        let frame = (String::new(), String::new());
        Fault::Doubt(Doubt { part: span(tokens), message, choices, frame })
    }

    /// The same, with what stands around an answer in own words.
    pub fn framed(self, before: &str, behind: &str) -> Fault {
        match self {
            Fault::Doubt(doubt) => {
                Fault::Doubt(Doubt { frame: (before.into(), behind.into()), ..doubt })
            }
            other => other,
        }
    }
}

/// Where tokens stand in the instruction.
pub fn span(tokens: &[Token]) -> Range<usize> {
    match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => first.span.start..last.span.end.max(first.span.start),
        _ => 0..0,
    }
}
