//! Attends a trip at this terminal: shows how it goes, puts questions to the person, remembers what they
//! choose, and hears an interrupt.

use std::collections::{HashMap, VecDeque};
use std::io::{Stderr, Write};
use std::sync::Arc;
use std::time::Instant;

use legwork_shop::errand::{Outcome, Product};
use legwork_shop::item::{Item, ItemId};
use legwork_shop::list::ListError;
use legwork_shop::preferences::{Preference, Preferences};
use legwork_shop::summary::{Added, Summary};
use legwork_shop::trip::{News, Trip, TripError};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Notify, mpsc};

use super::super::keyboard::Keyboard;
use super::super::output::{TURN, Terminal, size};
use super::asking::{Ask, Typed};
use crate::view::{self, Board, Line, Look, Screen, Tone, Window};

/// How a trip that was attended came to an end.
pub(super) enum Ended {
    /// It is over. `true` if the person stopped it.
    Over(Box<Summary>, bool),
    /// There was none, and this is what became of the list, where that was read.
    Undone(TripError, Option<Box<Summary>>),
    /// The person did not want to wait for its end.
    Left,
}

/// What is remembered of a trip.
pub(super) struct Memory {
    pub(super) preferences: Preferences,
    pub(super) shop: String,
    /// Also what was chosen without asking.
    pub(super) all: bool,
}

/// A trip that is attended.
pub(super) struct Attend {
    board: Board,
    way: Way,
    screen: Screen<Stderr>,
    keyboard: Keyboard,
    memory: Memory,
    items: Vec<Item>,
    /// Questions in the order they came; the first is on the screen.
    asked: VecDeque<Ask>,
    /// What a person chose, until it is known what was bought.
    chosen: HashMap<ItemId, Product>,
    /// What there is to tell of a trip that was none.
    undone: Option<Box<Summary>>,
    began: Instant,
    tick: usize,
    /// Told by another program that the trip is to stop, as by an interrupt.
    pub(super) told: Arc<Notify>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Nothing is shown; the result is for a program.
    Silent,
    /// Drawn in place.
    Drawn,
    /// One line for each change.
    Plain,
}

impl Attend {
    pub(super) fn new(memory: Memory, keyboard: Keyboard, json: bool) -> Attend {
        let terminal = Terminal::here();
        let way = match (json, terminal.draws) {
            (true, _) => Way::Silent,
            (false, true) => Way::Drawn,
            (false, false) => Way::Plain,
        };
        Attend {
            board: Board::new(&memory.shop),
            way,
            screen: Screen::new(std::io::stderr(), terminal.colours),
            keyboard,
            memory,
            items: Vec::new(),
            asked: VecDeque::new(),
            chosen: HashMap::new(),
            undone: None,
            began: Instant::now(),
            tick: 0,
            told: Arc::default(),
        }
    }

    /// Makes the trip. A first interrupt lets it write down what is done; a second one does not wait.
    pub(super) async fn run(
        mut self,
        trip: &Trip,
        mut news: mpsc::UnboundedReceiver<News>,
        mut asks: mpsc::UnboundedReceiver<Ask>,
    ) -> std::io::Result<Ended> {
        let mut interrupts = signal(SignalKind::interrupt())?;
        let (stop, told) = (Notify::new(), self.told.clone());
        let mut made = std::pin::pin!(trip.run_until(stop.notified()));
        let mut turn = tokio::time::interval(TURN);
        turn.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut stopping = false;
        loop {
            let moves = self.way == Way::Drawn && self.asked.is_empty();
            tokio::select! {
                biased;
                () = next(&mut interrupts) => match stopping {
                    true => return Ok(Ended::Left),
                    false => {
                        stopping = true;
                        self.stopping(&stop);
                    }
                },
                () = told.notified(), if !stopping => {
                    stopping = true;
                    self.stopping(&stop);
                }
                Some(one) = news.recv() => self.hear(&one),
                Some(ask) = asks.recv() => self.ask(ask),
                done = &mut made => {
                    self.hear_out(&mut news);
                    return Ok(match done {
                        Ok(summary) => Ended::Over(Box::new(summary), stopping),
                        Err(error) => Ended::Undone(error, self.undone),
                    });
                }
                line = self.keyboard.line(), if !self.asked.is_empty() => self.typed(line),
                _ = turn.tick(), if moves => self.turn(),
            }
        }
    }

    /// Hears what was told before the end, and shows it all.
    fn hear_out(&mut self, news: &mut mpsc::UnboundedReceiver<News>) {
        while let Ok(one) = news.try_recv() {
            self.hear(&one);
        }
        self.draw();
    }

    fn turn(&mut self) {
        self.tick += 1;
        self.draw();
    }

    fn hear(&mut self, news: &News) {
        match news {
            News::Began(items) => self.items = items.clone(),
            News::Over(id, Ok(Outcome::Added(added))) => {
                let kept = self.bought(id, added);
                self.kept(kept);
            }
            News::Undone(summary) => self.undone = Some(summary.clone()),
            _ => {}
        }
        let lines = self.board.hear(news);
        match self.way {
            Way::Plain => self.write(&lines),
            Way::Drawn if Board::stays(news) => self.write(&lines),
            _ => {}
        }
        self.take_back();
        if self.asked.is_empty() {
            self.draw();
        }
    }

    /// A question comes. It is shown when those before it are answered.
    fn ask(&mut self, ask: Ask) {
        self.asked.push_back(ask);
        if self.asked.len() == 1 {
            self.show_question();
        }
    }

