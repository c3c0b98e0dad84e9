//! From what is written to a site that can be used: whatever does not fit together is a mistake with a
//! place.

use std::cell::RefCell;

use toml::Spanned;
use url::{Host, Url};

use super::error::SiteError;
use super::file::{self, File, Text};
use super::{Field, Hints, HostGroup, Hosts, Locator, Paths, SignIn, Site};
use crate::shopper::{says, words};

const BANNER: &str = "🤖 Grocery Agent Active - Currently shopping for: {item}";

/// Checks a description; tells every mistake that does not only follow from another, from the top.
pub(super) fn site(file: File, text: &str) -> Result<Site, Vec<SiteError>> {
    let check = Check { text, found: RefCell::default() };
    let site = check.site(file);
    let mut found = check.found.into_inner();
    found.sort_by_key(|mistake| mistake.place);
    found.dedup();
    match site {
        Some(site) if found.is_empty() => Ok(site),
        _ => Err(found),
    }
}

struct Check<'t> {
    text: &'t str,
    /// The mistakes so far.
    found: RefCell<Vec<SiteError>>,
}

impl Check<'_> {
    /// The site, if nothing is wrong with any part of it. All parts are looked at before the first that is
    /// wrong ends it.
    fn site(&self, file: File) -> Option<Site> {
        let hosts = self.hosts(&file.hosts);
        // Whether an address is on one of the hosts is not known before the hosts are.
        let listed = hosts.as_ref().ok().map(|hosts| hosts.required.as_slice());
        let home = self.address(&file.home, listed);
        let cart = self.address(&file.cart, listed);
        let search = self.search(&file.search, listed);
        let sign_in = file.sign_in.as_ref().map(|form| self.sign_in(form, listed)).transpose();
        let paths = self.paths(&file);
        let signed_in = file.signed_in.as_ref().map(|at| self.locator(at)).transpose();
        let (banner, per_minute) = (self.banner(&file), self.per_minute(&file));
        let name = self.filled(&file.name);
        let hints = self.hints(file.hints);
        Some(Site {
            name: name.ok()?,
            home: home.ok()?,
            search: search.ok()?,
            cart: cart.ok()?,
            currency: file.currency,
            banner: banner.ok()?,
            per_minute: per_minute.ok()?,
            hosts: hosts.ok()?,
            paths: paths.ok()?,
            signed_in: signed_in.ok()?,
            sign_in: sign_in.ok()?,
            hints: hints.ok()?,
        })
    }

    fn wrong<T>(&self, at: &Spanned<T>, message: impl Into<String>) -> SiteError {
        let mistake = SiteError::new(message).at(self.text, at.span().start);
        self.found.borrow_mut().push(mistake.clone());
        mistake
    }

    fn banner(&self, file: &File) -> Result<String, SiteError> {
        match &file.banner {
            Some(banner) if !banner.get_ref().contains("{item}") => {
                Err(self.wrong(banner, "it does not say {item}, which stands for the item"))
            }
            banner => Ok(banner.as_ref().map_or(BANNER, |banner| banner.get_ref()).to_owned()),
        }
    }

    fn per_minute(&self, file: &File) -> Result<Option<u32>, SiteError> {
        match &file.per_minute {
            Some(rate) if *rate.get_ref() == 0 => {
                Err(self.wrong(rate, "no action a minute is no shopping"))
            }
            rate => Ok(rate.as_ref().map(|rate| *rate.get_ref())),
        }
    }

    fn filled(&self, text: &Text) -> Result<String, SiteError> {
        let shown = text.get_ref().trim();
        if shown.is_empty() || shown.contains(char::is_control) {
            return Err(self.wrong(text, "it has to say something, on one line"));
        }
        Ok(shown.to_owned())
    }

    /// Words are compared in lower case.
    fn hints(&self, hints: file::Hints) -> Result<Hints, SiteError> {
        let lower = |check: &Self, text: &Text| Ok(check.filled(text)?.to_lowercase());
        let adds = |check: &Self, text: &Text| match lower(check, text)? {
            add if says(&add, &words().never) => {
                Err(check.wrong(text, "a button that says this is never pressed"))
            }
            add => Ok(add),
        };
        let add = self.each(&hints.add, adds)?;
        let sold_out = self.each(&hints.sold_out, lower)?;
        Ok(Hints { add, sold_out, model: hints.model })
    }

    fn hosts(&self, hosts: &file::Hosts) -> Result<Hosts, SiteError> {
        let required = self.each(&hosts.required, Check::host)?;
        let mut optional = Vec::new();
        for group in &hosts.optional {
            let hosts = self.each(&group.hosts, Check::host)?;
            optional.push(HostGroup { hosts, why: group.why.clone(), allow: group.allow });
        }
        let allowed: Vec<&String> =
            required.iter().chain(optional.iter().flat_map(|group| &group.hosts)).collect();
        let mut blocked = Vec::new();
        for group in &hosts.blocked {
            for host in &group.hosts {
                if allowed.contains(&&host.get_ref().to_lowercase()) {
                    return Err(self.wrong(host, "it is listed as blocked and as allowed"));
                }
            }
            let hosts = self.each(&group.hosts, Check::blocked)?;
            blocked.push(HostGroup { hosts, why: self.filled(&group.why)?, allow: false });
        }
        Ok(Hosts { required, optional, blocked })
    }

    fn each(
        &self,
        texts: &[Text],
        check: impl Fn(&Self, &Text) -> Result<String, SiteError>,
    ) -> Result<Vec<String>, SiteError> {
        // All are looked at, so that all mistakes are found.
        let checked: Vec<_> = texts.iter().map(|text| check(self, text)).collect();
        checked.into_iter().collect()
    }

    /// A host, with a port or not: `shop.example`, `*.cdn.example`, `127.0.0.1:8000`.
    fn host(&self, text: &Text) -> Result<String, SiteError> {
        let host = text.get_ref().to_lowercase();
        let name = host.strip_prefix("*.").unwrap_or(&host);
        let parsed = Url::parse(&format!("https://{name}/"));
        let whole =
            parsed.as_ref().ok().filter(|url| url.path() == "/" && url.username().is_empty());
        let plain =
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.:[]".contains(&byte));
        if whole.and_then(Url::host).is_none() || !plain || name.contains("..") {
            return Err(self.wrong(text, format!("{host:?} is no host")));
        }
        // One label, or an address, cannot have hosts below it that belong to one shop.
        let name_only = whole.and_then(Url::domain).is_some_and(|domain| domain.contains('.'));
        if host.starts_with("*.") && !name_only {
            return Err(self.wrong(text, format!("{host:?} would allow hosts of anybody")));
        }
        Ok(host)
    }

    /// A host that is blocked, or paths of it.
    fn blocked(&self, text: &Text) -> Result<String, SiteError> {
        match text.get_ref().split_once('/') {
            Some((host, _)) if !host.is_empty() => self.path(text),
            _ => self.host(text),
        }
    }

    fn path(&self, text: &Text) -> Result<String, SiteError> {
        let path = text.get_ref();
        let wrong = |why: &str| Err(self.wrong(text, format!("{path:?} {why}")));
        if path.contains(['?', '#']) || path.contains(char::is_control) {
            return wrong("has a query or a fragment; only paths are compared");
        }
        let Some((host, rest)) = path.split_once('/') else {
            return wrong("is no path: it begins with /, **/ or a host");
        };
        if rest.trim_matches(['/', '*']).is_empty() {
            return wrong("would block every page");
        }
        if !matches!(host, "" | "*" | "**") {
            self.host(&Spanned::new(text.span(), host.to_owned()))?;
        }
        Ok(path.clone())
    }

    fn paths(&self, file: &File) -> Result<Paths, SiteError> {
        let blocked = self.each(file.paths.blocked.get_ref(), Check::path)?;
        if blocked.is_empty() {
            let why = "nothing is blocked; name at least where the shop takes orders and payment";
            return Err(self.wrong(&file.paths.blocked, why));
        }
        let sign_in = self.each(&file.paths.sign_in, Check::path)?;
        if let (Some(first), None) = (file.paths.sign_in.first(), &file.sign_in) {
            return Err(self.wrong(first, "there is no [sign_in] that could pass it"));
        }
        Ok(Paths { blocked, sign_in })
    }

    /// An address on one of these hosts, if they are known.
    fn address(&self, text: &Text, hosts: Option<&[String]>) -> Result<Url, SiteError> {
        let written = text.get_ref();
        let url = Url::parse(written)
            .map_err(|error| self.wrong(text, format!("{written:?} is no address: {error}")))?;
        let loopback = match url.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        if url.scheme() != "https" && !(url.scheme() == "http" && loopback) {
            return Err(self.wrong(text, "it has to begin with https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(self.wrong(text, "names and passwords do not belong in an address"));
        }
        if hosts.is_some_and(|hosts| !hosts.iter().any(|host| is_on(&url, host))) {
            return Err(
                self.wrong(text, format!("{written:?} is on none of the hosts that are listed"))
            );
        }
        Ok(url)
    }

    fn search(&self, text: &Text, hosts: Option<&[String]>) -> Result<String, SiteError> {
        let template = text.get_ref();
        if template.matches("{query}").count() != 1 {
            return Err(self.wrong(text, "it has to say {query} once, where the words go"));
        }
        let tried = |words: &str| {
            let address = template.replace("{query}", words);
            self.address(&Spanned::new(text.span(), address), hosts)
        };
        // The words must not be able to become part of the host.
        if tried("a")?.origin() != tried("b")?.origin() {
            return Err(self.wrong(text, "{query} belongs behind the host"));
        }
        Ok(template.clone())
    }

    fn locator(&self, at: &Spanned<file::Locator>) -> Result<Locator, SiteError> {
        let file::Locator { label, selector } = at.get_ref();
        self.one_of(at, label, selector)
    }

    fn one_of<T>(
        &self,
        at: &Spanned<T>,
        label: &Option<String>,
        selector: &Option<String>,
    ) -> Result<Locator, SiteError> {
        let said = |text: &String| !text.trim().is_empty();
        match (label, selector) {
            (Some(label), None) if said(label) => Ok(Locator::Label(label.clone())),
            (None, Some(selector)) if said(selector) => match is_whole(selector) {
                true => Ok(Locator::Selector(selector.clone())),
                false => Err(self.wrong(at, format!("{selector:?} is no CSS selector"))),
            },
            _ => Err(self.wrong(at, "it is found by a label or by a selector: one of the two")),
        }
    }

    fn sign_in(&self, form: &file::SignIn, listed: Option<&[String]>) -> Result<SignIn, SiteError> {
        let own = self.each(&form.hosts, Check::host)?;
        let reachable = listed.map(|hosts| [hosts, &own].concat());
        let url = self.address(&form.url, reachable.as_deref())?;
        let mut fields: Vec<Field> = Vec::new();
        for field in form.fields.get_ref() {
            let read = self.field(field)?;
            if fields.iter().any(|other| other.secret == read.secret) {
                return Err(self.wrong(field, format!("{:?} is filled in twice", read.secret)));
            }
            fields.push(read);
        }
        if fields.is_empty() {
            return Err(self.wrong(&form.fields, "a form without fields signs nobody in"));
        }
        Ok(SignIn { url, hosts: own, fields, submit: self.locator(&form.submit)? })
    }

    fn field(&self, field: &Spanned<file::Field>) -> Result<Field, SiteError> {
        let file::Field { label, selector, secret, env } = field.get_ref();
        let at = self.one_of(field, label, selector)?;
        let named = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        if secret.get_ref().is_empty() || !secret.get_ref().chars().all(named) {
            return Err(self.wrong(secret, "a secret is named with letters, digits, - and _"));
        }
        let variable = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if env.get_ref().is_empty() || !env.get_ref().chars().all(variable) {
            return Err(self.wrong(env, "a variable is named with letters, digits and _"));
        }
        if !env.get_ref().starts_with("LEGWORK_") || OWN.contains(&env.get_ref().as_str()) {
            return Err(self.wrong(env, format!("{:?} {NOT_READ}", env.get_ref())));
        }
        Ok(Field { at, secret: secret.get_ref().clone(), env: env.get_ref().clone() })
    }
}

/// Why not every variable is read: a file from somebody else could name any, and send what it holds to its own
/// host.
const NOT_READ: &str = "is not read for a shop; call it LEGWORK_ and the shop's name here, such as \
    LEGWORK_SHOP_PASSWORD, and set that variable";

/// What the program keeps for itself.
const OWN: &[&str] = &["LEGWORK_MODEL_KEY", "LEGWORK_TOKEN", "LEGWORK_ATTACH"];

/// Whether a selector is not broken off: what is opened is closed, and it does not end where another part has to
/// follow. A browser alone can tell the rest.
fn is_whole(selector: &str) -> bool {
    let (mut open, mut quote, mut escaped) = (Vec::new(), None, false);
    for letter in selector.chars() {
        match (letter, quote) {
            _ if escaped => escaped = false,
            ('\\', _) => escaped = true,
            (letter, Some(mark)) if letter == mark => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(letter),
            ('[', None) => open.push(']'),
            ('(', None) => open.push(')'),
            (']' | ')', None) if open.pop() != Some(letter) => return false,
            _ => {}
        }
    }
    let last = selector.trim_end().strip_suffix([',', '>', '+', '~', '#', '.', ':']);
    let ends = last.is_some_and(|before| !before.ends_with('\\'));
    open.is_empty() && quote.is_none() && !escaped && !ends
}

/// Whether an address is on a host as it is listed.
fn is_on(url: &Url, listed: &str) -> bool {
    let host = url.host_str().unwrap_or_default();
    if let Some(above) = listed.strip_prefix("*.") {
        return host == above || host.ends_with(&format!(".{above}"));
    }
    match Url::parse(&format!("{}://{listed}/", url.scheme())) {
        Ok(listed_at) => {
            let has_port = !listed.ends_with(']') && listed.rsplit(':').next() != Some(listed);
            let port =
                !has_port || listed_at.port_or_known_default() == url.port_or_known_default();
            listed_at.host() == url.host() && port
        }
        Err(_) => false,
    }
}
