//! Adding a block, a refusal or a question to a policy never allows more.

use proptest::prelude::*;

use super::facts;
use crate::policy::facts::{Facts, Kind, Meaning};
use crate::policy::{Rules, Verdict};
use legwork_engine::ElementFacts;

fn host() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a.example",
        "b.a.example",
        "c.example",
        "localhost",
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "93.184.216.34",
        "[::1]",
        "[64:ff9b::a00:1]",
    ])
}

fn pattern() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a.example",
        "*.a.example",
        "c.example",
        "localhost",
        "127.0.0.0/8",
        "10.0.0.1",
        "169.254.169.254",
        "https://a.example",
        "http://c.example:8080",
        "*",
        "0.0.0.0/0",
        "::/0",
    ])
}

fn path() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["/", "/x", "/x/y", "/%78", "/X/../z", "/z"])
}

fn url() -> impl Strategy<Value = String> {
    let scheme =
        prop::sample::select(vec!["http", "https", "view-source:https", "blob:http", "ftp"]);
    let other = prop::sample::select(vec!["about:blank", "data:,x", "file:///x", "javascript:0"]);
    let port = prop::sample::select(vec!["", ":8080", ":443"]);
    prop_oneof![
        9 => (scheme, host(), port, path()).prop_map(|(a, b, c, d)| format!("{a}://{b}{c}{d}")),
        1 => other.prop_map(str::to_owned),
    ]
}

/// Mostly words of which two speak of the same action, since that is where rules could get in each
/// other's way.
fn word() -> impl Strategy<Value = &'static str> {
    let mut words: Vec<&str> = Kind::ALL.iter().map(|kind| kind.word()).collect();
    words.extend(Meaning::ALL.iter().map(|meaning| meaning.word()));
    prop_oneof![
        3 => prop::sample::select(vec!["destructive", "pay", "eval", "click", "upload"]),
        1 => prop::sample::select(words),
    ]
}

fn verdict() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["allow", "ask", "refuse"])
}

fn strict() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["ask", "refuse"])
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["Pay now", "Delete", "More", "Pay*", "*"])
}

fn target(then: impl Strategy<Value = &'static str>) -> impl Strategy<Value = TargetParts> {
    let meaning = prop::sample::select(vec!["pay", "delete"]);
    (name(), prop::option::of(path()), prop::option::of(meaning), then)
}

/// A policy in parts, so that one can be added.
#[derive(Debug, Clone, Default)]
struct Parts {
    preset: &'static str,
    allow: Vec<&'static str>,
    block: Vec<&'static str>,
    zones: [Option<&'static str>; 3],
    schemes: Option<Vec<&'static str>>,
    allowed_paths: Vec<&'static str>,
    blocked_paths: Vec<&'static str>,
    actions: Vec<(&'static str, &'static str)>,
    sites: Vec<SiteParts>,
    targets: Vec<TargetParts>,
}

/// Its name, path and meaning, and what is said of it.
type TargetParts = (&'static str, Option<&'static str>, Option<&'static str>, &'static str);

type SiteParts = (&'static str, Vec<(&'static str, &'static str)>, Vec<&'static str>);

impl Parts {
    fn text(&self) -> String {
        let actions = |all: &[(&str, &str)]| {
            let unique: std::collections::BTreeMap<_, _> = all.iter().copied().collect();
            unique.into_iter().map(|(word, said)| format!("{word} = {said:?}")).collect::<Vec<_>>()
        };
        let mut text = format!("preset = {:?}\n[hosts]\n", self.preset);
        text += &format!("allow = {:?}\nblock = {:?}\n", self.allow, self.block);
        for (zone, said) in ["public", "private", "metadata"].iter().zip(self.zones) {
            // Listing a host that is allowed anyway is an error unless its zone is said.
            let preset_says = match (self.preset, *zone) {
                ("open", _) | ("web", "public") | ("local", "private") => "allow",
                _ => "refuse",
            };
            text += &format!("{zone} = {:?}\n", said.unwrap_or(preset_says));
        }
        if let Some(schemes) = &self.schemes {
            text += &format!("schemes = {schemes:?}\n");
        }
        text += &format!(
            "[paths]\nallow = {:?}\nblock = {:?}\n",
            self.allowed_paths, self.blocked_paths
        );
        text += &format!("[actions]\n{}\n", actions(&self.actions).join("\n"));
        for (host, said, paths) in &self.sites {
            let said = actions(said).join(", ");
            text += &format!(
                "[[site]]\nhosts = [{host:?}]\nactions = {{ {said} }}\npaths = {{ block = {paths:?} }}\n"
            );
        }
        for (name, path, meaning, then) in &self.targets {
            text += &format!("[[target]]\nname = {name:?}\nthen = {then:?}\n");
            path.iter().for_each(|path| text += &format!("path = {path:?}\n"));
            meaning.iter().for_each(|meaning| text += &format!("meaning = {meaning:?}\n"));
        }
        text
    }

