//! The rules in force: a preset, and a policy file on top of it. What cannot be read in full is an error,
//! never a policy that says less.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use legwork_engine::{Grant, Guard};

use super::actions::Actions;
use super::error::PolicyError;
use super::facts::Kind;
use super::file::File;
use super::hosts::HostPattern;
use super::hours::Hours;
use super::network::Network;
use super::permissions::Permissions;
use super::place::{HostName, Place};
use super::presets::Preset;
use super::said::{Said, Source, Stance};
use super::targets::Target;
use super::transfer::{Downloads, Uploads};
use crate::secrets::SecretRule;

/// The rules in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    pub(super) preset: Preset,
    /// The file that was read, and what it said.
    pub(super) file: Option<PathBuf>,
    pub(super) text: String,
    pub(super) network: Arc<Network>,
    pub(super) actions: Actions,
    pub(super) targets: Vec<Target>,
    pub(super) sites: Vec<Site>,
    pub(super) downloads: Downloads,
    pub(super) uploads: Uploads,
    pub(super) rate: Option<Said<u32>>,
    pub(super) approvals: ApprovalRules,
    pub(super) secrets: BTreeMap<String, SecretRule>,
    pub(super) permissions: Permissions,
    pub(super) hours: Option<Hours>,
}

/// What is said of one site.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Site {
    pub(super) hosts: Vec<HostPattern>,
    pub(super) actions: Actions,
    pub(super) rate: Option<u32>,
}

/// How people are asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalRules {
    /// How long an answer is waited for.
    pub expires: Duration,
    /// What happens where nobody can be asked.
    pub unanswered: Stance,
    /// A program that is asked.
    pub hook: Option<Vec<String>>,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules::preset("open").expect("the presets have a test")
    }
}

impl Rules {
    /// The rules of a preset alone.
    pub fn preset(name: &str) -> Option<Rules> {
        Preset::named(name).map(Preset::rules)
    }

    /// Reads a policy file. What cannot be opened, read or understood is an error.
    pub fn read(path: &Path) -> Result<Rules, PolicyError> {
        let wrong = |error: std::io::Error| {
            PolicyError::new(format!("the policy cannot be read: {error}"))
                .with_hint("nothing is done without the policy: mend the path, or name a preset")
                .in_file(path)
        };
        let text = std::fs::read_to_string(path).map_err(wrong)?;
        let path = std::path::absolute(path).map_err(wrong)?;
        let base = path.parent().unwrap_or(Path::new("/"));
        let rules = Rules::parse_in(&text, base).map_err(|error| error.in_file(&path))?;
        Ok(Rules { file: Some(path), ..rules })
    }

    /// Reads the text of a policy file; relative paths count from the working directory.
    pub fn parse(text: &str) -> Result<Rules, PolicyError> {
        let here = std::env::current_dir()
            .map_err(|error| PolicyError::new(format!("there is no working directory: {error}")))?;
        Rules::parse_in(text, &here)
    }

    fn parse_in(text: &str, base: &Path) -> Result<Rules, PolicyError> {
        let file = File::parse(text)?;
        let Some(name) = &file.preset else {
            let message = format!(
                "a policy says what it starts from: preset = \"…\", one of {}",
                Preset::names()
            );
            return Err(PolicyError::new(message).at(text, 0));
        };
        let preset = Preset::named(name.get_ref())
            .ok_or_else(|| Preset::unknown(name.get_ref()).at(text, name.span().start))?;
        super::layers::check(preset, &file, text)?;
        Ok(Rules { text: text.to_owned(), ..super::layers::rules(preset, file, base) })
    }

    /// The file they were read from.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The preset they start from.
    pub fn starts_from(&self) -> Preset {
        self.preset
    }

    /// What the file said, word for word; empty for a preset alone.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What guards the network; none where nothing is restricted.
    pub fn guard(&self) -> Option<Arc<dyn Guard>> {
        match self.network.is_open() {
            true => None,
            false => Some(self.network.clone()),
        }
    }

    /// What pages are given that Chrome would ask for. The preset `open` leaves it to Chrome, unless
    /// something is said.
    pub fn permissions(&self) -> Option<Vec<Grant>> {
        let said = self.preset.name != "open" || !self.permissions.is_empty();
        said.then(|| super::permissions::grants(&self.permissions))
    }

    /// How many actions a minute a host may see: what its sites say, else what is said of all.
    pub fn rate(&self, host: &str) -> Option<u32> {
        let all = self.rate.map(|rate| rate.value);
        let Some(host) = HostName::parse(host) else { return all };
        let of_site = |site: &Site| site.rate.filter(|_| site.has(&host));
        self.sites.iter().filter_map(of_site).min().or(all)
    }

    /// How people are asked.
    pub fn approvals(&self) -> &ApprovalRules {
        &self.approvals
    }

    /// What is said of files that pages are given.
    pub fn uploads(&self) -> &Uploads {
        &self.uploads
    }

    /// What is said of files that pages hand out.
    pub fn downloads(&self) -> &Downloads {
        &self.downloads
    }

    /// The secrets, by name.
    pub fn secrets(&self) -> &BTreeMap<String, SecretRule> {
        &self.secrets
    }

    /// Whether what becomes of this kind of action could depend on the element it is done to, or on what
    /// was entered in the page. `asks` says whether an answer of a person would make a difference.
    pub fn needs_element(&self, kind: Kind, asks: bool) -> bool {
        let sites = || self.sites.iter().any(|site| site.actions.minds_meanings(asks));
        let meanings = || self.actions.minds_meanings(asks) || sites();
        if matches!(kind, Kind::Navigate | Kind::Session) {
            return meanings();
        }
        // Pointing at something means nothing by itself, but rules about what it is and where it stands hold.
        let acts =
            matches!(kind, Kind::Click | Kind::Type | Kind::Press | Kind::Upload | Kind::Move);
        acts && ((kind != Kind::Move && meanings())
            || !self.targets.is_empty()
            || !self.secrets.is_empty()
            || !self.network.is_open())
    }
}

impl Site {
    /// Whether a host is of this site, whatever scheme and port its rules name.
    fn has(&self, host: &HostName) -> bool {
        self.hosts.iter().any(|pattern| pattern.names(host))
    }

    /// The pattern that a place is of this site by.
    pub(super) fn by(&self, place: &Place) -> Option<&HostPattern> {
        self.hosts.iter().find(|pattern| pattern.covers(place))
    }
}

impl Source {
    /// The source as it is told.
    pub fn told(self) -> String {
        match self {
            Source::Preset(name) => format!("preset {name}"),
            Source::File => "the file".into(),
        }
    }
}
