//! W1: waiting for elements, text, addresses and conditions, by event and within a deadline.

use std::time::Duration;

use legwork_engine::{Condition, Target};

use crate::support::{Reply, Rig, Site};

const LONG: Duration = Duration::from_secs(10);

fn css(selector: &str) -> Target {
    Target::Css(selector.into())
}

#[tokio::test]
async fn every_condition_is_met_when_it_becomes_true() {
    let site =
        Site::start(|_| Reply::Html("<button id=b disabled>B</button><p>Then</p>".into())).await;
    for (script, condition) in [
        (
            "document.body.insertAdjacentHTML('beforeend','<b id=x hidden></b>')",
            Condition::Attached(css("#x")),
        ),
        (
            "document.body.insertAdjacentHTML('beforeend','<b id=x>hi</b>')",
            Condition::Visible(css("#x")),
        ),
        ("b.disabled=false", Condition::Enabled(css("#b"))),
        ("b.remove()", Condition::Gone(css("#b"))),
        ("b.style.display='none'", Condition::Gone(css("#b"))),
        ("document.querySelector('p').textContent='Now'", Condition::Text("Now".into())),
        ("document.querySelector('p').textContent=''", Condition::TextGone("Then".into())),
        ("location.hash='done'", Condition::Url("#done".into())),
        ("window.ready=1", Condition::Predicate("window.ready".into())),
        ("location.href='/next'", Condition::Navigation),
    ] {
        let rig = Rig::new().await;
        rig.page.navigate(&site.url("/"), LONG).await.unwrap();
        rig.eval(&format!("setTimeout(()=>{{{script}}},150);0")).await;
        let met = rig.page.wait(&condition, LONG).await;
        assert!(met.is_ok(), "{condition}: {met:?}");
        rig.end().await;
    }
}

#[tokio::test]
async fn a_wait_for_a_ref_is_met_when_it_becomes_true_and_not_before() {
    type Of = fn(Target) -> Condition;
    for (body, script, condition) in [
        ("<button>B</button>", "remove()", Condition::Gone as Of),
        ("<button style='display:none'>B</button>", "style.display=''", Condition::Visible),
        ("<button disabled>B</button>", "disabled=false", Condition::Enabled),
    ] {
        let rig = Rig::show(body).await;
        let found = rig.page.query(&css("button"), 1).await.unwrap();
        let condition = condition(Target::parse(&found.items[0].reference));
        let early = rig.page.wait(&condition, Duration::from_millis(300)).await.unwrap_err();
        assert_eq!(early.code(), "timeout", "{condition}: {early}");
        let script = format!("document.querySelector('button').{script}");
        rig.eval(&format!("setTimeout(()=>{{{script}}},150);0")).await;
        let met = rig.page.wait(&condition, LONG).await;
        assert!(met.is_ok(), "{condition}: {met:?}");
        rig.end().await;
    }
}

#[tokio::test]
async fn a_wait_that_is_not_met_names_what_it_waited_for() {
    let rig = Rig::show("<p>Here</p>").await;
    let brief = Duration::from_millis(300);
    let error = rig.page.wait(&Condition::Visible(css("#never")), brief).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Timeout after 0.3s waiting for Selector '#never' to become visible"
    );
    let error = rig.page.wait(&Condition::Text("Nowhere".into()), brief).await.unwrap_err();
    assert_eq!(error.code(), "timeout");
    let error = rig.page.wait(&Condition::Attached(css("a[")), brief).await.unwrap_err();
    assert_eq!(error.code(), "invalid_selector");
    rig.end().await;
}

