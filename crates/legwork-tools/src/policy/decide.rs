//! Judging: every rule that speaks of an action is asked, and the strictest answer counts. Pure: what is
//! not in the facts is not known.

use url::Url;

use super::actions::Spoken;
use super::decision::{Decision, Verdict};
use super::facts::{Facts, Kind, Meaning};
use super::place::Place;
use super::rules::{Rules, Site};
use super::said::Broken;
use super::targets::Target;

impl Rules {
    /// Judges an action by what is known about it. Knows nothing else, does nothing else.
    pub fn decide(&self, facts: &Facts) -> Decision {
        let spot = Spot::of(facts);
        let mut found = Vec::new();
        found.extend(self.hours_say(facts));
        found.extend(self.places_say(facts));
        found.extend(self.kind_says(facts, &spot));
        found.extend(self.meanings_say(facts, &spot));
        found.extend(self.targets_say(facts, &spot));
        found.extend(self.files_say(facts));
        found.extend(self.secrets_say(facts));
        found.extend(self.profile_says(facts));
        let stricter = |a: Decision, b: Decision| if b.verdict > a.verdict { b } else { a };
        found.into_iter().reduce(stricter).unwrap_or_else(|| self.allowed())
    }

    fn allowed(&self) -> Decision {
        Decision {
            verdict: Verdict::Allow,
            rule: format!("preset {}", self.preset.name),
            because: "nothing in the policy speaks against it".into(),
        }
    }

    fn hours_say(&self, facts: &Facts) -> Option<Decision> {
        let hours = self.hours.as_ref()?;
        if facts.at.is_some_and(|at| hours.open(at)) {
            return None;
        }
        let told = hours.told();
        Some(refusal(
            "hours",
            format!("nothing is done outside of the hours of the policy ({told})"),
        ))
    }

    /// The pages an action is done on, and where it leads.
    fn places_say(&self, facts: &Facts) -> Vec<Decision> {
        let stays = !matches!(facts.kind, Kind::Navigate | Kind::Session | Kind::File);
        let here = facts.page.iter().chain(&facts.frame).filter(|_| stays);
        let own_script = |url: &&Url| url.scheme() == "javascript" && follows(facts.kind);
        let to = facts.to.iter().filter(|url| !own_script(url));
        here.chain(to).filter_map(|url| self.place_says(url)).collect()
    }

    fn place_says(&self, url: &Url) -> Option<Decision> {
        let Some(place) = Place::of(url) else {
            let because = format!("where {url} leads cannot be told");
            return Some(refusal("hosts (the address cannot be read)", because));
        };
        let Broken { rule, because } = self.network.judge(&place, true).err()?;
        Some(refusal(&rule, because))
    }

    fn kind_says(&self, facts: &Facts, spot: &Spot) -> Option<Decision> {
        let script = |to: &Url| matches!(to.scheme(), "javascript" | "data");
        let held = facts.to.as_ref().is_some_and(script) && !follows(facts.kind);
        let (kind, told) = match held {
            true => (Kind::Eval, "such an address holds what the caller wrote, scripts included"),
            false => (facts.kind, kind_told(facts.kind)),
        };
        // Saying no, or having read what an alert says, needs nobody's leave; whether a page may be left that
        // asks for it is what `leave` says, with and without the question.
        if kind == Kind::Dialog && (facts.dialog.is_none() || facts.unsaved) {
            return None;
        }
        let (spoken, site) = self.said(kind.word(), false, spot)?;
        Some(decision(spoken, site, told))
    }

    fn meanings_say(&self, facts: &Facts, spot: &Spot) -> Vec<Decision> {
        if self.targets_of(facts, spot).any(|target| target.then == Verdict::Allow) {
            return Vec::new();
        }
        let one = |meaning: &Meaning| {
            let (spoken, site) = self.said(meaning.word(), true, spot)?;
            Some(decision(spoken, site, meaning_told(*meaning)))
        };
        facts.meanings.iter().filter_map(one).collect()
    }

