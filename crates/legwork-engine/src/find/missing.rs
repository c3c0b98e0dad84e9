//! The answer when there is no browser to launch: a code, a sentence and a hint.

use std::fmt;
use std::path::PathBuf;

use super::{How, VARIABLE};

/// No browser can be launched. Shown to a user as it is: the sentence says what is wrong, the hint
/// says every place that was looked at and how to install a browser here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct NotFound {
    /// What is wrong.
    pub reason: Reason,
    /// Every place that was looked at, in order.
    pub looked: Vec<String>,
    /// The command that installs a browser on this system.
    pub install: String,
}

/// Why there is no browser to launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// None of the known places holds one.
    Missing,
    /// The one that was named is not there, or may not be run.
    Named {
        /// Where its name came from.
        how: How,
        /// The name or path as it was given.
        value: String,
    },
    /// The one that was named has no windows, and the work needs them.
    HeadlessOnly {
        /// Where its name came from.
        how: How,
        /// The headless shell.
        path: PathBuf,
    },
}

impl NotFound {
    /// The stable code of this error.
    pub fn code(&self) -> &'static str {
        "ERR_BROWSER_NOT_FOUND"
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        let looked = self.looked.join("; ");
        match &self.reason {
            Reason::Missing => format!(
                "looked at {looked}. Install a browser ({}) or set {VARIABLE} to its path.",
                self.install
            ),
            Reason::Named { how, .. } => format!(
                "looked at {looked}. Correct {}, or leave it out to use an installed browser; to \
                 install one: {}.",
                setting(*how),
                self.install
            ),
            Reason::HeadlessOnly { how, .. } => format!(
                "set {} to a full Chrome or Chromium, or work headless; to install one: {}.",
                setting(*how),
                self.install
            ),
        }
    }
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::Missing => write!(f, "No Chrome, Chromium or Edge was found.")?,
            Reason::Named { how, value } => write!(
                f,
                "{} names the browser `{value}`, which is not there or may not be run.",
                capitalised(setting(*how))
            )?,
            Reason::HeadlessOnly { how, path } => write!(
                f,
                "{} names the headless shell `{}`, and this needs a browser with windows.",
                capitalised(setting(*how)),
                path.display()
            )?,
        }
        write!(f, " Hint: {}", self.hint())
    }
}

fn setting(how: How) -> &'static str {
    match how {
        How::Environment => VARIABLE,
        _ => "the browser setting",
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
