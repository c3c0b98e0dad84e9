//! The project's own checks: `cargo xtask help` lists them.

mod boundary;
mod cargo;
mod docs;
mod fuzz;
mod protocol;
mod reference;
mod repository;
mod size;
mod steps;
mod types;

use std::process::ExitCode;

use repository::Repository;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> anyhow::Result<()> {
    let repository = Repository::find()?;
    let (name, rest) = match arguments {
        [] => ("help", arguments),
        [name, rest @ ..] => (name.as_str(), rest),
    };
    match name {
        "help" | "--help" | "-h" => {
            eprint!("{}", steps::help());
            Ok(())
        }
        "ci" => steps::run_all(&repository),
        "bench" => cargo::bench(&repository, rest),
        step => steps::run_one(&repository, step, rest),
    }
}
