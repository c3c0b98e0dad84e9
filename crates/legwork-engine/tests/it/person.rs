//! What a person does is told while a session is recorded: with the browser's own input, as from a hand.

use std::time::Duration;

use legwork_cdp::input::{DispatchKeyEvent, DispatchMouseEvent, InsertText};
use legwork_engine::{Acting, Button, Click, Deed, Event, Known, Page, Target};
use tokio::sync::broadcast::Receiver;

use crate::support::{Reply, Rig, Site};

/// A hand on mouse and keyboard, which knows nothing of refs or tools.
struct Person<'a> {
    page: &'a Page,
}

impl Person<'_> {
    /// The middle of the element, as an eye would find it.
    async fn spot(&self, css: &str) -> (f64, f64) {
        let item = self.page.query(&Target::Css(css.to_owned()), 1).await.unwrap().items.remove(0);
        (item.area.x + item.area.width / 2.0, item.area.y + item.area.height / 2.0)
    }

    async fn clicks_with(&self, css: &str, button: &str) {
        let (x, y) = self.spot(css).await;
        for kind in ["mousePressed", "mouseReleased"] {
            let event = DispatchMouseEvent {
                kind: kind.into(),
                x,
                y,
                button: Some(button.into()),
                click_count: Some(1),
                ..Default::default()
            };
            let _ = self.page.protocol().send(&event).await;
        }
    }

    async fn clicks(&self, css: &str) {
        self.clicks_with(css, "left").await;
    }

    async fn types(&self, text: &str) {
        self.page.protocol().send(&InsertText { text: text.into() }).await.unwrap();
    }

    async fn presses(&self, key: &str, text: Option<&str>) {
        for kind in ["keyDown", "keyUp"] {
            let event = DispatchKeyEvent {
                kind: kind.into(),
                key: Some(key.into()),
                code: Some(key.into()),
                text: text.map(str::to_owned).filter(|_| kind == "keyDown"),
                windows_virtual_key_code: Some(if key == "Enter" { 13 } else { 27 }),
                ..Default::default()
            };
            let _ = self.page.protocol().send(&event).await;
        }
    }
}

