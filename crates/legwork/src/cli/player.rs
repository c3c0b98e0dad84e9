//! The hands of a replay at this terminal: calls go to the daemon, questions to whoever is here, and what a
//! healing model costs is counted.

use std::sync::Arc;
use std::time::Instant;

use legwork_agent::model::{Price, Tokens};
use legwork_agent::run::{Boxed, Hands, Spent, Step};
use legwork_protocol::assistant::{AssistanceRequest, Budget, Reaction};
use legwork_protocol::{Reply, ToolCall, ToolError, ToolHost};
use serde_json::{Map, Value};

use super::keyboard::{Keyboard, Who};
use crate::view::{Window, reaction, request};

/// What a healing model may cost, and has.
pub(super) struct Spending {
    budget: Budget,
    price: Option<Price>,
    began: Instant,
    turns: u32,
    tokens: u64,
    micros: u64,
}

impl Spending {
    pub(super) fn new(budget: Budget, price: Option<Price>) -> Spending {
        Spending { budget, price, began: Instant::now(), turns: 0, tokens: 0, micros: 0 }
    }

    fn count(&mut self, spent: Tokens) -> Result<(), Spent> {
        self.turns += 1;
        self.tokens += spent.input + spent.output;
        self.micros += self.price.map_or(0, |price| price.cost(spent));
        let Budget { turns, seconds, tokens, cost_micros } = self.budget;
        let limit = match () {
            () if self.turns > turns => format!("{turns} turns"),
            () if self.began.elapsed().as_secs() >= seconds => format!("{seconds} seconds"),
            () if self.tokens > tokens => format!("{tokens} tokens"),
            () if cost_micros.is_some_and(|most| self.micros > most) => "its cost".to_owned(),
            () => return Ok(()),
        };
        Err(Spent { limit })
    }
}

/// The hands of a replay.
pub(super) struct Player {
    host: Arc<dyn ToolHost>,
    session: String,
    spending: Spending,
    keyboard: Option<Keyboard>,
    /// Whether a person could act in the browser.
    pub(super) window: Window,
    /// Who is told what is under way.
    pub(super) tell: Box<dyn Fn(&str) + Send>,
}

impl Player {
    pub(super) fn new(host: Arc<dyn ToolHost>, session: &str, spending: Spending) -> Player {
        let (session, tell) = (session.to_owned(), Box::new(|_: &str| {}));
        Player { host, session, spending, keyboard: None, window: Window::Shown, tell }
    }

    /// Asks whoever is here until there is an answer; who is not here says stop.
    async fn answered(&mut self, asked: &AssistanceRequest) -> Reaction {
        let keyboard = self.keyboard.get_or_insert_with(|| Keyboard::new(false));
        for line in request(asked, usize::MAX, self.window) {
            eprintln!("{}", line.text);
        }
        while keyboard.who == Who::Person {
            let Some(line) = keyboard.line().await else { break };
            if let Some(reaction) = reaction(asked, &line) {
                return reaction;
            }
        }
        Reaction::Stop
    }
}

impl Hands for Player {
    fn call<'a>(
        &'a mut self,
        tool: &'a str,
        arguments: Map<String, Value>,
    ) -> Boxed<'a, Result<Reply, ToolError>> {
        self.host.call(ToolCall {
            door: "cli",
            describe: true,
            ..ToolCall::new(&self.session, tool, arguments)
        })
    }

    fn ask(&mut self, asked: AssistanceRequest) -> Boxed<'_, Reaction> {
        Box::pin(async move { self.answered(&asked).await })
    }

    fn remarks(&mut self) -> Vec<String> {
        Vec::new()
    }

    fn doing(&mut self, what: &str) {
        (self.tell)(what);
    }

    fn spend(&mut self, tokens: Tokens) -> Result<(), Spent> {
        self.spending.count(tokens)
    }

    fn before(&self) -> &[Step] {
        &[]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_not_cost_more_says_which_limit_it_was() {
        let budget = Budget { turns: 3, seconds: 60, tokens: 1000, cost_micros: Some(50) };
        let price = Price { input: 1_000_000, cached: 100_000, output: 2_000_000 };
        for (turns, spent, expected) in [
            (1, Tokens { input: 10, cached: 0, output: 10 }, None),
            (4, Tokens { input: 1, cached: 0, output: 1 }, Some("3 turns")),
            (1, Tokens { input: 990, cached: 990, output: 20 }, Some("1000 tokens")),
            (1, Tokens { input: 20, cached: 0, output: 20 }, Some("its cost")),
            (1, Tokens { input: 100, cached: 100, output: 15 }, None),
        ] {
            let mut spending = Spending::new(budget, Some(price));
            let last = (0..turns).map(|_| spending.count(spent)).last().unwrap();
            assert_eq!(last.err().map(|spent| spent.limit).as_deref(), expected, "{spent:?}");
        }
    }
}
