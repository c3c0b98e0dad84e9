//! What a model is shown of what was said, kept small on purpose. The newest view of the page is shown whole
//! and older ones are a line each; three pictures are kept; what is older than a few turns is shortened; and
//! when that does not do, the oldest turns become a summary of what was done.

use legwork_protocol::Image;

use super::size::{Limits, of_turns};
use crate::fence::Fence;
use crate::model::{Answer, Part, ToolResult, Turn};

/// A piece of what is shown to a model.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    /// Our words.
    Ours(String),
    /// A person's words: they count until the end.
    Person(String),
    /// Words of pages, fenced when they are shown.
    Page {
        text: String,
        /// It is a view of the whole page, which a newer one replaces.
        whole: bool,
    },
    /// A picture of the page.
    Picture(Image),
}

impl Piece {
    pub(super) fn ours(text: impl Into<String>) -> Piece {
        Piece::Ours(text.into())
    }

    pub(super) fn page(text: impl Into<String>) -> Piece {
        Piece::Page { text: text.into(), whole: false }
    }
}

/// What a call came to.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) pieces: Vec<Piece>,
    pub(super) failed: bool,
    pub(super) url: Option<String>,
    pub(super) acknowledged: bool,
}

/// One answer of the model and what came of it.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) answer: Answer,
    pub(super) results: Vec<Kept>,
    /// Said to the model afterwards.
    pub(super) remarks: Vec<Piece>,
    /// What was done, a line each, for the summary.
    pub(super) gist: Vec<String>,
    /// What the model noted.
    pub(super) notes: Vec<String>,
}

impl Exchange {
    pub(super) fn of(answer: Answer) -> Exchange {
        let (results, remarks, gist, notes) = Default::default();
        Exchange { answer, results, remarks, gist, notes }
    }
}

/// Pictures that are kept.
const PICTURES: usize = 3;

/// The exchanges that are never folded into the summary.
const ALWAYS: usize = 3;

/// Lines of the summary that are shown, the newest of them.
const LINES: usize = 60;

pub(super) struct History {
    pub(super) fence: Fence,
    limits: Limits,
    first: Vec<Piece>,
    exchanges: Vec<Exchange>,
    /// What the folded exchanges did.
    summary: Vec<String>,
    /// The older part of that, in the model's own words.
    condensed: Option<String>,
    /// What was noted in the folded exchanges.
    notes: Vec<String>,
}

impl History {
    pub(super) fn new(limits: Limits) -> History {
        let (first, exchanges, summary, condensed, notes) = Default::default();
        History { fence: Fence::new(), limits, first, exchanges, summary, condensed, notes }
    }

    /// Adds to what is said at the beginning.
    pub(super) fn begin(&mut self, pieces: impl IntoIterator<Item = Piece>) {
        self.first.extend(pieces);
    }

    pub(super) fn push(&mut self, exchange: Exchange) {
        self.exchanges.push(exchange);
    }

    /// Our words or a person's after the last exchange.
    pub(super) fn remark(&mut self, said: Piece) {
        match self.exchanges.last_mut() {
            Some(exchange) => exchange.remarks.push(said),
            None => self.first.push(said),
        }
    }

    /// What is shown, beside so many tokens that are shown anyway. Folds what is too much.
    pub(super) fn turns(&mut self, fixed: usize) -> Vec<Turn> {
        let mut view = self.limits.view();
        loop {
            let turns = self.shown(view);
            if fixed + of_turns(&turns) <= self.limits.input {
                return turns;
            }
            let folded = self.fold();
            if !folded && !view.narrow() {
                return turns;
            }
        }
    }

    /// The summary, if it has become long enough to be said in fewer words.
    pub(super) fn to_condense(&self) -> Option<String> {
        let text = self.summary.join("\n");
        (text.len() > self.limits.summary).then(|| match &self.condensed {
            Some(before) => format!("{before}\n{text}"),
            None => text,
        })
    }

    pub(super) fn condense(&mut self, text: String) {
        self.summary.clear();
        self.condensed = Some(text);
    }

    /// Makes the oldest exchange part of the summary.
    fn fold(&mut self) -> bool {
        if self.exchanges.len() <= ALWAYS {
            return false;
        }
        let oldest = self.exchanges.remove(0);
        self.summary.extend(oldest.gist);
        self.notes.extend(oldest.notes);
        while self.notes.iter().map(String::len).sum::<usize>() > self.limits.summary {
            self.notes.remove(0);
        }
        let pieces = oldest.results.into_iter().flat_map(|kept| kept.pieces).chain(oldest.remarks);
        self.first.extend(pieces.filter(|piece| matches!(piece, Piece::Person(_))));
        true
    }

