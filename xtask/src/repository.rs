//! The folder everything is checked in, its files, and the commands run in it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// Where `scripts/setup` puts the tools it builds.
const TOOLS: &str = ".cache/tools/bin";

/// The repository's root folder.
pub struct Repository {
    root: PathBuf,
}

impl Repository {
    /// The repository this program was built in.
    pub fn find() -> anyhow::Result<Repository> {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = own.parent().context("xtask is not in a repository")?;
        Ok(Repository { root: root.to_owned() })
    }

    /// The path of something in the repository.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// The text of a file in the repository.
    pub fn read(&self, relative: impl AsRef<Path>) -> anyhow::Result<String> {
        let relative = relative.as_ref();
        let read = std::fs::read_to_string(self.path(relative));
        read.with_context(|| format!("{} cannot be read", relative.display()))
    }

    /// The files with one of these endings that git tracks or would track, relative to the root.
    pub fn files(&self, endings: &[&str]) -> anyhow::Result<Vec<PathBuf>> {
        let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let listed = self.output("git", arguments)?;
        let has_ending = |path: &&Path| {
            let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
            endings.contains(&ending)
        };
        let files = listed.split('\0').filter(|name| !name.is_empty()).map(Path::new);
        // git lists what is deleted and not yet committed too.
        let files = files.filter(has_ending).filter(|path| self.path(path).is_file());
        let mut files: Vec<PathBuf> = files.map(Path::to_owned).collect();
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// Runs a command, its output shown, and fails when it does.
    pub fn run<A: AsRef<OsStr>>(
        &self,
        program: &str,
        arguments: impl IntoIterator<Item = A>,
    ) -> anyhow::Result<()> {
        let mut command = self.command(program, arguments)?;
        let status = command.status().with_context(|| format!("{program} cannot be started"))?;
        if !status.success() {
            bail!("{} ended with {status}", words(&command));
        }
        Ok(())
    }

    /// Runs a command and gives what it printed.
    pub fn output<A: AsRef<OsStr>>(
        &self,
        program: &str,
        arguments: impl IntoIterator<Item = A>,
    ) -> anyhow::Result<String> {
        let mut command = self.command(program, arguments)?;
        let output = command.stderr(Stdio::inherit()).output();
        let output = output.with_context(|| format!("{program} cannot be started"))?;
        if !output.status.success() {
            bail!("{} ended with {}", words(&command), output.status);
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn command<A: AsRef<OsStr>>(
        &self,
        program: &str,
        arguments: impl IntoIterator<Item = A>,
    ) -> anyhow::Result<Command> {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.root).env("PATH", self.search_path()?);
        Ok(command)
    }

    /// The user's `PATH` with our own tools in front.
    fn search_path(&self) -> anyhow::Result<OsString> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.path(TOOLS)).chain(std::env::split_paths(&path));
        std::env::join_paths(folders).context("PATH cannot be extended")
    }
}

fn words(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}
