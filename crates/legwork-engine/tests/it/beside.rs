//! Sessions side by side in one browser.

use std::time::Duration;

use legwork_engine::{Click, Condition, Error, Event, NAVIGATION, Page, Session, Target};

use crate::support::{Reply, Rig, Site};

async fn site() -> Site {
    Site::start(|request| match request.path.as_str() {
        "/in" => Reply::Full {
            status: "200 OK",
            headers: vec![("Set-Cookie", "known=yes; Path=/".into()), ("Content-Type", "text/html".into())],
            body: b"<h1>In</h1>".to_vec(),
        },
        "/popups" => Reply::Html(
            "<a href=/popped target=_blank rel=opener>With</a> <a href=/popped target=_blank>Without</a>\
             <button onclick=\"open('/popped', '', 'noopener')\">Script</button>"
                .into(),
        ),
        _ => Reply::Html("<h1>Page</h1><script>document.title = document.cookie</script>".into()),
    })
    .await
}

async fn addresses(session: &Session) -> Vec<String> {
    session.tabs().await.unwrap().iter().map(Page::url).collect()
}

/// Two sessions, both on a page of their own.
async fn pair(site: &Site) -> (Rig, Session, Page) {
    let rig = Rig::new().await;
    let beside = rig.session.beside();
    let page = beside.page().await.unwrap();
    rig.page.navigate(&site.url("/in"), NAVIGATION).await.unwrap();
    page.navigate(&site.url("/other"), NAVIGATION).await.unwrap();
    (rig, beside, page)
}

#[tokio::test(flavor = "multi_thread")]
async fn cookies_are_shared_and_tabs_are_not() {
    let site = site().await;
    let (rig, beside, page) = pair(&site).await;
    assert_eq!(page.evaluate("document.title", Default::default()).await.unwrap(), "\"known=yes\"");
    assert_eq!(addresses(&rig.session).await, [site.url("/in")]);
    assert_eq!(addresses(&beside).await, [site.url("/other")]);
    let third = beside.beside();
    let opened: Vec<_> =
        (0..3).map(|_| (rig.session.new_tab(), beside.new_tab(), third.new_tab())).collect();
    for (one, two, three) in opened {
        let (one, two, three) = tokio::join!(one, two, three);
        for opened in [one, two, three] {
            opened.unwrap();
        }
    }
    assert_eq!(addresses(&rig.session).await.len(), 4);
    assert_eq!(addresses(&beside).await.len(), 4);
    assert_eq!(addresses(&third).await.len(), 3);
    rig.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_popup_belongs_to_the_session_of_its_opener() {
    let site = site().await;
    let (rig, beside, page) = pair(&site).await;
    page.navigate(&site.url("/popups"), NAVIGATION).await.unwrap();
    for (count, name) in [(2, "With"), (3, "Without"), (4, "Script")] {
        page.click(&Target::parse(name), &Click::default()).await.unwrap();
        let tabs = addresses(&beside).await;
        assert_eq!(tabs.len(), count, "{name}: {tabs:?}");
    }
    assert_eq!(addresses(&rig.session).await, [site.url("/in")]);
    rig.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_waits_for_the_other() {
    let site = site().await;
    let (rig, beside, _page) = pair(&site).await;
    let busy = tokio::spawn({
        let page = rig.page.clone();
        async move {
            page.evaluate("new Promise((done) => window.finish = done)", Default::default()).await
        }
    });
    let page = beside.page().await.unwrap();
    page.navigate(&site.url("/again"), NAVIGATION).await.unwrap();
    page.click(&Target::parse("Page"), &Click::default()).await.unwrap();
    assert!(!busy.is_finished());
    rig.eval("finish(1)").await;
    busy.await.unwrap().unwrap();
    rig.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_beside_ends_alone_and_the_first_takes_the_others_with_it() {
    let site = site().await;
    let (rig, beside, _) = pair(&site).await;
    let last = rig.session.beside();
    last.page().await.unwrap().navigate(&site.url("/last"), NAVIGATION).await.unwrap();
    beside.close().await;
    assert!(matches!(beside.page().await, Err(Error::SessionClosed)));
    assert_eq!(rig.eval("document.cookie").await, "\"known=yes\"");
    assert_eq!(addresses(&last).await, [site.url("/last")]);
    rig.session.close().await;
    assert!(last.is_closed());
    assert!(matches!(last.page().await, Err(Error::SessionClosed)));
    rig.engine.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_is_killed_is_replaced_once_and_both_are_told() {
    let site = site().await;
    let (rig, beside, _) = pair(&site).await;
    let mut events = rig.session.events();
    let id = rig.session.process_id().await.unwrap();
    let pid = rustix::process::Pid::from_raw(id as i32).unwrap();
    rustix::process::kill_process_group(pid, rustix::process::Signal::KILL).unwrap();
    let ended =
        async { while !matches!(events.recv().await.unwrap(), Event::BrowserEnded { .. }) {} };
    tokio::time::timeout(Duration::from_secs(60), ended).await.expect("the end is told");
    let page = beside.page().await.unwrap();
    page.navigate(&site.url("/new"), NAVIGATION).await.unwrap();
    rig.session.page().await.unwrap();
    for session in [&rig.session, &beside] {
        let told = session.take_notices();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("crashed"), "{told:?}");
    }
    assert_eq!(rig.session.process_id().await, beside.process_id().await);
    assert_eq!(addresses(&beside).await, [site.url("/new")]);
    rig.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_without_tabs_is_left_with_its_workers_stopped() {
    let site = Site::start(|request| match request.path.as_str() {
        "/in/worker.js" => Reply::Full {
            status: "200 OK",
            headers: vec![("Content-Type", "text/javascript".into())],
            body: b"onactivate = e => e.waitUntil(clients.claim())".to_vec(),
        },
        "/in/" => Reply::Html(
            "<script>navigator.serviceWorker.oncontrollerchange = () => document.title = 'worked';\
             navigator.serviceWorker.register('worker.js')</script>"
                .into(),
        ),
        _ => Reply::Html("<h1>Page</h1>".into()),
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/in/"), NAVIGATION).await.unwrap();
    let worked = Condition::Predicate("document.title === 'worked'".into());
    rig.page.wait(&worked, NAVIGATION).await.unwrap();
    rig.page.close().await.unwrap();
    assert!(rig.session.tabs().await.unwrap().is_empty());
    rig.session.leave_pages().await;
    let page = rig.session.page().await.unwrap();
    page.navigate(&site.url("/other"), NAVIGATION).await.unwrap();
    let workers = page.service_workers().unwrap();
    assert_eq!(workers.len(), 1, "{workers:?}");
    assert_ne!(workers[0].0.running, "running", "{workers:?}");
    rig.end().await;
}
