//! A goal with tools of its own: what they are told is checked, sent back or taken, and `done` is not there.

use legwork_agent::model::Tool;
use legwork_agent::think::{Achieved, Reports, ThinkError, pursue_with};
use legwork_protocol::ToolError;
use serde_json::{Map, Value, json};

use crate::scripted::{Recorder, Scripted, call, calls, done, goal, shown};
use crate::support::{Rig, Site, html};

/// Takes a price that is a whole number of cents, and remembers it.
#[derive(Default)]
struct Price {
    told: Vec<u64>,
}

impl Reports for Price {
    fn tools(&self) -> Vec<Tool> {
        let schema = json!({ "type": "object", "properties": { "cents": { "type": "integer" } } });
        let schema = schema.as_object().cloned().unwrap();
        vec![Tool { name: "report_price".into(), about: "Reports the price.".into(), schema }]
    }

    fn report(&mut self, _: &str, arguments: Map<String, Value>) -> Result<String, ToolError> {
        let cents = arguments.get("cents").and_then(Value::as_u64);
        let cents = cents.ok_or_else(|| {
            ToolError::invalid("the price is not in whole cents").with_hint("report_price(cents)")
        })?;
        self.told.push(cents);
        Ok(format!("{cents} cents"))
    }
}

fn price(cents: Value) -> (&'static str, Value) {
    ("report_price", json!({ "cents": cents }))
}

async fn rig() -> (Site, Rig) {
    let site = Site::start(|_| html("<h1>Milk</h1><p>$3.49</p><button>Idle</button>")).await;
    let rig = Rig::new();
    rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    (site, rig)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_report_that_is_taken_achieves_the_goal() {
    let (_site, rig) = rig().await;
    let idle = ("browser_click", json!({ "target": "Idle" }));
    let model = Scripted::says([calls([price(json!(349)), price(json!(1)), idle])]);
    let (mut hands, mut reports) = (Recorder::new(&rig.host), Price::default());
    let end = pursue_with(&goal("what is the price"), &model, &mut hands, &mut reports).await;
    assert_eq!(end.unwrap(), Achieved::Done("349 cents".into()));
    assert_eq!((reports.told, hands.count("browser_click")), (vec![349], 0));
    let first = model.requests.lock().unwrap()[0].clone();
    let offered = |name: &str| first.tools.iter().any(|tool| tool.name == name);
    assert!(offered("report_price") && offered("browser_click") && offered("give_up"));
    assert!(!offered("done"));
    assert!(
        shown(&first).contains("what came of the task, call report_price."),
        "{}",
        shown(&first)
    );
    assert!(!shown(&first).contains("call done"), "{}", shown(&first));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_that_is_refused_goes_back_with_the_reason_and_done_is_unknown() {
    let (_site, rig) = rig().await;
    let model = Scripted::says([
        calls([price(json!(3.49))]),
        done("it is $3.49", "$3.49"),
        calls([("browser_click", json!({ "target": "#none" })), price(json!(1))]),
        calls([price(json!(349))]),
    ]);
    let (mut hands, mut reports) = (Recorder::new(&rig.host), Price::default());
    let end = pursue_with(&goal("what is the price"), &model, &mut hands, &mut reports).await;
    assert_eq!(end.unwrap(), Achieved::Done("349 cents".into()));
    assert_eq!(reports.told, [349]);
    for (request, expected) in [
        (1, ["Failed (invalid_input)", "not in whole cents", "Hint: report_price(cents)"]),
        (2, ["Failed (unknown_tool)", "no tool done", "report_price"]),
        (3, ["Failed (not_found)", "#none", "Not done, because the call before it failed"]),
    ] {
        let result = model.result(request);
        assert!(expected.iter().all(|part| result.contains(part)), "{expected:?}\n{result}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_not_asked_once_more_than_it_may_be() {
    let (_site, rig) = rig().await;
    let look = || call("browser_find", json!({ "target": "Milk" }));
    let model = Scripted::says([look(), look()]);
    let mut hands = Recorder::new(&rig.host);
    hands.most_asked = Some(2);
    let end = pursue_with(&goal("the price"), &model, &mut hands, &mut Price::default()).await;
    assert!(matches!(end, Err(ThinkError::Spent(spent)) if spent.limit == "2 questions"));
    assert_eq!(model.requests.lock().unwrap().len(), 2);
}
