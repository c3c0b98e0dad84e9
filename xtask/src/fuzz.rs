//! A run of every fuzz target in `fuzz/`: the same inputs each time, so that only a change of ours can make
//! it fail, or new ones for as many seconds as are given. Compiles them as `cargo fuzz` does without a
//! sanitizer, which the stable compiler can.

use std::process::Command;

use anyhow::{Context, ensure};

use crate::repository::Repository;

/// What makes the compiler tell the fuzzer where it has been.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// How many inputs each target is given when no time is.
const INPUTS: u32 = 30_000;

pub fn check(repository: &Repository, arguments: &[String]) -> anyhow::Result<()> {
    let (limit, told) = match arguments.first() {
        Some(seconds) => (vec![format!("-max_total_time={seconds}")], format!("{seconds} s")),
        None => (vec![format!("-runs={INPUTS}"), "-seed=1".into()], format!("{INPUTS} inputs")),
    };
    let folder = repository.path("fuzz");
    let machine = machine(repository)?;
    let built = Command::new("cargo")
        .args(["build", "--release", "--quiet", "--bins", "--target-dir", "../target/fuzz"])
        // With a target named, the flags do not reach build scripts.
        .args(["--target", &machine])
        .current_dir(&folder)
        .env("RUSTFLAGS", FLAGS)
        .status()
        .context("cargo cannot be run")?;
    ensure!(built.success(), "the fuzz targets do not compile");
    for target in targets(repository)? {
        let found = repository.path("target/fuzz/found").join(&target);
        if arguments.is_empty() && found.exists() {
            std::fs::remove_dir_all(&found)?;
        }
        std::fs::create_dir_all(&found)?;
        let programs = repository.path("target/fuzz").join(&machine).join("release");
        let ran = Command::new(programs.join(&target))
            .args([&found, &folder.join("seeds").join(&target)])
            .args(&limit)
            .args(["-timeout=10", "-verbosity=0", "-rss_limit_mb=4096"])
            .arg(format!("-artifact_prefix={}/", found.display()))
            .output()
            .with_context(|| format!("{target} cannot be run"))?;
        let said = String::from_utf8_lossy(&ran.stderr);
        ensure!(ran.status.success(), "{said}\n{target} found something: see {}", found.display());
        eprintln!("   {target}: nothing in {told}");
    }
    Ok(())
}

/// What this machine is called by the compiler.
fn machine(repository: &Repository) -> anyhow::Result<String> {
    let told = repository.output("rustc", ["-vV"])?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not say what this machine is")
}

/// The targets by name.
fn targets(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let entries = std::fs::read_dir(repository.path("fuzz/fuzz_targets"))?;
    let stem = |path: std::path::PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| stem(entry.path())).collect();
    names.sort();
    Ok(names)
}
