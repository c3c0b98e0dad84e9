//! P3: going to addresses, and the truth about what came of it.

use std::time::Duration;

use legwork_engine::{Click, Effect, Progress, Target};

use crate::support::{Reply, Rig, Site, told};

const LONG: Duration = Duration::from_secs(15);

#[tokio::test]
async fn a_navigation_tells_address_and_status() {
    let site = Site::start(|request| match request.path.as_str() {
        "/a" => Reply::Html("<h1>A</h1>".into()),
        "/gone" => Reply::NotFound,
        "/moved" => Reply::Full {
            status: "302 Found",
            headers: vec![("Location", "/a".into())],
            body: vec![],
        },
        _ => Reply::NotFound,
    })
    .await;
    let rig = Rig::new().await;
    for (path, lands, code) in [("/a", "/a", 200), ("/moved", "/a", 200), ("/gone", "/gone", 404)] {
        let outcome = rig.page.navigate(&site.url(path), LONG).await.unwrap();
        assert_eq!(outcome.navigation(), Some((site.url(lands).as_str(), Some(code))), "{path}");
    }
    rig.end().await;
}

#[tokio::test]
async fn failures_have_their_own_names() {
    let site = Site::start(|request| match request.path.as_str() {
        "/loop" => Reply::Full {
            status: "302 Found",
            headers: vec![("Location", "/loop".into())],
            body: vec![],
        },
        _ => Reply::Hang,
    })
    .await;
    let rig = Rig::new().await;
    let refused = rig.page.navigate("http://127.0.0.1:9/", LONG).await.unwrap_err();
    assert_eq!(refused.code(), "navigation_failed");
    let text = refused.to_string();
    assert!(
        text.starts_with("net::ERR_UNSAFE_PORT") || text.contains("CONNECTION_REFUSED"),
        "{text}"
    );
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let refused = rig.page.navigate(&format!("http://localhost:{port}/x"), LONG).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!("net::ERR_CONNECTION_REFUSED: Failed to connect to localhost:{port}")
    );
    let circle = rig.page.navigate(&site.url("/loop"), LONG).await.unwrap_err();
    assert!(circle.to_string().contains("ERR_TOO_MANY_REDIRECTS"), "{circle}");
    let hung = rig.page.navigate(&site.url("/hang"), Duration::from_secs(1)).await.unwrap_err();
    assert_eq!(hung.to_string(), "Timeout after 1s waiting for page load");
    rig.set("<h1>Still here</h1>").await;
    assert!(rig.text().await.contains("Still here"));
    rig.end().await;
}

/// An address nobody listens at.
fn dead() -> String {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    format!("http://127.0.0.1:{port}/")
}

#[tokio::test]
async fn a_click_that_leads_nowhere_says_so() {
    let to = dead();
    for html in [
        format!("<a href='{to}'>Go</a>"),
        format!("<form method=post action='{to}'><button>Go</button></form>"),
    ] {
        let rig = Rig::show(&html).await;
        let outcome = rig.page.click(&Target::parse("Go"), &Click::default()).await.unwrap();
        let reason = "net::ERR_CONNECTION_REFUSED".to_owned();
        let expected = Effect::NavigationFailed { url: to.clone(), reason };
        assert!(outcome.effects.contains(&expected), "{}", told(&outcome));
        assert_eq!(outcome.navigation(), None, "{}", told(&outcome));
        rig.set("<h1>Fine</h1>").await;
        rig.end().await;
    }
}

