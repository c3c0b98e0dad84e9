//! OpenAI's Responses API.

use legwork_agent::model::{Stop, Tokens};

use super::*;
use crate::support::{Rig, Site, html};

const MODEL: &str = "openai:gpt-5.4";
const USED: Tokens = Tokens { input: 120, cached: 100, output: 15 };

async fn start() -> Vendor {
    Vendor::start(&["openai_responses"]).await
}

/// Asks with and without streaming, which have to agree.
async fn both(vendor: &Vendor, scenario: &str, request: &Request) -> [Asked; 2] {
    vendor.both(MODEL, scenario, "/v1", request).await
}

/// What is sent for a request that is answered.
async fn sending(vendor: &Vendor, request: &Request) -> Value {
    vendor.sent(MODEL, "/v1", request).await
}

#[tokio::test]
async fn openai_answers_with_words_calls_and_refusals() {
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
        assert_eq!((click.id.as_str(), click.name.as_str()), ("call_1", "browser_click"));
        assert_eq!(click.arguments, Ok(object(json!({ "target": "Save" }))));
        assert_eq!((look.name.as_str(), &look.arguments), ("browser_snapshot", &Ok(Map::new())));
        assert!(asked.heard.is_empty() || asked.calling() == ["browser_click", "browser_snapshot"]);
    }
    for asked in both(&vendor, "refusal", &request()).await {
        let answer = asked.answer();
        assert_eq!(
            (answer.text.as_str(), answer.stop),
            ("I cannot help with that.", Stop::Refused)
        );
        assert!(asked.heard.is_empty() || asked.words() == answer.text);
    }
    for (scenario, stop) in [("length", Stop::Length), ("filter", Stop::Refused)] {
        for asked in both(&vendor, scenario, &request()).await {
            assert_eq!(asked.answer().stop, stop, "{scenario}");
        }
    }
    for asked in both(&vendor, "malformed", &request()).await {
        let error = asked.answer().calls[0].arguments.clone().unwrap_err();
        assert!(error.contains("not a JSON object"), "{error}");
    }
}

#[tokio::test]
async fn openai_gets_its_thoughts_back_and_pictures_with_results() {
    let vendor = start().await;
    for scenario in ["call", "calls", "malformed"] {
        for asked in both(&vendor, scenario, &request()).await {
            let next = followed(request(), &asked.answer(), false);
            for asked in both(&vendor, "plain", &next).await {
                assert_eq!(asked.answer().stop, Stop::Done, "{scenario}");
            }
            let sent = vendor.requests().await.pop().unwrap();
            let items = sent["input"].as_array().unwrap();
            if scenario == "call" {
                assert_eq!(items[1]["encrypted_content"], "c2VhbGVk", "{sent:#}");
            }
            let output = &items.last().unwrap()["output"];
            assert_eq!(output[0]["text"], "Nothing changed.");
            assert_eq!(output[1]["type"], "input_image");
        }
    }
}

