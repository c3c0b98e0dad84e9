//! Signing in by hand: a window in which a person does it, while nothing is typed or read by us.

use std::time::Duration;

use legwork_protocol::{Boxed, Open, WaitState, Warden};

use super::calls::Calls;
use super::{Credentials, Door, in_phase};
use crate::errand::Trouble;
use crate::lane::trouble;
use crate::site::{Locator, Site};

/// Opens a window and waits for a person.
#[derive(Debug, Clone, Copy)]
pub struct Manual {
    /// How long the person may take.
    pub patience: Duration,
}

impl Default for Manual {
    fn default() -> Manual {
        Manual { patience: Duration::from_secs(600) }
    }
}

impl Door for Manual {
    fn enter<'a>(
        &'a self,
        host: &'a dyn Warden,
        session: &'a str,
        site: &'a Site,
    ) -> Boxed<'a, Result<(), Trouble>> {
        Box::pin(async move {
            let check = Manual::ready(site)?;
            in_phase(host, site, self.wait_for(Calls::new(host, session, site), check)).await
        })
    }
}

impl Manual {
    /// What tells that a person has signed in; why nobody could sign in here by hand, if that is so.
    pub fn ready(site: &Site) -> Result<&Locator, Trouble> {
        let name = &site.name;
        let check = site.signed_in.as_ref().ok_or_else(|| {
            Trouble::Agent(format!(
                "the description of {name} has no [signed_in], so that nobody could tell when you are"
            ))
        })?;
        if has_display() {
            return Ok(check);
        }
        let missing = Credentials::missing(site);
        let instead = match missing.is_empty() {
            true => "say --with-credentials".to_owned(),
            false => format!("set {} and say --with-credentials", missing.join(" and ")),
        };
        let instead = site.sign_in.as_ref().map_or(String::new(), |_| format!(", or {instead}"));
        let reason = "there is no display to show a window on; sign in where there is one";
        Err(Trouble::Agent(format!("{reason}{instead}")))
    }

    async fn wait_for(&self, calls: Calls<'_>, check: &Locator) -> Result<(), Trouble> {
        let first = calls.site.sign_in.as_ref().map_or(&calls.site.home, |form| &form.url);
        let (url, headless) = (first.to_string(), Some(false));
        let open = Open { url, headless, ..Default::default() };
        calls.tools.call("browser_open", &open).await.map_err(trouble)?;
        match calls.becomes(check, WaitState::Attached, self.patience).await? {
            true => Ok(()),
            false => Err(Trouble::SignedOut),
        }
    }
}

/// Whether a window can be shown.
fn has_display() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY")
}
