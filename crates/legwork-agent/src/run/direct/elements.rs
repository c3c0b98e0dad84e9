//! What a query found of what is to be read: something, all of what it says, and of one thing. Where words
//! fit several that say different things, they are choices, and nothing is read.

use legwork_protocol::{Code, Reply, ToolError};
use serde_json::Value;

/// Letters of an element that a choice shows.
const SHOWN: usize = 80;

/// Refuses what was found where reading it would be a guess, or half of it.
pub(super) fn readable(reply: Reply, target: &str) -> Result<Reply, ToolError> {
    let seen = seen(&reply.data);
    let count = reply.data.get("count").and_then(Value::as_u64).unwrap_or_default();
    if count == 0 {
        return Err(ToolError::new(Code::NotFound, format!("{target:?} not found")));
    }
    if is_in_words(&reply.data) && lines(&reply.data).len() > 1 {
        let choices: Vec<String> = seen.into_iter().map(choice).collect();
        let message =
            format!("{target:?} matches {} elements: {}", choices.len(), choices.join("; "));
        return Err(ToolError::new(Code::Ambiguous, message));
    }
    let all = reply.data.get("items").and_then(Value::as_array).map_or(0, Vec::len);
    if usize::try_from(count).is_ok_and(|count| count > all) {
        let message = format!("{target:?} matches {count} elements, more than are read at once");
        return Err(ToolError::new(Code::InvalidInput, message));
    }
    if seen.iter().any(|item| item.get("cut") == Some(&Value::Bool(true))) {
        let message = format!("{target:?} says more than is read at once: name a part of it");
        return Err(ToolError::new(Code::InvalidInput, message));
    }
    Ok(reply)
}

/// What the elements say, each once where words were meant for one of them.
pub(super) fn lines(data: &Value) -> Vec<String> {
    let said = seen(data).into_iter().map(said).filter(|line| !line.is_empty());
    let mut lines: Vec<String> = said.map(str::to_owned).collect();
    if is_in_words(data) {
        lines.dedup();
    }
    lines
}

/// The ref of a choice that [`readable`] offered: a recipe keeps no words that only this page knows.
pub(super) fn reference(choice: &str) -> Option<&str> {
    let last = choice.rsplit(' ').next()?;
    let digits = last.strip_prefix('e')?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(last)
}

/// The elements that can be seen; all of them where none can, since they were asked for.
fn seen(data: &Value) -> Vec<&Value> {
    let items = data.get("items").and_then(Value::as_array);
    let items: Vec<&Value> = items.into_iter().flatten().collect();
    let hidden = |item: &Value| item.get("visible") == Some(&Value::Bool(false));
    let visible: Vec<&Value> = items.iter().copied().filter(|item| !hidden(item)).collect();
    if visible.is_empty() { items } else { visible }
}

fn is_in_words(data: &Value) -> bool {
    data.get("in_words") == Some(&Value::Bool(true))
}

/// What an element says: what is in it, all of its text, or its name.
fn said(item: &Value) -> &str {
    let parts = ["value", "content", "text", "name"];
    let mut parts = parts.into_iter().filter_map(|name| item.get(name)?.as_str());
    parts.find(|part| !part.is_empty()).unwrap_or_default()
}

/// An element as a choice, by what it says: `paragraph "Total: 30" e7`.
fn choice(item: &Value) -> String {
    let part = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
    let kind = match part("role") {
        "" | "generic" | "none" => part("tag"),
        role => role,
    };
    let words = said(item).split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = words.chars().take(SHOWN).collect();
    let more = if short.len() < words.len() { "…" } else { "" };
    format!("{kind} {:?} {}", format!("{short}{more}"), part("ref"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(in_words: bool, count: u64, items: Value) -> Reply {
        Reply::default().with_data(json!({ "in_words": in_words, "count": count, "items": items }))
    }

    #[test]
    fn what_words_name_is_read_whole_and_of_one_thing() {
        let bread =
            json!({ "ref": "e1", "role": "", "tag": "p", "text": "Rye; bread", "visible": true });
        let milk = json!({ "ref": "e2", "role": "textbox", "text": "", "value": "Oat milk", "visible": true });
        let ghost =
            json!({ "ref": "e3", "role": "", "tag": "p", "text": "Ghost", "visible": false });
        let long = json!({ "ref": "e4", "text": "Once…", "content": "Once\nupon a time", "visible": true });
        let cut = json!({ "ref": "e5", "text": "Once…", "cut": true, "visible": true });
        for (in_words, count, items, expected) in [
            (true, 2, json!([bread, milk]), Err(Code::Ambiguous)),
            (false, 2, json!([bread, milk]), Ok("Rye; bread\nOat milk")),
            (true, 2, json!([bread, bread]), Ok("Rye; bread")),
            (true, 2, json!([bread, ghost]), Ok("Rye; bread")),
            (false, 2, json!([ghost, bread]), Ok("Rye; bread")),
            (true, 1, json!([ghost]), Ok("Ghost")),
            (true, 1, json!([long]), Ok("Once\nupon a time")),
            (true, 1, json!([cut]), Err(Code::InvalidInput)),
            (false, 3, json!([bread, milk]), Err(Code::InvalidInput)),
            (true, 0, json!([]), Err(Code::NotFound)),
        ] {
            let read = readable(found(in_words, count, items.clone()), "it");
            let read = read.map(|reply| lines(&reply.data).join("\n")).map_err(|error| error.code);
            assert_eq!(read, expected.map(str::to_owned), "{items}");
        }
        let error = readable(found(true, 2, json!([bread, milk])), "it").unwrap_err();
        let choices = super::super::words::named(&error.message);
        assert_eq!(choices, ["p \"Rye; bread\" e1", "textbox \"Oat milk\" e2"]);
        assert_eq!(reference(&choices[1]), Some("e2"));
        assert_eq!(reference("Add e"), None);
    }
}
