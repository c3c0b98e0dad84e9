//! The documents name what there is, and their links lead somewhere.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::repository::Repository;

/// What a coding agent reads before its first command is short.
const SKILL: usize = 2500;

/// Checks the Markdown files of the repository.
pub fn check(repository: &Repository, _: &[String]) -> anyhow::Result<()> {
    let mut faults = Vec::new();
    for document in ["README.md", "ARCHITECTURE.md"] {
        let text = repository.read(document)?;
        let missing = crates(repository)?.into_iter().filter(|name| !mentions(&text, name));
        faults.extend(missing.map(|name| format!("{document} does not mention {name}.")));
    }
    if !repository.read("CHANGELOG.md")?.contains("\n## [Unreleased]") {
        faults.push("CHANGELOG.md has no section [Unreleased].".to_owned());
    }
    let skill = repository.read("SKILL.md")?.chars().count();
    if skill >= SKILL {
        faults.push(format!("SKILL.md has {skill} characters; it fits on one page with {SKILL}."));
    }
    let documents = repository.files(&["md"])?;
    for document in &documents {
        let text = repository.read(document)?;
        let folder = document.parent().unwrap_or(Path::new(""));
        let dead = links(&text).into_iter().filter(|link| !leads(repository, folder, link));
        faults.extend(dead.map(|link| format!("{}: {link} is not there.", document.display())));
    }
    faults.iter().for_each(|fault| eprintln!("{fault}"));
    ensure!(faults.is_empty(), "{} faults in the documents", faults.len());
    eprintln!("{} documents are in order.", documents.len());
    Ok(())
}

/// The names of the crates, which are those of their folders.
fn crates(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let folders = std::fs::read_dir(repository.path("crates")).context("crates/ is missing")?;
    let mut names = Vec::new();
    for folder in folders {
        let folder = folder?;
        if folder.path().join("Cargo.toml").is_file() {
            names.push(folder.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Whether a text has the name as a whole, not only as the beginning of a longer one.
fn mentions(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let after = text[at + name.len()..].chars().next();
        !after.is_some_and(|letter| letter.is_alphanumeric() || letter == '-' || letter == '_')
    })
}

/// The targets of a document's relative links, without their fragments.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        let inline = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let reference = line.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
        let targets = inline.chain(reference.map(|(_, target)| target.trim()));
        links.extend(targets.filter(|target| is_relative(target)).map(without_fragment));
    }
    links.retain(|link| !link.is_empty());
    links
}

fn is_relative(target: &str) -> bool {
    !target.contains("://") && !target.starts_with("mailto:")
}

fn without_fragment(target: &str) -> String {
    let target = target.trim_matches(['<', '>']);
    target.split(['#', ' ']).next().unwrap_or_default().to_owned()
}

fn leads(repository: &Repository, folder: &Path, link: &str) -> bool {
    let target: PathBuf = match link.strip_prefix('/') {
        Some(from_root) => from_root.into(),
        None => folder.join(link),
    };
    repository.path(target).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_relative_links_outside_of_code_are_followed() {
        let text = "See [a](docs/a.md#x), [b](https://b.test/) and [c](<c.md>).\n\
                    ```\n[no](no.md)\n```\n[d]: d.md\n[top](#top) [m](mailto:m@m.test)";
        assert_eq!(links(text), ["docs/a.md", "c.md", "d.md"]);
    }

    #[test]
    fn a_longer_name_is_no_mention_of_a_shorter_one() {
        assert!(mentions("the crate `legwork`.", "legwork"));
        assert!(!mentions("legwork-cdp only", "legwork"));
    }
}
