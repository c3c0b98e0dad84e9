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
    /// In what cannot be written back: a table, or standard input if it is none. It is kept in a list of our
    /// own.
    Import { table: Option<PathBuf>, kept: PathBuf },
    /// In Home Assistant; where its token is, if not in the usual variable.
    HomeAssistant { url: String, list: String, token: Option<String> },
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
    /// The list at a path, or from standard input where that is `-`.
    pub fn at(path: &Path, folder: &Folder) -> Source {
        if path.as_os_str() == "-" {
            return Source::Import { table: None, kept: folder.kept_list() };
        }
        match is_table(path) {
            true => {
                let kept = path.with_extension("shopping.yaml");
                Source::Import { table: Some(path.to_owned()), kept }
            }
            false => Source::File(path.to_owned()),
        }
    }

    /// Opens it.
    pub async fn open(&self, folder: &Folder, resume: Resume) -> anyhow::Result<Opened> {
        match self {
            Source::File(path) => {
                let list = list::open(path, resume)?;
                Ok(Opened { list: list.into(), name: whole(path), kept: None })
            }
            Source::Import { table, kept } => {
                let list = imported(table.as_deref(), kept, resume)?;
                let name =
                    table.as_ref().map_or_else(|| kept.display().to_string(), |it| whole(it));
                Ok(Opened { list: Arc::new(list), name, kept: Some(kept.clone()) })
            }
            Source::HomeAssistant { url, list, token } => {
                let place = token.clone().unwrap_or_else(|| format!("env:{TOKEN}"));
                let token = KeySource::read(&place, folder.path()).map_err(anyhow::Error::msg)?;
                let token = token.0.read().await.map_err(anyhow::Error::msg);
                let token = token.context("the token of Home Assistant")?;
                let name = format!("{url} {list}");
                let (url, list) = (url.clone(), list.clone());
                let list = HomeAssistant::new(&Settings { url, token, list })?;
                Ok(Opened { list: Arc::new(list), name, kept: None })
            }
        }
    }

    /// The items that a trip would be made for. Nothing is kept or changed.
    pub async fn looked_at(&self, folder: &Folder, resume: Resume) -> anyhow::Result<Vec<Item>> {
        let Source::Import { table, kept } = self else {
            let opened = self.open(folder, resume).await?;
            return Ok(opened.list.get_uncompleted_items().await?);
        };
        let aside = tempfile::tempdir()?;
        let copy = aside.path().join("list.yaml");
        if kept.exists() {
            // A mistake in it is told of the list that the user has, not of the copy.
            YamlList::open(kept)?;
            std::fs::copy(kept, &copy)?;
        }
        Ok(imported(table.as_deref(), &copy, resume)?.get_uncompleted_items().await?)
    }
}

/// What cannot be written back, as it is kept. Where the last list from standard input was cut short, the
/// next one goes on with it; where that was seen through, it is another list, though it may say the same.
fn imported(table: Option<&Path>, kept: &Path, resume: Resume) -> Result<YamlList, ListError> {
    if let Some(table) = table {
        return Import::from_csv_file(table)?.kept_in(kept, resume);
    }
    let import = Import::from_reader(std::io::stdin(), Path::new("standard input"))?;
    let untried = |item: &Item| item.status == Status::NeedsAction && item.tags.is_empty();
    let cut_short = kept.exists() && YamlList::open(kept)?.items()?.iter().any(untried);
    import.kept_in(kept, if cut_short { resume } else { Resume::Afresh })
}

impl std::fmt::Display for Source {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::File(path) | Source::Import { table: Some(path), .. } => {
                write!(to, "{}", path.display())
            }
            Source::Import { table: None, .. } => write!(to, "standard input"),
            Source::HomeAssistant { url, list, .. } => write!(to, "{list} at {url}"),
        }
    }
}

/// The same file by whichever way it was named.
fn whole(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_owned()).display().to_string()
}

fn is_table(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    matches!(ending.as_deref(), Some("csv" | "tsv"))
}

/// A list in Home Assistant: what is said, what is configured, what the environment has, and what is usual,
/// in this order.
pub(super) fn remote(configured: Option<&Remote>, list: Option<&str>) -> anyhow::Result<Source> {
    let Remote { url, list: usual, token } = configured.cloned().unwrap_or_default();
    let set = || std::env::var(URL).ok().filter(|url| !url.is_empty());
    let url = url.or_else(set).with_context(|| {
        format!("where is Home Assistant? Set {URL}, or home_assistant.url in config.yaml")
    })?;
    let list = list.map(str::to_owned).or(usual).unwrap_or_else(|| "shopping_list".to_owned());
    Ok(Source::HomeAssistant { url, list, token })
}
