//! Signing in, in a phase in which no agent runs.

use legwork_protocol::{Boxed, Warden};

use crate::errand::Trouble;
use crate::site::Site;

/// A way to get signed in.
pub trait Door: Send + Sync {
    /// Sees to it that the shop knows us in this session, and leaves the host in the phase in which agents
    /// shop. [`Trouble::SignedOut`] if the shop does not let us in.
    fn enter<'a>(
        &'a self,
        host: &'a dyn Warden,
        session: &'a str,
        site: &'a Site,
    ) -> Boxed<'a, Result<(), Trouble>>;
}
