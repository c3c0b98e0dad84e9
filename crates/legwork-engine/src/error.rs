//! What can go wrong in the engine: a stable code, a sentence, a hint. It never formats for a model.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::find::NotFound;

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything the engine can refuse or fail at.
#[derive(Clone, thiserror::Error)]
pub enum Error {
    /// No Chrome where it was looked for.
    #[error("{0}")]
    BrowserNotFound(NotFound),
    /// Chrome was found but did not come up.
    #[error("Chrome did not start ({path}): {reason}")]
    Launch {
        /// The executable that was started.
        path: PathBuf,
        /// Why, with the last lines Chrome printed.
        reason: String,
    },
    /// The browser that somebody else started cannot be joined.
    #[error("the browser cannot be joined: {0}")]
    Attach(String),
    /// Another process holds the profile directory.
    #[error("the profile {dir} is in use by {holder}")]
    ProfileInUse {
        /// The profile directory.
        dir: PathBuf,
        /// The process that holds it.
        holder: String,
    },
    /// The browser process ended or stopped answering.
    #[error("the browser crashed: {0}")]
    BrowserCrashed(String),
    /// The page's own process ended.
    #[error("the page crashed")]
    PageCrashed,
    /// The tab was closed.
    #[error("the tab is closed")]
    PageClosed,
    /// A frame of the page went away.
    #[error("the frame is gone")]
    FrameGone,
    /// The session was closed, by its owner or for being idle.
    #[error("the session is closed")]
    SessionClosed,
    /// A deadline passed.
    #[error("Timeout after {} waiting for {what}", seconds(.after))]
    Timeout {
        /// What was waited for.
        what: String,
        /// How long.
        after: Duration,
    },
    /// The page could not be loaded.
    #[error("{reason}: Failed to {} {url}", navigation_verb(.reason))]
    Navigation {
        /// The address asked for.
        url: String,
        /// Chrome's own name for it, such as `net::ERR_CONNECTION_REFUSED`.
        reason: String,
        /// What to do about it.
        hint: Option<&'static str>,
    },
    /// The session's guard does not let the page be reached.
    #[error("{url} is blocked by the rule {rule}")]
    Blocked {
        /// The address; where a server sent the browser on, the one it sent it to.
        url: String,
        /// The rule that says no.
        rule: String,
    },
    /// Nothing on the page matches the target.
    #[error("{target} not found{}{}", listed("; similar: ", .near), listed("; there is ", .there))]
    NotFound {
        /// The target as it was given.
        target: String,
        /// Things on the page that resemble it.
        near: Vec<String>,
        /// Where nothing does: some of what there is to act on.
        there: Vec<String>,
    },
    /// A list has no such option.
    #[error("{list} has no option {option}{}", listed("; it has ", .options))]
    NoOption {
        /// The option as it was given.
        option: String,
        /// The list by name.
        list: String,
        /// The options it has, as far as they are known.
        options: Vec<String>,
    },
    /// Several elements match where one was needed.
    #[error("{target} matches {count} elements{}", listed(": ", .candidates))]
    Ambiguous {
        /// The target as it was given.
        target: String,
        /// How many match.
        count: usize,
        /// The first of them, with their refs.
        candidates: Vec<String>,
    },
    /// The element behind a ref is gone and no single element took its place.
    #[error("{reference} is gone, the page changed{}", listed("; it may be: ", .candidates))]
    StaleRef {
        /// The ref.
        reference: String,
        /// What it may have become.
        candidates: Vec<String>,
    },
    /// The element is no longer what it was when it was looked at.
    #[error("{0} changed after it was looked at; nothing was done")]
    Changed(String),
    /// An option that is something else than what was judged: only its name and its list were known then.
    #[error(
        "{0} does more than be chosen, or is called otherwise than was asked; nothing was chosen"
    )]
    Unjudged(String),
    /// No snapshot of this page ever showed that ref.
    #[error("{0} was never given out on this page")]
    UnknownRef(String),
    /// The element is there but cannot be acted on.
    #[error("did not act: {target} {obstacle}")]
    NotActionable {
        /// The element by name.
        target: String,
        /// What is in the way.
        obstacle: Obstacle,
    },
    /// The element's document is of an origin that may not have what was to be entered.
    #[error("did not act: {target} is in a document of {origin}")]
    WrongOrigin {
        /// The element by name.
        target: String,
        /// The origin of its document, as the browser writes it.
        origin: String,
    },
    /// A dialog of the page is open and blocks it.
    #[error("a {kind} dialog is open: {message:?}")]
    DialogOpen {
        /// alert, confirm, prompt or beforeunload.
        kind: String,
        /// Its text.
        message: String,
    },
    /// Selector syntax that is not supported, or not valid.
    #[error("{message}")]
    Selector {
        /// `unsupported_selector` or `invalid_selector`.
        code: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// An argument that cannot be used.
    #[error("{0}")]
    Invalid(String),
    /// JavaScript threw.
    #[error("{message} at line {line}{}", column_text(*.column))]
    Script {
        /// The exception's message.
        message: String,
        /// One-based line in the evaluated text.
        line: i64,
        /// One-based column.
        column: i64,
    },
    /// A file could not be read or written.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The browser refused a command; carries what it said.
    #[error("the browser refused: {0}")]
    Protocol(String),
}

