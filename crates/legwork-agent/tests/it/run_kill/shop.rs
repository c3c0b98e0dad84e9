//! What the killed run is about: a shop that counts what it is sent, a model that knows no more than it is
//! shown, and a person who answers.

use legwork_protocol::assistant::{AssistanceRequest, Reaction, StateUpdate, TaskStatus};
use serde_json::{Value, json};

use super::far::{Thinks, Thought};
use crate::support::{Site, html};

/// What is asked for. No grammar understands it.
pub fn instruction(origin: &str, case: &str) -> String {
    format!(
        "We are out of oat milk, and {origin}/{case}/shop has it. Three of them would be lovely, as a gift."
    )
}

/// What the site is sent, in this order: by which task, and by what on the page.
pub const SENT: [(&str, &str, &str); 6] = [
    ("basket", "t4", "Add to basket"),
    ("like", "t5", "Like"),
    ("order", "t8", "Order"),
    ("delivery", "t9", "Choose a time"),
    ("slot", "t9", "Evening"),
    ("note", "t10", "note"),
];

/// The task that chooses in a list. It sends nothing, and may be done again.
const CHOOSES: &str = "t3";

/// The questions that are put whether the run is killed or not.
pub const QUESTIONS: [&str; 2] = ["Which size?", "When shall it come?"];

pub fn page(path: &str) -> (&'static str, Vec<u8>) {
    let step = path.rsplit('/').next().unwrap_or_default();
    html(match step {
        "shop" => {
            "<title>Shop</title><form method=post action=basket><label>Quantity <input name=quantity></label>
            <label>Size <select name=size><option>Small<option>Large</select></label>
            <button>Add to basket</button></form>"
        }
        "basket" => {
            "<title>Basket</title><p>In your basket: oat milk</p>
            <button onclick=\"fetch('like', {method: 'POST'}).then(() => this.textContent = 'Liked')\">Like</button>
            <form method=post action=order><label><input type=checkbox name=wrap> Gift wrap</label>
            <button>Order</button></form>"
        }
        "order" => "<title>Order</title><p>It is ordered.</p><a href=delivery>Choose a time</a>",
        "delivery" => {
            "<title>Delivery</title><h1>Times of delivery</h1><p role=status id=told>No time is reserved</p>
            <script>
            function take(time) {
                fetch('slot', {method: 'POST', body: time}).then(() => told.textContent = time + ' is reserved');
            }</script>
            <button onclick=\"take('Morning')\">Morning</button><button onclick=\"take('Evening')\">Evening</button>
            <form method=post action=note><label>Note <input name=note></label></form>"
        }
        "note" => "<title>Done</title><h1>Thank you</h1><p id=number>Order 4711</p>",
        _ => "nothing here",
    })
}

/// What the site was sent in a case: path and body.
pub fn sent(site: &Site, case: &str) -> Vec<String> {
    let heard = site.heard.lock().unwrap();
    let prefix = format!("/{case}/");
    let own = heard.iter().filter_map(|line| line.strip_prefix(&prefix));
    own.filter(|line| !line.starts_with("shop")).map(str::to_owned).collect()
}

/// The model. It remembers nothing: what it was not shown it does not know.
pub fn think(thought: &Thought) -> Thinks {
    let shown = |words: &str| thought.shown.contains(words);
    let call = |tool: &str, arguments: Value| Thinks::Call(tool.to_owned(), arguments);
    if thought.plans {
        let large = chose(&thought.shown, "Large");
        return Thinks::Words(if large { plan(&thought.shown) } else { size() }.to_string());
    }
    let evening = reference(&thought.shown, "Evening");
    let call_before = format!("browser_click {{\"target\":\"{evening}\"");
    let done = |line: &str| line.starts_with(&call_before) && line.contains(": done.");
    let pressed = shown("clicked button \"Evening\"") || thought.shown.lines().any(done);
    if shown("Evening is reserved") {
        let seen = "Evening is reserved";
        return call("done", json!({ "outcome": "it comes in the evening", "seen": seen }));
    }
    match (shown("Times of delivery"), chose(&thought.shown, "Evening"), pressed) {
        (_, _, true) => call("browser_wait", json!({ "text": "Evening is reserved" })),
        (true, true, _) => call("browser_click", json!({ "target": evening })),
        (true, false, _) => {
            let choices = ["Morning", "Evening"];
            let asked = json!({ "type": "custom", "message": QUESTIONS[1], "choices": choices });
            call("request_assistance", asked)
        }
        _ => call("browser_click", json!({ "target": "Choose a time" })),
    }
}

