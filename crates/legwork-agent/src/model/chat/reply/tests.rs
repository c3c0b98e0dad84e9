//! Answers as servers write them that are not OpenAI's.

use super::*;

/// What is made of a stream of these chunks.
fn streamed(chunks: &[&str]) -> Result<Answer, Fault> {
    let mut completion = Completion::default();
    for chunk in chunks {
        let event = Event { name: String::new(), data: chunk.to_string() };
        if completion.event(event, &|_| {})?.is_break() {
            break;
        }
    }
    completion.end()
}

/// Names and arguments of the calls.
fn calls(answer: &Answer) -> Vec<(String, String)> {
    let told = |call: &Call| match &call.arguments {
        Ok(arguments) => Value::Object(arguments.clone()).to_string(),
        Err(error) => error.clone(),
    };
    answer.calls.iter().map(|call| (call.name.clone(), told(call))).collect()
}

fn expected(calls: &[(&str, &str)]) -> Vec<(String, String)> {
    calls.iter().map(|(name, arguments)| (name.to_string(), arguments.to_string())).collect()
}

#[test]
fn arguments_may_be_an_object_and_ids_and_usage_may_be_missing() {
    let body = r#"{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[
        {"function":{"name":"click","arguments":{"target":"Save"}}},
        {"function":{"name":"look"}}]},"finish_reason":"stop"}]}"#;
    let answer = Completion::default().whole(body.as_bytes()).unwrap();
    assert_eq!(calls(&answer), expected(&[("click", r#"{"target":"Save"}"#), ("look", "{}")]));
    assert_eq!((answer.stop, answer.usage), (Stop::Calls, Tokens::default()));
    assert!(answer.calls.iter().all(|call| call.id.starts_with("call_")));
    assert_ne!(answer.calls[0].id, answer.calls[1].id);
    let raw = &answer.raw.unwrap()[RAW]["tool_calls"];
    assert_eq!(raw[0]["function"]["arguments"], r#"{"target":"Save"}"#);
    assert_eq!(raw[1]["function"]["arguments"], "{}");
    assert_eq!(raw[1]["id"], answer.calls[1].id.as_str());
}

#[test]
fn calls_are_told_apart_however_they_are_numbered() {
    let both = expected(&[("a", r#"{"x":1}"#), ("b", r#"{"y":2}"#)]);
    let check = |first: &str, second: &str| {
        let chunk =
            |call: &str| format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{call}]}}}}]}}"#);
        let end = r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#;
        let answer = streamed(&[&chunk(first), &chunk(second), end, "[DONE]"]).unwrap();
        assert_eq!(calls(&answer), both, "{first} {second}");
    };
    let a = r#""function":{"name":"a","arguments":"{\"x\":1}"}"#;
    let b = r#""function":{"name":"b","arguments":"{\"y\":2}"}"#;
    check(&format!(r#"{{"index":0,"id":"1",{a}}}"#), &format!(r#"{{"index":1,"id":"2",{b}}}"#));
    check(&format!(r#"{{"index":0,"id":"1",{a}}}"#), &format!(r#"{{"index":0,"id":"2",{b}}}"#));
    check(&format!(r#"{{"index":0,{a}}}"#), &format!(r#"{{"index":1,{b}}}"#));
    check(&format!(r#"{{"id":"1",{a}}}"#), &format!(r#"{{"id":"2",{b}}}"#));
    check(&format!("{{{a}}}"), &format!("{{{b}}}"));
}

#[test]
fn fragments_of_arguments_are_put_together() {
    let answer = streamed(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"a","arguments":""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"arguments":"{\"x\""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":null,"function":{"name":null,"arguments":":1}"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":7,"completion_tokens":2}}"#,
    ])
    .unwrap();
    assert_eq!(calls(&answer), expected(&[("a", r#"{"x":1}"#)]));
    assert_eq!(answer.usage, Tokens { input: 7, cached: 0, output: 2 });
}

#[test]
fn what_a_gateway_adds_to_a_call_goes_back_with_it() {
    let call = r#"{"index":0,"id":"1","function":{"name":"a","arguments":"{"},"extra_content":{"google":{"thought_signature":"s"}}}"#;
    let chunk = format!(
        r#"{{"choices":[{{"delta":{{"tool_calls":[{call}]}},"finish_reason":"length"}}]}}"#
    );
    let answer = streamed(&[&chunk]).unwrap();
    assert_eq!(answer.stop, Stop::Length);
    assert!(calls(&answer)[0].1.contains("not a JSON object"), "{:?}", calls(&answer));
    let raw = &answer.raw.unwrap()[RAW]["tool_calls"][0];
    assert_eq!(raw["extra_content"]["google"]["thought_signature"], "s");
    assert_eq!(raw["function"]["arguments"], "{}");
    assert!(raw.get("index").is_none());
}

#[test]
fn a_stream_without_an_end_broke_off() {
    let half = r#"{"choices":[{"delta":{"content":"Half"}}]}"#;
    assert_eq!(streamed(&[half]).unwrap_err(), Fault::Cut("it broke off".into()));
    assert_eq!(streamed(&[half, "[DONE]"]).unwrap().text, "Half");
    let parts = r#"{"choices":[{"delta":{"content":[{"type":"text","text":"Two"}]},"finish_reason":"stop"}]}"#;
    assert_eq!(streamed(&[parts]).unwrap().text, "Two");
}

#[test]
fn an_error_in_the_middle_is_told_apart_from_an_answer() {
    let failing = streamed(&[r#"{"error":{"message":"Out of memory","code":500}}"#]).unwrap_err();
    assert_eq!(failing, Fault::passing("Out of memory".into()));
    let wrong = streamed(&[r#"{"error":{"message":"Too long","code":400}}"#]).unwrap_err();
    assert_eq!(wrong, Fault::Refused { status: 400, message: "Too long".into() });
    assert!(matches!(Completion::default().whole(b"<html>"), Err(Fault::Garbled(_))));
    assert!(matches!(Completion::default().whole(b"{}"), Err(Fault::Garbled(_))));
}
