//! A turn of the model: asked for only while the budget lasts, and counted whatever comes of it.

use tokio::sync::mpsc;

use super::ThinkError;
use super::prompt::short;
use super::size;
use crate::model::{Answer, Delta, Model, ModelError, Request, Tokens};
use crate::run::{Hands, Spent};

/// How often an answer that broke off is asked for again.
const AGAIN: u32 = 2;

/// Asks, again if the answer broke off, and counts what it cost. The request's deadline is cut to the time that
/// is left.
pub(crate) async fn answer(
    model: &dyn Model,
    hands: &mut dyn Hands,
    request: &mut Request,
) -> Result<Answer, ThinkError> {
    let mut again = 0;
    loop {
        hands.may_ask()?;
        if let Some(left) = hands.time_left() {
            request.deadline = request.deadline.min(left);
        }
        match listened(model, hands, request).await? {
            Ok(answer) => {
                hands.spend(counted(request, &answer))?;
                return Ok(answer);
            }
            Err(ModelError::Garbled { .. }) if again < AGAIN => again += 1,
            Err(error) => return Err(given_up(error, hands)),
        }
    }
}

/// Why there is no answer: where the time of the run was over, that is why.
fn given_up(error: ModelError, hands: &dyn Hands) -> ThinkError {
    match (&error, hands.may_ask()) {
        (ModelError::TimedOut { .. }, Err(spent)) => spent.into(),
        _ => error.into(),
    }
}

/// Asks, tells watchers what the model does meanwhile, and counts the answers that cannot be used.
async fn listened(
    model: &dyn Model,
    hands: &mut dyn Hands,
    request: &Request,
) -> Result<Result<Answer, ModelError>, Spent> {
    let (sender, mut heard) = mpsc::unbounded_channel();
    let tell = move |delta: Delta| {
        // Nobody listens any more once the answer is there.
        let _ = sender.send(delta);
    };
    let mut asking = model.ask(request, &tell);
    let ended = loop {
        tokio::select! {
            biased;
            ended = &mut asking => break ended,
            Some(delta) = heard.recv() => hear(delta, hands, request)?,
        }
    };
    if let Err(ModelError::Garbled { .. }) = &ended {
        hands.spend(estimated(request, &Answer::default()))?;
    }
    while let Ok(delta) = heard.try_recv() {
        if let Delta::Wasted(usage) = delta {
            waste(usage, hands, request)?;
        }
    }
    Ok(ended)
}

/// Tells or counts what is heard. An error is for dropping the request before it is made again.
fn hear(delta: Delta, hands: &mut dyn Hands, request: &Request) -> Result<(), Spent> {
    match delta {
        Delta::Retrying(after, why) => {
            hands.may_ask()?;
            let (after, why) = (after.as_secs().max(1), short(&why, 120));
            hands.doing(&format!("asking the model again in {after} s: {why}"));
        }
        Delta::Calling(tool) => hands.doing(&format!("about to call {}", short(&tool, 60))),
        Delta::Wasted(usage) => waste(usage, hands, request)?,
        Delta::Text(_) => {}
    }
    Ok(())
}

fn waste(usage: Tokens, hands: &mut dyn Hands, request: &Request) -> Result<(), Spent> {
    hands.spend(counted(request, &Answer { usage, ..Answer::default() }))
}

/// What an answer cost; estimated where the server does not say, so that budgets hold.
fn counted(request: &Request, answer: &Answer) -> Tokens {
    match answer.usage == Tokens::default() {
        true => estimated(request, answer),
        false => answer.usage,
    }
}

fn estimated(request: &Request, answer: &Answer) -> Tokens {
    let input = size::of_fixed(&request.system, &request.tools) + size::of_turns(&request.turns);
    Tokens { input: input as u64, cached: 0, output: size::of_answer(answer) as u64 }
}
