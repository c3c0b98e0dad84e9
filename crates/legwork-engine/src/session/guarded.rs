//! What keeps a session from places it may not reach, and what it kept it from.

use super::{Session, SessionInner};
use crate::guard::{Blocked, Guarded};

impl Session {
    /// What the session's guard did not let through, oldest first; the last few hundred.
    pub fn blocked(&self) -> Vec<Blocked> {
        self.inner.gate.as_ref().map(|gate| gate.blocked()).unwrap_or_default()
    }

    /// What it did not let through since this was last asked.
    pub fn take_blocked(&self) -> Vec<Blocked> {
        self.inner.gate.as_ref().map(|gate| gate.take_blocked()).unwrap_or_default()
    }

    /// What keeps the session from places it may not reach.
    pub fn guarded(&self) -> Guarded {
        let SessionInner { engine, options, gate, .. } = &*self.inner;
        match gate {
            None => Guarded::No,
            Some(_) if engine.is_attached(options) => Guarded::Interception,
            Some(gate) if gate.reads_addresses() => Guarded::ProxyAndInterception,
            Some(_) => Guarded::Proxy,
        }
    }
}
