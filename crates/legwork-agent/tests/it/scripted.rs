//! A model that says what a test has it say, and hands that remember what they did.
#![allow(dead_code, reason = "each test uses a part")]

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use legwork_agent::model::{
    Abilities, Answer, Asking, Call, Heard, Model, ModelError, Part, Request, Stop, Tokens, Turn,
};
use legwork_agent::run::{Boxed, Hands, Spent, Step};
use legwork_agent::think::Goal;
use legwork_protocol::assistant::{AssistanceRequest, Reaction};
use legwork_protocol::{Person, Reply, ToolCall, ToolError, ToolHost};
use legwork_tools::Host;
use serde_json::{Map, Value, json};

type Play = Box<dyn FnMut(&Request) -> Result<Answer, ModelError> + Send>;

/// A model by script. It keeps every request that it was asked.
pub struct Scripted {
    play: Mutex<Play>,
    abilities: Abilities,
    pub requests: Mutex<Vec<Request>>,
}

impl Scripted {
    /// Answers by a closure that sees the request.
    pub fn by(
        play: impl FnMut(&Request) -> Result<Answer, ModelError> + Send + 'static,
    ) -> Scripted {
        let (requests, abilities) = (Mutex::default(), Abilities::default());
        Scripted { play: Mutex::new(Box::new(play)), abilities, requests }
    }

    /// Gives these answers, one after the other.
    pub fn says(answers: impl IntoIterator<Item = Answer>) -> Scripted {
        let mut answers: VecDeque<Answer> = answers.into_iter().collect();
        Scripted::by(move |_| Ok(answers.pop_front().expect("the script has an answer")))
    }

    pub fn able(self, abilities: Abilities) -> Scripted {
        Scripted { abilities, ..self }
    }

    pub fn seeing(self) -> Scripted {
        self.able(Abilities { vision: true, ..Abilities::default() })
    }

    /// The texts that the model was shown last: our words, the person's and the tools'.
    pub fn shown(&self) -> String {
        let requests = self.requests.lock().unwrap();
        requests.last().map(shown).unwrap_or_default()
    }

    /// The texts of the results of the last calls in the n-th request.
    pub fn result(&self, request: usize) -> String {
        let requests = self.requests.lock().unwrap();
        let results = requests[request].turns.iter().rev().find_map(|turn| match turn {
            Turn::Tools(results) => {
                Some(results.iter().flat_map(|one| &one.parts).map(text).collect())
            }
            _ => None,
        });
        results.unwrap_or_default()
    }
}

impl Model for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn abilities(&self) -> Abilities {
        self.abilities
    }

    fn ask<'a>(&'a self, request: &'a Request, _: &'a Heard) -> Asking<'a> {
        self.requests.lock().unwrap().push(request.clone());
        let answer = (self.play.lock().unwrap())(request);
        Box::pin(async move { answer })
    }
}

pub fn text(part: &Part) -> String {
    match part {
        Part::Text(text) => format!("{text}\n"),
        Part::Picture(_) => "(picture)\n".to_owned(),
    }
}

/// Everything in a request but the model's own words.
pub fn shown(request: &Request) -> String {
    let mut out = format!("{}\n", request.system);
    for turn in &request.turns {
        match turn {
            Turn::User(parts) => out.extend(parts.iter().map(text)),
            Turn::Tools(results) => {
                out.extend(results.iter().flat_map(|one| &one.parts).map(text));
            }
            Turn::Model(_) => {}
        }
    }
    out
}

/// An answer that makes one call.
pub fn call(name: &str, arguments: Value) -> Answer {
    calls([(name, arguments)])
}

/// An answer that makes several calls.
pub fn calls<'a>(list: impl IntoIterator<Item = (&'a str, Value)>) -> Answer {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let one = |(name, arguments): (&str, Value)| {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let id = format!("call_{}", CALLS.fetch_add(1, Ordering::Relaxed));
        Call { id, name: name.into(), arguments: Ok(arguments), safety: None }
    };
    let calls = list.into_iter().map(one).collect();
    Answer {
        calls,
        stop: Stop::Calls,
        usage: Tokens { input: 10, cached: 0, output: 5 },
        ..Answer::default()
    }
}

/// An answer that only says something.
pub fn words(text: &str) -> Answer {
    Answer { text: text.into(), ..Answer::default() }
}

