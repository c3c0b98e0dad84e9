//! The browser of a shopping trip: this program's own, with a profile that stays, under the rules of the
//! site and no others. What it does is recorded where everything else is.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use legwork_protocol::{Code, ToolError};
use legwork_shop::site::{Phase, Site};
use legwork_tools::engine::find::{self, HostSystem, Prefer, Request};
use legwork_tools::{Host, Jail, Rules, Vault};

use super::folder;
use crate::config::Config;

/// A host in the phase in which agents shop; no browser is started yet. A browser of somebody else, as
/// `attach` names one, is not used: its guard is weaker, and its profile not the shop's.
pub fn host(config: &Config, site: &Site, profile: &Path) -> anyhow::Result<Host> {
    folder::make(profile)?;
    let rules = Rules::parse(&site.policy(Phase::Shopping))
        .with_context(|| format!("the rules that follow from {:?} cannot be used", site.name))?;
    let vault = Vault::new(rules.secrets().clone()).map_err(anyhow::Error::msg)?;
    let mut settings = config.settings();
    settings.engine.attach = None;
    settings.engine.launch.user_data_dir = Some(profile.to_owned());
    settings.engine.downloads = rules.downloads().folder.clone().or(settings.engine.downloads);
    settings.jail = Arc::new(Jail::from(rules.uploads()));
    settings.vault = Arc::new(vault);
    settings.rules = Arc::new(rules);
    Ok(Host::new(settings))
}

/// Whether there is a browser to start; a trip without one would fail item by item.
pub fn is_there(config: &Config) -> Result<(), ToolError> {
    let prefer = if config.values.headed { Prefer::Full } else { Prefer::HeadlessShell };
    let request = Request { explicit: config.values.browser.clone(), prefer };
    match find::find(&request, &HostSystem) {
        Ok(_) => Ok(()),
        Err(missing) => Err(ToolError::new(Code::BrowserNotFound, missing.to_string())
            .with_hint("`legwork install` gets one; `legwork doctor` says what is wrong")),
    }
}
