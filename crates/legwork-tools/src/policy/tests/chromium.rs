//! Addresses lead where Chromium goes: ten thousand of them, made of nasty parts, are read by both.

use legwork_engine::{Config, Engine, Evaluate, SessionOptions};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use url::Url;

use crate::policy::paths::spelt_plainly;
use crate::policy::place::{HostName, Place};

const HOW_MANY: usize = 10_000;

fn one_of(all: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::sample::select(all).prop_map(str::to_owned)
}

fn scheme() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => one_of(&["http", "https", "HTTP", "hTtPs", "ht\ttp", " https", "\u{1}http", "ws", "wss"]),
        2 => one_of(&["ftp", "file", "view-source:http", "blob:https", "javascript", "data", "custom", "about"]),
    ]
}

fn slashes() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just("://".to_owned()),
        4 => one_of(&[":", ":/", ":\\\\", ":/\\", ":///", "://\t/", ":\\/", "://\\"]),
    ]
}

fn user() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just(String::new()),
        4 => one_of(&[
            "example.com@", "example.com:pass@", "example.com%20@", "example.com%3A@", "a@b@", "@", ":@", "a:b:c@",
            "example.com\\@", "example.com/@", "example.com?@", "example.com#@", "%40@", "[::1]@",
        ]),
    ]
}

fn label() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => one_of(&["example", "evil", "a", "WWW", "localhost", "xn--exmple-cua", "sub-domain", "_x", "-a", "a-"]),
        2 => one_of(&["exämple", "ｅｘａｍｐｌｅ", "ß", "日本", "ﬁ", "a\u{ad}b", "a\u{200d}b", "İ", "xn--", "xn--a", "א"]),
        2 => one_of(&["ex%61mple", "%65vil", "a%2eb", "a%00b", "a%20b", "a b", "a%", "a%zz", "%C3%A4", "a|b", "a^b", "a<b", "a\nb", "a%2fb", "a%40b"]),
        1 => "[a-z0-9]{1,8}",
    ]
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (0u32..300).prop_map(|number| number.to_string()),
        1 => (0u32..300).prop_map(|number| format!("0x{number:x}")),
        1 => (0u32..300).prop_map(|number| format!("0{number:o}")),
        1 => any::<u32>().prop_map(|number| number.to_string()),
        1 => one_of(&["0x", "08", "00", "0x7f000001", "017700000001", "4294967296", "①", "１２７", "0X7F", "1e3", "+1", "-1", ""]),
    ]
}

fn address() -> impl Strategy<Value = String> {
    let numbers = prop::collection::vec(number(), 1..6).prop_map(|parts| parts.join("."));
    let groups = prop::collection::vec(any::<u16>(), 8).prop_map(|parts| {
        let parts: Vec<String> = parts.iter().map(|part| format!("{part:x}")).collect();
        format!("[{}]", parts.join(":"))
    });
    prop_oneof![
        4 => numbers,
        1 => groups,
        2 => one_of(&[
            "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::10.0.0.1]", "[2002:7f00:1::]",
            "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "[FE80::1]", "[fe80::1%25eth0]", "[::1", "::1]", "[1:2:3]",
            "[::1.2.3]", "[v1.a]", "[]", "[::ffff:0x7f.1]", "[::00001]", "[1::2::3]",
        ]),
    ]
}

fn host() -> impl Strategy<Value = String> {
    let name = prop::collection::vec(label(), 1..4).prop_map(|labels| labels.join("."));
    let dotted = prop::collection::vec(label(), 1..4).prop_map(|labels| labels.join("。"));
    let end = one_of(&["", "", "", "", ".", "..", "%2e", "。"]);
    let host = prop_oneof![6 => name, 1 => dotted, 4 => address(), 1 => Just(String::new())];
    (host, end).prop_map(|(host, end)| host + &end)
}

fn port() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just(String::new()),
        4 => one_of(&[":80", ":443", ":8080", ":", ":0", ":00080", ":65535", ":65536", ":8o", ":-1", ": 80", ":８０", ":80:80", ":80\t"]),
    ]
}

fn rest() -> impl Strategy<Value = String> {
    one_of(&[
        "",
        "/",
        "/a/../b",
        "/a/%2e%2e/b",
        "\\a\\b",
        "?example.com",
        "#example.com",
        "/@example.com",
        "/x;y",
        "//x//y",
        "?a=b#c",
        "/%zz",
        "/é",
        "/a b",
        " ",
        "\n",
        "/..//../x",
        "/%2E/x",
        "?\u{0}",
        "/\u{fffd}",
    ])
}

