//! Files and functions are small enough to read in one go.
//!
//! Every line counts but those of tests. Code is formatted, so a function ends at the first
//! closing brace that stands as far in as the function began.

use std::path::Path;

use anyhow::ensure;

use crate::repository::Repository;

const LONGEST_FILE: usize = 400;
const LONGEST_FUNCTION: usize = 40;

/// On one of the first lines of a flat, declarative list, this lifts the limits: a list does not
/// become easier to read in two files. A reason follows.
const EXEMPTION: &str = "// size: exempt, ";

/// Lists what is too long, and fails for files.
pub fn check(repository: &Repository, _: &[String]) -> anyhow::Result<()> {
    let files = repository.files(&["rs", "js"])?;
    let mut long_files = 0;
    for file in files.iter().filter(|file| !is_test(file)) {
        let text = repository.read(file)?;
        if is_exempt(&text) {
            continue;
        }
        let code = without_tests(&text);
        for (name, line, length) in functions(&code) {
            if length > LONGEST_FUNCTION {
                eprintln!("{}:{line}: `{name}` has {length} lines.", file.display());
            }
        }
        if code.len() > LONGEST_FILE {
            long_files += 1;
            eprintln!("{} has {} lines that are no tests.", file.display(), code.len());
        }
    }
    ensure!(
        long_files == 0,
        "{long_files} files have more than {LONGEST_FILE} lines: look for the two things in there"
    );
    eprintln!("No file of {} is too long.", files.len());
    Ok(())
}

/// Tests are long lists by nature.
fn is_test(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    stem == "tests" || path.components().any(|part| part.as_os_str() == "tests")
}

fn is_exempt(text: &str) -> bool {
    let reason = text.lines().take(5).find_map(|line| line.strip_prefix(EXEMPTION));
    reason.is_some_and(|reason| !reason.trim().is_empty())
}

/// The lines with their numbers, without modules that are compiled for tests only.
fn without_tests(text: &str) -> Vec<(usize, &str)> {
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
    let mut kept = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let (_, line) = lines[at];
        let module = lines.get(at + 1).is_some_and(|(_, next)| next.trim().starts_with("mod "));
        if line.trim() == "#[cfg(test)]" && module {
            at = end(&lines, at + 1) + 1;
            continue;
        }
        kept.push(lines[at]);
        at += 1;
    }
    kept
}

/// The functions in a file: name, first line, number of lines.
fn functions<'a>(lines: &[(usize, &'a str)]) -> Vec<(&'a str, usize, usize)> {
    let mut functions = Vec::new();
    for (at, (number, line)) in lines.iter().enumerate() {
        if let Some(name) = function_name(line.trim_start()) {
            functions.push((name, *number, end(lines, at) - at + 1));
        }
    }
    functions
}

const BEFORE_FN: &[&str] = &["pub", "async", "const", "unsafe", "extern", "default", "export"];

/// The name of the function that begins on this line.
fn function_name(line: &str) -> Option<&str> {
    let mut words = line.split(' ').peekable();
    while let Some(word) = words.next() {
        let prefix = word.split('(').next().unwrap_or_default();
        if matches!(word, "fn" | "function" | "function*") {
            let name = words.next()?.split(['(', '<']).next()?;
            return Some(name).filter(|name| !name.is_empty());
        }
        if !BEFORE_FN.contains(&prefix) && !prefix.starts_with('"') && !word.ends_with(')') {
            return None;
        }
    }
    None
}

/// The index of the last line of what begins at `start`: the line itself if it has no body of its
/// own, else the closing brace.
fn end(lines: &[(usize, &str)], start: usize) -> usize {
    let indent = indent(lines[start].1);
    for (offset, (_, line)) in lines[start..].iter().enumerate() {
        let ends_here = line.trim_end().ends_with(['}', ';']);
        let at_start = self::indent(line) == indent;
        if at_start && ends_here && (offset == 0 || line.trim_start().starts_with(['}', ')'])) {
            return start + offset;
        }
    }
    lines.len() - 1
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(text: &str) -> Vec<(&str, usize, usize)> {
        functions(&without_tests(text))
    }

    #[test]
    fn functions_are_measured_from_name_to_brace() {
        let text = "fn one() {}\n\npub(crate) async fn two(\n    a: u8,\n) -> u8\nwhere\n    T: X,\n{\n    if a {\n    }\n    3\n}\nimpl A {\n    fn three(&self) {\n        4\n    }\n}\n";
        assert_eq!(measured(text), [("one", 1, 1), ("two", 3, 10), ("three", 14, 3)]);
    }

    #[test]
    fn functions_of_scripts_are_measured_too() {
        let text =
            "function walk(node) {\n  return 1;\n}\nconst x = 1;\nasync function go() {\n}\n";
        assert_eq!(measured(text), [("walk", 1, 3), ("go", 5, 2)]);
    }

    #[test]
    fn declarations_without_a_body_are_one_line() {
        assert_eq!(
            measured("trait T {\n    fn a(&self);\n    fn b();\n}\n"),
            [("a", 2, 1), ("b", 3, 1)]
        );
    }

    #[test]
    fn tests_do_not_count() {
        let text = "fn a() {\n}\n\n#[cfg(test)]\nmod tests {\n    fn b() {\n    }\n}\n";
        assert_eq!(without_tests(text).len(), 3);
        assert_eq!(without_tests("#[cfg(test)]\nmod tests;\nfn a() {}\n").len(), 1);
        assert!(is_test(Path::new("crates/x/tests/click.rs")));
        assert!(is_test(Path::new("crates/x/src/keys/tests.rs")));
        assert!(!is_test(Path::new("crates/x/src/keys.rs")));
    }

    #[test]
    fn an_exemption_needs_a_reason() {
        assert!(is_exempt("//! List.\n// size: exempt, a flat list of commands\n"));
        assert!(!is_exempt("// size: exempt, \n"));
        assert!(!is_exempt("fn a() {}\n"));
    }
}
