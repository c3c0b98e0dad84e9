//! Anthropic's Messages API.

use legwork_agent::model::{Stop, Tokens};

use super::*;

const MODEL: &str = "anthropic:claude-opus-5";
// What was written into the cache counts a quarter more.
const USED: Tokens = Tokens { input: 128, cached: 70, output: 15 };

async fn start() -> Vendor {
    Vendor::start(&["anthropic_messages"]).await
}

/// Asks with and without streaming, which have to agree.
async fn both(vendor: &Vendor, scenario: &str, request: &Request) -> [Asked; 2] {
    vendor.both(MODEL, scenario, "", request).await
}

/// What is sent for a request that is answered.
async fn sending(vendor: &Vendor, request: &Request) -> Value {
    vendor.sent(MODEL, "", request).await
}

#[tokio::test]
async fn anthropic_answers_with_words_calls_and_refusals() {
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
        assert_eq!((click.id.as_str(), click.name.as_str()), ("toolu_1", "browser_click"));
        assert_eq!(click.arguments, Ok(object(json!({ "target": "Save" }))));
        assert_eq!((look.name.as_str(), &look.arguments), ("browser_snapshot", &Ok(Map::new())));
        assert!(asked.heard.is_empty() || asked.calling() == ["browser_click", "browser_snapshot"]);
    }
    for asked in both(&vendor, "refusal", &request()).await {
        let answer = asked.answer();
        assert_eq!((answer.text.as_str(), answer.stop), ("This could do harm.", Stop::Refused));
    }
    for scenario in ["length", "full", "cut-call"] {
        for asked in both(&vendor, scenario, &request()).await {
            assert_eq!(asked.answer().stop, Stop::Length, "{scenario}");
        }
    }
    for asked in both(&vendor, "malformed", &request()).await {
        let error = asked.answer().calls[0].arguments.clone().unwrap_err();
        assert!(error.contains("nothing was done"), "{error}");
    }
    let [cut, _] = both(&vendor, "cut-call", &request()).await;
    let error = cut.answer().calls[0].arguments.clone().unwrap_err();
    assert!(error.contains("cut off"), "{error}");
}

#[tokio::test]
async fn anthropic_gets_its_thoughts_back_and_pictures_with_results() {
    let vendor = start().await;
    for scenario in ["call", "calls", "malformed", "cut-call"] {
        for asked in both(&vendor, scenario, &request()).await {
            let answer = asked.answer();
            let sent = sending(&vendor, &followed(request(), &answer, false)).await;
            let [_, said, results] = sent["messages"].as_array().unwrap().as_slice() else {
                panic!("{sent:#}")
            };
            if scenario == "call" {
                assert_eq!(said["content"][0]["signature"], "c2VhbGVk", "{sent:#}");
            }
            let content = &results["content"][0]["content"];
            assert_eq!(content[0]["text"], "Nothing changed.");
            assert_eq!(content[1]["source"]["media_type"], "image/png");
        }
    }
}

#[tokio::test]
async fn anthropic_is_asked_to_keep_what_does_not_change() {
    let vendor = start().await;
    let [asked, _] = both(&vendor, "call", &request()).await;
    let mut next = followed(request(), &asked.answer(), false);
    next = followed(next, &asked.answer(), false);
    let sent = sending(&vendor, &next).await;
    assert_eq!(sent["system"][0]["cache_control"]["type"], "ephemeral");
    let marked: Vec<_> = sent["messages"].as_array().unwrap().iter().map(marked).collect();
    assert_eq!(marked, [false, false, true, false, true], "{sent:#}");
}

/// Whether the server is asked to keep what stands up to the end of a message.
fn marked(message: &Value) -> bool {
    let blocks = message["content"].as_array().unwrap();
    blocks.last().is_some_and(|block| block.get("cache_control").is_some())
}

