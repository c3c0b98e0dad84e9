//! Signing in, in a phase in which no agent runs.
//!
//! - [`Credentials`] fills in the shop's form with secrets that are only named.
//! - [`Manual`] opens a window in which a person does it.
//! - [`Kept`] only looks whether the profile is signed in from before.

mod calls;
mod credentials;
mod kept;
mod manual;

use legwork_protocol::{Boxed, Warden};

pub use credentials::Credentials;
pub use kept::Kept;
pub use manual::Manual;

use self::calls::Calls;
use crate::errand::Trouble;
use crate::lane::trouble;
use crate::site::{Phase, Site};

/// A way to get signed in.
pub trait Door: Send + Sync {
    /// Sees to it that the shop knows us in this session. [`Trouble::SignedOut`] if the shop does not let us
    /// in. No agent may run meanwhile; and however this ends, also if it is dropped, the rules for signing in
    /// may be in force: whoever calls it puts those for shopping in force before an agent runs again.
    fn enter<'a>(
        &'a self,
        host: &'a dyn Warden,
        session: &'a str,
        site: &'a Site,
    ) -> Boxed<'a, Result<(), Trouble>>;
}

/// A session that may reach what one signs in with, from now on.
async fn in_phase<'a>(
    host: &'a dyn Warden,
    session: &'a str,
    site: &'a Site,
) -> Result<Calls<'a>, Trouble> {
    // Without its rules nothing is done in a shop.
    host.govern(&site.policy(Phase::SignIn)).await.map_err(trouble)?;
    Ok(Calls::new(host, session, site))
}
