//! What a page's own words go through on our side, for the fuzzer alone.

use std::sync::Arc;

use crate::refs::{Ref, Shown};
use crate::snapshot::{self, FrameChange};

/// Reads an answer of the walker, and cuts and searches its text as replies do.
pub fn snapshot(answer: &str, budget: usize) {
    let _ = serde_json::from_str::<FrameChange>(answer);
    let whole: Arc<str> = answer.into();
    let (mut part, mut more) = snapshot::cut(&whole, 0, budget.max(1));
    let mut length = part.len();
    while let Some(rest) = more {
        (part, more) = rest.next(budget.max(1));
        length += part.len();
    }
    assert!(length <= whole.len(), "a text does not grow when it is cut");
    for number in 0..5 {
        let _ = Shown::find(answer, Ref(number));
    }
    answer.lines().for_each(|line| drop(snapshot::margin(line)));
}
