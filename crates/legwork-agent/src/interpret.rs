//! An instruction becomes a task list, or a question. Never guesses.

use legwork_protocol::assistant::{AssistanceRequest, TaskContext, TaskList};

/// What was understood.
#[derive(Debug, Clone, PartialEq)]
pub enum Understood {
    /// What to do.
    Tasks(TaskList),
    /// What has to be answered first; the answer goes in with the instruction the next time.
    Question(AssistanceRequest),
    /// Not an imperative that the grammar knows: for a model, or back to the person.
    Beyond {
        /// The part that was not understood.
        part: String,
        /// What could be said instead.
        hint: String,
    },
}

/// Reads an instruction by grammar alone.
pub fn by_grammar(_instruction: &str, _context: &TaskContext) -> Understood {
    Understood::Beyond { part: String::new(), hint: String::new() }
}
