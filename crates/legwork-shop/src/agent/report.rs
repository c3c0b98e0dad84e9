//! The two tools by which an agent says what came of an item, and what is taken from it.

use legwork_agent::model::Tool;
use legwork_agent::think::Reports;
use legwork_protocol::ToolError;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::errand::Errand;
use crate::preferences;
use crate::site::Site;
use crate::summary::{Added, Report};
use crate::visible::visible;

/// Says that an item is in the cart.
pub(super) const ADDED: &str = "report_item_added";

/// Says that the shop does not have it.
pub(super) const NOT_FOUND: &str = "report_item_not_found";

/// What was reported.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reported {
    Added(Box<Added>),
    NotFound { reason: String, out_of_stock: bool },
}

/// Takes the report of an item.
pub(super) struct ItemReports<'a> {
    errand: &'a Errand,
    site: &'a Site,
    /// The report, once one was taken.
    pub(super) taken: Option<Reported>,
}

impl<'a> ItemReports<'a> {
    pub(super) fn new(errand: &'a Errand, site: &'a Site) -> ItemReports<'a> {
        ItemReports { errand, site, taken: None }
    }

    fn added(&self, arguments: Map<String, Value>) -> Result<Reported, ToolError> {
        let said: ItemAdded = added().read(arguments)?;
        let (item_name, price_text) = (visible(&said.item_name), visible(&said.price_text));
        let report = Report {
            item_name: &item_name,
            price_text: &price_text,
            price_cents: said.price_cents,
            url: &said.url,
            quantity: said.quantity,
        };
        let added = Added::reported(&self.errand.item.name, &report, self.site)
            .map_err(|error| ToolError::invalid(error.to_string()).with_hint(HINT))?;
        let asked = self.errand.item.wanted.quantity;
        if added.quantity != asked {
            let told = format!("the list asks for {asked}, not for {}", added.quantity);
            let hint = format!("see that {asked} of it were added, then report {asked}");
            return Err(ToolError::invalid(told).with_hint(hint));
        }
        if let Some(why) =
            preferences::over(self.errand.ceiling(), &added.price, self.site.currency)
        {
            let hint = "take it out of the cart again; find one that costs less, or report that there is none";
            return Err(ToolError::invalid(why).with_hint(hint));
        }
        Ok(Reported::Added(Box::new(added)))
    }

    fn not_found(&self, arguments: Map<String, Value>) -> Result<Reported, ToolError> {
        let said: ItemNotFound = not_found().read(arguments)?;
        let reason = visible(&said.explanation);
        let reason = reason.trim();
        if said.item_name.trim().is_empty() || reason.is_empty() {
            let told = format!("{NOT_FOUND}: neither item_name nor explanation may be empty");
            return Err(ToolError::invalid(told).with_hint("say what was searched for and seen"));
        }
        let out_of_stock = is_out_of_stock(reason);
        Ok(Reported::NotFound { reason: reason.to_owned(), out_of_stock })
    }
}

const HINT: &str = "look at the product's page, and report what it shows";

