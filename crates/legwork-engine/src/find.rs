//! Finds the Chrome to launch: which file it is, of which kind, and how it was come by.
//!
//! The lookup is pure. It asks a [`System`] about environment and files, and so runs for all three
//! platforms in one test. It never starts anything, never downloads anything, and never replaces a
//! browser that was asked for by another one.

mod host;
mod install;
mod missing;
mod places;

use std::path::PathBuf;

pub use host::HostSystem;
pub use missing::{NotFound, Reason};

/// The environment variable that names the browser to use.
pub const VARIABLE: &str = "LEGWORK_BROWSER";

/// What the lookup may know about the machine.
pub trait System {
    /// The platform whose install places and path rules apply.
    fn platform(&self) -> Platform;
    /// The value of an environment variable.
    fn variable(&self, name: &str) -> Option<String>;
    /// Whether a file is there that this user may run.
    fn is_executable(&self, path: &str) -> bool;
    /// The text of `os-release`, which says what Linux distribution this is.
    fn os_release(&self) -> Option<String>;
}

/// A family of operating systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Linux, and the other Unixes that lay out their files as it does.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    fn separator(self) -> char {
        if self == Platform::Windows { '\\' } else { '/' }
    }

    fn list_separator(self) -> char {
        if self == Platform::Windows { ';' } else { ':' }
    }

    fn is_separator(self, letter: char) -> bool {
        letter == '/' || letter == self.separator()
    }
}

/// What browser is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The browser that was configured: a path, or a name to look up in `PATH`.
    pub explicit: Option<String>,
    /// The kind of browser the work calls for.
    pub prefer: Prefer,
}

/// The kind of browser the work calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefer {
    /// A headless shell where there is one, a full browser otherwise.
    HeadlessShell,
    /// A full browser where there is one, a headless shell otherwise: for profiles, which a person may open in
    /// a window later.
    FullFirst,
    /// A full browser and nothing else: for windows and for extensions.
    Full,
}

/// The browser to launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The file to run.
    pub path: PathBuf,
    /// What kind of browser it is.
    pub kind: Kind,
    /// How it was come by.
    pub how: How,
}

/// The kind of a browser that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The small build that has no windows: faster to start, and cannot load extensions.
    HeadlessShell,
    /// Chrome, Chromium or Edge as people use it.
    Full,
}

/// How a browser was come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It was configured.
    Explicit,
    /// The variable [`VARIABLE`] names it.
    Environment,
    /// It is where its installer puts it on this platform.
    WellKnown,
    /// It is in `PATH`.
    Path,
}

/// Finds the browser to launch: the configured one, then the one the environment names, then the
/// well-known install places, then `PATH`.
pub fn find(request: &Request, system: &impl System) -> Result<Found, NotFound> {
    let search = Search { system, platform: system.platform() };
    let set = request.explicit.clone().filter(|value| !value.trim().is_empty());
    if let Some(value) = set {
        return search.named(&value, How::Explicit, request.prefer);
    }
    let set = system.variable(VARIABLE).filter(|value| !value.trim().is_empty());
    if let Some(value) = set {
        return search.named(&value, How::Environment, request.prefer);
    }
    search.anywhere(request.prefer)
}

struct Search<'a, S> {
    system: &'a S,
    platform: Platform,
}

