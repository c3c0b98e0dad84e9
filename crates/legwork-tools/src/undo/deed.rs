//! What an action changed, and what would take it back. Pure: made of what the engine told.

use legwork_engine::{Effect, Outcome, Verdict};
use legwork_protocol::FormValue;

use crate::answer::MASKED;

/// Something that was done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Deed {
    /// From 1, in the order they were done.
    pub(crate) number: u64,
    /// When: RFC 3339, UTC.
    pub(crate) time: String,
    /// What, in a line.
    pub(crate) what: String,
    /// The tab it was done in.
    pub(crate) tab: String,
    pub(crate) undo: Undo,
}

/// Whether something can be taken back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Undo {
    /// By this.
    By(Step),
    /// Not, because.
    Cannot(String),
    /// It may have changed nothing at all, and is passed over.
    Unknown(String),
}

/// What takes something back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// Fields hold again what they held; in the order they were filled.
    Fields(Vec<Held>),
    /// The box is where it was.
    Scroll { target: Option<String>, moved: (i64, i64), y: i64 },
    /// The tab shows the address again that it came from, one step this way in its history.
    Address { way: Way, from: String, to: String },
    /// The tab that was opened is closed.
    Close { tab: String },
    /// This tab is in front again.
    Front { tab: String },
}

/// A direction in the history of a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Back,
    Forward,
}

/// What a field held.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Held {
    pub(crate) reference: String,
    pub(crate) value: FormValue,
}

/// Why things cannot be taken back.
pub(crate) const SENT: &str = "the form was sent, and what a site was told cannot be taken back";
const ENTER: &str = "Enter may have sent something, which cannot be taken back";
const MAYBE_SENT: &str =
    "it led to another page and may have sent something, which cannot be taken back";
const CLICKED: &str = "what it changed on the page is not known";
const DIALOG: &str = "a dialog was answered or opened by it";
const DOWNLOADED: &str = "something was downloaded";
const FILES: &str = "files were given to the page";
pub(crate) const SECRET: &str = "what the secret field held before is not known";
pub(crate) const UNKNOWN: &str = "what the field held before is not known";
pub(crate) const RADIO: &str =
    "a choice cannot be unchosen, and which one was taken before is not known";

/// What would take an outcome back; nothing where nothing was done. `opened` is the tab that opened.
pub(crate) fn undo(verb: &str, outcome: &Outcome, opened: Option<String>) -> Option<Undo> {
    // Waits answer "done"; a form's fields are noted one by one.
    let unnoted = ["pointed at", "done", "filled"];
    let idle = matches!(outcome.verdict, Verdict::NothingChanged);
    if idle || unnoted.iter().any(|word| verb.starts_with(word)) {
        return None;
    }
    if verb.contains("Enter in") {
        return Some(cannot(ENTER));
    }
    if matches!(verb, "accepted" | "dismissed") {
        return Some(cannot(DIALOG));
    }
    if verb == "gave files to" {
        return Some(cannot(FILES));
    }
    if let Some(back) = undo_move(Way::Back, outcome) {
        let followed = verb == "clicked" && acted_on(outcome, "link");
        return Some(if followed { back } else { cannot(MAYBE_SENT) });
    }
    if let Some(tab) = opened {
        return Some(Undo::By(Step::Close { tab }));
    }
    let first = outcome.effects.iter().find_map(|effect| of_effect(effect, outcome));
    let typed = verb.starts_with("typed into") || verb.starts_with("chose");
    Some(first.unwrap_or_else(|| cannot(if typed { UNKNOWN } else { CLICKED })))
}

fn of_effect(effect: &Effect, outcome: &Outcome) -> Option<Undo> {
    Some(match effect {
        Effect::Dialog(_) => cannot(DIALOG),
        Effect::Download(_) => cannot(DOWNLOADED),
        Effect::NavigationFailed { .. } => cannot(MAYBE_SENT),
        Effect::Value { before, .. } => match held(outcome, FormValue::Text(before.clone())) {
            _ if before == MASKED => cannot(SECRET),
            Some(held) => Undo::By(Step::Fields(vec![held])),
            None => cannot(UNKNOWN),
        },
        Effect::Checked(true) if acted_on(outcome, "radio") => cannot(RADIO),
        Effect::Checked(on) => match held(outcome, FormValue::Checked(!on)) {
            Some(held) => Undo::By(Step::Fields(vec![held])),
            None => cannot(UNKNOWN),
        },
        Effect::Scrolled { y, moved, .. } => {
            let (target, moved) = (outcome.field.clone(), *moved);
            Undo::By(Step::Scroll { target, moved, y: y - moved.1 })
        }
        _ => return None,
    })
}

