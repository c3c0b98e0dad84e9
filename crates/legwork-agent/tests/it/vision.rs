//! E7: a model that reads pictures gets one when text does not suffice; one that does not, never.

use legwork_agent::model::{Part, Request, Turn};
use legwork_agent::think::{Achieved, pursue};
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
    // An extract may be a picture as well.
    let extract = || ("browser_extract", json!({ "format": "screenshot_base64" }));
    assert_eq!(seen(words, vec![extract()], true).await, [0, 1]);
    assert_eq!(seen(words, vec![extract()], false).await, [0, 0]);
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

/// A map that is drawn: it says where it was clicked, and only one place is the harbour.
const MAP: &str = "<title>Map</title><h1>Map</h1><canvas width=600 height=400></canvas><p id=out></p><script>
    const canvas = document.querySelector('canvas');
    canvas.getContext('2d').fillRect(300, 200, 60, 60);
    canvas.onclick = (event) => {
        const hit = event.offsetX > 300 && event.offsetX < 360 && event.offsetY > 200 && event.offsetY < 260;
        out.textContent = hit ? 'Harbour chosen' : 'Only water';
    };</script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_sees_points_and_corrects_its_own_target() {
    let site = Site::start(|_| html(MAP)).await;
    let rig = Rig::new();
    rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    let place = json!({ "expression": "JSON.stringify(document.querySelector('canvas').getBoundingClientRect())" });
    let place = rig.call("browser_eval", place).await.unwrap().data["value"].clone();
    let place: serde_json::Value = serde_json::from_str(place.as_str().unwrap()).unwrap();
    let at = |x: f64, y: f64| {
        let (left, top) = (place["x"].as_f64().unwrap(), place["y"].as_f64().unwrap());
        call("browser_click", json!({ "target": format!("point={},{}", left + x, top + y) }))
    };
    let answers = [
        call("browser_click", json!({ "target": "Harbour" })),
        at(20.0, 20.0),
        at(330.0, 230.0),
        call("done", json!({ "outcome": "chose the harbour", "seen": "Harbour chosen" })),
    ];
    let model = Scripted::says(answers).seeing();
    let mut hands = Recorder::new(&rig.host);
    let end = pursue(&goal("choose the harbour"), &model, &mut hands).await.unwrap();
    assert_eq!(end, Achieved::Done("chose the harbour".into()));
    assert!(model.result(1).contains("Failed (not_found)"), "{}", model.result(1));
    // It sees where it missed, in words and in a picture, and points elsewhere.
    assert!(model.result(2).contains("Only water") && model.result(2).contains("(picture)"));
    assert!(model.result(3).contains("Harbour chosen") && model.result(3).contains("(picture)"));
    let requests = model.requests.lock().unwrap();
    let first = crate::scripted::shown(&requests[0]);
    assert!(first.contains("point=X,Y") && pictures(&requests[0]) == 1, "{first}");
}
