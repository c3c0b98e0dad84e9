//! The assistant of every door: made as the configuration says, on the host that the door has.

mod feed;

use std::sync::Arc;

use legwork_agent::model::{Model, ModelError};
use legwork_agent::model::{ModelSettings, choose};
use legwork_agent::run::{Assistant, Settings};
use legwork_protocol::assistant::{Budget, Message, Payload, Reaction, UserResponse};
use legwork_protocol::{ToolError, ToolHost};
use legwork_tools::audit;
use serde::Deserialize;

use crate::config::Config;
pub use feed::Feeds;

/// What is wanted of an assistant beside what is configured.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// The model, if another than the configured one.
    pub model: Option<String>,
    /// What its runs may cost, if not as configured.
    pub budget: Option<Budget>,
}

/// An assistant that acts through this host.
pub async fn assistant(
    config: &Config,
    host: Arc<dyn ToolHost>,
    door: &'static str,
    wish: &Wish,
) -> Result<Assistant, ToolError> {
    let settings = Settings {
        model: model(config, wish.model.as_deref()).await?,
        budget: wish.budget.unwrap_or_else(|| config.budget()),
        assistance_timeout: Some(config.values.assistance_timeout),
        store: config.runs_folder(),
        door,
        // Questions of the policy reach people past the one who calls: see `approve`.
        person: None,
    };
    Assistant::new(host, settings).map_err(ToolError::from)
}

/// The model that was named, or the configured one; none if neither says so.
pub async fn model(
    config: &Config,
    named: Option<&str>,
) -> Result<Option<Arc<dyn Model>>, ToolError> {
    let values = &config.values;
    let Some(name) = named.or(values.model.as_deref()) else { return Ok(None) };
    let mut settings = ModelSettings::default();
    let provider = |name: &str| name.split(':').next().unwrap_or(name).to_owned();
    // Address and key are those of the configured model's provider; nobody else is to see the key.
    let others = values.model.as_deref().is_some_and(|own| provider(own) != provider(name));
    if let Some(url) = values.model_url.as_ref().filter(|_| !others) {
        let wrong = |error| ToolError::invalid(format!("model_url: {url:?} is no URL: {error}"));
        settings.base_url = Some(url.parse().map_err(wrong)?);
    }
    if let Some(source) = values.model_key.as_ref().filter(|_| !others) {
        let key = source.0.read().await;
        let key = key.map_err(|reason| ToolError::invalid(format!("model_key: {reason}")))?;
        settings.keys.insert(provider(name), key);
    }
    choose(name, &settings).map(Some).map_err(unusable)
}

/// A model whose name or key is of no use.
pub fn unusable(error: ModelError) -> ToolError {
    let hint = match &error {
        ModelError::Key { .. } => "see docs/models.md; without --model, only the grammar is asked",
        _ => "docs/models.md lists the providers and how their models are named",
    };
    ToolError::invalid(error.to_string()).with_hint(hint)
}

/// The answer to what is no message: of the request that it names, if it names one.
pub fn no_message(text: &str, error: &serde_json::Error) -> Message {
    #[derive(Default, Deserialize)]
    struct Named {
        #[serde(rename = "requestId")]
        request_id: String,
    }
    let Named { request_id } = serde_json::from_str(text).unwrap_or_default();
    let error = ToolError::invalid(format!("this is no message: {error}"));
    Message { request_id, payload: Payload::Error(error) }
}

/// What a person answers now.
pub fn answered(request_id: &str, response: Reaction) -> UserResponse {
    let timestamp = audit::ago(Default::default());
    UserResponse { request_id: request_id.to_owned(), response, timestamp }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_answered_by_the_name_of_its_request() {
        for (text, expected) in [
            (r#"{"requestId":"x1","type":"USER_ASSISTANCE","payload":{"response":1}}"#, "x1"),
            (r#"{"type":"EXECUTE_TASK"}"#, ""),
            (r#"{"requestId":7}"#, ""),
            ("hello", ""),
        ] {
            let error = serde_json::from_str::<Message>(text).unwrap_err();
            let answer = no_message(text, &error);
            assert_eq!(answer.request_id, expected, "{text}");
            assert!(matches!(answer.payload, Payload::Error(_)), "{text}");
        }
    }
}
