//! Where a run is shown: as messages, drawn in place, or as plain lines. The result goes to standard output
//! and all else to standard error, so that the result alone can be kept.

use std::io::{IsTerminal, Stderr, Write};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use legwork_protocol::assistant::{Message, Payload, RunStatus, StateUpdate};

use super::failure::Failure;
use super::keyboard::Who;
use super::show;
use crate::view::{self, Line, Look, Screen, Window};

/// How often the spinner turns.
pub(super) const TURN: Duration = Duration::from_millis(120);

/// Where a run is shown.
pub(super) struct Output {
    way: Way,
    screen: Screen<Stderr>,
    messages: Messages,
    last: Option<(StateUpdate, Instant)>,
    tick: usize,
    window: Window,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Each message on a line of its own, on standard output.
    Messages,
    /// Drawn in place.
    Drawn,
    /// One line for each change.
    Plain,
}

impl Output {
    pub(super) fn new(json: bool, window: Window, who: Who) -> Output {
        let window = if who == Who::Nobody { Window::Unattended } else { window };
        let terminal = Terminal::here();
        let way = match (json, terminal.draws) {
            (true, _) => Way::Messages,
            (false, true) => Way::Drawn,
            (false, false) => Way::Plain,
        };
        let screen = Screen::new(std::io::stderr(), terminal.colours);
        Output { way, screen, messages: Messages::default(), last: None, tick: 0, window }
    }

    /// The state that was shown last.
    pub(super) fn last(&self) -> Option<&StateUpdate> {
        self.last.as_ref().map(|(update, _)| update)
    }

    /// Another run begins.
    pub(super) fn anew(&mut self) {
        self.last = None;
    }

    /// Shows what was told.
    pub(super) fn told(&mut self, message: &Message) {
        if self.way == Way::Messages {
            self.messages.write(message);
        }
        if let Payload::StateUpdate(update) = &message.payload {
            if self.way == Way::Plain {
                self.write(&view::changes(self.last(), update, self.window));
            }
            self.last = Some((update.clone(), Instant::now()));
            self.draw();
        }
    }

    /// Whether something moves: not while a person is asked, whose answer would be drawn over.
    pub(super) fn moves(&self) -> bool {
        let moving = |update: &StateUpdate| {
            update.assistance.is_none()
                && matches!(update.status, RunStatus::Interpreting | RunStatus::Running)
        };
        self.way == Way::Drawn && self.last().is_some_and(moving)
    }

    /// Turns the spinner.
    pub(super) fn turn(&mut self) {
        self.tick += 1;
        self.draw();
    }

    fn draw(&mut self) {
        if self.way != Way::Drawn {
            return;
        }
        if let Some((update, when)) = &self.last {
            let (width, rows) = size();
            let look =
                Look { width, rows, tick: self.tick, since: when.elapsed(), window: self.window };
            // A terminal that is gone is noticed elsewhere.
            let _ = self.screen.draw(&view::whole(update, look));
        }
    }

    /// The person has ended a line, which the terminal has shown.
    pub(super) fn typed(&mut self) {
        self.screen.typed();
    }

    /// A line that stays.
    pub(super) fn note(&mut self, text: &str) {
        if self.way == Way::Messages {
            return;
        }
        let line = |text: &str| Line { tone: view::Tone::Attention, text: view::clean(text) };
        let _ = self.screen.keep(&text.lines().map(line).collect::<Vec<_>>());
        self.draw();
    }

    /// The run is over for now: what was done and what was not.
    pub(super) fn ended(&mut self, update: &StateUpdate) -> Result<(), Failure> {
        if self.way == Way::Messages {
            self.messages.finish();
            return Ok(());
        }
        if self.way == Way::Drawn && update.status == RunStatus::Completed {
            // What was drawn last stays, as it was at the end.
            let (width, _) = size();
            let look = Look {
                width,
                rows: usize::MAX,
                tick: 0,
                since: Duration::ZERO,
                window: self.window,
            };
            let mut shown = view::whole(update, look);
            // What it cost is said below, too.
            shown.truncate(1 + update.tasks.as_ref().map_or(0, |list| list.tasks.len()));
            self.write(&shown);
        }
        self.last = None;
        self.write(&view::ending(update));
        let results = update.finished.iter().flat_map(|finished| &finished.results);
        let results: Vec<&str> = results.map(String::as_str).collect();
        match results.is_empty() {
            true => Ok(()),
            false => show::line(&results.join("\n")),
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

/// What standard error is.
pub(super) struct Terminal {
    /// Whether lines can be drawn in place.
    pub(super) draws: bool,
    /// Whether it has colours, and they are wanted.
    pub(super) colours: bool,
}

impl Terminal {
    pub(super) fn here() -> Terminal {
        let says = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let dumb = says("TERM").is_none_or(|kind| kind == "dumb");
        let draws = std::io::stderr().is_terminal() && !dumb;
        Terminal { draws, colours: draws && says("NO_COLOR").is_none() }
    }
}

/// How long a reader that is behind is waited for at the end.
const FLUSH: Duration = Duration::from_millis(80);

/// Messages on their way to standard output, by a thread of their own: whoever does not read holds up
/// neither the run nor an interrupt.
#[derive(Default)]
struct Messages(Option<(mpsc::Sender<String>, mpsc::Receiver<()>)>);

impl Messages {
    fn write(&mut self, message: &Message) {
        let text = serde_json::to_string(message);
        let Ok(text) =
            text.inspect_err(|error| tracing::error!(%error, "a message is not written"))
        else {
            return;
        };
        let (lines, _) = self.0.get_or_insert_with(|| {
            let (lines, queue) = mpsc::channel::<String>();
            let (written, done) = mpsc::channel();
            std::thread::spawn(move || {
                let mut wrote = queue.into_iter().map(|line| show::line(&line));
                wrote.find(Result::is_err);
                drop(written);
            });
            (lines, done)
        });
        // A reader that has seen enough is no failure.
        let _ = lines.send(text);
    }

    /// Waits until all is written, for as long as somebody reads it.
    fn finish(&mut self) {
        if let Some((lines, done)) = self.0.take() {
            drop(lines);
            let _ = done.recv_timeout(FLUSH);
        }
    }
}

/// Columns and rows of the terminal, as far as it tells.
pub(super) fn size() -> (usize, usize) {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok();
    let size = size.filter(|size| size.ws_col > 0 && size.ws_row > 0);
    size.map_or((80, 24), |size| (size.ws_col.into(), size.ws_row.into()))
}
