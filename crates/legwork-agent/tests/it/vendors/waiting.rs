//! What every adapter does with time: an answer that is late is taken, one that never comes is not waited for
//! beyond the deadline, and one that nobody wants any more is hung up on.

use std::time::Instant;

use super::*;

/// Module of the server, model, and where the vendor's paths begin.
const ADAPTERS: [(&str, &str, &str); 4] = [
    ("openai_responses", "openai:gpt-5.4", "/v1"),
    ("openai_chat", "chat:llama-vision", "/v1"),
    ("anthropic_messages", "anthropic:claude-opus-5", ""),
    ("gemini_content", "gemini:gemini-3.5-flash", ""),
];

async fn start() -> Vendor {
    Vendor::start(&ADAPTERS.map(|(module, ..)| module)).await
}

#[tokio::test]
async fn a_late_answer_that_keeps_the_deadline_is_taken() {
    let vendor = start().await;
    for (_, model, path) in ADAPTERS {
        let asked = Instant::now();
        for asked in vendor.both(model, "late", path, &request()).await {
            assert_eq!(asked.answer().text, "Grün ist die Hoffnung 🌱.", "{model}");
            assert_eq!(asked.retries(), 0, "{model}: {:?}", asked.heard);
        }
        assert!(asked.elapsed() > Duration::from_millis(2 * 390), "{model}: both were late");
    }
}

#[tokio::test]
async fn an_answer_that_never_comes_or_stops_halfway_ends_at_the_deadline() {
    let vendor = start().await;
    for (_, model, path) in ADAPTERS {
        let [streamed, whole] = vendor.both(model, "slow", path, &soon(request())).await;
        let stuck = vendor.settings("stuck", path);
        let stuck = vendor.ask(model, &stuck, &soon(request())).await;
        for asked in [streamed, whole, stuck] {
            let error = asked.error();
            assert!(matches!(error, ModelError::TimedOut { .. }), "{model}: {error}");
        }
    }
}

#[tokio::test]
async fn a_request_that_is_cancelled_while_it_is_under_way_hangs_up() {
    let vendor = start().await;
    for (_, model, path) in ADAPTERS {
        for (scenario, streaming) in [("slow", false), ("slow", true), ("stuck", true)] {
            let settings = ModelSettings { streaming, ..vendor.settings(scenario, path) };
            let chosen = choose(model, &settings).unwrap();
            let asking = tokio::spawn(async move { chosen.ask(&request(), &|_| {}).await });
            assert!(vendor.sees("held").await, "{model} {scenario}: it is under way");
            asking.abort();
            assert!(asking.await.unwrap_err().is_cancelled());
            assert!(vendor.sees("gone").await, "{model} {scenario}: the server is hung up on");
        }
    }
}
