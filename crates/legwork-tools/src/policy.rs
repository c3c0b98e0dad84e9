//! Judging. Only this file makes a [`Permitted`] action, and executors take nothing else.
//!
//! - `facts` is what is known about an action when it is judged, `meaning` what doing it would mean.
//! - `rules` is what the policy says: `file` reads it, `layers` puts it on top of a preset.
//! - `decide` is a pure function of both; `network` answers the engine by the same rules.
//! - `place` and `addresses` tell where an address leads; `hosts` and `paths` are compared with that.

mod actions;
mod addresses;
mod decide;
mod decision;
mod error;
mod facts;
mod file;
mod hosts;
mod hours;
mod layers;
mod meaning;
mod network;
mod paths;
mod permissions;
mod place;
mod presets;
mod rules;
mod said;
mod show;
mod targets;
#[cfg(test)]
mod tests;
mod transfer;
mod words;

pub use decision::{Decision, Verdict};
pub use error::PolicyError;
pub use facts::{Facts, Kind, Meaning};
pub use meaning::meanings;
pub use presets::{PRESETS, Preset};
pub use rules::{ApprovalRules, Rules};
pub use said::{Source, Stance};
pub use show::Line;
pub use transfer::{Downloads, Size, Types, Uploads};

use crate::approvals::Approval;
use crate::look::Bound;

/// An action that was judged and may be done, to the elements that were judged with it.
#[derive(Debug)]
pub struct Permitted<A> {
    action: A,
    bound: Bound,
}

impl<A> Permitted<A> {
    /// The action itself.
    pub fn into_action(self) -> A {
        self.action
    }

    /// The action and the elements it may be done to.
    pub(crate) fn into_parts(self) -> (A, Bound) {
        (self.action, self.bound)
    }

    /// The same permission for the arguments inside the action.
    pub(crate) fn narrow<B>(self, inside: impl FnOnce(A) -> B) -> Permitted<B> {
        Permitted { action: inside(self.action), bound: self.bound }
    }

    pub(crate) fn action(&self) -> &A {
        &self.action
    }
}

/// Proof that a decision, and where need be a person, lets an action pass.
pub(crate) struct Passed(());

impl Passed {
    /// Nothing stands against it.
    pub(crate) fn allowed(decision: &Decision) -> Option<Passed> {
        (decision.verdict == Verdict::Allow).then_some(Passed(()))
    }

    /// Somebody who may said yes to exactly this.
    pub(crate) fn approved(_: Approval) -> Passed {
        Passed(())
    }
}

/// An action with the proof that it may be done.
pub(crate) fn permit<A>(action: A, bound: Bound, _: Passed) -> Permitted<A> {
    Permitted { action, bound }
}
