//! The one list of keys: name, environment variable, default and what it is for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use legwork_tools::engine::Viewport;
use toml::de::DeValue;

use super::assistant::{Dollars, KeySource};
use super::policy::Policy;
use super::value::{Recording, Setting, ToolSet};

/// A key of the configuration.
#[derive(Debug)]
pub struct Key {
    /// Its name in the file.
    pub name: &'static str,
    /// Its environment variable.
    pub variable: &'static str,
    /// What it is for.
    pub about: &'static str,
}

macro_rules! keys {
    ($($key:ident: $kind:ty = $default:expr, $variable:literal, $about:literal;)*) => {
        /// What is in force.
        #[derive(Debug, Clone)]
        pub struct Values {
            $(#[doc = $about] pub $key: $kind,)*
        }

        impl Default for Values {
            fn default() -> Self {
                Values { $($key: $default,)* }
            }
        }

        /// All keys.
        pub const KEYS: &[Key] =
            &[$(Key { name: stringify!($key), variable: $variable, about: $about },)*];

        impl Values {
            /// Sets a key from an environment variable or a flag.
            pub(super) fn set_text(&mut self, key: &str, text: &str) -> Result<(), String> {
                match key {
                    $(stringify!($key) => self.$key = Setting::from_text(text)?,)*
                    _ => return Err(unknown(key)),
                }
                Ok(())
            }

            /// Sets a key from a file in the folder `base`.
            pub(super) fn set_toml(
                &mut self,
                key: &str,
                value: &DeValue<'_>,
                base: &Path,
            ) -> Result<&'static str, String> {
                match key {
                    $(stringify!($key) => {
                        self.$key = Setting::from_toml(value, base)?;
                        Ok(stringify!($key))
                    })*
                    _ => Err(unknown(key)),
                }
            }

            /// The value of a key as it is written in the file.
            pub fn show(&self, key: &str) -> String {
                match key {
                    $(stringify!($key) => self.$key.show(),)*
                    _ => String::new(),
                }
            }
        }
    };
}

fn unknown(key: &str) -> String {
    let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    format!("there is no key `{key}`; the keys are {}", names.join(", "))
}

const HALF_AN_HOUR: Duration = Duration::from_secs(30 * 60);

keys! {
    browser: Option<String> = None, "LEGWORK_BROWSER",
        "Chrome to start: a path, or a name in PATH; looked for when absent";
    attach: Option<String> = None, "LEGWORK_ATTACH",
        "Chrome that already runs: ws:// or http://host:port; none is started then";
    headed: bool = false, "LEGWORK_HEADED",
        "Shows the browser's window";
    user_data_dir: Option<PathBuf> = None, "LEGWORK_USER_DATA_DIR",
        "Profile that keeps logins; it holds cookies and passwords, one session at a time can use it";
    policy: Policy = Policy::Unsaid, "LEGWORK_POLICY",
        "What may be reached and done: a preset (open, local, web, guarded) or the path of a policy file";
    viewport: Viewport = Viewport::default(), "LEGWORK_VIEWPORT",
        "Size of the window";
    session_idle: Duration = HALF_AN_HOUR, "LEGWORK_SESSION_IDLE",
        "Closes a session that nobody used for this long";
    daemon_idle: Duration = HALF_AN_HOUR, "LEGWORK_DAEMON_IDLE",
        "Ends the daemon and its sessions after this long without a call";
    downloads: Option<PathBuf> = None, "LEGWORK_DOWNLOADS",
        "Folder for downloads, one folder a session";
    files: Option<PathBuf> = None, "LEGWORK_FILES",
        "Folder for pictures and long outputs";
    inline_bytes: usize = 1024, "LEGWORK_INLINE_BYTES",
        "Longest answer of eval and console in bytes; longer ones go to a file";
    page_tokens: usize = 3800, "LEGWORK_PAGE_TOKENS",
        "Longest page in tokens; the rest is behind a handle";
    picture_side: u32 = 1568, "LEGWORK_PICTURE_SIDE",
        "Longest side of a picture in pixels";
    tools: ToolSet = ToolSet::default(), "LEGWORK_TOOLS",
        "Set of tools that MCP offers: core, devtools, sidecar, assistant or all";
    audit: Recording = Recording::Usual, "LEGWORK_AUDIT",
        "Folder for the record of every call, or off";
    audit_pictures: bool = false, "LEGWORK_AUDIT_PICTURES",
        "Keeps the pictures that calls answer beside the record";
    model: Option<String> = None, "LEGWORK_MODEL",
        "Model that is asked when the grammar does not suffice: provider:name; none when absent";
    model_url: Option<String> = None, "LEGWORK_MODEL_URL",
        "Server of the model, where it is not the provider's own";
    model_key: Option<KeySource> = None, "LEGWORK_MODEL_KEY",
        "Where the model's key is: env:NAME, file:PATH, keyring:NAME or command:PROGRAM; never the key itself";
    max_turns: u32 = 60, "LEGWORK_MAX_TURNS",
        "Turns of a model that a run may take";
    time_budget: Duration = Duration::from_secs(15 * 60), "LEGWORK_TIME_BUDGET",
        "Time that a run may be at work, without waiting for people";
    max_tokens: usize = 2_000_000, "LEGWORK_MAX_TOKENS",
        "Tokens that a run may read and write";
    max_cost: Option<Dollars> = None, "LEGWORK_MAX_COST",
        "US dollars that a run may cost, where the model's price is known; no limit when absent";
    assistance_timeout: Duration = Duration::from_secs(5 * 60), "LEGWORK_ASSISTANCE_TIMEOUT",
        "How long a run waits for a person whom it needs";
}

/// Those that only runs read: a daemon is the same whichever model is asked.
pub(super) const OF_RUNS: &[&str] = &[
    "model",
    "model_url",
    "model_key",
    "max_turns",
    "time_budget",
    "max_tokens",
    "max_cost",
    "assistance_timeout",
];
