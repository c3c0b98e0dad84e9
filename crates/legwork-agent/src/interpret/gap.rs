//! What may stand in the gaps of a pattern. Only looks at the form of the words; what they mean is for
//! [`super::phrase`] and [`super::mean`].

use super::english::English;
use super::list::split;
use super::place;
use super::token::{Kind, Token};

/// A gap, by what fills it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Gap {
    /// What names an element.
    Target,
    /// What names one or more.
    Targets,
    /// `the second one`.
    One,
    /// The name of a tab in the page.
    Tabname,
    /// A text to be entered.
    Value,
    /// Options, parted by commas.
    Values,
    /// A text in quotes.
    Quoted,
    /// What the quoted text beside it is: `the username`.
    Label,
    /// Fields that are only named together.
    Plural,
    /// A number.
    Number,
    /// A place in a row.
    Ordinal,
    /// An address.
    Url,
    /// A key or chord.
    Key,
    /// A span of time.
    Time,
    /// A file.
    File,
    /// `File > Export`.
    Path,
    /// Anything, in words.
    What,
    /// `markdown`, `text`.
    Form,
    /// What a preference is about.
    Topic,
}

impl Gap {
    /// The gap of a name.
    pub fn named(name: &str) -> Result<Gap, String> {
        Ok(match name {
            "target" => Gap::Target,
            "targets" => Gap::Targets,
            "one" => Gap::One,
            "tabname" => Gap::Tabname,
            "value" => Gap::Value,
            "values" => Gap::Values,
            "quoted" => Gap::Quoted,
            "label" => Gap::Label,
            "plural" => Gap::Plural,
            "number" => Gap::Number,
            "ordinal" => Gap::Ordinal,
            "url" => Gap::Url,
            "key" => Gap::Key,
            "time" => Gap::Time,
            "file" => Gap::File,
            "path" => Gap::Path,
            "what" => Gap::What,
            "form" => Gap::Form,
            "topic" => Gap::Topic,
            other => return Err(format!("there is no gap {other:?}")),
        })
    }

    /// Whether these tokens may stand in it.
    pub fn takes(self, tokens: &[Token]) -> bool {
        let only = match tokens {
            [one] => Some(one),
            _ => None,
        };
        let comma = tokens.iter().any(|token| token.mark(","));
        match self {
            Gap::Target => !comma && edges(tokens) && !self.is_path(tokens),
            Gap::Targets => edges(tokens) && !self.is_path(tokens),
            Gap::Values => {
                edges(tokens) && split(tokens).0.iter().all(|part| Gap::Value.takes(part))
            }
            Gap::Tabname => !comma && edges(tokens) && !ordinal_words(tokens),
            Gap::One => ordinal_words(tokens) && tokens.last().is_some_and(|last| last.is("one")),
            Gap::Label => !comma && edges(tokens) && tokens.iter().all(|t| t.kind == Kind::Word),
            Gap::Value => match tokens.iter().filter(|token| token.literal()).count() {
                0 => edges(tokens),
                _ => only.is_some(),
            },
            Gap::Quoted => only.is_some_and(|one| one.kind == Kind::Quoted),
            Gap::Plural => English::get().has("plural_fields", &joined(tokens)),
            Gap::Number => only.is_some_and(|one| number(one).is_some()),
            Gap::Ordinal => only.is_some_and(|one| ordinal(&one.lower).is_some()),
            Gap::Url => only.is_some_and(|one| place::looks_like_one(&one.text)),
            Gap::Key => key(tokens).is_some(),
            Gap::Time => time(tokens).is_some(),
            Gap::File => only.is_some_and(|one| one.literal() || one.text.contains(['.', '/'])),
            Gap::Path => self.is_path(tokens),
            Gap::What => edges(tokens),
            Gap::Form => only.is_some_and(|one| matches!(&*one.lower, "markdown" | "text")),
            Gap::Topic => only.is_some_and(|one| one.kind == Kind::Word && !one.mark(",")),
        }
    }

    /// Steps through a menu: `File > Export`.
    fn is_path(self, tokens: &[Token]) -> bool {
        let arrow =
            |token: &Token| token.kind == Kind::Word && token.text.contains(['>', '›', '→']);
        let code =
            |token: &Token| token.text.starts_with(['.', '#', '[']) || token.text.contains('=');
        tokens.iter().any(arrow) && !tokens.iter().any(code)
    }
}

/// No mark and no joint at either end.
fn edges(tokens: &[Token]) -> bool {
    let whole = |token: Option<&Token>| {
        token.is_some_and(|token| token.kind != Kind::Mark && !token.is("and") && !token.is("&"))
    };
    whole(tokens.first()) && whole(tokens.last())
}

fn ordinal_words(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.kind == Kind::Word && ordinal(&token.lower).is_some())
}

/// Words in small letters with single spaces.
pub fn joined(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.lower.as_str()).collect::<Vec<_>>().join(" ")
}

/// A number as it is written, in digits.
pub fn number(token: &Token) -> Option<f64> {
    let text = token.text.replace('−', "-");
    let digits = text.chars().all(|c| c.is_ascii_digit() || "+-.".contains(c));
    digits.then(|| text.parse().ok()).flatten()
}

/// `second`, `2nd`, `last` as words that tools know.
pub fn ordinal(word: &str) -> Option<String> {
    if word == "last" || English::get().has("ordinals", word) {
        return Some(word.to_owned());
    }
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = &word[digits.len()..];
    let counted = matches!(ending, "st" | "nd" | "rd" | "th") && digits.parse::<u32>().is_ok();
    counted.then(|| word.to_owned())
}

/// A key or chord as it is pressed: `ctrl+a` is `Control+A`.
pub fn key(tokens: &[Token]) -> Option<String> {
    if tokens.iter().any(|token| token.kind != Kind::Word) {
        return None;
    }
    let english = English::get();
    let said = joined(tokens).replace(" + ", "+").replace(" plus ", "+");
    if let Some(key) = english.keys.get(&said) {
        return Some(key.clone());
    }
    let mut parts: Vec<&str> = said.split('+').collect();
    let last = parts.pop().filter(|last| !last.is_empty())?;
    let held = parts.iter().map(|part| english.modifiers.get(*part).cloned());
    let held = held.collect::<Option<Vec<String>>>()?;
    let function = last.strip_prefix('f').and_then(|rest| rest.parse::<u8>().ok());
    let pressed = match english.keys.get(last) {
        Some(key) => key.clone(),
        None if function.is_some_and(|number| (1..=12).contains(&number)) => last.to_uppercase(),
        None if !held.is_empty() && last.chars().count() == 1 => last.to_uppercase(),
        None => return None,
    };
    Some(held.into_iter().chain([pressed]).collect::<Vec<_>>().join("+"))
}

/// A span of time as tools write it: `2 seconds` is `2s`.
pub fn time(tokens: &[Token]) -> Option<String> {
    let english = English::get();
    let said = joined(tokens);
    if let Some(span) = english.spans.get(&said) {
        return Some(span.clone());
    }
    let split = said.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(said.len());
    let amount: f64 = said[..split].parse().ok()?;
    let unit = f64::from(*english.units.get(said[split..].trim())?);
    let millis = amount * unit;
    match millis % 1000.0 == 0.0 {
        true => Some(format!("{}s", millis / 1000.0)),
        false => Some(format!("{millis:.0}ms")),
    }
}
