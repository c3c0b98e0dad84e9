//! What on a page is for a person to do: riddles for people, sign-ins, second factors. Recognised from what a
//! snapshot says, by the rules in `assist/rules.toml`; nothing is solved or entered here.

mod controls;
mod phrase;
mod rules;

use legwork_protocol::Reply;
use legwork_protocol::assistant::{AssistanceKind, AssistanceRequest};
use serde_json::Value;

use controls::Page;
use phrase::Words;
use rules::{RULES, Rule, Sought, Where};

/// A page as it was seen, and what it was seen for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen<'a> {
    /// Its address.
    pub url: &'a str,
    /// Its title.
    pub title: &'a str,
    /// The whole of it, as `browser_snapshot` writes it.
    pub page: &'a str,
    /// The whole instruction: an errand that speaks of signing in does so itself.
    pub instruction: &'a str,
}

impl<'a> Seen<'a> {
    /// What a reply shows of a page, if it shows a whole one.
    pub fn of(reply: &'a Reply, instruction: &'a str) -> Option<Seen<'a>> {
        let part = |name| reply.data.get(name).and_then(Value::as_str);
        let (url, title) = (part("url").unwrap_or_default(), part("title").unwrap_or_default());
        Some(Seen { url, title, page: part("page")?, instruction })
    }
}

/// What a person is needed for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// What kind of help.
    pub kind: AssistanceKind,
    /// What to do, in a sentence.
    pub message: String,
    /// Where and why.
    pub context: String,
    /// Some pages go by themselves: wait a few seconds and look again before a person is asked.
    pub may_pass: bool,
}

impl Need {
    /// The request to the person.
    pub fn request(self, id: impl Into<String>, timeout: Option<u64>) -> AssistanceRequest {
        let Need { kind, message, context, .. } = self;
        AssistanceRequest { id: id.into(), kind, message, context, choices: Vec::new(), timeout }
    }
}

/// What a person is needed for on this page, if it is recognised.
pub fn recognise(seen: &Seen) -> Option<Need> {
    let page = Page::read(seen.title, seen.page);
    let asked = Words::of(seen.instruction);
    let applies = |rule: &&Rule| !left_to_the_errand(rule.kind, &asked) && holds(rule, &page);
    RULES.rule.iter().find(applies).map(|rule| need(rule, seen))
}

/// Whether a change of a page may bring such a thing: then the whole page is worth a look.
pub fn is_suspect(change: &str, instruction: &str) -> bool {
    let (page, asked) = (Page::read("", change), Words::of(instruction));
    let holds = |rule: &Rule| {
        !left_to_the_errand(rule.kind, &asked) && is_said(rule, &page) && is_controlled(rule, &page)
    };
    RULES.rule.iter().any(holds)
}

fn left_to_the_errand(kind: AssistanceKind, asked: &Words) -> bool {
    let words = match kind {
        AssistanceKind::Login => &RULES.errand.login,
        AssistanceKind::TwoFactor => &RULES.errand.two_factor,
        AssistanceKind::Captcha | AssistanceKind::Custom => return false,
    };
    words.iter().any(|phrase| asked.contain(phrase))
}

/// Every condition of a rule that is given has to hold.
fn holds(rule: &Rule, page: &Page) -> bool {
    let titled = rule.titled.is_empty()
        || page.titles.iter().any(|title| rule.titled.iter().any(|one| title.contain(one)));
    let short = rule.short.is_none_or(|most| !page.cut && page.words.len() <= most);
    let links = rule.links.is_none_or(|most| !page.cut && page.count("link") <= most);
    let absent = rule.unless.as_ref().is_none_or(|one| !page.has(one));
    titled && short && links && absent && is_said(rule, page) && is_controlled(rule, page)
}

fn is_said(rule: &Rule, page: &Page) -> bool {
    let scope = match rule.within {
        Where::Page => &page.words,
        Where::Frame => &page.framed,
    };
    rule.says.is_empty() || rule.says.iter().any(|one| scope.contain(one))
}

fn is_controlled(rule: &Rule, page: &Page) -> bool {
    rule.control.as_ref().is_none_or(|one| any(one, page, rule))
}

/// Whether such controls are there, with what has to be beside them.
fn any(sought: &Sought, page: &Page, rule: &Rule) -> bool {
    let framed = |at: &usize| rule.within == Where::Page || page.controls[*at].framed;
    let found: Vec<usize> = page.matching(sought).filter(framed).collect();
    if found.len() < sought.at_least.max(1) {
        return false;
    }
    let Some(beside) = &rule.beside else { return true };
    let near = |at: usize, other: usize| at != other && at.abs_diff(other) <= rule.reach;
    found.iter().any(|at| page.matching(beside).any(|other| near(*at, other)))
}

fn need(rule: &Rule, seen: &Seen) -> Need {
    let site = url::Url::parse(seen.url).ok();
    let host = site.as_ref().and_then(url::Url::host_str).unwrap_or("The page");
    // The rest of an address may hold what is nobody's business.
    let place = match &site {
        Some(url) if url.has_host() => {
            format!("{}{}", url.origin().ascii_serialization(), url.path())
        }
        _ => "the page in front".to_owned(),
    };
    let title: String = seen.title.chars().take(80).collect();
    let titled = if title.is_empty() { String::new() } else { format!(" ({title:?})") };
    Need {
        kind: rule.kind,
        message: rule.message.replace("{site}", host),
        context: format!("At {place}{titled}: {}.", rule.because),
        may_pass: rule.may_pass,
    }
}

#[cfg(test)]
mod tests;