    fn shown(&self, view: View) -> Vec<Turn> {
        let mut show = Show::new(self, view);
        let mut first = show.pieces(&self.first, self.exchanges.len() + 1);
        first.extend(self.noted().map(Part::Text));
        first.extend(self.so_far().map(Part::Text));
        let mut turns = vec![Turn::User(first)];
        for (at, exchange) in self.exchanges.iter().enumerate() {
            let age = self.exchanges.len() - at;
            turns.push(Turn::Model(exchange.answer.clone()));
            let one = |kept: &Kept, show: &mut Show| ToolResult {
                id: kept.id.clone(),
                name: kept.name.clone(),
                parts: show.pieces(&kept.pieces, age),
                failed: kept.failed,
                url: kept.url.clone(),
                acknowledged: kept.acknowledged,
            };
            let results: Vec<_> =
                exchange.results.iter().map(|kept| one(kept, &mut show)).collect();
            if !results.is_empty() {
                turns.push(Turn::Tools(results));
            }
            if !exchange.remarks.is_empty() {
                turns.push(Turn::User(show.pieces(&exchange.remarks, age)));
            }
        }
        turns
    }

    /// What the model noted in the turns that are not shown any more. It may quote pages.
    fn noted(&self) -> Option<String> {
        let fenced = || self.fence.around(&self.notes.join("\n"));
        (!self.notes.is_empty()).then(|| format!("What you noted:\n{}", fenced()))
    }

    /// What was done in the turns that are not shown any more. Names of elements are words of pages.
    fn so_far(&self) -> Option<String> {
        if self.summary.is_empty() && self.condensed.is_none() {
            return None;
        }
        let left_out = self.summary.len().saturating_sub(LINES);
        let mut lines: Vec<String> = self.condensed.iter().cloned().collect();
        if left_out > 0 {
            lines.push(format!("(… {left_out} steps)"));
        }
        lines.extend(self.summary[left_out..].iter().cloned());
        let fenced = self.fence.around(&lines.join("\n"));
        Some(format!("What was done for this task so far, oldest first:\n{fenced}"))
    }
}

/// How much of each piece is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    /// Exchanges whose results are shown whole.
    pub(super) recent: usize,
    /// Bytes of the newest views.
    pub(super) piece: usize,
}

/// Bytes of an older result.
const OLDER: usize = 400;

impl View {
    /// Shows less; says whether it could.
    fn narrow(&mut self) -> bool {
        let before = (self.recent, self.piece);
        self.recent = self.recent.min(3).saturating_sub(1).max(1);
        self.piece = (self.piece * 2 / 3).max(OLDER);
        before != (self.recent, self.piece)
    }
}

/// Shows pieces in order, and so knows which of them are the last of their kind.
struct Show<'a> {
    fence: &'a Fence,
    view: View,
    views_to_come: usize,
    pictures_to_come: usize,
}

