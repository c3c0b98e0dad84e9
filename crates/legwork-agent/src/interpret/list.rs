//! Several things named at once: `A, B and C`.

use super::fault::Fault;
use super::phrase::{quoted, said, without_article};
use super::token::Token;

/// Reads each part of a list. Two unquoted names with nothing but "and" between them may as well be one
/// name ("Terms and conditions"), which is asked about.
pub fn parts<T>(
    tokens: &[Token],
    read: impl Fn(&[Token]) -> Result<T, Fault>,
    verb: &str,
    behind: &str,
) -> Result<Vec<T>, Fault> {
    let (parts, commas) = split(tokens);
    if parts.len() > 1 && !commas && doubtful(&parts) {
        let names: Vec<String> = parts.iter().map(|part| quoted(&said(part))).collect();
        let whole = quoted(&said(tokens));
        let message = format!("Is {whole} one name, or are these {}?", parts.len());
        let separate: Vec<String> =
            names.iter().map(|name| format!("{verb} {name}{behind}")).collect();
        let choices = vec![format!("{verb} {whole}{behind}"), separate.join(" and ")];
        return Err(Fault::doubt(tokens, message, choices));
    }
    parts.into_iter().map(read).collect()
}

/// The parts between commas and "and", and whether there are commas.
pub fn split(tokens: &[Token]) -> (Vec<&[Token]>, bool) {
    let joint = |token: &Token| token.mark(",") || token.is("and") || token.is("&");
    let parts = tokens.split(joint).filter(|part| !part.is_empty()).collect();
    (parts, tokens.iter().any(|token| token.mark(",")))
}

/// Whether the parts could be one name: none is quoted, and none after the first has an article.
pub fn doubtful(parts: &[&[Token]]) -> bool {
    let quoted = parts.iter().any(|part| part.iter().any(Token::literal));
    let articles = parts.iter().skip(1).any(|part| without_article(part).0.len() < part.len());
    !quoted && !articles
}
