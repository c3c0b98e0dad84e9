//! Hands that call a host and remember every call, and a model that has nothing to say.

use legwork_agent::model::{Abilities, Asking, Heard, Model, ModelError, Request, Tokens};
use legwork_agent::run::{Boxed, Hands, Spent, Step, StepState};
use legwork_protocol::assistant::{AssistanceRequest, Reaction};
use legwork_protocol::{Code, Reply, ToolError};
use serde_json::{Map, Value};

use crate::support::Rig;

/// Hands of a session of its own.
pub struct Palms {
    pub rig: Rig,
    pub steps: Vec<Step>,
    /// A tool that is refused, as policy would.
    pub denies: Option<&'static str>,
}

impl Palms {
    pub fn new(rig: Rig) -> Palms {
        Palms { rig, steps: Vec::new(), denies: None }
    }

    pub async fn does(&mut self, tool: &str, arguments: Value) -> Reply {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let told = format!("{tool} {arguments:?}");
        self.call(tool, arguments).await.unwrap_or_else(|error| panic!("{told}: {error}"))
    }

    pub async fn fails(&mut self, tool: &str, arguments: Value) {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        self.call(tool, arguments).await.unwrap_err();
    }
}

impl Hands for Palms {
    fn call<'a>(
        &'a mut self,
        tool: &'a str,
        arguments: Map<String, Value>,
    ) -> Boxed<'a, Result<Reply, ToolError>> {
        Box::pin(async move {
            let ended = match self.denies == Some(tool) {
                true => Err(ToolError::new(Code::Denied, "not allowed")),
                false => self.rig.call(tool, arguments.clone().into()).await,
            };
            let (state, told, data) = match &ended {
                Ok(reply) => (StepState::Done, reply.text.clone(), reply.data.clone()),
                Err(error) => (StepState::Failed, error.told(), Value::Null),
            };
            let number = self.steps.len() as u32;
            let (task, tool) = ("t1".to_owned(), tool.to_owned());
            self.steps.push(Step { task, number, tool, arguments, state, told, data });
            ended
        })
    }

    fn ask(&mut self, request: AssistanceRequest) -> Boxed<'_, Reaction> {
        panic!("nobody is here to be asked {request:?}")
    }

    fn remarks(&mut self) -> Vec<String> {
        Vec::new()
    }

    fn doing(&mut self, _what: &str) {}

    fn spend(&mut self, _tokens: Tokens) -> Result<(), Spent> {
        Ok(())
    }

    fn before(&self) -> &[Step] {
        &[]
    }
}

/// A model that answers with this error, and panics where it should not be asked at all.
pub struct Mute(pub Option<ModelError>);

impl Model for Mute {
    fn name(&self) -> &str {
        "test:mute"
    }

    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    fn ask<'a>(&'a self, _request: &'a Request, _heard: &'a Heard) -> Asking<'a> {
        let error = self.0.clone().expect("no model may be asked here");
        Box::pin(async move { Err(error) })
    }
}
