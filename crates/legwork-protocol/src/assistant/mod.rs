//! What the assistant and whoever watches it say to each other: tasks, what they are done in, requests for
//! help, and the four messages that carry them. The console, the extension and the terminal all read these.

mod assist;
mod browser;
mod message;
mod state;
mod task;

pub use assist::{AssistanceKind, AssistanceRequest, Reaction, UserResponse};
pub use browser::{Bounds, BrowserState, ElementSnapshot, ReadyState, ViewportInfo};
pub use message::{Execute, Feedback, GetDom, Message, Payload};
pub use state::{Activity, Budget, Finished, RunStatus, StateUpdate, Usage};
pub use task::{
    Click, CompletedTask, Drag, Extract, ExtractAs, Gesture, Input, InputValue, Navigate,
    Preferences, Scroll, ScrollBy, Task, TaskContext, TaskList, TaskStatus, Wait, WaitFor, Work,
};
