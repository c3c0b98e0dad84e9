//! Where commands are sent: to the browser itself, or to one target it is attached to.

use std::borrow::Cow;
use std::fmt;

use serde_json::value::RawValue;

use crate::call::Call;
use crate::connection::Connection;
use crate::id::SessionId;
use crate::protocol::Command;

/// One session of a [`Connection`], and one of the handles that keep the connection open.
#[derive(Clone)]
pub struct Session {
    connection: Connection,
    id: Option<SessionId>,
}

impl Session {
    pub(crate) fn new(connection: Connection, id: Option<SessionId>) -> Session {
        Session { connection, id }
    }

    /// The session's identifier; none for the browser itself.
    pub fn id(&self) -> Option<&SessionId> {
        self.id.as_ref()
    }

    /// The connection that the session is part of.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Queues `command` at once, and gives the answer to come.
    ///
    /// Commands go out in the order of these calls, whether or not their answers are awaited.
    pub fn send<C: Command>(&self, command: &C) -> Call<C::Reply> {
        self.connection.core().call(self.id.as_ref(), Cow::Borrowed(C::METHOD), command)
    }

    /// Queues `command` at once and ignores its answer.
    pub fn notify<C: Command>(&self, command: &C) {
        self.connection.core().notify(self.id.as_ref(), C::METHOD, command);
    }

    /// Like [`Session::send`], for a command that has no type here.
    pub fn send_raw(&self, method: &str, params: &RawValue) -> Call<Box<RawValue>> {
        self.connection.core().call(self.id.as_ref(), Cow::Owned(method.to_owned()), params)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Session").field("id", &self.id).finish_non_exhaustive()
    }
}
