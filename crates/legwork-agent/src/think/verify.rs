//! A `done` that the last outcome contradicts is doubted once.

use std::ops::ControlFlow::{self, Break, Continue};

use legwork_protocol::{Code, ToolError};
use serde_json::{Map, Value};

use super::Achieved;
use super::history::Piece;
use super::mind::{Came, Mind};
use super::offer::Done;

/// What came of the last action.
#[derive(Debug, Default)]
pub(super) struct Last {
    outcome: Outcome,
    /// What it came to was doubted already.
    doubted: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Nothing was called yet.
    #[default]
    None,
    /// Something was done, or looked at.
    Fine,
    /// It was done, and nothing changed.
    Nothing,
    Failed(Code),
}

impl Last {
    pub(super) fn changed(&mut self) {
        *self = Last { outcome: Outcome::Fine, doubted: false };
    }

    pub(super) fn looked(&mut self) {
        if self.outcome == Outcome::None {
            self.outcome = Outcome::Fine;
        }
    }

    pub(super) fn changed_nothing(&mut self) {
        self.outcome = Outcome::Nothing;
    }

    pub(super) fn failed(&mut self, error: &ToolError) {
        self.outcome = Outcome::Failed(error.code);
    }
}

impl Mind<'_> {
    /// Ends the task, unless what is known speaks against it and was not said yet.
    pub(super) async fn doubt(&mut self, done: Done) -> ControlFlow<Achieved, Came> {
        let seen = done.seen.as_deref().map(str::trim).filter(|words| !words.is_empty());
        let there = match seen {
            Some(words) => Some(self.is_on_the_page(words).await),
            None => None,
        };
        let against = match (self.last.outcome, there) {
            // The model was told of the outcome, looked, and shows what speaks for it.
            (_, Some(true)) if self.last.doubted => None,
            (_, Some(false)) => Some("the words that are to show it are not on the page".to_owned()),
            (Outcome::Failed(code), _) => Some(format!("the last action failed ({code})")),
            (Outcome::Nothing, _) => Some("the last action changed nothing on the page".to_owned()),
            (Outcome::None, None) => Some("nothing was called for this task, and no words on the page were named that show it".to_owned()),
            _ => None,
        };
        let Some(against) = against else { return Break(Achieved::Done(done.outcome)) };
        if self.last.doubted {
            let said = done.outcome;
            return Break(Achieved::Failed(format!("said to be done ({said}), but {against}")));
        }
        self.last.doubted = true;
        let told = format!(
            "Not accepted yet: {against}. Look at the page. If the task is done all the same, call done again and \
             name words on the page that show it (seen); else go on, or give_up."
        );
        Continue(Came { failed: true, ..Came::of(vec![Piece::Ours(told)], "") })
    }

    /// Whether words are on the page, by its snapshot or by looking for them.
    async fn is_on_the_page(&mut self, words: &str) -> bool {
        let plain =
            |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let wanted = plain(words);
        let shown = self.hands.call("browser_snapshot", Map::new()).await;
        if shown.is_ok_and(|reply| plain(&reply.text).contains(&wanted)) {
            return true;
        }
        let target = Map::from_iter([("target".to_owned(), Value::from(words))]);
        match self.hands.call("browser_find", target).await {
            Ok(_) => true,
            Err(error) => error.code == Code::Ambiguous,
        }
    }
}
