//! The process that runs a run: known by its number and the moment it began, so that its end can be told
//! even when the number was given to another since.

/// This process: number and beginning.
pub(crate) fn this() -> (u32, String) {
    let process = std::process::id();
    (process, began(process).unwrap_or_default())
}

/// Whether the process that began then is still there.
pub(crate) fn is_alive(process: u32, when: &str) -> bool {
    began(process).as_deref() == Some(when)
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
