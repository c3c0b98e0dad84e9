//! What somebody runs into on the first day: files, misspelt targets, failed addresses, and whether
//! the answers help.

use std::time::Duration;

use legwork_engine::{Acting, Click, NAVIGATION, SnapshotOptions, Target};

use crate::support::{Rig, told};

async fn click_error(rig: &Rig, target: &str) -> legwork_engine::Error {
    rig.page.click(&Target::parse(target), &Click::default()).await.unwrap_err()
}

#[tokio::test]
async fn a_path_opens_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log in.html");
    std::fs::write(&file, "<title>Files</title><h1>From disk</h1>").unwrap();
    let rig = Rig::new().await;
    assert_eq!(rig.page.url(), "about:blank");
    let outcome = rig.page.navigate(file.to_str().unwrap(), NAVIGATION).await.unwrap();
    let (url, status) = outcome.navigation().unwrap();
    assert!(url.ends_with("/log%20in.html"), "{url}");
    assert_eq!(status, None, "a file has no status");
    assert!(told(&outcome).contains("about:blank"), "{}", told(&outcome));
    assert!(rig.text().await.contains("From disk"));
    let missing = folder.path().join("logout.html");
    let error = rig.page.navigate(missing.to_str().unwrap(), NAVIGATION).await.unwrap_err();
    assert!(error.to_string().contains("ERR_FILE_NOT_FOUND"), "{error}");
    assert!(error.hint().unwrap().contains("path"), "{error:?}");
    rig.end().await;
}

#[tokio::test]
async fn a_failed_address_is_the_same_everywhere_and_says_so() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/");
    let rig = Rig::show("<h1>Before</h1>").await;
    let error = rig.page.navigate(&url, NAVIGATION).await.unwrap_err();
    assert!(error.hint().unwrap().contains("running"), "{error:?}");
    assert_eq!(rig.page.url(), url);
    let snapshot = rig.page.snapshot(&SnapshotOptions::default()).await.unwrap();
    assert_eq!(snapshot.url, url);
    let expected = format!(
        "(the browser's error page: {url} could not be loaded, net::ERR_CONNECTION_REFUSED)"
    );
    assert!(snapshot.text.starts_with(&expected), "{}", snapshot.text);
    rig.set("<h1>After</h1>").await;
    assert!(!rig.text().await.contains("error page"));
    rig.end().await;
}

#[tokio::test]
async fn a_misspelt_selector_lists_what_comes_near() {
    let html = "<input id=email aria-label=Email><input name=surname aria-label=Surname>\
        <button class='btn save-all'>Save</button><p>Other</p>";
    let rig = Rig::show(html).await;
    for (target, near) in [
        ("#emial", "textbox \"Email\" e1 (#email)"),
        ("input[name='surnme']", "textbox \"Surname\" e2 (name=surname)"),
        (".saveall", "button \"Save\" e3 (.save-all)"),
        ("//input[@id='emal']", "textbox \"Email\" e1 (#email)"),
    ] {
        let error = click_error(&rig, target).await;
        assert_eq!(error.code(), "not_found", "{error}");
        assert!(error.to_string().contains(near), "{target}: {error}");
        assert_eq!(error.hint(), Some("use one of these refs"));
    }
    let error = click_error(&rig, "#zzzzz").await;
    assert!(!error.to_string().contains("similar"), "{error}");
    rig.end().await;
}

#[tokio::test]
async fn refs_that_never_were_and_targets_that_are_none_are_told_apart() {
    let rig = Rig::show("<button>Go</button>").await;
    rig.text().await;
    let error = click_error(&rig, "e999").await;
    assert_eq!(error.to_string(), "e999 was never given out on this page");
    assert_eq!(error.code(), "stale_ref");
    let error = rig.page.query(&Target::parse("e999"), 1).await.unwrap_err();
    assert!(error.to_string().contains("never given out"), "{error}");
    assert_eq!(click_error(&rig, " ").await.code(), "invalid_input");
    for target in ["css=a[", "#a >", "xpath=//a[", "xpath=count(//a)"] {
        let error = click_error(&rig, target).await;
        assert_eq!(error.code(), "invalid_selector", "{target}: {error}");
        assert!(!error.to_string().contains("Failed to execute"), "{error}");
        assert!(error.hint().is_some(), "{target}");
    }
    let outcome = rig.page.click(&Target::parse("[Go e1]"), &Click::default()).await.unwrap();
    assert_eq!(outcome.acted_on.as_deref(), Some("button \"Go\" e1"));
    rig.end().await;
}

