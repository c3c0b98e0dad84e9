//! The published protocol, as far as the check looks at it.

use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

/// All published domains.
#[derive(Deserialize)]
pub struct Published {
    domains: Vec<Domain>,
}

/// One published domain.
#[derive(Deserialize)]
pub struct Domain {
    domain: String,
    #[serde(default)]
    types: Vec<Schema>,
    #[serde(default)]
    commands: Vec<Message>,
    #[serde(default)]
    events: Vec<Message>,
}

/// A command or an event.
#[derive(Deserialize)]
pub struct Message {
    name: String,
    #[serde(default)]
    pub parameters: Vec<Schema>,
    #[serde(default)]
    pub returns: Vec<Schema>,
}

/// A type (which has an `id`), a field (which has a `name`) or what an array is made of.
#[derive(Deserialize)]
pub struct Schema {
    #[serde(default, alias = "id")]
    pub name: String,
    #[serde(default)]
    pub optional: bool,
    #[serde(rename = "type")]
    pub kind: Option<String>,
    #[serde(rename = "$ref")]
    pub reference: Option<String>,
    pub items: Option<Box<Schema>>,
    #[serde(default)]
    pub properties: Vec<Schema>,
}

impl Published {
    /// Reads the files of the npm package `devtools-protocol`.
    pub fn read(json_dir: &Path) -> anyhow::Result<Published> {
        let mut domains = Vec::new();
        for name in ["browser_protocol.json", "js_protocol.json"] {
            let path = json_dir.join(name);
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("{} cannot be read", path.display()))?;
            let part: Published = serde_json::from_str(&text)
                .with_context(|| format!("{} is not a protocol", path.display()))?;
            domains.extend(part.domains);
        }
        Ok(Published { domains })
    }

    pub fn domain(&self, name: &str) -> Option<&Domain> {
        self.domains.iter().find(|domain| domain.domain == name)
    }

    /// The type that `Domain.Name` names.
    pub fn resolve(&self, qualified: &str) -> Option<&Schema> {
        let (domain, name) = qualified.split_once('.')?;
        self.domain(domain)?.r#type(name)
    }
}

impl Domain {
    pub fn command(&self, name: &str) -> Option<&Message> {
        self.commands.iter().find(|command| command.name == name)
    }

    pub fn event(&self, name: &str) -> Option<&Message> {
        self.events.iter().find(|event| event.name == name)
    }

    pub fn r#type(&self, name: &str) -> Option<&Schema> {
        self.types.iter().find(|schema| schema.name == name)
    }
}
