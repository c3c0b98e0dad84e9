//! `browser_query`: elements as data (W1).

use legwork_engine::{Found, Item, Target};
use legwork_protocol::{Query, Reply, ToolError};
use serde_json::{Value, json};

use super::{Execute, target};
use crate::answer::shortened;
use crate::desk::Desk;
use crate::failure::from_engine;
use crate::policy::Permitted;

impl Execute for Query {
    async fn run(permitted: Permitted<Query>, desk: &Desk) -> Result<Reply, ToolError> {
        let query = permitted.into_action();
        let limit = query.limit.unwrap_or(10).min(500);
        let page = desk.page().await?;
        let target = target(&query.target)?;
        // Who keeps what is read, as a run of the assistant does, reads all of it.
        let found = match desk.describes() {
            true => page.query_whole(&target, limit).await,
            false => page.query(&target, limit).await,
        };
        let found = found.map_err(from_engine)?;
        let items: Vec<Value> = found.items.iter().map(item_data).collect();
        let mut data = json!({ "count": found.count, "items": items });
        // A selector may be meant for several elements; words are meant for one.
        if desk.describes() {
            data["in_words"] = matches!(target, Target::Words(_) | Target::Text(_)).into();
        }
        if let Some(window) = &found.window {
            data["window"] = json!({
                "width": window.width, "height": window.height, "x": window.x, "y": window.y,
                "ready": window.ready,
            });
        }
        Ok(Reply::text(desk.within(&told(&found), None)).with_data(data))
    }
}

fn told(found: &Found) -> String {
    let matches = match found.count {
        1 => "1 match".to_owned(),
        count => format!("{count} matches"),
    };
    let listed = match found.items.len() < found.count {
        true => format!("{matches}, the first {}:", found.items.len()),
        false => matches,
    };
    let lines = found.items.iter().map(item_line);
    [listed].into_iter().chain(lines).collect::<Vec<_>>().join("\n")
}

fn item_line(item: &Item) -> String {
    let mut line = item.reference.clone();
    if !item.role.is_empty() {
        line += &format!(" {}", item.role);
    }
    if !item.name.is_empty() {
        line += &format!(" {:?}", shortened(&item.name, 80));
    }
    if !item.text.is_empty() && item.text != item.name {
        line += &format!(" text={:?}", shortened(&item.text, 200));
    }
    if let Some(value) = &item.value {
        line += &format!(" value={value:?}");
    }
    for (name, value) in &item.attributes {
        line += &format!(" {name}={:?}", shortened(value, 100));
    }
    let states = [
        (!item.visible, "hidden"),
        (!item.enabled, "disabled"),
        (item.checked == Some(true), "checked"),
    ];
    for (_, word) in states.iter().filter(|(is, _)| *is) {
        line += &format!(" {word}");
    }
    let area = item.area;
    line + &format!(" at {:.0},{:.0} {:.0}x{:.0}", area.x, area.y, area.width, area.height)
}

fn item_data(item: &Item) -> Value {
    let mut data = json!({
        "ref": item.reference, "tag": item.tag, "role": item.role, "name": item.name, "text": item.text,
        "attributes": item.attributes, "control": item.control, "visible": item.visible, "enabled": item.enabled,
        "checked": item.checked, "value": item.value, "kind": item.kind,
        "box": {
            "x": item.area.x, "y": item.area.y, "width": item.area.width, "height": item.area.height,
        },
    });
    if let Some(content) = &item.content {
        data["content"] = content.as_str().into();
    }
    if item.cut {
        data["cut"] = true.into();
    }
    data
}
