//! A person at an MCP client is asked before what the policy wants asked, by elicitation, in both forms the
//! protocol has for it. The model that calls the tools has no part in it.

use serde_json::{Value, json};

use crate::support::{Client, legwork};

const PAGE: &str = "<h2>Checkout</h2><form onsubmit='event.preventDefault(); document.title += 1'>\
    <p>Total: 20.00 €</p><button>Pay now</button></form>";

/// A client that can ask its user, with the shop open. The policy is the usual one.
fn client(capabilities: Value) -> Client {
    let mut client = Client::silent(&[]);
    let info = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info });
    client.ask("initialize", params);
    client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let page = client.scratch.path().join("shop.html");
    std::fs::write(&page, PAGE).unwrap();
    client.text("browser_navigate", json!({ "url": page.display().to_string() }));
    client
}

/// Clicks, and answers what is asked meanwhile; the result and the question.
fn pay(client: &mut Client, answer: Option<Value>) -> (Value, Option<String>) {
    let call = json!({ "name": "browser_click", "arguments": { "target": "Pay now" } });
    let id = client.request("tools/call", call);
    let mut asked = None;
    loop {
        let message: Value = serde_json::from_str(&client.line()).unwrap();
        if message["method"] == "elicitation/create" {
            asked = message["params"]["message"].as_str().map(str::to_owned);
            let answer = answer.clone().expect("nobody was to be asked");
            client.send(json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer }));
        } else if message["id"] == id {
            return (message["result"].clone(), asked);
        }
    }
}

fn paid(client: &mut Client) -> String {
    client.text("browser_eval", json!({ "expression": "document.title" }))
}

#[test]
fn a_person_is_asked_during_the_call_and_what_they_say_counts() {
    let mut client = client(json!({ "elicitation": {} }));
    let (result, asked) = pay(&mut client, Some(json!({ "action": "decline" })));
    let asked = asked.unwrap();
    assert!(asked.contains("Pay now") && asked.contains("20.00 €"), "{asked}");
    assert_eq!(result["isError"], json!(true), "{result}");
    assert!(!paid(&mut client).contains('1'));
    let yes = json!({ "action": "accept", "content": { "always": false } });
    let (result, _) = pay(&mut client, Some(yes));
    assert_eq!(result["isError"], json!(false), "{result}");
    assert!(paid(&mut client).contains('1'));
}

#[test]
fn a_client_that_cannot_ask_anybody_goes_on_as_the_policy_says() {
    let mut client = client(json!({}));
    let (result, asked) = pay(&mut client, None);
    assert_eq!((asked, &result["isError"]), (None, &json!(false)), "{result}");
    let mut strict = Client::new(&["--policy", "guarded"]);
    let refused = strict.call("browser_navigate", json!({ "url": "http://127.0.0.1:9/" }));
    assert_eq!(refused["isError"], json!(true), "{refused}");
    assert!(refused["content"][0]["text"].as_str().unwrap().starts_with("denied: "), "{refused}");
}

#[test]
fn the_record_says_which_client_called() {
    let mut client = client(json!({}));
    client.text("browser_snapshot", json!({}));
    let list = |arguments: &[&str]| {
        let told = legwork(client.scratch.path(), arguments).output().unwrap();
        String::from_utf8(told.stdout).unwrap()
    };
    let all: Vec<Value> = list(&["--json", "audit", "list"])
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let told = format!("{all:?}");
    assert!(told.contains("\"client\": String(\"test 1\")"), "{told}");
    let shown = list(&["audit", "show", "1"]);
    assert!(shown.contains("door: mcp, client: test 1"), "{shown}");
}
