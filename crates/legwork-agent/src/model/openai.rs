//! OpenAI's Responses API, with its computer tool. Nothing is kept at the server: every request carries the whole
//! conversation, the model's own pieces (its sealed reasoning among them) as it wrote them.
//! <https://platform.openai.com/docs/api-reference/responses>

mod computer;
mod reply;
mod request;
pub(crate) mod schema;

use self::reply::Response;
use super::choose::Chosen;
use super::http::Post;
use super::{Abilities, Asking, Heard, Model, Price, Request};

/// Where the vendor's pieces are in [`Answer::raw`](super::Answer), so that another adapter's are not taken for
/// ours.
const RAW: &str = "openai";

/// What stands between a computer call's id and the number of its action.
const PART: char = '#';

/// A model of OpenAI's.
pub(crate) struct OpenAi {
    chosen: Chosen,
}

impl OpenAi {
    pub(crate) fn new(chosen: Chosen) -> OpenAi {
        OpenAi { chosen }
    }
}

impl Model for OpenAi {
    fn name(&self) -> &str {
        &self.chosen.name
    }

    fn abilities(&self) -> Abilities {
        let family = Family::of(&self.chosen.wire_name);
        Abilities {
            vision: self.chosen.vision.unwrap_or(family.vision),
            computer: family.computer,
            schema: true,
            window: self.chosen.window,
        }
    }

    fn price(&self) -> Option<Price> {
        self.chosen.price
    }

    fn ask<'a>(&'a self, request: &'a Request, heard: &'a Heard) -> Asking<'a> {
        Box::pin(async move {
            let Chosen { wire_name: name, http, streaming, .. } = &self.chosen;
            let body = request::write(request, name, Family::of(name), *streaming);
            let scale = request::scale(request);
            let deadline = request.deadline;
            let post = Post { path: "responses", query: &[], headers: &[], body: &body, deadline };
            http.ask(post, heard, || Response::new(scale)).await
        })
    }
}

/// What a name tells of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Family {
    /// Thinks before it answers, and wants its thoughts back.
    reasons: bool,
    vision: bool,
    /// Knows the computer tool, which came with gpt-5.4.
    computer: bool,
}

impl Family {
    /// A name that is not known is taken for a new model.
    fn of(name: &str) -> Family {
        let name = name.strip_prefix("ft:").unwrap_or(name);
        let letter = name.strip_prefix('o').and_then(|rest| rest.chars().next());
        if letter.is_some_and(|letter| letter.is_ascii_digit()) {
            let vision = !name.contains("o1-mini") && !name.contains("o3-mini");
            return Family { reasons: true, vision, computer: false };
        }
        let Some(version) = name.strip_prefix("gpt-").and_then(version) else {
            return Family { reasons: !name.starts_with("chatgpt"), vision: true, computer: false };
        };
        let chat = name.contains("-chat");
        Family {
            reasons: version >= (5, 0) && !chat,
            vision: version >= (4, 1)
                || name.starts_with("gpt-4o")
                || name.starts_with("gpt-4-turbo"),
            computer: version >= (5, 4) && !chat && !name.contains("nano"),
        }
    }
}

/// `5.4-mini` is 5.4, `4o` is 4.0.
fn version(text: &str) -> Option<(u32, u32)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let number = &text[..end.unwrap_or(text.len())];
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_what_a_model_can_do() {
        let check = |name: &str, expected: &str| {
            let Family { reasons, vision, computer } = Family::of(name);
            let mut told = String::new();
            told += if reasons { "r" } else { "" };
            told += if vision { "v" } else { "" };
            told += if computer { "c" } else { "" };
            assert_eq!(told, expected, "{name}");
        };
        check("gpt-5.4", "rvc");
        check("gpt-5.4-mini-2026-03-17", "rvc");
        check("gpt-5.4-nano", "rv");
        check("gpt-6.1-sol", "rvc");
        check("gpt-5", "rv");
        check("gpt-5-chat-latest", "v");
        check("gpt-4.1", "v");
        check("gpt-4o-mini", "v");
        check("ft:gpt-4o-mini:mine", "v");
        check("gpt-3.5-turbo", "");
        check("gpt-4", "");
        check("o3", "rv");
        check("o3-mini", "r");
        check("something-new", "rv");
    }
}
