//! Chat Completions, as OpenAI-compatible servers speak it: Ollama, llama.cpp, vLLM, gateways. They differ in what
//! they leave out, so little is taken for granted.
//! <https://platform.openai.com/docs/api-reference/chat>

mod by_schema;
mod reply;
mod request;

use self::by_schema::Object;
use self::reply::Completion;
use self::request::Server;
use super::choose::{Calls, Chosen};
use super::http::Post;
use super::{Abilities, Asking, Heard, Model, Price, Request};

/// Where the server's own pieces are in [`Answer::raw`](super::Answer).
const RAW: &str = "chat";

/// A model behind a server that speaks Chat Completions.
pub(crate) struct Chat {
    chosen: Chosen,
}

impl Chat {
    pub(crate) fn new(chosen: Chosen) -> Chat {
        Chat { chosen }
    }

    fn vision(&self) -> bool {
        self.chosen.vision.unwrap_or_else(|| reads_pictures(&self.chosen.wire_name))
    }
}

impl Model for Chat {
    fn name(&self) -> &str {
        &self.chosen.name
    }

    fn abilities(&self) -> Abilities {
        let window = self.chosen.window;
        Abilities { vision: self.vision(), computer: false, schema: true, window }
    }

    fn price(&self) -> Option<Price> {
        self.chosen.price
    }

    fn ask<'a>(&'a self, request: &'a Request, heard: &'a Heard) -> Asking<'a> {
        Box::pin(async move {
            let by_schema = self.chosen.calls == Calls::Schema && !request.tools.is_empty();
            let request = match by_schema {
                true => &by_schema::without_tools(request),
                false => request,
            };
            let Chosen { wire_name: model, http, streaming, bare_schema, .. } = &self.chosen;
            let (vision, stream) = (self.vision(), *streaming);
            let body = request::write(
                request,
                &Server { model, vision, stream, bare_schema: *bare_schema },
            );
            let (path, deadline) = ("chat/completions", request.deadline);
            let post = Post { path, query: &[], headers: &[], body: &body, deadline };
            match by_schema {
                true => http.ask(post, heard, Object::default).await,
                false => http.ask(post, heard, Completion::default).await,
            }
        })
    }
}

/// Whether a name is that of a model that reads pictures. No server tells, so what is not known does not: a
/// picture makes a model that cannot read it fail.
fn reads_pictures(name: &str) -> bool {
    let name = name.to_lowercase();
    let small = ["270m", "1b"].iter().any(|size| name.contains(size));
    let known = [
        "vision",
        "llava",
        "-vl",
        "vl-",
        "2.5vl",
        "3vl",
        "pixtral",
        "minicpm-v",
        "moondream",
        "gpt-4o",
        "gpt-4.1",
        "gpt-5",
        "gpt-6",
        "claude",
        "gemini",
        "llama4",
        "llama-4",
        "qwen3.5",
    ];
    let gemma =
        ["gemma3", "gemma-3", "gemma4", "gemma-4"].iter().any(|family| name.contains(family));
    known.iter().any(|part| name.contains(part)) || (gemma && !small)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_reads_pictures_if_its_name_says_so() {
        for name in ["llava:7b", "qwen2.5vl:3b", "Qwen3-VL-8B", "gemma3:4b", "openai/gpt-4o"] {
            assert!(reads_pictures(name), "{name}");
        }
        for name in ["llama3.2", "qwen3:8b", "gemma3:270m", "gemma-3-270m-it", "smollm2"] {
            assert!(!reads_pictures(name), "{name}");
        }
    }
}