pub(crate) fn cannot(why: &str) -> Undo {
    Undo::Cannot(why.to_owned())
}

fn held(outcome: &Outcome, value: FormValue) -> Option<Held> {
    Some(Held { reference: outcome.field.clone()?, value })
}

fn acted_on(outcome: &Outcome, role: &str) -> bool {
    let words = outcome.acted_on.as_deref().and_then(|what| what.split(' ').next());
    words == Some(role)
}

fn moved(effect: &Effect) -> Option<(&str, &str)> {
    match effect {
        Effect::Navigated { from, to, .. } | Effect::Routed { from, to } => Some((from, to)),
        _ => None,
    }
}

/// What would take a navigation back; nothing where it led nowhere.
pub(crate) fn undo_move(way: Way, outcome: &Outcome) -> Option<Undo> {
    let (from, to) = outcome.effects.iter().rev().find_map(moved)?;
    Some(Undo::By(Step::Address { way, from: from.to_owned(), to: to.to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(acted_on: &str, effects: Vec<Effect>) -> Outcome {
        let field = acted_on.split(' ').next_back().map(str::to_owned);
        Outcome { acted_on: Some(acted_on.to_owned()), field, effects, ..Default::default() }
    }

    fn value(before: &str) -> Effect {
        Effect::Value { before: before.into(), after: "new".into() }
    }

    fn went() -> Effect {
        Effect::Navigated { from: "http://a/".into(), to: "http://b/".into(), status: Some(200) }
    }

    #[test]
    fn what_takes_an_action_back_follows_from_what_it_did() {
        let field = |value: FormValue| {
            Some(Undo::By(Step::Fields(vec![Held { reference: "e5".into(), value }])))
        };
        let text = |text: &str| field(FormValue::Text(text.into()));
        let (from, to) = ("http://a/".to_owned(), "http://b/".to_owned());
        let back = Undo::By(Step::Address { way: Way::Back, from, to });
        let scrolled = Effect::Scrolled { y: 700, bottom: 900, moved: (0, 600) };
        let up = Step::Scroll { target: Some("e5".into()), moved: (0, 600), y: 100 };
        for (verb, acted_on, effects, expected) in [
            ("typed into", "textbox \"Email\" e5", vec![value("old")], text("old")),
            ("typed into", "textbox \"Email\" e5", vec![value("")], text("")),
            ("typed into", "textbox \"PIN\" e5", vec![value(MASKED)], Some(cannot(SECRET))),
            ("typed into", "textbox \"PIN\" e5", vec![], Some(cannot(UNKNOWN))),
            ("chose in", "combobox \"Size\" e5", vec![value("Small")], text("Small")),
            ("pressed Delete in", "textbox \"Email\" e5", vec![value("old")], text("old")),
            ("typed and pressed Enter in", "textbox e5", vec![value("")], Some(cannot(ENTER))),
            ("pressed Enter in", "textbox e5", vec![went()], Some(cannot(ENTER))),
            (
                "clicked",
                "checkbox \"News\" e5",
                vec![Effect::Checked(true)],
                field(FormValue::Checked(false)),
            ),
            ("clicked", "radio \"Red\" e5", vec![Effect::Checked(true)], Some(cannot(RADIO))),
            ("clicked", "link \"Next\" e5", vec![went()], Some(back)),
            ("clicked", "button \"Pay\" e5", vec![went()], Some(cannot(MAYBE_SENT))),
            ("clicked", "button \"Menu\" e5", vec![Effect::Expanded(true)], Some(cannot(CLICKED))),
            ("gave files to", "file e5", vec![value("")], Some(cannot(FILES))),
            ("scrolled", "list e5", vec![scrolled], Some(Undo::By(up))),
            ("pointed at", "button e5", vec![Effect::Redrawn], None),
        ] {
            assert_eq!(
                undo(verb, &outcome(acted_on, effects), None),
                expected,
                "{verb} {acted_on}"
            );
        }
        let nothing = Outcome { verdict: Verdict::NothingChanged, ..outcome("button e5", vec![]) };
        assert_eq!(undo("clicked", &nothing, None), None);
        let tab = undo("clicked", &outcome("link e5", vec![]), Some("T2".into()));
        assert_eq!(tab, Some(Undo::By(Step::Close { tab: "T2".into() })));
    }
}