/// Why an element cannot be acted on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// Not rendered or not visible.
    #[error("is not visible ({0})")]
    Hidden(String),
    /// Disabled.
    #[error("is disabled")]
    Disabled,
    /// Read-only or not a field.
    #[error("cannot be typed into ({0})")]
    NotEditable(String),
    /// Another element would receive the event.
    #[error("is covered by {0}")]
    Covered(String),
    /// Still animating at the deadline.
    #[error("does not hold still")]
    Moving,
    /// Outside what can be scrolled into view.
    #[error("cannot be scrolled into view")]
    OutOfView,
    /// What would receive the event is in another document than the one that was judged.
    #[error("shows another document there, so what would be done in it cannot be judged")]
    Framed,
    /// Wrong kind of element for this action.
    #[error("{0}")]
    Unsuitable(String),
}

impl Error {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::BrowserNotFound(_) => "ERR_BROWSER_NOT_FOUND",
            Error::Launch { .. } | Error::Attach(_) => "launch_failed",
            Error::ProfileInUse { .. } => "profile_in_use",
            Error::BrowserCrashed(_) => "browser_crashed",
            Error::PageCrashed => "page_crashed",
            Error::PageClosed => "page_closed",
            Error::FrameGone => "frame_gone",
            Error::SessionClosed => "session_closed",
            Error::Timeout { .. } => "timeout",
            Error::Navigation { .. } => "navigation_failed",
            Error::Blocked { .. } => "denied",
            Error::NotFound { .. } | Error::NoOption { .. } => "not_found",
            Error::Ambiguous { .. } => "ambiguous_target",
            Error::StaleRef { .. } | Error::UnknownRef(_) | Error::Changed(_) => "stale_ref",
            Error::NotActionable { .. } => "not_actionable",
            Error::WrongOrigin { .. } | Error::Unjudged(_) => "denied",
            Error::DialogOpen { .. } => "dialog_open",
            Error::Selector { code, .. } => code,
            Error::Invalid(_) => "invalid_input",
            Error::Script { .. } => "script_error",
            Error::File { .. } => "file_error",
            Error::Protocol(_) => "protocol_error",
        }
    }

    /// What to do about it, where there is something to do.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Error::Launch { reason, .. } => launch_hint(reason),
            Error::Attach(_) => {
                "start it with --remote-debugging-port=9222 and name that port, or leave `attach` out"
            }
            Error::Navigation { hint, .. } => return *hint,
            Error::Blocked { .. } => "the policy of this session decides what it may reach",
            Error::ProfileInUse { .. } => "close that browser, or use another profile directory",
            Error::BrowserCrashed(_) => "the next call gets a new browser",
            Error::PageCrashed => "reload the page or open another",
            Error::NotFound { near, .. } if !near.is_empty() => "use one of these refs",
            Error::NotFound { .. } => "look at the page again, or wait for it",
            Error::Ambiguous { .. } => "use one of the refs",
            Error::StaleRef { .. } | Error::Changed(_) => "look at the page as it is now",
            Error::UnknownRef(_) => "use a ref that a snapshot of this page shows",
            Error::Selector { code: "invalid_selector", .. } => {
                "check brackets and quotes, or name the element by its visible words"
            }
            Error::NotActionable { obstacle: Obstacle::Covered(_), .. } => {
                "close what covers it, or act on that"
            }
            Error::NotActionable { obstacle: Obstacle::Disabled, .. } => {
                "something else has to be filled in or chosen first"
            }
            Error::NotActionable { obstacle: Obstacle::Framed, .. } => {
                "name what is inside it, by its ref or its words, or point at it with point=X,Y"
            }
            Error::Unjudged(_) => "choose it by its whole name, or click it by its ref",
            Error::DialogOpen { .. } => "accept or dismiss the dialog first",
            _ => return None,
        })
    }
}

