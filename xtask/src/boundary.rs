//! Dependencies point down only: which crate of ours may know which.

use anyhow::{Context, ensure};
use serde::Deserialize;

use crate::repository::Repository;

/// What a crate of ours may depend on.
struct Rule {
    name: &'static str,
    /// The crates of ours it may name as a dependency.
    may_use: &'static [&'static str],
    /// What must not be in its tree with the default features.
    never: &'static [&'static str],
}

const RULES: &[Rule] = &[
    Rule { name: "legwork-protocol", may_use: &[], never: &["tokio", "legwork-cdp"] },
    Rule { name: "legwork-local", may_use: &[], never: &["tokio"] },
    Rule { name: "legwork-cdp", may_use: &[], never: &[] },
    Rule { name: "legwork-engine", may_use: &["legwork-cdp"], never: &["legwork-protocol"] },
    Rule {
        name: "legwork-tools",
        may_use: &["legwork-local", "legwork-protocol", "legwork-engine"],
        never: &[],
    },
    Rule { name: "legwork-agent", may_use: &["legwork-local", "legwork-protocol"], never: BROWSER },
    Rule { name: "legwork-shop", may_use: &["legwork-protocol", "legwork-agent"], never: BROWSER },
    Rule { name: "legwork-demo", may_use: &[], never: BROWSER },
    Rule {
        name: "legwork",
        may_use: &[
            "legwork-local",
            "legwork-protocol",
            "legwork-tools",
            "legwork-agent",
            "legwork-shop",
            "legwork-demo",
        ],
        never: &[],
    },
    Rule {
        name: "xtask",
        may_use: &["legwork-cdp", "legwork-protocol", "legwork-tools"],
        never: &["legwork-agent", "legwork-shop"],
    },
];

/// What must not be in the tree of a crate when one of its features is asked for.
const FEATURES: &[(&str, &str, &[&str])] = &[("legwork-protocol", "client", HEAVY)];

/// What a host that only calls a sidecar does not link: a browser, TLS, the web.
const HEAVY: &[&str] = &[
    "legwork-cdp",
    "legwork-engine",
    "legwork-tools",
    "chromiumoxide",
    "headless_chrome",
    "tokio-tungstenite",
    "hyper",
    "reqwest",
    "rustls",
    "native-tls",
    "openssl",
    "openssl-sys",
    "ring",
    "aws-lc-rs",
];

/// What an agent reaches only through the tools it is given.
const BROWSER: &[&str] = &["legwork-cdp", "legwork-engine", "legwork-tools"];

/// Checks every crate of the workspace against the rules.
pub fn check(repository: &Repository, _: &[String]) -> anyhow::Result<()> {
    let arguments = ["metadata", "--locked", "--no-deps", "--format-version", "1"];
    let metadata: Metadata = serde_json::from_str(&repository.output("cargo", arguments)?)
        .context("cargo metadata cannot be read")?;
    let mut faults = faults(&metadata.packages);
    for package in &metadata.packages {
        let never = RULES.iter().find(|rule| rule.name == package.name).map(|rule| rule.never);
        faults.extend(unwanted(repository, &package.name, "", never.unwrap_or_default())?);
    }
    for (name, feature, never) in FEATURES {
        faults.extend(unwanted(repository, name, feature, never)?);
    }
    faults.iter().for_each(|fault| eprintln!("{fault}"));
    ensure!(faults.is_empty(), "{} dependencies cross a boundary", faults.len());
    eprintln!("{} crates keep to their boundaries.", metadata.packages.len());
    Ok(())
}

/// What `cargo metadata` says, as far as it is of interest.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
}

fn faults(packages: &[Package]) -> Vec<String> {
    let ours = |name: &str| packages.iter().any(|package| package.name == name);
    let mut faults = Vec::new();
    for package in packages {
        let name = &package.name;
        let Some(rule) = RULES.iter().find(|rule| rule.name == name) else {
            faults.push(format!("{name} has no rule in xtask/src/boundary.rs."));
            continue;
        };
        let folder = package.manifest_path.replace('\\', "/");
        if !folder.ends_with(&format!("/{name}/Cargo.toml")) {
            faults.push(format!("{name} is in a folder of another name."));
        }
        // Tests may reach for what the crate itself may not know.
        let lasting = package.dependencies.iter().filter(|d| d.kind.as_deref() != Some("dev"));
        let crossing = lasting.filter(|d| ours(&d.name) && !rule.may_use.contains(&&*d.name));
        faults.extend(crossing.map(|d| format!("{name} may not depend on {}.", d.name)));
    }
    faults
}

/// The crates that are in the tree of a package with these features and must not be.
fn unwanted(
    repository: &Repository,
    name: &str,
    features: &str,
    never: &[&str],
) -> anyhow::Result<Vec<String>> {
    if never.is_empty() {
        return Ok(Vec::new());
    }
    let arguments = ["tree", "--locked", "-p", name, "--features", features];
    let arguments = [&arguments[..], &["-e", "normal", "--prefix", "none"]].concat();
    let tree = repository.output("cargo", arguments)?;
    let within = |wanted: &str| tree.lines().any(|line| line.split(' ').next() == Some(wanted));
    let found = never.iter().filter(|wanted| within(wanted));
    Ok(found.map(|found| format!("{name} must not have {found} in its tree.")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
        let dependency = |&(name, kind): &(&str, Option<&str>)| Dependency {
            name: name.to_owned(),
            kind: kind.map(str::to_owned),
        };
        Package {
            name: name.to_owned(),
            manifest_path: format!("/r/crates/{name}/Cargo.toml"),
            dependencies: dependencies.iter().map(dependency).collect(),
        }
    }

    #[test]
    fn dependencies_that_point_down_are_fine() {
        let packages = [
            package("legwork-cdp", &[("serde", None)]),
            package("legwork-engine", &[("legwork-cdp", None)]),
            package("legwork-agent", &[("legwork-engine", Some("dev"))]),
        ];
        assert_eq!(faults(&packages), Vec::<String>::new());
    }

    #[test]
    fn dependencies_that_point_up_or_aside_are_named() {
        let packages = [
            package("legwork-cdp", &[("legwork-engine", None)]),
            package("legwork-engine", &[]),
            package("legwork-agent", &[("legwork-engine", Some("build"))]),
        ];
        let expected = [
            "legwork-cdp may not depend on legwork-engine.",
            "legwork-agent may not depend on legwork-engine.",
        ];
        assert_eq!(faults(&packages), expected);
    }

    #[test]
    fn a_crate_without_a_rule_or_in_another_folder_is_named() {
        let mut moved = package("legwork-cdp", &[]);
        moved.manifest_path = "/r/crates/cdp/Cargo.toml".to_owned();
        let faults = faults(&[package("legwork-utils", &[]), moved]);
        assert!(faults[0].starts_with("legwork-utils has no rule"));
        assert_eq!(faults[1], "legwork-cdp is in a folder of another name.");
    }
}
