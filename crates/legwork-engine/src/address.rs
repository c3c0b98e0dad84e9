//! Addresses as people type them, turned into those a browser loads, and what to do about one that
//! could not be loaded.

use std::path::{Path, PathBuf};

use url::Url;

use crate::error::{Error, Result};

/// What [`crate::Page::navigate`] loads for a text: an address with a scheme as it is, a host with the
/// scheme it lacks, and a path (`/…`, `./…`, `../…`) as that of a file.
pub fn address(typed: &str) -> Result<String> {
    let text = typed.trim();
    if text.is_empty() {
        return Err(Error::Invalid("the address is empty".into()));
    }
    if is_path(text) {
        return file_address(text);
    }
    let local = ["localhost", "127.", "[::1]", "0.0.0.0"].iter().any(|host| text.starts_with(host));
    let whole = match (scheme(text), local) {
        (Some(scheme), _) if !LOADED.contains(&scheme.to_ascii_lowercase().as_str()) => {
            return Err(Error::Invalid(format!(
                "{scheme}: addresses cannot be loaded, only http, https, file, data, about and blob"
            )));
        }
        (Some(_), _) => text.to_owned(),
        (None, true) => format!("http://{text}"),
        (None, false) => format!("https://{}", text.trim_start_matches('/')),
    };
    Url::parse(&whole)
        .map(String::from)
        .map_err(|error| Error::Invalid(format!("{text:?} is not an address: {error}")))
}

/// Schemes that Chrome shows in a tab.
const LOADED: &[&str] = &[
    "http",
    "https",
    "file",
    "data",
    "about",
    "blob",
    "filesystem",
    "view-source",
    "chrome",
    "chrome-extension",
    "devtools",
    "edge",
];

fn scheme(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once(':')?;
    let named = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    // `localhost:3000` and `example.com:80/x` are hosts with a port.
    (named && !rest.starts_with(|c: char| c.is_ascii_digit())).then_some(scheme)
}

/// No host begins like this. Two slashes are an address that takes its scheme from where it is used.
fn is_path(text: &str) -> bool {
    let rooted = text.starts_with('/') && !text.starts_with("//");
    rooted || text.starts_with("./") || text.starts_with("../")
}

/// The address of a file, which may have a query or a fragment behind it.
fn file_address(text: &str) -> Result<String> {
    let end = text.find(['?', '#']).filter(|_| !Path::new(text).exists()).unwrap_or(text.len());
    let failed = || Error::Invalid(format!("{text:?} is not the path of a file"));
    let path: PathBuf = std::path::absolute(&text[..end]).map_err(|_| failed())?;
    let url = Url::from_file_path(path).map_err(|()| failed())?;
    // Read again, since that is what takes `..` out of a path.
    Url::parse(&format!("{url}{}", &text[end..])).map(String::from).map_err(|_| failed())
}

/// An address that could not be loaded, as an error.
pub(crate) fn unreachable(typed: &str, url: &str, reason: String) -> Error {
    let hint = advice(typed, &reason);
    Error::Navigation { url: shown_host(url, &reason), reason, hint }
}

fn advice(typed: &str, reason: &str) -> Option<&'static str> {
    let name = reason.strip_prefix("net::ERR_").unwrap_or(reason);
    let about_host = is_about_host(reason) || name == "INTERNET_DISCONNECTED";
    if about_host && !typed.contains(':') && Path::new(typed.trim()).exists() {
        return Some("there is a file of that name: put ./ before it");
    }
    Some(match name {
        "CONNECTION_REFUSED" => "is the server running, and on that port?",
        "NAME_NOT_RESOLVED" => "check the spelling of the host",
        "FILE_NOT_FOUND" => "check the path; one with ./ counts from the working directory",
        "ACCESS_DENIED" => "the file may not be read",
        "INTERNET_DISCONNECTED" => "the machine or the page is off the network",
        "TOO_MANY_REDIRECTS" => {
            "the server sends the browser in circles, perhaps for want of a cookie"
        }
        "UNSAFE_PORT" => "browsers refuse this port: use another",
        "SSL_PROTOCOL_ERROR" => "the server may speak http:// only",
        "CONNECTION_TIMED_OUT" | "ADDRESS_UNREACHABLE" => "the host does not answer",
        _ if name.starts_with("CERT_") => "the browser does not trust the server's certificate",
        _ => return None,
    })
}

fn is_about_host(reason: &str) -> bool {
    reason.contains("CONNECTION") || reason.contains("NAME_NOT_RESOLVED")
}

/// Connection errors are about the host; the rest about the whole address.
fn shown_host(url: &str, reason: &str) -> String {
    if !is_about_host(reason) {
        return url.to_owned();
    }
    let parsed = Url::parse(url).ok();
    let host = parsed.as_ref().and_then(|url| {
        let port = url.port().map_or(String::new(), |port| format!(":{port}"));
        url.host_str().map(|host| format!("{host}{port}"))
    });
    host.unwrap_or_else(|| url.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_completed_as_a_browser_would() {
        for (typed, expected) in [
            ("example.com", "https://example.com/"),
            ("//example.com/x", "https://example.com/x"),
            ("localhost:3000", "http://localhost:3000/"),
            ("127.0.0.1:8/x", "http://127.0.0.1:8/x"),
            ("example.com:8080/a", "https://example.com:8080/a"),
            ("http://a.b/c?d#e", "http://a.b/c?d#e"),
            ("HTTP://a.b/", "http://a.b/"),
            ("about:blank", "about:blank"),
            ("data:text/html,<p>", "data:text/html,<p>"),
            ("file:///tmp/x.html", "file:///tmp/x.html"),
            ("/no/such dir/x.html", "file:///no/such%20dir/x.html"),
            ("/no/such/../x.html?a=1#b", "file:///no/x.html?a=1#b"),
        ] {
            assert_eq!(address(typed).unwrap(), expected, "{typed}");
        }
        assert!(address("").is_err());
        assert!(address("http://").is_err());
    }

    #[test]
    fn a_path_from_here_is_that_of_a_file() {
        let here = std::env::current_dir().unwrap();
        let expected = Url::from_file_path(here.join("Cargo.toml")).unwrap().to_string();
        assert_eq!(address("./Cargo.toml").unwrap(), expected);
        assert_eq!(address("./Cargo.toml#x").unwrap(), expected + "#x");
    }

    #[test]
    fn schemes_that_no_tab_shows_are_refused_by_name() {
        for typed in ["ftp://a.b/c", "mailto:a@b.c", "javascript:alert(1)"] {
            let error = address(typed).unwrap_err();
            assert_eq!(error.code(), "invalid_input", "{typed}");
            assert!(error.to_string().contains("cannot be loaded"), "{error}");
        }
    }

    #[test]
    fn a_refused_connection_names_the_host() {
        let reason = "net::ERR_CONNECTION_REFUSED";
        assert_eq!(shown_host("http://localhost:8000/x", reason), "localhost:8000");
    }

    #[test]
    fn a_name_that_is_no_host_but_a_file_is_told_from_a_misspelt_one() {
        let not_resolved = "net::ERR_NAME_NOT_RESOLVED";
        assert!(advice("Cargo.toml", not_resolved).unwrap().contains("./"));
        assert!(advice("exmaple.com", not_resolved).unwrap().contains("spelling"));
    }
}