    fn targets_say(&self, facts: &Facts, spot: &Spot) -> Vec<Decision> {
        let what = match facts.element {
            Some(_) => "targets like this one",
            None => "some targets, and what this acts on is not known",
        };
        let one = |target: &Target| {
            let asks = if target.then == Verdict::Ask { "asks a person about" } else { "refuses" };
            let because = format!("the policy {asks} {what}; the [[target]] rule says so");
            Decision { verdict: target.then, rule: target.told(), because }
        };
        let strict = self.targets_of(facts, spot).filter(|target| target.then > Verdict::Allow);
        strict.map(one).collect()
    }

    fn targets_of<'a>(
        &'a self,
        facts: &'a Facts,
        spot: &'a Spot,
    ) -> impl Iterator<Item = &'a Target> {
        // What is acted on and not known may be anything. A key that no element has goes to the page itself,
        // which no target is.
        let blind = matches!(facts.kind, Kind::Click | Kind::Type | Kind::Upload);
        let here = spot.inner.as_ref();
        self.targets.iter().filter(move |target| match &facts.element {
            // A strict rule of a site holds in frames that have no address of their own, too.
            Some(element) => {
                let around = spot.outer.as_ref().filter(|_| target.then > Verdict::Allow);
                let is = |at: Option<&Place>| target.is(element, at, &facts.meanings);
                is(here) || (around.is_some() && is(around))
            }
            None => blind && target.then > Verdict::Allow && target.may_be_at(here),
        })
    }

    fn files_say(&self, facts: &Facts) -> Vec<Decision> {
        let one = |file: &std::path::PathBuf| {
            let shown = file.display();
            if !self.uploads.folder_allows(file) {
                let because = format!(
                    "{shown} is not in a folder that files may be given away from; add its folder to folders \
                     under [uploads]"
                );
                return Some(refusal("uploads.folders", because));
            }
            let typed = self.uploads.types.as_ref().is_none_or(|types| types.allow(file));
            let because = || {
                format!(
                    "{shown} is not of a type that may be given away; add it to types under [uploads]"
                )
            };
            (!typed).then(|| refusal("uploads.types", because()))
        };
        facts.files.iter().filter_map(one).collect()
    }

    /// A profile holds somebody's cookies and passwords: one that nobody configured is opened only where
    /// everything may be done.
    fn profile_says(&self, facts: &Facts) -> Option<Decision> {
        let profile = facts.profile.as_ref().filter(|_| self.preset.name != "open")?.display();
        let because = format!(
            "{profile} is not the profile that was configured; a person can name it as user_data_dir in the \
             configuration"
        );
        Some(refusal(&format!("profiles (preset {})", self.preset.name), because))
    }

    fn secrets_say(&self, facts: &Facts) -> Vec<Decision> {
        let one = |name: &String| {
            let rule = format!("secrets.{name}");
            let Some(secret) = self.secrets.get(name) else {
                let because =
                    format!("there is no secret {name}; add [secrets.{name}] with its origins");
                return Some(refusal("secrets", because));
            };
            // A field is filled, or a prompt answered, and what was entered may be sent in the same call.
            if !matches!(facts.kind, Kind::Type | Kind::Dialog | Kind::Click | Kind::Press) {
                let because = format!("the secret {name} is only entered into fields");
                return Some(refusal(&rule, because));
            }
            let document = document(facts);
            if document.as_ref().is_some_and(|url| secret.may_enter(url)) {
                return None;
            }
            let here = document.map_or("a page that is not known".to_owned(), |url| origin(&url));
            let origins = secret.origins().join(", ");
            let because = format!(
                "the secret {name} is bound to {origins}, and this is {here}; its origins say so"
            );
            Some(refusal(&rule, because))
        };
        facts.secrets.iter().filter_map(one).collect()
    }

    /// What is said of a word where the action is done. A site that says `allow` sets aside what is said
    /// of all sites; what it says otherwise comes on top of that.
    fn said(
        &self,
        word: &'static str,
        meaning: bool,
        spot: &Spot,
    ) -> Option<(Spoken, Option<String>)> {
        let (mut strictest, mut lifted) = (None::<(Spoken, Option<String>)>, false);
        for site in &self.sites {
            let Some((name, inner)) = spot.by(site) else { continue };
            match site.actions.of(word, meaning) {
                Some(spoken) if spoken.verdict > Verdict::Allow => {
                    let known = strictest.as_ref().map(|(known, _)| known.verdict);
                    if known.is_none_or(|known| spoken.verdict > known) {
                        strictest = Some((spoken, Some(name)));
                    }
                }
                Some(_) => lifted |= inner,
                None => {}
            }
        }
        let general = self.actions.of(word, meaning).filter(|_| !lifted);
        let general =
            general.filter(|spoken| spoken.verdict > Verdict::Allow).map(|spoken| (spoken, None));
        match (strictest, general) {
            (Some(site), Some(all)) if all.0.verdict > site.0.verdict => Some(all),
            (site, all) => site.or(all),
        }
    }
}

