//! What names an element becomes a target in words that tools understand: kinds of controls under the
//! tools' names, ordinals in front, surroundings behind. Refuses what asks for judgement.

use super::english::English;
use super::fault::Fault;
use super::gap::{joined, ordinal};
use super::scene::Scene;
use super::token::{Kind, Token};

/// The target that these words name.
pub fn target(tokens: &[Token], scene: &Scene) -> Result<String, Fault> {
    if let [one] = tokens {
        match one.kind {
            Kind::Code => return Ok(one.text.clone()),
            Kind::Quoted if !one.text.trim().is_empty() => return Ok(quoted(&one.text)),
            Kind::Word if is_selector(&one.text) => return Ok(one.text.clone()),
            _ => {}
        }
    }
    if is_pronoun(tokens) {
        return scene.antecedent(tokens);
    }
    let (words, indefinite) = without_article(tokens);
    let words = without_pointing(words);
    let counted = words.first().filter(|word| word.kind == Kind::Word && words.len() > 1);
    let counted = counted.filter(|word| ordinal(&word.lower).is_some());
    let rest = if counted.is_some() { &words[1..] } else { words };
    if counted.is_some() && joined(rest) == "one" {
        let last = scene.antecedent(tokens)?;
        return Ok(format!("{} {}", words[0].lower, uncounted(&last)));
    }
    let name = named(rest)?;
    let open = indefinite && counted.is_none() && !name.starts_with("the ");
    if open && rest.iter().all(|word| !word.literal() && !word.capital()) {
        return Err(Fault::beyond(tokens, "say which one, by its name or its place"));
    }
    let kind_only = name.strip_prefix("the ").filter(|_| rest.iter().all(|t| !t.is("the")));
    Ok(match (counted, kind_only) {
        (Some(word), Some(kind)) => format!("{} {kind}", word.text),
        (Some(word), None) => format!("{} {name}", word.text),
        (None, Some(kind)) if indefinite => format!("first {kind}"),
        (None, _) => name,
    })
}

/// Both of two things, if that is what the words say: the first and the last.
pub fn both(tokens: &[Token]) -> Option<[String; 2]> {
    let (_, rest) = tokens.split_first().filter(|(first, _)| first.is("both"))?;
    let (rest, _) = without_article(rest);
    let plural = joined(rest);
    let single = plural.strip_suffix("es").filter(|one| kind(one).is_some());
    let kind = kind(single.or_else(|| plural.strip_suffix('s'))?)?;
    Some([format!("first {kind}"), format!("last {kind}")])
}

/// A target that surroundings can be added to.
pub fn placed(target: String, scope: Option<&str>) -> String {
    match scope {
        Some(scope) if !has_surroundings(&target) => format!("{target} next to {scope}"),
        _ => target,
    }
}

/// The name of surroundings: `the row with Oat milk` is known by `Oat milk`.
pub fn surroundings(tokens: &[Token], scene: &Scene) -> Result<String, Fault> {
    let english = English::get();
    let (words, _) = without_article(tokens);
    let container = words.first().is_some_and(|word| {
        english.has("containers", &word.lower) || english.has("records", &word.lower)
    });
    let joint = words.get(1).is_some_and(|word| {
        ["with", "containing"].contains(&&*word.lower) || english.has("belonging", &word.lower)
    });
    if container && joint && words.len() > 2 {
        return target(&words[2..], scene);
    }
    let container = words.last().is_some_and(|word| english.has("containers", &word.lower));
    match container && words.len() > 1 {
        true => target(&words[..words.len() - 1], scene),
        false => target(tokens, scene),
    }
}

/// Whether the words mean what was spoken of last.
pub fn is_pronoun(tokens: &[Token]) -> bool {
    matches!(tokens, [one] if one.kind == Kind::Word && English::get().has("pronouns", &one.lower))
}

/// Whether the words only name what is in front anyway: the page, the dialog.
pub fn is_stage(tokens: &[Token]) -> bool {
    let (words, _) = without_article(tokens);
    let skipped = usize::from(words.first().is_some_and(|w| w.is("whole") || w.is("entire")));
    English::get().has("stages", &joined(&words[skipped..]))
}

/// A name that is meant to the letter: read again, it is one quoted text, whatever is in it. Line breaks are
/// spaces then, and a text with every kind of quote in it loses the plain ones.
pub fn quoted(text: &str) -> String {
    let line = text.replace("\r\n", " ").replace(['\n', '\r'], " ");
    let fitting = [('"', '"'), ('“', '”'), ('«', '»')];
    match fitting.into_iter().find(|(_, close)| !line.contains(*close)) {
        Some((open, close)) => format!("{open}{line}{close}"),
        None => format!("\"{}\"", line.replace('"', "")),
    }
}

