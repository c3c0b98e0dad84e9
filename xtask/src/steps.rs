//! The checks by name, in the order `ci` runs them: the quick ones first.

use std::time::Instant;

use anyhow::{Context, bail};

use crate::repository::Repository;
use crate::{boundary, cargo, docs, fuzz, protocol, reference, size, types};

struct Step {
    name: &'static str,
    about: &'static str,
    run: fn(&Repository, &[String]) -> anyhow::Result<()>,
}

const STEPS: &[Step] = &[
    Step { name: "fmt", about: "the code is formatted", run: cargo::fmt },
    Step { name: "boundary", about: "dependencies point down only", run: boundary::check },
    Step { name: "size", about: "files and functions are small", run: size::check },
    Step { name: "reference", about: "docs/tools.md is what the tools say", run: reference::check },
    Step { name: "types", about: "ui/src/protocol.ts is what the messages are", run: types::check },
    Step { name: "docs", about: "documents name every crate, links resolve", run: docs::check },
    Step { name: "protocol", about: "commands agree with the published ones", run: published },
    Step { name: "clippy", about: "no warning in any target", run: cargo::clippy },
    Step {
        name: "otel",
        about: "no warning with the feature `otel`, and its tests",
        run: cargo::otel,
    },
    Step { name: "deny", about: "licences, bans and sources of dependencies", run: cargo::deny },
    Step { name: "test", about: "all tests, with nextest", run: cargo::test },
    Step {
        name: "fuzz",
        about: "every fuzz target, with the same inputs each time; `fuzz SECONDS` looks for new ones",
        run: fuzz::check,
    },
    Step { name: "doctest", about: "the examples in the documentation", run: cargo::doctest },
];

fn published(_: &Repository, arguments: &[String]) -> anyhow::Result<()> {
    protocol::run(arguments)
}

/// Runs every step and stops at the first that fails.
pub fn run_all(repository: &Repository) -> anyhow::Result<()> {
    let start = Instant::now();
    for (number, step) in STEPS.iter().enumerate() {
        eprintln!("\n== {}/{} {}: {}", number + 1, STEPS.len(), step.name, step.about);
        timed(repository, step, &[])?;
    }
    eprintln!("\nAll {} steps passed in {:.1} s.", STEPS.len(), start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs one step.
pub fn run_one(repository: &Repository, name: &str, arguments: &[String]) -> anyhow::Result<()> {
    let Some(step) = STEPS.iter().find(|step| step.name == name) else {
        bail!("there is no step `{name}`\n\n{}", help());
    };
    timed(repository, step, arguments)
}

/// What can be asked for.
pub fn help() -> String {
    let mut help = String::from("Usage: cargo xtask <step>\n\n");
    let line = |name: &str, about: &str| format!("  {name:<10} {about}\n");
    help.push_str(&line("ci", "every check below, in this order, up to the first that fails"));
    STEPS.iter().for_each(|step| help.push_str(&line(step.name, step.about)));
    help.push_str(&line(
        "bench",
        "the engine against raw protocol; `bench doors`: the doors against it",
    ));
    help.push_str(&line("help", "this list"));
    help
}

fn timed(repository: &Repository, step: &Step, arguments: &[String]) -> anyhow::Result<()> {
    let start = Instant::now();
    let result = (step.run)(repository, arguments);
    let seconds = start.elapsed().as_secs_f64();
    let word = if result.is_ok() { "passed" } else { "failed" };
    eprintln!("-- {} {word} in {seconds:.1} s", step.name);
    result.with_context(|| {
        format!("the step `{0}` failed; run it alone with `cargo xtask {0}`", step.name)
    })
}
