//! How many tokens a request takes, rather more than fewer: a third of its bytes, and so many for a picture.

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
        let schema = serde_json::to_string(&tool.schema).map_or(0, |text| text.len());
        tool.name.len() + tool.about.len() + schema
    };
    (system.len() + tools.iter().map(tool).sum::<usize>()).div_ceil(3)
}

/// About how many tokens turns take.
pub(super) fn of_turns(turns: &[Turn]) -> usize {
    turns.iter().map(of_turn).sum()
}

fn of_turn(turn: &Turn) -> usize {
    match turn {
        Turn::User(parts) => of_parts(parts),
        Turn::Model(answer) => of_answer(answer),
        Turn::Tools(results) => results
            .iter()
            .map(|one| of_parts(&one.parts) + (one.id.len() + one.name.len()).div_ceil(3))
            .sum(),
    }
}

fn of_parts(parts: &[Part]) -> usize {
    let one = |part: &Part| match part {
        Part::Text(text) => text.len().div_ceil(3),
        Part::Picture(_) => PICTURE,
    };
    parts.iter().map(one).sum()
}

pub(super) fn of_answer(answer: &Answer) -> usize {
    let call = |call: &crate::model::Call| {
        let arguments = call.arguments.as_ref().map_or_else(String::len, |arguments| {
            serde_json::to_string(arguments).map_or(0, |text| text.len())
        });
        call.id.len() + call.name.len() + arguments
    };
    let plain = answer.text.len() + answer.calls.iter().map(call).sum::<usize>();
    let raw = answer.raw.as_ref().map_or(0, |raw| raw.to_string().len());
    plain.max(raw).div_ceil(3)
}