impl Reports for ItemReports<'_> {
    fn tools(&self) -> Vec<Tool> {
        tools()
    }

    fn report(&mut self, tool: &str, arguments: Map<String, Value>) -> Result<String, ToolError> {
        let reported = match tool {
            ADDED => self.added(arguments)?,
            _ => self.not_found(arguments)?,
        };
        // The first report that is taken counts.
        self.taken.get_or_insert(reported);
        Ok(tool.to_owned())
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ItemAdded {
    item_name: String,
    price_text: String,
    price_cents: u64,
    url: String,
    #[serde(default = "one")]
    quantity: u32,
}

fn one() -> u32 {
    1
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ItemNotFound {
    item_name: String,
    explanation: String,
}

/// The tools as a model is offered them.
pub(super) fn tools() -> Vec<Tool> {
    vec![added(), not_found()]
}

fn added() -> Tool {
    let whole = |least: u32, about: &str| json!({ "type": "integer", "minimum": least, "description": about });
    let properties = json!({
        "item_name": text("What the shop calls the product"),
        "price_text": text("Its price as the shop shows it, such as $12.34"),
        "price_cents": whole(0, "The price of one in cents, such as 1234"),
        "url": text("The address of the product's page"),
        "quantity": whole(1, "How many of it were put in the cart; 1 if left out"),
    });
    let required = ["item_name", "price_text", "price_cents", "url"];
    Tool::new(ADDED, "Reports that the item is in the cart.", properties, &required)
}

fn not_found() -> Tool {
    let properties = json!({
        "item_name": text("The item as the list says it"),
        "explanation": text("What was searched for, what was seen, and why nothing was taken"),
    });
    let about = "Reports that the item could not be found, or cannot be bought.";
    Tool::new(NOT_FOUND, about, properties, &["item_name", "explanation"])
}

fn text(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

/// Whether an explanation says that the shop has it at other times.
fn is_out_of_stock(reason: &str) -> bool {
    let reason = reason.to_lowercase();
    let says = ["out of stock", "out-of-stock", "sold out", "rupture de stock", "ausverkauft"];
    says.iter().any(|words| reason.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errand::Budget;
    use crate::item::{Item, ItemId, Status};
    use crate::preferences::Preference;
    use crate::site;

    fn errand(written: &str) -> Errand {
        let item = Item::read(ItemId::new("1"), written, Status::NeedsAction).unwrap();
        Errand { item, preference: None, budget: Budget::default(), turns: 0 }
    }

    fn arguments(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    fn milk() -> Value {
        json!({
            "item_name": "Oat milk, 1 L", "price_text": "$3.49", "price_cents": 349,
            "url": "https://www.metro.ca/en/online-grocery/oat-milk", "quantity": 2,
        })
    }

    /// The sample with some fields changed; null leaves one out.
    fn but(changes: Value) -> Map<String, Value> {
        let mut all = arguments(milk());
        for (name, value) in arguments(changes) {
            match value {
                Value::Null => _ = all.remove(&name),
                value => _ = all.insert(name, value),
            }
        }
        all
    }

    #[test]
    fn g3_a_report_that_fits_together_is_taken_and_the_first_counts() {
        let (errand, site) = (errand("2x oat milk"), site::metro());
        let mut reports = ItemReports::new(&errand, &site);
        reports.report(ADDED, arguments(milk())).unwrap();
        let later = json!({ "item_name": "oat milk", "explanation": "none" });
        reports.report(NOT_FOUND, arguments(later)).unwrap();
        let Some(Reported::Added(added)) = reports.taken else { panic!() };
        assert_eq!((added.product.as_str(), added.quantity), ("Oat milk, 1 L", 2));
    }

    #[test]
    fn g3_a_report_that_does_not_is_refused_with_the_reason() {
        let (errand, site) = (errand("2x oat milk"), site::metro());
        for (changes, reason) in [
            (json!({ "price_cents": 394 }), "is 349 cents each, not 394"),
            (json!({ "price_text": "cheap" }), "is not a price"),
            (json!({ "price_text": "3,49 €" }), "currency"),
            (json!({ "price_cents": -349 }), "invalid value"),
            (json!({ "price_cents": "349" }), "invalid type"),
            (json!({ "url": "https://evil.example/oat-milk" }), "not a page of this shop"),
            (json!({ "url": "javascript:alert(1)" }), "not a page of this shop"),
            (json!({ "url": null }), "missing field `url`"),
            (json!({ "quantity": 0 }), "between 1 and"),
            (json!({ "quantity": 99 }), "asks for 2, not for 99"),
            (json!({ "quantity": null }), "asks for 2, not for 1"),
            (json!({ "item_name": " " }), "does not name the product"),
            (json!({ "note": "hi" }), "unknown field"),
        ] {
            let mut reports = ItemReports::new(&errand, &site);
            let error = reports.report(ADDED, but(changes)).unwrap_err();
            assert!(error.message.contains(reason), "{reason} in {error:?}");
            assert!(error.hint.is_some() && reports.taken.is_none(), "{error:?}");
        }
    }

    #[test]
    fn what_costs_more_than_a_person_allows_is_not_taken() {
        let (mut errand, site) = (errand("2x oat milk"), site::metro());
        for (ceiling, taken) in [("$3.48", false), ("$3.49", true)] {
            errand.preference = Some(Preference {
                product: "Oat milk".into(),
                url: "https://www.metro.ca/en/online-grocery/other".parse().unwrap(),
                size: None,
                brand: None,
                price_ceiling: Some(ceiling.into()),
            });
            let mut reports = ItemReports::new(&errand, &site);
            let answer = reports.report(ADDED, arguments(milk()));
            assert_eq!((answer.is_ok(), reports.taken.is_some()), (taken, taken), "{answer:?}");
        }
    }

    #[test]
    fn g3_the_quantity_is_one_if_it_is_left_out() {
        let (errand, site) = (errand("oat milk"), site::metro());
        let mut reports = ItemReports::new(&errand, &site);
        reports.report(ADDED, but(json!({ "quantity": null }))).unwrap();
        assert!(matches!(reports.taken, Some(Reported::Added(added)) if added.quantity == 1));
    }

    #[test]
    fn what_is_not_found_needs_an_explanation() {
        let (errand, site) = (errand("oat milk"), site::metro());
        let mut reports = ItemReports::new(&errand, &site);
        let silent = json!({ "item_name": "oat milk", "explanation": " " });
        assert!(reports.report(NOT_FOUND, arguments(silent)).is_err());
        let told = json!({ "item_name": "oat milk", "explanation": "All of it is sold out." });
        reports.report(NOT_FOUND, arguments(told)).unwrap();
        let reason = "All of it is sold out.".to_owned();
        assert_eq!(reports.taken, Some(Reported::NotFound { reason, out_of_stock: true }));
    }
}
