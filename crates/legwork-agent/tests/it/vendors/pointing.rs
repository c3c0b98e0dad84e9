//! E7: what a vendor's model points at is done in a real Chrome, by our own tools.

use super::*;
use crate::support::{Rig, Site, html};

const PAGE: &str =
    "<body style='margin:0'><canvas id=c width=2000 height=1500 style='display:block'></canvas>
    <p style='position:fixed;right:0;bottom:0' id=o>nothing yet</p><script>
    c.onclick = (e) => o.textContent = 'hit at ' + e.clientX + ',' + e.clientY;
    onkeydown = (e) => o.textContent += e.key;</script>";

/// A page of which there is nothing to read, and its window's size.
async fn canvas() -> (Site, Rig, (u32, u32)) {
    let site = Site::start(|_| html(PAGE)).await;
    let rig = Rig::new();
    rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    let size = json!({ "expression": "innerWidth * 10000 + innerHeight" });
    let text = rig.call("browser_eval", size).await.unwrap().text;
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let size: u32 = digits.parse().unwrap();
    (site, rig, (size / 10000, size % 10000))
}

async fn screenshot(rig: &Rig) -> Image {
    let mut reply = rig.call("browser_take_screenshot", json!({})).await.unwrap();
    reply.images.remove(0)
}

async fn perform(rig: &Rig, call: &Call) -> String {
    let arguments = call.arguments.clone().unwrap();
    rig.call(&call.name, Value::Object(arguments)).await.unwrap().text
}

#[tokio::test(flavor = "multi_thread")]
async fn gemini_hits_a_spot_of_a_canvas() {
    let vendor = Vendor::start(&["gemini_content"]).await;
    let (_site, rig, (width, height)) = canvas().await;
    let mut seeing = Request { viewport: Some((width, height)), ..request() };
    seeing.turns.push(Turn::User(vec![Part::Picture(screenshot(&rig).await)]));
    let settings = vendor.settings("current", "");
    let answer = vendor.ask("gemini:gemini-3.5-flash", &settings, &seeing).await.answer();
    let told = perform(&rig, &answer.calls[0]).await;
    // Half of the width, a quarter of the height.
    assert!(told.contains(&format!("hit at {},{}", width / 2, height / 4)), "{told}");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn openai_hits_a_spot_of_a_canvas() {
    let vendor = Vendor::start(&["openai_responses"]).await;
    let (_site, rig, viewport) = canvas().await;
    let mut seeing = Request { viewport: Some(viewport), ..request() };
    seeing.turns.push(Turn::User(vec![Part::Picture(screenshot(&rig).await)]));
    let settings = vendor.settings("computer", "/v1");
    let answer = vendor.ask("openai:gpt-5.4", &settings, &seeing).await.answer();
    let told = perform(&rig, &answer.calls[0]).await;
    assert!(told.contains("hit at 10,20"), "{told}");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn anthropic_hits_a_spot_of_a_canvas_and_types_there() {
    let vendor = Vendor::start(&["anthropic_messages"]).await;
    let (_site, rig, viewport) = canvas().await;
    let picture = screenshot(&rig).await;
    let mut seeing = Request { viewport: Some(viewport), ..request() };
    seeing.turns.push(Turn::User(vec![Part::Picture(picture)]));
    let settings = vendor.settings("toolset", "");
    let answer = vendor.ask("anthropic:claude-opus-5", &settings, &seeing).await.answer();
    let told = perform(&rig, &answer.calls[0]).await;
    assert!(told.contains("hit at 10,20"), "{told}");
    let told = perform(&rig, &answer.calls[2]).await;
    assert!(told.contains("hit at 10,20Bern"), "{told}");
    rig.host.close().await;
}
