//! `--model provider:name` becomes a model to ask: which server, which key, which adapter. Knows every
//! provider and no format.

mod options;
mod provider;

use std::collections::BTreeMap;
use std::sync::Arc;

use secrecy::SecretString;
use url::Url;

use self::provider::{Kind, Provider};
use super::chat::Chat;
use super::http::{Http, Key};
use super::openai::OpenAi;
use super::price;
use super::{Model, ModelError, Price};

/// Where variables are looked up.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What is set about models besides their name.
#[derive(Clone)]
pub struct ModelSettings {
    /// Keys by provider (`openai`, `anthropic`, `gemini`, `chat`, `ollama`, `llamacpp`), which come before
    /// those of the environment.
    pub keys: BTreeMap<String, SecretString>,
    /// A server to ask instead of the provider's own.
    pub base_url: Option<Url>,
    /// The environment: the process's, unless a test says otherwise.
    pub environment: Environment,
    /// What models cost, by name (`openai:gpt-5.4`, or `gpt-5.4` at any provider), where it is not as listed.
    pub prices: BTreeMap<String, Price>,
    /// Whether the model reads pictures, where its name does not tell.
    pub vision: Option<bool>,
    /// Tokens that fit, where it is not known or the server was started with fewer.
    pub window: Option<u64>,
    /// How tools are called, where it is not as the provider usually has it. Only servers that speak Chat
    /// Completions know more than one way.
    pub calls: Option<Calls>,
    /// Whether answers are heard while they come.
    pub streaming: bool,
}

impl Default for ModelSettings {
    fn default() -> ModelSettings {
        ModelSettings {
            keys: BTreeMap::new(),
            base_url: None,
            environment: Arc::new(|name| std::env::var(name).ok()),
            prices: BTreeMap::new(),
            vision: None,
            window: None,
            calls: None,
            streaming: true,
        }
    }
}

/// How a model calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// As its server has it.
    Native,
    /// As an object that a JSON Schema holds it to: for small models, and for servers without tools.
    Schema,
}

/// What an adapter is made of.
pub(crate) struct Chosen {
    /// As it was chosen: `openai:gpt-5.4`.
    pub(crate) name: String,
    /// As its server calls it: `gpt-5.4`.
    pub(crate) wire_name: String,
    pub(crate) http: Http,
    pub(crate) price: Option<Price>,
    /// Tokens that fit, where known.
    pub(crate) window: Option<u64>,
    pub(crate) vision: Option<bool>,
    pub(crate) calls: Calls,
    /// Whether schemas go in llama.cpp's own form, which all of its servers know.
    pub(crate) bare_schema: bool,
    pub(crate) streaming: bool,
}

/// The model of a name like `openai:gpt-5.4`, ready to be asked. Asks nobody yet. Behind the name may stand what
/// is particular about it: `ollama:qwen3:8b?window=32768`.
pub fn choose(name: &str, settings: &ModelSettings) -> Result<Arc<dyn Model>, ModelError> {
    let (name, settings) = &options::read(name, settings)?;
    let (provider, model) = provider::named(name)?;
    let (base, paired) = provider.base(settings)?;
    let http = Http::new(name, base, provider.key(name, settings, paired)?)?;
    let listed = price::of(provider.prices, model);
    let set = settings.prices.get(*name).or_else(|| settings.prices.get(model));
    let chosen = Chosen {
        name: (*name).into(),
        wire_name: model.into(),
        http,
        price: set.copied().or(listed.map(|listed| listed.price)),
        window: settings.window.or(listed.and_then(|listed| listed.window)),
        vision: settings.vision,
        calls: settings.calls.unwrap_or(provider.calls),
        bare_schema: provider.bare_schema,
        streaming: settings.streaming,
    };
    match provider.kind {
        Kind::Responses => Ok(Arc::new(OpenAi::new(chosen))),
        Kind::Chat => Ok(Arc::new(Chat::new(chosen))),
        Kind::Anthropic | Kind::Gemini => {
            let provider = provider.name;
            Err(ModelError::Unknown(format!("{name}: models of {provider} are not built in yet")))
        }
    }
}

impl Provider {
    /// The server, and whether it came from the variable that the provider's key belongs to.
    fn base(&self, settings: &ModelSettings) -> Result<(Url, bool), ModelError> {
        if let Some(url) = &settings.base_url {
            return Ok((url.clone(), false));
        }
        let set = self.base_variables.iter().find_map(|variable| {
            let value = (settings.environment)(variable)?;
            (!value.trim().is_empty()).then(|| (*variable, value.trim().to_string()))
        });
        let (whence, text) = match (set, self.base) {
            (Some((variable, value)), _) => (Some(variable), value),
            (None, Some(base)) => (None, base.into()),
            (None, None) => return Err(ModelError::Unknown(self.no_base())),
        };
        let url = if self.bare_host { with_scheme(&text) } else { text };
        let unreadable = |error| {
            let whence = whence.unwrap_or("the base URL");
            ModelError::Unknown(format!("{whence} is not a URL: {error}"))
        };
        Ok((url.parse().map_err(unreadable)?, whence.is_some()))
    }

    fn no_base(&self) -> String {
        let (name, variables) = (self.name, self.base_variables.join(" or "));
        format!(
            "{name}: has no server of its own; give a base URL in the configuration or in {variables}"
        )
    }

    /// The key, if there is one. A key of the environment goes only to the server it was set for.
    fn key(
        &self,
        model: &str,
        settings: &ModelSettings,
        paired: bool,
    ) -> Result<Option<Key>, ModelError> {
        let mut keys = settings.keys.iter();
        let given = keys.find(|(provider, _)| self.is_called(provider)).map(|(_, key)| key.clone());
        let from_environment = || {
            let variables =
                self.key_variables.iter().filter(|_| paired || !self.pairs_key_with_base);
            let mut values = variables.filter_map(|variable| (settings.environment)(variable));
            values.find(|value| !value.trim().is_empty())
        };
        let value = given.or_else(|| from_environment().map(|value| value.trim().into()));
        let sought = self.sought();
        match value {
            Some(value) => {
                let (header, prefix) = (self.key_header, self.key_prefix);
                Ok(Some(Key { value, header, prefix, sought }))
            }
            None if self.key_needed => {
                let message = format!("there is no key; {sought}");
                Err(ModelError::Key { model: model.into(), message })
            }
            None => Ok(None),
        }
    }

    /// Where keys are looked for.
    fn sought(&self) -> String {
        let (name, variables) = (self.name, self.key_variables.join(" or "));
        let when = if self.pairs_key_with_base {
            format!(" (if the server came from {})", self.base_variables.join(" or "))
        } else {
            String::new()
        };
        format!(
            "keys of {name} are looked for in the configuration, the keyring and then in {variables}{when}"
        )
    }
}

/// `OLLAMA_HOST` is what Ollama listens on: often without a scheme, a port or the API's path, and `0.0.0.0`
/// where it listens to all.
fn with_scheme(host: &str) -> String {
    let url = if host.contains("://") { host.to_string() } else { format!("http://{host}") };
    let Ok(mut url) = url.parse::<Url>() else { return url };
    if url.host_str() == Some("0.0.0.0") && url.set_host(Some("127.0.0.1")).is_err() {
        return url.into();
    }
    let bare = !host.rsplit('/').next().unwrap_or_default().contains(':');
    if url.port().is_none() && url.scheme() == "http" && bare && url.set_port(Some(11434)).is_err()
    {
        return url.into();
    }
    if url.path() == "/" {
        url.set_path("/v1");
    }
    url.into()
}

#[cfg(test)]
mod tests;
