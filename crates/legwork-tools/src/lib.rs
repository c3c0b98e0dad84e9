//! The one guarded path: a call enters as JSON, becomes a typed action, is judged, executed, recorded and
//! answered, whichever door it came through. Never knows a door. Secrets of the page are masked by the
//! engine; `redact` masks those that the caller only names.
//!
//! - [`Host`] is the [`ToolHost`](legwork_protocol::ToolHost): `path` is what happens to a call.
//! - `policy` alone makes a [`Permitted`] action; the executors in `tools` take nothing else.
//! - `pulse` tells those who follow a call that it still runs.
//! - `desk` is what a session needs between calls, `answer` how outcomes are told, `news` what happens
//!   unasked.

mod answer;
mod approvals;
pub mod audit;
mod desk;
mod failure;
mod files;
mod host;
mod imitation;
mod in_force;
mod look;
mod news;
mod path;
mod policy;
mod pulse;
mod rate;
mod redact;
mod refusals;
mod secrets;
mod stop;
mod tools;
mod undo;
mod warden;

pub use approvals::{Approvals, Attendance, Remembered};
pub use audit::{Audit, Ending, Entry, Judged, Silent};
pub use files::{Files, Jail};
pub use host::{Host, Recording, SessionInfo, Settings};
pub use legwork_engine as engine;
pub use policy::{
    ApprovalRules, Decision, Downloads, Facts, Kind, Line, Meaning, PRESETS, Permitted,
    PolicyError, Preset, Rules, Size, Source, Stance, Types, Uploads, Verdict, meanings,
};
pub use redact::Redactor;
pub use secrets::{SecretRule, SecretSource, Vault};