#[tokio::test]
async fn a_wait_is_not_met_before_it_is() {
    let site = Site::start(|request| match request.path.as_str() {
        "/slow" => Reply::Hang,
        "/framed" => Reply::Html("<p>Here</p><iframe src=/slow></iframe>".into()),
        _ => Reply::Html(
            "<i hidden></i>".repeat(60)
                + "<i>Seen</i><script>window.later=new Promise(r=>window.go=r)</script>",
        ),
    })
    .await;
    let rig = Rig::new().await;
    let brief = Duration::from_millis(400);
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    for condition in [
        Condition::Time(LONG),
        Condition::Predicate("Promise.resolve(false)".into()),
        Condition::Predicate("window.later".into()),
        // Sixty hidden ones come before the one that can be seen.
        Condition::Gone(css("i")),
        Condition::Download,
    ] {
        let error = rig.page.wait(&condition, brief).await.unwrap_err();
        assert_eq!(error.code(), "timeout", "{condition}: {error}");
    }
    rig.page.wait(&Condition::Visible(css("i")), LONG).await.unwrap();
    rig.eval("setTimeout(()=>go('yes'),50);0").await;
    rig.page.wait(&Condition::Predicate("window.later".into()), LONG).await.unwrap();
    // What is in a frame that is still loading is neither there nor gone.
    let loading = rig.page.navigate(&site.url("/framed"), brief).await;
    for condition in [
        Condition::NetworkQuiet(Duration::from_millis(50)),
        Condition::Gone(css("#x")),
        Condition::TextGone("x".into()),
    ] {
        let error = rig.page.wait(&condition, brief).await.unwrap_err();
        assert_eq!(error.code(), "timeout", "{condition}: {error} ({loading:?})");
    }
    rig.end().await;
}

#[tokio::test]
async fn a_download_is_waited_for_once() {
    let site = Site::start(|request| match request.path.as_str() {
        "/file" => Reply::Full {
            status: "200 OK",
            headers: vec![("Content-Disposition", "attachment; filename=a.txt".into())],
            body: b"a".to_vec(),
        },
        _ => Reply::Html("<a href=/file>Get</a>".into()),
    })
    .await;
    let folder = std::env::temp_dir().join(format!("legwork-once-{}", std::process::id()));
    let config = legwork_engine::Config { downloads: Some(folder.clone()), ..Default::default() };
    let rig = Rig::with(config, Default::default()).await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    for _ in 0..2 {
        rig.eval("setTimeout(()=>document.querySelector('a').click(),50);0").await;
        rig.page.wait(&Condition::Download, LONG).await.unwrap();
        let error = rig.page.wait(&Condition::Download, Duration::from_millis(300)).await;
        assert_eq!(error.unwrap_err().code(), "timeout");
    }
    rig.end().await;
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn what_cannot_be_found_is_told_by_its_reason() {
    let rig = Rig::show("<button>Go</button>").await;
    let error = rig.page.find(&css("a["), None).await.unwrap_err();
    assert_eq!(error.code(), "invalid_selector", "{error}");
    let found = rig.page.query(&css("button"), 5).await.unwrap();
    let reference = Target::parse(&found.items[0].reference);
    assert_eq!(rig.page.query(&reference, 5).await.unwrap().count, 1);
    rig.eval("document.querySelector('button').remove()").await;
    let error = rig.page.query(&reference, 5).await.unwrap_err();
    assert_eq!(error.code(), "stale_ref", "{error}");
    rig.set("<p style='height:3000px'></p><button>Far</button>").await;
    let (far, view) = (css("button"), legwork_engine::Scroll::IntoView);
    for effective in [true, false] {
        let outcome = rig.page.scroll(Some(&far), view, &Default::default()).await.unwrap();
        assert_eq!(outcome.is_effective(), effective, "{outcome:#?}");
    }
    let nowhere = legwork_engine::Scroll::IntoView;
    let error = rig.page.scroll(None, nowhere, &Default::default()).await.unwrap_err();
    assert_eq!(error.code(), "invalid_input", "{error}");
    rig.end().await;
}

#[tokio::test]
async fn a_dropped_wait_leaves_the_page_usable() {
    let rig = Rig::show("<button onclick=\"this.textContent='Hit'\">Go</button>").await;
    let forever = Condition::Text("Nowhere".into());
    let dropped =
        tokio::time::timeout(Duration::from_millis(150), rig.page.wait(&forever, LONG)).await;
    assert!(dropped.is_err());
    let outcome = rig.page.click(&Target::parse("Go"), &Default::default()).await.unwrap();
    assert!(outcome.change.contains("Hit"));
    rig.end().await;
}
