//! What an action did, as far as it could be seen: the answer to "and then?".

use std::fmt;
use std::time::Duration;

use crate::download::{Download, Progress};
use crate::facts::Known;
use crate::guard::Blocked;
use crate::tab::Dialog;

/// What happened after an action.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The element acted on, by role, name and ref.
    pub acted_on: Option<String>,
    /// Its ref alone.
    pub reference: Option<String>,
    /// The ref of the field that [`Effect::Value`] and [`Effect::Checked`] tell of; another one where a
    /// label or an option was clicked for it.
    pub field: Option<String>,
    /// How the element acted on can be found again.
    pub known: Option<Box<Known>>,
    /// The same of what something was dragged onto.
    pub onto: Option<Box<Known>>,
    /// What was seen to happen, in order.
    pub effects: Vec<Effect>,
    /// The change of the page as a model should read it; empty when none was seen.
    pub change: String,
    /// How sure this is.
    pub verdict: Verdict,
    /// How long an effect was waited for in vain.
    pub in_vain: Option<Duration>,
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
    /// The session's guard did not let something through; told once for each host.
    Blocked(Blocked),
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
        /// Pixels it moved, right and down.
        moved: (i64, i64),
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

/// What was acted on, what came of it and the change of the page, a line each.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<String> =
            self.acted_on.iter().map(|what| format!("on {what}")).collect();
        // What appeared stands in the change, too.
        let told =
            |effect: &&Effect| self.change.is_empty() || !matches!(effect, Effect::Shown { .. });
        lines.extend(self.effects.iter().filter(told).map(Effect::to_string));
        lines.extend(self.change.lines().map(str::to_owned));
        lines.extend(self.reservation());
        if self.settled == Settled::AtBound {
            lines.push("(the page was still loading or changing)".to_owned());
        }
        write!(f, "{}", lines.join("\n"))
    }
}

impl Outcome {
    /// That nothing came of it, and in what time: what takes longer may still come.
    pub fn nothing(&self) -> String {
        match self.in_vain {
            Some(bound) => format!("nothing observable changed within {} ms", bound.as_millis()),
            None => "nothing observable changed".to_owned(),
        }
    }

    /// What has to be said when an action was not simply done.
    fn reservation(&self) -> Option<String> {
        match &self.verdict {
            Verdict::Done => None,
            Verdict::NothingChanged => Some(self.nothing()),
            Verdict::Unverified(reason) => Some(format!("sent, but not verified: {reason}")),
            Verdict::Intercepted(receiver) => Some(format!("{receiver} received it instead")),
            Verdict::Differs(value) => Some(format!("the field now holds {value:?}")),
        }
    }
}

/// In a line; what appeared may take several.
impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Effect::Navigated { to, status: None | Some(200), .. } => write!(f, "→ {to}"),
            Effect::Navigated { to, status: Some(status), .. } => write!(f, "→ {to} ({status})"),
            Effect::NavigationFailed { url, reason } => write!(f, "→ {url} failed: {reason}"),
            Effect::Routed { to, .. } => write!(f, "→ {to} (same document)"),
            Effect::NewTab { url } => write!(f, "new tab in front: {url}"),
            Effect::TabRefused { url, count } => write!(f, "{count} more tabs refused: {url}"),
            Effect::Dialog(dialog) => {
                write!(f, "{} dialog waits for an answer: {:?}", dialog.kind, dialog.message)
            }
            Effect::Download(download) => write!(f, "{download}"),
            Effect::FileChooser { multiple: false } => write!(f, "the page asks for a file"),
            Effect::FileChooser { multiple: true } => write!(f, "the page asks for files"),
            Effect::Value { before, after } => write!(f, "value: {before:?} → {after:?}"),
            Effect::Checked(true) => write!(f, "checked"),
            Effect::Checked(false) => write!(f, "unchecked"),
            Effect::Expanded(true) => write!(f, "expanded"),
            Effect::Expanded(false) => write!(f, "collapsed"),
            Effect::Invalid { field, message } => write!(f, "refused: {field}: {message}"),
            Effect::Shown { kind, text } => write!(f, "{kind}: {text}"),
            Effect::Blocked(blocked) => write!(f, "blocked: {blocked}"),
            Effect::ConsoleError(text) => write!(f, "console error: {text}"),
            Effect::Focused(what) => write!(f, "focus on {what}"),
            Effect::Scrolled { y, bottom, .. } => write!(f, "at {y} of {bottom} pixels"),
            Effect::Redrawn => write!(f, "something without text was redrawn"),
            Effect::Rematched { from, to } => write!(f, "({from} was redrawn and is {to} now)"),
        }
    }
}

/// How far it is, and where.
impl fmt::Display for Download {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, received) = (self.path.display(), self.received);
        match (&self.progress, self.total) {
            (Progress::Done, _) => write!(f, "downloaded {path} ({received} bytes)"),
            (Progress::Canceled, _) => {
                let why = self.refused.as_deref().unwrap_or("it ended before it was complete");
                write!(f, "download failed: {path} ({why})")
            }
            (Progress::Running, _) if let Some(why) = &self.refused => {
                write!(f, "download refused: {path} ({why})")
            }
            (Progress::Running, Some(total)) => {
                write!(f, "downloading {path} ({received} of {total} bytes)")
            }
            (Progress::Running, None) => {
                write!(f, "downloading {path} ({received} bytes so far)")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_reads_as_what_happened_and_nothing_twice() {
        let shown = Effect::Shown { kind: "toast".into(), text: "Saved".into() };
        let mut outcome = Outcome {
            acted_on: Some("button \"Save\" e5".into()),
            effects: vec![Effect::Checked(true), shown],
            change: "status: Saved\n~ [Save e5]: enabled → disabled".into(),
            ..Default::default()
        };
        assert_eq!(
            outcome.to_string(),
            "on button \"Save\" e5\nchecked\nstatus: Saved\n~ [Save e5]: enabled → disabled"
        );
        outcome.change.clear();
        outcome.settled = Settled::AtBound;
        assert_eq!(
            outcome.to_string(),
            "on button \"Save\" e5\nchecked\ntoast: Saved\n(the page was still loading or changing)"
        );
        let nothing = Outcome { verdict: Verdict::NothingChanged, ..Default::default() };
        assert_eq!(nothing.to_string(), "nothing observable changed");
        let nothing = Outcome { in_vain: Some(Duration::from_millis(150)), ..nothing };
        assert_eq!(nothing.to_string(), "nothing observable changed within 150 ms");
    }

    #[test]
    fn a_status_is_told_where_it_is_news() {
        let navigated = |status| {
            let (from, to) = ("about:blank".to_owned(), "http://a/".to_owned());
            Effect::Navigated { from, to, status }.to_string()
        };
        assert_eq!(navigated(Some(200)), "→ http://a/");
        assert_eq!(navigated(Some(404)), "→ http://a/ (404)");
    }
}
