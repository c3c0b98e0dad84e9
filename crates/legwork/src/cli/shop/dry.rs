//! What a trip would buy, without one.

use legwork_shop::item::{Item, Worklist};
use legwork_shop::preferences::Preference;
use serde::Serialize;

use super::super::failure::Failure;
use super::super::show;
use super::unusable;
use crate::shop::{Folder, Plan};

/// What would be bought.
#[derive(Serialize)]
struct Would {
    site: String,
    list: String,
    items: Vec<Line>,
    /// Say the same as one that comes before.
    duplicates: Vec<String>,
    /// Left alone for their tags.
    skipped: Vec<String>,
}

#[derive(Serialize)]
struct Line {
    item: String,
    quantity: u32,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    preference: Option<Preference>,
}

pub(super) async fn run(plan: &Plan, folder: &Folder, json: bool) -> Result<(), Failure> {
    let items = plan.source.looked_at(folder, plan.resume).await.map_err(unusable)?;
    let list = Worklist::of(items, plan.retry);
    let preferences = folder.preferences();
    let line = |item: &Item| -> Result<Line, Failure> {
        let what = item.wanted.what.clone();
        let preference = preferences.find(&plan.site.name, &what);
        let preference = preference.map_err(|error| unusable(error.into()))?;
        let (item, quantity) = (item.name.clone(), item.wanted.quantity);
        Ok(Line { item, quantity, what, preference })
    };
    let would = Would {
        site: plan.site.name.clone(),
        list: plan.source.to_string(),
        items: list.todo.iter().map(line).collect::<Result<_, _>>()?,
        duplicates: list.duplicates.iter().map(|one| one.item.name.clone()).collect(),
        skipped: list.skipped.iter().map(Item::tagged_name).collect(),
    };
    match json {
        true => show::line(&serde_json::json!(would).to_string()),
        false => show::line(&told(&would)),
    }
}

fn told(would: &Would) -> String {
    let Would { site, list, items, duplicates, skipped } = would;
    let mut lines = vec![format!("At {site}, from {list}, this would be bought:")];
    for Line { quantity, what, preference, .. } in items {
        let chosen = preference.as_ref().map(|one| format!(" ({})", one.product));
        lines.push(format!("  {quantity} × {what}{}", chosen.unwrap_or_default()));
    }
    if items.is_empty() {
        lines.push("  nothing".to_owned());
    }
    let more = duplicates.iter().map(|name| format!("  {name}: said before, bought once"));
    lines.extend(more);
    lines.extend(skipped.iter().map(|name| format!("  {name}: left alone")));
    lines.join("\n")
}
