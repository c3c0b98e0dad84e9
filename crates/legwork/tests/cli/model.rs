//! The real program with a model: a server that speaks Chat Completions gives it the answers of a script.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::run::states;
use crate::support::{Site, User};

/// A model that makes these calls, one with each answer, and then fails.
pub struct Completions {
    pub url: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Completions {
    /// For `--model chat:NAME?streaming=no` of a user with `OPENAI_BASE_URL`.
    pub fn of(calls: Vec<(&'static str, Value)>) -> Completions {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
        let asks = asked.clone();
        std::thread::spawn(move || {
            let mut calls = calls.into_iter();
            for stream in listener.incoming().flatten() {
                let (status, body) = match calls.next() {
                    Some(call) => ("200 OK", completion(call)),
                    None => ("400 Bad Request", json!({ "error": { "message": "that was all" } })),
                };
                asks.lock().unwrap().push(answered(stream, status, &body.to_string()));
            }
        });
        Completions { url, asked }
    }

    /// What it was asked, each a body.
    pub fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

fn completion((name, arguments): (&str, Value)) -> Value {
    let function = json!({ "name": name, "arguments": arguments.to_string() });
    let call = json!({ "id": "call_1", "type": "function", "function": function });
    let message = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
    json!({
        "id": "c", "object": "chat.completion", "created": 0, "model": "x",
        "choices": [{ "index": 0, "finish_reason": "tool_calls", "message": message }],
        "usage": { "prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020 },
    })
}

/// Reads one request, answers it, and gives its body.
fn answered(stream: TcpStream, status: &str, body: &str) -> Value {
    let mut stream = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    while stream.read_line(&mut line).unwrap() > 2 {
        let header = line.to_ascii_lowercase();
        let said = header.strip_prefix("content-length:").and_then(|it| it.trim().parse().ok());
        length = said.unwrap_or(length);
        line.clear();
    }
    let mut asked = vec![0; length];
    stream.read_exact(&mut asked).unwrap();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}",
        body.len()
    );
    stream.get_mut().write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
    serde_json::from_slice(&asked).unwrap()
}

const PAGES: &[(&str, &str)] = &[
    ("/", "<title>Stable</title><h1>Stable</h1><a href=/dashboard>Enter</a>"),
    ("/dashboard", "<title>Within</title><h1>Welcome, admin</h1>"),
];

/// Clicks what is there, and says that it is done.
fn enters() -> (Completions, User) {
    let click = ("browser_click", json!({ "target": "Enter" }));
    let done = ("done", json!({ "outcome": "went in", "seen": "Welcome, admin" }));
    let model = Completions::of(vec![click, done]);
    let user = User::new().with("OPENAI_BASE_URL", &model.url).with("OPENAI_API_KEY", "sk-x");
    (model, user)
}

const MODEL: &str = "chat:x?streaming=no&price=1/1";

#[test]
fn what_exact_work_does_not_find_a_model_does_and_its_cost_is_told() {
    let ((model, user), site) = (enters(), Site::with(PAGES));
    let text = format!("go to {}, click Unicorn", site.url("/"));
    let ended = user.run(&["run", "--model", MODEL, "--json", &text]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let states = states(&ended.out);
    let last = states.last().unwrap();
    assert_eq!(last["status"], "completed", "{last}");
    assert_eq!(last["tasks"]["tasks"][1]["outcome"], "went in", "{last}");
    let usage = &last["usage"];
    assert_eq!(usage["turns"], 2, "{usage}");
    assert_eq!((&usage["inputTokens"], &usage["outputTokens"]), (&json!(2000), &json!(40)));
    assert_eq!(usage["costMicros"], 2040, "a dollar for a million tokens: {usage}");
    let asked = model.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked[0].to_string().contains("Unicorn"), "{}", asked[0]);
    assert!(asked[1].to_string().contains("Welcome, admin"), "it saw what came of its call");
    assert!(user.done(&["eval", "document.title"]).contains("Within"));
}

#[test]
fn a_model_heals_a_step_of_a_recipe_which_learns_it() {
    let ((model, user), site) = (enters(), Site::with(PAGES));
    let moved = format!(
        "name = \"log-in\"\n[[steps]]\ntool = \"navigate\"\nvalue = {:?}\n[[steps]]\ntool = \"click\"\n\
         [steps.element]\nrole = \"button\"\nname = \"Unicorn\"\nfind = [\"css=#unicorn\"]\n",
        site.url("/")
    );
    std::fs::write(user.path("moved.toml"), &moved).unwrap();
    let healed = user.json(&["replay", "moved.toml", "--heal", "--model", MODEL, "--update"]);
    assert_eq!((&healed["done"], &healed["steps"]), (&json!(2), &json!(2)), "{healed}");
    assert_eq!(healed["healed"][0]["step"], 2, "{healed}");
    assert_eq!(healed["healed"].as_array().unwrap().len(), 1, "{healed}");
    assert_eq!((&healed["tokens"], model.asked().len()), (&json!(2040), 2), "{healed}");
    let learnt = std::fs::read_to_string(user.path("moved.toml")).unwrap();
    assert!(learnt.contains("\"Enter\"") && !learnt.contains("unicorn"), "{learnt}");
    let again = user.json(&["replay", "moved.toml"]);
    assert_eq!((&again["healed"], &again["tokens"]), (&json!([]), &json!(0)), "{again}");
}
