//! The client against sidecars that are made up: they answer late, out of order, wrongly or not at all.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};

use super::*;
use crate::error::{Code, ToolError};
use crate::reply::Reply;
use crate::rpc::BrowserEvent;

/// The sidecar's end of a connection.
struct Wire {
    lines: Lines<BufReader<tokio::io::ReadHalf<tokio::io::DuplexStream>>>,
    out: tokio::io::WriteHalf<tokio::io::DuplexStream>,
}

impl Wire {
    /// The next thing the client says.
    async fn next(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.ok()??;
        Some(serde_json::from_str(&line).unwrap())
    }

    async fn say(&mut self, line: impl ToString) {
        let _ = self.out.write_all(format!("{}\n", line.to_string()).as_bytes()).await;
    }

    async fn result(&mut self, request: &Value, result: Value) {
        self.say(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })).await;
    }
}

/// Starts sidecars that follow a script once they were greeted; the script is told how many there were
/// before.
struct Scripted<S> {
    script: S,
    started: Arc<AtomicUsize>,
}

impl<S, F> SidecarProvider for Scripted<S>
where
    S: Fn(usize, Wire) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    fn start(&self) -> Starting<'_> {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (input, out) = tokio::io::split(theirs);
        let mut wire = Wire { lines: BufReader::new(input).lines(), out };
        let number = self.started.fetch_add(1, Ordering::SeqCst);
        let script = self.script.clone();
        tokio::spawn(async move {
            let Some(asked) = wire.next().await else { return };
            assert_eq!(asked["method"], "browser.version");
            let version = json!({ "name": "fake", "version": "1", "protocol_version": 1 });
            wire.result(&asked, version).await;
            script(number, wire).await;
        });
        let (reader, writer) = tokio::io::split(ours);
        Box::pin(std::future::ready(Ok(Sidecar::streams(reader, writer))))
    }
}

type Told = Arc<Mutex<Vec<CallEvent>>>;

/// A client of scripted sidecars, how many were started, and what was told of its calls.
fn client<S, F>(script: S) -> (Client, Arc<AtomicUsize>, Told)
where
    S: Fn(usize, Wire) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let started = Arc::new(AtomicUsize::new(0));
    let events = Told::default();
    let heard = events.clone();
    let telemetry: Telemetry = Arc::new(move |event| heard.lock().unwrap().push(event.clone()));
    let options = Options { telemetry: Some(telemetry), ..Options::default() };
    let provider = Scripted { script, started: started.clone() };
    (Client::new(provider, options), started, events)
}

async fn call(client: &Client, tool: &str) -> Result<Reply, Error> {
    client.call_tool(tool, Map::new(), CallOptions::default()).await
}

/// Answers everything with the method's name.
async fn echo(mut wire: Wire) {
    while let Some(asked) = wire.next().await {
        if asked.get("id").is_some() {
            wire.result(&asked, json!({ "text": asked["method"] })).await;
        }
    }
}

#[tokio::test]
async fn answers_find_their_calls_in_any_order() {
    let (client, started, _) = client(|_, mut wire| async move {
        let mut asked = Vec::new();
        for _ in 0..3 {
            asked.push(wire.next().await.unwrap());
        }
        let progress =
            json!({ "token": asked[0]["id"], "value": { "done": 1, "message": "half" } });
        wire.say(json!({ "jsonrpc": "2.0", "method": "$/progress", "params": progress })).await;
        for one in asked.iter().rev() {
            wire.result(one, json!({ "text": one["method"] })).await;
        }
        echo(wire).await;
    });
    let told = Arc::new(Mutex::new(Vec::new()));
    let hears = told.clone();
    let listener: link::Listener = Arc::new(move |step| hears.lock().unwrap().push(step.message));
    let follow = CallOptions { progress: Some(listener), ..CallOptions::default() };
    let (one, two, three) = tokio::join!(
        client.call_tool("browser_click", Map::new(), follow),
        call(&client, "browser_find"),
        call(&client, "browser_wait"),
    );
    let texts = [one, two, three].map(|reply| reply.unwrap().text);
    assert_eq!(texts, ["browser_click", "browser_find", "browser_wait"]);
    assert_eq!(*told.lock().unwrap(), ["half"]);
    assert_eq!(started.load(Ordering::SeqCst), 1, "one connection for all");
}

