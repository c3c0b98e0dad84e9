//! What servers say when they refuse, as one short sentence, whichever way they write it.

use std::error::Error;

use serde::Deserialize;

/// The longest that is repeated of what a server says.
const MOST: usize = 400;

/// What a body says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// A sentence, or nothing.
    pub(super) words: String,
    /// The server's own code for it.
    pub(super) code: Option<String>,
}

/// The bodies of OpenAI, Anthropic, Gemini, Ollama, llama.cpp and FastAPI.
#[derive(Deserialize)]
#[serde(untagged)]
enum Body {
    Error { error: Complaint },
    Detail { detail: Details },
    Message { message: String },
    Several(Vec<Body>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Complaint {
    Words(String),
    Known { message: String, code: Option<Code> },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Code {
    Name(String),
    Number(i64),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Details {
    Words(String),
    Several(Vec<Detail>),
}

#[derive(Deserialize)]
struct Detail {
    msg: String,
}

/// Reads the body of a refusal.
pub(super) fn of_body(body: &[u8]) -> Said {
    match serde_json::from_slice::<Body>(body) {
        Ok(body) => of_json(body),
        Err(_) => Said { words: of_text(&String::from_utf8_lossy(body)), code: None },
    }
}

/// Reads an error of the connection: its innermost cause says the most, and none may name a URL.
pub(super) fn of_error(error: reqwest::Error) -> String {
    let error = error.without_url();
    let outer = error.to_string();
    let mut cause = error.source();
    let mut inner = None;
    while let Some(error) = cause {
        inner = Some(error.to_string());
        cause = error.source();
    }
    match inner {
        Some(inner) if !outer.contains(&inner) => short(&format!("{outer}: {inner}")),
        _ => short(&outer),
    }
}

fn of_json(body: Body) -> Said {
    let (words, code) = match body {
        Body::Error { error: Complaint::Words(words) } => (words, None),
        Body::Error { error: Complaint::Known { message, code } } => (message, code),
        Body::Detail { detail: Details::Words(words) } => (words, None),
        Body::Detail { detail: Details::Several(details) } => {
            (details.into_iter().map(|detail| detail.msg).collect::<Vec<_>>().join("; "), None)
        }
        Body::Message { message } => (message, None),
        Body::Several(bodies) => match bodies.into_iter().next() {
            Some(body) => return of_json(body),
            None => (String::new(), None),
        },
    };
    let code = code.map(|code| match code {
        Code::Name(name) => name,
        Code::Number(number) => number.to_string(),
    });
    Said { words: short(&words), code }
}

/// A gateway's page says what it has to say in its title.
fn of_text(text: &str) -> String {
    let title = text.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    match title {
        Some((title, _)) => short(title),
        None if text.trim_start().starts_with('<') => "it answers with a web page".into(),
        None => short(text),
    }
}

/// One line, not too long.
pub(super) fn short(text: &str) -> String {
    let text = text.replace(|letter: char| letter.is_control(), " ");
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_server_is_understood() {
        let check = |body: &str, words: &str, code: Option<&str>| {
            let said = Said { words: words.into(), code: code.map(str::to_string) };
            assert_eq!(of_body(body.as_bytes()), said, "{body}");
        };
        let openai = r#"{"error":{"message":"No such model.","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#;
        check(openai, "No such model.", Some("model_not_found"));
        let anthropic = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}"#;
        check(anthropic, "Overloaded", None);
        let gemini =
            r#"[{"error":{"code":400,"message":"Bad\n value","status":"INVALID_ARGUMENT"}}]"#;
        check(gemini, "Bad value", Some("400"));
        check(
            r#"{"error":"model not found, try pulling it"}"#,
            "model not found, try pulling it",
            None,
        );
        check(
            r#"{"detail":[{"loc":["body"],"msg":"field required","type":"x"}]}"#,
            "field required",
            None,
        );
        check(r#"{"detail":"Not Found"}"#, "Not Found", None);
        check(r#"{"message":"Unauthorized"}"#, "Unauthorized", None);
        check("<html><head><title>502 Bad Gateway</title></head></html>", "502 Bad Gateway", None);
        check("<!doctype html><p>oh", "it answers with a web page", None);
        check("upstream connect error\n\u{1b}[31mreset", "upstream connect error [31mreset", None);
        check("", "", None);
        check("[]", "", None);
    }

    #[test]
    fn a_long_complaint_is_cut_between_letters() {
        let words = of_body("ü".repeat(9000).as_bytes()).words;
        assert_eq!(words.chars().count(), MOST + 1);
    }
}
