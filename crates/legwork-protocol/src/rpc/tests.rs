use serde_json::{Value, json};

use super::*;
use crate::{Code, ToolError};

/// What a line is answered with before any method is looked up; a request is shown as what it asks.
fn told(line: &str) -> String {
    let one = |read: Result<Request, Response>| match read {
        Ok(request) => match request.id {
            Some(id) => format!("{} as {id}", request.method),
            None => format!("{} for nobody", request.method),
        },
        Err(answer) => {
            let code = answer.outcome.as_ref().map(|_| 0).unwrap_or_else(|error| error.code);
            format!("{code} to {}", answer.id)
        }
    };
    match read(line.as_bytes()) {
        Incoming::One(read) => one(read),
        Incoming::Batch(list) => list.into_iter().map(one).collect::<Vec<_>>().join("; "),
    }
}

#[test]
fn lines_are_read_as_the_specification_says() {
    for (line, expected) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, "m as 1"),
        (r#"{"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}}"#, "m as \"a\""),
        (r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, "m as null"),
        (r#"{"jsonrpc":"2.0","method":"m","params":[]}"#, "m for nobody"),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"m","more":true}"#, "m as 1.5"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m""#, "-32700 to null"),
        ("", "-32700 to null"),
        ("\u{7}", "-32700 to null"),
        ("[1", "-32700 to null"),
        ("[]", "-32600 to null"),
        ("1", "-32600 to null"),
        ("null", "-32600 to null"),
        ("[1,2]", "-32600 to null; -32600 to null"),
        (r#"{"jsonrpc":"2.0","method":1,"params":"bar"}"#, "-32600 to null"),
        (r#"{"jsonrpc":"2.0","id":4,"params":{}}"#, "-32600 to 4"),
        (r#"{"jsonrpc":"1.0","id":4,"method":"m"}"#, "-32600 to 4"),
        (r#"{"id":4,"method":"m"}"#, "-32600 to 4"),
        (r#"{"jsonrpc":"2.0","id":{},"method":"m"}"#, "-32600 to null"),
        (r#"{"jsonrpc":"2.0","id":4,"method":"m","params":7}"#, "-32600 to 4"),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"},{"foo":"boo"}]"#,
            "a as 1; b for nobody; -32600 to null",
        ),
    ] {
        assert_eq!(told(line), expected, "{line}");
    }
}

#[test]
fn a_line_that_nests_without_end_is_refused() {
    let deep = "[".repeat(100_000);
    assert_eq!(told(&deep), "-32700 to null");
}

#[test]
fn parameters_are_taken_by_name_only() {
    let params = |line: &str| match read(line.as_bytes()) {
        Incoming::One(Ok(request)) => request.params.named(),
        other => panic!("{other:?}"),
    };
    assert!(params(r#"{"jsonrpc":"2.0","method":"m"}"#).unwrap().is_empty());
    assert!(params(r#"{"jsonrpc":"2.0","method":"m","params":[]}"#).unwrap().is_empty());
    let refused = params(r#"{"jsonrpc":"2.0","method":"m","params":[1]}"#).unwrap_err();
    assert_eq!(Error::from(refused).code, Error::INVALID_PARAMS);
}

#[test]
fn what_is_written_can_be_read_again() {
    let error = Error::from(ToolError::new(Code::Timeout, "too slow").with_hint("wait longer"));
    for response in [
        Response { id: 1.into(), outcome: Ok(json!({ "text": "done" })) },
        Response { id: Id::Text("a".into()), outcome: Ok(Value::Null) },
        Response::failed(Id::Null, error),
    ] {
        let line = serde_json::to_vec(&response).unwrap();
        assert_eq!(Message::read(&line), Ok(Message::Response(response)));
    }
    let id = Some(Id::from(7));
    let request =
        Request { id, method: "browser.open".into(), params: Params::Named(Default::default()) };
    let line = serde_json::to_vec(&request).unwrap();
    assert_eq!(read(&line), Incoming::One(Ok(request)));
}

#[test]
fn an_answer_that_is_none_is_refused() {
    for line in [
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}"#,
        r#"{"jsonrpc":"2.0","result":1}"#,
        r#"{"id":1,"result":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#,
        "Listening on port 3000",
    ] {
        assert!(Message::read(line.as_bytes()).is_err(), "{line}");
    }
}

#[test]
fn errors_keep_their_code_on_the_way_there_and_back() {
    for &code in Code::ALL {
        let error = ToolError::new(code, "a sentence").with_hint("a hint");
        let sent = Error::from(error.clone());
        assert_eq!(sent.data.as_ref().unwrap().code, code.sidecar());
        assert!(!sent.is_of_the_wire(), "{code}");
        assert_eq!(sent.into_tool_error(), error);
    }
}

#[test]
fn the_error_of_a_stranger_is_still_told() {
    let line = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no","data":[1]}}"#;
    let Ok(Message::Response(answer)) = Message::read(line.as_bytes()) else { panic!() };
    let error = answer.outcome.unwrap_err().into_tool_error();
    assert_eq!(error, ToolError::new(Code::Internal, "no"));
    let data = Some(Details { code: "ERR_NEW".into(), hint: None });
    let error = Error { code: Error::TOOL, message: "no".into(), data }.into_tool_error();
    assert_eq!(error, ToolError::new(Code::Internal, "ERR_NEW: no"));
}

#[test]
fn the_older_protocol_of_the_two_is_spoken() {
    assert_eq!(negotiate(PROTOCOL), Some(PROTOCOL));
    assert_eq!(negotiate(PROTOCOL + 5), Some(PROTOCOL));
    assert_eq!(negotiate(0), None);
}

#[test]
fn events_are_written_with_their_session_and_kind_and_read_again() {
    let opened = BrowserEvent::DialogOpened {
        tab: 1,
        kind: "alert".to_owned(),
        message: "Hi".to_owned(),
        default_text: None,
    };
    let saving = Saving {
        url: "http://localhost/a".to_owned(),
        path: "/tmp/a".to_owned(),
        received: 1,
        total: None,
        state: SavingState::Done,
    };
    for (event, expected) in [
        (
            opened,
            r#"{"session_id":"a","event":"dialog_opened","tab":1,"kind":"alert","message":"Hi"}"#,
        ),
        (
            BrowserEvent::DownloadEnded(saving),
            r#"{"session_id":"a","event":"download_ended","url":"http://localhost/a","path":"/tmp/a","received":1,"state":"done"}"#,
        ),
        (BrowserEvent::SessionClosed, r#"{"session_id":"a","event":"session_closed"}"#),
    ] {
        let told = SessionEvent { session_id: "a".to_owned(), event };
        assert_eq!(serde_json::to_string(&told).unwrap(), expected);
        assert_eq!(serde_json::from_str::<SessionEvent>(expected).unwrap(), told);
        assert!(expected.contains(&format!(r#""event":"{}""#, told.event.kind())));
        assert!(BrowserEvent::KINDS.contains(&told.event.kind()));
    }
    let newer = r#"{"session_id":"a","event":"teleported","to":"elsewhere"}"#;
    let read: SessionEvent = serde_json::from_str(newer).unwrap();
    assert_eq!(read.event, BrowserEvent::Other);
}
