//! `legwork panel`: who may connect, and what those who do are told and may say.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::client;
use tokio_tungstenite::tungstenite::handshake::HandshakeError;
use tokio_tungstenite::tungstenite::http::{Request, header};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message, WebSocket};

use crate::support::{Site, User, signal};

const EXTENSION: &str = "abcdefghijklmnopabcdefghijklmnop";

/// A panel that is served; it ends with the test.
struct Panel {
    child: Child,
    port: u16,
    token: String,
}

impl Drop for Panel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Panel {
    fn start(user: &User) -> Panel {
        let mut command = user.command(&["panel", "--port", "0", "--extension", EXTENSION]);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut after = |mark: &str| {
            let line = lines.next().unwrap().unwrap();
            line.split(mark).nth(1).unwrap_or_else(|| panic!("{line}")).to_owned()
        };
        let port = after("127.0.0.1:").trim_end_matches("/ws").parse().unwrap();
        let token = after("token ");
        Panel { child, port, token }
    }

    /// A handshake with these headers; `Host` and the token are right unless they are given.
    fn connect(&self, path: &str, headers: &[(&str, &str)]) -> Result<Watcher, Error> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let own = format!("127.0.0.1:{}", self.port);
        let given = |name: &str| headers.iter().find(|(known, _)| *known == name);
        let mut request = Request::builder()
            .uri(format!("ws://{own}{path}"))
            .header(header::CONNECTION, "Upgrade")
            .header(header::UPGRADE, "websocket")
            .header(header::SEC_WEBSOCKET_VERSION, "13")
            .header(header::SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ==");
        if given("Host").is_none() {
            request = request.header(header::HOST, own);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        match client(request.body(()).unwrap(), stream) {
            Ok((socket, _)) => Ok(Watcher(socket)),
            Err(HandshakeError::Failure(error)) => Err(error),
            Err(HandshakeError::Interrupted(_)) => panic!("no answer to the handshake"),
        }
    }

    fn watcher(&self) -> Watcher {
        let offered = format!("legwork.v1, bearer.{}", self.token);
        self.connect("/ws", &[("Sec-WebSocket-Protocol", &offered)]).unwrap()
    }
}

struct Watcher(WebSocket<TcpStream>);

impl Watcher {
    fn say(&mut self, message: &Value) {
        self.0.send(Message::text(message.to_string())).unwrap();
    }

