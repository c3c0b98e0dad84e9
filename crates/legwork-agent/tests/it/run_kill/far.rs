//! The process that runs. Its browser, its model and its person are in the process that kills it.

use std::path::PathBuf;
use std::sync::Arc;

use legwork_agent::model::{self, Abilities, Answer, Asking, Model, ModelError, Request};
use legwork_agent::run::{Assistant, RunError, Settings};
use legwork_protocol::assistant::{AssistanceRequest, Execute, Feedback, Payload, Reaction};
use legwork_protocol::{Called, Code, Reply, ToolCall, ToolError, ToolHost};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;

use crate::errand::{execute, reply_to, settings};
use crate::scripted;

/// What the process that runs says to the one that has the browser.
#[derive(Serialize, Deserialize)]
pub enum Said {
    /// It is there, and has begun nothing.
    Here,
    /// The run is begun or gone on with.
    Begun,
    Call {
        session: String,
        tool: String,
        arguments: Map<String, Value>,
    },
    Think(Thought),
    Ask(AssistanceRequest),
}

/// What a model is asked. Nothing else is known to who answers.
#[derive(Serialize, Deserialize)]
pub struct Thought {
    /// It is to make a plan.
    pub plans: bool,
    /// The conversation without its own words.
    pub shown: String,
}

/// And what it hears.
#[derive(Serialize, Deserialize)]
pub enum Heard {
    Well,
    Called(Result<Reply, ToolError>),
    Thought(Thinks),
    Answered(Reaction),
}

/// What a model answers.
#[derive(Serialize, Deserialize)]
pub enum Thinks {
    Words(String),
    Call(String, Value),
}

impl Thinks {
    fn answer(self) -> Answer {
        match self {
            Thinks::Words(words) => scripted::words(&words),
            Thinks::Call(tool, arguments) => scripted::call(&tool, arguments),
        }
    }
}

/// A line to the process that has the browser: one thing said, one thing heard.
struct Far(PathBuf);

impl Far {
    async fn say(&self, said: &Said) -> std::io::Result<Heard> {
        let mut stream = BufReader::new(UnixStream::connect(&self.0).await?);
        stream.write_all(format!("{}\n", serde_json::to_string(said)?).as_bytes()).await?;
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        Ok(serde_json::from_str(&line)?)
    }
}

impl ToolHost for Far {
    fn call(&self, call: ToolCall) -> Called<'_> {
        Box::pin(async move {
            let ToolCall { session, tool, arguments, .. } = call;
            match self.say(&Said::Call { session, tool, arguments }).await {
                Ok(Heard::Called(answer)) => answer,
                other => {
                    Err(ToolError::new(Code::Internal, format!("no answer: {}", other.is_ok())))
                }
            }
        })
    }

    fn end<'a>(&'a self, _: &'a str) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async {})
    }
}

impl Model for Far {
    fn name(&self) -> &str {
        "far:away"
    }

    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    fn ask<'a>(&'a self, request: &'a Request, _: &'a model::Heard) -> Asking<'a> {
        let thought = Thought { plans: request.schema.is_some(), shown: scripted::shown(request) };
        Box::pin(async move {
            match self.say(&Said::Think(thought)).await {
                Ok(Heard::Thought(thinks)) => Ok(thinks.answer()),
                other => Err(ModelError::Unavailable {
                    model: self.name().to_owned(),
                    tries: 1,
                    message: format!("no answer: {}", other.is_ok()),
                }),
            }
        })
    }
}

/// What the process that runs is told by its environment.
#[derive(Serialize, Deserialize)]
pub struct Orders {
    pub socket: PathBuf,
    pub folder: PathBuf,
    pub session: String,
    pub instruction: String,
}

impl Orders {
    /// Goes on with the run there is, or begins it: a process may be killed before it had begun one.
    fn run(&self, assistant: &Assistant) -> Result<String, RunError> {
        match assistant.runs()?.first() {
            Some(run) => assistant.resume(&run.run_id).map(|()| run.run_id.clone()),
            None => {
                let instruction = self.instruction.clone();
                assistant.start(Execute { instruction, ..execute(&self.session) }, "q")
            }
        }
    }
}

/// The process that runs. Not a test of its own: it is started, and killed, by the one above.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "is started by the test that kills it"]
async fn the_process_that_runs() {
    let orders: Orders = serde_json::from_str(&std::env::var("LEGWORK_ORDERS").unwrap()).unwrap();
    let far = Arc::new(Far(orders.socket.clone()));
    far.say(&Said::Here).await.unwrap();
    let with = Settings { model: Some(far.clone()), ..settings(&orders.folder) };
    let assistant = Assistant::new(far.clone(), with).unwrap();
    let mut stream = assistant.subscribe();
    let run = orders.run(&assistant).unwrap();
    let answers = async {
        far.say(&Said::Begun).await.unwrap();
        while let Ok(message) = stream.recv().await {
            if let Payload::UserAssistance(Feedback::Request(request)) = message.payload {
                let Ok(Heard::Answered(reaction)) = far.say(&Said::Ask(request.clone())).await
                else {
                    panic!("nobody answers");
                };
                assistant.answer(reply_to(&request, reaction)).unwrap();
            }
        }
    };
    tokio::select! { _ = assistant.wait(&run) => {}, () = answers => {} }
}
