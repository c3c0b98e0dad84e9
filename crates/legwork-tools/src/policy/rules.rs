//! What the policy says.

use std::collections::BTreeMap;

use super::decision::{Decision, Verdict};
use super::facts::{Facts, Kind};

/// The rules in force.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rules {
    /// What is said of a kind of action.
    pub actions: BTreeMap<Kind, Verdict>,
}

impl Rules {
    /// Judges an action by what is known about it. Knows nothing else, does nothing else.
    pub fn decide(&self, facts: &Facts) -> Decision {
        let kind = facts.kind.word();
        match self.actions.get(&facts.kind) {
            Some(verdict) => Decision {
                verdict: *verdict,
                rule: format!("actions.{kind}"),
                because: format!("the policy has a rule for {kind}"),
            },
            None => Decision {
                verdict: Verdict::Allow,
                rule: "preset open".into(),
                because: "nothing in the policy speaks against it".into(),
            },
        }
    }
}
