//! `legwork mcp install`: shows what to put into a client's configuration, or puts it there. Everything
//! else in the file stays as it is; a file that cannot be read for sure is left alone.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Map, Value, json};

use super::clients::{CLIENTS, Folders, Form};

const SERVER: &str = "legwork";

/// What to install, and where.
#[derive(Args)]
pub struct Arguments {
    /// claude-code, claude-desktop, cursor, vscode, windsurf, codex, gemini, zed or opencode; without
    /// one, all of them with their files
    client: Option<String>,
    /// Write the file instead of showing what to write
    #[arg(long, requires = "client")]
    write: bool,
    /// The tools the client is to be offered
    #[arg(long, value_name = "SET", value_parser = checked)]
    tools: Option<String>,
}

fn checked(tools: &str) -> Result<String, String> {
    super::Offer::parse(tools).map(|_| tools.to_owned())
}

/// Shows or writes.
pub fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let folders = Folders::of_user().context("the user has no home folder")?;
    let Some(name) = &arguments.client else {
        let lines = CLIENTS.iter().map(|client| {
            format!("{:<16}{:<28}{}\n", client.name, client.title, client.file(&folders).display())
        });
        return show(&lines.collect::<String>());
    };
    let Some(client) = CLIENTS.iter().find(|client| client.name == name) else {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        bail!("there is no client {name:?}; there is {}", names.join(", "));
    };
    let program = std::env::current_exe().context("this program does not know where it is")?;
    let entry = client.form.entry(&program, &started_with(arguments.tools.as_deref()));
    let file = client.file(&folders);
    if arguments.write {
        write(&file, client.form, &entry)?;
        return show(&format!("{}: {SERVER} is in {}\n", client.title, file.display()));
    }
    // The place is for a person, the rest can be piped.
    eprintln!("{}: {}", client.title, file.display());
    show(&with_entry("", client.form, &entry)?)
}

fn started_with(tools: Option<&str>) -> Vec<String> {
    let mut arguments = vec!["mcp".to_owned()];
    if let Some(tools) = tools {
        arguments.extend(["--tools".to_owned(), tools.to_owned()]);
    }
    arguments
}

fn show(text: &str) -> anyhow::Result<ExitCode> {
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Puts the entry into the file, which is replaced in one step.
fn write(file: &Path, form: Form, entry: &Value) -> anyhow::Result<()> {
    // What a link points at is what the client reads.
    let file = &std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let before = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| file.display().to_string()),
    };
    let after = with_entry(&before, form, entry).with_context(|| {
        format!("{} is left alone; add the entry by hand (see without --write)", file.display())
    })?;
    let folder = match file.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut beside = tempfile::NamedTempFile::new_in(&folder)?;
    beside.write_all(after.as_bytes())?;
    if let Ok(known) = std::fs::metadata(file) {
        beside.as_file().set_permissions(known.permissions())?;
    }
    beside.persist(file).with_context(|| file.display().to_string())?;
    Ok(())
}

/// The text of a file with our entry in it.
fn with_entry(before: &str, form: Form, entry: &Value) -> anyhow::Result<String> {
    match form {
        Form::Toml(key) => with_toml(before, key, entry),
        _ => with_json(before, form.key(), entry),
    }
}

fn with_json(before: &str, key: &str, entry: &Value) -> anyhow::Result<String> {
    let mut whole: Map<String, Value> = match before.trim().is_empty() {
        true => Map::new(),
        false => serde_json::from_str(before).context("it is not plain JSON, or has comments")?,
    };
    let list = whole.entry(key).or_insert_with(|| json!({}));
    let Some(list) = list.as_object_mut() else { bail!("its {key:?} is no object") };
    list.insert(SERVER.to_owned(), entry.clone());
    Ok(serde_json::to_string_pretty(&whole)? + "\n")
}

fn with_toml(before: &str, key: &str, entry: &Value) -> anyhow::Result<String> {
    let mut whole: toml_edit::DocumentMut = before.parse().context("it is not TOML")?;
    let list = whole.entry(key).or_insert_with(|| {
        let mut table = toml_edit::Table::new();
        table.set_implicit(true);
        toml_edit::Item::Table(table)
    });
    let Some(list) = list.as_table_like_mut() else { bail!("its {key:?} is no table") };
    let mut server = toml_edit::Table::new();
    let strings = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    server["command"] = toml_edit::value(strings(&entry["command"]));
    let arguments = entry["args"].as_array().into_iter().flatten().map(strings);
    server["args"] = toml_edit::value(arguments.collect::<toml_edit::Array>());
    list.insert(SERVER, toml_edit::Item::Table(server));
    Ok(whole.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(form: Form) -> Value {
        form.entry(Path::new("/bin/legwork"), &started_with(None))
    }

    #[test]
    fn other_entries_of_a_json_file_stay() {
        let form = Form::Json("mcpServers");
        let before = r#"{"theme": "dark", "mcpServers": {"other": {"command": "x"}}, "z": 1}"#;
        let after = with_entry(before, form, &entry(form)).unwrap();
        let expected = json!({
            "theme": "dark",
            "mcpServers": {
                "other": { "command": "x" },
                "legwork": { "command": "/bin/legwork", "args": ["mcp"] },
            },
            "z": 1,
        });
        assert_eq!(after, serde_json::to_string_pretty(&expected).unwrap() + "\n");
        assert_eq!(with_entry(&after, form, &entry(form)).unwrap(), after, "twice is once");
    }

    #[test]
    fn comments_and_other_tables_of_a_toml_file_stay() {
        let form = Form::Toml("mcp_servers");
        let before = "model = \"x\" # mine\n\n[mcp_servers.other]\ncommand = \"y\"\n";
        let after = with_entry(before, form, &entry(form)).unwrap();
        let added = "\n[mcp_servers.legwork]\ncommand = \"/bin/legwork\"\nargs = [\"mcp\"]\n";
        assert_eq!(after, format!("{before}{added}"));
        assert_eq!(with_entry(&after, form, &entry(form)).unwrap(), after, "twice is once");
        let alone = with_entry("", form, &entry(form)).unwrap();
        assert_eq!(alone.trim(), added.trim());
    }

    #[test]
    fn a_file_that_cannot_be_read_for_sure_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.json");
        for (before, reason) in [
            ("{ // a comment\n}", "comments"),
            ("{\"mcpServers\": []}", "no object"),
            ("[1]", "plain JSON"),
        ] {
            std::fs::write(&file, before).unwrap();
            let form = Form::Json("mcpServers");
            let error = write(&file, form, &entry(form)).unwrap_err();
            assert!(format!("{error:#}").contains(reason), "{error:#}");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
        }
    }

    #[test]
    fn a_new_file_gets_its_folder_and_every_client_its_form() {
        let home = tempfile::tempdir().unwrap();
        let folders = Folders { home: home.path().to_owned(), config: None };
        for client in
            CLIENTS.iter().filter(|client| client.name != "claude-code" && client.name != "codex")
        {
            let file = client.file(&folders);
            assert!(file.starts_with(home.path()), "{}", file.display());
            write(&file, client.form, &entry(client.form)).unwrap();
            let whole: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
            assert_eq!(whole[client.form.key()][SERVER], entry(client.form), "{}", client.name);
        }
        let entry = entry(Form::Listed("mcp"));
        assert_eq!(entry["command"], json!(["/bin/legwork", "mcp"]));
    }
}