/// A page's own name for something, without what could be taken for the end of a quote.
pub fn quoted_name(name: &str) -> Option<String> {
    let bare: String = name.chars().filter(|letter| !"\"“”„«»`".contains(*letter)).collect();
    let words: Vec<&str> = bare.split_whitespace().collect();
    (!words.is_empty()).then(|| quoted(&words.join(" ")))
}

/// Words as they were said, with single spaces, what was quoted in quotes.
pub fn said(tokens: &[Token]) -> String {
    let mut out = String::new();
    for token in tokens {
        if !out.is_empty() && token.kind != Kind::Mark {
            out.push(' ');
        }
        match token.kind {
            Kind::Quoted => out.push_str(&quoted(&token.text)),
            _ => out.push_str(&token.text),
        }
    }
    out
}

/// The words without an article, and whether it left open which one is meant.
pub fn without_article(tokens: &[Token]) -> (&[Token], bool) {
    let english = English::get();
    match tokens.split_first() {
        Some((first, rest))
            if first.kind == Kind::Word
                && !rest.is_empty()
                && english.has("articles", &first.lower)
                && (!first.capital() || first.is("the")) =>
        {
            (rest, english.has("indefinite", &first.lower))
        }
        _ => (tokens, false),
    }
}

/// What people call a kind of control, in the tools' word for it.
pub fn kind(said: &str) -> Option<&'static str> {
    let english = English::get();
    let bare = english.bare.get(said).map(String::as_str);
    let kinds = english.kinds.iter();
    bare.or_else(|| kinds.clone().find(|(words, _)| words.join(" ") == said).map(|(_, k)| &**k))
}

fn named(words: &[Token]) -> Result<String, Fault> {
    if let Some((head, name)) = named_by(words) {
        one_thing(words)?;
        let (core, _) = at_relation(head);
        judge(name)?;
        return Ok(match kind(&joined(core)) {
            Some(kind) => format!("{} {kind}", said(name)),
            None => said(name),
        });
    }
    judge(words)?;
    if let Some(name) = belonging(words) {
        return Ok(said(name));
    }
    // One word with a capital letter is a name: a field may be called Date.
    let common = plain(words) && (words.len() > 1 || !words.iter().any(Token::capital));
    if let Some(kind) = kind(&joined(words)).filter(|_| common) {
        return Ok(format!("the {kind}"));
    }
    let (head, tail) = at_relation(words);
    if !tail.is_empty() {
        let shown = head_words(head);
        return Ok(match around(tail) {
            Some(tail) => format!("{shown} {tail}"),
            None => match kind(&shown) {
                Some(kind) => format!("the {kind}"),
                None => shown,
            },
        });
    }
    let words = head_words(words);
    Ok(if English::get().has("tags", &words) { format!("the {words}") } else { words })
}

/// Kinds under the tools' names: `text field "Email"` is `"Email" textbox`.
fn head_words(words: &[Token]) -> String {
    if let [name, thing] = words
        && name.literal()
        && English::get().has("things", &thing.lower)
    {
        let kind = kind(&name.text.to_lowercase());
        return kind.map_or_else(|| said(&words[..1]), |kind| format!("the {kind}"));
    }
    for (called, kind) in &English::get().kinds {
        let length = called.len();
        if length >= words.len() || kind == "date" || kind == "time" {
            continue;
        }
        let (head, last) = words.split_at(words.len() - length);
        if last.iter().map(|word| &word.lower).eq(called) && last.iter().all(|w| !w.literal()) {
            return format!("{} {kind}", said(head));
        }
        let (first, name) = words.split_at(length);
        if length > 1 && first.iter().map(|word| &word.lower).eq(called) {
            return format!("{} {kind}", said(name));
        }
    }
    said(words)
}

/// What a thing is called, where that is said: `the button labeled "No"`.
fn named_by(words: &[Token]) -> Option<(&[Token], &[Token])> {
    for naming in English::get().list("naming") {
        let parts: Vec<&str> = naming.split(' ').collect();
        let places = 1..words.len().saturating_sub(parts.len());
        for at in places {
            let here = &words[at..at + parts.len()];
            if here.iter().zip(&parts).all(|(word, part)| word.is(part)) {
                return Some((&words[..at], &words[at + parts.len()..]));
            }
        }
    }
    let english = English::get();
    let lists = ["things", "containers", "records"];
    let thing =
        words.first().filter(|word| lists.iter().any(|list| english.has(list, &word.lower)))?;
    let named = words.len() == 2 && words[1].literal() && thing.kind == Kind::Word;
    named.then(|| words.split_at(1))
}

/// Whose or which a record is: `email by Helena`, `user @jane`.
fn belonging(words: &[Token]) -> Option<&[Token]> {
    let english = English::get();
    let (first, rest) = words.split_first()?;
    let (second, name) = rest.split_first()?;
    if first.kind != Kind::Word || !english.has("records", &first.lower) || first.capital() {
        return None;
    }
    if !name.is_empty() && second.kind == Kind::Word && english.has("belonging", &second.lower) {
        return Some(without_article(name).0);
    }
    let proper = second.literal() || second.capital() || second.text.starts_with('@');
    proper.then_some(rest)
}

