//! A shop, described as data: what may be reached there, where to search, how to tell that one is signed
//! in. A description is used whole or not at all.

mod check;
pub mod draft;
mod error;
mod file;
mod open;
mod policy;

use std::path::Path;

use url::Url;

pub use error::SiteError;
pub use policy::Phase;

use crate::money::Currency;

/// A shop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// What people call it.
    pub name: String,
    /// Its first page.
    pub home: Url,
    /// Where to search; `{query}` stands for what.
    search: String,
    /// Its cart.
    pub cart: Url,
    /// What it charges in, and what `$` means there.
    pub currency: Currency,
    /// What the banner says; `{item}` stands for the item.
    banner: String,
    /// Actions a minute, if it is not as the preset says.
    pub per_minute: Option<u32>,
    /// What may be reached.
    pub hosts: Hosts,
    /// What may not.
    pub paths: Paths,
    /// How to tell that one is signed in.
    pub signed_in: Option<Locator>,
    /// How to sign in.
    pub sign_in: Option<SignIn>,
    /// What helps to find one's way there.
    pub hints: Hints,
}

/// Which hosts are reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts {
    /// The shop does not work without them.
    pub required: Vec<String>,
    /// It works without them.
    pub optional: Vec<HostGroup>,
    /// They are never reached.
    pub blocked: Vec<HostGroup>,
}

/// Some hosts, and what they are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostGroup {
    /// The hosts; a blocked one may have a path.
    pub hosts: Vec<String>,
    /// What they are for, or why they are blocked.
    pub why: String,
    /// Whether they are reached.
    pub allow: bool,
}

/// Which paths are not reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Paths {
    /// Never.
    pub blocked: Vec<String>,
    /// Only while signing in.
    pub sign_in: Vec<String>,
}

/// How an element is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Locator {
    /// By what it is called.
    Label(String),
    /// By a CSS selector.
    Selector(String),
}

/// How to sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignIn {
    /// Where the form is.
    pub url: Url,
    /// Hosts that are reached only while signing in.
    pub hosts: Vec<String>,
    /// What is filled in, in this order.
    pub fields: Vec<Field>,
    /// What is pressed then.
    pub submit: Locator,
}

/// A field of the sign-in form, and the secret that goes there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Which field.
    pub at: Locator,
    /// The name of the secret.
    pub secret: String,
    /// The environment variable that holds it.
    pub env: String,
}

/// What helps to find one's way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hints {
    /// What the button is called that puts something in the cart, where it is none of the usual words.
    pub add: Vec<String>,
    /// What the shop says of that which cannot be had, where it is none of the usual words.
    pub sold_out: Vec<String>,
    /// What a model is told.
    pub model: Vec<String>,
}

const METRO: &str = include_str!("../sites/metro.toml");

/// The description of metro.ca that comes with the program.
pub fn metro() -> Site {
    Site::parse(METRO).expect("the description that is built in is tried by a test")
}

impl Site {
    /// Reads a description.
    pub fn parse(text: &str) -> Result<Site, SiteError> {
        Site::check(text).map_err(|mistakes| {
            mistakes.into_iter().next().expect("there is a mistake where there is no site")
        })
    }

    /// Reads a description; tells every mistake that does not only follow from another. What is no TOML, or
    /// has a word that is not known, is told alone.
    pub fn check(text: &str) -> Result<Site, Vec<SiteError>> {
        let file = file::File::parse(text).map_err(|mistake| vec![mistake])?;
        check::site(file, text)
    }

    /// What the description leaves open that shops have and a shopper does not need, for whoever wrote it.
    pub fn warnings(&self) -> Vec<String> {
        open::warnings(self)
    }

    /// The descriptions that come with the program, by what they are called by.
    pub const BUILT_IN: &[(&str, &str)] = &[("metro", METRO)];

    /// Reads a description from a file.
    pub fn open(path: &Path) -> Result<Site, SiteError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| SiteError::new(format!("it cannot be read: {error}")).in_file(path))?;
        Site::parse(&text).map_err(|error| error.in_file(path))
    }

    /// The address of a search.
    pub fn search_url(&self, words: &str) -> Url {
        let words: String = url::form_urlencoded::byte_serialize(words.as_bytes()).collect();
        // A plus sign is a space only in queries; this is one in paths as well.
        let address = self.search.replace("{query}", &words.replace('+', "%20"));
        Url::parse(&address).expect("the template was tried when it was read")
    }

    /// What the banner says while an item is shopped for.
    pub fn banner(&self, item: &str) -> String {
        self.banner.replace("{item}", item)
    }

    /// What the banner says, with `{item}` where the item goes.
    pub fn banner_template(&self) -> &str {
        &self.banner
    }

    /// Whether an address is a page of the shop: on the host of its first page or one that it requires, by the
    /// same scheme.
    pub fn is_shop_page(&self, url: &Url) -> bool {
        let nobody = url.username().is_empty() && url.password().is_none();
        let own = || self.hosts.required.iter().any(|host| is_on(url, host));
        nobody
            && (url.origin() == self.home.origin() || (url.scheme() == self.home.scheme() && own()))
    }

    /// The policy for a phase of a run, as the text of a `policy.toml`.
    pub fn policy(&self, phase: Phase) -> String {
        policy::text(self, phase)
    }
}

/// Whether an address is on a host as descriptions write it: `shop.example`, `*.shop.example`, `127.0.0.1:8000`.
fn is_on(url: &Url, written: &str) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    match written.strip_prefix('*') {
        Some(below) => host.ends_with(below) || below.strip_prefix('.') == Some(host.as_str()),
        None => host == written,
    }
}

#[cfg(test)]
mod tests;
