//! P6, P10: console, network and service workers.

use std::time::Duration;

use legwork_engine::{Click, Condition, Event, Origin, Source, Target};

use crate::support::{Reply, Rig, Site};

const LONG: Duration = Duration::from_secs(15);

#[tokio::test]
async fn console_messages_come_with_type_values_and_time() {
    let rig = Rig::show("<p>x</p>").await;
    rig.eval("console.log('a', {deep:{er:[1,2]}}, 3); console.warn(new Map([['k',1]])); setTimeout(()=>{throw new TypeError('late')}); const o={};o.self=o;console.error(o)").await;
    let deadline = Duration::from_secs(5);
    rig.page.wait(&Condition::Time(Duration::from_millis(50)), deadline).await.unwrap();
    let entries = rig.page.console(100).await.unwrap();
    let kinds: Vec<_> = entries.iter().map(|entry| entry.kind.as_str()).collect();
    assert_eq!(kinds, ["log", "warning", "error", "exception"]);
    assert_eq!(entries[0].args, ["\"a\"", "{\"deep\":{\"er\":[1,2]}}", "3"]);
    assert_eq!(entries[1].args, ["{\"k\":1}"]);
    assert_eq!(entries[2].args, ["{\"self\":\"[circular]\"}"]);
    assert!(entries[3].text().contains("TypeError: late"), "{:?}", entries[3]);
    assert!(entries.iter().all(|entry| entry.origin == Origin::Page && entry.timestamp > 1e12));
    assert_eq!(rig.page.console(1).await.unwrap().len(), 1);
    assert_eq!(rig.page.clear_console(), 4);
    assert!(rig.page.console(10).await.unwrap().is_empty());
    rig.end().await;
}

#[tokio::test]
async fn the_console_runs_nothing_of_the_page_and_has_its_limits() {
    let rig = Rig::show("<p>x</p>").await;
    rig.eval("window.ran=0; console.log({get trap(){window.ran++;while(true);}, toJSON(){window.ran++;return 1}, plain:2}, new Date(0)); console.log('x'.repeat(1e6), {big:'y'.repeat(1e6)}); for(let i=0;i<900;i++)console.debug({i})").await;
    let entries = rig.page.console(2000).await.unwrap();
    assert_eq!(
        entries[0].args[0],
        "{\"trap\":\"[getter]\",\"toJSON\":\"[function toJSON]\",\"plain\":2}"
    );
    assert_eq!(entries[0].args[1], "\"1970-01-01T00:00:00.000Z\"");
    assert!(entries.iter().flat_map(|entry| &entry.args).all(|arg| arg.len() < 11_000));
    assert_eq!(rig.eval("window.ran").await, "0");
    rig.end().await;
}

#[tokio::test]
async fn requests_tell_status_source_and_failure() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html("<link rel=stylesheet href=/style.css><script>fetch('/missing');fetch('/sent',{method:'POST'});fetch('http://127.0.0.1:1/').catch(()=>{})</script>".into()),
        "/style.css" => Reply::Full {
            status: "200 OK",
            headers: vec![("Content-Type", "text/css".into()), ("Cache-Control", "max-age=600".into())],
            body: b"p{color:red}".to_vec(),
        },
        "/empty" => Reply::Html("<p>Nothing</p>".into()),
        _ => Reply::NotFound,
    })
    .await;
    let rig = Rig::new().await;
    // Of the first page of a process, Chrome may not report what is asked for ahead of the parser.
    rig.page.navigate(&site.url("/empty"), LONG).await.unwrap();
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    let quiet = Condition::NetworkQuiet(Duration::from_millis(200));
    rig.page.wait(&quiet, LONG).await.unwrap();
    let requests = rig.page.requests(100);
    let of = |end: &str| {
        requests.iter().find(|r| r.url.ends_with(end)).unwrap_or_else(|| panic!("{requests:#?}"))
    };
    assert_eq!(
        (of("/style.css").status, of("/style.css").source),
        (Some(200), Some(Source::Network))
    );
    let style = of("/style.css");
    assert_eq!((style.method.as_str(), style.kind.as_str()), ("GET", "Stylesheet"));
    assert_eq!(style.mime_type.as_deref(), Some("text/css"));
    assert_eq!((of("/sent").method.as_str(), of("/sent").kind.as_str()), ("POST", "Fetch"));
    assert_eq!(
        (of("/").kind.as_str(), of("/").mime_type.as_deref()),
        ("Document", Some("text/html"))
    );
    assert_eq!(of("/missing").status, Some(404));
    assert!(of(":1/").failure.is_some());
    assert!(of("/style.css").duration.unwrap() >= 0.0 && of("/style.css").size.unwrap() > 0.0);
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    rig.page.wait(&quiet, LONG).await.unwrap();
    let requests = rig.page.requests(100);
    let again = requests.iter().rfind(|r| r.url.ends_with("/style.css")).unwrap();
    assert_eq!(again.source, Some(Source::MemoryCache), "{again:?}");
    // The memory cache is of one page; another has what is on the disk.
    let other = rig.session.new_tab().await.unwrap();
    other.navigate(&site.url("/empty"), LONG).await.unwrap();
    other.navigate(&site.url("/"), LONG).await.unwrap();
    other.wait(&quiet, LONG).await.unwrap();
    let requests = other.requests(100);
    let again = requests.iter().rfind(|r| r.url.ends_with("/style.css")).unwrap();
    assert_eq!(again.source, Some(Source::DiskCache), "{again:?}");
    rig.end().await;
}