    /// The next message that is wanted.
    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let Message::Text(text) = self.0.read().unwrap() else { continue };
            let message: Value = serde_json::from_str(&text).unwrap();
            if wanted(&message) {
                return message;
            }
        }
    }

    fn until_status(&mut self, status: &str) -> Value {
        self.until(|message| message["payload"]["status"] == status)
    }

    /// How the server closed.
    fn closed(&mut self) -> Option<CloseCode> {
        loop {
            match self.0.read() {
                Ok(Message::Close(frame)) => return frame.map(|frame| frame.code),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }
}

fn execute(id: &str, instruction: &str) -> Value {
    json!({ "requestId": id, "type": "EXECUTE_TASK", "payload": { "instruction": instruction } })
}

fn status(refused: Result<Watcher, Error>) -> u16 {
    match refused {
        Ok(_) => 101,
        Err(Error::Http(response)) => response.status().as_u16(),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn only_the_token_our_own_names_and_our_own_pages_are_let_in() {
    let user = User::new();
    let panel = Panel::start(&user);
    let own = format!("http://127.0.0.1:{}", panel.port);
    let elsewhere = format!("https://127.0.0.1:{}", panel.port);
    let extension = format!("chrome-extension://{EXTENSION}");
    let evil = format!("evil.example:{}", panel.port);
    for (path, headers, expected) in [
        ("/ws", vec![], 101),
        ("/ws", vec![("Origin", own.as_str())], 101),
        ("/ws", vec![("Origin", extension.as_str())], 101),
        ("/ws", vec![("Origin", "http://evil.example")], 403),
        ("/ws", vec![("Origin", elsewhere.as_str())], 403),
        ("/ws", vec![("Origin", "null")], 403),
        ("/ws", vec![("Host", evil.as_str())], 403),
        ("/ws", vec![("Sec-WebSocket-Protocol", "bearer.guess")], 401),
        ("/other", vec![], 404),
    ] {
        assert_eq!(status(panel.connect(path, &headers)), expected, "{path} {headers:?}");
    }
    // Without the token in the handshake, the first message has to bring it.
    let wrong = [json!({ "token": "guess" }), json!({}), execute("q", "look")];
    for first in wrong {
        let mut watcher = panel.connect("/ws", &[]).unwrap();
        watcher.say(&first);
        assert_eq!(watcher.closed(), Some(CloseCode::from(4401)), "{first}");
    }
    let mut watcher = panel.connect("/ws", &[]).unwrap();
    watcher.say(&json!({ "token": panel.token }));
    watcher.say(&json!({ "requestId": "q1", "type": "DANCE" }));
    let refused = watcher.until(|message| message["type"] == "ERROR");
    assert_eq!(refused["payload"]["code"], "invalid_input", "{refused}");
    // More than a message may be long ends it, before it is read.
    let _ = watcher.0.send(Message::text("x".repeat(2 * 1024 * 1024)));
    assert_ne!(watcher.closed(), Some(CloseCode::Normal));
    assert_eq!(user.json(&["runs"])["runs"], json!([]), "nothing was begun");
}

#[test]
fn the_token_is_in_a_private_file_for_as_long_as_it_is_served() {
    let user = User::new();
    let mut panel = Panel::start(&user);
    let path = user.path("legwork/panel.json");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let told: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(told["token"], panel.token);
    assert_eq!(told["url"], format!("ws://127.0.0.1:{}/ws", panel.port));
    signal("-TERM", panel.child.id());
    assert!(panel.child.wait().unwrap().success());
    assert!(!path.exists());
}

#[test]
fn two_watch_a_whole_run_and_one_who_comes_late_knows_as_much() {
    let (user, site) = (User::new(), Site::start());
    let panel = Panel::start(&user);
    let (mut one, mut two) = (panel.watcher(), panel.watcher());
    let text = format!("go to {}, go to {}, read the page", site.url("/"), site.url("/held"));
    one.say(&execute("q7", &text));
    site.until_asked();
    let mut late = panel.watcher();
    let first = late.until(|message| message["type"] == "STATE_UPDATE");
    assert_eq!(first["payload"]["instruction"], text);
    assert_eq!(first["payload"]["tasks"]["tasks"][0]["status"], "completed", "{first}");
    site.release();
    for watcher in [&mut one, &mut two, &mut late] {
        let last = watcher.until_status("completed");
        assert_eq!(last["requestId"], "q7");
        assert!(last["payload"]["finished"]["results"][0].as_str().unwrap().contains("released"));
    }
}

/// A page of which "click Add" does not say enough, open in the user's session.
fn open_two(user: &User) {
    let page =
        "<title>Two</title><ul><li>Milk <button>Add</button><li>Rye <button>Add</button></ul>";
    std::fs::write(user.path("two.html"), page).unwrap();
    user.done(&["open", "./two.html"]);
}

fn assistance(id: &str, payload: Value) -> Value {
    json!({ "requestId": id, "type": "USER_ASSISTANCE", "payload": payload })
}

/// The second choice of a question.
fn second(question: &Value) -> Value {
    json!({ "response": {
        "requestId": question["id"], "response": { "said": question["choices"][1] },
        "timestamp": "2026-11-16T00:00:00Z",
    } })
}

#[test]
fn one_of_two_answers_and_both_see_what_comes_of_it() {
    let user = User::new();
    open_two(&user);
    let panel = Panel::start(&user);
    let (mut one, mut two) = (panel.watcher(), panel.watcher());
    one.say(&execute("q1", "click Add"));
    let asked = |message: &Value| !message["payload"]["assistance"].is_null();
    let question = one.until(asked)["payload"]["assistance"].take();
    assert_eq!(two.until(asked)["payload"]["assistance"], question);
    two.say(&assistance("q2", second(&question)));
    for watcher in [&mut one, &mut two] {
        let last = watcher.until_status("completed");
        let outcome = last["payload"]["tasks"]["tasks"][0]["outcome"].as_str().unwrap();
        assert!(outcome.contains("Rye"), "{last}");
    }
    // The same answer again is to no question.
    one.say(&assistance("q3", second(&question)));
    let refused = one.until(|message| message["type"] == "ERROR");
    assert_eq!(refused["requestId"], "q3");
}

#[test]
fn a_run_that_nobody_answered_in_time_goes_on_by_a_message() {
    let user = User::new().with("LEGWORK_ASSISTANCE_TIMEOUT", "1s");
    open_two(&user);
    let panel = Panel::start(&user);
    let mut watcher = panel.watcher();
    let asked = |message: &Value| message["type"] == "USER_ASSISTANCE";
    watcher.say(&execute("q1", "click Add"));
    let missed = watcher.until(asked)["payload"]["request"].take();
    let run = watcher.until_status("waiting")["payload"]["runId"].take();
    watcher.say(&assistance("q2", second(&missed)));
    let late = watcher.until(|message| message["type"] == "ERROR");
    assert!(late["payload"]["hint"].as_str().unwrap().contains("resume the run"), "{late}");
    let resume = |run: &Value| assistance("q3", json!({ "resume": { "runId": run } }));
    watcher.say(&resume(&run));
    let again = watcher.until(asked)["payload"]["request"].take();
    watcher.say(&assistance("q4", second(&again)));
    assert_eq!(watcher.until_status("completed")["payload"]["runId"], run);
    // What is completed, or was never there, is not gone on with.
    for (run, code) in [(run, "invalid_input"), (json!("r0"), "not_found")] {
        watcher.say(&resume(&run));
        let refused = watcher.until(|message| message["type"] == "ERROR");
        assert_eq!(refused["requestId"], "q3");
        assert_eq!(refused["payload"]["code"], code, "{refused}");
    }
}
