//! How the trip looks at the cart.

use legwork_protocol::Boxed;

use crate::cart::Contents;
use crate::errand::Trouble;
use crate::lane::Lane;

/// Somebody who can look at the cart.
pub(super) trait Look: Send + Sync {
    /// What it shows.
    fn contents<'a>(&'a self, lane: &'a Lane) -> Boxed<'a, Result<Contents, Trouble>>;
}

/// Opens the cart's page.
pub(super) struct Page;

impl Look for Page {
    fn contents<'a>(&'a self, lane: &'a Lane) -> Boxed<'a, Result<Contents, Trouble>> {
        let session = lane.session().to_owned();
        Box::pin(async move {
            Err(Trouble::Agent(format!("the cart of session {session:?} cannot be read yet")))
        })
    }
}
