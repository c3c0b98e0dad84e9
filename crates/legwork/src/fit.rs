//! Data that keeps to a budget. The text beside it is the reply, and has a budget of its own; data that is
//! longer than a page's text ever is keeps its shape, and says that it is cut and which file has the whole.

use legwork_protocol::Reply;
use legwork_tools::Files;
use serde_json::{Map, Value};

/// Bytes of JSON. No reply that nobody asked to be longer comes near.
const MOST: usize = 32 * 1024;

/// Bytes that an entry of a list keeps at least: fewer entries, rather than none that can be read.
const ENTRY: usize = 300;

/// The reply with as much of its data as may be sent. A picture in it that is too long goes beside it alone.
pub fn reply(reply: Reply, files: &Files) -> Reply {
    if size(&reply.data) <= MOST {
        return reply;
    }
    let data = within(reply.data_beside_images(), files);
    Reply { data, ..reply }
}

/// The data, as much of it as may be sent.
pub fn within(data: Value, files: &Files) -> Value {
    if size(&data) <= MOST {
        return data;
    }
    let kept = files.keep_data(&data);
    let kept = kept.inspect_err(|error| tracing::warn!(%error, "long data is kept nowhere"));
    match cut(data, MOST) {
        Value::Object(mut fields) => {
            fields.insert("cut".to_owned(), true.into());
            if let Ok(file) = kept {
                fields.insert("whole".to_owned(), file.display().to_string().into());
            }
            fields.into()
        }
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
    fn data_keeps_its_shape_within_the_budget_and_its_rest_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::in_folder(folder.path());
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
            let cut = within(data.clone(), &files);
            let file = cut["whole"].as_str().unwrap();
            let said = r#","cut":true,"whole":"""#.len() + file.len();
            assert!(size(&cut) <= MOST + said, "{kept}: {}", size(&cut));
            let whole: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
            assert_eq!(whole, data, "{kept}");
            assert_eq!(cut["cut"], true, "{kept}");
            assert!(cut.pointer(kept).is_some(), "{kept}");
        }
    }

    #[test]
    fn data_that_is_short_stays_as_it_is() {
        let data = json!({ "page": "x".repeat(20_000), "url": "http://localhost/" });
        assert_eq!(within(data.clone(), &Files::in_folder("/nowhere")), data);
    }
}
