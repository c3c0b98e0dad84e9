//! Who types: a person at a terminal, a program that sends messages, or nobody. One reader of standard
//! input, so that no line is lost between those who want one.

use std::io::IsTerminal;

use super::approve::at_terminal;
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};

/// Standard input, line by line.
pub(super) struct Keyboard {
    lines: Option<Lines<BufReader<Stdin>>>,
    pub(super) who: Who,
}

/// Who types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// A person, who can be asked.
    Person,
    /// A program that writes one message a line.
    Program,
    /// Nobody, or nobody any more.
    Nobody,
}

impl Keyboard {
    /// Whoever types here. With `messages`, a program may.
    pub(super) fn new(messages: bool) -> Keyboard {
        let typing = std::io::stdin().is_terminal();
        let who = match (messages, typing) {
            (true, false) => Who::Program,
            // Messages are not typed by hand.
            (true, true) => Who::Nobody,
            // Who does not see what is asked cannot answer it.
            (false, _) if at_terminal() => Who::Person,
            (false, _) => Who::Nobody,
        };
        let lines = BufReader::new(tokio::io::stdin()).lines();
        Keyboard { lines: Some(lines), who }
    }

    /// Nobody types.
    pub(super) fn nobody() -> Keyboard {
        Keyboard { lines: None, who: Who::Nobody }
    }

    /// The next line, from whoever types; nothing when nobody does any more. It may be given up and asked
    /// for again.
    pub(super) async fn line(&mut self) -> Option<String> {
        let line = match &mut self.lines {
            Some(lines) => lines.next_line().await.ok().flatten(),
            None => None,
        };
        if line.is_none() {
            (self.lines, self.who) = (None, Who::Nobody);
        }
        line
    }
}