#[tokio::test]
async fn openai_keeps_to_a_schema_and_to_a_conversation_begun_with_another_model() {
    let vendor = start().await;
    let open = json!({ "type": "object", "properties": { "done": { "type": "boolean" } } });
    let mut closed = open.clone();
    closed["additionalProperties"] = json!(false);
    closed["required"] = json!(["done"]);
    for (schema, strict) in [(open, false), (closed, true)] {
        for asked in both(&vendor, "schema", &formed(schema)).await {
            assert_eq!(asked.answer().text, r#"{"done": true}"#);
        }
        let sent = vendor.requests().await.pop().unwrap();
        assert_eq!(sent["text"]["format"]["strict"], strict, "{sent:#}");
    }
    let [asked, _] = both(&vendor, "calls", &request()).await;
    let mut other = asked.answer();
    other.raw = Some(Arc::new(json!({ "another": [] })));
    let must = Request { must_call: true, ..followed(request(), &other, false) };
    for asked in both(&vendor, "plain", &must).await {
        assert_eq!(asked.answer().stop, Stop::Done);
    }
    let sent = vendor.requests().await.pop().unwrap();
    assert_eq!(sent["tool_choice"], "required");
    assert_eq!(sent["input"][1]["content"], "Both.");
}

#[tokio::test]
async fn openai_points_at_places_in_the_picture_it_was_shown() {
    let vendor = start().await;
    let mut seeing = Request { viewport: Some((4, 4)), ..request() };
    seeing.turns.push(Turn::User(vec![Part::Picture(picture())]));
    for asked in both(&vendor, "computer", &seeing).await {
        let answer = asked.answer();
        let names: Vec<_> = answer.calls.iter().map(|call| call.name.as_str()).collect();
        let picture = "browser_take_screenshot";
        assert_eq!(names, ["browser_click", "browser_type", picture, picture]);
        let clicked = answer.calls[0].arguments.clone().unwrap();
        assert_eq!(clicked["target"], "point=20,20", "the picture is half as wide as the page");
        assert!(answer.calls[2].arguments.clone().unwrap_err().contains("nothing was done"));
    }
    for asked in both(&vendor, "picture", &seeing).await {
        let answer = asked.answer();
        assert_eq!(answer.calls.len(), 1, "{answer:?}");
        let next = followed(seeing.clone(), &answer, false);
        let sent = sending(&vendor, &next).await;
        let output =
            sent["input"].as_array().unwrap().iter().find(|i| i["type"] == "computer_call_output");
        let url = output.unwrap()["output"]["image_url"].as_str().unwrap().to_string();
        assert!(url.ends_with(&super::picture().data), "{url}");
    }
    let blind = Request { viewport: None, ..seeing };
    let sent = sending(&vendor, &blind).await;
    let tools = sent["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["type"] == "function"), "{sent:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn openai_types_where_the_focus_is_in_frames_too() {
    let vendor = start().await;
    let seeing = Request { viewport: Some((800, 600)), ..request() };
    let [asked, _] = both(&vendor, "computer", &seeing).await;
    let typed = asked.answer().calls[1].clone();
    let site = Site::start(|path| match path {
        "/frame" => html("<label>Inner <input></label>"),
        _ => html("<label>Outer <input></label><iframe src=/frame></iframe>"),
    });
    let site = site.await;
    let rig = Rig::new();
    rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    for field in ["Outer", "Inner"] {
        rig.call("browser_click", json!({ "target": field })).await.unwrap();
        let arguments = typed.arguments.clone().unwrap();
        let reply = rig.call(&typed.name, arguments.into()).await;
        let reply = reply.unwrap_or_else(|error| panic!("{field}: {error}"));
        assert!(reply.text.contains(field) && reply.text.contains("Ada"), "{}", reply.text);
    }
}

#[tokio::test]
async fn openai_hears_whether_a_person_agreed_to_its_safety_check() {
    let vendor = start().await;
    let seeing = Request { viewport: Some((800, 600)), ..request() };
    for asked in both(&vendor, "safety", &seeing).await {
        let answer = asked.answer();
        for call in &answer.calls {
            assert_eq!(call.safety.as_deref(), Some("The page may try to mislead."));
        }
        let agreed = followed(seeing.clone(), &answer, true);
        let sent = sending(&vendor, &agreed).await;
        let sent = sent["input"].to_string();
        assert!(sent.contains(r#""acknowledged_safety_checks":[{"id":"sc_1""#), "{sent}");
        // What comes after an action that failed is never tried, and has no picture.
        let mut failed = followed(seeing.clone(), &answer, true);
        let Some(Turn::Tools(results)) = failed.turns.last_mut() else { panic!() };
        for result in results.iter_mut() {
            result.parts.truncate(1);
        }
        results[1].acknowledged = false;
        let sent = sending(&vendor, &failed).await["input"].to_string();
        assert!(
            sent.contains("acknowledged_safety_checks") && sent.contains("no picture"),
            "{sent}"
        );
        let refused = followed(seeing.clone(), &answer, false);
        let sent = sending(&vendor, &refused).await;
        let sent = sent["input"].to_string();
        assert!(sent.contains("did not agree") && !sent.contains("acknowledged"), "{sent}");
    }
}

#[tokio::test]
async fn openai_is_asked_again_when_that_helps_and_not_otherwise() {
    let vendor = start().await;
    for scenario in ["limited", "failing", "cut"] {
        for asked in both(&vendor, scenario, &request()).await {
            assert_eq!(asked.answer().text, "Grün ist die Hoffnung 🌱.", "{scenario}");
            assert_eq!(asked.retries(), 1, "{scenario}: {:?}", asked.heard);
        }
    }
    for scenario in ["broken", "cut-always", "failed"] {
        let asked = vendor.ask(MODEL, &vendor.settings(scenario, "/v1"), &soon(request())).await;
        let given_up = matches!(
            asked.error(),
            ModelError::Unavailable { .. }
                | ModelError::Garbled { .. }
                | ModelError::TimedOut { .. }
        );
        assert!(given_up && asked.retries() >= 1, "{scenario}: {:?}", asked.answer);
    }
    for asked in both(&vendor, "garbage", &request()).await {
        assert!(matches!(asked.error(), ModelError::Garbled { .. }), "{:?}", asked.answer);
        assert_eq!(asked.retries(), 0);
    }
    let mut settings = vendor.settings("plain", "/v1");
    settings.keys.insert("openai".into(), "wrong-key".into());
    let asked = vendor.ask(MODEL, &settings, &request()).await;
    let error = format!("{} {:?}", asked.error(), asked.error());
    assert!(matches!(asked.error(), ModelError::Key { .. }), "{error}");
    assert!(error.contains("OPENAI_API_KEY") && !error.contains("wrong-key"), "{error}");
}
