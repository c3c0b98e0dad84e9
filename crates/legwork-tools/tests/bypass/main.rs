//! Every way we know by which a page tries to reach what it may not, in a real Chrome: the table in `cases`,
//! run without a guard, behind the proxy, and in a browser that somebody else started. What guards is a policy's
//! own network rules.
//!
//! Each case has a forbidden server of its own. Without a guard it has to be reached, or the case tries
//! nothing; with one, the guard has to have been asked, and the server must not have seen a connection.
//!
//! `paths` runs it once more over TLS, behind the proxy and interception together, where what is forbidden is
//! a path of an allowed server: that one must not have seen a request for it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails there")]

mod browser;
mod cases;
mod forbidden;
mod home;
mod lookups;
mod paths;
mod run;
mod speaks;
mod spellings;
mod tls;

#[path = "../../../legwork-engine/tests/it/support.rs"]
#[allow(dead_code, reason = "it serves other tests as well")]
mod support;

use std::collections::BTreeSet;

use crate::cases::{NOT_ALWAYS, ONLY_THE_PROXY, UNASKED, cases};
use crate::run::{Mode, Seen, run};

#[tokio::test]
async fn every_case_reaches_its_server_where_nothing_guards() {
    let seen = run(Mode::Unguarded).await;
    let idle = names(&seen, |one| one.connections == 0);
    assert!(idle.is_empty(), "these cases try nothing: {idle:#?}");
    assert!(seen.len() >= 150, "{} cases", seen.len());
}

#[tokio::test]
async fn no_case_gets_past_the_proxy() {
    let seen = run(Mode::Proxy).await;
    let leaks = names(&seen, |one| one.connections > 0);
    assert!(leaks.is_empty(), "reached: {leaks:#?}");
    let unasked = names(&seen, |one| one.asked == 0);
    assert_eq!(unasked, names_of(UNASKED), "the guard was not asked about these");
}

#[tokio::test]
async fn only_the_proxy_stops_what_interception_does_not_see() {
    let seen = run(Mode::Attached).await;
    let leaks = names(&seen, |one| one.connections > 0);
    let known = names_of(ONLY_THE_PROXY);
    let leaks: BTreeSet<_> = leaks.difference(&names_of(NOT_ALWAYS)).cloned().collect();
    let unexpected: BTreeSet<_> = leaks.difference(&known).collect();
    assert!(unexpected.is_empty(), "reached: {unexpected:#?}");
    let unasked = names(&seen, |one| one.connections == 0 && one.asked == 0);
    assert!(unasked.is_empty(), "the guard was not asked about these: {unasked:#?}");
    let stopped: BTreeSet<_> = known.difference(&leaks).collect();
    assert!(stopped.is_empty(), "listed as not to be stopped, but were: {stopped:#?}");
}

#[tokio::test]
async fn every_case_reaches_its_path_where_nothing_guards() {
    let seen = run(Mode::UnguardedShop).await;
    let idle = names(&seen, |one| one.connections == 0);
    assert!(idle.is_empty(), "these cases try nothing: {idle:#?}");
    assert!(seen.len() >= 100, "{} cases", seen.len());
}

#[tokio::test]
async fn no_case_reaches_a_forbidden_path_over_tls() {
    let seen = run(Mode::Shop).await;
    let leaks = names(&seen, |one| one.connections > 0);
    let known = listed(paths::NOT_STOPPED);
    assert_eq!(leaks, known, "reached (left), not to be stopped (right)");
    let unasked = names(&seen, |one| one.asked == 0);
    let silent = &listed(paths::UNASKED) | &known;
    assert_eq!(unasked, silent, "the guard was not asked about these");
}

#[tokio::test]
async fn a_joined_browser_reaches_a_forbidden_path_only_in_ways_that_are_listed() {
    let seen = run(Mode::AttachedShop).await;
    // What asks in its last moment may be gone before anybody is asked, or not.
    let timely =
        |one: &Seen| !["as the tab closes", "as it asks"].iter().any(|at| one.name.ends_with(at));
    let leaks = names(&seen, |one| timely(one) && one.connections > 0);
    let known = &listed(paths::NOT_STOPPED) | &listed(paths::ONLY_OURS);
    assert_eq!(leaks, known, "reached (left), not to be stopped (right)");
    let unasked = names(&seen, |one| timely(one) && one.connections == 0 && one.asked == 0);
    assert!(unasked.is_empty(), "the guard was not asked about these: {unasked:#?}");
}

fn listed(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(|&name| name.to_owned()).collect()
}

fn names(seen: &[Seen], which: impl Fn(&Seen) -> bool) -> BTreeSet<String> {
    seen.iter().filter(|one| which(one)).map(|one| one.name.clone()).collect()
}

fn names_of(list: &[&str]) -> BTreeSet<String> {
    let known: BTreeSet<String> = cases().into_iter().map(|case| case.name).collect();
    let listed: BTreeSet<String> = list.iter().map(|&name| name.to_owned()).collect();
    let strangers: BTreeSet<_> = listed.difference(&known).collect();
    assert!(strangers.is_empty(), "no such cases: {strangers:?}");
    listed
}
