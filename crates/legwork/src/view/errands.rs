//! What a person at a terminal sees of a shopping trip: a line for each item, a bar, and what it costs so
//! far. Pure, like the rest of the view.

use std::time::Duration;

use legwork_protocol::Blocked;
use legwork_shop::errand::{Outcome, Product, Stage, Trouble};
use legwork_shop::item::{Item, ItemId};
use legwork_shop::money::Money;
use legwork_shop::summary::Added;
use legwork_shop::trip::News;

use super::words::{clean, cut, span};
use super::{Line, Look, SPINNER, Tone};

/// A trip as far as it was told.
pub struct Board {
    shop: String,
    errands: Vec<Errand>,
    so_far: Option<Money>,
    /// Hosts that were not reached, each told once.
    blocked: Vec<String>,
}

struct Errand {
    item: Item,
    state: State,
}

/// How an item is doing.
enum State {
    Waiting,
    Doing(String),
    InTheCart(String),
    NotFound(String),
    Failed(String),
}

impl State {
    fn is_over(&self) -> bool {
        !matches!(self, State::Waiting | State::Doing(_))
    }

    fn look(&self, spinner: &'static str) -> (&'static str, Tone, &str) {
        match self {
            State::Waiting => ("·", Tone::Faint, ""),
            State::Doing(what) => (spinner, Tone::Busy, what),
            State::InTheCart(what) => ("✓", Tone::Good, what),
            State::NotFound(why) => ("–", Tone::Attention, why),
            State::Failed(why) => ("✗", Tone::Bad, why),
        }
    }
}

impl Board {
    /// Nothing was told yet.
    pub fn new(shop: &str) -> Board {
        Board { shop: clean(shop), errands: Vec::new(), so_far: None, blocked: Vec::new() }
    }

    /// Hears news; says what is to be told of it on a line of its own: for a pipe all of it.
    pub fn hear(&mut self, news: &News) -> Vec<Line> {
        match news {
            News::Began(items) => {
                let errand = |item: &Item| Errand { item: item.clone(), state: State::Waiting };
                self.errands = items.iter().map(errand).collect();
                vec![self.title()]
            }
            News::SignedIn => vec![Line::new(Tone::Faint, "signed in")],
            News::Doing(id, stage) => self.now(id, State::Doing(doing(stage))),
            News::Over(id, Ok(outcome)) => self.now(id, outcome_state(outcome)),
            News::Over(id, Err(trouble)) => self.now(id, State::Failed(told(trouble))),
            News::SoFar(money) => {
                self.so_far = Some(*money);
                Vec::new()
            }
            News::Blocked(blocked) => self.blocked(blocked),
            News::ListBehind(id, why) => {
                let name = self.name(id);
                let text = format!("the list could not be changed for {name}: {}", clean(why));
                vec![Line::new(Tone::Attention, text)]
            }
            News::Undone(_) => Vec::new(),
            News::Already(id, what) => {
                let text = format!("{}, from an attempt that was interrupted", clean(what));
                self.now(id, State::InTheCart(text))
            }
        }
    }

    /// Whether news of this kind stay to be read where the board itself is drawn.
    pub fn stays(news: &News) -> bool {
        let steered = matches!(news, News::Doing(_, Stage::Steered(_)));
        steered || matches!(news, News::ListBehind(..))
    }

    fn now(&mut self, id: &ItemId, state: State) -> Vec<Line> {
        let name = self.name(id);
        let (word, said) = match &state {
            State::Waiting => ("waits", ""),
            State::Doing(what) => ("  …", what.as_str()),
            State::InTheCart(what) => ("in the cart", what.as_str()),
            State::NotFound(why) => ("not found", why.as_str()),
            State::Failed(why) => ("failed", why.as_str()),
        };
        let line = Line::new(state.look("").1, format!("{word} {name}: {said}"));
        if let Some(errand) = self.errands.iter_mut().find(|errand| errand.item.id == *id) {
            errand.state = state;
        }
        vec![line]
    }

    fn name(&self, id: &ItemId) -> String {
        let errand = self.errands.iter().find(|errand| errand.item.id == *id);
        clean(errand.map_or(id.as_str(), |errand| &errand.item.name))
    }

    fn blocked(&mut self, blocked: &Blocked) -> Vec<Line> {
        if self.blocked.contains(&blocked.host) {
            return Vec::new();
        }
        self.blocked.push(blocked.host.clone());
        let text = format!("not reached: {} ({})", clean(&blocked.host), clean(&blocked.rule));
        vec![Line::new(Tone::Faint, text)]
    }

    fn title(&self) -> Line {
        let items = super::words::number(self.errands.len() as u64, "item");
        Line::new(Tone::Title, format!("shopping at {}: {items}", self.shop))
    }

