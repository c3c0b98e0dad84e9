//! Against a server that says exactly what it is told to say.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;

const KEY: &str = "sk-do-not-tell";

/// A server with one reply for each request, then none; and what it was asked.
struct Server {
    base: Url,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn saying(replies: &[&str]) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap()).parse().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let replies: Vec<String> = replies.iter().map(|reply| reply.to_string()).collect();
        let told = asked.clone();
        tokio::spawn(async move {
            for reply in replies {
                let (stream, _) = listener.accept().await.unwrap();
                serve(stream, &reply, &told).await;
            }
        });
        Server { base, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Reads one request and replies; a reply of `…` never comes.
async fn serve(mut stream: TcpStream, reply: &str, told: &Mutex<Vec<String>>) {
    let mut request = Vec::new();
    while !request.ends_with(b"{\"a\":1}") {
        if stream.read_buf(&mut request).await.unwrap() == 0 {
            break;
        }
    }
    told.lock().unwrap().push(String::from_utf8(request).unwrap());
    if reply == "…" {
        std::future::pending::<()>().await;
    }
    stream.write_all(reply.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
}

fn reply(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
    )
}

fn events(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\r\n{body}")
}

/// An answer is complete when its text ends in a full stop.
#[derive(Default)]
struct Sentence(String);

impl Reader for Sentence {
    fn event(&mut self, event: Event, heard: &Heard) -> Result<ControlFlow<()>, Fault> {
        heard(Delta::Text(event.data.clone()));
        self.0 += &event.data;
        Ok(if self.0.ends_with('.') { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn end(self) -> Result<Answer, Fault> {
        if !self.0.ends_with('.') {
            return Err(Fault::Cut("it broke off".into()));
        }
        Ok(Answer { text: self.0, ..Answer::default() })
    }

    fn whole(self, body: &[u8]) -> Result<Answer, Fault> {
        Ok(Answer { text: String::from_utf8_lossy(body).into(), ..Answer::default() })
    }
}

/// What came of asking, and what was heard meanwhile.
async fn ask(base: &Url, deadline: Duration) -> (Result<Answer, ModelError>, Vec<Delta>) {
    let key = Key {
        value: KEY.into(),
        header: "authorization",
        prefix: "Bearer ",
        sought: "keys are looked for in TEST_KEY".into(),
    };
    let quick = Retry { tries: 3, first: Duration::from_millis(2), most: Duration::from_millis(9) };
    let http = Http::new("test:model", base.clone(), Some(key)).unwrap().retrying(quick);
    let deltas = Mutex::new(Vec::new());
    let deltas = Arc::new(deltas);
    let hears = deltas.clone();
    let heard = move |delta| hears.lock().unwrap().push(delta);
    let body = json!({ "a": 1 });
    let headers = [("x-version", "7")];
    let post = Post {
        path: "answers",
        query: &[("alt", "sse")],
        headers: &headers,
        body: &body,
        deadline,
    };
    let answer = http.ask(post, &heard, Sentence::default).await;
    let deltas = deltas.lock().unwrap().clone();
    (answer, deltas)
}

const LONG: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_request_carries_its_key_its_headers_and_its_query() {
    let server = Server::saying(&[&reply("200 OK", "", "Fine.")]).await;
    let (answer, deltas) = ask(&server.base, LONG).await;
    assert_eq!(answer.unwrap().text, "Fine.");
    assert_eq!(deltas, []);
    let asked = server.asked().remove(0);
    assert!(asked.starts_with("POST /v1/answers?alt=sse HTTP/1.1\r\n"), "{asked}");
    for header in ["authorization: Bearer sk-do-not-tell", "x-version: 7"] {
        assert!(asked.contains(&format!("\r\n{header}\r\n")), "{asked}");
    }
}

#[tokio::test]
async fn events_are_heard_as_they_come() {
    let server = Server::saying(&[&events("data: All \n\ndata: is well.\n\ndata: no\n\n")]).await;
    let (answer, deltas) = ask(&server.base, LONG).await;
    assert_eq!(answer.unwrap().text, "All is well.");
    assert_eq!(deltas, [Delta::Text("All ".into()), Delta::Text("is well.".into())]);
}

#[tokio::test]
async fn a_failing_server_is_asked_again_and_that_is_told() {
    let failing = reply("500 Oh", "", r#"{"error":{"message":"Sorry."}}"#);
    let server = Server::saying(&[&failing, &failing, &reply("200 OK", "", "Fine.")]).await;
    let (answer, deltas) = ask(&server.base, LONG).await;
    assert_eq!(answer.unwrap().text, "Fine.");
    assert_eq!(server.asked().len(), 3);
    let [Delta::Retrying(_, why), Delta::Retrying(..)] = &deltas[..] else { panic!("{deltas:?}") };
    assert_eq!(why, "Sorry. (500)");
}

#[tokio::test]
async fn a_server_that_keeps_failing_is_given_up() {
    let failing = reply("529 Overloaded", "", "");
    let server = Server::saying(&[&failing, &failing, &failing]).await;
    let error = ask(&server.base, LONG).await.0.unwrap_err();
    assert_eq!(error.to_string(), "test:model: no answer after 3 tries: it does not say why (529)");
}

#[tokio::test]
async fn a_wait_that_the_server_wishes_is_kept() {
    let busy = reply("429 Slow down", "retry-after: 0.2\r\n", "");
    let server = Server::saying(&[&busy, &reply("200 OK", "", "Fine.")]).await;
    let begun = Instant::now();
    let (answer, deltas) = ask(&server.base, LONG).await;
    assert_eq!(answer.unwrap().text, "Fine.");
    assert!(begun.elapsed() >= Duration::from_millis(200));
    let [Delta::Retrying(wait, _)] = &deltas[..] else { panic!("{deltas:?}") };
    assert!(*wait >= Duration::from_millis(200), "{wait:?}");
}

#[tokio::test]
async fn nobody_waits_beyond_the_deadline() {
    let busy = reply("429 Slow down", "retry-after: 3600\r\n", r#"{"error":"Full."}"#);
    let server = Server::saying(&[&busy]).await;
    let begun = Instant::now();
    let error = ask(&server.base, LONG).await.0.unwrap_err().to_string();
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert!(error.contains("Full. (429); there is no time left to wait 3600"), "{error}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_slow_answer_ends_at_the_deadline() {
    let server = Server::saying(&["…"]).await;
    let limit = Duration::from_millis(150);
    let error = ask(&server.base, limit).await.0.unwrap_err();
    assert_eq!(error, ModelError::TimedOut { model: "test:model".into(), limit });
}

#[tokio::test]
async fn a_request_that_is_wrong_is_not_sent_twice() {
    let body = r#"{"error":{"message":"No quota.","code":"insufficient_quota"}}"#;
    for (status, body) in [("400 Bad", r#"{"error":"Bad."}"#), ("429 Slow down", body)] {
        let server = Server::saying(&[&reply(status, "", body)]).await;
        let (answer, deltas) = ask(&server.base, LONG).await;
        assert!(matches!(answer, Err(ModelError::Refused { .. })), "{answer:?}");
        assert_eq!(deltas, []);
        assert_eq!(server.asked().len(), 1);
    }
}

#[tokio::test]
async fn a_key_is_in_no_error_even_if_the_server_repeats_it() {
    let body = format!(r#"{{"error":{{"message":"Not a key: {KEY}"}}}}"#);
    for status in ["401 No", "400 Bad"] {
        let server = Server::saying(&[&reply(status, "", &body)]).await;
        let error = ask(&server.base, LONG).await.0.unwrap_err();
        assert!(error.to_string().contains("Not a key: [key]"), "{error}");
        assert!(!format!("{error:?}").contains(KEY), "{error:?}");
        if status.starts_with("401") {
            assert!(error.to_string().contains("looked for in TEST_KEY"), "{error}");
        }
    }
    let failing = reply("500 Oh", "", &body);
    let server = Server::saying(&[&failing, &failing, &failing]).await;
    let (answer, deltas) = ask(&server.base, LONG).await;
    assert!(!format!("{:?} {deltas:?}", answer.unwrap_err()).contains(KEY));
}

#[tokio::test]
async fn a_redirect_is_told_and_the_key_stays() {
    let elsewhere = Server::saying(&[&reply("200 OK", "", "Fine.")]).await;
    let location = format!("location: {}\r\n", elsewhere.base);
    let server = Server::saying(&[&reply("307 Elsewhere", &location, "")]).await;
    let error = ask(&server.base, LONG).await.0.unwrap_err().to_string();
    assert!(error.contains("a redirect to 127.0.0.1, which is not followed"), "{error}");
    assert!(elsewhere.asked().is_empty());
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_asked_for_again() {
    let half = events("data: Half \n\n");
    let server = Server::saying(&[&half, &events("data: Whole.\n\n")]).await;
    let (answer, deltas) = ask(&server.base, LONG).await;
    assert_eq!(answer.unwrap().text, "Whole.");
    assert_eq!(
        deltas[1],
        Delta::Wasted(crate::model::Tokens::default()),
        "its beginning is paid for"
    );
    assert!(matches!(&deltas[2], Delta::Retrying(_, why) if why == "it broke off"), "{deltas:?}");
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nshort";
    let server = Server::saying(&[&half, cut, &half]).await;
    let error = ask(&server.base, LONG).await.0.unwrap_err();
    assert!(matches!(error, ModelError::Garbled { .. }), "{error:?}");
    assert_eq!(server.asked().len(), 3);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_asked_again_and_then_said_to_be_away() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base: Url = format!("http://user:pass@{}", listener.local_addr().unwrap()).parse().unwrap();
    drop(listener);
    let (answer, deltas) = ask(&base, LONG).await;
    let error = answer.unwrap_err().to_string();
    assert!(error.contains("3 tries") && error.contains("refused"), "{error}");
    let tried = format!("at http://127.0.0.1:{}: is it running?", base.port().unwrap());
    assert!(error.contains(&tried), "{error}");
    assert!(!error.contains("pass"), "{error}");
    assert_eq!(deltas.len(), 2);
}