/// Whether the person chose this: it stands in the fence behind that, or in what is left of the question.
fn chose(shown: &str, words: &str) -> bool {
    let fenced = |rest: &str| rest.lines().take(4).any(|line| line == words);
    shown.split("The person chose:").skip(1).any(fenced)
        || shown.contains(&format!("who chose: {words}"))
}

/// The ref of an element in what is shown: `[Evening e9]`.
fn reference<'a>(shown: &'a str, name: &str) -> &'a str {
    let at = shown.rsplit_once(&format!("[{name} ")).map(|(_, rest)| rest);
    at.and_then(|rest| rest.split_once(']')).map_or("not there", |(reference, _)| reference)
}

fn size() -> Value {
    let question = json!({ "message": QUESTIONS[0], "choices": ["Small", "Large"] });
    json!({ "tasks": [], "question": question })
}

/// An order on five pages, each sent by another kind of action; one task has to be thought of.
fn plan(shown: &str) -> Value {
    let url = shown.split_whitespace().find(|word| word.starts_with("http")).unwrap();
    let mut tasks = json!([
        { "description": "Open the shop", "type": "navigate", "value": url },
        { "description": "Say how many", "type": "input", "target": "Quantity", "value": "3" },
        { "description": "Choose the size", "type": "input", "how": "options", "target": "Size", "value": "Large" },
        { "description": "Press Add to basket", "type": "click", "target": "Add to basket" },
        { "description": "Press Like", "type": "click", "target": "Like" },
        { "description": "See that it is liked", "type": "wait", "target": "Liked" },
        { "description": "Have it wrapped", "type": "input", "how": "check", "target": "Gift wrap" },
        { "description": "Press Order", "type": "click", "target": "Order" },
        { "description": "Reserve a time that suits", "type": "navigate", "how": "open" },
        { "description": "Send a note", "type": "input", "how": "submit", "target": "Note", "value": "at the door" },
        { "description": "See that it is done", "type": "wait", "target": "Thank you" },
        { "description": "Read the number", "type": "extract", "target": "#number" },
    ]);
    for (index, task) in tasks.as_array_mut().unwrap().iter_mut().enumerate() {
        task["id"] = format!("t{}", index + 1).into();
        task["dependencies"] = if index > 0 { json!([format!("t{index}")]) } else { json!([]) };
    }
    json!({ "tasks": tasks })
}

/// The person. Asked whether something was done, they look at what the site was sent, and say what is so.
pub fn answer(request: &AssistanceRequest, state: &StateUpdate, sent: &[String]) -> Reaction {
    let message = &request.message;
    let words = match QUESTIONS.iter().position(|question| question == message) {
        Some(0) => "Large",
        Some(_) => "Evening",
        None if was_done(request, state, sent) => "Done",
        None => "Do it again",
    };
    Reaction::Said(words.to_owned())
}

fn was_done(request: &AssistanceRequest, state: &StateUpdate, sent: &[String]) -> bool {
    assert!(request.message.contains("may have been done"), "{request:?}");
    let mut tasks = state.tasks.iter().flat_map(|list| &list.tasks);
    let task = tasks.find(|it| it.status == TaskStatus::RequiresAssistance).unwrap();
    let is_it =
        |(_, id, name): &&(&str, &str, &str)| *id == task.id && request.message.contains(name);
    let act = SENT.iter().find(is_it);
    assert!(act.is_some() || task.id == CHOOSES, "what is meant? {request:?}");
    act.is_some_and(|(path, ..)| sent.iter().any(|line| line.starts_with(path)))
}
