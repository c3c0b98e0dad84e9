//! The checks that cargo and its companions do.

use anyhow::{Context, ensure};

use crate::repository::Repository;

pub fn fmt(repository: &Repository, _: &[String]) -> anyhow::Result<()> {
    repository.run("cargo", ["fmt", "--all", "--check"]).context("run `cargo fmt`")
}

pub fn clippy(repository: &Repository, _: &[String]) -> anyhow::Result<()> {
    let arguments = ["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"];
    repository.run("cargo", arguments)
}

/// What the default build leaves out. Only this crate: the others do not know the feature.
pub fn otel(repository: &Repository, _: &[String]) -> anyhow::Result<()> {
    let build = ["clippy", "--locked", "-p", "legwork", "--features", "otel", "--all-targets"];
    repository.run("cargo", build.iter().chain(&["--", "-D", "warnings"]))?;
    needs(repository, "nextest")?;
    let tests =
        ["nextest", "run", "--locked", "-p", "legwork", "--features", "otel", "--test", "it"];
    repository.run("cargo", tests.iter().chain(&["-E", "test(/^traces::/)"]))
}

/// Licences, bans and sources. Advisories need a database from the network, which a machine
/// without one cannot fetch: run `cargo deny check advisories` by hand.
pub fn deny(repository: &Repository, _: &[String]) -> anyhow::Result<()> {
    needs(repository, "deny")?;
    let check = ["deny", "--locked", "check", "--hide-inclusion-graph"];
    repository.run("cargo", check.iter().chain(&["bans", "licenses", "sources"]))
}

/// All tests of the workspace; further arguments go to nextest, as in `cargo xtask test find`.
pub fn test(repository: &Repository, arguments: &[String]) -> anyhow::Result<()> {
    needs(repository, "nextest")?;
    let mut command = vec!["nextest", "run", "--locked", "--workspace"];
    if std::env::var_os("CI").is_some() {
        command.extend(["--profile", "ci"]);
    }
    command.extend(arguments.iter().map(String::as_str));
    repository.run("cargo", command)
}

pub fn doctest(repository: &Repository, _: &[String]) -> anyhow::Result<()> {
    repository.run("cargo", ["test", "--locked", "--workspace", "--doc", "--quiet"])
}

/// The engine against raw protocol; with `doors`, the doors against the engine.
pub fn bench(repository: &Repository, arguments: &[String]) -> anyhow::Result<()> {
    if let [first, rest @ ..] = arguments
        && first == "doors"
    {
        let release = ["--release", "--locked", "-p", "legwork"];
        let build = ["build"].iter().chain(&release).chain(&["--bins", "--example", "doors"]);
        repository.run("cargo", build)?;
        let run = ["run"].iter().chain(&release).chain(&["--example", "doors", "--"]);
        let rest = rest.iter().map(String::as_str);
        return repository.run("cargo", run.copied().chain(rest).collect::<Vec<_>>());
    }
    let mut command = vec!["run", "--release", "-p", "legwork-engine", "--example", "bench", "--"];
    command.extend(arguments.iter().map(String::as_str));
    repository.run("cargo", command)
}

fn needs(repository: &Repository, tool: &str) -> anyhow::Result<()> {
    let installed = repository.output("cargo", [tool, "--version"]).is_ok();
    ensure!(installed, "cargo-{tool} is missing; `scripts/setup --tests` installs it");
    Ok(())
}
