//! A value in every spelling that pages and programs give it.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

fn percent(text: &str, keep: fn(u8) -> bool, lower: bool) -> String {
    let one = |byte: u8| match (keep(byte), lower) {
        (true, _) => char::from(byte).to_string(),
        (false, true) => format!("%{byte:02x}"),
        (false, false) => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}

fn entities(text: &str, hex: bool) -> String {
    let one = |letter: char| match hex {
        true => format!("&#x{:X};", u32::from(letter)),
        false => format!("&#{};", u32::from(letter)),
    };
    text.chars().map(one).collect()
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn json_of(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted[1..quoted.len() - 1].to_owned()
}

fn ascii_json(text: &str) -> String {
    let mut units = [0; 2];
    let unit = |unit: &u16| format!("\\u{unit:04x}");
    text.chars()
        .flat_map(|l| l.encode_utf16(&mut units).iter().map(unit).collect::<Vec<_>>())
        .collect()
}

fn form(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// A value in every spelling that pages and programs give it.
pub fn spellings(value: &str) -> Vec<String> {
    let alone = |byte: u8| byte.is_ascii_alphanumeric();
    let none = |_: u8| false;
    let mut all = vec![
        value.to_owned(),
        percent(value, alone, false),
        percent(value, alone, true),
        percent(value, none, false),
        form(value),
        html(value),
        html(value).replace('\'', "&#39;"),
        entities(value, true),
        entities(value, false),
        json_of(value),
        json_of(value).replace('/', "\\/"),
        ascii_json(value),
        format!("{value:?}"),
        json_of(&html(value)),
        html(&json_of(value)),
        form(&form(value)),
        form(&json_of(value)),
    ];
    for before in ["", "a", "ab"] {
        for behind in ["", "c", "cd"] {
            let whole = format!("{before}{value}{behind}");
            all.push(STANDARD.encode(&whole));
            all.push(URL_SAFE_NO_PAD.encode(&whole));
            all.push(form(&STANDARD.encode(&whole)));
            all.push(json_of(&STANDARD.encode(&whole)).replace('/', "\\/"));
        }
    }
    all
}
