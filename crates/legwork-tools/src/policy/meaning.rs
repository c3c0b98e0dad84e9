//! What doing something would mean, told from what is known about it and not from the name of a tool. The
//! words are in `meanings.toml`.

use std::sync::OnceLock;

use legwork_engine::{ElementFacts, FormFacts};
use serde::Deserialize;
use url::Url;

use super::facts::{Facts, Kind, Meaning};
use super::paths::spelt_plainly;
use super::words::words;

/// What an action would mean, from all its facts but their `meanings`.
pub fn meanings(facts: &Facts) -> Vec<Meaning> {
    let mut found = Vec::new();
    if facts.kind == Kind::Upload || !facts.files.is_empty() {
        found.push(Meaning::Upload);
    }
    if facts.unsaved || facts.element.as_ref().is_some_and(|element| leaves(facts.kind, element)) {
        found.push(Meaning::Leave);
    }
    if facts.resends {
        // What it was is not known any more but by where it went.
        found.push(Meaning::Send);
        found.extend(facts.page.iter().flat_map(|page| vocabulary().in_path(page.as_str())));
    }
    if let Some(asked) = &facts.dialog {
        found.extend(vocabulary().asked(asked));
    }
    if let Some(to) = facts.to.as_ref().filter(|_| facts.kind == Kind::Navigate) {
        found.extend(vocabulary().addressed(to));
    }
    if let Some(element) = &facts.element {
        found.extend(of_element(facts.kind, element));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What acting on an element would mean.
fn of_element(kind: Kind, element: &ElementFacts) -> Vec<Meaning> {
    let vocabulary = vocabulary();
    let mut found = Vec::new();
    if matches!(kind, Kind::Click | Kind::Press) && acts(&element.role) {
        found.extend(vocabulary.named(element));
        found.extend(vocabulary.attributed(element));
    }
    let acting = matches!(kind, Kind::Click | Kind::Press | Kind::Type);
    if let Some(form) = element.form.as_ref().filter(|_| acting && element.submits) {
        found.extend(of_form(form, element));
    }
    if acting && element.submits && element.holds && vocabulary.is_talk(&element.name) {
        found.push(Meaning::Send);
    }
    found
}

/// Whether something of this role does what its name says when it is pressed. A field, a tab or a heading
/// of the same name does not.
fn acts(role: &str) -> bool {
    const QUIET: &[&str] = &[
        "textbox",
        "searchbox",
        "combobox",
        "listbox",
        "option",
        "checkbox",
        "radio",
        "tab",
        "heading",
        "columnheader",
        "rowheader",
        "slider",
        "spinbutton",
        "switch",
        "cell",
        "gridcell",
        "row",
        "treeitem",
        "article",
        "paragraph",
    ];
    !QUIET.contains(&role)
}

/// What sending a form would mean, by its fields and by where it goes.
fn of_form(form: &FormFacts, element: &ElementFacts) -> Vec<Meaning> {
    let has = |wanted: &[&str]| form.fields.iter().any(|field| wanted.contains(&field.as_str()));
    let count = |wanted: &str| form.fields.iter().filter(|field| *field == wanted).count();
    let mut found = Vec::new();
    if has(&["cc-number", "cc-csc", "cc-exp", "cc-exp-month", "transaction-amount"]) {
        found.push(Meaning::Pay);
    }
    let signs_up = has(&["username", "email"]) && !has(&["current-password"]);
    if has(&["new-password"])
        && (has(&["current-password"]) || (count("new-password") > 1 && !signs_up))
    {
        found.push(Meaning::Credentials);
    }
    if form.method.eq_ignore_ascii_case("post") {
        let vocabulary = vocabulary();
        found.extend(vocabulary.in_path(&form.action));
        let sends = vocabulary.submit.contains(&vocabulary.name(&element.name));
        if sends && has(&["textarea"]) {
            found.push(Meaning::Send);
        }
    }
    found
}

/// Whether pressing this gives up what was entered into its form.
fn leaves(kind: Kind, element: &ElementFacts) -> bool {
    let dirty = element.form.as_ref().is_some_and(|form| form.dirty);
    let goes = element.kind == "reset" || leads_elsewhere(element);
    kind == Kind::Click && dirty && !element.submits && goes
}

/// Whether this is a link to another document.
fn leads_elsewhere(element: &ElementFacts) -> bool {
    let Some(link) = element.link.as_deref().filter(|link| !link.is_empty()) else { return false };
    let bare = |address: &str| address.split('#').next().unwrap_or_default().to_owned();
    let here =
        link.starts_with('#') || (link.contains('#') && bare(link) == bare(&element.document));
    !here && !link.to_ascii_lowercase().starts_with("javascript:")
}

/// The words of `meanings.toml`, ready to be compared.
struct Vocabulary {
    small: Vec<String>,
    talk: Vec<String>,
    no_talk: Vec<String>,
    confirm: Vec<Vec<String>>,
    submit: Vec<Vec<String>>,
    meanings: Vec<(Meaning, Phrases)>,
}

/// How one meaning is put.
struct Phrases {
    whole: Vec<Vec<String>>,
    begins: Vec<Vec<String>>,
    unless: Vec<Vec<String>>,
    path: Vec<Vec<String>>,
    bare: Vec<Vec<String>>,
    link: LinkCounts,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    small: Vec<String>,
    talk: Vec<String>,
    no_talk: Vec<String>,
    confirm: Vec<String>,
    submit: Vec<String>,
    pay: WrittenPhrases,
    delete: WrittenPhrases,
    send: WrittenPhrases,
    publish: WrittenPhrases,
    grant: WrittenPhrases,
    credentials: WrittenPhrases,
    leave: WrittenPhrases,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPhrases {
    whole: Vec<String>,
    begins: Vec<String>,
    unless: Vec<String>,
    path: Vec<String>,
    #[serde(default)]
    bare: Vec<String>,
    #[serde(default)]
    link: LinkCounts,
}

/// How a link counts.
#[derive(Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LinkCounts {
    #[default]
    Phrase,
    Path,
}

fn vocabulary() -> &'static Vocabulary {
    static READ: OnceLock<Vocabulary> = OnceLock::new();
    READ.get_or_init(|| {
        let written = toml::from_str(include_str!("meanings.toml"));
        Vocabulary::of(written.expect("the words have a test"))
    })
}

impl Vocabulary {
    fn of(written: Written) -> Vocabulary {
        let small = written.small;
        let plain = |texts: Vec<String>| -> Vec<Vec<String>> {
            texts.iter().map(|text| meant(words(text), &small)).collect()
        };
        let phrases = |written: WrittenPhrases| Phrases {
            whole: plain(written.whole),
            begins: plain(written.begins),
            unless: plain(written.unless),
            // Paths have no small words.
            path: written.path.iter().map(|text| words(text)).collect(),
            bare: plain(written.bare),
            link: written.link,
        };
        let meanings = vec![
            (Meaning::Pay, phrases(written.pay)),
            (Meaning::Delete, phrases(written.delete)),
            (Meaning::Send, phrases(written.send)),
            (Meaning::Publish, phrases(written.publish)),
            (Meaning::Grant, phrases(written.grant)),
            (Meaning::Credentials, phrases(written.credentials)),
            (Meaning::Leave, phrases(written.leave)),
        ];
        let (confirm, submit) = (plain(written.confirm), plain(written.submit));
        let (talk, no_talk) = (written.talk, written.no_talk);
        Vocabulary { confirm, submit, meanings, small, talk, no_talk }
    }

    /// Whether a field of this name is one that people talk to each other in.
    fn is_talk(&self, name: &str) -> bool {
        let name = words(name);
        let says = |list: &[String]| name.iter().any(|word| list.contains(word));
        says(&self.talk) && !says(&self.no_talk)
    }

    /// The words of a name that mean something.
    fn name(&self, text: &str) -> Vec<String> {
        meant(words(text), &self.small)
    }

    /// What pressing something of this name means.
    fn named(&self, element: &ElementFacts) -> Vec<Meaning> {
        let name = self.name(&element.name);
        if self.confirm.contains(&name) {
            return self.asked(&element.around);
        }
        let around = self.name(&element.around);
        // A link that asks for more than a page is a button.
        let asks = !matches!(element.method.as_str(), "" | "get");
        let link = leads_elsewhere(element) && element.role == "link" && !asks;
        let path = link.then(|| path_words(element.link.as_deref().unwrap_or_default()));
        let means = |phrases: &Phrases| {
            let Some(length) = phrases.found(&name) else { return false };
            let counts = |path: &Vec<String>| {
                phrases.link == LinkCounts::Phrase && length > 1 || phrases.on(path)
            };
            !phrases.voided(&name)
                && !phrases.voided_around(&around)
                && path.as_ref().is_none_or(counts)
        };
        self.meanings
            .iter()
            .filter(|(_, phrases)| means(phrases))
            .map(|(found, _)| *found)
            .collect()
    }

    /// What the attributes of something say, whatever it is called: what the page asks before it does it, and
    /// how it asks the server. What is taken out of a cart is not deleted.
    fn attributed(&self, element: &ElementFacts) -> Vec<Meaning> {
        let mut found = self.asked(&element.confirm);
        let (name, leads) = (self.name(&element.name), element.link.as_deref().unwrap_or_default());
        let leads = path_words(leads);
        let spared = |phrases: &Phrases| phrases.voided(&name) || phrases.voided(&leads);
        let mut all = self.meanings.iter();
        if element.method == "delete"
            && all.any(|(meaning, phrases)| *meaning == Meaning::Delete && !spared(phrases))
        {
            found.push(Meaning::Delete);
        }
        found
    }

    /// What a dialog asks about. One that does not say what is no harmless one.
    fn asked(&self, text: &str) -> Vec<Meaning> {
        let text = self.name(text);
        let means = |phrases: &Phrases| {
            let occurs = phrases.begins.iter().any(|phrase| has(&text, phrase));
            let bare = phrases.bare.contains(&text);
            (occurs || bare) && !phrases.voided(&text)
        };
        self.meanings
            .iter()
            .filter(|(_, phrases)| means(phrases))
            .map(|(found, _)| *found)
            .collect()
    }

    /// What going to an address may do already: a part of its path says so and nothing else.
    fn addressed(&self, to: &Url) -> Vec<Meaning> {
        let parts: Vec<Vec<String>> = spelt_plainly(to.path()).split('/').map(words).collect();
        let means = |phrases: &Phrases| phrases.path.iter().any(|phrase| parts.contains(phrase));
        self.meanings.iter().filter(|(_, all)| means(all)).map(|(found, _)| *found).collect()
    }

    /// What the address that a form is sent to says.
    fn in_path(&self, address: &str) -> Vec<Meaning> {
        let path = path_words(address);
        self.meanings.iter().filter(|(_, all)| all.on(&path)).map(|(found, _)| *found).collect()
    }
}

impl Phrases {
    /// How many words of a name say it; the most, where several phrases do.
    fn found(&self, name: &[String]) -> Option<usize> {
        let whole = self.whole.iter().filter(|phrase| phrase.as_slice() == name);
        let begins = self.begins.iter().filter(|phrase| name.starts_with(phrase));
        whole.chain(begins).map(Vec::len).max()
    }

    fn voided(&self, name: &[String]) -> bool {
        self.unless.iter().any(|phrase| has(name, phrase))
    }

    /// A banner about cookies is about cookies whatever its buttons are called; what else stands around a
    /// button does not speak against it.
    fn voided_around(&self, around: &[String]) -> bool {
        let cookies = |word: &String| word.starts_with("cookie");
        self.unless.iter().flatten().any(cookies) && around.iter().any(cookies)
    }

    fn on(&self, path: &[String]) -> bool {
        self.path.iter().any(|phrase| has(path, phrase))
    }
}

/// Whether a phrase occurs among words.
fn has(words: &[String], phrase: &[String]) -> bool {
    !phrase.is_empty() && words.windows(phrase.len()).any(|some| some == phrase)
}

/// Words without small ones and numbers.
fn meant(words: Vec<String>, small: &[String]) -> Vec<String> {
    let number = |word: &str| word.chars().all(|letter| letter.is_ascii_digit());
    words.into_iter().filter(|word| !number(word) && !small.contains(word)).collect()
}

fn path_words(address: &str) -> Vec<String> {
    let path = match Url::parse(address) {
        Ok(url) => url.path().to_owned(),
        // Where the address of the document is not known, a relative one is its path.
        Err(_) => address.split(['?', '#']).next().unwrap_or_default().to_owned(),
    };
    words(&path)
}

#[cfg(test)]
mod tests;
