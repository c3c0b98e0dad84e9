//! What is done in vain: tried again later each time, and not for ever. The clock is a test's own.

use std::time::Duration;

use legwork_agent::model::Tokens;
use legwork_agent::run::direct::carry_out;
use legwork_agent::run::{Boxed, Hands, Spent, Step};
use legwork_agent::think::{Achieved, pursue};
use legwork_protocol::assistant::{AssistanceRequest, Reaction};
use legwork_protocol::{Code, Reply, ToolError};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::errand::{click_until, open};
use crate::scripted::{Scripted, call, goal};

const AWAY: &str = "http://127.0.0.1:9/";

/// Hands for which no page can be reached and nothing ever comes, and which know when it was tried.
#[derive(Default)]
struct Away {
    tried: Vec<Instant>,
    clicks: u32,
}

impl Away {
    fn waits(&self) -> Vec<Duration> {
        self.tried.windows(2).map(|two| two[1] - two[0]).collect()
    }
}

impl Hands for Away {
    fn call<'a>(
        &'a mut self,
        tool: &'a str,
        _: Map<String, Value>,
    ) -> Boxed<'a, Result<Reply, ToolError>> {
        Box::pin(async move {
            let failed = |code, why: &str| Err(ToolError::new(code, why));
            match tool {
                "browser_navigate" => {
                    self.tried.push(Instant::now());
                    failed(Code::NavigationFailed, "net::ERR_CONNECTION_REFUSED")
                }
                "browser_wait" => failed(Code::Timeout, "it did not come"),
                _ => {
                    self.clicks += u32::from(tool == "browser_click");
                    Ok(Reply::default())
                }
            }
        })
    }

    fn ask(&mut self, request: AssistanceRequest) -> Boxed<'_, Reaction> {
        panic!("nobody is to be asked: {request:?}")
    }

    fn remarks(&mut self) -> Vec<String> {
        Vec::new()
    }

    fn doing(&mut self, _: &str) {}

    fn spend(&mut self, _: Tokens) -> Result<(), Spent> {
        Ok(())
    }

    fn before(&self) -> &[Step] {
        &[]
    }
}

fn whole(waits: &[Duration]) -> Vec<u128> {
    // The clock goes on in steps of a millisecond.
    waits.iter().map(|wait| wait.as_millis() / 10 * 10).collect()
}

#[tokio::test(start_paused = true)]
async fn an_exact_task_waits_twice_as_long_before_each_retry() {
    let mut hands = Away::default();
    let end = carry_out(&open(AWAY), &mut hands).await;
    assert!(matches!(end, Achieved::Failed(_)), "{end:?}");
    assert_eq!(whole(&hands.waits()), [250, 500]);
}

#[tokio::test(start_paused = true)]
async fn a_call_of_a_model_waits_longer_before_each_retry() {
    let model = Scripted::says([
        call("browser_navigate", json!({ "url": AWAY })),
        call("give_up", json!({ "reason": "it cannot be reached" })),
    ]);
    let mut hands = Away::default();
    let end = pursue(&goal("open it"), &model, &mut hands).await.unwrap();
    assert!(matches!(end, Achieved::Failed(_)), "{end:?}");
    assert_eq!(whole(&hands.waits()), [400, 1_600]);
}

#[tokio::test]
async fn a_click_that_is_repeated_is_not_repeated_for_ever() {
    let mut hands = Away::default();
    let end = carry_out(&click_until("Next", "Oslo"), &mut hands).await;
    let why = "\"Oslo\" did not appear after 20 clicks, and more are not made";
    assert_eq!((end, hands.clicks), (Achieved::Failed(why.into()), 20));
}
