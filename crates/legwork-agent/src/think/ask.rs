//! One turn of the model: what it is shown, what it costs, and what is told while it answers.

use std::time::Duration;

use tokio::sync::mpsc;

use super::ThinkError;
use super::history::Piece;
use super::mind::Mind;
use super::prompt::short;
use super::size;
use crate::model::{Answer, Delta, Model, ModelError, Part, Request, Tokens, Turn};
use crate::run::Hands;

/// How long an answer may take.
const DEADLINE: Duration = Duration::from_secs(180);

/// How often an answer that broke off is asked for again.
const AGAIN: u32 = 2;

/// The window's size where nothing else is known.
const VIEWPORT: (u32, u32) = (1280, 720);

impl Mind<'_> {
    /// Asks the model what to do next.
    pub(super) async fn ask(&mut self) -> Result<Answer, ThinkError> {
        for said in self.hands.remarks() {
            self.heard += &format!("{said}\n");
            self.history.remark(Piece::Person(said));
        }
        let fixed = size::of_fixed(&self.system, &self.tools);
        let mut turns = self.history.turns(fixed);
        if self.condense().await? {
            turns = self.history.turns(fixed);
        }
        let request = Request {
            system: self.system.clone(),
            turns,
            tools: self.tools.clone(),
            must_call: true,
            schema: None,
            max_output: self.limits.output,
            deadline: DEADLINE,
            viewport: self.model.abilities().vision.then(|| self.viewport()),
        };
        self.hands.doing("thinking");
        self.answer(&request).await
    }

    /// A summary that has become long is said in fewer words by the model; says whether one was.
    async fn condense(&mut self) -> Result<bool, ThinkError> {
        let Some(text) = self.history.to_condense() else { return Ok(false) };
        let asked = format!(
            "Say in at most 150 words what was done and found out so far for this task, as notes for going on. \
             Task: {}\n{}",
            self.goal.task,
            self.history.fence.around(&text)
        );
        let request = Request {
            system: self.system.clone(),
            turns: vec![Turn::User(vec![Part::Text(asked)])],
            max_output: self.limits.output.min(600),
            deadline: DEADLINE,
            ..Request::default()
        };
        self.hands.doing("thinking");
        let answer = self.answer(&request).await?;
        // Without words there is nothing shorter than the end of the old summary.
        let end = short(&text.chars().rev().take(2_000).collect::<String>(), 2_000);
        let kept = match answer.text.trim() {
            "" => end.chars().rev().collect(),
            words => short(words, 2_000),
        };
        self.history.condense(kept);
        Ok(true)
    }

    /// Asks, again if the answer broke off, and counts what it cost.
    async fn answer(&mut self, request: &Request) -> Result<Answer, ThinkError> {
        self.hands.may_ask()?;
        let mut again = 0;
        let answer = loop {
            match listened(self.model, self.hands, request).await {
                Err(ModelError::Garbled { .. }) if again < AGAIN => again += 1,
                other => break other?,
            }
        };
        self.hands.spend(counted(request, &answer))?;
        Ok(answer)
    }

    pub(super) fn viewport(&self) -> (u32, u32) {
        let seen = self.goal.context.browser_state.viewport;
        match seen.width >= 1.0 && seen.height >= 1.0 {
            true => (seen.width as u32, seen.height as u32),
            false => VIEWPORT,
        }
    }
}

/// Asks, and tells watchers what the model does meanwhile.
async fn listened(
    model: &dyn Model,
    hands: &mut dyn Hands,
    request: &Request,
) -> Result<Answer, ModelError> {
    let (sender, mut heard) = mpsc::unbounded_channel();
    let tell = move |delta: Delta| {
        // Nobody listens any more once the answer is there.
        let _ = sender.send(delta);
    };
    let mut asking = model.ask(request, &tell);
    loop {
        tokio::select! {
            biased;
            answer = &mut asking => return answer,
            Some(delta) = heard.recv() => match delta {
                Delta::Retrying(after, why) => {
                    let why = short(&why, 120);
                    hands.doing(&format!("asking the model again in {} s: {why}", after.as_secs().max(1)));
                }
                Delta::Calling(tool) => hands.doing(&format!("about to call {}", short(&tool, 60))),
                Delta::Text(_) => {}
            },
        }
    }
}

/// What an answer cost; estimated where the server does not say, so that budgets hold.
fn counted(request: &Request, answer: &Answer) -> Tokens {
    if answer.usage != Tokens::default() {
        return answer.usage;
    }
    let input = size::of_fixed(&request.system, &request.tools) + size::of_turns(&request.turns);
    Tokens { input: input as u64, cached: 0, output: size::of_answer(answer) as u64 }
}
