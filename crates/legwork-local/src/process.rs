//! A process, known by its number and the moment it began, so that its end can be told even when the number
//! was given to another since.

/// This process: its number, and when it began in the words of the system, which are compared, never read.
pub fn this() -> (u32, String) {
    let process = std::process::id();
    (process, began(process).unwrap_or_default())
}

/// Whether the process that began then is still there.
pub fn is_alive(process: u32, when: &str) -> bool {
    began(process).as_deref() == Some(when)
}

/// The user this process runs as.
#[cfg(unix)]
pub fn user() -> String {
    rustix::process::geteuid().as_raw().to_string()
}

/// The user this process runs as.
#[cfg(not(unix))]
pub fn user() -> String {
    std::env::var("USERNAME").unwrap_or_default()
}

/// When a process began, if it runs. Ticks count from the start of the machine, so its start is told, too.
#[cfg(target_os = "linux")]
fn began(process: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before may hold anything, also parentheses.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    // Ended, but its parent has not asked how.
    if matches!(fields.next()?, "Z" | "X") {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_number_and_its_beginning() {
        let (process, began) = this();
        assert!(is_alive(process, &began));
        assert!(!is_alive(process, "long ago"));
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let began = super::began(child.id()).unwrap();
        assert!(is_alive(child.id(), &began));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_alive(child.id(), &began));
    }
}