    /// The whole board, as it is now.
    pub fn whole(&self, look: Look) -> Vec<Line> {
        let width = look.width.max(20);
        let spinner = SPINNER[look.tick % SPINNER.len()];
        let room = look.rows.saturating_sub(4).max(3);
        let (first, last) = self.window(room);
        let mut lines = vec![self.title()];
        let left = |count: usize, lines: &mut Vec<Line>| {
            if count > 0 {
                lines.push(Line::new(Tone::Faint, format!("  … {count} more")));
            }
        };
        left(first, &mut lines);
        lines.extend(self.errands[first..last].iter().map(|errand| errand_line(errand, spinner)));
        left(self.errands.len() - last, &mut lines);
        lines.push(Line::new(Tone::Plain, self.bar(look.since)));
        lines.iter_mut().for_each(|line| line.text = cut(&line.text, width));
        lines
    }

    /// Those errands for which there is room, with the first that is not over among them.
    fn window(&self, room: usize) -> (usize, usize) {
        let count = self.errands.len();
        if count <= room {
            return (0, count);
        }
        let room = room.saturating_sub(2).max(1);
        let now = self.errands.iter().position(|errand| !errand.state.is_over());
        let first = now.unwrap_or(count - 1).saturating_sub(room / 3).min(count - room);
        (first, first + room)
    }

    /// How far it is, and what it costs so far.
    fn bar(&self, since: Duration) -> String {
        const WIDE: usize = 20;
        let all = self.errands.len().max(1);
        let over = self.errands.iter().filter(|errand| errand.state.is_over()).count();
        let full = over * WIDE / all;
        let bar = format!("{}{}", "█".repeat(full), "░".repeat(WIDE - full));
        let count = |meant: fn(&State) -> bool| {
            self.errands.iter().filter(|errand| meant(&errand.state)).count()
        };
        let mut pieces = vec![format!("{bar} {over} of {}", self.errands.len())];
        for (number, word) in [
            (count(|state| matches!(state, State::InTheCart(_))), "in the cart"),
            (count(|state| matches!(state, State::NotFound(_))), "not found"),
            (count(|state| matches!(state, State::Failed(_))), "failed"),
        ] {
            if number > 0 {
                pieces.push(format!("{number} {word}"));
            }
        }
        pieces.extend(self.so_far.map(|money| format!("{money} so far")));
        pieces.push(span(since));
        pieces.join(" · ")
    }
}

fn errand_line(errand: &Errand, spinner: &'static str) -> Line {
    let (mark, tone, said) = errand.state.look(spinner);
    let name = clean(&errand.item.name);
    let said = if said.is_empty() { String::new() } else { format!(": {said}") };
    Line::new(tone, format!("  {mark} {name}{said}"))
}

/// What is being done, in a few words.
fn doing(stage: &Stage) -> String {
    match stage {
        Stage::Searching(words) => format!("searching for {:?}", clean(words)),
        Stage::Looking(product) => format!("looking at {}", clean(product)),
        Stage::Asking => "which one?".to_owned(),
        Stage::Thinking(turn) => format!("thinking, turn {turn}"),
        Stage::Adding(product) => format!("adding {}", clean(product)),
        Stage::Checking => "looking at the cart".to_owned(),
        Stage::Steered(steering) => {
            format!("the page tried to steer: {}", clean(&steering.attempt))
        }
        Stage::Noted(text) => clean(text),
    }
}

fn outcome_state(outcome: &Outcome) -> State {
    match outcome {
        Outcome::Added(added) => State::InTheCart(bought(added)),
        Outcome::NotFound { reason, out_of_stock: true } => {
            State::NotFound(format!("out of stock: {}", clean(reason)))
        }
        Outcome::NotFound { reason, .. } => State::NotFound(clean(reason)),
    }
}

fn bought(added: &Added) -> String {
    let Added { quantity, product, .. } = added;
    let cost = added.cost().map_or(clean(&added.price_text), |cost| cost.to_string());
    format!("{quantity} × {}, {cost}", clean(product))
}

fn told(trouble: &Trouble) -> String {
    clean(&trouble.to_string())
}

/// A question which product is meant, with what can be answered.
pub fn question(item: &Item, products: &[Product], width: usize) -> Vec<Line> {
    let asked = format!("Which one is {:?}?", clean(&item.name));
    let mut lines = vec![Line::new(Tone::Attention, asked)];
    for (at, product) in products.iter().enumerate() {
        lines.push(Line::new(Tone::Plain, format!("  {}. {}", at + 1, choice(product))));
    }
    lines.push(Line::new(Tone::Plain, "  0. none of them"));
    let most = products.len();
    lines.push(Line::new(Tone::Attention, format!("A number from 0 to {most}, then Enter:")));
    lines.iter_mut().for_each(|line| line.text = cut(&line.text, width.max(20)));
    lines
}

fn choice(product: &Product) -> String {
    let mut pieces = vec![clean(&product.name)];
    let more = [&product.size, &product.brand].into_iter().flatten().map(|text| clean(text));
    // Often the name says it all.
    pieces.extend(more.filter(|piece| !product.name.contains(piece.as_str())));
    pieces.push(clean(&product.price_text));
    let pieces: Vec<String> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
    let sold_out = if product.available { "" } else { " (out of stock)" };
    format!("{}{sold_out}", pieces.join(", "))
}

#[cfg(test)]
mod tests;
