//! A real model on this machine, small enough to come with its weights from a registry: `make local-model`. What it
//! chooses is mostly wrong. That the loop asks it, that it is held to calls that can be read, and that it hears what
//! came of them, is what this shows.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use legwork_agent::model::{
    Abilities, Answer, Asking, Delta, Heard, Model, ModelSettings, Part, Request, Turn, choose,
};
use legwork_agent::think::{ThinkError, pursue};
use legwork_protocol::assistant::Reaction;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::scripted::{Recorder, goal};
use crate::support::{Rig, Site, html};

const PAGE: &str = "<title>Notes</title><h1>Notes</h1><label>Title <input></label>\
    <button onclick=\"document.title = 'Saved'\">Save</button>";
const TURNS: usize = 5;

/// A server with the model that `make local-model` got.
async fn serve() -> (Child, ModelSettings) {
    let model = std::env::var("LEGWORK_LOCAL_MODEL").expect("make local-model says which model");
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut child = Command::new("python3")
        .arg(here.join("tests/vendors/local_model.py"))
        .arg(model)
        .env("PYTHONPATH", here.join("../../.cache/local-model/python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let address = lines.next_line().await.unwrap().expect("the server says its address");
    let base_url = Some(format!("{address}/v1").parse().unwrap());
    (child, ModelSettings { base_url, window: Some(8192), ..ModelSettings::default() })
}

/// A model that tells what it is asked and answers, and gets the time that it needs.
struct Told {
    model: Arc<dyn Model>,
    answers: Mutex<Vec<(Request, Answer)>>,
}

impl Model for Told {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn abilities(&self) -> Abilities {
        self.model.abilities()
    }

    fn ask<'a>(&'a self, request: &'a Request, heard: &'a Heard) -> Asking<'a> {
        Box::pin(async move {
            let begun = Instant::now();
            let request = Request { deadline: Duration::from_secs(600), ..request.clone() };
            let answer = self.model.ask(&request, heard).await?;
            let told = match &answer.calls[..] {
                [call] => format!("{} {:?}", call.name, call.arguments),
                _ => answer.text.clone(),
            };
            eprintln!("{:.1?}, {:?}: {told}", begun.elapsed(), answer.usage);
            self.answers.lock().unwrap().push((request, answer.clone()));
            Ok(answer)
        })
    }
}

impl Told {
    fn new(name: &str, settings: &ModelSettings) -> Told {
        Told { model: choose(name, settings).unwrap(), answers: Mutex::default() }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "make local-model gets the model and runs it"]
async fn local_model_drives_the_loop_in_a_browser() {
    let (_server, settings) = serve().await;
    let model = Told::new("local:smollm2", &settings);
    let site = Site::start(|_| html(PAGE)).await;
    let rig = Rig::new();
    rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    let mut hands = Recorder::new(&rig.host).reacting(|_| Reaction::Skip);
    hands.most_turns = TURNS;
    let goal = goal("Type Milk into the field Title and click Save.");
    let came = pursue(&goal, &model, &mut hands).await;
    eprintln!("what came of it: {came:?}");
    for line in &hands.log {
        eprintln!("  {line}");
    }
    assert!(!matches!(came, Err(ThinkError::Model(_))), "{came:?}");
    let answers = model.answers.lock().unwrap();
    assert!(!answers.is_empty());
    for (request, answer) in answers.iter() {
        assert!(answer.usage.input > 0 && answer.usage.output > 0);
        let [call] = &answer.calls[..] else { panic!("it was held to one call: {answer:?}") };
        assert!(request.tools.iter().any(|tool| tool.name == call.name), "{call:?}");
        assert!(call.arguments.is_ok(), "{call:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "make local-model gets the model and runs it"]
async fn local_model_keeps_to_a_schema_streamed_or_not() {
    let (_server, settings) = serve().await;
    let whole = ModelSettings { streaming: false, ..settings.clone() };
    let schema = json!({
        "type": "object",
        "properties": { "done": { "type": "boolean" }, "colour": { "enum": ["red", "green"] } },
        "required": ["done", "colour"],
        "additionalProperties": false,
    });
    for settings in [&settings, &whole] {
        let model = Told::new("llamacpp:smollm2", settings);
        let mut formed = request("Answer in JSON.", "Is grass green?");
        formed.schema = Some(("verdict".into(), serde_json::from_value(schema.clone()).unwrap()));
        let answer = model.ask(&formed, &|_| {}).await.unwrap();
        let verdict: serde_json::Value = serde_json::from_str(&answer.text).unwrap();
        assert!(verdict["done"].is_boolean(), "{verdict}");
        assert!(["red", "green"].contains(&verdict["colour"].as_str().unwrap()), "{verdict}");
        let words = Arc::new(Mutex::new(String::new()));
        let hears = words.clone();
        let heard = move |delta| {
            if let Delta::Text(text) = delta {
                hears.lock().unwrap().push_str(&text);
            }
        };
        let plain = model.ask(&request("Be brief.", "Say hello."), &heard).await.unwrap();
        let streamed = if settings.streaming { plain.text.as_str() } else { "" };
        assert_eq!(*words.lock().unwrap(), streamed);
        assert!(!plain.text.is_empty() && plain.usage.output > 0);
    }
}

fn request(system: &str, said: &str) -> Request {
    Request {
        system: system.into(),
        turns: vec![Turn::User(vec![Part::Text(said.into())])],
        max_output: 200,
        ..Request::default()
    }
}