    fn show_question(&mut self) {
        if let Some(ask) = self.asked.front() {
            let lines = view::question(&ask.item, &ask.products, size().0);
            self.write(&lines);
        }
    }

    /// Takes back a question whose item ran out of time.
    fn take_back(&mut self) {
        while self.asked.front().is_some_and(Ask::is_over) {
            self.asked.pop_front();
            self.note("too late; it went on without an answer");
            self.show_question();
        }
    }

    /// What the person typed; nothing if they are gone.
    fn typed(&mut self, line: Option<String>) {
        let Some(line) = line else {
            self.asked.drain(..).for_each(|ask| ask.answer(None));
            return;
        };
        let Some(ask) = self.asked.front() else { return };
        let chosen = match ask.read(&line) {
            Typed::Unclear => return self.show_question(),
            Typed::None => None,
            Typed::One(at) => Some(at),
        };
        let Some(ask) = self.asked.pop_front() else { return };
        if let Some(product) = chosen.and_then(|at| ask.products.get(at)) {
            self.chosen.insert(ask.item.id.clone(), product.clone());
        }
        ask.answer(chosen);
        self.show_question();
    }

    /// What was bought is remembered if a person chose it, or if all is.
    fn bought(&mut self, id: &ItemId, added: &Added) -> Result<(), ListError> {
        let chosen = self.chosen.remove(id);
        let Some(item) = self.items.iter().find(|item| item.id == *id) else { return Ok(()) };
        match chosen {
            Some(product) => self.memory.keep(item, &as_bought(&product, added)),
            None if self.memory.all => self.memory.keep_new(item, &Preference::from(added)),
            None => Ok(()),
        }
    }

    fn kept(&mut self, kept: Result<(), ListError>) {
        if let Err(error) = kept {
            self.note(&format!("the choice could not be remembered: {error}"));
        }
    }

    fn stopping(&mut self, stop: &Notify) {
        stop.notify_one();
        self.asked.drain(..).for_each(|ask| ask.answer(None));
        self.note(
            "stopping: the book keeps what is done, and the next run goes on from there; \
             again to stop at once",
        );
    }

    fn note(&mut self, text: &str) {
        if self.way != Way::Silent {
            self.write(&[Line { tone: Tone::Attention, text: view::clean(text) }]);
        }
    }

    fn draw(&mut self) {
        if self.way == Way::Drawn && !self.items.is_empty() {
            let (width, rows) = size();
            let look = Look {
                width,
                rows,
                tick: self.tick,
                since: self.began.elapsed(),
                window: Window::Shown,
            };
            // A terminal that is gone is noticed elsewhere.
            let _ = self.screen.draw(&self.board.whole(look));
        }
    }

    fn write(&mut self, lines: &[Line]) {
        match self.way {
            Way::Drawn => drop(self.screen.keep(lines)),
            _ => {
                let mut out = std::io::stderr().lock();
                lines.iter().for_each(|line| drop(writeln!(out, "{}", line.text)));
            }
        }
    }
}

impl Memory {
    fn keep(&self, item: &Item, preference: &Preference) -> Result<(), ListError> {
        self.preferences.remember(&self.shop, &item.wanted.what, preference)
    }

    /// Keeps what was chosen without a person, unless one chose before, who may have said more.
    fn keep_new(&self, item: &Item, preference: &Preference) -> Result<(), ListError> {
        match self.preferences.find(&self.shop, &item.wanted.what)? {
            Some(_) => Ok(()),
            None => self.keep(item, preference),
        }
    }
}

/// What was bought, with what is known of it from the choice. What a model lets choose from is only words.
fn as_bought(chosen: &Product, added: &Added) -> Preference {
    let bought = Preference::from(added);
    match chosen.url == bought.url {
        true => Preference { size: chosen.size.clone(), brand: chosen.brand.clone(), ..bought },
        false => bought,
    }
}

/// The next interrupt; never comes if there can be none.
async fn next(interrupts: &mut Signal) {
    if interrupts.recv().await.is_none() {
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests {
    use legwork_shop::site;
    use legwork_shop::summary::Report;

    use super::*;

    #[test]
    fn what_was_bought_is_remembered_and_not_the_words_of_the_question() {
        let report = Report {
            item_name: "Canola Oil",
            price_text: "$4.99",
            price_cents: 499,
            url: "https://www.metro.ca/p/canola",
            quantity: 1,
        };
        let added = Added::reported("oil", &report, &site::metro()).unwrap();
        let chosen = |name: &str, url: &str| Product {
            name: name.into(),
            brand: Some("Prairie".into()),
            size: Some("1 L".into()),
            price_text: String::new(),
            price: None,
            url: url.parse().unwrap(),
            available: true,
        };
        let kept = as_bought(&chosen("1 × Canola Oil", "https://www.metro.ca/p/canola"), &added);
        assert_eq!((kept.product.as_str(), kept.url.path()), ("Canola Oil", "/p/canola"));
        assert_eq!((kept.size.as_deref(), kept.brand.as_deref()), (Some("1 L"), Some("Prairie")));
        let kept = as_bought(&chosen("the cheap one", "https://www.metro.ca/search?q=oil"), &added);
        assert_eq!((kept.product.as_str(), kept.url.path()), ("Canola Oil", "/p/canola"));
        assert_eq!((kept.size, kept.brand), (None, None));
    }
}
