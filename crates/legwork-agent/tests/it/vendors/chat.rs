//! Chat Completions, as OpenAI has it and as others nearly have it.

use legwork_agent::model::{Calls, Stop, Tokens};

use super::*;

const MODEL: &str = "chat:llama-vision";
const USED: Tokens = Tokens { input: 120, cached: 100, output: 15 };

async fn start() -> Vendor {
    Vendor::start(&["openai_chat"]).await
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
async fn a_compatible_server_answers_with_words_calls_and_refusals() {
    let vendor = start().await;
    for (scenario, used) in [("plain", USED), ("odd-plain", Tokens::default())] {
        for asked in both(&vendor, scenario, &request()).await {
            let answer = asked.answer();
            assert_eq!(
                (answer.text.as_str(), answer.stop),
                ("Grün ist die Hoffnung 🌱.", Stop::Done)
            );
            assert_eq!(answer.usage, used, "{scenario}");
            assert!(asked.heard.is_empty() || asked.words() == answer.text);
        }
    }
    for scenario in ["calls", "odd-calls"] {
        for asked in both(&vendor, scenario, &request()).await {
            let answer = asked.answer();
            assert_eq!((answer.text.as_str(), answer.stop), ("Both.", Stop::Calls));
            let [click, look] = &answer.calls[..] else { panic!("{scenario}: {answer:?}") };
            assert_eq!(click.arguments, Ok(object(json!({ "target": "Save" }))), "{scenario}");
            assert_eq!(
                (look.name.as_str(), &look.arguments),
                ("browser_snapshot", &Ok(Map::new()))
            );
            assert_ne!(click.id, look.id);
            assert!(
                asked.heard.is_empty() || asked.calling() == ["browser_click", "browser_snapshot"]
            );
        }
    }
    for asked in both(&vendor, "refusal", &request()).await {
        let answer = asked.answer();
        assert_eq!(
            (answer.text.as_str(), answer.stop),
            ("I cannot help with that.", Stop::Refused)
        );
    }
    for (scenario, stop) in [("length", Stop::Length), ("filter", Stop::Refused)] {
        for asked in both(&vendor, scenario, &request()).await {
            assert_eq!(asked.answer().stop, stop, "{scenario}");
        }
    }
}

#[tokio::test]
async fn a_compatible_server_gets_results_and_their_pictures() {
    let vendor = start().await;
    for scenario in ["call", "calls", "odd-calls", "malformed"] {
        for asked in both(&vendor, scenario, &request()).await {
            let answer = asked.answer();
            if scenario == "malformed" {
                let error = answer.calls[0].arguments.clone().unwrap_err();
                assert!(error.contains("not a JSON object"), "{error}");
            }
            let next = followed(request(), &answer, false);
            let sent = sending(&vendor, &next).await;
            let messages = sent["messages"].as_array().unwrap();
            let last = messages.last().unwrap();
            assert_eq!(last["role"], "user", "{sent:#}");
            assert_eq!(last["content"].as_array().unwrap().len(), answer.calls.len());
            let result = messages[messages.len() - 2]["content"].as_str().unwrap();
            assert!(result.starts_with("Nothing changed."), "{result}");
        }
    }
}

#[tokio::test]
async fn a_model_that_reads_no_pictures_is_told_that_there_was_one() {
    let vendor = start().await;
    let [asked, _] = both(&vendor, "call", &request()).await;
    let mut next = followed(request(), &asked.answer(), false);
    next.turns.push(Turn::User(vec![Part::Text("Look:".into()), Part::Picture(picture())]));
    let settings = vendor.settings("plain", "/v1");
    vendor.ask("chat:words-only", &settings, &next).await.answer();
    let sent = vendor.requests().await.pop().unwrap().to_string();
    assert!(!sent.contains("data:image"), "{sent}");
    assert_eq!(sent.matches("which this model cannot read").count(), 2, "{sent}");
    let settings = ModelSettings { vision: Some(true), ..vendor.settings("plain", "/v1") };
    vendor.ask("chat:words-only", &settings, &next).await.answer();
    let sent = vendor.requests().await.pop().unwrap().to_string();
    assert_eq!(sent.matches("data:image").count(), 2, "{sent}");
}

#[tokio::test]
async fn a_compatible_server_keeps_to_a_schema_and_to_having_to_call() {
    let vendor = start().await;
    let open = json!({ "type": "object", "properties": { "done": { "type": "boolean" } } });
    for asked in both(&vendor, "schema", &formed(open)).await {
        assert_eq!(asked.answer().text, r#"{"done": true}"#);
    }
    let sent = vendor.requests().await.pop().unwrap();
    assert_eq!(sent["response_format"]["json_schema"]["strict"], false);
    let must = Request { must_call: true, ..request() };
    assert_eq!(sending(&vendor, &must).await["tool_choice"], "required");
    let mut other = both(&vendor, "calls", &request()).await[0].answer();
    other.raw = None;
    sending(&vendor, &followed(request(), &other, false)).await;
    // A server at home gets no key.
    let home = ModelSettings { keys: Default::default(), ..vendor.settings("plain", "/v1") };
    vendor.ask("ollama:llama3.2:3b", &home, &request()).await.answer();
    assert_eq!(vendor.requests().await.pop().unwrap()["model"], "llama3.2:3b");
}

#[tokio::test]
async fn a_server_without_tools_is_held_to_calls_by_a_schema() {
    let vendor = start().await;
    for streaming in [true, false] {
        let calls = Some(Calls::Schema);
        let settings = ModelSettings { calls, streaming, ..vendor.settings("object", "/v1") };
        let must = Request { must_call: true, ..request() };
        let answer = vendor.ask(MODEL, &settings, &must).await.answer();
        assert_eq!((answer.calls[0].name.as_str(), answer.stop), ("browser_click", Stop::Calls));
        assert_eq!(answer.calls[0].arguments, Ok(object(json!({ "target": "Save" }))));
        vendor.ask(MODEL, &settings, &followed(must, &answer, false)).await.answer();
        let sent = vendor.requests().await.pop().unwrap();
        assert!(sent.get("tools").is_none() && sent.get("tool_choice").is_none(), "{sent:#}");
        let ways = &sent["response_format"]["json_schema"]["schema"]["anyOf"];
        assert_eq!(ways.as_array().unwrap().len(), 2, "{sent:#}");
        assert_eq!(sent["messages"][3]["role"], "user");
    }
}

#[tokio::test]
async fn a_compatible_server_is_asked_again_when_that_helps_and_not_otherwise() {
    let vendor = start().await;
    for scenario in ["limited", "failing", "cut"] {
        for asked in both(&vendor, scenario, &request()).await {
            assert_eq!(asked.answer().text, "Grün ist die Hoffnung 🌱.", "{scenario}");
            assert_eq!(asked.retries(), 1, "{scenario}: {:?}", asked.heard);
        }
    }
    for asked in both(&vendor, "garbage", &request()).await {
        assert!(matches!(asked.error(), ModelError::Garbled { .. }), "{:?}", asked.answer);
    }
    let mut settings = vendor.settings("plain", "/v1");
    settings.keys.insert("chat".into(), "wrong-key".into());
    let asked = vendor.ask(MODEL, &settings, &request()).await;
    assert!(matches!(asked.error(), ModelError::Key { .. }), "{:?}", asked.answer);
    assert!(!asked.error().to_string().contains("wrong-key"), "{}", asked.error());
}
