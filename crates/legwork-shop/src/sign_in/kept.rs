//! A profile that was signed in before, by a person.

use legwork_protocol::{Boxed, Warden};

use super::Door;
use super::calls::Calls;
use crate::errand::Trouble;
use crate::site::Site;

/// Looks whether the shop knows us, and does nothing about it if not.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kept;

impl Door for Kept {
    fn enter<'a>(
        &'a self,
        host: &'a dyn Warden,
        session: &'a str,
        site: &'a Site,
    ) -> Boxed<'a, Result<(), Trouble>> {
        Box::pin(async move {
            let Some(check) = &site.signed_in else { return Ok(()) };
            match Calls::new(host, session, site).is_known_at_home(check).await? {
                true => Ok(()),
                false => Err(Trouble::SignedOut),
            }
        })
    }
}
