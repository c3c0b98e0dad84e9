//! The language of a code block, from the classes that highlighters leave behind.

use dom_query::NodeRef;

const PREFIXES: &[&str] = &["language-", "lang-", "highlight-source-", "highlight-", "sourceCode-"];

/// Classes that highlighters put beside the language, and that are none.
const NOT_A_LANGUAGE: &[&str] = &[
    "highlight",
    "default",
    "none",
    "plain",
    "plaintext",
    "text",
    "nohighlight",
    "code",
    "source",
];

/// The language of a code block, from the `pre`, the `code` in it, or what is around it.
pub(super) fn of(pre: NodeRef<'_>) -> Option<String> {
    let inside = pre.element_children().into_iter().find(|child| child.has_name("code"));
    let around = pre.ancestors(Some(2)).into_iter();
    let own = inside.into_iter().chain([pre]);
    own.chain(around).find_map(declared).map(|language| language.to_ascii_lowercase())
}

fn declared(node: NodeRef<'_>) -> Option<String> {
    let stated = node.attr("data-lang").or_else(|| node.attr("data-language"));
    let stated = stated.map(|language| language.trim().to_owned());
    stated.filter(|language| is_language(language)).or_else(|| by_class(&node.class()?))
}

fn by_class(classes: &str) -> Option<String> {
    // An old highlighter writes `brush: js;` into the class.
    if let Some((_, after)) = classes.split_once("brush:") {
        let language = after.trim_start().split([';', ' ']).next().unwrap_or_default();
        return is_language(language).then(|| language.to_owned());
    }
    let mut named = classes.split_whitespace().filter_map(|class| {
        PREFIXES.iter().find_map(|prefix| class.strip_prefix(prefix)).map(str::to_owned)
    });
    named.find(|language| is_language(language)).or_else(|| rust_documentation(classes))
}

/// rustdoc and Sphinx mark examples with a bare class.
fn rust_documentation(classes: &str) -> Option<String> {
    let is_example = |class: &str| matches!(class, "rust" | "rust-example-rendered");
    classes.split_whitespace().any(is_example).then(|| "rust".to_owned())
}

fn is_language(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "+-#._".contains(letter);
    !name.is_empty()
        && name.len() <= 20
        && name.chars().all(plain)
        && !NOT_A_LANGUAGE.contains(&name.to_ascii_lowercase().as_str())
}
