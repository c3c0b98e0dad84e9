//! The clients we know: where each keeps its list of MCP servers, and in what form.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// A client of MCP servers.
#[derive(Debug, Clone, Copy)]
pub struct Client {
    /// As it is named on the command line.
    pub name: &'static str,
    /// As people call it.
    pub title: &'static str,
    place: Place,
    pub form: Form,
}

/// Where the file is.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// In the current folder: it belongs to a project.
    Here(&'static str),
    /// In the user's home, on every system.
    Home(&'static str),
    /// Where the system keeps the settings of programs: `~/.config`, `~/Library/Application Support`,
    /// `%APPDATA%`.
    Settings(&'static str),
    /// In `~/.config`, also on macOS; in `%APPDATA%` on Windows.
    Config(&'static str),
    /// In a folder that a variable may name, below the home otherwise.
    Named { variable: &'static str, folder: &'static str, file: &'static str },
}

/// How the file lists servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// JSON: `{"mcpServers": {"legwork": {"command", "args"}}}`, or under another key.
    Json(&'static str),
    /// JSON with the kind of server said: `{"servers": {"legwork": {"type": "stdio", …}}}`.
    Typed(&'static str),
    /// JSON with the command as one list: `{"mcp": {"legwork": {"type": "local", "command": […]}}}`.
    Listed(&'static str),
    /// TOML: `[mcp_servers.legwork]`.
    Toml(&'static str),
}

pub const CLIENTS: &[Client] = &[
    Client {
        name: "claude-code",
        title: "Claude Code (this project)",
        place: Place::Here(".mcp.json"),
        form: Form::Typed("mcpServers"),
    },
    Client {
        name: "claude-desktop",
        title: "Claude Desktop",
        place: Place::Settings("Claude/claude_desktop_config.json"),
        form: Form::Json("mcpServers"),
    },
    Client {
        name: "cursor",
        title: "Cursor",
        place: Place::Home(".cursor/mcp.json"),
        form: Form::Json("mcpServers"),
    },
    Client {
        name: "vscode",
        title: "VS Code",
        place: Place::Settings("Code/User/mcp.json"),
        form: Form::Typed("servers"),
    },
    Client {
        name: "windsurf",
        title: "Windsurf",
        place: Place::Home(".codeium/windsurf/mcp_config.json"),
        form: Form::Json("mcpServers"),
    },
    Client {
        name: "codex",
        title: "Codex",
        place: Place::Named { variable: "CODEX_HOME", folder: ".codex", file: "config.toml" },
        form: Form::Toml("mcp_servers"),
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        place: Place::Home(".gemini/settings.json"),
        form: Form::Json("mcpServers"),
    },
    Client {
        name: "zed",
        title: "Zed",
        place: Place::Config("zed/settings.json"),
        form: Form::Json("context_servers"),
    },
    Client {
        name: "opencode",
        title: "opencode",
        place: Place::Home(".config/opencode/opencode.json"),
        form: Form::Listed("mcp"),
    },
];

/// The folders a place is looked for in.
pub struct Folders {
    pub home: PathBuf,
    /// `%APPDATA%`, or `$XDG_CONFIG_HOME`.
    pub config: Option<PathBuf>,
}

impl Folders {
    /// Those of the user who runs this.
    pub fn of_user() -> Option<Folders> {
        let set = |name: &str| {
            std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
        };
        let config = set(if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" });
        Some(Folders { home: std::env::home_dir()?, config })
    }
}

impl Client {
    /// The file with its list of servers.
    pub fn file(&self, folders: &Folders) -> PathBuf {
        let config = || folders.config.clone().unwrap_or_else(|| folders.home.join(".config"));
        match self.place {
            Place::Here(file) => PathBuf::from(file),
            Place::Home(file) => folders.home.join(file),
            Place::Settings(file) if cfg!(target_os = "macos") => {
                folders.home.join("Library/Application Support").join(file)
            }
            Place::Settings(file) | Place::Config(file) => config().join(file),
            Place::Named { variable, folder, file } => match std::env::var_os(variable) {
                Some(named) if !named.is_empty() => PathBuf::from(named).join(file),
                _ => folders.home.join(folder).join(file),
            },
        }
    }
}

impl Form {
    /// The key of the list in the file.
    pub fn key(self) -> &'static str {
        match self {
            Form::Json(key) | Form::Typed(key) | Form::Listed(key) | Form::Toml(key) => key,
        }
    }

    /// The entry of a server that is started with this command.
    pub fn entry(self, program: &Path, arguments: &[String]) -> Value {
        let program = program.to_string_lossy();
        match self {
            Form::Json(_) | Form::Toml(_) => json!({ "command": program, "args": arguments }),
            Form::Typed(_) => json!({ "type": "stdio", "command": program, "args": arguments }),
            Form::Listed(_) => {
                let command: Vec<&str> = std::iter::once(&*program)
                    .chain(arguments.iter().map(String::as_str))
                    .collect();
                json!({ "type": "local", "command": command, "enabled": true })
            }
        }
    }
}
