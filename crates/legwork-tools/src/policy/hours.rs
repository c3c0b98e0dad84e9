//! Times of day at which anything may be done: `[hours]`.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;

/// The times of day at which actions are allowed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hours {
    /// The times, such as `08:00-18:00`; one that ends before it begins goes over midnight.
    allow: Vec<Period>,
    /// How far the clock is from UTC, such as `+02:00`.
    utc: Offset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
struct Period {
    from: i64,
    to: i64,
}

/// Minutes from UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
struct Offset(i64);

const DAY: i64 = 24 * 60;

impl Hours {
    /// Whether anything may be done at this moment.
    pub(super) fn open(&self, at: SystemTime) -> bool {
        let Ok(since) = at.duration_since(UNIX_EPOCH) else { return false };
        let minutes = (since.as_secs() / 60) as i64 + self.utc.0;
        let minute = minutes.rem_euclid(DAY);
        self.allow.iter().any(|period| period.contains(minute))
    }

    /// As it stands in the file.
    pub(super) fn told(&self) -> String {
        let clock = |minute: i64| format!("{:02}:{:02}", minute / 60, minute % 60);
        let period = |period: &Period| format!("{}-{}", clock(period.from), clock(period.to));
        let all: Vec<String> = self.allow.iter().map(period).collect();
        let sign = if self.utc.0 < 0 { '-' } else { '+' };
        format!("allow = {all:?}, utc = \"{sign}{}\"", clock(self.utc.0.abs()))
    }
}

impl Period {
    fn contains(self, minute: i64) -> bool {
        match self.from <= self.to {
            true => (self.from..self.to).contains(&minute),
            false => minute >= self.from || minute < self.to,
        }
    }
}

impl TryFrom<String> for Period {
    type Error = String;

    fn try_from(text: String) -> Result<Period, String> {
        let parts = text.split_once('-').and_then(|(from, to)| Some((clock(from)?, clock(to)?)));
        let known = parts.filter(|(from, to)| from != to && *from < DAY);
        let (from, to) =
            known.ok_or_else(|| format!("{text:?} is no time of day; write \"08:00-18:00\""))?;
        Ok(Period { from, to })
    }
}

impl TryFrom<String> for Offset {
    type Error = String;

    fn try_from(text: String) -> Result<Offset, String> {
        let wrong = || format!("{text:?} is no distance from UTC; write \"+02:00\" or \"-05:00\"");
        let (sign, rest) = match text.split_at_checked(1).ok_or_else(wrong)? {
            ("+", rest) => (1, rest),
            ("-", rest) => (-1, rest),
            _ => return Err(wrong()),
        };
        let minutes = clock(rest).filter(|minutes| *minutes <= 14 * 60).ok_or_else(wrong)?;
        Ok(Offset(sign * minutes))
    }
}

/// Minutes of `08:30`.
fn clock(text: &str) -> Option<i64> {
    let (hour, minute) = text.trim().split_once(':')?;
    let number = |text: &str| (text.len() == 2).then(|| text.parse::<u8>().ok()).flatten();
    let (hour, minute) = (i64::from(number(hour)?), i64::from(number(minute)?));
    let minutes = hour * 60 + minute;
    (minute < 60 && minutes <= DAY).then_some(minutes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_clock_of_the_policy_counts() {
        for (allow, utc, minute, open) in [
            ("08:00-18:00", "+00:00", 8 * 60, true),
            ("08:00-18:00", "+00:00", 8 * 60 - 1, false),
            ("08:00-18:00", "+00:00", 18 * 60, false),
            ("08:00-18:00", "+02:00", 6 * 60, true),
            ("08:00-18:00", "-05:00", 6 * 60, false),
            ("22:00-06:00", "+00:00", 23 * 60, true),
            ("22:00-06:00", "+00:00", 5 * 60, true),
            ("22:00-06:00", "+00:00", 12 * 60, false),
            ("00:00-24:00", "+00:00", 0, true),
        ] {
            let text = format!("allow = [{allow:?}]\nutc = {utc:?}");
            let hours: Hours = toml::from_str(&text).unwrap();
            let at = UNIX_EPOCH + Duration::from_secs(20_000 * 86_400 + minute * 60);
            assert_eq!(hours.open(at), open, "{allow} {utc} {minute}");
        }
    }

    #[test]
    fn what_is_no_time_is_told() {
        for text in [
            "allow = [\"8-18\"]\nutc = \"+00:00\"",
            "allow = [\"08:00-08:00\"]\nutc = \"+00:00\"",
            "allow = [\"08:60-18:00\"]\nutc = \"+00:00\"",
            "allow = [\"08:00-25:00\"]\nutc = \"+00:00\"",
            "allow = [\"08:00-18:00\"]\nutc = \"2\"",
            "allow = [\"08:00-18:00\"]\nutc = \"+20:00\"",
            "allow = [\"08:00-18:00\"]",
        ] {
            assert!(toml::from_str::<Hours>(text).is_err(), "{text}");
        }
    }
}
