//! What a model is told of an item: the goal, the item, how the shop is searched, and what is not to be done.
//! It is never told what follows from a report (G3).

use legwork_agent::think::Goal;
use legwork_protocol::assistant::TaskContext;

use super::report::{ADDED, NOT_FOUND};
use crate::errand::Errand;
use crate::lane::Lane;
use crate::preferences::Preference;
use crate::site::Site;

/// The goal of an errand.
pub(super) fn goal(errand: &Errand, lane: &Lane) -> Goal {
    let site = lane.site();
    let task = task(errand, site);
    let context = TaskContext {
        session_id: lane.session().to_owned(),
        current_url: site.search_url(&errand.item.wanted.what).into(),
        ..TaskContext::default()
    };
    Goal { instruction: task.clone(), task, context, obstacle: None }
}

fn task(errand: &Errand, site: &Site) -> String {
    let wanted = &errand.item.wanted;
    let (what, quantity) = (&wanted.what, wanted.quantity);
    let mut lines = vec![
        format!("Put one thing of a shopping list in the cart of {}.", site.name),
        format!("The thing: {what}"),
        format!("How many: {quantity}"),
        "What to do:".to_owned(),
        format!(
            "1. Find it. A search for it is open. For other words open {} with the words in place of WORDS.",
            site.search_url("WORDS")
        ),
        "2. Take what a careful person would take who reads this on the list. Brand, kind and size have to fit \
         where the list names them. If nothing fits, take nothing instead of it."
            .to_owned(),
        format!("3. Put {quantity} of it in the cart, besides what is there already, and see that the shop took it."),
        format!(
            "4. Call {ADDED} with what the shop calls the product, its price as shown, the price of one in cents, \
             the address of its page, and how many. If it cannot be found after a few searches in other words, or \
             cannot be bought, call {NOT_FOUND} and say what you searched for and saw."
        ),
        "What not to do:".to_owned(),
        format!("- Do not leave {}.", host(site)),
        "- No checkout, no payment, no account pages, and nothing else in the cart added, changed or removed."
            .to_owned(),
    ];
    lines.extend(site.hints.model.iter().map(|hint| format!("About this shop: {hint}")));
    lines.extend(errand.preference.as_ref().map(chosen_before));
    lines.join("\n")
}

fn host(site: &Site) -> String {
    site.home.host_str().unwrap_or(&site.name).to_owned()
}

/// It was a person who chose it, so it goes before everything else that fits.
fn chosen_before(chosen: &Preference) -> String {
    let Preference { product, url, size, brand, price_ceiling } = chosen;
    let mut line = format!("The last time this was taken: {product}");
    for part in [brand, size].into_iter().flatten() {
        line += &format!(", {part}");
    }
    line += &format!(", {url}. Take it again if it is there.");
    if let Some(most) = price_ceiling {
        line += &format!(" One may cost {most} at most.");
    }
    line
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use legwork_protocol::{Called, ToolCall, ToolHost};

    use super::*;
    use crate::errand::Budget;
    use crate::item::{Item, ItemId, Status};
    use crate::site;

    struct Nobody;

    impl ToolHost for Nobody {
        fn call(&self, _: ToolCall) -> Called<'_> {
            unreachable!("nothing is called")
        }

        fn end<'a>(&'a self, _: &'a str) -> legwork_protocol::Boxed<'a, ()> {
            Box::pin(async {})
        }
    }

    fn said(written: &str) -> String {
        let item = Item::read(ItemId::new("1"), written, Status::NeedsAction).unwrap();
        let lane = Lane::new(Arc::new(Nobody), "default", Arc::new(site::metro()));
        let errand = Errand { item, preference: None, budget: Budget::default(), turns: 0 };
        goal(&errand, &lane).task
    }

    #[test]
    fn the_task_names_item_quantity_search_reports_and_hints() {
        let told = said("3x oat milk 1 L");
        for part in [
            "The thing: oat milk 1 L",
            "How many: 3",
            "https://www.metro.ca/en/online-grocery/search?filter=WORDS",
            "report_item_added",
            "report_item_not_found",
            "Do not leave www.metro.ca",
            "About this shop: ",
        ] {
            assert!(told.contains(part), "{part} in {told}");
        }
    }

    #[test]
    fn g3_no_prompt_says_what_follows_from_a_report() {
        let tools = super::super::report::tools();
        let about: Vec<_> = tools
            .iter()
            .map(|tool| format!("{} {}", tool.about, serde_json::json!(tool.schema)))
            .collect();
        let told = format!("{}\n{}", said("milk"), about.join("\n")).to_lowercase();
        for word in [
            "end", "ends", "finish", "finishes", "final", "terminal", "stop", "stops", "once",
            "only",
        ] {
            let found = told.split(|c: char| !c.is_alphanumeric()).any(|one| one == word);
            assert!(!found, "{word} in {told}");
        }
    }
}
