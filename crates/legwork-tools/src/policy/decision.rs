//! What policy says of an action, and which rule says it.

/// May it be done?
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Yes.
    Allow,
    /// If a person says so.
    Ask,
    /// No.
    Refuse,
}

/// A verdict and its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// May it be done?
    pub verdict: Verdict,
    /// The rule that decided, as it stands in the policy: `hosts.block "*.evil.test"`.
    pub rule: String,
    /// Why, in a sentence for people and models.
    pub because: String,
}
