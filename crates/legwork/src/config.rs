//! What the program is told before it starts: one file, then the environment, then flags, each stronger
//! than the one before. Knows no command; every door makes its settings here.

mod assistant;
mod file;
mod keys;
mod policy;
mod value;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use legwork_tools::audit::{Audit, Store};
use legwork_tools::engine::{self, SessionOptions};
use legwork_tools::{Approvals, Files, Jail, PolicyError, Rules, Settings, Vault};

use crate::daemon::{always_file, state_folder};
use value::Recording;

pub use assistant::{Dollars, KeySource};
pub use keys::{KEYS, Key, Values};
pub use policy::Policy;

/// The environment variable that names the file.
pub const VARIABLE: &str = "LEGWORK_CONFIG";

/// What was said on the command line.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// The file to read instead of the usual one.
    pub config: Option<PathBuf>,
    /// Shows the browser's window.
    pub headed: bool,
    /// Where calls are recorded.
    pub audit: Option<String>,
    /// The policy: a preset or a file.
    pub policy: Option<String>,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody said anything.
    Default,
    /// The file, at this line.
    File(PathBuf, usize),
    /// An environment variable.
    Environment(&'static str),
    /// A flag.
    Flag(&'static str),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::Default => out.write_str("default"),
            Origin::File(path, line) => write!(out, "{}:{line}", path.display()),
            Origin::Environment(name) => write!(out, "{name}"),
            Origin::Flag(name) => write!(out, "{name}"),
        }
    }
}

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Something in the file is wrong.
    #[error("{}:{line}:{column}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// An environment variable is wrong.
    #[error("{name}: {message}")]
    Said {
        /// The variable.
        name: &'static str,
        /// What is wrong.
        message: String,
    },
    /// The policy cannot be used, and nothing is done without one.
    #[error(transparent)]
    Policy(PolicyError),
}

