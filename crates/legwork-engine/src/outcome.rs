//! What an action did, as far as it could be seen: the answer to "and then?".

use crate::download::Download;
use crate::tab::Dialog;

/// What happened after an action.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The element acted on, by role, name and ref.
    pub acted_on: Option<String>,
    /// What was seen to happen, in order.
    pub effects: Vec<Effect>,
    /// The change of the page as a model should read it; empty when none was seen.
    pub change: String,
    /// How sure this is.
    pub verdict: Verdict,
    /// Whether the page came to rest or the bound was reached first.
    pub settled: Settled,
}

/// How an action ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Verdict {
    /// It was done and something came of it.
    #[default]
    Done,
    /// It was done and nothing observable changed.
    NothingChanged,
    /// It was done, but the result could not be checked.
    Unverified(String),
    /// Another element received it, named here.
    Intercepted(String),
    /// The field holds something else than what was entered: this.
    Differs(String),
}

/// Whether the page is at rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Settled {
    /// Nothing was under way any more.
    #[default]
    Quiet,
    /// Still loading or changing when the bound was reached.
    AtBound,
}

/// One thing that was seen to happen.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Another document was loaded.
    Navigated {
        /// The address before.
        from: String,
        /// The address after.
        to: String,
        /// HTTP status, where there is one.
        status: Option<i64>,
    },
    /// Another document was to be loaded and could not be; the browser shows its error page.
    NavigationFailed {
        /// The address that was asked for.
        url: String,
        /// Chrome's own name for it, such as `net::ERR_CONNECTION_REFUSED`.
        reason: String,
    },
    /// The address changed without loading a document.
    Routed {
        /// The address before.
        from: String,
        /// The address after.
        to: String,
    },
    /// A new tab opened.
    NewTab {
        /// Its address.
        url: String,
    },
    /// The page tried to open more tabs than it may.
    TabRefused {
        /// Its address.
        url: String,
        /// How many were refused.
        count: usize,
    },
    /// A dialog of the page waits for an answer.
    Dialog(Dialog),
    /// A download began.
    Download(Download),
    /// The page asked for files.
    FileChooser {
        /// Several files may be given.
        multiple: bool,
    },
    /// The field's value changed; masked if it is secret.
    Value {
        /// Before.
        before: String,
        /// After.
        after: String,
    },
    /// The box was checked or unchecked, the switch turned.
    Checked(bool),
    /// Opened or closed.
    Expanded(bool),
    /// The page refuses what was entered.
    Invalid {
        /// The field.
        field: String,
        /// The browser's or the page's message.
        message: String,
    },
    /// A dialog, menu, list or message appeared.
    Shown {
        /// dialog, menu, listbox, toast or alert.
        kind: String,
        /// Its text.
        text: String,
    },
    /// An error reached the console.
    ConsoleError(String),
    /// The focus moved.
    Focused(String),
    /// The page or a box was scrolled.
    Scrolled {
        /// Pixels from the top.
        y: i64,
        /// Pixels from the top at the very bottom.
        bottom: i64,
    },
    /// Something was redrawn that has no text: a picture, a colour, a class.
    Redrawn,
    /// The ref's element was replaced; this is the one acted on instead.
    Rematched {
        /// The ref that was given.
        from: String,
        /// The ref it is now.
        to: String,
    },
}

impl Outcome {
    /// Address and status of the document the action led to, if it led to another.
    pub fn navigation(&self) -> Option<(&str, Option<i64>)> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Navigated { to, status, .. } => Some((to.as_str(), *status)),
            _ => None,
        })
    }

    /// The dialog that waits for an answer, if one does.
    pub fn dialog(&self) -> Option<&Dialog> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Dialog(dialog) => Some(dialog),
            _ => None,
        })
    }

    /// Whether anything was seen to happen.
    pub fn is_effective(&self) -> bool {
        self.verdict == Verdict::Done
    }
}