#[tokio::test]
async fn what_only_looks_is_repeated_when_the_sidecar_dies_and_what_acts_is_not() {
    let script = |number, mut wire: Wire| async move {
        if number % 2 == 0 {
            wire.next().await;
            return;
        }
        echo(wire).await;
    };
    let (looks, started, events) = client(script);
    assert_eq!(call(&looks, "browser_snapshot").await.unwrap().text, "browser_snapshot");
    assert_eq!(started.load(Ordering::SeqCst), 2);
    assert_eq!(events.lock().unwrap()[0].attempts, 2);
    let (acts, started, events) = client(script);
    let error = call(&acts, "browser_click").await.unwrap_err();
    assert!(matches!(error, Error::Sidecar(Failure::Died(_))), "{error:?}");
    assert_eq!(started.load(Ordering::SeqCst), 1);
    let event = events.lock().unwrap()[0].clone();
    assert_eq!((event.attempts, event.error), (1, Some(Code::SidecarFailed)));
    assert!(event.sidecar_failed);
    assert_eq!(call(&acts, "browser_click").await.unwrap().text, "browser_click", "the next works");
    for (method, starts) in [
        ("browser.history", 2),
        ("tools.list", 2),
        ("assistant.send", 1),
        ("browser.undo", 1),
        ("browser.record", 1),
        ("browser.stop", 1),
    ] {
        let (asks, started, _) = client(script);
        let answered = asks.request(method, Map::new(), CallOptions::default()).await;
        assert_eq!(
            (started.load(Ordering::SeqCst), answered.is_ok()),
            (starts, starts == 2),
            "{method}"
        );
    }
}