fn address_text() -> impl Strategy<Value = String> {
    (scheme(), slashes(), user(), host(), port(), rest()).prop_map(
        |(scheme, slashes, user, host, port, rest)| {
            format!("{scheme}{slashes}{user}{host}{port}{rest}")
        },
    )
}

/// How Chromium reads an address; none if it cannot.
#[derive(Debug, serde::Deserialize)]
struct Read {
    href: String,
    protocol: String,
    hostname: String,
    port: String,
    pathname: String,
}

async fn read_by_chromium(texts: &[String]) -> Vec<Option<Read>> {
    let engine = Engine::new(Config::default());
    let session = engine.session(SessionOptions::default());
    let page = session.page().await.unwrap();
    let mut all = Vec::new();
    for some in texts.chunks(2000) {
        let list = serde_json::to_string(some).unwrap();
        let script = format!(
            "{list}.map(text => {{ try {{ const {{ href, protocol, hostname, port, pathname }} = new URL(text); \
             return {{ href, protocol, hostname, port, pathname }}; }} catch {{ return null; }} }})"
        );
        let read = page.evaluate(&script, Evaluate::default()).await.unwrap();
        all.extend(serde_json::from_str::<Vec<Option<Read>>>(&read).unwrap());
    }
    session.close().await;
    engine.close().await;
    all
}

/// What differs between the two readings of an address, if anything.
fn difference(text: &str, theirs: &Read) -> Option<String> {
    let Ok(ours) = Url::parse(text) else { return None };
    // The standard leaves the host out of file://localhost, Chromium does not; both mean this machine.
    let local = ours.scheme() == "file" && theirs.hostname == "localhost";
    let host = if local { "localhost" } else { ours.host_str().unwrap_or_default() };
    let port = ours.port().map(|port| port.to_string()).unwrap_or_default();
    let scheme = format!("{}:", ours.scheme());
    let same = host == theirs.hostname && port == theirs.port && scheme == theirs.protocol;
    // Some letters of a path are sent as they are or by their number; rules read both the same, and
    // are about addresses of the web.
    let web = matches!(ours.scheme(), "http" | "https" | "ws" | "wss");
    let path = !web || spelt_plainly(ours.path()) == spelt_plainly(&theirs.pathname);
    (!same || !path).then(|| format!("{text:?}: {ours} and {}", theirs.href))
}

/// Whether what the rules see is the host that Chromium would go to.
fn misplaced(text: &str, theirs: &Read) -> Option<String> {
    let place = Place::parse(text)?;
    let web = matches!(theirs.protocol.as_str(), "http:" | "https:" | "ws:" | "wss:" | "ftp:");
    let wanted = HostName::parse(&theirs.hostname).filter(|_| web)?;
    (place.host.as_ref() != Some(&wanted))
        .then(|| format!("{text:?}: {place:?} and {}", theirs.href))
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_lead_where_chromium_goes() {
    let mut runner = TestRunner::default();
    let strategy = address_text();
    let texts: Vec<String> =
        (0..HOW_MANY).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect();
    let read = read_by_chromium(&texts).await;
    assert_eq!(read.len(), HOW_MANY);
    let (mut wrong, mut compared, mut only_theirs) = (Vec::new(), 0, Vec::new());
    for (text, theirs) in texts.iter().zip(&read) {
        let Some(theirs) = theirs else { continue };
        match Url::parse(text) {
            Ok(_) => compared += 1,
            // What we cannot read is refused, wherever Chromium would have gone.
            Err(_) => only_theirs.push(text),
        }
        wrong.extend(difference(text, theirs).or_else(|| misplaced(text, theirs)));
    }
    println!(
        "{compared} of {HOW_MANY} were read by both; by Chromium alone: {}",
        only_theirs.len()
    );
    let few = wrong.iter().take(40).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{few}", wrong.len());
    assert!(compared > HOW_MANY / 5, "too few of them are addresses: {compared}");
    // Chromium takes blanks and broken punycode in names, which the standard forbids and nobody has.
    let odd = ["a b", "a%20b", "xn--", "\u{fffd}"];
    only_theirs.retain(|text| !odd.iter().any(|odd| text.contains(odd)));
    assert!(only_theirs.is_empty(), "refused for nothing: {only_theirs:?}");
}
