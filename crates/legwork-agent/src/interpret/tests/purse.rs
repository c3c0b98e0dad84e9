//! Hands that only pay.

use legwork_protocol::assistant::{AssistanceRequest, Reaction};
use legwork_protocol::{Reply, ToolError};
use serde_json::{Map, Value};

use crate::model::Tokens;
use crate::run::{Boxed, Hands, Spent, Step};

/// What was paid, answer by answer, and for how many there is money.
pub(super) struct Purse {
    pub(super) paid: Vec<Tokens>,
    pub(super) most: usize,
}

impl Default for Purse {
    fn default() -> Purse {
        Purse { paid: Vec::new(), most: usize::MAX }
    }
}

impl Purse {
    pub(super) fn sum(&self) -> Tokens {
        let mut sum = Tokens::default();
        self.paid.iter().for_each(|tokens| sum += *tokens);
        sum
    }
}

impl Hands for Purse {
    fn call<'a>(
        &'a mut self,
        tool: &'a str,
        _: Map<String, Value>,
    ) -> Boxed<'a, Result<Reply, ToolError>> {
        panic!("nothing is done to understand, not {tool} either")
    }

    fn ask(&mut self, request: AssistanceRequest) -> Boxed<'_, Reaction> {
        panic!("nobody is here to be asked {request:?}")
    }

    fn remarks(&mut self) -> Vec<String> {
        Vec::new()
    }

    fn doing(&mut self, _: &str) {}

    fn may_ask(&self) -> Result<(), Spent> {
        match self.paid.len() < self.most {
            true => Ok(()),
            false => Err(Spent { limit: format!("{} answers", self.most) }),
        }
    }

    fn spend(&mut self, tokens: Tokens) -> Result<(), Spent> {
        self.paid.push(tokens);
        Ok(())
    }

    fn before(&self) -> &[Step] {
        &[]
    }
}
