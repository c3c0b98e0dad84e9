//! A trip before it begins: what was said, what is configured where nothing was, and what is usual where
//! neither says so.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::Context;
use legwork_shop::errand::Budget;
use legwork_shop::item::Retry;
use legwork_shop::list::Resume;
use legwork_shop::site::Site;

use super::lists::{Source, remote};
use super::{Folder, Found, Said, sites};

/// How a trip is made.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The shop.
    pub site: Site,
    /// What it was called by: its name, or the path of its description.
    pub called: String,
    /// The list.
    pub source: Source,
    /// Whether a list that is kept elsewhere is gone on with.
    pub resume: Resume,
    /// Whether what did not work before is tried again.
    pub retry: Retry,
    /// How many items at a time.
    pub concurrency: NonZeroUsize,
    /// What an item may cost.
    pub budget: Budget,
    /// The model to shop with from the start.
    pub model: Option<String>,
    /// The model to ask where the shopper without one does not know better.
    pub second: Option<String>,
    /// Whether a person is asked.
    pub ask: bool,
    /// Whether what was chosen without a person is remembered.
    pub remember: bool,
    /// The browser's profile.
    pub profile: PathBuf,
    /// Where the picture of the cart goes.
    pub picture: Option<PathBuf>,
    /// Where the summary goes.
    pub summary: Option<PathBuf>,
}

impl Plan {
    /// Puts together what was said and what is configured.
    pub fn of(said: Said, folder: &Folder) -> anyhow::Result<Plan> {
        let config = folder.config()?;
        let found = chosen_site(folder, said.site.as_deref(), config.site.as_deref())?;
        let site = found.site()?;
        let source = source(&said, folder, &config)?;
        let usual = Budget::default();
        let budget = Budget {
            time: said.time_budget.or(config.time_budget).unwrap_or(usual.time),
            turns: said.max_turns.or(config.max_turns).unwrap_or(usual.turns),
        };
        let again = !said.no_retry && config.retry.unwrap_or(true);
        let profile = said.profile.or(config.profile).unwrap_or_else(|| folder.profile(&site.name));
        Ok(Plan {
            source,
            resume: if said.afresh { Resume::Afresh } else { Resume::GoOn },
            retry: if again { Retry::Again } else { Retry::Never },
            concurrency: said.concurrency.or(config.concurrency).unwrap_or(NonZeroUsize::MIN),
            budget,
            model: said.model,
            second: config.model,
            ask: !said.no_ask && config.ask.unwrap_or(true),
            remember: said.remember || config.remember.unwrap_or(false),
            profile: std::path::absolute(&profile)
                .with_context(|| format!("{} is no path", profile.display()))?,
            picture: said.picture.or(config.picture),
            summary: said.summary.or(config.summary),
            called: found.name,
            site,
        })
    }
}

/// The site that was said or is configured. One of them has to be: nobody shops at a shop they did not
/// choose.
pub fn chosen_site(
    folder: &Folder,
    said: Option<&str>,
    configured: Option<&str>,
) -> anyhow::Result<Found> {
    let name = said.or(configured).with_context(|| {
        let known: Vec<String> = sites::all(folder).into_iter().map(|found| found.name).collect();
        let file = folder.path().join("config.yaml");
        format!(
            "which shop? Say --site NAME (known: {}) or --site FILE, or write `site: NAME` in {}",
            known.join(", "),
            file.display()
        )
    })?;
    sites::find(folder, name)
}

fn source(
    said: &Said,
    folder: &Folder,
    config: &legwork_shop::config::Config,
) -> anyhow::Result<Source> {
    if let Some(path) = said.list.as_ref().or(said.shopping_list.as_ref()) {
        return Ok(Source::at(path, folder));
    }
    if let Some(list) = &said.home_assistant {
        let list = Some(list.as_str()).filter(|list| !list.is_empty());
        return remote(config.home_assistant.as_ref(), list);
    }
    if let Some(path) = &config.list {
        return Ok(Source::at(path, folder));
    }
    if config.home_assistant.is_some() {
        return remote(config.home_assistant.as_ref(), None);
    }
    let usual = Some(folder.usual_list()).filter(|path| path.exists());
    usual.map(Source::File).with_context(|| {
        format!(
            "which list? Say `legwork shop LIST`, or write one: {}",
            folder.usual_list().display()
        )
    })
}