/// The next thing that the person did.
async fn next(events: &mut Receiver<Event>) -> (Deed, Option<Known>) {
    let acted = async {
        loop {
            if let Event::Acted { deed, element, .. } = events.recv().await.unwrap() {
                return (deed, element);
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), acted).await.expect("nothing was told")
}

async fn site() -> Site {
    Site::start(|request| match request.path.split('?').next() {
        Some("/form") => Reply::Html(
            "<title>Form</title><form action=/done><label>Name <input id=name name=name></label>
             <label>Password <input id=secret type=password></label>
             <label><input id=news type=checkbox> Newsletter</label>
             <label>Size <select id=size><option>Small<option>Large</select></label>
             <button id=send>Send</button></form><button id=plain type=button>Plain</button>"
                .into(),
        ),
        Some("/done") => {
            Reply::Html("<title>Done</title><h1>Done</h1><a id=again href=/form>Again</a>".into())
        }
        _ => Reply::NotFound,
    })
    .await
}

fn named(element: Option<Known>) -> String {
    element.map(|known| known.name).unwrap_or_default()
}

#[tokio::test]
async fn what_a_person_enters_and_clicks_is_told_in_order_and_no_password() {
    let (site, rig) = (site().await, Rig::new().await);
    rig.page.navigate(&site.url("/form"), Duration::from_secs(10)).await.unwrap();
    let mut events = rig.session.events();
    rig.session.record(true).await.unwrap();
    let begun = next(&mut events).await;
    assert_eq!(begun.0, Deed::WentTo { url: site.url("/form") });
    let person = Person { page: &rig.page };
    person.clicks("#name").await;
    person.types("Ann").await;
    person.clicks("#secret").await;
    person.types("swordfish").await;
    person.clicks("#news").await;
    person.clicks_with("#plain", "right").await;
    let mut told = Vec::new();
    for _ in 0..6 {
        told.push(next(&mut events).await);
    }
    let left = |count| Deed::Clicked { button: Button::Left, count };
    let right = Deed::Clicked { button: Button::Right, count: 1 };
    let deeds: Vec<(Deed, String)> =
        told.iter().map(|(deed, element)| (deed.clone(), named(element.clone()))).collect();
    assert_eq!(
        deeds,
        [
            (left(1), "Name".to_owned()),
            (Deed::Filled { value: "Ann".into() }, "Name".to_owned()),
            (left(1), "Password".to_owned()),
            (Deed::EnteredSecret, "Password".to_owned()),
            (Deed::Checked { on: true }, "Newsletter".to_owned()),
            (right, "Plain".to_owned()),
        ]
    );
    assert!(!format!("{told:?}").contains("swordfish"), "{told:?}");
    let find = &told[1].1.as_ref().unwrap().find;
    assert!(find.contains(&"css=#name".to_owned()), "{find:?}");
    rig.session.record(false).await.unwrap();
    person.clicks("#plain").await;
    rig.session.record(true).await.unwrap();
    let begun = next(&mut events).await;
    assert_eq!(begun.0, Deed::WentTo { url: site.url("/form") }, "nothing is told while it is off");
    rig.end().await;
}

#[tokio::test]
async fn enter_links_the_address_bar_and_back_are_told_once_each() {
    let (site, rig) = (site().await, Rig::new().await);
    let mut events = rig.session.events();
    rig.session.record(true).await.unwrap();
    let person = Person { page: &rig.page };
    let typed = legwork_cdp::page::Navigate { url: site.url("/form"), ..Default::default() };
    rig.page.protocol().send(&typed).await.unwrap();
    assert_eq!(next(&mut events).await.0, Deed::WentTo { url: site.url("/form") });
    let loaded = legwork_engine::Condition::Attached(Target::Css("#name".into()));
    rig.page.wait(&loaded, Duration::from_secs(10)).await.unwrap();
    person.clicks("#name").await;
    person.types("Ann").await;
    person.presses("Enter", Some("\r")).await;
    assert_eq!(next(&mut events).await.0, Deed::Clicked { button: Button::Left, count: 1 });
    assert_eq!(next(&mut events).await.0, Deed::Filled { value: "Ann".into() });
    assert_eq!(next(&mut events).await.0, Deed::Pressed { key: "Enter".into() });
    let done = legwork_engine::Condition::Attached(Target::Css("#again".into()));
    rig.page.wait(&done, Duration::from_secs(10)).await.unwrap();
    let history = rig.page.protocol().send(&legwork_cdp::page::GetNavigationHistory {});
    let history = history.await.unwrap();
    let before = history.entries[usize::try_from(history.current_index - 1).unwrap()].id;
    let back = legwork_cdp::page::NavigateToHistoryEntry { entry_id: before };
    rig.page.protocol().send(&back).await.unwrap();
    assert_eq!(next(&mut events).await.0, Deed::WentBack);
    rig.page.wait(&loaded, Duration::from_secs(10)).await.unwrap();
    person.clicks("#send").await;
    let (sent, element) = next(&mut events).await;
    assert_eq!(
        (sent, named(element)),
        (Deed::Clicked { button: Button::Left, count: 1 }, "Send".to_owned())
    );
    rig.end().await;
}

#[tokio::test]
async fn what_the_tools_do_meanwhile_is_not_told_as_a_persons_doing() {
    let (site, rig) = (site().await, Rig::new().await);
    let mut events = rig.session.events();
    rig.session.record(true).await.unwrap();
    rig.page.navigate(&site.url("/form"), Duration::from_secs(10)).await.unwrap();
    let acting = Acting::default();
    rig.page.type_text(&Target::parse("Name"), "Tool", true, &acting).await.unwrap();
    rig.page.check(&Target::parse("Newsletter"), true, &acting).await.unwrap();
    rig.page.click(&Target::parse("Plain"), &Click::default()).await.unwrap();
    // Leaving the field would tell what was typed, had a person typed it.
    let person = Person { page: &rig.page };
    person.clicks_with("#plain", "right").await;
    let (deed, element) = next(&mut events).await;
    assert_eq!(
        (deed, named(element)),
        (Deed::Clicked { button: Button::Right, count: 1 }, "Plain".to_owned())
    );
    rig.end().await;
}