#[tokio::test]
async fn a_page_that_is_lost_is_said_once_and_never_replaced_by_a_blank_one() {
    let (client, started, _) = client(|number, mut wire: Wire| async move {
        let asked = wire.next().await.unwrap();
        let result = json!({ "session_id": "s1", "url": "http://a/", "text": "done" });
        wire.result(&asked, result).await;
        if number == 0 {
            wire.next().await;
            return;
        }
        echo(wire).await;
    });
    let open = |url: &str| serde_json::from_value(json!({ "url": url })).unwrap();
    client.open(&open("http://a/")).await.unwrap();
    assert_eq!(client.session_id().as_deref(), Some("s1"));
    let error = call(&client, "browser_snapshot").await.unwrap_err();
    assert!(matches!(error, Error::Sidecar(Failure::Died(_))), "{error:?}");
    assert_eq!(started.load(Ordering::SeqCst), 1, "a snapshot of another page would be a lie");
    assert_eq!(client.session_id(), None);
    client.open(&open("http://a/")).await.unwrap();
    assert_eq!(call(&client, "browser_snapshot").await.unwrap().text, "browser_snapshot");
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled_in_the_sidecar() {
    let (client, _, events) = client(|_, mut wire: Wire| async move {
        let asked = wire.next().await.unwrap();
        let cancel = wire.next().await.unwrap();
        assert_eq!(cancel["method"], "$/cancelRequest");
        assert_eq!(cancel["params"]["id"], asked["id"]);
        // The answer comes after all, and is nobody's.
        wire.result(&asked, json!({ "text": "late" })).await;
        echo(wire).await;
    });
    client.link().await.unwrap();
    let timeout = Some(Duration::from_millis(20));
    let options = CallOptions { timeout, ..CallOptions::default() };
    let error = client.call_tool("browser_snapshot", Map::new(), options).await.unwrap_err();
    assert_eq!(error.code(), Code::Timeout);
    assert!(matches!(error, Error::Sidecar(Failure::TimedOut { .. })), "{error:?}");
    assert_eq!(events.lock().unwrap()[0].error, Some(Code::Timeout));
    assert_eq!(call(&client, "browser_find").await.unwrap().text, "browser_find");
}

#[tokio::test]
async fn the_error_of_a_tool_is_an_answer_and_not_repeated() {
    let refuse = json!({ "code": -32000, "message": "Selector '#x' not found",
        "data": { "code": "ERR_SELECTOR_NOT_FOUND", "hint": "look" } });
    let (client, started, events) = client(move |_, mut wire: Wire| {
        let refuse = refuse.clone();
        async move {
            let asked = wire.next().await.unwrap();
            wire.say(json!({ "jsonrpc": "2.0", "id": asked["id"], "error": refuse })).await;
            echo(wire).await;
        }
    });
    let error = call(&client, "browser_snapshot").await.unwrap_err();
    let expected = ToolError::new(Code::NotFound, "Selector '#x' not found").with_hint("look");
    assert_eq!(error, Error::Tool(expected));
    assert_eq!(started.load(Ordering::SeqCst), 1);
    let event = events.lock().unwrap()[0].clone();
    assert_eq!((event.method.as_str(), event.attempts), ("browser_snapshot", 1));
    assert_eq!((event.error, event.sidecar_failed), (Some(Code::NotFound), false));
}

#[tokio::test]
async fn what_is_no_answer_is_told_as_that() {
    for line in [
        "Listening on port 3000",
        r#"{"jsonrpc":"2.0","id":2}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"other","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{"url":"no text"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"no request"}}"#,
    ] {
        let (client, ..) = client(move |_, mut wire: Wire| async move {
            wire.next().await;
            wire.say(line).await;
            echo(wire).await;
        });
        let error = call(&client, "browser_click").await.unwrap_err();
        assert!(matches!(error, Error::Sidecar(Failure::Malformed(_))), "{line}: {error:?}");
    }
}

#[tokio::test]
async fn a_sidecar_of_another_protocol_is_refused() {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (input, out) = tokio::io::split(theirs);
    let mut wire = Wire { lines: BufReader::new(input).lines(), out };
    tokio::spawn(async move {
        let asked = wire.next().await.unwrap();
        wire.result(&asked, json!({ "version": "9", "protocol_version": 7 })).await;
    });
    let (reader, writer) = tokio::io::split(ours);
    let refused = Client::connect(reader, writer, Options::default()).await.err();
    assert!(matches!(refused, Some(Failure::Protocol(_))), "{refused:?}");
}

#[tokio::test]
async fn a_sidecar_that_is_not_there_is_told_with_what_to_do() {
    let explicit = Some("/nowhere/legwork".to_owned());
    let request = crate::discovery::Request { explicit, bundled: None };
    let process = Process { request, ..Process::default() };
    let failure = Client::start(process, Options::default()).await.err().unwrap();
    let error = ToolError::from(Error::from(failure));
    assert_eq!(error.code.sidecar(), "ERR_SIDECAR_NOT_FOUND");
    assert!(error.hint.unwrap().contains("/nowhere/legwork"));
}

#[tokio::test]
async fn every_sidecar_is_asked_for_events_and_what_is_not_known_yet_is_told_too() {
    let (heard, mut events) = tokio::sync::mpsc::unbounded_channel();
    let tell: Events = Arc::new(move |event| drop(heard.send(event.clone())));
    let started = Arc::new(AtomicUsize::new(0));
    let script = |number: usize, mut wire: Wire| async move {
        let asked = wire.next().await.unwrap();
        assert_eq!(asked["method"], "browser.subscribe");
        wire.result(&asked, json!({ "events": [] })).await;
        let event = if number == 0 { "page_crashed" } else { "teleported" };
        let params = json!({ "session_id": "a", "event": event, "tab": 1 });
        wire.say(json!({ "jsonrpc": "2.0", "method": "browser.event", "params": params })).await;
        // The first one dies of its first call.
        if let Some(asked) = wire.next().await
            && number > 0
        {
            wire.result(&asked, json!({ "tools": [] })).await;
        }
    };
    let options = Options { events: Some(tell), ..Options::default() };
    let client = Client::new(Scripted { script, started: started.clone() }, options);
    client.tools("core").await.unwrap();
    assert_eq!(started.load(Ordering::SeqCst), 2);
    for expected in [BrowserEvent::PageCrashed { tab: 1 }, BrowserEvent::Other] {
        assert_eq!(events.recv().await.unwrap().event, expected);
    }
}

#[tokio::test]
async fn a_sidecar_that_cannot_tell_of_events_is_none_for_who_wants_them() {
    let script = |_, mut wire: Wire| async move {
        let asked = wire.next().await.unwrap();
        let error = json!({ "code": -32601, "message": "there is no method" });
        wire.say(json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error })).await;
        wire.next().await;
    };
    let options = Options { events: Some(Arc::new(|_| {})), ..Options::default() };
    let started = Arc::new(AtomicUsize::new(0));
    let failure = Client::start(Scripted { script, started }, options).await.err();
    assert_eq!(failure, Some(Failure::Protocol("there is no method".to_owned())));
}
