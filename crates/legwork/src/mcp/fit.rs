//! Data that keeps to a budget. The text beside it is the reply, and has a budget of its own; data that is
//! longer than a page's text ever is keeps its shape, and says that it is cut.

use serde_json::{Map, Value};

/// Bytes of JSON. No reply that nobody asked to be longer comes near.
const MOST: usize = 32 * 1024;

/// Bytes that an entry of a list keeps at least: fewer entries, rather than none that can be read.
const ENTRY: usize = 300;

/// The data, as much of it as may be sent.
pub fn within(data: Value) -> Value {
    if size(&data) <= MOST {
        return data;
    }
    let said = ("cut".to_owned(), true.into());
    match cut(data, MOST) {
        Value::Object(fields) => fields.into_iter().chain([said]).collect::<Map<_, _>>().into(),
        other => other,
    }
}

fn size(value: &Value) -> usize {
    // Writing to memory fails for no value.
    serde_json::to_vec(value).map_or(0, |json| json.len())
}

/// A value in so many bytes.
fn cut(value: Value, room: usize) -> Value {
    if size(&value) <= room {
        return value;
    }
    match value {
        Value::String(text) => beginning(&text, room).into(),
        Value::Array(entries) => {
            let kept = entries.len().min(room / ENTRY);
            let each = room.checked_div(kept).unwrap_or_default().saturating_sub(1);
            entries.into_iter().take(kept).map(|entry| cut(entry, each)).collect()
        }
        Value::Object(fields) => members(fields, room).into(),
        _ => Value::Null,
    }
}

/// The beginning of a text, in so many bytes of JSON with its quotes.
fn beginning(text: &str, room: usize) -> String {
    let mut left = room.saturating_sub("\"…\"".len());
    let fits = |letter: &char| {
        let bytes = match letter {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            '\0'..'\u{20}' => 6,
            other => other.len_utf8(),
        };
        let fits = bytes <= left;
        left = left.saturating_sub(bytes);
        fits
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// The members of an object: the longest is cut, and goes if that is not enough.
fn members(mut fields: Map<String, Value>, room: usize) -> Map<String, Value> {
    loop {
        let whole = size(&Value::Object(fields.clone()));
        let longest = fields.iter().max_by_key(|(_, value)| size(value));
        let Some(name) = longest.map(|(name, _)| name.clone()).filter(|_| whole > room) else {
            return fields;
        };
        let Some(value) = fields.remove(&name) else { return fields };
        let others = whole - size(&value);
        if others < room {
            fields.insert(name, cut(value, room - others));
            return fields;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn data_keeps_its_shape_within_the_budget() {
        let long = "a \"quoted\" line\n".repeat(4_000);
        let items = |count: usize| -> Vec<Value> {
            (0..count).map(|n| json!({ "ref": format!("e{n}"), "name": "x".repeat(200) })).collect()
        };
        let step = || json!({ "tool": "browser_snapshot", "ok": true, "reply": { "page": long } });
        for (data, kept) in [
            (json!({ "format": "text", "content": long }), "/content"),
            (json!({ "count": 500, "items": items(500) }), "/items/90/name"),
            (json!({ "steps": [step(), step(), step(), step(), step()] }), "/steps/4/reply/page"),
            (json!({ "steps": vec![step(); 100] }), "/steps/99/ok"),
            (json!({ "url": long, "title": long, "page": "short" }), "/page"),
            (json!({ "control": "\u{1}".repeat(9_000), "page": "short" }), "/page"),
        ] {
            let cut = within(data);
            assert!(size(&cut) <= MOST + r#","cut":true"#.len(), "{kept}: {}", size(&cut));
            assert_eq!(cut["cut"], true, "{kept}");
            assert!(cut.pointer(kept).is_some(), "{kept}");
        }
    }

    #[test]
    fn data_that_is_short_stays_as_it_is() {
        let data = json!({ "page": "x".repeat(20_000), "url": "http://localhost/" });
        assert_eq!(within(data.clone()), data);
    }
}