/// What is in force, and where each value came from.
#[derive(Debug, Clone)]
pub struct Config {
    /// The values.
    pub values: Values,
    /// The file that was read, if there is one.
    pub file: Option<PathBuf>,
    /// What may be done.
    pub rules: Arc<Rules>,
    /// The secrets that may be entered by name.
    pub vault: Arc<Vault>,
    origins: Vec<(&'static str, Origin)>,
}

impl Config {
    /// Reads the file, the environment and the flags.
    pub fn load(flags: &Flags) -> Result<Config, Error> {
        Config::load_from(flags, &|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn load_from(
        flags: &Flags,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Config, Error> {
        let (values, rules) = (Values::default(), Arc::default());
        let mut config = Config {
            values,
            file: None,
            rules,
            vault: Arc::default(),
            origins: Vec::with_capacity(4),
        };
        if let Some(path) = find_file(flags, variable) {
            config.read_file(path)?;
        }
        for key in KEYS {
            let Some(text) = variable(key.variable) else { continue };
            config
                .values
                .set_text(key.name, &text)
                .map_err(|message| Error::Said { name: key.variable, message })?;
            config.note(key.name, Origin::Environment(key.variable));
        }
        if flags.headed {
            config.values.headed = true;
            config.note("headed", Origin::Flag("--headed"));
        }
        if let Some(audit) = &flags.audit {
            let wrong = |message| Error::Said { name: "--audit", message };
            config.values.set_text("audit", audit).map_err(wrong)?;
            config.note("audit", Origin::Flag("--audit"));
        }
        if let Some(policy) = &flags.policy {
            let said = config.values.set_text("policy", policy);
            said.map_err(|message| Error::Said { name: "--policy", message })?;
            config.note("policy", Origin::Flag("--policy"));
        }
        config.read_policy(usual("policy.toml", variable))?;
        Ok(config)
    }

    /// Reads the policy; without a word about one, that is the usual file, unless it is not there.
    fn read_policy(&mut self, usual: Option<PathBuf>) -> Result<(), Error> {
        // What is there and cannot be looked at is not the same as nothing.
        let there = |path: &PathBuf| {
            let missing = path.symlink_metadata().map_err(|error| error.kind());
            !matches!(missing, Err(std::io::ErrorKind::NotFound))
        };
        if let (Policy::Unsaid, Some(path)) = (&self.values.policy, usual.filter(there)) {
            self.values.policy = Policy::File(path);
        }
        self.rules = Arc::new(self.values.policy.rules().map_err(Error::Policy)?);
        let vault = Vault::new(self.rules.secrets().clone());
        let wrong = |message| Error::Said { name: "policy", message };
        self.vault = Arc::new(vault.map_err(wrong)?);
        Ok(())
    }

    fn read_file(&mut self, path: PathBuf) -> Result<(), Error> {
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Error::Unreadable { path: path.clone(), reason: error.to_string() })?;
        for (key, line) in file::read(&path, &text, &mut self.values)? {
            self.note(key, Origin::File(path.clone(), line));
        }
        self.file = Some(path);
        Ok(())
    }

    fn note(&mut self, key: &'static str, origin: Origin) {
        self.origins.retain(|(known, _)| *known != key);
        self.origins.push((key, origin));
    }

    /// Where the value of a key came from.
    pub fn origin(&self, key: &str) -> &Origin {
        let told = self.origins.iter().find(|(known, _)| *known == key);
        told.map_or(&Origin::Default, |(_, origin)| origin)
    }

    /// The settings of a host that runs tools.
    pub fn settings(&self) -> Settings {
        let values = &self.values;
        let default = Settings::default();
        let launch = engine::Launch {
            browser: values.browser.clone(),
            headed: values.headed,
            user_data_dir: values.user_data_dir.clone(),
            ..Default::default()
        };
        let engine = engine::Config {
            launch,
            attach: values.attach.clone(),
            idle: values.session_idle,
            downloads: self.rules.downloads().folder.clone().or(values.downloads.clone()),
            ..Default::default()
        };
        Settings {
            engine,
            session: SessionOptions { viewport: values.viewport, ..Default::default() },
            files: self.files(),
            inline_bytes: values.inline_bytes,
            page_tokens: values.page_tokens,
            picture_side: values.picture_side,
            beat: default.beat,
            rules: self.rules.clone(),
            vault: self.vault.clone(),
            jail: Arc::new(Jail::from(self.rules.uploads())),
            approvals: Arc::new(self.approvals()),
            audit: self.audit_folder().map_or(default.audit, |folder| self.recorder(&folder)),
        }
    }

    /// Where pictures and long outputs are kept.
    pub fn files(&self) -> Files {
        self.values.files.clone().map_or_else(Files::temporary, Files::in_folder)
    }

    /// Where people are asked, with what they always allow.
    pub fn approvals(&self) -> Approvals {
        Approvals::new(Some(always_file()))
    }

    /// The folder in which calls are recorded, if they are.
    pub fn audit_folder(&self) -> Option<PathBuf> {
        match &self.values.audit {
            Recording::Usual => Some(state_folder().join("audit")),
            Recording::Folder(folder) => Some(folder.clone()),
            Recording::Off => None,
        }
    }

    fn recorder(&self, folder: &Path) -> Arc<dyn Audit> {
        Arc::new(Store::in_folder(folder).with_pictures(self.values.audit_pictures))
    }

    /// A short text that differs where the values do: two configurations get two daemons.
    pub fn fingerprint(&self) -> String {
        let keys = KEYS.iter().filter(|key| !keys::OF_RUNS.contains(&key.name));
        let mut said: Vec<String> =
            keys.map(|key| format!("{}={}", key.name, self.values.show(key.name))).collect();
        // A policy that was changed is another one: no daemon goes on with the old.
        said.push(self.rules.text().to_owned());
        // FNV-1a: it has to be the same in every run and need not withstand anybody.
        let hash = said.join("\n").bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{hash:016x}")
    }

    /// How long the daemon waits for a call.
    pub fn daemon_idle(&self) -> Duration {
        self.values.daemon_idle
    }
}

/// The file that was named, or the usual one if it is there.
fn find_file(flags: &Flags, variable: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let named = flags.config.clone().or_else(|| variable(VARIABLE).map(PathBuf::from));
    named.or_else(|| usual("config.toml", variable).filter(|path| path.exists()))
}

/// Where something of ours usually is in the folder of the configuration; nowhere without a home folder.
pub fn usual_path(name: &str) -> Option<PathBuf> {
    usual(name, &|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

/// Where a file of ours usually is.
fn usual(name: &str, variable: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let folder = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = folder.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".config")))?;
    Some(folder.join("legwork").join(name))
}

/// A path as people write it, made whole: `~` is the home folder, and what is relative is relative to
/// `base`.
fn whole_path(text: &str, base: &Path) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => base.join(text),
    }
}

#[cfg(test)]
mod tests;
