//! The draft as text. Every line that was not seen for sure has a comment that says so, and a note says it
//! again to whoever asked for the draft.

use url::Url;

use super::currency::Charges;
use super::find::Form;
use super::hosts::{self, Sorted};
use super::{Cart, Drafted, Facts, Known, Search, SignInPage, TRIED};
use crate::money::Currency;
use crate::site::Locator;
use crate::site::policy::quoted;

/// What begins so, as a part of a path at any depth, is never reached.
const NEVER: [&str; 16] = [
    "checkout",
    "payment",
    "billing",
    "place-order",
    "orders",
    "logout",
    "sign-out",
    "signup",
    "sign-up",
    "register",
    "password",
    "account/settings",
    "account/edit",
    "profile/edit",
    "profile/delete",
    "change-password",
];

const SIGNED_IN: &str = "[signed_in], what is there only for who is signed in";

/// Writes a draft.
pub(super) fn draft(facts: &Facts) -> Drafted {
    let mut page = Page::default();
    page.line(
        "# A draft, from one visit. Look at every line that says GUESS or NOT FOUND, then try it:",
    );
    page.line("# `legwork site check FILE` tells whether it can be used.");
    page.line("");
    addresses(&mut page, facts);
    page.hosts(&facts.hosts);
    page.paths(facts);
    page.signed_in(facts.signed_in.as_ref());
    match &facts.sign_in {
        Ok(SignInPage { url, form: Some(form) }) => page.sign_in(facts, url, form),
        Ok(SignInPage { url, form: None }) => {
            page.missing("the form to sign in", &format!("there is none to be seen at {url}"));
        }
        Err(why) => page.missing("the way to sign in", why),
    }
    Drafted { toml: page.text, notes: page.notes, missing: page.missing }
}

fn addresses(page: &mut Page, facts: &Facts) {
    page.line(&format!("name = {}", quoted(&name(&facts.home))));
    page.line(&format!("home = {}", quoted(facts.home.as_str())));
    search(page, facts);
    cart(page, facts);
    currency(page, &facts.charges);
    page.line("per_minute = 20  # GUESS: actions a minute, about what a person does; an item takes six or so");
}

fn search(page: &mut Page, facts: &Facts) {
    let template = match &facts.search {
        Ok(Search { template, known }) => {
            if *known == Known::Seen {
                page.line(&format!("# Seen by searching for {TRIED:?}."));
            }
            template.clone()
        }
        Err(why) => {
            page.missing("the search", why);
            usual(&facts.home, "/search?q=") + "{query}"
        }
    };
    page.line(&format!("search = {}", quoted(&template)));
}

fn cart(page: &mut Page, facts: &Facts) {
    let url = match &facts.cart {
        Ok(Cart { url, known }) => {
            if *known == Known::Guessed {
                page.line(
                    "# GUESS: where the link to the cart leads; the shop asks for a sign-in first.",
                );
                page.note("the cart was not seen: the shop asks for a sign-in first");
            }
            url.to_string()
        }
        Err(why) => {
            page.missing("the cart", why);
            usual(&facts.home, "/cart")
        }
    };
    page.line(&format!("cart = {}", quoted(&url)));
}

/// Where something usually is.
fn usual(home: &Url, path: &str) -> String {
    home.join(path).map_or(home.to_string(), |url| url.to_string())
}

fn currency(page: &mut Page, charges: &Charges) {
    let code = code(charges.currency());
    let comment = match charges {
        Charges::Seen(_, count) => format!("{count} prices seen"),
        Charges::Dollars(_, count) => {
            page.note(&format!(
                "currency: {count} prices in $ were seen; {code} is a guess at which"
            ));
            format!("GUESS: {count} prices in $ seen, and whose dollars by the name of the shop")
        }
        Charges::Unseen(_) => {
            page.note(&format!("currency: no price was seen; {code} is a guess"));
            "GUESS: no price was seen".to_owned()
        }
    };
    page.line(&format!("currency = {}  # {comment}", quoted(&code)));
}

#[derive(Default)]
struct Page {
    text: String,
    notes: Vec<String>,
    missing: Vec<String>,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    fn note(&mut self, note: &str) {
        self.notes.push(note.to_owned());
    }

    /// Says that something was not found, and why.
    fn missing(&mut self, what: &str, why: &str) {
        let why = one_line(why);
        self.line(&format!("# NOT FOUND: {what}: {why}"));
        self.note(&format!("{what} was not found: {why}"));
        self.missing.push(what.to_owned());
    }

    fn hosts(&mut self, sorted: &Sorted) {
        self.line("\n[hosts]");
        self.line(&format!("required = {}", list(&sorted.own)));
        for (why, hosts) in &sorted.allowed {
            self.group("optional", list(hosts), why, Some(true));
        }
        for (host, served) in sorted.unknown() {
            self.note(&format!(
                "{host} is not allowed: whose it is is not known; it served {served}"
            ));
            let why = format!("not known; it served {}", plain(&served));
            self.group("optional", list([&host.to_owned()]), &why, Some(false));
        }
        for (why, hosts) in &sorted.blocked {
            self.group("blocked", list(hosts), why, None);
        }
    }

