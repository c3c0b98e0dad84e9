//! Google's `generateContent`.

use legwork_agent::model::{Stop, Tokens};

use super::*;

const MODEL: &str = "gemini:gemini-3.5-flash";
const LEGACY: &str = "gemini:gemini-2.5-computer-use-preview-10-2025";
const OLD: &str = "gemini:gemini-2.5-pro";
const USED: Tokens = Tokens { input: 120, cached: 100, output: 15 };

async fn start() -> Vendor {
    Vendor::start(&["gemini_content"]).await
}

/// Asks with and without streaming, which have to agree.
async fn both(vendor: &Vendor, scenario: &str, request: &Request) -> [Asked; 2] {
    vendor.both(MODEL, scenario, "", request).await
}

fn seeing() -> Request {
    let mut request = Request { viewport: Some((1440, 900)), ..request() };
    request.turns.push(Turn::User(vec![Part::Picture(picture())]));
    request
}

#[tokio::test]
async fn gemini_answers_with_words_calls_and_refusals() {
    let vendor = start().await;
    for asked in both(&vendor, "plain", &request()).await {
        let answer = asked.answer();
        assert_eq!((answer.text.as_str(), answer.stop), ("Grün ist die Hoffnung 🌱.", Stop::Done));
        assert_eq!(answer.usage, USED);
        assert!(asked.heard.is_empty() || asked.words() == answer.text);
    }
    for asked in both(&vendor, "calls", &request()).await {
        let answer = asked.answer();
        assert_eq!((answer.text.as_str(), answer.stop), ("Both.", Stop::Calls));
        let [click, look] = &answer.calls[..] else { panic!("{answer:?}") };
        assert_eq!(click.name, "browser_click");
        assert_eq!(click.arguments, Ok(object(json!({ "target": "Save" }))));
        assert_eq!((look.name.as_str(), &look.arguments), ("browser_snapshot", &Ok(Map::new())));
        assert_ne!(click.id, look.id, "calls without ids get their own");
        assert!(asked.heard.is_empty() || asked.calling() == ["browser_click", "browser_snapshot"]);
    }
    for asked in both(&vendor, "call", &request()).await {
        let answer = asked.answer();
        assert_eq!((answer.text.as_str(), answer.calls[0].id.as_str()), ("", "c1"));
        assert_eq!(asked.words(), "", "thoughts are not said");
    }
    for (scenario, stop, says) in [
        ("length", Stop::Length, "As far"),
        ("filter", Stop::Refused, "withheld (SAFETY)"),
        ("blocked", Stop::Refused, "blocked (SAFETY): Not this."),
    ] {
        for asked in both(&vendor, scenario, &request()).await {
            let answer = asked.answer();
            assert_eq!(answer.stop, stop, "{scenario}");
            assert!(answer.text.contains(says), "{scenario}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn gemini_gets_its_signatures_back_and_pictures_with_results() {
    let vendor = start().await;
    for scenario in ["call", "calls"] {
        for asked in both(&vendor, scenario, &request()).await {
            let next = followed(request(), &asked.answer(), false);
            let sent = vendor.sent(MODEL, "", &next).await;
            let response = &sent["contents"][2]["parts"][0]["functionResponse"];
            assert_eq!(response["response"]["output"], "Nothing changed.", "{sent:#}");
            // Whatever the page wrote behind its path stays here.
            assert_eq!(response["response"]["url"], "http://127.0.0.1/");
            assert_eq!(response["parts"][0]["inlineData"]["mimeType"], "image/png");
            // Older models take pictures only beside results.
            let sent = vendor.sent(OLD, "", &next).await;
            let parts = sent["contents"][2]["parts"].as_array().unwrap();
            assert!(parts.last().unwrap()["inlineData"].is_object(), "{sent:#}");
        }
    }
}

#[tokio::test]
async fn gemini_points_in_both_dialects_at_places_of_the_window() {
    let vendor = start().await;
    let of = |call: &Call| (call.name.clone(), call.arguments.clone().map(Value::Object));
    let clicked = json!({ "target": "point=720,225", "button": "left" });
    for asked in both(&vendor, "current", &seeing()).await {
        let answer = asked.answer();
        assert_eq!(of(&answer.calls[0]), ("browser_click".into(), Ok(clicked.clone())));
        assert!(answer.calls[1].arguments.clone().unwrap_err().contains("cannot be done here"));
        let sent = vendor.sent(MODEL, "", &followed(seeing(), &answer, false)).await;
        let computer = &sent["tools"][1]["computerUse"];
        assert_eq!(computer["environment"], "ENVIRONMENT_BROWSER");
        assert_eq!(computer["excludedPredefinedFunctions"].as_array().unwrap().len(), 4);
        let response = &sent["contents"][2]["parts"][0]["functionResponse"];
        assert_eq!((&response["name"], &response["id"]), (&json!("click"), &json!("c1")));
    }
    for asked in vendor.both(LEGACY, "legacy", "", &seeing()).await {
        let answer = asked.answer();
        assert_eq!(of(&answer.calls[0]), ("browser_click".into(), Ok(clicked.clone())));
        assert_eq!(answer.calls[1].name, "browser_type");
        vendor.sent(LEGACY, "", &followed(seeing(), &answer, false)).await;
    }
    // Without a picture there is nothing to point at.
    let blind = Request { viewport: Some((1440, 900)), must_call: true, ..request() };
    let sent = vendor.sent(MODEL, "", &blind).await;
    assert_eq!(sent["tools"].as_array().unwrap().len(), 1, "{sent:#}");
    assert_eq!(sent["toolConfig"]["functionCallingConfig"]["mode"], "ANY");
}

#[tokio::test]
async fn gemini_asks_a_person_and_hears_whether_they_agreed() {
    let vendor = start().await;
    for (model, scenario) in [(MODEL, "safety"), (LEGACY, "legacy-safety")] {
        for asked in vendor.both(model, scenario, "", &seeing()).await {
            let answer = asked.answer();
            assert_eq!(answer.calls[0].safety.as_deref(), Some("This accepts terms for you."));
            assert!(!answer.calls[0].arguments.clone().unwrap().contains_key("safety_decision"));
            let sent = vendor.sent(model, "", &followed(seeing(), &answer, true)).await;
            let response = &sent["contents"][2]["parts"][0]["functionResponse"]["response"];
            assert_eq!(response["safety_acknowledgement"], "true", "{sent:#}");
            let sent = vendor.sent(model, "", &followed(seeing(), &answer, false)).await;
            let told = &sent["contents"].as_array().unwrap().last().unwrap()["parts"][0]["text"];
            assert!(told.as_str().unwrap().contains("nobody agreed"), "{sent:#}");
        }
    }
}

#[tokio::test]
async fn gemini_is_told_that_arguments_are_an_object_and_gets_none_back_that_are_not() {
    let vendor = start().await;
    for asked in both(&vendor, "no-object", &request()).await {
        let answer = asked.answer();
        let error = answer.calls[0].arguments.clone().unwrap_err();
        assert!(error.contains("not an object; nothing was done"), "{error}");
        let sent = vendor.sent(MODEL, "", &followed(request(), &answer, false)).await;
        let call = &sent["contents"][1]["parts"][0];
        assert_eq!(call["functionCall"]["args"], json!({}), "{sent:#}");
        assert_eq!(call["thoughtSignature"], "c2VhbGVk");
    }
}

#[tokio::test]
async fn gemini_sees_the_last_three_pictures_and_words_for_the_older_ones() {
    let vendor = start().await;
    for (model, scenario) in [(MODEL, "current"), (LEGACY, "legacy")] {
        let [asked, _] = vendor.both(model, scenario, "", &seeing()).await;
        let mut request = seeing();
        for _ in 0..3 {
            request = followed(request, &asked.answer(), false);
        }
        // Seven pictures: one at the start, and two in each turn. The server counts what is sent.
        let sent = vendor.sent(model, "", &request).await;
        let text = sent.to_string();
        assert_eq!(text.matches("(an older picture, left out)").count(), 4, "{sent:#}");
        assert_eq!(text.matches("inlineData").count(), 3);
        let last = sent["contents"].as_array().unwrap().last().unwrap();
        assert_eq!(last.to_string().matches("inlineData").count(), 2, "the last are kept");
    }
}

#[tokio::test]
async fn gemini_keeps_to_a_schema_and_to_a_conversation_begun_with_another_model() {
    let vendor = start().await;
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": { "done": { "type": "boolean" }, "count": { "type": ["integer", "null"], "format": "uint32" } }
    });
    for asked in both(&vendor, "schema", &formed(schema)).await {
        assert_eq!(asked.answer().text, r#"{"done": true}"#);
    }
    let sent = vendor.requests().await.pop().unwrap();
    assert_eq!(sent["generationConfig"]["responseMimeType"], "application/json");
    let [asked, _] = both(&vendor, "calls", &request()).await;
    let mut other = asked.answer();
    other.raw = Some(Arc::new(json!({ "another": [] })));
    let must = Request { must_call: true, ..followed(request(), &other, false) };
    let sent = vendor.sent(MODEL, "", &must).await;
    assert_eq!(sent["toolConfig"]["functionCallingConfig"]["mode"], "ANY");
    assert_eq!(sent["contents"][1]["parts"][0]["text"], "Both.");
    let mut lost = followed(request(), &asked.answer(), false);
    lost.turns.pop();
    vendor.sent(MODEL, "", &lost).await;
}

#[tokio::test]
async fn gemini_is_asked_again_when_that_may_help() {
    let vendor = start().await;
    for scenario in ["failing", "limited", "cut"] {
        for asked in both(&vendor, scenario, &request()).await {
            assert_eq!(asked.answer().stop, Stop::Done, "{scenario}");
            assert_eq!(asked.retries(), 1, "{scenario}");
        }
    }
    let hurried = Request { deadline: Duration::from_secs(2), ..request() };
    let asked = both(&vendor, "malformed", &hurried).await;
    for asked in &asked {
        // Every answer was paid for, the last one too where there was no time for another.
        let wasted = asked.wasted();
        assert!(wasted.len() >= asked.retries().max(1), "{wasted:?}");
        assert!(wasted.iter().all(|tokens| *tokens == USED), "{wasted:?}");
    }
    let settings = vendor.settings("error-event", "");
    for asked in asked.into_iter().chain([vendor.ask(MODEL, &settings, &hurried).await]) {
        let error = asked.error();
        assert!(
            matches!(error, ModelError::Unavailable { .. } | ModelError::TimedOut { .. }),
            "{error}"
        );
        assert!(asked.retries() > 0);
    }
}

#[tokio::test]
async fn gemini_is_given_up_when_nothing_helps() {
    let vendor = start().await;
    for asked in both(&vendor, "garbage", &request()).await {
        assert!(matches!(asked.error(), ModelError::Garbled { .. }), "{}", asked.error());
    }
    let mut wrong = vendor.settings("plain", "");
    wrong.keys.insert("gemini".into(), "secret-and-wrong".into());
    let error = vendor.ask(MODEL, &wrong, &request()).await.error();
    assert!(matches!(error, ModelError::Key { .. }), "{error}");
    assert!(!error.to_string().contains("secret-and-wrong"), "{error}");
}