pub fn done(outcome: &str, seen: &str) -> Answer {
    call("done", json!({ "outcome": outcome, "seen": seen }))
}

pub fn goal(task: &str) -> Goal {
    Goal {
        task: task.into(),
        instruction: task.into(),
        context: Default::default(),
        obstacle: None,
    }
}

type Reacts = Box<dyn FnMut(&AssistanceRequest) -> Reaction + Send>;

/// Hands that call a host and remember everything in order.
pub struct Recorder {
    host: Arc<Host>,
    person: Option<Arc<dyn Person>>,
    reacts: Reacts,
    /// `call browser_click {…}`, `ask captcha …`.
    pub log: Vec<String>,
    pub asked: Vec<AssistanceRequest>,
    /// Said before the turn of that number.
    pub remarks: Vec<(usize, String)>,
    pub turns: usize,
    pub most_turns: usize,
    /// How often the model may be asked.
    pub most_asked: Option<usize>,
    pub before: Vec<Step>,
    /// What the person does in the browser, when asked.
    pub does: Option<String>,
    /// The next calls of these tools fail so.
    pub failing: Vec<(String, ToolError)>,
}

impl Recorder {
    pub fn new(host: &Arc<Host>) -> Recorder {
        Recorder {
            host: host.clone(),
            person: None,
            reacts: Box::new(|request| panic!("nobody is to be asked: {request:?}")),
            log: Vec::new(),
            asked: Vec::new(),
            remarks: Vec::new(),
            turns: 0,
            most_turns: 60,
            most_asked: None,
            before: Vec::new(),
            does: None,
            failing: Vec::new(),
        }
    }

    pub fn reacting(
        self,
        reacts: impl FnMut(&AssistanceRequest) -> Reaction + Send + 'static,
    ) -> Recorder {
        Recorder { reacts: Box::new(reacts), ..self }
    }

    pub fn with_person(self, person: Arc<dyn Person>) -> Recorder {
        Recorder { person: Some(person), ..self }
    }

    /// How often a tool was called.
    pub fn count(&self, tool: &str) -> usize {
        self.log.iter().filter(|line| line.starts_with(&format!("call {tool} "))).count()
    }
}

impl Hands for Recorder {
    fn call<'a>(
        &'a mut self,
        tool: &'a str,
        arguments: Map<String, Value>,
    ) -> Boxed<'a, Result<Reply, ToolError>> {
        self.log.push(format!("call {tool} {}", Value::from(arguments.clone())));
        if let Some(at) = self.failing.iter().position(|(named, _)| named == tool) {
            let (_, error) = self.failing.remove(at);
            return Box::pin(async move { Err(error) });
        }
        let call =
            ToolCall { person: self.person.clone(), ..ToolCall::new("default", tool, arguments) };
        let host = self.host.clone();
        Box::pin(async move { host.call(call).await })
    }

    fn ask(&mut self, request: AssistanceRequest) -> Boxed<'_, Reaction> {
        self.log.push(format!("ask {:?} {}", request.kind, request.message));
        let reaction = (self.reacts)(&request);
        self.asked.push(request);
        let (host, does) = (self.host.clone(), self.does.clone());
        Box::pin(async move {
            if let Some(script) = does {
                let script = Map::from_iter([("expression".to_owned(), Value::from(script))]);
                host.call(ToolCall::new("default", "browser_eval", script)).await.unwrap();
            }
            reaction
        })
    }

    fn remarks(&mut self) -> Vec<String> {
        let now = self.turns;
        let (said, later) =
            std::mem::take(&mut self.remarks).into_iter().partition(|(at, _)| *at <= now);
        self.remarks = later;
        let said: Vec<(usize, String)> = said;
        said.into_iter().map(|(_, words)| words).collect()
    }

    fn doing(&mut self, _: &str) {}

    fn may_ask(&self) -> Result<(), Spent> {
        match self.most_asked {
            Some(most) if self.turns >= most => Err(Spent { limit: format!("{most} questions") }),
            _ => Ok(()),
        }
    }

    fn spend(&mut self, _: Tokens) -> Result<(), Spent> {
        self.turns += 1;
        match self.turns > self.most_turns {
            true => Err(Spent { limit: format!("{} turns", self.most_turns) }),
            false => Ok(()),
        }
    }

    fn before(&self) -> &[Step] {
        &self.before
    }
}
