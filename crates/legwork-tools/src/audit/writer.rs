//! The process that writes: known by its number and the moment it began, so that its end can be told even
//! when the number was given to another since.

use serde::{Deserialize, Serialize};

/// A process that writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writer {
    /// Its number.
    pub process: u32,
    /// When it began, in the words of the system; compared, never read.
    pub began: String,
    /// The user it runs as.
    pub user: String,
}

impl Writer {
    /// This process.
    pub(super) fn this() -> Writer {
        let process = std::process::id();
        Writer { process, began: began(process).unwrap_or_default(), user: user() }
    }

    /// Whether it is still there.
    pub(super) fn is_alive(&self) -> bool {
        began(self.process).as_deref() == Some(&self.began)
    }
}

/// When a process began, if it runs. Ticks count from the start of the machine, so its start is told, too.
#[cfg(target_os = "linux")]
fn began(process: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before may hold anything, also parentheses.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?;
    // Ended, but its parent has not asked how.
    if matches!(state, "Z" | "X") {
        return None;
    }
    let ticks = fields.nth(18)?;
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    Some(format!("{}:{ticks}", boot.trim()))
}

/// Elsewhere only whether there is a process of that number.
#[cfg(all(unix, not(target_os = "linux")))]
fn began(process: u32) -> Option<String> {
    let process = rustix::process::Pid::from_raw(i32::try_from(process).ok()?)?;
    let there = match rustix::process::test_kill_process(process) {
        Ok(()) => true,
        Err(error) => error == rustix::io::Errno::PERM,
    };
    there.then(String::new)
}

#[cfg(not(unix))]
fn began(_: u32) -> Option<String> {
    Some(String::new())
}

#[cfg(unix)]
fn user() -> String {
    rustix::process::geteuid().as_raw().to_string()
}

#[cfg(not(unix))]
fn user() -> String {
    std::env::var("USERNAME").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_number_and_its_beginning() {
        let this = Writer::this();
        assert!(this.is_alive());
        let other = Writer { began: "long ago".into(), ..this };
        assert!(!other.is_alive());
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let writer = Writer { process: child.id(), began: began(child.id()).unwrap(), ..other };
        assert!(writer.is_alive());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!writer.is_alive());
    }
}
