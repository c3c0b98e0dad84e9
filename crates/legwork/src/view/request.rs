//! A request for help as a person sees it, and what the person's line means.

use std::time::Duration;

use legwork_agent::interpret::chosen;
use legwork_agent::run::LOOK_AGAIN;
use legwork_protocol::assistant::{AssistanceKind, AssistanceRequest, Reaction};

use super::words::{clean, span, wrap};
use super::{Line, Tone};

/// Whether a person could act in the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// It has a window, or is not ours to know.
    Shown,
    /// It has none.
    None,
    /// Nobody is here to act or to answer.
    Unattended,
}

/// The request, set apart, whole, and with what to do.
pub fn request(asked: &AssistanceRequest, width: usize, window: Window) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut say = |indent: &str, text: &str, tone: Tone| {
        let wrapped = wrap(&clean(text), width.saturating_sub(indent.len()));
        lines.extend(wrapped.iter().map(|line| Line::new(tone, format!("{indent}{line}"))));
    };
    say("!! ", headline(asked.kind), Tone::Attention);
    say("!! ", &asked.message, Tone::Attention);
    if !asked.context.trim().is_empty() {
        say("   ", &asked.context, Tone::Plain);
    }
    for (at, choice) in asked.choices.iter().enumerate() {
        say("   ", &format!("{}. {choice}", at + 1), Tone::Plain);
    }
    if window != Window::Unattended {
        say("-> ", &what_to_do(asked, window), Tone::Attention);
    }
    lines
}

fn headline(kind: AssistanceKind) -> &'static str {
    match kind {
        AssistanceKind::Captcha => "You are needed: a riddle for people",
        AssistanceKind::Login => "You are needed: a sign-in",
        AssistanceKind::TwoFactor => "You are needed: a second factor",
        AssistanceKind::Custom => "You are needed: a question",
    }
}

fn what_to_do(asked: &AssistanceRequest, window: Window) -> String {
    let first = match asked.kind {
        AssistanceKind::Custom if looks_again(asked) => {
            "Type the number of your choice, or your answer, and press Enter; Enter alone looks again."
        }
        AssistanceKind::Custom if !asked.choices.is_empty() => {
            "Type the number of your choice, or your answer, and press Enter."
        }
        AssistanceKind::Custom if window == Window::None => {
            "Type your answer and press Enter. The browser has no window; --headed shows one."
        }
        AssistanceKind::Custom => {
            "Type your answer and press Enter; Enter alone if you have done it in the browser."
        }
        _ if window == Window::None => {
            "The browser has no window; --headed shows one, when you go on after /stop. If it is done \
             elsewhere, press Enter."
        }
        AssistanceKind::Captcha => "Solve it in the browser's window, then press Enter.",
        AssistanceKind::Login => "Sign in in the browser's window, then press Enter.",
        AssistanceKind::TwoFactor => "Confirm it in the browser's window, then press Enter.",
    };
    let waits = match asked.timeout {
        Some(seconds) => format!(" It waits for {}.", span(Duration::from_secs(seconds))),
        None => String::new(),
    };
    format!("{first} /skip leaves this task out, /stop ends the run.{waits}")
}

/// What a person's line says to a request; nothing if it does not answer it.
pub fn reaction(asked: &AssistanceRequest, line: &str) -> Option<Reaction> {
    let line = line.trim();
    match line {
        "/stop" | "/quit" => return Some(Reaction::Stop),
        "/skip" => return Some(Reaction::Skip),
        "" if asked.choices.is_empty() || looks_again(asked) => return Some(Reaction::Done),
        "" => return None,
        _ => {}
    }
    if asked.choices.is_empty() {
        return Some(Reaction::Said(line.to_owned()));
    }
    if let Some(choice) = chosen(&asked.choices, line) {
        return Some(Reaction::Said(choice.clone()));
    }
    let number = line.trim_end_matches(['.', ')']).parse::<usize>();
    let is_none = number.is_ok() || line.starts_with('/');
    (!is_none).then(|| Reaction::Said(line.to_owned()))
}

/// Whether it may be that what is asked about is there by now.
fn looks_again(asked: &AssistanceRequest) -> bool {
    asked.choices.iter().any(|choice| choice == LOOK_AGAIN)
}
