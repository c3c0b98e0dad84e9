//! Adapters against a local server that checks every request with the vendor's own Python types and answers in
//! the vendor's format: `tests/vendors/server.py` says what it plays.

mod anthropic;
mod chat;
mod gemini;
mod openai;
mod pointing;
mod waiting;

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use legwork_agent::model::{
    Answer, Call, Delta, ModelError, ModelSettings, Part, Request, Tokens, Tool, ToolResult, Turn,
    choose,
};
use legwork_protocol::Image;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// The key that the server takes.
pub const KEY: &str = "test-key";

/// A server that plays a vendor.
pub struct Vendor {
    /// Ends with its standard input, and at the latest when this is dropped.
    _child: Child,
    origin: String,
    runs: AtomicU32,
}

/// What came of asking, and what was heard meanwhile.
pub struct Asked {
    pub answer: Result<Answer, ModelError>,
    pub heard: Vec<Delta>,
}

impl Vendor {
    /// Starts one that plays these modules of `tests/vendors`.
    pub async fn start(modules: &[&str]) -> Vendor {
        let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let types = here.join("../../.cache/vendors/python");
        assert!(types.exists(), "the vendors' types are missing: run scripts/setup --tests");
        let mut child = Command::new("python3")
            .arg(here.join("tests/vendors/server.py"))
            .args(modules)
            .env("PYTHONPATH", types)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.next_line().await.unwrap().expect("the server says its port");
        Vendor {
            _child: child,
            origin: format!("http://127.0.0.1:{port}"),
            runs: AtomicU32::new(0),
        }
    }

    /// Settings for one run of a scenario, below this path of the vendor's.
    pub fn settings(&self, scenario: &str, path: &str) -> ModelSettings {
        let run = self.runs.fetch_add(1, Ordering::Relaxed);
        let base = format!("{}/{scenario}/{run}{path}", self.origin);
        let providers = ["openai", "anthropic", "gemini", "chat"];
        ModelSettings {
            keys: providers.map(|provider| (provider.to_string(), KEY.into())).into(),
            base_url: Some(base.parse().unwrap()),
            environment: Arc::new(|_| None),
            ..ModelSettings::default()
        }
    }

    /// Asks a model, and fails with the validator's words if the request was not as the vendor's types have it.
    pub async fn ask(&self, model: &str, settings: &ModelSettings, request: &Request) -> Asked {
        let model = choose(model, settings).unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = heard.clone();
        let answer = model.ask(request, &move |delta| hears.lock().unwrap().push(delta)).await;
        let complaints = self.get("complaints").await;
        let complaints: Vec<_> = complaints.iter().filter_map(Value::as_str).collect();
        assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
        let heard = heard.lock().unwrap().clone();
        Asked { answer, heard }
    }

    /// Asks with and without streaming, which have to agree.
    pub async fn both(
        &self,
        model: &str,
        scenario: &str,
        path: &str,
        request: &Request,
    ) -> [Asked; 2] {
        let streamed = self.settings(scenario, path);
        let whole = ModelSettings { streaming: false, ..self.settings(scenario, path) };
        [self.ask(model, &streamed, request).await, self.ask(model, &whole, request).await]
    }

    /// What is sent for a request, which has to be answered both ways.
    pub async fn sent(&self, model: &str, path: &str, request: &Request) -> Value {
        for asked in self.both(model, "plain", path, request).await {
            asked.answer();
        }
        self.requests().await.pop().unwrap()
    }

    /// The bodies of all requests so far.
    pub async fn requests(&self) -> Vec<Value> {
        self.get("requests").await
    }

    /// Whether the server sees something happen, which is waited for.
    pub async fn sees(&self, what: &str) -> bool {
        self.get(what).await == [json!(true)]
    }

    async fn get(&self, what: &str) -> Vec<Value> {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let reply = client.get(format!("{}/{what}", self.origin)).send().await.unwrap();
        reply.json().await.unwrap()
    }
}

impl Asked {
    /// The words that were heard, put together.
    pub fn words(&self) -> String {
        let words = self.heard.iter().filter_map(|delta| match delta {
            Delta::Text(text) => Some(text.as_str()),
            _ => None,
        });
        words.collect()
    }

    /// The tools that were heard to be called.
    pub fn calling(&self) -> Vec<&str> {
        let tools = self.heard.iter().filter_map(|delta| match delta {
            Delta::Calling(tool) => Some(tool.as_str()),
            _ => None,
        });
        tools.collect()
    }

    pub fn retries(&self) -> usize {
        self.heard.iter().filter(|delta| matches!(delta, Delta::Retrying(..))).count()
    }

    /// What the answers cost that could not be used.
    pub fn wasted(&self) -> Vec<Tokens> {
        let wasted = self.heard.iter().filter_map(|delta| match delta {
            Delta::Wasted(tokens) => Some(*tokens),
            _ => None,
        });
        wasted.collect()
    }

    /// The answer, which there has to be.
    pub fn answer(&self) -> Answer {
        self.answer.clone().unwrap()
    }

    pub fn error(&self) -> ModelError {
        self.answer.clone().unwrap_err()
    }
}

/// A request with two tools and an instruction.
pub fn request() -> Request {
    let target = json!({ "type": "string", "description": "What to click" });
    let click =
        json!({ "type": "object", "properties": { "target": target }, "required": ["target"] });
    let nothing = json!({ "type": "object", "properties": {} });
    let tool = |name: &str, about: &str, schema: Value| Tool {
        name: name.into(),
        about: about.into(),
        schema: object(schema),
    };
    Request {
        system: "You use a browser for a person.".into(),
        turns: vec![Turn::User(vec![Part::Text("Save it, please.".into())])],
        tools: vec![
            tool("browser_click", "Clicks an element and says what happened.", click),
            tool("browser_snapshot", "Shows the page.", nothing),
        ],
        max_output: 1000,
        deadline: Duration::from_secs(30),
        ..Request::default()
    }
}

/// The same without tools, to be answered in this form.
pub fn formed(schema: Value) -> Request {
    Request { tools: Vec::new(), schema: Some(("verdict".into(), object(schema))), ..request() }
}

/// What follows an answer: it, and a result of words and a picture for each of its calls.
pub fn followed(mut request: Request, answer: &Answer, acknowledged: bool) -> Request {
    let result = |call: &Call| ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        parts: vec![Part::Text("Nothing changed.".into()), Part::Picture(picture())],
        failed: false,
        url: Some("http://127.0.0.1/?token=1#here".into()),
        acknowledged: acknowledged && call.safety.is_some(),
    };
    request.turns.push(Turn::Model(answer.clone()));
    request.turns.push(Turn::Tools(answer.calls.iter().map(result).collect()));
    request
}

/// A picture of 2 x 4 pixels.
pub fn picture() -> Image {
    let data = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAAECAAAAACBhLHlAAAADUlEQVR4nGP4z8AAQwAZ8gP95hyDfwAAAABJRU5ErkJggg==";
    Image::new("image/png", data)
}

pub fn object(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { panic!("{value} is no object") };
    map
}

/// A short deadline, for what never comes.
pub fn soon(request: Request) -> Request {
    Request { deadline: Duration::from_millis(700), ..request }
}
