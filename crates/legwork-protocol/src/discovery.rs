//! Finds the sidecar to start: in the host's own bundle, where it was configured, or in `PATH`.
//!
//! The lookup is pure: it asks a [`System`] about environment and files, and so is tested for all three
//! platforms at once. It never starts anything.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::{Code, ToolError};

/// The environment variable that names the sidecar to use.
pub const VARIABLE: &str = "LEGWORK_SIDECAR";

/// The names a sidecar goes by, in the order in which they are looked for.
pub const NAMES: &[&str] = &["legwork", "tandem-browser"];

/// What the lookup may know about the machine.
pub trait System {
    /// Whether paths are written as Windows does.
    fn is_windows(&self) -> bool;
    /// The value of an environment variable.
    fn variable(&self, name: &str) -> Option<String>;
    /// Whether a file is there that this user may run.
    fn is_executable(&self, path: &str) -> bool;
}

/// What sidecar is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The folder in which the host ships a sidecar of its own.
    pub bundled: Option<PathBuf>,
    /// The sidecar that was configured: a path, or a name to look up in `PATH`.
    pub explicit: Option<String>,
}

/// The sidecar to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The file to run.
    pub path: PathBuf,
    /// How it was come by.
    pub how: How,
}

/// How a sidecar was come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The host ships it.
    Bundled,
    /// It was configured.
    Explicit,
    /// The variable [`VARIABLE`] names it.
    Environment,
    /// It is in `PATH`.
    Path,
}

impl Found {
    /// What it has to be told to be a sidecar: nothing where its name says so.
    pub fn arguments(&self) -> &'static [&'static str] {
        let name = self.path.to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        if name.ends_with("-browser") { &[] } else { &["sidecar"] }
    }
}

/// There is no sidecar. The host leaves the tools out and shows the sentence and the hint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct NotFound {
    /// The one that was named, and by what.
    pub named: Option<(How, String)>,
    /// Every place that was looked at, in order.
    pub looked: Vec<String>,
}

impl NotFound {
    /// What to do about it.
    pub fn hint(&self) -> String {
        format!(
            "looked at {}. Put `legwork` into PATH (cargo install --path crates/legwork), or set \
             {VARIABLE} to its path",
            self.looked.join("; ")
        )
    }
}

impl fmt::Display for NotFound {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.named {
            None => write!(out, "no browser sidecar was found"),
            Some((how, value)) => {
                let setting = if *how == How::Environment { VARIABLE } else { "the setting" };
                write!(out, "{setting} names the sidecar {value:?}, which cannot be run")
            }
        }
    }
}

impl From<NotFound> for ToolError {
    fn from(missing: NotFound) -> ToolError {
        ToolError::new(Code::SidecarNotFound, missing.to_string()).with_hint(missing.hint())
    }
}

/// Finds the sidecar: the bundled one, then the configured one, then the one the environment names, then
/// `PATH`. One that was named and is not there is an error, never replaced by another.
pub fn find(request: &Request, system: &impl System) -> Result<Found, NotFound> {
    let search = Search { system };
    let mut looked = Vec::new();
    if let Some(folder) = &request.bundled {
        let folder = folder.to_string_lossy();
        for name in NAMES {
            let path = search.within(&folder, name);
            if let Some(path) = search.runnable(&path) {
                return Ok(Found { path: path.into(), how: How::Bundled });
            }
            looked.push(path);
        }
    }
    let environment = system.variable(VARIABLE).map(|value| (How::Environment, value));
    let named = request.explicit.clone().map(|value| (How::Explicit, value));
    let named = [named, environment].into_iter().flatten();
    if let Some((how, value)) = named.into_iter().find(|(_, value)| !value.trim().is_empty()) {
        return search.named(how, value, looked);
    }
    for name in NAMES {
        if let Some(path) = search.in_path(name) {
            return Ok(Found { path: path.into(), how: How::Path });
        }
    }
    looked.push(search.describe_path(&NAMES.join(", ")));
    Err(NotFound { named: None, looked })
}

struct Search<'a, S> {
    system: &'a S,
}

impl<S: System> Search<'_, S> {
    fn named(&self, how: How, value: String, mut looked: Vec<String>) -> Result<Found, NotFound> {
        let is_path = value.contains(|letter| self.is_separator(letter));
        let path = if is_path { self.runnable(&value) } else { self.in_path(&value) };
        if let Some(path) = path {
            return Ok(Found { path: path.into(), how });
        }
        looked.push(if is_path { value.clone() } else { self.describe_path(&value) });
        Err(NotFound { named: Some((how, value)), looked })
    }

    fn is_separator(&self, letter: char) -> bool {
        letter == '/' || (letter == '\\' && self.system.is_windows())
    }

    fn within(&self, folder: &str, name: &str) -> String {
        let separator = if self.system.is_windows() { '\\' } else { '/' };
        let folder = folder.trim_end_matches(|letter| self.is_separator(letter));
        format!("{folder}{separator}{name}")
    }

    fn in_path(&self, name: &str) -> Option<String> {
        self.folders().iter().find_map(|folder| self.runnable(&self.within(folder, name)))
    }

    /// The path as given or, on Windows, with the ending of a program.
    fn runnable(&self, path: &str) -> Option<String> {
        let has_ending = path.to_ascii_lowercase().ends_with(".exe");
        let path = match self.system.is_windows() && !has_ending {
            true => format!("{path}.exe"),
            false => path.to_owned(),
        };
        self.system.is_executable(&path).then_some(path)
    }

    /// The folders in `PATH`. An empty entry means the current folder, which is no place to trust a
    /// program in, so it is left out.
    fn folders(&self) -> Vec<String> {
        let value = self.system.variable("PATH").unwrap_or_default();
        let folders = value.split(if self.system.is_windows() { ';' } else { ':' });
        let folders = folders.map(|folder| folder.trim_matches('"').to_owned());
        folders.filter(|folder| !folder.is_empty() && folder != ".").collect()
    }

    fn describe_path(&self, names: &str) -> String {
        let folders = self.folders();
        let folders = if folders.is_empty() { "empty".to_owned() } else { folders.join(", ") };
        format!("{names} in PATH ({folders})")
    }
}

/// The machine this program runs on.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostSystem;

impl System for HostSystem {
    fn is_windows(&self) -> bool {
        cfg!(windows)
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
    }

    fn is_executable(&self, path: &str) -> bool {
        is_executable(Path::new(path))
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests;
