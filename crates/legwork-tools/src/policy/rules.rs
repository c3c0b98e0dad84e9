//! What the policy says.

use std::collections::BTreeMap;
use std::time::Duration;

use super::decision::{Decision, Verdict};
use super::facts::{Facts, Kind};

/// The rules in force.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rules {
    /// What is said of a kind of action.
    pub actions: BTreeMap<Kind, Verdict>,
    /// Actions a minute on each site.
    pub per_minute: Option<u32>,
    /// How people are asked.
    pub approvals: ApprovalRules,
}

impl Rules {
    /// Whether a rule could depend on the element that such an action is done to.
    pub fn needs_element(&self, _: Kind) -> bool {
        !self.actions.is_empty()
    }

    /// Actions a minute on this site.
    pub fn rate(&self, _: &str) -> Option<u32> {
        self.per_minute
    }

    /// How people are asked.
    pub fn approvals(&self) -> &ApprovalRules {
        &self.approvals
    }

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

/// How people are asked.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRules {
    /// After this time the answer is no.
    pub expires: Duration,
    /// What counts where nobody can be asked.
    pub unanswered: Verdict,
    /// A command that answers.
    pub hook: Option<Vec<String>>,
}

impl Default for ApprovalRules {
    fn default() -> Self {
        let expires = Duration::from_secs(60);
        ApprovalRules { expires, unanswered: Verdict::Allow, hook: None }
    }
}
