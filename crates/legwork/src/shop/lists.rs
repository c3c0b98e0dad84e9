//! The list that is shopped from: a file, standard input, or Home Assistant.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use legwork_shop::config::Remote;
use legwork_shop::item::{Item, Status};
use legwork_shop::list::home_assistant::Settings;
use legwork_shop::list::{
    self, HomeAssistant, Import, ListError, Resume, ShoppingListProvider, YamlList,
};

use super::Folder;
use crate::config::KeySource;

/// Where a list is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// In a file.
    File(PathBuf),
    /// It comes by standard input.
    StandardInput,
    /// In Home Assistant.
    HomeAssistant(Remote),
}

/// A list that can be shopped from.
pub struct Opened {
    /// The list.
    pub list: Arc<dyn ShoppingListProvider>,
    /// What it is known by from one trip to the next.
    pub name: String,
    /// Where it is kept, if that is not where it came from.
    pub kept: Option<PathBuf>,
}

/// Where Home Assistant is and its token, if nothing else says so.
const URL: &str = "HOME_ASSISTANT_URL";
const TOKEN: &str = "HOME_ASSISTANT_TOKEN";

impl Source {
    /// Opens it. What is kept elsewhere is begun anew if it is to be.
    pub async fn open(&self, folder: &Folder, afresh: bool) -> anyhow::Result<Opened> {
        let resume = if afresh { Resume::Afresh } else { Resume::GoOn };
        match self {
            Source::File(path) => {
                let list = list::open(path, resume)?;
                let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
                let kept = is_table(path).then(|| path.with_extension("shopping.yaml"));
                Ok(Opened { list: list.into(), name: whole.display().to_string(), kept })
            }
            Source::StandardInput => {
                let kept = folder.made()?.kept_list();
                let list = from_input(&kept, resume)?;
                let name = kept.display().to_string();
                Ok(Opened { list: Arc::new(list), name, kept: Some(kept) })
            }
            Source::HomeAssistant(remote) => home_assistant(remote, folder).await,
        }
    }
}

impl Source {
    /// The items that are open, read without keeping or changing anything, and what the list is known by;
    /// nothing for a list that only opening shows.
    pub fn looked_at(&self) -> anyhow::Result<Option<(String, Vec<Item>)>> {
        let (name, import) = match self {
            Source::File(path) if is_table(path) => {
                (path.display().to_string(), Import::from_csv_file(path)?)
            }
            Source::StandardInput => {
                let name = "standard input".to_owned();
                let import = Import::from_reader(std::io::stdin(), Path::new(&name))?;
                (name, import)
            }
            _ => return Ok(None),
        };
        let folder = tempfile::tempdir()?;
        let items = import.kept_in(&folder.path().join("list.yaml"), Resume::Afresh)?.items()?;
        Ok(Some((name, items)))
    }
}

fn is_table(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    matches!(ending.as_deref(), Some("csv" | "tsv"))
}

/// What comes by standard input. Where the last one was cut short, this one goes on with it; where that was
/// seen through, it is another list, though it may say the same.
fn from_input(kept: &Path, resume: Resume) -> Result<YamlList, ListError> {
    let import = Import::from_reader(std::io::stdin(), Path::new("standard input"))?;
    let untried = |item: &Item| item.status == Status::NeedsAction && item.tags.is_empty();
    let cut_short = kept.exists() && YamlList::open(kept)?.items()?.iter().any(untried);
    import.kept_in(kept, if cut_short { resume } else { Resume::Afresh })
}

async fn home_assistant(remote: &Remote, folder: &Folder) -> anyhow::Result<Opened> {
    let place = remote.token.clone().unwrap_or_else(|| format!("env:{TOKEN}"));
    let source = KeySource::read(&place, folder.path()).map_err(anyhow::Error::msg)?;
    let token = source.0.read().await.map_err(anyhow::Error::msg);
    let token = token.context("the token of Home Assistant")?;
    let list = remote.list.clone().unwrap_or_else(|| "shopping_list".to_owned());
    let name = format!("{} {list}", remote.url);
    let list = HomeAssistant::new(&Settings { url: remote.url.clone(), token, list })?;
    Ok(Opened { list: Arc::new(list), name, kept: None })
}

/// The list in Home Assistant that is configured, or that the environment names; another list there if one
/// is said.
pub(super) fn remote(configured: Option<&Remote>, list: Option<&str>) -> anyhow::Result<Remote> {
    let from_environment = || {
        let url = std::env::var(URL).ok().filter(|url| !url.is_empty())?;
        Some(Remote { url, list: None, token: None })
    };
    let remote = configured.cloned().or_else(from_environment).with_context(|| {
        format!("where is Home Assistant? Set {URL}, or home_assistant.url in config.yaml")
    })?;
    Ok(Remote { list: list.map(str::to_owned).or(remote.list), ..remote })
}