#[tokio::test]
async fn back_and_reload_to_a_dead_server_are_errors() {
    let site = Site::start(|_| Reply::Full {
        status: "200 OK",
        headers: vec![
            ("Content-Type", "text/html".into()),
            ("Cache-Control", "no-store".into()),
            ("Connection", "close".into()),
        ],
        body: b"<h1>Up</h1>".to_vec(),
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/one"), LONG).await.unwrap();
    rig.page.navigate("about:blank", LONG).await.unwrap();
    rig.page.back(LONG).await.unwrap();
    rig.page.set_offline(true).await.unwrap();
    let error = rig.page.reload(LONG).await.unwrap_err();
    assert_eq!(error.code(), "navigation_failed", "{error}");
    assert!(error.to_string().contains("ERR_INTERNET_DISCONNECTED"), "{error}");
    rig.page.set_offline(false).await.unwrap();
    rig.page.navigate("about:blank", LONG).await.unwrap();
    rig.page.set_offline(true).await.unwrap();
    let error = rig.page.back(LONG).await.unwrap_err();
    assert_eq!(error.code(), "navigation_failed", "{error}");
    rig.end().await;
}

#[tokio::test]
async fn a_fragment_loads_nothing_and_says_so() {
    let site = Site::start(|_| Reply::Html("<h2 id=x>X</h2>".into())).await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/a"), LONG).await.unwrap();
    let outcome = rig.page.navigate(&site.url("/a#x"), LONG).await.unwrap();
    let expected = Effect::Routed { from: site.url("/a"), to: site.url("/a#x") };
    assert_eq!(outcome.effects, [expected]);
    rig.end().await;
}

#[tokio::test]
async fn a_download_is_recognised_and_its_file_named() {
    let site = Site::start(|request| match request.path.as_str() {
        "/file" => Reply::Full {
            status: "200 OK",
            headers: vec![
                ("Content-Type", "application/octet-stream".into()),
                ("Content-Disposition", "attachment; filename=\"../report.txt\"".into()),
            ],
            body: b"hello".to_vec(),
        },
        _ => Reply::Html("<a href=/file>Get</a>".into()),
    })
    .await;
    let rig = Rig::new().await;
    let outcome = rig.page.navigate(&site.url("/file"), LONG).await.unwrap();
    let [Effect::Download(download)] = &outcome.effects[..] else { panic!("{}", told(&outcome)) };
    assert_eq!(download.progress, Progress::Done);
    assert_eq!(std::fs::read_to_string(&download.path).unwrap(), "hello");
    assert!(
        download.path.ends_with("report.txt") || download.path.to_string_lossy().contains("report")
    );

    rig.page.navigate(&site.url("/page"), LONG).await.unwrap();
    let outcome = rig.page.click(&Target::parse("Get"), &Click::default()).await.unwrap();
    let begun = outcome.effects.iter().any(|effect| matches!(effect, Effect::Download(_)));
    assert!(begun, "{}", told(&outcome));
    assert!(rig.page.url().ends_with("/page"));
    let folder = download.path.parent().unwrap().to_owned();
    rig.end().await;
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_download_in_a_tab_of_its_own_is_told_to_who_clicked() {
    let site = Site::start(|request| match request.path.as_str() {
        "/file" => Reply::Full {
            status: "200 OK",
            headers: vec![("Content-Disposition", "attachment; filename=new.txt".into())],
            body: b"hello".to_vec(),
        },
        _ => Reply::Html("<a href=/file target=_blank>Get</a>".into()),
    })
    .await;
    let folder = std::env::temp_dir().join(format!("legwork-blank-{}", std::process::id()));
    let config = legwork_engine::Config { downloads: Some(folder.clone()), ..Default::default() };
    let rig = Rig::with(config, Default::default()).await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    let outcome = rig.page.click(&Target::parse("Get"), &Click::default()).await.unwrap();
    let over =
        |effect: &Effect| matches!(effect, Effect::Download(d) if d.progress == Progress::Done);
    // The click tells of it, or it is still to come.
    if !outcome.effects.iter().any(over) {
        rig.page.wait(&legwork_engine::Condition::Download, LONG).await.unwrap();
    }
    let downloads = rig.page.downloads().unwrap();
    assert!(matches!(&downloads[..], [one] if one.path.ends_with("new.txt")), "{downloads:?}");
    assert_eq!(std::fs::read_to_string(&downloads[0].path).unwrap(), "hello");
    rig.end().await;
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn back_forward_and_reload_tell_where_they_went() {
    let site = Site::start(|request| Reply::Html(format!("<h1>{}</h1>", request.path))).await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/one"), LONG).await.unwrap();
    rig.page.navigate(&site.url("/two"), LONG).await.unwrap();
    let back = rig.page.back(LONG).await.unwrap();
    assert_eq!(back.navigation().unwrap().0, site.url("/one"), "{}", told(&back));
    let forward = rig.page.forward(LONG).await.unwrap();
    assert_eq!(forward.navigation().unwrap().0, site.url("/two"), "{}", told(&forward));
    let again = rig.page.reload(LONG).await.unwrap();
    assert_eq!(again.navigation().unwrap().0, site.url("/two"), "{}", told(&again));
    let error = rig.page.forward(LONG).await.unwrap_err();
    assert!(error.to_string().contains("no page to go forward"), "{error}");
    rig.end().await;
}

#[tokio::test]
async fn a_click_on_a_link_tells_the_navigation() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html("<a href=/next>Next</a>".into()),
        _ => Reply::Html("<h1>Arrived</h1>".into()),
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    let outcome = rig.page.click(&Target::parse("Next"), &Click::default()).await.unwrap();
    assert_eq!(
        outcome.navigation(),
        Some((site.url("/next").as_str(), Some(200))),
        "{}",
        told(&outcome)
    );
    assert!(rig.text().await.contains("Arrived"));
    rig.end().await;
}

#[tokio::test]
async fn a_click_goes_on_in_the_document_that_a_script_puts_in_the_place_of_the_first() {
    let site = Site::start(|request| match request.path.as_str() {
        "/next" => Reply::Html("<button onclick='this.textContent=\"Full\"'>Cart</button>".into()),
        path => {
            Reply::Html(format!("<script>setTimeout(()=>location='/next',{})</script>", &path[1..]))
        }
    })
    .await;
    let rig = Rig::new().await;
    // At some of these moments the first document is asked and gone before it answers.
    for delay in (0..400).step_by(25) {
        rig.page.navigate(&site.url(&format!("/{delay}")), LONG).await.unwrap();
        let clicked = rig.page.click(&Target::parse("Cart"), &Click::default()).await;
        let outcome = clicked.unwrap_or_else(|error| panic!("{delay}: {error}"));
        assert!(outcome.change.contains("Full"), "{delay}: {}", told(&outcome));
    }
    rig.end().await;
}

#[tokio::test]
async fn a_form_is_submitted_and_the_answer_is_there() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html(
            "<form method=post action=/in><label>Name <input name=n></label><button>Go</button></form>".into(),
        ),
        _ => Reply::Html(format!("<p>Got {}</p>", request.body)),
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    rig.page.fill(&Target::parse("Name"), "Ann", &Default::default()).await.unwrap();
    let outcome = rig.page.click(&Target::parse("Go"), &Click::default()).await.unwrap();
    assert_eq!(
        outcome.navigation().map(|n| n.0.to_owned()),
        Some(site.url("/in")),
        "{}",
        told(&outcome)
    );
    assert!(rig.text().await.contains("Got n=Ann"));
    rig.end().await;
}

#[tokio::test]
async fn a_route_change_of_an_app_is_not_a_navigation() {
    let site = Site::start(|_| {
        Reply::Html(
            "<button onclick=\"history.pushState({},'','/cart');document.querySelector('p').textContent='Cart'\">Cart</button><p>Home</p>"
                .into(),
        )
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/home"), LONG).await.unwrap();
    rig.text().await;
    let outcome =
        rig.page.click(&Target::parse("role=button[name=Cart]"), &Click::default()).await.unwrap();
    let expected = Effect::Routed { from: site.url("/home"), to: site.url("/cart") };
    assert!(outcome.effects.contains(&expected), "{}", told(&outcome));
    assert!(outcome.change.contains("Cart"), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn requests_an_action_began_are_waited_for() {
    let site = Site::start(|request| match request.path.as_str() {
        "/data" => Reply::Full { status: "200 OK", headers: vec![], body: b"Loaded later".to_vec() },
        _ => Reply::Html(
            "<button onclick=\"fetch('/data').then(r=>r.text()).then(t=>setTimeout(()=>document.querySelector('p').textContent=t,20))\">Load</button><p></p>"
                .into(),
        ),
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    let outcome = rig.page.click(&Target::parse("Load"), &Click::default()).await.unwrap();
    assert!(outcome.change.contains("Loaded later"), "{}", told(&outcome));
    rig.end().await;
}