/// As a person reads it who lets `main` return the error: with its code and hint.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} ({})", self.code())?;
        match self.hint() {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl From<legwork_cdp::Error> for Error {
    fn from(error: legwork_cdp::Error) -> Self {
        use legwork_cdp::Error as Cdp;
        match error {
            Cdp::Closed(legwork_cdp::CloseReason::Asked) => Error::SessionClosed,
            Cdp::Closed(reason) => Error::BrowserCrashed(reason.to_string()),
            Cdp::Detached { .. } => Error::PageClosed,
            Cdp::Timeout { method, after } => {
                Error::Timeout { what: format!("the browser to answer {method}"), after }
            }
            other => Error::Protocol(other.to_string()),
        }
    }
}

/// What Chrome's last words mean.
fn launch_hint(reason: &str) -> &'static str {
    const KNOWN: &[(&str, &str)] = &[
        ("X server", "there is no display: start it headless, or under xvfb-run"),
        ("cannot open display", "there is no display: start it headless, or under xvfb-run"),
        ("DISPLAY", "there is no display: start it headless, or under xvfb-run"),
        (
            "sandbox",
            "Chrome's sandbox is refused here: allow user namespaces, or give the argument --no-sandbox if every page is trusted",
        ),
        (
            "shared libraries",
            "a library that Chrome needs is missing: install Chrome with its packages",
        ),
        ("No space left", "the disk is full"),
        ("Permission denied", "it may not be executed"),
    ];
    let known = KNOWN.iter().find(|(sign, _)| reason.contains(sign));
    known.map_or("start that browser by hand to see what it lacks", |(_, hint)| hint)
}

fn seconds(duration: &Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds.fract() == 0.0 { format!("{seconds:.0}s") } else { format!("{seconds:.1}s") }
}

fn navigation_verb(reason: &str) -> &'static str {
    match reason {
        "net::ERR_CONNECTION_REFUSED" | "net::ERR_CONNECTION_RESET" => "connect to",
        "net::ERR_NAME_NOT_RESOLVED" => "resolve",
        _ => "load",
    }
}

fn column_text(column: i64) -> String {
    if column > 0 { format!(", column {column}") } else { String::new() }
}

fn listed(lead: &str, items: &[String]) -> String {
    if items.is_empty() { String::new() } else { format!("{lead}{}", items.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chromes_last_words_become_a_hint() {
        for (said, hint) in [
            ("ozone_platform_x11.cc:257] Missing X server or $DISPLAY", "display"),
            ("No usable sandbox! If this is a Debian system", "sandbox"),
            ("error while loading shared libraries: libnss3.so", "library"),
            ("it printed nothing", "by hand"),
        ] {
            let error = Error::Launch { path: "/x/chrome".into(), reason: said.into() };
            assert!(error.hint().is_some_and(|told| told.contains(hint)), "{said}");
        }
    }

    #[test]
    fn an_error_that_main_returns_reads_like_a_sentence() {
        let error = Error::UnknownRef("e9".into());
        assert_eq!(
            format!("{error:?}"),
            "e9 was never given out on this page (stale_ref)\nhint: use a ref that a snapshot of this page shows"
        );
    }
}
