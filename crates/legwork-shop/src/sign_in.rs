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

use crate::errand::Trouble;
use crate::lane::trouble;
use crate::site::{Phase, Site};

/// A way to get signed in.
pub trait Door: Send + Sync {
    /// Sees to it that the shop knows us in this session, and leaves the host in the phase in which agents
    /// shop. [`Trouble::SignedOut`] if the shop does not let us in. No agent may run meanwhile. Whoever drops
    /// this before its end has to put the shopping policy in force before an agent runs again.
    fn enter<'a>(
        &'a self,
        host: &'a dyn Warden,
        session: &'a str,
        site: &'a Site,
    ) -> Boxed<'a, Result<(), Trouble>>;
}

/// Does something in the sign-in phase. However it ends, what follows is the phase in which agents shop.
async fn in_phase(
    host: &dyn Warden,
    site: &Site,
    work: impl Future<Output = Result<(), Trouble>> + Send,
) -> Result<(), Trouble> {
    // Without its rules nothing is done in a shop.
    let done = match host.govern(&site.policy(Phase::SignIn)).await {
        Ok(()) => work.await,
        Err(error) => Err(trouble(error)),
    };
    host.govern(&site.policy(Phase::Shopping)).await.map_err(trouble)?;
    done
}
