//! When a model is asked again, and after how long. Judges answers by their status and headers alone.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

/// How often and how soon.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retry {
    /// Requests in all.
    pub(crate) tries: u32,
    /// About how long to wait before the second.
    pub(crate) first: Duration,
    /// The longest wait that we choose ourselves.
    pub(crate) most: Duration,
}

impl Default for Retry {
    fn default() -> Retry {
        let (first, most) = (Duration::from_millis(500), Duration::from_secs(30));
        Retry { tries: 5, first, most }
    }
}

impl Retry {
    /// How long to wait after this many tries. What the server wishes is the least, and a little chance on top
    /// keeps clients that failed together from coming back together.
    pub(crate) fn wait(&self, tried: u32, wished: Option<Duration>) -> Duration {
        let chance = f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX);
        match wished {
            Some(wished) => wished + self.first.min(wished).mul_f64(chance / 2.0),
            None => {
                let doubled =
                    self.first.saturating_mul(2u32.saturating_pow(tried.saturating_sub(1)));
                doubled.min(self.most).mul_f64(0.5 + chance / 2.0)
            }
        }
    }
}

/// Whether the same request may fare better later. 409 is a lock at OpenAI and Anthropic, 529 overload.
pub(crate) fn passes(status: u16, headers: &HeaderMap) -> bool {
    match headers.get("x-should-retry").and_then(|value| value.to_str().ok()) {
        Some("true") => true,
        Some("false") => false,
        _ => matches!(status, 408 | 409 | 429 | 500 | 502 | 503 | 504 | 529),
    }
}

/// How long the server wishes us to wait: `Retry-After` in seconds or as a date, or OpenAI's milliseconds.
pub(crate) fn wished(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(milliseconds / 1000.0).ok();
    }
    let after = text("retry-after")?;
    if let Ok(seconds) = after.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(after).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_server_may_say_how_long_in_seconds_milliseconds_or_as_a_date() {
        let now = httpdate::parse_http_date("Mon, 16 Nov 2026 06:00:00 GMT").unwrap();
        let check = |pairs: &[(&'static str, &str)], expected: Option<u64>| {
            let expected = expected.map(Duration::from_millis);
            assert_eq!(wished(&headers(pairs), now), expected, "{pairs:?}");
        };
        check(&[], None);
        check(&[("retry-after", "3")], Some(3000));
        check(&[("retry-after", "0.25")], Some(250));
        check(&[("retry-after", "-3")], None);
        check(&[("retry-after", "soon")], None);
        check(&[("retry-after", "1e300")], None);
        check(&[("retry-after", "3"), ("retry-after-ms", "40")], Some(40));
        check(&[("retry-after", "Mon, 16 Nov 2026 06:00:07 GMT")], Some(7000));
        check(&[("retry-after", "Mon, 16 Nov 2026 05:00:00 GMT")], Some(0));
    }

    #[test]
    fn only_what_may_pass_is_asked_again() {
        for status in [408, 409, 429, 500, 502, 503, 504, 529] {
            assert!(passes(status, &headers(&[])), "{status}");
            assert!(!passes(status, &headers(&[("x-should-retry", "false")])), "{status}");
        }
        for status in [301, 400, 401, 403, 404, 413, 422, 501] {
            assert!(!passes(status, &headers(&[])), "{status}");
        }
    }

    #[test]
    fn waits_grow_up_to_a_limit_and_are_never_shorter_than_wished() {
        let retry = Retry { tries: 9, first: Duration::from_secs(1), most: Duration::from_secs(6) };
        for (tried, least, most) in
            [(1, 500, 1000), (2, 1000, 2000), (3, 2000, 4000), (40, 3000, 6000)]
        {
            let wait = retry.wait(tried, None).as_millis();
            assert!((least..=most).contains(&wait), "{wait} after {tried}");
        }
        let wait = retry.wait(1, Some(Duration::from_secs(7))).as_millis();
        assert!((7000..=7500).contains(&wait), "{wait}");
    }
}
