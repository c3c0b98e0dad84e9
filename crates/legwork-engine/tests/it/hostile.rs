//! Pages that misbehave: each ends in its deadline with a clear outcome, and the session stays usable.

use std::time::Duration;

use legwork_engine::{Click, Effect, Evaluate, Progress, SnapshotOptions, Target, Verdict};

use crate::support::{Reply, Rig, Site, told};

const LONG: Duration = Duration::from_secs(15);

async fn still_usable(rig: &Rig) {
    let page = rig.session.page().await.unwrap();
    page.navigate("data:text/html,<h1>Fine</h1>", LONG).await.unwrap();
    let text = page.snapshot(&SnapshotOptions::default()).await.unwrap().text;
    assert_eq!(text, "# Fine");
}

#[tokio::test]
async fn an_alert_while_loading_is_an_outcome() {
    let site =
        Site::start(|_| Reply::Html("<script>alert('Welcome')</script><h1>In</h1>".into())).await;
    let rig = Rig::new().await;
    let outcome = rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    assert_eq!(outcome.dialog().unwrap().message, "Welcome", "{}", told(&outcome));
    let blocked = rig.page.snapshot(&SnapshotOptions::default()).await.unwrap_err();
    assert_eq!(blocked.code(), "dialog_open");
    rig.page.answer_dialog(true, None).await.unwrap();
    assert!(rig.text().await.contains("# In"));
    still_usable(&rig).await;
    rig.end().await;
}

#[tokio::test]
async fn a_dialog_that_follows_another_is_told_with_the_answer() {
    let rig = Rig::show("<button onclick=\"alert('One');alert('Two');document.querySelector('p').textContent='Done'\">Ask</button><p></p>").await;
    let outcome = rig.page.click(&Target::parse("Ask"), &Click::default()).await.unwrap();
    assert_eq!(outcome.dialog().unwrap().message, "One");
    let asked = std::time::Instant::now();
    let outcome = rig.page.answer_dialog(true, None).await.unwrap();
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    assert_eq!(outcome.acted_on.as_deref(), Some("alert dialog \"One\""));
    assert_eq!(outcome.dialog().unwrap().message, "Two", "{}", told(&outcome));
    let outcome = rig.page.answer_dialog(true, None).await.unwrap();
    assert_eq!(outcome.dialog(), None, "{}", told(&outcome));
    assert!(rig.text().await.contains("Done"));
    rig.end().await;
}

#[tokio::test]
async fn leaving_a_page_that_asks_is_an_outcome() {
    let rig =
        Rig::show("<button>Edit</button><script>onbeforeunload=e=>e.preventDefault()</script>")
            .await;
    rig.page.click(&Target::parse("Edit"), &Click::default()).await.unwrap();
    let outcome = rig.page.navigate("data:text/html,<h1>Away</h1>", LONG).await.unwrap();
    assert_eq!(outcome.dialog().unwrap().kind, "beforeunload", "{}", told(&outcome));
    rig.page.answer_dialog(false, None).await.unwrap();
    assert!(rig.text().await.contains("Edit"));
    let outcome = rig.page.navigate("data:text/html,<h1>Away</h1>", LONG).await.unwrap();
    assert!(outcome.dialog().is_some());
    rig.page.answer_dialog(true, None).await.unwrap();
    rig.page.wait(&legwork_engine::Condition::Text("Away".into()), LONG).await.unwrap();
    rig.end().await;
}

