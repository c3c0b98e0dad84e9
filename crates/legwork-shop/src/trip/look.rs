//! How the trip looks at the cart.

use legwork_protocol::Boxed;

use crate::cart::{self, Contents};
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
        Box::pin(cart::read(lane))
    }
}