#[tokio::test]
async fn words_may_count_and_have_an_article() {
    let html = "<ul><li>Milk <button>Remove</button></li><li>Bread <button>Remove</button></li>\
        <li>Eggs <button>Remove</button></li></ul><label>Last name * <input></label>\
        <label>First name * <input></label><button>Order</button>";
    let rig = Rig::show(html).await;
    for (target, reference) in [
        ("second Remove", "e2"),
        ("the last Remove button", "e3"),
        ("3rd Remove", "e3"),
        ("the first Remove in the row with Bread", "e2"),
        ("Last name", "e4"),
        ("the Order button", "e6"),
        ("the button Order", "e6"),
    ] {
        let found = rig.page.query(&Target::parse(target), 5).await.unwrap();
        let refs: Vec<&str> = found.items.iter().map(|item| item.reference.as_str()).collect();
        assert_eq!(refs, [reference], "{target}");
    }
    assert_eq!(click_error(&rig, "fourth Remove").await.code(), "not_found");
    rig.end().await;
}

#[tokio::test]
async fn a_kind_alone_means_the_controls_of_that_kind() {
    let html = "<p>Tick the 2nd checkbox, fill the textbox and press the button.</p>\
        <input type=checkbox><input type=checkbox><input><input type=date><input type=number><textarea></textarea>\
        <select><option>A</select><button>Go</button><p>Last checkbox</p>";
    let rig = Rig::show(html).await;
    for (target, references) in [
        ("the checkbox", &["e1", "e2"][..]),
        ("2nd checkbox", &["e2"]),
        ("the first checkbox", &["e1"]),
        ("the textbox", &["e3"]),
        ("date", &["e4"]),
        ("the spinner", &["e5"]),
        ("the dropdown", &["e7"]),
        ("the button", &["e8"]),
        ("the textarea", &["e6"]),
        ("third checkbox", &[]),
    ] {
        let found = rig.page.query(&Target::parse(target), 5).await.unwrap();
        let refs: Vec<&str> = found.items.iter().map(|item| item.reference.as_str()).collect();
        assert_eq!(refs, references, "{target}");
    }
    // What is there to the letter comes before counting.
    let found = rig.page.query(&Target::parse("last checkbox"), 5).await.unwrap();
    assert_eq!(found.items[0].text, "Last checkbox");
    rig.end().await;
}

#[tokio::test]
async fn what_became_of_a_state_is_told_without_contradiction() {
    let html = "<form><label>Email <input required></label><button>Send</button></form>\
        <script>addEventListener('submit', e => e.preventDefault())</script>";
    let rig = Rig::show(html).await;
    rig.text().await;
    let outcome = rig.page.click(&Target::parse("Send"), &Click::default()).await.unwrap();
    let change = &outcome.change;
    assert!(change.contains(": now invalid (Please fill"), "{}", told(&outcome));
    assert!(!change.contains("not invalid"), "{change}");
    let email = Target::parse("Email");
    let filled = rig.page.fill(&email, "a", &Acting::default()).await.unwrap();
    assert!(filled.change.contains("no longer invalid"), "{}", told(&filled));
    rig.end().await;
}

#[tokio::test]
async fn a_long_press_holds_the_button_down() {
    let html = "<button>Hold</button><p id=out></p><script>
        let at = 0; const b = document.querySelector('button');
        b.onmousedown = () => { at = performance.now() };
        b.onmouseup = () => { out.textContent = performance.now() - at >= 290 ? 'long' : 'short' };
        </script>";
    let rig = Rig::show(html).await;
    let target = Target::parse("Hold");
    let press = Click { hold: Some(Duration::from_millis(300)), ..Default::default() };
    let outcome = rig.page.click(&target, &press).await.unwrap();
    assert!(outcome.change.contains("long"), "{}", told(&outcome));
    let outcome = rig.page.click(&target, &Click::default()).await.unwrap();
    assert!(outcome.change.contains("short"), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn what_appears_is_told_without_its_role() {
    let html = "<div role=status id=s></div><dialog id=d aria-label='Sure?'><button>Yes</button></dialog>\
        <button onclick=\"s.textContent='Saved';d.showModal()\">Save</button>";
    let rig = Rig::show(html).await;
    let outcome = rig.page.click(&Target::parse("Save"), &Click::default()).await.unwrap();
    let shown: Vec<(&str, &str)> = outcome
        .effects
        .iter()
        .filter_map(|effect| match effect {
            legwork_engine::Effect::Shown { kind, text } => Some((kind.as_str(), text.as_str())),
            _ => None,
        })
        .collect();
    assert!(shown.contains(&("toast", "Saved")), "{shown:?}");
    assert!(
        shown.iter().any(|(kind, text)| *kind == "dialog" && text.starts_with("Sure?")),
        "{shown:?}"
    );
    rig.end().await;
}