    fn with(mut self, more: &More) -> Parts {
        match *more {
            More::Block(host) => self.block.push(host),
            More::Zone(zone) => self.zones[zone] = Some("refuse"),
            More::Path(path) => self.blocked_paths.push(path),
            // A line for a word takes the place of the preset's, and of one that is there: only a stricter
            // one is an addition.
            More::Action(word, said) => {
                let old = self.actions.iter().rev().find(|(known, _)| *known == word);
                let preset = (self.preset == "guarded" && word == "eval").then_some("refuse");
                if old.map(|(_, said)| *said).or(preset) != Some("refuse") {
                    self.actions.push((word, said));
                }
            }
            More::Site(host, word, said) => self.sites.push((host, vec![(word, said)], Vec::new())),
            More::SitePath(host, path) => self.sites.push((host, Vec::new(), vec![path])),
            More::Target(target) => self.targets.push(target),
            More::AllowedPath(path) if self.allowed_paths.is_empty() => {
                self.allowed_paths.push(path)
            }
            More::AllowedPath(_) => {}
        }
        self
    }
}

/// What is added.
#[derive(Debug, Clone)]
enum More {
    Block(&'static str),
    Zone(usize),
    Path(&'static str),
    Action(&'static str, &'static str),
    Site(&'static str, &'static str, &'static str),
    SitePath(&'static str, &'static str),
    Target(TargetParts),
    /// The first allowed path refuses all the others.
    AllowedPath(&'static str),
}

fn more() -> impl Strategy<Value = More> {
    prop_oneof![
        pattern().prop_map(More::Block),
        (0usize..3).prop_map(More::Zone),
        path().prop_map(More::Path),
        (word(), strict()).prop_map(|(word, said)| More::Action(word, said)),
        (pattern(), word(), strict()).prop_map(|(host, word, said)| More::Site(host, word, said)),
        (pattern(), path()).prop_map(|(host, path)| More::SitePath(host, path)),
        target(strict()).prop_map(More::Target),
        path().prop_map(More::AllowedPath),
    ]
}

/// Few of most things: a policy that refuses every host says nothing about its other rules.
fn rare<T: std::fmt::Debug>(
    item: impl Strategy<Value = T>,
    most: usize,
) -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(item, 0..=most).prop_map(move |mut all| {
        // As often none as any.
        let none = all.len() * 2 <= most;
        if none {
            all.clear();
        }
        all
    })
}

fn parts() -> impl Strategy<Value = Parts> {
    let said = || (word(), verdict());
    let site_pattern = prop_oneof![3 => prop::sample::select(vec!["*", "a.example", "*.a.example"]), 1 => pattern()];
    let site = (site_pattern, prop::collection::vec(said(), 0..3), rare(path(), 1));
    let zone = || {
        prop_oneof![
            3 => Just(None), 1 => Just(Some("allow")), 1 => Just(Some("refuse"))
        ]
    };
    let schemes = prop_oneof![3 => Just(None), 1 => Just(Some(vec!["http", "https", "data"]))];
    let preset = prop_oneof![
        3 => Just("open"), 1 => prop::sample::select(vec!["local", "web", "guarded"])
    ];
    (
        preset,
        rare(pattern(), 2),
        rare(pattern(), 2),
        [zone(), zone(), zone()],
        schemes,
        rare(path(), 2),
        rare(path(), 1),
        prop::collection::vec(said(), 0..4),
        prop::collection::vec(site, 0..3),
        rare(target(verdict()), 2),
    )
        .prop_map(
            |(preset, allow, block, zones, schemes, yes, no, actions, sites, targets)| Parts {
                preset,
                allow,
                block,
                zones,
                schemes,
                allowed_paths: yes,
                blocked_paths: no,
                actions,
                sites,
                targets,
            },
        )
}

fn action() -> impl Strategy<Value = Facts> {
    let kind = prop_oneof![
        2 => prop::sample::select(vec![Kind::Click, Kind::Eval, Kind::Upload]),
        1 => prop::sample::select(Kind::ALL.to_vec()),
    ];
    let meaning = prop_oneof![
        2 => Just(Meaning::Pay), 1 => prop::sample::select(Meaning::ALL.to_vec())
    ];
    let element = prop::option::of(prop::sample::select(vec!["Pay now", "Delete", "More"]));
    let page = prop_oneof![2 => Just("https://a.example/x".to_owned()), 1 => url()];
    let some = || prop_oneof![2 => Just(None), 1 => url().prop_map(Some)];
    let meanings = prop::collection::vec(meaning, 0..3);
    (kind, page, some(), some(), element, meanings).prop_map(
        |(kind, page, frame, to, name, meanings)| {
            let read = |text: Option<String>| text.and_then(|text| text.parse().ok());
            let element = name.map(|name| ElementFacts { name: name.into(), ..Default::default() });
            Facts { frame: read(frame), to: read(to), element, meanings, ..facts(kind, &page) }
        },
    )
}

fn judged(parts: &Parts, facts: &Facts) -> (Verdict, String) {
    let text = parts.text();
    let rules = Rules::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let decision = rules.decide(facts);
    assert!(!decision.rule.is_empty() && !decision.because.is_empty());
    (decision.verdict, format!("{decision:?}"))
}

/// Policies of which only a few words say something, so that they often speak of the same action.
fn words_alone() -> impl Strategy<Value = (Parts, More, Facts)> {
    let word = || prop::sample::select(vec!["destructive", "pay", "eval"]);
    let host = || prop::sample::select(vec!["a.example", "*", "b.example"]);
    let said = move || prop::collection::vec((word(), verdict()), 0..3);
    let sites = prop::collection::vec((host(), said(), Just(Vec::new())), 0..3);
    let parts =
        (said(), sites, rare(target(verdict()), 2)).prop_map(|(actions, sites, targets)| Parts {
            preset: "open",
            actions,
            sites,
            targets,
            ..Default::default()
        });
    let more = prop_oneof![
        2 => (word(), strict()).prop_map(|(word, said)| More::Action(word, said)),
        2 => (host(), word(), strict()).prop_map(|(host, word, said)| More::Site(host, word, said)),
        1 => target(strict()).prop_map(More::Target),
    ];
    let kind = prop::sample::select(vec![Kind::Click, Kind::Eval]);
    let facts = (kind, any::<bool>(), any::<bool>()).prop_map(|(kind, pays, framed)| {
        let meanings = if pays { vec![Meaning::Pay] } else { Vec::new() };
        let frame = framed.then(|| "https://b.example/".parse().unwrap());
        Facts { meanings, frame, ..facts(kind, "https://a.example/x") }
    });
    (parts, more, facts)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_is_added_to_refuse_or_ask_never_allows_more(parts in parts(), more in more(), facts in action()) {
        let (before, was) = judged(&parts, &facts);
        let (after, is) = judged(&parts.clone().with(&more), &facts);
        prop_assert!(after >= before, "{more:?}: {was} became {is}\n{}", parts.text());
    }

    #[test]
    fn a_word_that_is_added_never_allows_more((parts, more, facts) in words_alone()) {
        let (before, was) = judged(&parts, &facts);
        let (after, is) = judged(&parts.clone().with(&more), &facts);
        prop_assert!(after >= before, "{more:?}: {was} became {is}\n{}", parts.text());
    }

    #[test]
    fn what_the_guard_refuses_is_never_gone_to(parts in parts(), to in url()) {
        let rules = Rules::parse(&parts.text()).unwrap();
        let going = Facts { to: to.parse().ok(), ..facts(Kind::Navigate, "about:blank") };
        let wanted = legwork_engine::Wanted { url: &to, method: "GET", kind: "Document", page: None };
        let open = rules.guard().is_none_or(|guard| guard.request(&wanted).is_ok());
        prop_assert!(open || rules.decide(&going).verdict == Verdict::Refuse);
    }
}
