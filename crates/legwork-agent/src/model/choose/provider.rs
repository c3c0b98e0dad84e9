//! Who serves models: a flat list, and how a name is found in it.

use super::super::ModelError;
use super::Calls;
use strsim::osa_distance;

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Responses,
    Chat,
    Anthropic,
    Gemini,
}

/// Who serves models.
#[derive(Debug)]
pub(super) struct Provider {
    pub(super) name: &'static str,
    also: &'static [&'static str],
    pub(super) kind: Kind,
    pub(super) base: Option<&'static str>,
    pub(super) base_variables: &'static [&'static str],
    /// Whether these variables hold a host to complete.
    pub(super) bare_host: bool,
    pub(super) key_needed: bool,
    pub(super) key_variables: &'static [&'static str],
    /// Whether the key of the environment is meant only for the server of the environment.
    pub(super) pairs_key_with_base: bool,
    pub(super) key_header: &'static str,
    pub(super) key_prefix: &'static str,
    pub(super) calls: Calls,
    pub(super) bare_schema: bool,
    /// Whose list of prices holds, if any: who serves models at home asks for nothing.
    pub(super) prices: Option<&'static str>,
}

impl Provider {
    /// Whether it goes by this name.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let name = name.trim().to_lowercase();
        self.name == name || self.also.contains(&name.as_str())
    }
}

const CHAT: Provider = Provider {
    name: "chat",
    also: &["openai-compatible", "compatible"],
    kind: Kind::Chat,
    base: None,
    base_variables: &["OPENAI_BASE_URL"],
    bare_host: false,
    key_needed: false,
    key_variables: &["OPENAI_API_KEY"],
    pairs_key_with_base: true,
    key_header: "authorization",
    key_prefix: "Bearer ",
    calls: Calls::Native,
    bare_schema: false,
    prices: None,
};

const LLAMA: Provider = Provider {
    name: "llamacpp",
    also: &["llama.cpp", "llama-cpp"],
    base: Some("http://127.0.0.1:8080/v1"),
    base_variables: &["LLAMACPP_BASE_URL"],
    key_variables: &["LLAMA_API_KEY"],
    pairs_key_with_base: false,
    bare_schema: true,
    ..CHAT
};

/// All of them.
pub(super) const PROVIDERS: &[Provider] = &[
    Provider {
        name: "openai",
        also: &[],
        kind: Kind::Responses,
        base: Some("https://api.openai.com/v1"),
        key_needed: true,
        pairs_key_with_base: false,
        prices: Some("openai"),
        ..CHAT
    },
    Provider {
        name: "anthropic",
        also: &["claude"],
        kind: Kind::Anthropic,
        base: Some("https://api.anthropic.com"),
        base_variables: &["ANTHROPIC_BASE_URL"],
        key_needed: true,
        key_variables: &["ANTHROPIC_API_KEY"],
        pairs_key_with_base: false,
        key_header: "x-api-key",
        key_prefix: "",
        prices: Some("anthropic"),
        ..CHAT
    },
    Provider {
        name: "gemini",
        also: &["google"],
        kind: Kind::Gemini,
        base: Some("https://generativelanguage.googleapis.com"),
        base_variables: &["GOOGLE_GEMINI_BASE_URL"],
        key_needed: true,
        key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        pairs_key_with_base: false,
        key_header: "x-goog-api-key",
        key_prefix: "",
        prices: Some("gemini"),
        ..CHAT
    },
    CHAT,
    Provider {
        name: "ollama",
        also: &[],
        base: Some("http://127.0.0.1:11434/v1"),
        base_variables: &["OLLAMA_HOST"],
        bare_host: true,
        key_variables: &["OLLAMA_API_KEY"],
        pairs_key_with_base: false,
        ..CHAT
    },
    LLAMA,
    Provider { name: "local", also: &[], calls: Calls::Schema, ..LLAMA },
];

/// The provider and the model of `provider:name`.
pub(super) fn named(name: &str) -> Result<(&'static Provider, &str), ModelError> {
    let unknown = |message: String| Err(ModelError::Unknown(message));
    let Some((provider, model)) = name.split_once(':') else {
        return unknown(format!("the model {name:?} names no provider: {}", hint(name)));
    };
    let Some(found) = PROVIDERS.iter().find(|known| known.is_called(provider)) else {
        let near = near(&provider.to_lowercase());
        return unknown(format!("{provider:?} is no provider of models: {near}"));
    };
    // The name becomes part of an address at some providers.
    let fine = |letter: char| letter.is_ascii_alphanumeric() || "-._:/@".contains(letter);
    if model.is_empty() || !model.chars().all(fine) || model.contains("..") {
        return unknown(format!("{model:?} cannot be a model; say {}:NAME", found.name));
    }
    Ok((found, model))
}

/// What a bare name was probably meant to be.
fn hint(name: &str) -> String {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let provider = match name {
        _ if begins(&["gpt", "o1", "o3", "o4", "chatgpt"]) => "openai",
        _ if begins(&["claude"]) => "anthropic",
        _ if begins(&["gemini"]) => "gemini",
        _ if begins(&["llama", "qwen", "mistral", "gemma", "smollm", "phi"]) => "ollama",
        _ => return format!("say provider:name with one of {}", all()),
    };
    format!("say {provider}:{name}")
}

/// The providers whose names are nearly this one, or all.
fn near(wanted: &str) -> String {
    let names = PROVIDERS.iter().flat_map(|p| std::iter::once(&p.name).chain(p.also));
    let close: Vec<_> = names.copied().filter(|name| osa_distance(name, wanted) <= 2).collect();
    if close.is_empty() {
        format!("there are {}", all())
    } else {
        format!("did you mean {}?", close.join(" or "))
    }
}

fn all() -> String {
    PROVIDERS.iter().map(|provider| provider.name).collect::<Vec<_>>().join(", ")
}