impl<'a> Show<'a> {
    fn new(history: &'a History, view: View) -> Show<'a> {
        let results = history.exchanges.iter().flat_map(|exchange| &exchange.results);
        let pieces = history.first.iter().chain(results.flat_map(|kept| &kept.pieces));
        let (mut views_to_come, mut pictures_to_come) = (0, 0);
        for piece in pieces {
            match piece {
                Piece::Page { whole: true, .. } => views_to_come += 1,
                Piece::Picture(_) => pictures_to_come += 1,
                _ => {}
            }
        }
        Show { fence: &history.fence, view, views_to_come, pictures_to_come }
    }

    fn pieces(&mut self, pieces: &[Piece], age: usize) -> Vec<Part> {
        pieces.iter().map(|piece| self.piece(piece, age)).collect()
    }

    fn piece(&mut self, piece: &Piece, age: usize) -> Part {
        match piece {
            Piece::Ours(text) => Part::Text(text.clone()),
            Piece::Person(words) => Part::Text(format!("The person says: {words}")),
            Piece::Page { text, whole } => {
                self.views_to_come -= usize::from(*whole);
                Part::Text(match whole {
                    true if self.views_to_come > 0 => {
                        "(an older view of the page; a newer one is below)".to_owned()
                    }
                    false if age > self.view.recent => self.cut(text, OLDER),
                    _ => self.cut(text, self.view.piece),
                })
            }
            Piece::Picture(image) => {
                self.pictures_to_come -= 1;
                match self.pictures_to_come < PICTURES {
                    true => Part::Picture(image.clone()),
                    false => Part::Text("(an older picture, not shown any more)".to_owned()),
                }
            }
        }
    }

    fn cut(&self, text: &str, bytes: usize) -> String {
        if text.len() <= bytes {
            return self.fence.around(text);
        }
        let mut at = bytes;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let at = text[..at].rfind('\n').filter(|line| *line > at / 2).unwrap_or(at);
        format!("{}\n(… cut)", self.fence.around(&text[..at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Abilities;

    fn exchange(number: usize, pieces: Vec<Piece>) -> Exchange {
        let kept = Kept {
            id: format!("c{number}"),
            name: "browser_click".into(),
            pieces,
            failed: false,
            url: None,
            acknowledged: false,
        };
        let (gist, notes) = (vec![format!("clicked {number}")], vec![format!("note {number}")]);
        Exchange { results: vec![kept], gist, notes, ..Exchange::of(Answer::default()) }
    }

    fn texts(turns: &[Turn]) -> String {
        let parts = turns.iter().flat_map(|turn| match turn {
            Turn::User(parts) => parts.clone(),
            Turn::Tools(results) => results.iter().flat_map(|one| one.parts.clone()).collect(),
            Turn::Model(_) => Vec::new(),
        });
        let text = |part| match part {
            Part::Text(text) => text,
            Part::Picture(image) => format!("picture {}", image.data),
        };
        parts.map(text).collect::<Vec<_>>().join("\n")
    }

    fn history(window: u64) -> History {
        History::new(Limits::of(Abilities { window: Some(window), ..Abilities::default() }))
    }

    #[test]
    fn the_oldest_turns_become_a_summary_and_a_persons_word_stays() {
        let mut history = history(4_000);
        history.begin([Piece::ours("Task: x")]);
        for number in 0..30 {
            let mut pieces = vec![Piece::page("word ".repeat(100))];
            if number == 2 {
                pieces.push(Piece::Person("the blue one".into()));
            }
            history.push(exchange(number, pieces));
            history.remark(Piece::ours("go on"));
        }
        let turns = history.turns(0);
        assert!(of_turns(&turns) <= 2_400, "{}", of_turns(&turns));
        let text = texts(&turns);
        let so_far = text.split("so far, oldest first:\n").nth(1).unwrap();
        assert!(
            so_far.starts_with(&format!("{}\nclicked 0\nclicked 1\n", history.fence.opening()))
        );
        assert!(text.contains("The person says: the blue one"), "{text}");
        let noted = text.split("What you noted:\n").nth(1).unwrap();
        assert!(noted.starts_with(&format!("{}\nnote 0\nnote 1\n", history.fence.opening())));
        assert!(text.matches("go on").count() < 30, "{text}");
        assert!(matches!(turns[1], Turn::Model(_)) && matches!(turns[2], Turn::Tools(_)));
    }

    #[test]
    fn the_newest_view_is_whole_and_three_pictures_are_kept() {
        let mut history = history(100_000);
        history.begin([Piece::Page { text: "first view".into(), whole: true }]);
        for number in 0..6 {
            let picture = Image::new("image/png", number.to_string());
            let view = Piece::Page { text: format!("view {number}"), whole: number < 3 };
            history.push(exchange(number, vec![view, Piece::Picture(picture)]));
        }
        let text = texts(&history.turns(0));
        assert!(!text.contains("first view") && !text.contains("view 1"), "{text}");
        for shown in ["view 2", "view 3", "view 5", "picture 3", "picture 4", "picture 5"] {
            assert!(text.contains(shown), "{shown} in {text}");
        }
        assert_eq!(text.matches("(an older picture").count(), 3);
        assert_eq!(text.matches("(an older view").count(), 3);
    }

    #[test]
    fn what_is_too_much_even_so_is_cut_and_a_long_summary_is_to_be_condensed() {
        let mut history = history(4_000);
        history.push(exchange(0, vec![Piece::Page { text: "é".repeat(90_000), whole: true }]));
        assert!(of_turns(&history.turns(500)) <= 1_900);
        assert_eq!(history.to_condense(), None);
        for number in 0..400 {
            history.push(exchange(number, vec![Piece::page("word ".repeat(100))]));
        }
        assert!(of_turns(&history.turns(0)) <= 2_400);
        let long = history.to_condense().unwrap();
        assert!(long.contains("clicked 3\n"), "{long}");
        history.condense("many clicks".into());
        assert_eq!(history.to_condense(), None);
        assert!(texts(&history.turns(0)).contains("many clicks"));
    }
}
