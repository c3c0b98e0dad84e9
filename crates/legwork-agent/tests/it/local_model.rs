//! A real model on this machine, small enough to come with its weights from a registry: `make local-model`. What it
//! chooses is mostly wrong. That it is asked, held to calls that our tools read, and told what came of them, is what
//! this shows.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use legwork_agent::model::{
    Answer, Delta, Model, ModelSettings, Part, Request, Tool, ToolResult, Turn, choose,
};
use legwork_protocol::Action;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::support::{Rig, Site, html};

const PAGE: &str = "<title>Notes</title><h1>Notes</h1><label>Title <input></label>\
    <button onclick=\"document.title = 'Saved'\">Save</button>";
const TURNS: usize = 4;

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

fn request(system: &str, said: &str) -> Request {
    Request {
        system: system.into(),
        turns: vec![Turn::User(vec![Part::Text(said.into())])],
        max_output: 200,
        deadline: Duration::from_secs(600),
        ..Request::default()
    }
}

/// A few of our tools, as they are offered to models.
fn tools() -> Vec<Tool> {
    let names = ["browser_snapshot", "browser_click", "browser_type", "browser_press_key"];
    let specs = names.map(|name| legwork_protocol::find(name).unwrap());
    let tool = |spec: &legwork_protocol::Spec| Tool {
        name: spec.name.into(),
        about: spec.about.to_string(),
        schema: spec.schema.clone(),
    };
    specs.into_iter().map(tool).collect()
}

/// Asks, and says how long it took and what it was.
async fn ask(model: &dyn Model, request: &Request) -> Answer {
    let begun = Instant::now();
    let words = Arc::new(Mutex::new(String::new()));
    let hears = words.clone();
    let heard = move |delta| {
        if let Delta::Text(text) = delta {
            hears.lock().unwrap().push_str(&text);
        }
    };
    let answer = model.ask(request, &heard).await.unwrap();
    let told = if answer.calls.is_empty() {
        assert!(words.lock().unwrap().is_empty() || *words.lock().unwrap() == answer.text);
        answer.text.clone()
    } else {
        format!("{} {:?}", answer.calls[0].name, answer.calls[0].arguments)
    };
    println!("{:.1?}, {:?}: {told}", begun.elapsed(), answer.usage);
    assert!(answer.usage.input > 0 && answer.usage.output > 0);
    answer
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "make local-model gets the model and runs it"]
async fn local_model_calls_our_tools_in_a_browser_and_hears_what_came_of_it() {
    let (_server, settings) = serve().await;
    let model = choose("local:smollm2", &settings).unwrap();
    let site = Site::start(|_| html(PAGE)).await;
    let rig = Rig::new();
    let page = rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    let said = format!("Type Milk into Title and click Save. The page:\n{}", page.text);
    let mut request = request("You use a browser for a person.", &said);
    request.tools = tools();
    request.must_call = true;
    let mut done = 0;
    for _ in 0..TURNS {
        let answer = ask(model.as_ref(), &request).await;
        let [call] = &answer.calls[..] else { panic!("it was held to one call: {answer:?}") };
        let arguments = call.arguments.clone().unwrap();
        // An answer that ran out of room is the one way out of the schema.
        let read = Action::parse(&call.name, arguments.clone());
        assert!(read.is_ok(), "{:?}: {:?}", call, read.err());
        let came = rig.call(&call.name, arguments.into()).await;
        let (text, failed) = match came {
            Ok(reply) => (reply.text, false),
            Err(error) => (error.to_string(), true),
        };
        println!("  {}", text.lines().next().unwrap_or_default());
        done += usize::from(!failed);
        let result = ToolResult {
            id: call.id.clone(),
            name: call.name.clone(),
            parts: vec![Part::Text(text.chars().take(600).collect())],
            failed,
            url: None,
            acknowledged: false,
        };
        request.turns.push(Turn::Model(answer));
        request.turns.push(Turn::Tools(vec![result]));
    }
    println!("{done} of {TURNS} calls did something");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "make local-model gets the model and runs it"]
async fn local_model_keeps_to_a_schema_and_says_the_same_streamed_or_not() {
    let (_server, settings) = serve().await;
    let whole = ModelSettings { streaming: false, ..settings.clone() };
    let schema = json!({
        "type": "object",
        "properties": { "done": { "type": "boolean" }, "colour": { "enum": ["red", "green"] } },
        "required": ["done", "colour"],
        "additionalProperties": false,
    });
    for settings in [&settings, &whole] {
        let model = choose("llamacpp:smollm2", settings).unwrap();
        let mut formed = request("Answer in JSON.", "Is grass green?");
        formed.schema = Some(("verdict".into(), serde_json::from_value(schema.clone()).unwrap()));
        let answer = ask(model.as_ref(), &formed).await;
        let verdict: serde_json::Value = serde_json::from_str(&answer.text).unwrap();
        assert!(verdict["done"].is_boolean(), "{verdict}");
        assert!(["red", "green"].contains(&verdict["colour"].as_str().unwrap()), "{verdict}");
        let plain = ask(model.as_ref(), &request("Be brief.", "Say hello.")).await;
        assert!(!plain.text.is_empty());
    }
}
