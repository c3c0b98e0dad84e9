//! What is to be done becomes a task list: ids, words, and what depends on what.

use std::time::{SystemTime, UNIX_EPOCH};

use legwork_protocol::assistant::{Navigate, Task, TaskContext, TaskList, TaskStatus, Work};

use super::describe::describe;
use super::place::host;

/// The list of these tasks, in this order.
pub fn list(works: Vec<Work>, context: TaskContext) -> TaskList {
    let depend = dependencies(&works);
    let tasks = works.into_iter().zip(depend).enumerate().map(|(at, (work, on))| Task {
        id: id(at),
        description: describe(&work),
        work,
        status: TaskStatus::Pending,
        dependencies: on.into_iter().map(id).collect(),
        outcome: None,
    });
    TaskList { id: unique("list"), tasks: tasks.collect(), context, created_at: now() }
}

/// The name of the task at this place.
pub fn id(at: usize) -> String {
    format!("t{}", at + 1)
}

/// A task needs the last one before it that changed something: where a step fails, what was to happen on
/// its page makes no sense. Two things are independent. Reading changes nothing, so nothing needs it. And
/// going to an address on another site begins anew, whatever became of the site before.
fn dependencies(works: &[Work]) -> Vec<Option<usize>> {
    let (mut last, mut site) = (None, None);
    let each = works.iter().enumerate().map(|(at, work)| {
        if let Work::Navigate(Navigate::Url(url)) = work {
            let there = host(url);
            if site.is_some() && there != site {
                last = None;
            }
            site = there;
        }
        let on = last;
        if !matches!(work, Work::Extract(_)) {
            last = Some(at);
        }
        on
    });
    each.collect()
}

/// A name that no other has.
pub fn unique(kind: &str) -> String {
    let mut bytes = [0_u8; 8];
    if getrandom::fill(&mut bytes).is_err() {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        bytes.copy_from_slice(&since.as_nanos().to_le_bytes()[..8]);
    }
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{kind}-{digits}")
}

/// Now, as RFC 3339 in UTC.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (seconds, millis) = (since.as_secs(), since.subsec_millis());
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// The Gregorian date of a day since 1970. Years begin in March here, so that the leap day is the last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_written_as_the_calendar_says() {
        for (day, expected) in [
            (0, (1970, 1, 1)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (20_773, (2026, 11, 16)),
        ] {
            assert_eq!(date(day), expected);
        }
    }
}
