//! Pages of real shops, as the snapshot shows them, for tests.

use crate::page::Page;
use crate::site::Site;

/// A page from `tests/pages`, and the shop it is from.
pub(crate) fn shop(name: &str) -> Site {
    let (cart, currency) = match name {
        "oscar" => ("basket/", "GBP"),
        _ => ("cart", "CAD"),
    };
    let text = format!(
        r#"
name = "Shop"
home = "http://127.0.0.1:8000/"
search = "http://127.0.0.1:8000/search?q={{query}}"
cart = "http://127.0.0.1:8000/{cart}"
currency = "{currency}"
[hosts]
required = ["127.0.0.1:8000"]
[paths]
blocked = ["**/checkout*"]
"#
    );
    Site::parse(&text).unwrap()
}

/// A page of it.
pub(crate) fn page(shop: &str, name: &str) -> Page {
    let path = format!("{}/tests/pages/{shop}/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let (about, body) = text.split_once('\n').unwrap();
    let (title, url) = about.rsplit_once(" (").unwrap();
    Page::read(url.trim_end_matches(')'), title, body)
}
