//! What pages may be given that Chrome would ask a person for: the position, the camera, notifications …
//! Without rules it is left to Chrome. With rules nothing is asked: what is not granted is denied, also
//! where a profile remembers a yes.

use legwork_cdp::browser::{PermissionDescriptor, ResetPermissions, SetPermission};

use crate::browser::Browser;
use crate::context::Context;
use crate::error::Result;

/// What a page of an origin is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// One of [`PERMISSIONS`].
    pub permission: &'static str,
    /// Whose pages, such as `https://maps.example`.
    pub origin: String,
}

/// What Chrome is known to ask a person for, in the words of the Permissions API. What a newer one adds is left
/// to Chrome, which without a window has nobody to ask.
pub const PERMISSIONS: &[&str] = &[
    "camera",
    "clipboard-read",
    "display-capture",
    "geolocation",
    "idle-detection",
    "local-fonts",
    "microphone",
    "midi",
    "nfc",
    "notifications",
    "payment-handler",
    "persistent-storage",
    "storage-access",
    "window-management",
];

impl Browser {
    /// Denies everything to every page of the context but what is granted. Chrome does not take a page's
    /// answer before this is done, and a context in which it cannot be done is not used.
    pub(crate) async fn permit(&self, context: &Context, granted: &[Grant]) -> Result<()> {
        let set = |permission: &str, setting: &str, origin: Option<String>| SetPermission {
            permission: PermissionDescriptor { name: permission.to_owned() },
            setting: setting.to_owned(),
            origin,
            browser_context_id: context.id.clone(),
        };
        let denied = PERMISSIONS.iter().map(|name| set(name, "denied", None));
        let granted =
            granted.iter().map(|one| set(one.permission, "granted", Some(one.origin.clone())));
        let root = self.connection().root();
        let sent: Vec<_> = denied.chain(granted).map(|one| root.send(&one)).collect();
        for one in sent {
            one.await?;
        }
        Ok(())
    }

    /// Leaves it to Chrome again.
    pub(crate) async fn permit_as_usual(&self, context: &Context) -> Result<()> {
        let reset = ResetPermissions { browser_context_id: context.id.clone() };
        self.connection().root().send(&reset).await?;
        Ok(())
    }
}