/// Cuts before the first word that says where something is.
fn at_relation(words: &[Token]) -> (&[Token], &[Token]) {
    let english = English::get();
    let place = words.iter().enumerate().skip(1).find(|(_, word)| {
        word.kind == Kind::Word && english.has("relations", &word.lower) && !word.capital()
    });
    match place {
        Some((at, _)) if at + 1 < words.len() => words.split_at(at),
        _ => (words, &[]),
    }
}

/// Where something is, in the tools' words; nothing if it is only in front.
fn around(tail: &[Token]) -> Option<String> {
    let english = English::get();
    let (relation, rest) = tail.split_at(1);
    let (inner, _) = without_article(rest);
    if is_stage(inner) {
        return None;
    }
    let counted = inner.len() == 2 && ordinal(&inner[0].lower).is_some();
    let named = inner.len() > 1 && !counted && inner.iter().all(|word| !word.is("with"));
    let container = inner.last().filter(|last| english.has("containers", &last.lower));
    if named && container.is_some_and(|last| last.kind == Kind::Word && !last.capital()) {
        return Some(format!("{} {}", relation[0].text, said(&inner[..inner.len() - 1])));
    }
    Some(format!("{} {}", relation[0].text, said(rest)))
}

/// Refuses what asks for judgement, and what is more than one thing. A name that begins with a capital
/// letter may hold words that would ask for it elsewhere: "Show all".
pub fn judge(words: &[Token]) -> Result<(), Fault> {
    let english = English::get();
    let Some(first) = words.first() else { return Ok(()) };
    one_thing(words)?;
    let name = first.kind == Kind::Word && first.capital();
    let particle = english.has("particles", &first.lower) && first.kind == Kind::Word && !name;
    let asks = |word: &Token| {
        word.kind == Kind::Word
            && (english.has("judging", &word.lower) && !name
                || english.has("conditions", &word.lower) && !word.capital())
    };
    if words.iter().any(asks) || words.len() > 12 || particle {
        let repeats = words.iter().any(|word| word.is("until") && !word.capital());
        let hint = match repeats {
            true => "say what has to appear or disappear: click Next until Oslo appears",
            false => "put names in quotes, such as click \"Show all\", or say exactly which one",
        };
        return Err(Fault::beyond(words, hint));
    }
    if english.has("missing", &joined(words)) {
        return Err(Fault::beyond(
            words,
            "tabs and windows are not opened by an instruction; go to an address",
        ));
    }
    Ok(())
}

/// The hint where what is joined by "and" is not one name.
pub const EACH_WITH_A_VERB: &str = "begin each thing to do with a verb, and put names in quotes";

/// Refuses what cannot be one name for what stands behind its "and".
fn one_thing(words: &[Token]) -> Result<(), Fault> {
    let english = English::get();
    let joint = words.iter().position(|word| word.is("and") || word.is("&"));
    let Some(joint) = joint else { return Ok(()) };
    let after = &words[joint + 1..];
    let clause = |word: &Token| {
        word.literal()
            || english.has("articles", &word.lower)
            || english.has("pronouns", &word.lower)
    };
    if after.iter().any(clause) || after.len() > 3 || words[..joint].iter().any(Token::literal) {
        return Err(Fault::beyond(after, EACH_WITH_A_VERB));
    }
    Ok(())
}

fn without_pointing(words: &[Token]) -> &[Token] {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() && English::get().has("pointing", &last.lower) => {
            rest
        }
        _ => words,
    }
}

fn plain(words: &[Token]) -> bool {
    words.iter().all(|word| word.kind == Kind::Word)
}

/// A target without a place in a row.
fn uncounted(target: &str) -> &str {
    match target.split_once(' ') {
        Some((first, rest)) if ordinal(&first.to_lowercase()).is_some() => rest,
        _ => target.strip_prefix("the ").unwrap_or(target),
    }
}

fn has_surroundings(target: &str) -> bool {
    let outside: String = target.split('"').step_by(2).collect::<Vec<_>>().join("\"");
    let relation = |word: &str| English::get().has("relations", word);
    outside.split_whitespace().skip(1).any(relation) || is_selector(target)
}

/// What only a selector or a ref looks like.
fn is_selector(word: &str) -> bool {
    let prefixed = ["css=", "xpath=", "role=", "text=", "//", "(//", "point="];
    let number = word.strip_prefix('e').is_some_and(|rest| rest.parse::<u32>().is_ok());
    let css = word.len() > 1 && word.starts_with(['#', '.', '[']);
    let counted = word.strip_prefix('#').is_some_and(|rest| rest.parse::<u32>().is_ok());
    prefixed.iter().any(|prefix| word.starts_with(prefix)) || number || css && !counted
}