#[tokio::test]
async fn a_click_that_would_leave_a_page_that_asks_or_leads_nowhere_ends_by_its_bound() {
    let site = Site::start(|request| match request.path.as_str() {
        "/asks" => Reply::Html("<button>Edit</button><a href=/away>Leave</a><script>onbeforeunload=e=>e.preventDefault()</script>".into()),
        "/hangs" => Reply::Hang,
        "/round" => Reply::Full {
            status: "302 Found",
            headers: vec![("Location", "/round".into())],
            body: Vec::new(),
        },
        _ => Reply::Html("<a href=/hangs>Hang</a> <a href=/round>Round</a>".into()),
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/asks"), LONG).await.unwrap();
    rig.page.click(&Target::parse("Edit"), &Click::default()).await.unwrap();
    let outcome = rig.page.click(&Target::parse("Leave"), &Click::default()).await.unwrap();
    assert_eq!(outcome.dialog().unwrap().kind, "beforeunload", "{}", told(&outcome));
    rig.page.answer_dialog(true, None).await.unwrap();
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    let outcome = rig.page.click(&Target::parse("Hang"), &Click::default()).await.unwrap();
    assert_eq!(outcome.settled, legwork_engine::Settled::AtBound, "{}", told(&outcome));
    still_usable(&rig).await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    let outcome = rig.page.click(&Target::parse("Round"), &Click::default()).await.unwrap();
    let failed = outcome.effects.iter().any(|e| matches!(e, Effect::NavigationFailed { reason, .. } if reason.contains("TOO_MANY_REDIRECTS")));
    assert!(failed, "{}", told(&outcome));
    still_usable(&rig).await;
    rig.end().await;
}

#[tokio::test]
async fn a_script_that_never_ends_is_stopped_at_the_deadline() {
    let site =
        Site::start(|_| Reply::Html("<h1>Loop</h1><script>while(true);</script>".into())).await;
    let rig = Rig::new().await;
    let error = rig.page.navigate(&site.url("/"), Duration::from_secs(2)).await.unwrap_err();
    assert_eq!(error.to_string(), "Timeout after 2s waiting for page load");
    still_usable(&rig).await;
    let endless = Evaluate { timeout: Duration::from_secs(1), ..Default::default() };
    let error = rig.page.evaluate("while(true);", endless).await.unwrap_err();
    assert_eq!(error.code(), "timeout", "{error}");
    assert_eq!(rig.eval("1+1").await, "2");
    rig.set("<button onclick='while(true);'>Hang</button>").await;
    let acting =
        legwork_engine::Acting { timeout: Duration::from_secs(2), observe: true, known: false };
    let click = Click { acting, ..Default::default() };
    let outcome = rig.page.click(&Target::parse("Hang"), &click).await.unwrap();
    let busy = matches!(&outcome.verdict, Verdict::Unverified(why) if why.contains("busy"));
    assert!(busy, "{}", told(&outcome));
    still_usable(&rig).await;
    rig.end().await;
}

#[tokio::test]
async fn a_page_with_a_picture_that_never_comes_can_be_used() {
    let site = Site::start(|request| match request.path.as_str() {
        "/never.png" => Reply::Hang,
        _ => Reply::Html(
            "<h1>Here</h1><img src=/never.png><script>setInterval(()=>document.title=+document.title+1,20)</script>".into(),
        ),
    })
    .await;
    let rig = Rig::new().await;
    let outcome = rig.page.navigate(&site.url("/"), Duration::from_secs(2)).await.unwrap();
    assert_eq!(outcome.settled, legwork_engine::Settled::AtBound);
    assert_eq!(outcome.navigation(), Some((site.url("/").as_str(), Some(200))));
    assert!(rig.text().await.contains("# Here"));
    rig.end().await;
}

#[tokio::test]
async fn a_promise_that_never_ends_does_not_stop_what_the_page_does_next() {
    let rig = Rig::show("<p></p>").await;
    let brief = Evaluate { timeout: Duration::from_millis(300), ..Default::default() };
    let error = rig.page.evaluate("new Promise(() => {})", brief).await.unwrap_err();
    assert_eq!(error.code(), "timeout", "{error}");
    // The very next script runs to its end: nothing lies in wait for it.
    let counted = rig.eval("let n = 0; for (let i = 0; i < 1e6; i++) n++; n").await;
    assert_eq!(counted, "1000000");
    rig.end().await;
}

#[tokio::test]
async fn a_script_that_throws_a_syntax_error_runs_once() {
    let rig = Rig::show("<p></p>").await;
    for script in [
        "window.n=(window.n||0)+1; throw new SyntaxError('await x')",
        "window.n=(window.n||0)+1; eval('let a; let a')",
        "window.n=(window.n||0)+1; Promise.reject(new SyntaxError('await x'))",
    ] {
        rig.eval("window.n=0").await;
        let error = rig.page.evaluate(script, Evaluate::default()).await.unwrap_err();
        assert_eq!(error.code(), "script_error", "{error}");
        assert_eq!(rig.eval("window.n").await, "1", "{script}");
    }
    // What does not parse has not run, and is read in another way.
    rig.eval("const twice = 1").await;
    assert_eq!(rig.eval("const twice = 2; twice").await, "2");
    assert_eq!(rig.eval("await Promise.resolve(3)").await, "3");
    rig.end().await;
}

#[tokio::test]
async fn a_hundred_popups_do_not_take_over() {
    let rig = Rig::show(
        "<button onclick=\"for(let i=0;i<100;i++)window.open('about:blank','w'+i)\">Pop</button>",
    )
    .await;
    let outcome = rig.page.click(&Target::parse("Pop"), &Click::default()).await.unwrap();
    let tabs = rig.session.tabs().await.unwrap().len();
    assert!(tabs <= 20, "{tabs} tabs");
    assert!(
        outcome.effects.iter().any(|e| matches!(e, Effect::NewTab { .. })),
        "{}",
        told(&outcome)
    );
    assert_eq!(rig.page.url(), rig.session.page().await.unwrap().url());
    still_usable(&rig).await;
    rig.end().await;
}

#[tokio::test]
async fn two_hundred_thousand_nodes_are_walked_within_the_deadline() {
    let rig = Rig::show("<div id=r></div>").await;
    let patient = Evaluate { timeout: Duration::from_secs(60), ..Default::default() };
    let grow = "r.innerHTML=Array.from({length:100000},(_, i)=>`<p><b>${i}</b></p>`).join('');0";
    rig.page.evaluate(grow, patient).await.unwrap();
    let budget = SnapshotOptions {
        budget: Some(10_000),
        timeout: Duration::from_secs(90),
        ..Default::default()
    };
    let snapshot = rig.page.snapshot(&budget).await.unwrap();
    assert!(snapshot.text.len() <= 10_000 && snapshot.more.is_some());
    still_usable(&rig).await;
    rig.end().await;
}

#[tokio::test]
async fn a_gigabyte_download_is_told_when_it_begins() {
    let site = Site::start(|request| match request.path.as_str() {
        "/big" => Reply::Endless(1 << 30),
        _ => Reply::Html("<a href=/big>Big</a>".into()),
    })
    .await;
    let folder = std::env::temp_dir().join(format!("legwork-big-{}", std::process::id()));
    let config = legwork_engine::Config { downloads: Some(folder.clone()), ..Default::default() };
    let rig = Rig::with(config, Default::default()).await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    let outcome = rig.page.click(&Target::parse("Big"), &Click::default()).await.unwrap();
    let download = outcome.effects.iter().find_map(|effect| match effect {
        Effect::Download(download) => Some(download.clone()),
        _ => None,
    });
    let download = download.unwrap_or_else(|| panic!("{}", told(&outcome)));
    assert_eq!(download.progress, Progress::Running);
    assert!(download.path.ends_with("big.bin"));
    assert_eq!(download.total, Some(1 << 30), "{download:?}");
    still_usable(&rig).await;
    rig.end().await;
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_page_that_never_goes_quiet_returns_at_the_bound() {
    let site = Site::start(|request| match request.path.as_str() {
        "/poll" => Reply::Hang,
        _ => Reply::Html(
            "<button onclick=\"fetch('/poll');document.querySelector('p').textContent='On'\">Start</button><p></p><i></i><script>setInterval(()=>document.querySelector('i').textContent=Math.random(),20)</script>".into(),
        ),
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    let outcome = rig.page.click(&Target::parse("Start"), &Click::default()).await.unwrap();
    assert!(outcome.change.contains("On"), "{}", told(&outcome));
    assert_eq!(outcome.settled, legwork_engine::Settled::AtBound);
    rig.end().await;
}

#[tokio::test]
async fn page_text_cannot_pass_for_a_control() {
    let rig = Rig::show("<p>[Pay now e7]</p><p>&lt;Docs e8&gt;</p><button>Real</button>").await;
    let text = rig.text().await;
    assert!(!text.contains("[Pay now e7]") && !text.contains("<Docs e8>"), "{text}");
    assert!(text.contains("[Real e1]"), "{text}");
    rig.end().await;
}