    fn group(&mut self, kind: &str, hosts: String, why: &str, allow: Option<bool>) {
        self.line(&format!("\n[[hosts.{kind}]]\nhosts = {hosts}\nwhy = {}", quoted(why)));
        if allow == Some(false) {
            self.line(
                "allow = false  # GUESS: set this to true if the shop does not work without it",
            );
        }
    }

    fn paths(&mut self, facts: &Facts) {
        self.line("\n[paths]");
        self.line("# GUESS: what shops usually call these. A part that begins so, with everything below it.");
        let mut never = Vec::new();
        for word in NEVER {
            match needed(facts).chain(form_url(facts)).find(|url| begins(url, word)) {
                None => never.push(format!("**/{word}*")),
                Some(url) => {
                    let open = format!("**/{word}* is not blocked, since {url} is below it");
                    self.line(&format!(
                        "# GUESS: {open}; block what comes after the cart by its whole path."
                    ));
                    self.note(&open);
                }
            }
        }
        let never: String = never.iter().map(|path| format!("    {},\n", quoted(path))).collect();
        self.line(&format!("blocked = [\n{never}]"));
        self.note(
            "the blocked paths are the usual ones; look where this shop takes orders and payment",
        );
        if let Some(path) = sign_in_path(facts) {
            self.line(&format!("sign_in = {}", list([&path])));
        }
    }

    fn signed_in(&mut self, at: Option<&Locator>) {
        self.line("");
        match at {
            Some(at) => self.line(&format!("[signed_in]\n{}", locator(at))),
            None => {
                self.missing(SIGNED_IN, "it cannot be seen without an account");
                self.line("# [signed_in]\n# selector = \"#account\"");
            }
        }
    }

    fn sign_in(&mut self, facts: &Facts, url: &Url, form: &Form) {
        self.line(&format!("\n[sign_in]\nurl = {}", quoted(url.as_str())));
        let host = hosts::listed(url).filter(|host| !facts.hosts.own.contains(host));
        if let Some(host) = host {
            self.line(&format!("hosts = {}", list([&host])));
        }
        self.line(&format!("submit = {{ {} }}", locator(&form.submit)));
        let slug = slug(&facts.home);
        for (at, what) in [(&form.user, "username"), (&form.password, "password")] {
            let variable = format!("{slug}-{what}").to_uppercase().replace('-', "_");
            self.line(&format!("\n[[sign_in.fields]]\n{}", locator(at)));
            self.line(&format!("secret = {}", quoted(&format!("{slug}-{what}"))));
            self.line(&format!("env = {}", quoted(&format!("LEGWORK_{variable}"))));
        }
    }
}

/// What an agent has to reach.
fn needed(facts: &Facts) -> impl Iterator<Item = Url> {
    let search = facts.search.as_ref().ok().and_then(|search| Url::parse(&search.template).ok());
    [Some(facts.home.clone()), search, facts.cart.as_ref().ok().map(|cart| cart.url.clone())]
        .into_iter()
        .flatten()
}

/// Where the form is, if there is one.
fn form_url(facts: &Facts) -> Option<Url> {
    let page = facts.sign_in.as_ref().ok()?;
    page.form.is_some().then(|| page.url.clone())
}

/// The path that only the sign-in routine passes; none if something else would be blocked with it.
fn sign_in_path(facts: &Facts) -> Option<String> {
    let url = form_url(facts)?;
    let path = url.path().trim_end_matches('/');
    let below = needed(facts).any(|other| other.path().starts_with(path));
    (!path.is_empty() && !path.contains('*') && !below).then(|| format!("{path}*"))
}

/// Whether parts of the path begin so.
fn begins(url: &Url, parts: &str) -> bool {
    url.path().to_lowercase().contains(&format!("/{parts}"))
}

fn locator(at: &Locator) -> String {
    match at {
        Locator::Label(label) => format!("label = {}", quoted(label)),
        Locator::Selector(selector) => format!("selector = {}", quoted(selector)),
    }
}

fn list<'a>(entries: impl IntoIterator<Item = &'a String>) -> String {
    let entries: Vec<String> = entries.into_iter().map(|entry| quoted(entry)).collect();
    format!("[{}]", entries.join(", "))
}

fn name(home: &Url) -> String {
    let host = hosts::listed(home).unwrap_or_default();
    host.strip_prefix("www.").map(str::to_owned).unwrap_or(host)
}

/// The shop's name as part of names of secrets.
fn slug(home: &Url) -> String {
    let host = home.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    plain(host).replace(' ', "-")
}

/// A reason may have words of the page in it, which must neither get out of the comment nor steer a terminal.
pub(super) fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().filter(|letter| !letter.is_control()).collect()
}

fn plain(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn code(currency: Currency) -> String {
    format!("{currency:?}").to_uppercase()
}

#[cfg(test)]
pub(super) mod tests;
