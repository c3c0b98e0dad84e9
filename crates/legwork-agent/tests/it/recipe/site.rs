//! A small shop, as it is and as it may have become, and what a person did in it.

use legwork_agent::recipe::Recipe;
use legwork_protocol::rpc::BrowserEvent;
use serde_json::json;

use crate::support::{Site, html};

/// How the shop looks today.
#[derive(Clone, Copy, PartialEq)]
pub enum Shop {
    /// As it was recorded.
    Usual,
    /// Two things have other names; their ids are the same.
    Renamed,
    /// The button is gone. In its place is another one.
    Rebuilt,
    /// Signing in leads to a notice.
    Closed,
}

pub async fn shop(shop: Shop) -> Site {
    Site::start(move |path| {
        let (page, query) = path.split_once('?').unwrap_or((path, ""));
        match page {
            "/shelf" if shop == Shop::Closed => html("<script>location = '/closed'</script>"),
            "/closed" => html("<h1>We are closed</h1>"),
            "/shelf" => html(&shelf(query)),
            "/order" => html("<h1>Thank you</h1><p>It is on its way.</p>"),
            "/deleted" => html("<h1>Deleted</h1>"),
            _ => html(&door(shop)),
        }
    })
    .await
}

fn door(shop: Shop) -> String {
    let (label, button) = match shop {
        Shop::Renamed => ("Your email", "<button id=enter>Continue</button>"),
        Shop::Rebuilt => (
            "Email",
            "<button formaction=/deleted>Delete account</button> <a href=/shelf>Log in with a link</a>",
        ),
        _ => ("Email", "<button id=enter>Log in</button>"),
    };
    format!(
        "<title>Shop</title><h1>Shop</h1><form action=/shelf>
         <label>{label} <input id=email name=email type=email></label>
         <label>Password <input id=password name=password type=password></label>
         {button}</form><button type=button>Idle</button>"
    )
}

fn shelf(query: &str) -> String {
    let email = query.split('&').find_map(|pair| pair.strip_prefix("email=")).unwrap_or_default();
    format!(
        "<title>Shelf</title><h1>Shelf</h1><ul>
         <li>Bread <button onclick='add(\"Bread\")'>Add</button></li>
         <li>Oat milk <button onclick='add(\"Oat milk\")'>Add</button></li></ul>
         <p role=status id=said></p>
         <form action=/order><input type=hidden name=email value='{email}'>
         <input type=hidden name=item id=item>
         <label>Amount <input name=amount></label>
         <label><input type=checkbox name=gift> Gift</label>
         <label>Speed <select name=speed><option>Slow<option>Fast</select></label>
         <button>Order</button></form>
         <script>function add(what) {{ item.value = what; said.textContent = what + ' is in the basket'; }}</script>"
    )
}

/// The same recipe for the shop at its new address.
pub fn move_to(recipe: &mut Recipe, from: &Site, to: &Site) {
    let text = recipe.text().unwrap().replace(&from.origin(), &to.origin());
    *recipe = Recipe::parse(&text).unwrap();
}

/// What a recorded session tells of a person who signs in, as it is on the wire.
pub fn told_by_a_person(origin: &str) -> Vec<BrowserEvent> {
    let email = json!({ "role": "textbox", "name": "Email", "kind": "email",
        "find": ["role=textbox[name=\"Email\" exact]", "css=#email"] });
    let password = json!({ "role": "textbox", "name": "Password", "kind": "password", "secret": true,
        "find": ["role=textbox[name=\"Password\" exact]", "css=#password"] });
    let button = json!({ "role": "button", "name": "Log in",
        "find": ["role=button[name=\"Log in\" exact]", "css=#enter"] });
    let acted = |act: serde_json::Value, element: &serde_json::Value| {
        let mut event = json!({ "event": "user_acted", "tab": 1, "element": element });
        event.as_object_mut().unwrap().extend(act.as_object().unwrap().clone());
        event
    };
    let events = json!([
        { "event": "user_acted", "tab": 1, "act": "went_to", "url": origin },
        { "event": "navigated", "tab": 1, "url": format!("{origin}/") },
        acted(json!({ "act": "clicked", "button": "left", "count": 1 }), &email),
        acted(json!({ "act": "filled", "value": "an" }), &email),
        acted(json!({ "act": "filled", "value": "ann@x.org" }), &email),
        acted(json!({ "act": "clicked", "button": "left", "count": 1 }), &password),
        acted(json!({ "act": "entered_secret" }), &password),
        acted(json!({ "act": "clicked", "button": "left", "count": 1 }), &button),
        { "event": "navigated", "tab": 1, "url": format!("{origin}/shelf?email=ann%40x.org&password=x") },
    ]);
    serde_json::from_value(events).unwrap()
}
