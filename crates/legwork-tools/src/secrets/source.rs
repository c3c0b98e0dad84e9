//! Reading a value where it is. Says what is wrong with the place, never what was read.

use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use secrecy::SecretString;
use tokio::io::AsyncReadExt as _;
use zeroize::Zeroizing;

use super::rule::SecretSource;

/// For a program to print the value; a person may have to unlock something first.
const PATIENCE: Duration = Duration::from_secs(30);

/// More than any password or seed.
const LARGEST: u64 = 64 * 1024;

pub(super) async fn read(source: &SecretSource) -> Result<SecretString, String> {
    match source {
        SecretSource::Command(argv) => printed(argv).await,
        SecretSource::Keyring(name) => keyring(name).await,
        quick => read_now(quick),
    }
}

impl SecretSource {
    /// Reads the value. An error says what is wrong with the place, never what was read.
    pub async fn read(&self) -> Result<SecretString, String> {
        read(self).await
    }
}

/// Whether asking may take a while, or ask a person.
pub(super) fn is_slow(source: &SecretSource) -> bool {
    matches!(source, SecretSource::Command(_) | SecretSource::Keyring(_))
}

impl fmt::Display for SecretSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SecretSource::Env(name) => write!(out, "the variable {name}"),
            SecretSource::File(path) => write!(out, "the file {}", path.display()),
            // Arguments may be secrets of their own.
            SecretSource::Command(argv) => {
                write!(out, "the command {}", argv.first().map_or("", |program| program))
            }
            SecretSource::Keyring(name) => write!(out, "the keyring's {name}"),
        }
    }
}

/// What can be had without asking anybody.
pub(super) fn read_now(source: &SecretSource) -> Result<SecretString, String> {
    match source {
        SecretSource::Env(name) => match std::env::var(name) {
            Ok(value) => Ok(value.into()),
            Err(std::env::VarError::NotPresent) => Err(format!(
                "the variable {name} is not set where this runs; a daemon that runs already does not see it"
            )),
            Err(_) => Err(format!("the variable {name} is no text")),
        },
        SecretSource::File(path) => file(path),
        SecretSource::Command(_) | SecretSource::Keyring(_) => {
            Err("it is asked for when it is needed".to_owned())
        }
    }
}

fn text(bytes: Zeroizing<Vec<u8>>, whose: &str) -> Result<SecretString, String> {
    let text = std::str::from_utf8(&bytes).map_err(|_| format!("{whose} is no text"))?;
    let line = text.strip_suffix('\n').unwrap_or(text);
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned().into())
}

/// A file of the user's own that nobody else can read. It is opened first: what is looked at is what is
/// read, whatever becomes of the path.
fn file(path: &Path) -> Result<SecretString, String> {
    let path = at_home(path)?;
    let shown = path.display();
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // A pipe would keep whoever opens it waiting.
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(&path).map_err(|error| format!("{shown}: {error}"))?;
    let about = file.metadata().map_err(|error| format!("{shown}: {error}"))?;
    if !about.is_file() {
        return Err(format!("{shown} is no file"));
    }
    if about.len() > LARGEST {
        return Err(format!("{shown} has {} bytes, too many for a secret", about.len()));
    }
    private(&path, &about)?;
    let mut bytes = Zeroizing::new(Vec::with_capacity(LARGEST as usize));
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| format!("{shown}: {error}"))?;
    text(bytes, "the file")
}

#[cfg(unix)]
fn private(path: &Path, about: &std::fs::Metadata) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt as _;
    let (shown, mode) = (path.display(), about.mode() & 0o777);
    if about.uid() != rustix::process::getuid().as_raw() {
        return Err(format!("{shown} belongs to another user ({})", about.uid()));
    }
    if mode & 0o077 != 0 {
        return Err(format!("{shown} can be read by others (mode {mode:03o}): chmod 600 {shown}"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn private(_: &Path, _: &std::fs::Metadata) -> Result<(), String> {
    Ok(())
}

/// `~/` is the user's home; anything else has to say where it is.
fn at_home(path: &Path) -> Result<PathBuf, String> {
    let whole = match path.strip_prefix("~") {
        Ok(rest) => std::env::home_dir().ok_or("there is no home folder")?.join(rest),
        Err(_) => path.to_owned(),
    };
    match whole.is_absolute() {
        true => Ok(whole),
        false => Err(format!("{} does not begin with / or ~/", path.display())),
    }
}

/// What a program prints, without a shell. What it says of errors may hold the value, so it is not told.
async fn printed(argv: &[String]) -> Result<SecretString, String> {
    let [program, arguments @ ..] = argv else { return Err("the command is empty".to_owned()) };
    let mut child = tokio::process::Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("{program} does not start: {error}"))?;
    let mut bytes = Zeroizing::new(Vec::with_capacity(LARGEST as usize));
    let Some(out) = child.stdout.take() else { return Err(format!("{program} prints nothing")) };
    let ended = async {
        out.take(LARGEST).read_to_end(&mut bytes).await?;
        child.wait().await
    };
    let ended = tokio::time::timeout(PATIENCE, ended).await;
    match ended {
        Err(_) => Err(format!("{program} did not end within {} s", PATIENCE.as_secs())),
        Ok(Err(error)) => Err(format!("{program}: {error}")),
        Ok(Ok(status)) if !status.success() => {
            Err(format!("{program} failed ({status}); run it in a terminal to see why"))
        }
        Ok(Ok(_)) => text(bytes, "what the command prints"),
    }
}

/// The operating system's own program is asked: libraries for keyrings are larger than all the rest.
async fn keyring(name: &str) -> Result<SecretString, String> {
    let argv: &[&str] = match std::env::consts::OS {
        "macos" => &["security", "find-generic-password", "-s", "legwork", "-w", "-a", name],
        "linux" => &["secret-tool", "lookup", "service", "legwork", "name", name],
        other => {
            return Err(format!("no keyring is known on {other}; use a file or a command"));
        }
    };
    let argv: Vec<String> = argv.iter().map(|&part| part.to_owned()).collect();
    printed(&argv).await.map_err(|error| {
        let how = match std::env::consts::OS {
            "macos" => format!("security add-generic-password -s legwork -a {name} -w"),
            _ => format!("secret-tool store --label legwork service legwork name {name}"),
        };
        format!("{error}. It is put there by: {how}. A machine without a desktop has no keyring: use a file or a command")
    })
}