/// The documents an action is done in.
struct Spot {
    /// The one that holds the element; where it leads, for one that goes somewhere.
    inner: Option<Place>,
    /// The page around it.
    outer: Option<Place>,
}

impl Spot {
    fn of(facts: &Facts) -> Spot {
        let goes = matches!(facts.kind, Kind::Navigate | Kind::Session);
        if let Some(to) = facts.to.as_ref().filter(|_| goes) {
            return Spot { inner: Place::of(to), outer: None };
        }
        let outer = facts.page.as_ref().and_then(Place::of);
        match &facts.frame {
            Some(frame) => Spot { inner: Place::of(frame), outer },
            None => Spot { inner: outer, outer: None },
        }
    }

    /// By which pattern this is of a site, and whether the document itself is and not only the page
    /// around it.
    fn by(&self, site: &Site) -> Option<(String, bool)> {
        let by = |place: &Option<Place>| {
            place.as_ref().and_then(|place| site.by(place)).map(|host| host.text().to_owned())
        };
        by(&self.inner)
            .map(|name| (name, true))
            .or_else(|| by(&self.outer).map(|name| (name, false)))
    }
}

/// Follows what the page itself has to offer, such as a link that runs the page's script.
fn follows(kind: Kind) -> bool {
    !matches!(kind, Kind::Navigate | Kind::Session)
}

/// The address of the document that something is entered in.
fn document(facts: &Facts) -> Option<Url> {
    let element = facts.element.as_ref().map(|element| element.document.as_str());
    match element.filter(|document| !document.is_empty()) {
        Some(document) => document.parse().ok(),
        None => facts.frame.clone().or_else(|| facts.page.clone()),
    }
}

fn origin(url: &Url) -> String {
    match url.origin().is_tuple() {
        true => url.origin().ascii_serialization(),
        false => format!("a {}: page", url.scheme()),
    }
}

fn refusal(rule: &str, because: String) -> Decision {
    Decision { verdict: Verdict::Refuse, rule: rule.to_owned(), because }
}

fn decision(spoken: Spoken, site: Option<String>, does: &str) -> Decision {
    let Spoken { verdict, word, source } = spoken;
    let rule = format!("actions.{word} = {:?}", verdict.word());
    let (rule, table) = match site {
        Some(site) => (format!("site {site:?} {rule}"), "the actions of that [[site]]"),
        None => (source.rule(rule), "[actions]"),
    };
    let because = match verdict {
        Verdict::Ask => format!(
            "{does}, and the policy asks a person first; to allow it without asking, write {word} = \
             \"allow\" under {table}"
        ),
        _ => format!(
            "{does}, and the policy refuses that; to allow it, write {word} = \"allow\" under {table}"
        ),
    };
    Decision { verdict, rule, because }
}

fn kind_told(kind: Kind) -> &'static str {
    match kind {
        Kind::Read => "this reads the page",
        Kind::Navigate => "this goes to another page",
        Kind::Click => "this is a click",
        Kind::Type => "this enters something",
        Kind::Press => "this presses a key",
        Kind::Move => "this moves the pointer or the page",
        Kind::Upload => "this gives files to the page",
        Kind::Eval => "this runs a script of the caller's",
        Kind::Dialog => "this says yes to a dialog",
        Kind::Session => "this opens or closes tabs or sessions",
        Kind::File => "this reads a file of this machine",
    }
}

fn meaning_told(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Pay => "this pays or places an order",
        Meaning::Delete => "this deletes something, or cannot be undone",
        Meaning::Send => "this sends something to somebody",
        Meaning::Publish => "this makes something public",
        Meaning::Grant => "this grants somebody a right",
        Meaning::Credentials => "this changes how one signs in",
        Meaning::Upload => "this gives files away",
        Meaning::Leave => "this leaves a page with something that was not saved",
    }
}
