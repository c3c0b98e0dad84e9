//! A thin, typed client of the Chrome DevTools Protocol.
//!
//! - [`Transport`]: how whole messages travel (pipe, WebSocket, or a fake for tests).
//! - [`Connection`]: one transport with the two tasks that read and write it.
//! - [`Session`]: where commands are sent; [`Call`] is the answer to come.
//! - [`Handler`]: who is told of events, in the order they arrived.
//! - [`page`], [`runtime`], …: the commands and events that are used, by protocol domain.
//! - [`describe`]: the same as a table, to be checked against the published protocol.
//!
//! It knows sessions and messages; it never knows pages, elements or tools.

#[macro_use]
mod protocol;

mod call;
mod connection;
pub mod describe;
mod domain;
mod error;
mod id;
mod message;
mod session;
mod transport;

pub use call::Call;
pub use connection::{Connection, Handler};
pub use domain::{
    accessibility, browser, dom, dom_debugger, emulation, extensions, fetch, input, inspector, log,
    network, overlay, page, runtime, service_worker, target,
};
pub use error::{CloseReason, Error};
pub use id::{
    BackendNodeId, BrowserContextId, ExecutionContextId, FrameId, LoaderId, NodeId, ObjectId,
    RequestId, ScriptId, SessionId, TargetId,
};
pub use message::RawEvent;
pub use protocol::{Command, Empty, Event};
pub use session::Session;
pub use transport::{FakePeer, Transport, WebSocketOptions};
