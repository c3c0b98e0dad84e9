//! Judging. Only this file makes a [`Permitted`] action, and executors take nothing else.

use legwork_protocol::{Action, Code, ToolError};

/// What is known about a call when it is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The session it is for.
    pub session: String,
    /// The address of the page it would act on; none if no browser runs yet.
    pub url: Option<String>,
}

/// What policy says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It may be done.
    Allow,
    /// It may not, for this reason.
    Deny(String),
}

/// Who decides what may be done.
pub trait Policy: Send + Sync {
    /// Judges an action by what is known about it.
    fn judge(&self, action: &Action, facts: &Facts) -> Judgement;
}

/// Allows everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowAll;

impl Policy for AllowAll {
    fn judge(&self, _: &Action, _: &Facts) -> Judgement {
        Judgement::Allow
    }
}

/// An action that was judged and may be done.
#[derive(Debug)]
pub struct Permitted<A>(A);

impl<A> Permitted<A> {
    /// The action itself.
    pub fn into_action(self) -> A {
        self.0
    }
}

impl Permitted<Action> {
    /// The same permission for the arguments inside the action.
    pub(crate) fn narrow<B>(self, inside: impl FnOnce(Action) -> B) -> Permitted<B> {
        Permitted(inside(self.0))
    }

    pub(crate) fn action(&self) -> &Action {
        &self.0
    }
}

/// Judges an action.
pub(crate) fn permit(
    policy: &dyn Policy,
    action: Action,
    facts: &Facts,
) -> Result<Permitted<Action>, ToolError> {
    match policy.judge(&action, facts) {
        Judgement::Allow => Ok(Permitted(action)),
        Judgement::Deny(reason) => Err(ToolError::new(Code::Denied, reason)),
    }
}
