//! Addresses of the forbidden server, spelt to be taken for something else. `{p}` is its port, `{g}` the
//! allowed host and port. They stand in single quotes in a script.

/// How a spelling is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// By going there, and by loading it into the page.
    Everything,
    /// By going there only: browsers load no subresource from an address with an account in it.
    Going,
}

use By::{Everything, Going};

pub const SPELLINGS: &[(&str, &str, By)] = &[
    ("plain address", "http://127.0.0.2:{p}/", Everything),
    ("plain name", "http://evil.test:{p}/", Everything),
    ("https address", "https://127.0.0.2:{p}/", Everything),
    ("https name", "https://evil.test:{p}/", Everything),
    ("allowed host as account", "http://127.0.0.1@127.0.0.2:{p}/", Going),
    ("allowed host and port as account", "http://{g}@127.0.0.2:{p}/", Going),
    ("account with a space", "http://127.0.0.1%20@127.0.0.2:{p}/", Going),
    ("account with a colon", "http://127.0.0.1%3Apassword@127.0.0.2:{p}/", Going),
    ("account with a slash", "http://127.0.0.1%2F@evil.test:{p}/", Going),
    ("account of its own", "http://user:pass@evil.test:{p}/", Going),
    ("two accounts", "http://127.0.0.1@127.0.0.1@evil.test:{p}/", Going),
    ("allowed host as a prefix", "http://127.0.0.1.evil.test:{p}/", Everything),
    ("allowed host as a label", "http://allowed.test.evil.test:{p}/", Everything),
    ("allowed host as a suffix without dot", "http://notallowed.test:{p}/", Everything),
    ("allowed host in the path", "http://evil.test:{p}/http://{g}/", Everything),
    ("allowed host in the query", "http://evil.test:{p}/?u=http://{g}/", Everything),
    ("allowed host in the fragment", "http://evil.test:{p}/#@{g}/", Everything),
    ("backslashes", "http:\\\\\\\\127.0.0.2:{p}\\\\x", Everything),
    ("backslash before an at sign", "http://127.0.0.2:{p}\\\\@{g}/", Everything),
    ("backslash before an encoded at sign", "http://evil.test:{p}\\\\%40{g}/", Everything),
    ("slashes only", "//127.0.0.2:{p}/", Everything),
    ("backslashes only", "\\\\\\\\127.0.0.2:{p}/", Everything),
    ("many slashes", "http://////127.0.0.2:{p}/", Everything),
    ("upper case scheme", "HTTP://127.0.0.2:{p}/", Everything),
    ("line end and tab inside", "ht\\ntp://127.0.0\\t.2:{p}/", Everything),
    ("spaces before", "  \\n http://127.0.0.2:{p}/", Everything),
    ("whole number", "http://2130706434:{p}/", Everything),
    ("hexadecimal number", "http://0x7f000002:{p}/", Everything),
    ("hexadecimal part", "http://0x7f.0.0.2:{p}/", Everything),
    ("octal parts", "http://0177.0.0.02:{p}/", Everything),
    ("two parts", "http://127.2:{p}/", Everything),
    ("three parts", "http://127.0.2:{p}/", Everything),
    ("address with a dot at the end", "http://127.0.0.2.:{p}/", Everything),
    ("percent-encoded address", "http://%31%32%37.0.0.2:{p}/", Everything),
    ("ideographic full stops", "http://127。0。0。2:{p}/", Everything),
    ("full-width digits", "http://１２７.０.０.２:{p}/", Everything),
    ("circled digits", "http://①②⑦.⓪.⓪.②:{p}/", Everything),
    ("IPv4 in IPv6", "http://[::ffff:127.0.0.2]:{p}/", Everything),
    ("IPv4 in IPv6, hexadecimal", "http://[::ffff:7f00:2]:{p}/", Everything),
    ("IPv6 loopback", "http://[::1]:{p}/", Everything),
    ("IPv6 loopback in full", "http://[0:0:0:0:0:0:0:1]:{p}/", Everything),
    ("localhost", "http://localhost:{p}/", Everything),
    ("localhost with a dot", "http://LOCALHOST.:{p}/", Everything),
    ("below localhost", "http://a.localhost:{p}/", Everything),
    ("allowed address, other port", "http://127.0.0.1:{p}/", Everything),
    ("name with a dot at the end", "http://evil.test.:{p}/", Everything),
    ("name in capitals", "http://EVIL.TEST:{p}/", Everything),
    ("percent-encoded name", "http://ev%69l.test:{p}/", Everything),
    ("name with an ideographic full stop", "http://evil。test:{p}/", Everything),
    ("name with full-width letters", "http://ｅｖｉｌ.test:{p}/", Everything),
    ("name with a soft hyphen", "http://ev\u{ad}il.test:{p}/", Everything),
    ("non-ASCII name", "http://évil.test:{p}/", Everything),
    ("metadata by name", "http://metadata.google.internal:{p}/latest/", Everything),
    ("port with zeros", "http://127.0.0.2:0{p}/", Everything),
];
