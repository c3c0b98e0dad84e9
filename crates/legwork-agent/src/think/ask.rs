//! What the model is shown when it is asked what to do next.

use std::time::Duration;

use super::ThinkError;
use super::history::Piece;
use super::mind::Mind;
use super::prompt::short;
use super::{size, turn};
use crate::model::{Answer, Part, Request, Turn};

/// How long an answer may take.
const DEADLINE: Duration = Duration::from_secs(180);

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
        let mut request = Request {
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
        turn::answer(self.model, self.hands, &mut request).await
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
        let mut request = Request {
            system: self.system.clone(),
            turns: vec![Turn::User(vec![Part::Text(asked)])],
            max_output: self.limits.output.min(600),
            deadline: DEADLINE,
            ..Request::default()
        };
        self.hands.doing("thinking");
        let answer = turn::answer(self.model, self.hands, &mut request).await?;
        // Without words there is nothing shorter than the end of the old summary.
        let end = short(&text.chars().rev().take(2_000).collect::<String>(), 2_000);
        let kept = match answer.text.trim() {
            "" => end.chars().rev().collect(),
            words => short(words, 2_000),
        };
        self.history.condense(kept);
        Ok(true)
    }

    pub(super) fn viewport(&self) -> (u32, u32) {
        let seen = self.goal.context.browser_state.viewport;
        match seen.width >= 1.0 && seen.height >= 1.0 {
            true => (seen.width as u32, seen.height as u32),
            false => VIEWPORT,
        }
    }
}
