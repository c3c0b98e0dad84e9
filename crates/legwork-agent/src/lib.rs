//! Plain language to finished work. Knows no browser: it reaches one only through the
//! [`ToolHost`](legwork_protocol::ToolHost) it is given, so that it cannot step around policy, approve its
//! own actions or see a secret.
//!
//! - [`model`]: a language model to ask, whoever serves it.
//! - [`assist`]: what on a page is for a person to do.
//! - [`interpret`]: an instruction becomes a task list, or a question.
//! - [`run`]: a task list is done, task by task, saved at each step.
//! - [`think`]: what a model does of a task that is not exact: look, think, act, verify.
//! - [`recipe`]: what was done once is done again without a model.

pub mod assist;
mod fence;
pub mod interpret;
pub mod model;
pub mod recipe;
pub mod run;
pub mod think;
