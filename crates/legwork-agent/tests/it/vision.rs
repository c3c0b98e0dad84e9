//! E7: a model that reads pictures gets one when text does not suffice; one that does not, never.

use legwork_agent::model::{Part, Request, Turn};
use legwork_agent::think::pursue;
use serde_json::json;

use crate::scripted::{Recorder, Scripted, call, goal};
use crate::support::{Rig, Site, html};

const CANVAS: &str = "<title>Drawing</title><canvas width=600 height=400></canvas>
    <script>document.querySelector('canvas').getContext('2d').fillRect(10, 10, 100, 100)</script>";

fn pictures(request: &Request) -> usize {
    let parts = request.turns.iter().flat_map(|turn| match turn {
        Turn::User(parts) => parts.iter().collect::<Vec<_>>(),
        Turn::Tools(results) => results.iter().flat_map(|one| &one.parts).collect(),
        Turn::Model(_) => Vec::new(),
    });
    parts.filter(|part| matches!(part, Part::Picture(_))).count()
}

async fn seen(
    page: &'static str,
    answers: Vec<(&'static str, serde_json::Value)>,
    sees: bool,
) -> Vec<usize> {
    let site = Site::start(move |_| html(page)).await;
    let rig = Rig::new();
    rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    let end = ("give_up", json!({ "reason": "end" }));
    let answers = answers.into_iter().chain([end]).map(|(name, arguments)| call(name, arguments));
    let model = Scripted::says(answers.collect::<Vec<_>>());
    let model = if sees { model.seeing() } else { model };
    pursue(&goal("draw"), &model, &mut Recorder::new(&rig.host)).await.unwrap();
    rig.host.close().await;
    let requests = model.requests.lock().unwrap();
    assert!(requests.iter().all(|request| request.viewport.is_some() == sees));
    requests.iter().map(pictures).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_come_when_text_does_not_suffice_and_three_are_kept() {
    let missing = || ("browser_click", json!({ "target": "Wing" }));
    let shot = || ("browser_take_screenshot", json!({}));
    let words = "<h1>Planes</h1><button>Fly</button>";
    // Two failures on the same target; and whenever it asks, of which three are kept.
    assert_eq!(seen(words, vec![missing(), missing()], true).await, [0, 0, 1]);
    assert_eq!(seen(words, vec![shot(), shot(), shot(), shot()], true).await, [0, 1, 2, 3, 3]);
    // Whoever points sees what came of it, once for an answer.
    let point = ("browser_click", json!({ "target": "point=40,40" }));
    let by_words = ("browser_click", json!({ "target": "Fly" }));
    assert_eq!(seen(words, vec![point, by_words], true).await, [0, 1, 1]);
    // A canvas in front, and an empty page.
    assert_eq!(seen(CANVAS, vec![], true).await, [1]);
    assert_eq!(seen("<body style='background: red'>", vec![], true).await, [1]);
    // Never for a model that reads none.
    assert_eq!(seen(CANVAS, vec![missing(), missing(), shot()], false).await, [0, 0, 0, 0]);
}
