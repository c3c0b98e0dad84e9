//! Texts that are entered: to the letter as they were said. Refuses those that only describe a text.

use super::english::English;
use super::fault::{Fault, span};
use super::scene::Scene;
use super::token::{Kind, Token};

/// The text that these words are.
pub fn text(tokens: &[Token], scene: &Scene) -> Result<String, Fault> {
    let Some(first) = tokens.first() else { return Ok(String::new()) };
    if first.literal() {
        return Ok(first.text.clone());
    }
    if super::phrase::is_pronoun(tokens) && !first.is("there") && scene.read.is_some() {
        return read(tokens, scene);
    }
    if first.is("my") && tokens.len() > 1 {
        return own(tokens, scene);
    }
    let english = English::get();
    let lists = ["articles", "pronouns", "describing"];
    if lists.iter().any(|list| english.has(list, &first.lower)) {
        return Err(Fault::beyond(tokens, "put the exact text in quotes"));
    }
    Ok(spelled(tokens))
}

/// "It" is what was read before, once it is read.
pub fn read(tokens: &[Token], scene: &Scene) -> Result<String, Fault> {
    let hint = "say first what to copy: copy the text in Notes and paste it into Comment";
    let read = scene.read.as_ref().ok_or_else(|| Fault::beyond(tokens, hint))?;
    Ok(format!("{{{{result:{read}}}}}"))
}

/// "My email" is what the person said it is.
fn own(tokens: &[Token], scene: &Scene) -> Result<String, Fault> {
    let topic = super::gap::joined(&tokens[1..]);
    scene.preferences.0.get(&topic).cloned().ok_or_else(|| {
        let message = format!("What is your {topic}?");
        Fault::doubt(tokens, message, Vec::new()).framed("\"", "\"")
    })
}

/// The words with the spaces and marks between them as they stood, as far as tokens know: one space
/// where there were some.
fn spelled(tokens: &[Token]) -> String {
    let mut out = String::new();
    let mut end = span(tokens).start;
    for token in tokens {
        if token.span.start > end {
            out.push(' ');
        }
        match token.kind {
            Kind::Mark if token.text == "\n" => {}
            _ => out.push_str(&token.text),
        }
        end = token.span.end;
    }
    out
}
