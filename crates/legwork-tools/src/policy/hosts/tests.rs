use super::*;
use crate::policy::said::Source;

fn pattern(text: &str) -> HostPattern {
    HostPattern::parse(text).unwrap()
}

#[test]
fn a_pattern_covers_the_hosts_it_names() {
    for (text, url, covered) in [
        ("example.com", "https://example.com/", true),
        ("example.com", "https://example.com:8443/", true),
        ("example.com", "http://EXAMPLE.COM./", true),
        ("EXAMPLE.com.", "http://example.com/", true),
        ("example.com", "https://www.example.com/", false),
        ("example.com", "https://example.com.evil.com/", false),
        ("example.com", "https://evilexample.com/", false),
        ("example.com", "https://evil.com/example.com", false),
        ("example.com", "https://evil.com/?example.com", false),
        ("example.com", "https://evil.com/#example.com", false),
        ("example.com", "https://example.com@evil.com/", false),
        ("example.com", "https://example.com%2eevil.com/", false),
        ("example.com", "https://example.com%00.evil.com/", false),
        ("*.example.com", "https://example.com/", true),
        ("*.example.com", "https://a.b.example.com/", true),
        ("*.example.com", "https://notexample.com/", false),
        ("https://example.com", "https://example.com/", true),
        ("https://example.com", "http://example.com/", false),
        ("https://example.com", "https://example.com:8443/", false),
        ("https://example.com/", "wss://example.com/", true),
        ("https://example.com:8443", "https://example.com:8443/", true),
        ("localhost:3000", "http://localhost:3000/", true),
        ("localhost:3000", "http://localhost:3001/", false),
        ("localhost:*", "http://localhost:3001/", true),
        ("127.0.0.1", "http://0x7f.1/", true),
        ("127.0.0.1", "http://2130706433:9/", true),
        ("0x7f.1", "http://127.0.0.1/", true),
        ("127.0.0.1", "http://[::ffff:127.0.0.1]/", true),
        ("[::1]:80", "http://[::1]/", true),
        ("::1", "http://[0::1]:5/", true),
        ("10.0.0.0/8", "http://10.9.8.7/", true),
        ("10.0.0.0/8", "http://10.example.com/", false),
        ("fd00::/8", "http://[fd12::1]/", true),
        ("*", "http://anything.example/", true),
        ("*", "http://10.0.0.1/", true),
        ("exämple.com", "https://xn--exmple-cua.com/", true),
        ("*.bücher.example", "https://www.xn--bcher-kva.example/", true),
    ] {
        // An address that the browser cannot read either is covered by nothing.
        let found = Place::parse(url).is_some_and(|place| pattern(text).covers(&place));
        assert_eq!(found, covered, "{text} {url}");
    }
}

#[test]
fn what_names_no_host_is_told() {
    for wrong in [
        "",
        " ",
        "exam ple.com",
        "foo*.com",
        "a.*.com",
        "*.*.com",
        "*.10.0.0.1",
        "ftp://a.com",
        "a.com/path",
        "https://a.com/path",
        "user@a.com",
        "a.com:99999",
        "a.com:0",
        "a.com:x",
        "10.0.0.0/99",
        "1.2.3.4.5",
        "[::1",
        "a.com?x",
    ] {
        assert!(HostPattern::parse(wrong).is_err(), "{wrong:?}");
    }
}

fn hosts(allow: &[&str], block: &[&str], refused: &[Zone]) -> Hosts {
    let said = |texts: &[&str]| {
        texts.iter().map(|text| Said { value: pattern(text), source: Source::File }).collect()
    };
    let stance = |zone: Zone| Said {
        value: if refused.contains(&zone) { Stance::Refuse } else { Stance::Allow },
        source: Source::File,
    };
    Hosts {
        allow: said(allow),
        block: said(block),
        public: stance(Zone::Public),
        private: stance(Zone::Private),
        metadata: stance(Zone::Metadata),
        schemes: None,
    }
}

const CLOSED: &[Zone] = &[Zone::Public, Zone::Private, Zone::Metadata];
const INSIDE: &[Zone] = &[Zone::Private, Zone::Metadata];

#[test]
fn a_name_does_not_open_the_private_address_it_stands_for() {
    for (allow, block, refused, name, address, allowed) in [
        // Rebinding: the name is listed, the address is not.
        (&["shop.example"][..], &[][..], CLOSED, "shop.example", "127.0.0.1", false),
        (&["shop.example"], &[], CLOSED, "shop.example", "::ffff:10.0.0.1", false),
        (&["shop.example"], &[], CLOSED, "shop.example", "93.184.216.34", true),
        (&["*"], &[], CLOSED, "shop.example", "10.0.0.1", false),
        (&["shop.example", "10.0.0.0/8"], &[], CLOSED, "shop.example", "10.0.0.1", true),
        // Local names are loopback, and nothing else.
        (&["localhost"], &[], CLOSED, "localhost", "127.0.0.1", true),
        (&["localhost"], &[], CLOSED, "localhost", "::1", true),
        (&["localhost"], &[], CLOSED, "localhost", "10.0.0.1", false),
        (&["*.localhost"], &[], CLOSED, "app.localhost", "127.0.0.1", true),
        // The name is not listed, its address is: the name decides first.
        (&["93.184.216.34"], &[], CLOSED, "evil.example", "93.184.216.34", false),
        (&[], &[], INSIDE, "evil.example", "127.0.0.1", false),
        (&[], &[], INSIDE, "evil.example", "0.0.0.0", false),
        (&[], &[], INSIDE, "evil.example", "64:ff9b::a00:1", false),
        (&[], &[], INSIDE, "evil.example", "169.254.169.254", false),
        (&[], &[], INSIDE, "good.example", "93.184.216.34", true),
        (&[], &["93.184.216.0/24"], &[], "good.example", "93.184.216.34", false),
        (&[], &["10.0.0.1"], &[], "good.example", "64:ff9b::a00:1", false),
        (&["evil.example"], &["evil.example"], &[], "evil.example", "93.184.216.34", false),
        // A wide range does not mean the metadata service.
        (&["169.254.0.0/16"], &[], CLOSED, "169.254.169.254", "169.254.169.254", false),
        (&["*"], &[], CLOSED, "169.254.169.254", "169.254.169.254", false),
        (&["169.254.169.254"], &[], CLOSED, "169.254.169.254", "169.254.169.254", true),
    ] {
        let place = Place::connection(HostName::parse(name).unwrap(), 443);
        let found = hosts(allow, block, refused).address(&place, address.parse().unwrap());
        assert_eq!(found.is_ok(), allowed, "{allow:?} {name} {address}: {found:?}");
    }
}

#[test]
fn a_block_is_stronger_than_any_permission() {
    let hosts = hosts(&["*", "evil.test"], &["*.evil.test"], &[]);
    let broken = hosts.judge(&Place::parse("https://a.evil.test/").unwrap()).unwrap_err();
    assert_eq!(broken.rule, "hosts.block \"*.evil.test\"");
}
