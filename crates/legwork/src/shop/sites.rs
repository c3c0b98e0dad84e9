//! Sites by name: one that is built in, one of the user's own in the folder `sites`, or a file.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use legwork_shop::config::near;
use legwork_shop::site::Site;

use super::Folder;

/// A site, and where its description is.
#[derive(Debug, Clone)]
pub struct Found {
    /// What it is called by.
    pub name: String,
    /// Its file; none if it is built in.
    pub file: Option<PathBuf>,
    /// The text of its description.
    pub text: String,
}

impl Found {
    fn in_file(name: &str, file: PathBuf) -> anyhow::Result<Found> {
        let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        Ok(Found { name: name.to_owned(), file: Some(file), text })
    }

    /// The site, if its description can be used.
    pub fn site(&self) -> anyhow::Result<Site> {
        let in_file = |mistake: legwork_shop::site::SiteError| match &self.file {
            Some(file) => mistake.in_file(file),
            None => mistake,
        };
        Site::parse(&self.text)
            .map_err(in_file)
            .with_context(|| format!("the site {:?} cannot be used", self.name))
    }

    /// Where the description is, for people.
    pub fn place(&self) -> String {
        self.file.as_ref().map_or("built in".to_owned(), |file| file.display().to_string())
    }
}

/// The site that is meant: the path of a file, else a name. The user's own come before those that are
/// built in.
pub fn find(folder: &Folder, said: &str) -> anyhow::Result<Found> {
    if said.contains('/') || said.ends_with(".toml") {
        return Found::in_file(said, PathBuf::from(said));
    }
    let own = folder.sites().join(format!("{said}.toml"));
    if own.exists() {
        return Found::in_file(said, own);
    }
    if let Some((name, text)) = Site::BUILT_IN.iter().find(|(name, _)| *name == said) {
        return Ok(Found { name: (*name).to_owned(), file: None, text: (*text).to_owned() });
    }
    let known: Vec<String> = all(folder).into_iter().map(|found| found.name).collect();
    let meant = near(said, known.iter().map(String::as_str));
    let meant = meant.map(|name| format!("did you mean {name:?}? ")).unwrap_or_default();
    bail!(
        "there is no site {said:?}; {meant}the sites are {}, and a file is written with its path: ./{said}.toml",
        known.join(", ")
    )
}

/// All that can be named, each once.
pub fn all(folder: &Folder) -> Vec<Found> {
    let entries = std::fs::read_dir(folder.sites()).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_toml).collect();
    files.sort();
    let own = files.into_iter().filter_map(|file| {
        let name = file.file_stem()?.to_str()?.to_owned();
        Found::in_file(&name, file).ok()
    });
    let mut found: Vec<Found> = own.collect();
    for (name, text) in Site::BUILT_IN {
        if !found.iter().any(|known| known.name == *name) {
            found.push(Found { name: (*name).into(), file: None, text: (*text).into() });
        }
    }
    found
}

fn is_toml(path: &PathBuf) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == "toml")
}
