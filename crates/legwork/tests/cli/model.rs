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
        Completions::writing(calls, |call| ("application/json", completion(call).to_string()))
    }

    /// The same in pieces, for `--model chat:NAME`.
    fn streaming(calls: Vec<(&'static str, Value)>) -> Completions {
        Completions::writing(calls, |call| ("text/event-stream", pieces(call)))
    }

    fn writing(
        calls: Vec<(&'static str, Value)>,
        write: fn((&str, Value)) -> (&'static str, String),
    ) -> Completions {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
        let asks = asked.clone();
        std::thread::spawn(move || {
            let mut calls = calls.into_iter();
            for stream in listener.incoming().flatten() {
                let over = json!({ "error": { "message": "that was all" } }).to_string();
                let (status, (kind, body)) = match calls.next() {
                    Some(call) => ("200 OK", write(call)),
                    None => ("400 Bad Request", ("application/json", over)),
                };
                let head = format!("{status}\r\nContent-Type: {kind}");
                asks.lock().unwrap().push(answered(stream, &head, &body));
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

/// An answer as a stream of events, with the arguments cut in the middle.
fn pieces((name, arguments): (&str, Value)) -> String {
    let arguments = arguments.to_string();
    let (first, rest) = arguments.split_at(arguments.len() / 2);
    let of = |call: Value| json!({ "delta": { "tool_calls": [call] }, "index": 0, "finish_reason": null });
    let function = json!({ "name": name, "arguments": first });
    let begins =
        of(json!({ "index": 0, "id": "call_1", "type": "function", "function": function }));
    let goes_on = of(json!({ "index": 0, "function": { "arguments": rest } }));
    let ends = json!({ "delta": {}, "index": 0, "finish_reason": "tool_calls" });
    let usage = json!({ "prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020 });
    let chunks = [json!([begins]), json!([goes_on]), json!([ends]), json!([])];
    let chunks = chunks.into_iter().enumerate().map(|(at, choices)| {
        let usage = if at == 3 { usage.clone() } else { Value::Null };
        let chunk = json!({
            "id": "c", "object": "chat.completion.chunk", "created": 0, "model": "x",
            "choices": choices, "usage": usage,
        });
        format!("data: {chunk}\n\n")
    });
    chunks.chain(["data: [DONE]\n\n".to_owned()]).collect()
}

/// Reads one request, answers it, and gives its body.
fn answered(stream: TcpStream, head: &str, body: &str) -> Value {
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
    let head = format!("HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {}", body.len());
    stream.get_mut().write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
    serde_json::from_slice(&asked).unwrap()
}

const PAGES: &[(&str, &str)] = &[
    ("/", "<title>Stable</title><h1>Stable</h1><a href=/dashboard>Enter</a>"),
    ("/dashboard", "<title>Within</title><h1>Welcome, admin</h1>"),
];

/// Clicks what is there, and says that it is done.
fn calls() -> Vec<(&'static str, Value)> {
    let click = ("browser_click", json!({ "target": "Enter" }));
    let done = ("done", json!({ "outcome": "went in", "seen": "Welcome, admin" }));
    vec![click, done]
}

fn enters() -> (Completions, User) {
    let model = Completions::of(calls());
    let user = asking(&model);
    (model, user)
}

fn asking(model: &Completions) -> User {
    User::new().with("OPENAI_BASE_URL", &model.url).with("OPENAI_API_KEY", "sk-x")
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
fn answers_that_come_in_pieces_are_put_together_and_paid_for() {
    let (model, site) = (Completions::streaming(calls()), Site::with(PAGES));
    let text = format!("go to {}, click Unicorn", site.url("/"));
    let ended = asking(&model).run(&["run", "--model", "chat:x?price=1/1", "--json", &text]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let states = states(&ended.out);
    let last = states.last().unwrap();
    assert_eq!(last["tasks"]["tasks"][1]["outcome"], "went in", "{last}");
    assert_eq!((&last["usage"]["turns"], &last["usage"]["costMicros"]), (&json!(2), &json!(2040)));
    assert!(model.asked().iter().all(|asked| asked["stream"] == true), "{:?}", model.asked());
}

#[test]
fn what_a_run_may_cost_is_said_on_the_command_line_and_kept_to() {
    let site = Site::with(PAGES);
    let url = site.url("/");
    for (option, limit, what, said) in [
        ("--max-turns", "1", "click Unicorn", "1 turns of the model"),
        ("--max-tokens", "1000", "click Unicorn", "1000 tokens"),
        ("--max-cost", "0.001", "click Unicorn", "0.001000 US dollars"),
        ("--time-budget", "3s", "wait 60 seconds", "3 seconds at work"),
    ] {
        let (model, user) = enters();
        let text = format!("go to {url}, {what}");
        let ended = user.run(&["run", "--model", MODEL, option, limit, "--json", &text]);
        assert_eq!(ended.code, 1, "{option}: {}", ended.err);
        let states = states(&ended.out);
        let last = states.last().unwrap();
        let outcome = last["tasks"]["tasks"][1]["outcome"].as_str().unwrap();
        assert_eq!(outcome, format!("the run may not cost more: {said}"), "{option}");
        assert!(model.asked().len() <= 1, "{option}: it was asked once more");
    }
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