impl<S: System> Search<'_, S> {
    /// The browser somebody named, or an error that says its name.
    fn named(&self, value: &str, how: How, prefer: Prefer) -> Result<Found, NotFound> {
        let is_path = value.contains(|letter| self.platform.is_separator(letter));
        let path = if is_path { self.runnable(value) } else { self.in_path(value) };
        let refuse = |reason| {
            let looked =
                if is_path { vec![value.to_owned()] } else { self.describe_path(&[value]) };
            NotFound { reason, looked, install: install::command(self.system) }
        };
        let value = value.to_owned();
        let path = path.ok_or_else(|| refuse(Reason::Named { how, value }))?;
        let kind = self.kind_of(&path);
        if prefer == Prefer::Full && kind == Kind::HeadlessShell {
            return Err(refuse(Reason::HeadlessOnly { how, path: path.into() }));
        }
        Ok(Found { path: path.into(), kind, how })
    }

    fn anywhere(&self, prefer: Prefer) -> Result<Found, NotFound> {
        let kinds: &[Kind] = match prefer {
            Prefer::HeadlessShell => &[Kind::HeadlessShell, Kind::Full],
            Prefer::FullFirst => &[Kind::Full, Kind::HeadlessShell],
            Prefer::Full => &[Kind::Full],
        };
        let mut looked = Vec::new();
        for &kind in kinds {
            let places = places::well_known(self.system, kind);
            if let Some(path) = places.iter().find(|path| self.system.is_executable(path)) {
                return Ok(Found { path: path.into(), kind, how: How::WellKnown });
            }
            let names = places::names(kind);
            if let Some(path) = names.iter().find_map(|name| self.in_path(name)) {
                return Ok(Found { path: path.into(), kind, how: How::Path });
            }
            looked.extend(places);
            looked.extend(self.describe_path(names));
        }
        Err(NotFound { reason: Reason::Missing, looked, install: install::command(self.system) })
    }

    /// Judged by name: to ask the browser itself would be to start it.
    fn kind_of(&self, path: &str) -> Kind {
        let file = path.rsplit(|letter| self.platform.is_separator(letter)).next();
        let file = file.unwrap_or(path).to_ascii_lowercase().replace('_', "-");
        if file.contains("headless-shell") { Kind::HeadlessShell } else { Kind::Full }
    }

    fn in_path(&self, name: &str) -> Option<String> {
        let separator = self.platform.separator();
        self.path_folders().iter().find_map(|folder| {
            let folder = folder.trim_end_matches(|letter| self.platform.is_separator(letter));
            self.runnable(&format!("{folder}{separator}{name}"))
        })
    }

    /// The path as given or, on Windows, with one of the endings that make a file a program.
    fn runnable(&self, path: &str) -> Option<String> {
        if self.platform != Platform::Windows {
            return self.system.is_executable(path).then(|| path.to_owned());
        }
        let endings = self.program_endings();
        let lower = path.to_ascii_lowercase();
        if endings.iter().any(|ending| lower.ends_with(ending)) {
            return self.system.is_executable(path).then(|| path.to_owned());
        }
        let with_ending = endings.iter().map(|ending| format!("{path}{ending}"));
        with_ending.into_iter().find(|path| self.system.is_executable(path))
    }

    fn program_endings(&self) -> Vec<String> {
        let value = self.system.variable("PATHEXT").filter(|value| !value.is_empty());
        let value = value.unwrap_or_else(|| ".COM;.EXE;.BAT;.CMD".to_owned());
        let endings = value.split(';').map(|ending| ending.trim().to_ascii_lowercase());
        endings.filter(|ending| !ending.is_empty()).collect()
    }

    /// The folders in `PATH`. An empty entry means the current folder, which is no place to trust
    /// a program in, so it is left out.
    fn path_folders(&self) -> Vec<String> {
        let value = self.system.variable("PATH").unwrap_or_default();
        let folders = value.split(self.platform.list_separator());
        let folders = folders.map(|folder| folder.trim_matches('"').to_owned());
        folders.filter(|folder| !folder.is_empty() && folder != ".").collect()
    }

    /// One line for all that was looked for in `PATH`.
    fn describe_path(&self, names: &[&str]) -> Vec<String> {
        let folders = self.path_folders();
        let folders = if folders.is_empty() { "empty".to_owned() } else { folders.join(", ") };
        vec![format!("{} in PATH ({folders})", names.join(", "))]
    }
}

#[cfg(test)]
mod tests;
