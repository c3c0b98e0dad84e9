//! An action in words: `click "Pay now" button on https://shop.example to https://pay.example`.

use legwork_tools::engine::{ElementFacts, address};
use legwork_tools::{Facts, Kind, meanings};

/// Reads an action; what it means is worked out as it is for a real one.
pub(super) fn read(text: &str) -> Result<Facts, String> {
    let mut words = split(text)?.into_iter();
    let kind = match words.next() {
        Some(Word::Bare(word)) => kind(&word)?,
        _ => return Err(format!("an action begins with its kind: {}", kinds())),
    };
    let mut said = Said::default();
    while let Some(word) = words.next() {
        said.take(kind, word, &mut words)?;
    }
    said.facts(kind)
}

fn kinds() -> String {
    Kind::ALL.iter().map(|kind| kind.word()).collect::<Vec<_>>().join(", ")
}

fn kind(word: &str) -> Result<Kind, String> {
    let word = word.to_lowercase();
    let known = match word.as_str() {
        "open" | "go" | "goto" => Some(Kind::Navigate),
        "fill" | "select" => Some(Kind::Type),
        "snapshot" | "look" => Some(Kind::Read),
        "hover" | "scroll" => Some(Kind::Move),
        other => Kind::of(other),
    };
    known.ok_or_else(|| format!("{word:?} is no kind of action; the kinds are {}", kinds()))
}

enum Word {
    Bare(String),
    Quoted(String),
}

impl Word {
    fn text(self) -> String {
        match self {
            Word::Bare(text) | Word::Quoted(text) => text,
        }
    }
}

/// What a sentence says, as far as it was read.
#[derive(Default)]
struct Said {
    name: Option<String>,
    role: Option<String>,
    around: Option<String>,
    page: Option<String>,
    to: Option<String>,
    secrets: Vec<String>,
    files: Vec<String>,
}

impl Said {
    fn take(
        &mut self,
        kind: Kind,
        word: Word,
        rest: &mut impl Iterator<Item = Word>,
    ) -> Result<(), String> {
        let mut after = |word: &str| {
            rest.next()
                .map(Word::text)
                .ok_or_else(|| format!("something is missing after {word:?}"))
        };
        match word {
            Word::Quoted(name) => self.name = Some(name),
            Word::Bare(word) => match word.to_lowercase().as_str() {
                "on" => self.page = Some(after("on")?),
                "to" => self.to = Some(after("to")?),
                "in" => self.around = Some(after("in")?),
                "secret" => self.secrets.push(after("secret")?),
                "file" => self.files.push(after("file")?),
                "the" | "a" | "an" => {}
                _ if matches!(kind, Kind::Navigate | Kind::Session) => self.to = Some(word),
                role if role.chars().all(char::is_alphabetic) => self.role = Some(role.to_owned()),
                _ => {
                    return Err(format!("{word:?} is not understood; names are written in quotes"));
                }
            },
        }
        Ok(())
    }

    fn facts(self, kind: Kind) -> Result<Facts, String> {
        let to = self.to.as_deref().map(url).transpose()?;
        let page = self.page.as_deref().map(url).transpose()?;
        let usual = if to.is_some() { "link" } else { "button" };
        let acted = self.name.is_some() || self.role.is_some();
        let element = acted.then(|| ElementFacts {
            role: self.role.unwrap_or_else(|| usual.to_owned()),
            name: self.name.unwrap_or_default(),
            around: self.around.clone().unwrap_or_default(),
            link: to.clone(),
            document: page.clone().unwrap_or_default(),
            ..Default::default()
        });
        let read = |url: String| url.parse().map_err(|error| format!("{url}: {error}"));
        let facts = Facts {
            session: "default".into(),
            tool: "explain",
            kind,
            page: page.map(read).transpose()?,
            frame: None,
            to: to.map(read).transpose()?,
            element,
            files: self.files.into_iter().map(Into::into).collect(),
            secrets: self.secrets,
            dialog: self.around.filter(|_| kind == Kind::Dialog),
            profile: None,
            unsaved: false,
            resends: false,
            at: Some(std::time::SystemTime::now()),
            meanings: Vec::new(),
        };
        Ok(Facts { meanings: meanings(&facts), ..facts })
    }
}

/// An address as it would be opened; one that no tab shows is judged as it is.
fn url(text: &str) -> Result<String, String> {
    match address(text) {
        Ok(url) => Ok(url),
        Err(_) if text.contains(':') => Ok(text.to_owned()),
        Err(error) => Err(format!("{text:?} is no address: {error}")),
    }
}

/// Splits at blanks outside of quotes, of which there are several kinds.
fn split(text: &str) -> Result<Vec<Word>, String> {
    const QUOTES: &[(char, char)] = &[('"', '"'), ('\'', '\''), ('“', '”'), ('«', '»')];
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if let Some((_, close)) = QUOTES.iter().find(|(open, _)| *open == first) {
            let inside = &rest[first.len_utf8()..];
            let end =
                inside.find(*close).ok_or_else(|| format!("a quote is not closed: {rest}"))?;
            words.push(Word::Quoted(inside[..end].trim().to_owned()));
            rest = inside[end + close.len_utf8()..].trim_start();
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            words.push(Word::Bare(rest[..end].to_owned()));
            rest = rest[end..].trim_start();
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_becomes_facts() {
        let facts =
            read("click the “Pay now” button in \"Your order\" on shop.example/cart").unwrap();
        assert_eq!(facts.kind, Kind::Click);
        let element = facts.element.unwrap();
        assert_eq!(
            (element.role.as_str(), element.name.as_str(), element.around.as_str()),
            ("button", "Pay now", "Your order")
        );
        assert_eq!(facts.page.unwrap().as_str(), "https://shop.example/cart");
        assert_eq!(facts.meanings, [legwork_tools::Meaning::Pay]);
    }

    #[test]
    fn kinds_have_their_own_parts() {
        let open = read("open 0x7f.1").unwrap();
        assert_eq!((open.kind, open.to.unwrap().as_str()), (Kind::Navigate, "https://127.0.0.1/"));
        let script = read("navigate to javascript:alert(1)").unwrap();
        assert_eq!(script.to.unwrap().scheme(), "javascript");
        let link = read("click \"Terms\" on https://a.example to https://b.example").unwrap();
        assert_eq!(link.element.unwrap().role, "link");
        let typed = read("type \"Password\" textbox secret shop on https://a.example").unwrap();
        assert_eq!(typed.secrets, ["shop"]);
        let upload = read("upload file /tmp/a.pdf on https://a.example").unwrap();
        assert_eq!(upload.meanings, [legwork_tools::Meaning::Upload]);
        let dialog = read("dialog in \"Delete everything?\" on https://a.example").unwrap();
        assert_eq!(dialog.meanings, [legwork_tools::Meaning::Delete]);
    }

    #[test]
    fn what_is_not_understood_is_told() {
        for (text, message) in [
            ("", "begins with its kind"),
            ("\"Pay\"", "begins with its kind"),
            ("fly", "is no kind of action"),
            ("click \"Pay", "a quote is not closed"),
            ("click \"Pay\" on", "missing after \"on\""),
            ("click Pay-now on https://a.example", "names are written in quotes"),
            ("open http://", "http://"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
