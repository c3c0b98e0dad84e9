//! A click that is repeated until something is there or gone. It is looked for before each click, and a click
//! that changes nothing, or many that do not bring it, end the task.

use legwork_protocol::assistant::{Wait, WaitFor};
use legwork_protocol::{Code, Reply, ToolError};
use serde_json::{Map, Value};

use super::calls::{self, Planned};
use super::{failed, one_call, tell};
use crate::run::Hands;
use crate::think::Achieved;

/// How often is clicked at most.
const MOST: usize = 20;

/// How long is looked for what may be there already, and for what a click may bring.
const LOOKS: (&str, &str) = ("200ms", "2s");

/// Clicks until it is so. What was clicked before an interruption counts.
pub(super) async fn until(
    planned: Vec<Planned>,
    until: &WaitFor,
    before: usize,
    hands: &mut dyn Hands,
) -> Achieved {
    let missed = missed(until);
    let Some(click) = planned.into_iter().next() else {
        return Achieved::Failed("there is nothing to click".into());
    };
    let mut last: Option<Reply> = None;
    for done in before..=MOST {
        let patience = if done == 0 { LOOKS.0 } else { LOOKS.1 };
        match is_so(until, patience, hands).await {
            Ok(true) => {
                return Achieved::Done(format!("{} after {}", tell::waited(until), times(done)));
            }
            Ok(false) => {}
            Err(error) => return failed(&error),
        }
        let idle = last.is_some_and(|reply| changed_nothing(&reply));
        if idle {
            return Achieved::Failed(format!(
                "{missed} after {}, the last of which changed nothing",
                times(done)
            ));
        }
        if done == MOST {
            break;
        }
        last = match one_call(click.clone(), hands).await {
            Ok(reply) => Some(reply),
            Err(Achieved::Failed(why)) => {
                return Achieved::Failed(format!("{why} ({missed} after {})", times(done)));
            }
            Err(ended) => return ended,
        };
    }
    Achieved::Failed(format!("{missed} after {MOST} clicks, and more are not made"))
}

fn missed(until: &WaitFor) -> String {
    match until {
        WaitFor::Visible(target) => format!("{target:?} did not appear"),
        WaitFor::Gone(target) => format!("{target:?} is still there"),
        WaitFor::Url(_) | WaitFor::Quiet | WaitFor::Time(_) => "it did not come to that".to_owned(),
    }
}

fn times(clicks: usize) -> String {
    match clicks {
        1 => "1 click".to_owned(),
        _ => format!("{clicks} clicks"),
    }
}

fn changed_nothing(reply: &Reply) -> bool {
    reply.data.get("verdict").and_then(Value::as_str) == Some("nothing_changed")
}

/// Whether it is so, or becomes so within this time.
async fn is_so(until: &WaitFor, patience: &str, hands: &mut dyn Hands) -> Result<bool, ToolError> {
    let wait = Wait { until: Some(until.clone()), timeout: Some(patience.to_owned()) };
    let Some(Planned { tool, mut arguments, .. }) = calls::waiting(&wait) else { return Ok(false) };
    arguments.extend(Map::from_iter([("observe".to_owned(), "none".into())]));
    match hands.call(tool, arguments).await {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.code, Code::Timeout | Code::NotFound) => Ok(false),
        Err(error) => Err(error),
    }
}
