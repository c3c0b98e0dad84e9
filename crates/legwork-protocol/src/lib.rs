//! What may cross a process: which tools there are, their arguments, their replies and errors. Never
//! knows a browser, and needs no async runtime.
//!
//! - [`Action::parse`] turns a name and JSON into a typed action; [`catalogue`] lists them all.
//! - [`ToolHost`] is whoever runs them; it answers with a [`Reply`] or a [`ToolError`].
//! - [`rpc`] is how calls and answers are written between processes, [`discovery`] how a sidecar is found,
//!   and `client`, behind the feature of that name, how a host calls one.
//! - [`tokens`] is how long a text is for a model, the same for whoever cuts it and whoever pays for it.

mod args;
pub mod assistant;
mod catalogue;
#[cfg(feature = "client")]
pub mod client;
pub mod discovery;
mod error;
mod host;
mod known;
mod reply;
pub mod rpc;
mod schema;
pub mod tokens;

pub use args::act::{
    Button, Click, Drag, Hover, Modifier, Position, PressKey, Scroll, ScrollTo, Select, SelectBy,
    Type, Upload,
};
pub use args::batch::{Batch, Step};
pub use args::common::{Observe, OneOrMany, Span};
pub use args::developer::{
    ClearConsoleLogs, Downloads, Eval, GetNetworkSources, GetServiceWorkers, ReadImage,
    RecentConsoleLogs, SetOffline,
};
pub use args::form::{FillForm, FormFields, FormValue, Submit};
pub use args::navigate::{Back, Forward, HandleDialog, Navigate, Reload, Resize, TabAction, Tabs};
pub use args::see::{Extract, ExtractFormat, Find, ImageFormat, Query, Snapshot, TakeScreenshot};
pub use args::sidecar::{Act, ActKind, Close, Open, Viewport};
pub use args::wait::{Wait, WaitEvent, WaitState};
pub use catalogue::{Action, Hints, Set, Spec, catalogue, find};
pub use error::{Code, ToolError};
pub use host::{
    Answer, Asked, Blocked, Boxed, Called, Person, Progress, Question, ToolCall, ToolHost, Warden,
};
pub use known::Known;
pub use reply::{Image, Reply};
