//! How many tokens a request takes, rather more than fewer: its texts as they are counted everywhere, and so
//! many for a picture.

use legwork_protocol::tokens::count;

use super::history::View;
use crate::model::{Abilities, Answer, Part, Tool, Turn};

/// Tokens of a picture of the window; vendors count from about 800 to 1,600.
const PICTURE: usize = 1_600;

/// Tokens of input that a request stays under, whatever the model could read.
const INPUT: usize = 40_000;

/// Below this many tokens a model's window is small.
const SMALL: u64 = 16_000;

/// What a request may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Tokens in all.
    pub(super) input: usize,
    /// Bytes of the summary by rule, before a model is asked for a shorter one.
    pub(super) summary: usize,
    /// Tokens that the model may write.
    pub(super) output: u32,
}

impl Limits {
    pub(super) fn of(abilities: Abilities) -> Limits {
        let window = abilities.window.map_or(usize::MAX, |tokens| tokens as usize);
        let input = INPUT.min(window.saturating_mul(6) / 10);
        let output = (window / 4).min(4_096) as u32;
        Limits { input, summary: input * 3 / 10, output }
    }

    /// How much is shown of each piece at first.
    pub(super) fn view(self) -> View {
        View { recent: 5, piece: (self.input * 3 / 5).min(18_000) }
    }

    /// Tokens of a page that a tool is asked for.
    pub(super) fn page_tokens(self) -> usize {
        3_800.min(self.input / 5).max(200)
    }
}

pub(super) fn is_small(abilities: Abilities) -> bool {
    abilities.window.is_some_and(|tokens| tokens < SMALL)
}

/// About how many tokens texts and tools take.
pub(super) fn of_fixed(system: &str, tools: &[Tool]) -> usize {
    let tool = |tool: &Tool| {
        let schema = serde_json::to_string(&tool.schema).map_or(0, |text| count(&text));
        count(&tool.name) + count(&tool.about) + schema
    };
    count(system) + tools.iter().map(tool).sum::<usize>()
}

/// About how many tokens turns take.
pub(super) fn of_turns(turns: &[Turn]) -> usize {
    turns.iter().map(of_turn).sum()
}

fn of_turn(turn: &Turn) -> usize {
    match turn {
        Turn::User(parts) => of_parts(parts),
        Turn::Model(answer) => of_answer(answer),
        Turn::Tools(results) => {
            results.iter().map(|one| of_parts(&one.parts) + count(&one.id) + count(&one.name)).sum()
        }
    }
}

fn of_parts(parts: &[Part]) -> usize {
    let one = |part: &Part| match part {
        Part::Text(text) => count(text),
        Part::Picture(_) => PICTURE,
    };
    parts.iter().map(one).sum()
}

pub(super) fn of_answer(answer: &Answer) -> usize {
    let call = |call: &crate::model::Call| {
        let arguments = call.arguments.as_ref().map_or_else(
            |unread| count(unread),
            |arguments| serde_json::to_string(arguments).map_or(0, |text| count(&text)),
        );
        count(&call.id) + count(&call.name) + arguments
    };
    let plain = count(&answer.text) + answer.calls.iter().map(call).sum::<usize>();
    let raw = answer.raw.as_ref().map_or(0, |raw| count(&raw.to_string()));
    plain.max(raw)
}
