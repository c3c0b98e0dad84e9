//! What a person answered takes its place in the instruction, which is then read again.

use legwork_protocol::assistant::TaskContext;

use super::fault::Fault;
use super::{Understood, by_grammar, read};

/// The instruction with the answer in it; nothing if the grammar has no question about it.
pub fn put(instruction: &str, context: &TaskContext, answer: &str) -> Option<String> {
    let answer = answer.trim();
    let (part, new) = match read(instruction, context) {
        Ok(_) => return None,
        Err(Fault::Beyond { part, .. }) => (part, answer.to_owned()),
        Err(Fault::Doubt(doubt)) => {
            let own = || {
                let whole = matches!(by_grammar(answer, context), Understood::Tasks(_));
                let (before, behind) = &doubt.frame;
                if whole { answer.to_owned() } else { format!("{before}{answer}{behind}") }
            };
            let new = choice(&doubt.choices, answer).cloned().unwrap_or_else(own);
            (doubt.part, new)
        }
    };
    let (before, behind) = (instruction.get(..part.start)?, instruction.get(part.end..)?);
    Some(format!("{before}{new}{behind}"))
}

/// A choice as it was offered, or by its number.
fn choice<'a>(choices: &'a [String], answer: &str) -> Option<&'a String> {
    let said = choices.iter().find(|choice| choice.eq_ignore_ascii_case(answer));
    let number = answer.trim_end_matches(['.', ')']).parse::<usize>().ok();
    said.or_else(|| choices.get(number?.checked_sub(1)?))
}
