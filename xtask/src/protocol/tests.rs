//! The check on a small made-up protocol.

use legwork_cdp::describe::Field;
use serde_json::json;

use super::*;

const fn field(name: &'static str, rust: &'static str, optional: bool) -> Field {
    Field { name, renamed: None, rust, optional }
}

const fn item(kind: Kind, name: &'static str, fields: &'static [Field]) -> Item {
    Item { kind, name, rust: name, fields, reply: &[] }
}

fn published() -> Published {
    let shop = json!({
        "domain": "Shop",
        "types": [
            { "id": "BasketId", "type": "string" },
            { "id": "Fruit", "type": "object", "properties": [
                { "name": "weight", "type": "number" },
                { "name": "skinColor", "type": "string", "optional": true },
            ] },
        ],
        "commands": [{
            "name": "buy",
            "parameters": [
                { "name": "basketId", "$ref": "BasketId" },
                { "name": "fruits", "type": "array", "items": { "$ref": "Fruit" } },
                { "name": "count", "type": "integer", "optional": true },
            ],
            "returns": [{ "name": "price", "type": "number" }],
        }],
        "events": [{ "name": "closed", "parameters": [
            { "name": "reason", "type": "string", "optional": true },
            { "name": "data", "type": "any" },
        ] }],
    });
    serde_json::from_value(json!({ "domains": [shop] })).unwrap()
}

fn disagreements(items: &'static [Item]) -> Vec<String> {
    compare_all(&[Domain { name: "Shop", items }], &published()).disagreements
}

const FRUIT: Item = item(
    Kind::Type,
    "Fruit",
    &[field("weight", "f64", false), field("skin_color", "String", true)],
);

#[test]
fn what_agrees_is_not_mentioned() {
    const BUY: Item = Item {
        reply: &[field("price", "f64", false)],
        ..item(
            Kind::Command,
            "buy",
            &[
                field("basket_id", "String", false),
                field("fruits", "Vec<Fruit>", false),
                field("count", "i64", true),
            ],
        )
    };
    const CLOSED: Item = item(
        Kind::Event,
        "closed",
        &[field("reason", "String", true), field("data", "Box<RawValue>", true)],
    );
    assert_eq!(disagreements(&[BUY, CLOSED, FRUIT]), [""; 0]);
}

#[test]
fn a_wrong_type_is_named() {
    const BUY: Item = Item {
        reply: &[field("price", "String", false)],
        ..item(
            Kind::Command,
            "buy",
            &[
                field("basket_id", "i64", false),
                field("fruits", "Vec<String>", false),
                field("count", "f64", true),
            ],
        )
    };
    assert_eq!(
        disagreements(&[BUY]),
        [
            "Shop.buy: the field basketId is Shop.BasketId (string), not i64.",
            "Shop.buy: the field fruits is array of Shop.Fruit (object), not Vec<String>.",
            "Shop.buy: the field count is integer, not f64.",
            "Shop.buy (answer): the field price is number, not String.",
        ]
    );
}

#[test]
fn a_missing_or_wrongly_optional_field_is_named() {
    const BUY: Item = item(
        Kind::Command,
        "buy",
        &[field("basket_id", "String", true), field("colour", "String", true)],
    );
    const CLOSED: Item = item(Kind::Event, "closed", &[field("reason", "String", false)]);
    assert_eq!(
        disagreements(&[BUY, CLOSED]),
        [
            "Shop.buy: the field basketId is required, but optional here.",
            "Shop.buy has no field colour.",
            "Shop.buy: the required field fruits is not declared.",
            "Shop.closed: the field reason may be missing, but is required here.",
        ]
    );
}

#[test]
fn what_does_not_exist_is_named() {
    const SELL: Item = item(Kind::Command, "sell", &[]);
    const OPENED: Item = item(Kind::Event, "opened", &[]);
    const NUT: Item = item(Kind::Type, "Nut", &[]);
    assert_eq!(
        disagreements(&[SELL, OPENED, NUT]),
        [
            "The command Shop.sell does not exist.",
            "The event Shop.opened does not exist.",
            "The type Shop.Nut does not exist.",
        ]
    );
    let nowhere = [Domain { name: "Nowhere", items: &[] }];
    let report = compare_all(&nowhere, &published());
    assert_eq!(report.disagreements, ["The domain Nowhere does not exist."]);
}