#[tokio::test]
async fn offline_is_offline() {
    let site = Site::start(|_| Reply::Html("<h1>On</h1>".into())).await;
    let rig = Rig::new().await;
    rig.page.set_offline(true).await.unwrap();
    let error = rig.page.navigate(&site.url("/"), LONG).await.unwrap_err();
    assert!(error.to_string().contains("ERR_INTERNET_DISCONNECTED"), "{error}");
    rig.page.set_offline(false).await.unwrap();
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    rig.end().await;
}

#[tokio::test]
async fn frames_workers_and_new_tabs_are_offline_too() {
    let ask = "fetch('/asked?'+Math.random()).then(()=>'reached',()=>'cut off')";
    let site = Site::start(move |request| {
        let port = request.host.rsplit_once(':').unwrap().1;
        let tell = format!("{ask}.then(t=>document.querySelector('p').textContent+=t)");
        match request.path.as_str() {
            "/" => Reply::Html(format!(
                "<button onclick=w.postMessage(0)>Worker</button><p>Worker: </p><script>w=new Worker('/worker.js');w.onmessage=e=>document.querySelector('p').textContent+=e.data</script>\
                 <iframe src=http://localhost:{port}/frame></iframe>"
            )),
            "/frame" => Reply::Html(format!("<button onclick=\"{tell}\">Frame</button><p>Frame: </p>")),
            "/worker.js" => Reply::Full {
                status: "200 OK",
                headers: vec![("Content-Type", "text/javascript".into())],
                body: format!("onmessage=()=>{ask}.then(postMessage)").into_bytes(),
            },
            _ => Reply::Html("there".into()),
        }
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    for (offline, expected) in [(true, "cut off"), (false, "reached")] {
        rig.page.set_offline(offline).await.unwrap();
        for name in ["Worker", "Frame"] {
            rig.page.click(&Target::parse(name), &Click::default()).await.unwrap();
            let says = Condition::Text(format!(
                "{name}: {}",
                if offline { "cut off" } else { "cut offreached" }
            ));
            rig.page.wait(&says, LONG).await.unwrap_or_else(|e| panic!("{expected}: {e}"));
        }
        let other = rig.session.new_tab().await.unwrap();
        assert_eq!(other.navigate(&site.url("/other"), LONG).await.is_err(), offline);
    }
    rig.end().await;
}

#[tokio::test]
async fn service_workers_are_listed_and_their_answers_and_logs_told_apart() {
    let site = Site::start(|request| match request.path.as_str() {
        "/sw.js" => Reply::Full {
            status: "200 OK",
            headers: vec![("Content-Type", "text/javascript".into())],
            body: b"oninstall=()=>skipWaiting();onactivate=e=>e.waitUntil(clients.claim());onfetch=e=>{if(e.request.url.endsWith('/made')){console.log('serving',{from:'worker'});e.respondWith(new Response('made up'))}}".to_vec(),
        },
        "/" => Reply::Html("<h1>PWA</h1><script>navigator.serviceWorker.register('/sw.js');navigator.serviceWorker.oncontrollerchange=()=>document.title='controlled'</script>".into()),
        _ => Reply::NotFound,
    })
    .await;
    let rig = Rig::new().await;
    let local = site.other_site("/");
    rig.page.navigate(&local, LONG).await.unwrap();
    rig.page
        .wait(&Condition::Predicate("document.title==='controlled'".into()), LONG)
        .await
        .unwrap();
    assert_eq!(rig.eval("fetch('/made').then(r=>r.text())").await, "\"made up\"");
    let made = rig.page.requests(50).into_iter().find(|r| r.url.ends_with("/made")).unwrap();
    assert_eq!(made.source, Some(Source::ServiceWorker));
    let workers = rig.page.service_workers().unwrap();
    assert_eq!(workers.len(), 1, "{workers:?}");
    let (worker, controls) = &workers[0];
    assert_eq!(
        (worker.scope.as_str(), worker.status.as_str(), *controls),
        (local.as_str(), "activated", true)
    );
    let entries = rig.page.console(50).await.unwrap();
    let entry = entries.iter().find(|entry| entry.origin == Origin::ServiceWorker);
    assert_eq!(entry.unwrap().text(), "serving {\"from\":\"worker\"}", "{entries:?}");
    rig.end().await;
}

#[tokio::test]
async fn what_happens_in_a_session_is_told_as_it_happens() {
    let site = Site::start(|request| match request.path.as_str() {
        "/file" => Reply::Full {
            status: "200 OK",
            headers: vec![("Content-Disposition", "attachment; filename=a.txt".into())],
            body: b"x".to_vec(),
        },
        "/other" => Reply::Html("<title>Other</title>".into()),
        _ => Reply::Html(
            "<button onclick=\"alert('Hi')\">Ask</button><a href=#part>Part</a>
             <button onclick=\"window.open('/other')\">Open</button>"
                .into(),
        ),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let config =
        legwork_engine::Config { downloads: Some(folder.path().into()), ..Default::default() };
    let rig = Rig::with(config, Default::default()).await;
    let mut events = rig.session.events();
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    for name in ["Part", "Ask"] {
        let target = legwork_engine::Target::parse(name);
        rig.page.click(&target, &Default::default()).await.unwrap();
    }
    rig.page.answer_dialog(true, None).await.unwrap();
    rig.page.navigate(&site.url("/file"), LONG).await.unwrap();
    let open = legwork_engine::Target::parse("Open");
    rig.page.click(&open, &Default::default()).await.unwrap();
    let other = rig.session.tabs().await.unwrap().swap_remove(1);
    let there = legwork_engine::Condition::Predicate("document.title === 'Other'".into());
    other.wait(&there, LONG).await.unwrap();
    other.close().await.unwrap();
    rig.session.close().await;
    let mut seen = Vec::new();
    while seen.last().is_none_or(|last| last != "session closed") {
        seen.push(told(events.recv().await.unwrap()).replace(&site.url(""), "/"));
    }
    assert_eq!(
        seen,
        [
            "1 at /",
            "1 at /#part",
            "1 asks Hi",
            "1 answered",
            "began",
            "Done",
            "2 opened by 1",
            "2 at /other",
            "2 closed",
            "1 closed",
            "session closed"
        ]
    );
    rig.end().await;
}

#[tokio::test]
async fn a_crash_is_told_to_who_listens() {
    let rig = Rig::new().await;
    let mut events = rig.session.events();
    let _ = rig.page.navigate("chrome://crash", LONG).await;
    let mut seen = Vec::new();
    while seen.last().is_none_or(|last| last != "1 crashed") {
        seen.push(told(events.recv().await.unwrap()));
    }
    rig.session.page().await.unwrap();
    let chrome = rig.session.process_id().await.unwrap() as i32;
    let chrome = rustix::process::Pid::from_raw(chrome).unwrap();
    rustix::process::kill_process_group(chrome, rustix::process::Signal::KILL).unwrap();
    while seen.last().is_none_or(|last| last != "browser ended") {
        seen.push(told(events.recv().await.unwrap()));
    }
    rig.session.page().await.unwrap();
    let last = events.recv().await.unwrap();
    assert!(told(last).starts_with("1 opened"), "the stream goes on in the next browser");
    rig.end().await;
}

fn told(event: Event) -> String {
    match event {
        Event::Navigated { tab, url } => format!("{} at {url}", tab.number),
        Event::TabOpened { tab, opener, .. } => match opener {
            Some(opener) => format!("{} opened by {}", tab.number, opener.number),
            None => format!("{} opened", tab.number),
        },
        Event::TabClosed { tab } => format!("{} closed", tab.number),
        Event::DialogOpened { tab, dialog } => format!("{} asks {}", tab.number, dialog.message),
        Event::DialogClosed { tab } => format!("{} answered", tab.number),
        Event::DownloadBegan(_) => "began".into(),
        Event::DownloadEnded(download) => format!("{:?}", download.progress),
        Event::PageCrashed { tab } => format!("{} crashed", tab.number),
        Event::BrowserEnded { .. } => "browser ended".into(),
        Event::Acted { deed, .. } => format!("a person: {deed:?}"),
        Event::SessionClosed => "session closed".into(),
    }
}