#[tokio::test]
async fn anthropic_uses_its_browser_toolset_with_our_tools() {
    let vendor = start().await;
    let mut seeing = Request { viewport: Some((4, 4)), ..request() };
    seeing.turns.push(Turn::User(vec![Part::Picture(picture())]));
    for asked in both(&vendor, "toolset", &seeing).await {
        let answer = asked.answer();
        let [click, form, typed, zoom] = &answer.calls[..] else { panic!("{answer:?}") };
        let of = |call: &Call| (call.name.clone(), call.arguments.clone().map(Value::Object));
        // The picture is 2 x 4 pixels of a window of 4 x 4.
        let clicked = json!({ "target": "point=20,20", "button": "left" });
        assert_eq!(of(click), ("browser_click".into(), Ok(clicked)));
        let filled = json!({ "fields": { "e7": "Bern" } });
        assert_eq!(of(form), ("browser_fill_form".into(), Ok(filled)));
        assert_eq!(typed.arguments.clone().unwrap()["target"], ":focus");
        assert!(zoom.arguments.clone().unwrap_err().contains("cannot be done here"));

        let mut next = followed(seeing.clone(), &answer, false);
        if let Some(Turn::Tools(results)) = next.turns.last_mut() {
            results[3].failed = true;
        }
        let sent = sending(&vendor, &next).await;
        let tools = sent["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 3, "ours and the toolset: {sent:#}");
        for withheld in ["zoom", "javascript_exec"] {
            assert_eq!(tools[2]["configs"][withheld]["enabled"], false, "{withheld}");
        }
        let results = sent["messages"].as_array().unwrap().last().unwrap()["content"].clone();
        assert_eq!(results[0]["toolset_name"], "browser", "{results:#}");
        assert_eq!(results[3]["is_error"], true);
    }
}

#[tokio::test]
async fn anthropic_is_not_offered_to_point_where_there_is_nothing_to_see() {
    let vendor = start().await;
    let blind = Request { viewport: Some((4, 4)), ..request() };
    assert_eq!(sending(&vendor, &blind).await["tools"].as_array().unwrap().len(), 2);
    let mut seeing = blind.clone();
    seeing.turns.push(Turn::User(vec![Part::Picture(picture())]));
    let [asked, _] = both(&vendor, "toolset", &seeing).await;
    // The picture is dropped, what was called is not.
    let mut later = followed(blind, &asked.answer(), false);
    if let Some(Turn::Tools(results)) = later.turns.last_mut() {
        results.iter_mut().for_each(|result| result.parts.truncate(1));
    }
    assert_eq!(sending(&vendor, &later).await["tools"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn anthropic_keeps_to_a_schema_and_to_a_conversation_begun_with_another_model() {
    let vendor = start().await;
    let schema = json!({
        "type": "object",
        "properties": { "done": { "type": "boolean" }, "why": { "type": "string", "enum": ["a"], "maxLength": 5 } },
        "required": ["done"]
    });
    for asked in both(&vendor, "schema", &formed(schema)).await {
        assert_eq!(asked.answer().text, r#"{"done": true}"#);
    }
    let [asked, _] = both(&vendor, "calls", &request()).await;
    let mut other = asked.answer();
    other.raw = Some(Arc::new(json!({ "another": [] })));
    let must = Request { must_call: true, ..followed(request(), &other, false) };
    let sent = sending(&vendor, &must).await;
    assert_eq!(sent["tool_choice"]["type"], "any");
    assert_eq!(sent["messages"][1]["content"][0]["text"], "Both.");
    let mut lost = followed(request(), &other, false);
    lost.turns.remove(1);
    sending(&vendor, &lost).await;
    lost = followed(request(), &other, false);
    lost.turns.pop();
    sending(&vendor, &lost).await;
}

#[tokio::test]
async fn anthropic_is_asked_in_another_way_where_a_model_refuses_one() {
    let vendor = start().await;
    let must = Request { must_call: true, ..request() };
    for asked in both(&vendor, "unforced", &must).await {
        assert_eq!(asked.answer().stop, Stop::Done);
    }
    let [asked, _] = both(&vendor, "call", &request()).await;
    let next = followed(request(), &asked.answer(), false);
    for asked in both(&vendor, "bound", &next).await {
        assert_eq!(asked.answer().stop, Stop::Done);
    }
    let sent = vendor.requests().await.pop().unwrap();
    assert_eq!(sent["messages"][1]["content"].as_array().unwrap().len(), 1, "{sent:#}");
}

#[tokio::test]
async fn anthropic_goes_on_where_the_server_paused() {
    let vendor = start().await;
    for asked in both(&vendor, "paused", &request()).await {
        let answer = asked.answer();
        assert_eq!((answer.text.as_str(), answer.stop), ("Began. Went on.", Stop::Done));
        assert_eq!(answer.usage, Tokens { input: 256, cached: 140, output: 30 });
        assert!(asked.heard.is_empty() || asked.words() == answer.text);
        sending(&vendor, &followed(request(), &answer, false)).await;
    }
}

#[tokio::test]
async fn anthropic_keeps_its_deadline_over_all_pauses_and_tells_what_they_cost() {
    let vendor = start().await;
    for asked in both(&vendor, "pausing", &soon(request())).await {
        assert!(matches!(asked.error(), ModelError::TimedOut { .. }), "{}", asked.error());
        let wasted = asked.wasted();
        assert!(wasted.len() == 1 && wasted[0].output >= 15, "{wasted:?}");
    }
}

#[tokio::test]
async fn anthropic_is_asked_again_when_that_may_help() {
    let vendor = start().await;
    for scenario in ["failing", "overloaded", "limited", "cut"] {
        for asked in both(&vendor, scenario, &request()).await {
            assert_eq!(asked.answer().stop, Stop::Done, "{scenario}");
            assert_eq!(asked.retries(), 1, "{scenario}");
        }
    }
    let settings = vendor.settings("error-event", "");
    let hurried = Request { deadline: Duration::from_secs(2), ..request() };
    let error = vendor.ask(MODEL, &settings, &hurried).await.error();
    assert!(
        matches!(error, ModelError::Unavailable { .. } | ModelError::TimedOut { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn anthropic_is_given_up_when_nothing_helps() {
    let vendor = start().await;
    for asked in both(&vendor, "garbage", &request()).await {
        assert!(matches!(asked.error(), ModelError::Garbled { .. }), "{}", asked.error());
        assert_eq!(asked.retries(), 0);
    }
    let mut wrong = vendor.settings("plain", "");
    wrong.keys.insert("anthropic".into(), "secret-and-wrong".into());
    let error = vendor.ask(MODEL, &wrong, &request()).await.error();
    assert!(matches!(error, ModelError::Key { .. }), "{error}");
    assert!(!error.to_string().contains("secret-and-wrong"), "{error}");
}
