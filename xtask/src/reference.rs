//! The reference of the tools, `docs/tools.md`, made from the catalogue so that it cannot drift.

use std::fmt::Write;

use anyhow::{Context, ensure};
use legwork_protocol::{Code, Set, Spec, catalogue};
use serde_json::Value;

use crate::repository::Repository;

const PLACE: &str = "docs/tools.md";

/// Checks that the reference says what the catalogue says; `--write` writes it.
pub fn check(repository: &Repository, arguments: &[String]) -> anyhow::Result<()> {
    let text = reference();
    if arguments.iter().any(|argument| argument == "--write") {
        let place = repository.path(PLACE);
        std::fs::create_dir_all(repository.path("docs")).context("docs/ cannot be made")?;
        std::fs::write(&place, text).with_context(|| format!("{PLACE} cannot be written"))?;
        eprintln!("{PLACE} is written.");
        return Ok(());
    }
    let same = repository.read(PLACE).is_ok_and(|written| written == text);
    ensure!(same, "{PLACE} is out of date; run `cargo xtask reference --write`");
    eprintln!("{PLACE} says what the catalogue says.");
    Ok(())
}

fn reference() -> String {
    let mut text = String::from(
        "# Tools\n\n<!-- Made by `cargo xtask reference --write`; change the doc comments of the arguments \
         instead. -->\n\nEvery door has the same tools: [MCP](mcp.md), [sidecar](sidecar.md) and \
         [command line](cli.md) (`legwork call TOOL JSON`). The `browser_` may be left out.\n\n",
    );
    for set in Set::NAMES {
        let tools = Set::tools(set).unwrap_or_default();
        let names: Vec<String> = tools.iter().map(|tool| format!("`{}`", tool.name)).collect();
        if *set == "all" {
            let _ = writeln!(text, "- **all**: every tool below, each under one name.");
        } else {
            let _ = writeln!(text, "- **{set}**: {}.", names.join(", "));
        }
    }
    for tool in catalogue().iter().filter(|tool| tool.alias_of.is_none()) {
        text.push_str(&section(tool));
    }
    text.push_str("\n## Error codes\n\nAn error has a code, a sentence and often a hint.\n\n");
    text.push_str("| code | in the sidecar |\n|---|---|\n");
    for code in Code::ALL {
        let _ = writeln!(text, "| `{code}` | `{}` |", code.sidecar());
    }
    text
}

fn section(tool: &Spec) -> String {
    let mut text = format!("\n## {}\n\n{}", tool.name, tool.about);
    let aliases = catalogue().iter().filter(|other| other.alias_of == Some(tool.name));
    let aliases: Vec<String> = aliases.map(|other| format!("`{}`", other.name)).collect();
    if !aliases.is_empty() {
        let _ = write!(text, " Also called {}.", aliases.join(", "));
    }
    if tool.hints.read_only {
        text.push_str(" Changes nothing.");
    }
    text.push_str("\n\n");
    let Some(Value::Object(arguments)) = tool.schema.get("properties") else { return text };
    if arguments.is_empty() {
        return text;
    }
    text.push_str("| argument | type | |\n|---|---|---|\n");
    for (name, schema) in arguments {
        let required = tool.schema.get("required").and_then(Value::as_array);
        let required = required.is_some_and(|names| names.iter().any(|one| one == name.as_str()));
        let mark = if required { " (required)" } else { "" };
        let about = tool.about_argument(name).replace('|', "\\|");
        let _ = writeln!(text, "| `{name}`{mark} | {} | {about} |", kind(schema));
    }
    text
}

fn kind(schema: &Value) -> String {
    if let Some(Value::Array(names)) = schema.get("enum") {
        let names = names.iter().filter_map(Value::as_str).map(|name| format!("`{name}`"));
        return names.collect::<Vec<_>>().join(", ");
    }
    match schema.get("type") {
        Some(Value::String(kind)) if kind == "array" => {
            let item = schema.get("items").map(kind_of_item).unwrap_or_default();
            format!("list{item}")
        }
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}

fn kind_of_item(schema: &Value) -> String {
    format!(" of {}", kind(schema))
}
