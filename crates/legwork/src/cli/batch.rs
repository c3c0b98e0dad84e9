//! `batch`: several steps in one call, written as a JSON array, as JSON lines, or as commands, one a line.

use std::path::Path;

use anyhow::{Context, bail};
use clap::Parser;
use legwork_protocol::{Batch, Span, Step};

use super::call::{Call, Shared};
use super::{ToolCommand, develop};

/// A line of a batch: a command without the program's name.
#[derive(Parser)]
#[command(no_binary_name = true, name = "", disable_help_flag = true, disable_version_flag = true)]
struct Line {
    /// For this step alone.
    #[arg(long, global = true, value_parser = super::span)]
    timeout: Option<Span>,
    #[command(subcommand)]
    command: ToolCommand,
}

/// Reads the steps from a file, or from standard input.
pub(super) fn call(file: &Path, shared: &Shared) -> anyhow::Result<Call> {
    let text = match file.to_str() {
        Some("-") => develop::or_standard_input("-".to_owned())?,
        _ => std::fs::read_to_string(file).with_context(|| file.display().to_string())?,
    };
    Call::of("browser_batch", Batch { steps: steps(&text, shared)? })
}

fn steps(text: &str, shared: &Shared) -> anyhow::Result<Vec<Step>> {
    match text.trim_start().chars().next() {
        None => bail!("the batch is empty"),
        Some('[') => serde_json::from_str(text).context("the batch is no array of steps"),
        Some(_) => {
            let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
            let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
            let step = |(number, line)| {
                self::step(line, shared).with_context(|| format!("line {number} of the batch"))
            };
            lines.map(step).collect()
        }
    }
}

fn step(line: &str, shared: &Shared) -> anyhow::Result<Step> {
    if line.starts_with('{') {
        return serde_json::from_str(line).context("this is no step");
    }
    let words =
        shell_words::split(line).map_err(|_| anyhow::anyhow!("a quotation mark is missing"))?;
    let words = words.into_iter().skip_while(|word| word == "legwork");
    let line = Line::try_parse_from(words).map_err(|error| {
        let said = error.render().to_string();
        let said = said.lines().next().unwrap_or_default();
        anyhow::anyhow!("{}", said.strip_prefix("error: ").unwrap_or(said))
    })?;
    let timeout = line.timeout.or(shared.timeout);
    let call = line.command.call(&Shared { timeout, ..shared.clone() })?;
    Ok(Step { tool: call.tool, arguments: call.arguments })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, String)>, String> {
        let steps = steps(text, &Shared::default()).map_err(|error| format!("{error:#}"))?;
        let target = |step: &Step| {
            let target = step.arguments.get("target").or(step.arguments.get("url"));
            target.and_then(|value| value.as_str()).unwrap_or_default().to_owned()
        };
        Ok(steps.iter().map(|step| (step.tool.clone(), target(step))).collect())
    }

    #[test]
    fn the_three_ways_of_writing_a_batch_mean_the_same() {
        let expected = vec![
            ("browser_navigate".to_owned(), "http://a.test".to_owned()),
            ("browser_click".to_owned(), "Log in".to_owned()),
        ];
        let array = r#"[{"tool": "browser_navigate", "url": "http://a.test"},
                        {"tool": "browser_click", "target": "Log in"}]"#;
        let lines = "{\"tool\": \"browser_navigate\", \"url\": \"http://a.test\"}\n\n\
                     {\"tool\": \"browser_click\", \"target\": \"Log in\"}\n";
        let commands = "# sign in\nopen http://a.test\n  legwork click 'Log in'\n";
        for text in [array, lines, commands] {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        for (text, said) in [
            ("open http://a.test\nclik e5", "line 2 of the batch: unrecognized subcommand 'clik'"),
            ("click 'Log in", "line 1 of the batch: a quotation mark is missing"),
            ("{\"target\": \"e5\"}", "line 1 of the batch: this is no step: missing field `tool`"),
            ("[1]", "the batch is no array of steps"),
            ("  \n", "the batch is empty"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(said), "{text:?}: {error}");
        }
    }
}
