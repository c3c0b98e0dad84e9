//! The hands of a replay at this terminal: calls go to the daemon, questions to whoever is here, and what a
//! healing model costs is counted.

use std::sync::Arc;
use std::time::{Duration, Instant};

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
        self.within(0)
    }

    /// Whether the limits hold with so much more: nothing after an answer, one of each before the next.
    fn within(&self, more: u32) -> Result<(), Spent> {
        let Budget { turns, seconds, tokens, cost_micros } = self.budget;
        let most = cost_micros.filter(|_| self.price.is_some());
        let limit = match () {
            () if self.turns + more > turns => format!("{turns} turns"),
            () if self.time_left().is_zero() => format!("{seconds} seconds"),
            () if self.tokens + u64::from(more) > tokens => format!("{tokens} tokens"),
            () if most.is_some_and(|most| self.micros + u64::from(more) > most) => {
                "its cost".to_owned()
            }
            () => return Ok(()),
        };
        Err(Spent { limit })
    }

    fn time_left(&self) -> Duration {
        Duration::from_secs(self.budget.seconds).saturating_sub(self.began.elapsed())
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

    fn may_ask(&self) -> Result<(), Spent> {
        self.spending.within(1)
    }

    fn time_left(&self) -> Option<Duration> {
        Some(self.spending.time_left())
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

    #[test]
    fn a_limit_that_is_spent_holds_before_the_model_is_asked_again() {
        let usual = Budget { turns: 3, seconds: 60, tokens: 1000, cost_micros: Some(50) };
        let price = Price { input: 1_000_000, cached: 100_000, output: 2_000_000 };
        for (budget, expected) in [
            (usual, None),
            (Budget { turns: 1, ..usual }, Some("1 turns")),
            (Budget { seconds: 0, ..usual }, Some("0 seconds")),
            (Budget { tokens: 20, ..usual }, Some("20 tokens")),
            (Budget { cost_micros: Some(30), ..usual }, Some("its cost")),
        ] {
            let mut spending = Spending::new(budget, Some(price));
            spending.count(Tokens { input: 10, cached: 0, output: 10 }).ok();
            let may = spending.within(1).err().map(|spent| spent.limit);
            assert_eq!(may.as_deref(), expected, "{budget:?}");
        }
    }
}
