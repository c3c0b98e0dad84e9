//! Frames in every process arrangement, and shadow roots, open and closed.

use std::time::Duration;

use legwork_engine::extract::Mode;
use legwork_engine::{Acting, Click, Condition, Screenshot, SnapshotOptions, Subject, Target};

use crate::support::{Reply, Rig, Site, told};

const LONG: Duration = Duration::from_secs(15);

fn field_and_button(name: &str) -> String {
    format!(
        "<title>{name}</title><label>{name} name <input></label><button onclick=\"document.querySelector('p').textContent='{name} saved '+document.querySelector('input').value\">Save {name}</button><p></p>"
    )
}

/// A page with a frame of the same site, one of another site, and one inside that.
async fn nested() -> (Site, Rig) {
    let site = Site::start(|request| {
        let port = request.host.rsplit_once(':').unwrap().1;
        match request.path.as_str() {
            "/" => Reply::Html(format!(
                "<h1>Outer</h1><div style='height:300px'></div><iframe src=/near width=500 height=150></iframe><iframe src=http://localhost:{port}/far width=600 height=400 style='border:7px solid;padding:3px'></iframe>"
            )),
            "/near" => Reply::Html(field_and_button("Near")),
            "/far" => Reply::Html(format!(
                "{}<iframe src=http://127.0.0.1:{port}/deep width=500 height=150></iframe>",
                field_and_button("Far")
            )),
            "/deep" => Reply::Html(field_and_button("Deep")),
            _ => Reply::NotFound,
        }
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    (site, rig)
}

#[tokio::test]
async fn every_frame_is_in_the_snapshot_in_its_place() {
    let (_site, rig) = nested().await;
    let text = rig.text().await;
    let at = |needle: &str| text.find(needle).unwrap_or_else(|| panic!("{needle} not in\n{text}"));
    assert!(at("# Outer") < at("frame Near:") && at("frame Near:") < at("[Save Near "), "{text}");
    assert!(at("[Save Near ") < at("frame Far:") && at("[Save Far ") < at("frame Deep:"), "{text}");
    assert!(at("frame Deep:") < at("[Save Deep "), "{text}");
    rig.end().await;
}

#[tokio::test]
async fn elements_in_every_frame_are_filled_clicked_and_told() {
    let (_site, rig) = nested().await;
    for name in ["Near", "Far", "Deep"] {
        let field = Target::parse(&format!("{name} name"));
        rig.page.fill(&field, "Ann", &Acting::default()).await.unwrap();
        let button = Target::parse(&format!("Save {name}"));
        let outcome = rig.page.click(&button, &Click::default()).await.unwrap();
        assert!(outcome.change.contains(&format!("{name} saved Ann")), "{}", told(&outcome));
    }
    rig.end().await;
}

#[tokio::test]
async fn refs_are_unique_across_frames_and_lead_back_to_them() {
    let (_site, rig) = nested().await;
    let text = rig.text().await;
    for name in ["Deep", "Far", "Near"] {
        let at = text.find(&format!("[Save {name} ")).unwrap() + 7 + name.len();
        let reference: String = text[at..].chars().take_while(|c| *c != ']').collect();
        let outcome = rig.page.click(&Target::parse(&reference), &Click::default()).await.unwrap();
        assert!(
            outcome.change.contains(&format!("{name} saved")),
            "{reference}: {}",
            told(&outcome)
        );
    }
    rig.end().await;
}

#[tokio::test]
async fn every_frame_is_asked_by_css_xpath_and_role_and_a_part_of_one_is_seen_alone() {
    let (_site, rig) = nested().await;
    for target in ["css=button", "xpath=//button", "role=button"] {
        let found = rig.page.query(&Target::parse(target), 10).await.unwrap();
        let names: Vec<&str> = found.items.iter().map(|item| item.name.as_str()).collect();
        assert_eq!(
            (found.count, names),
            (3, vec!["Save Near", "Save Far", "Save Deep"]),
            "{target}"
        );
    }
    let found = rig.page.query(&Target::parse("Save Far"), 10).await.unwrap();
    let scope = Some(Target::parse(&found.items[0].reference));
    let options = SnapshotOptions { scope, ..Default::default() };
    let text = rig.page.snapshot(&options).await.unwrap().text;
    assert_eq!(text, format!("[Save Far {}]", found.items[0].reference));
    rig.end().await;
}

#[tokio::test]
async fn an_element_in_a_frame_of_another_site_is_pictured() {
    let (_site, rig) = nested().await;
    let of = Subject::Element(Target::parse("Save Deep"));
    let picture = rig.page.screenshot(&Screenshot { of, ..Default::default() }).await.unwrap();
    let (width, height) = (picture.width, picture.height);
    assert!(width > 40 && width < 300 && height < 60, "{width} x {height}");
    rig.end().await;
}

#[tokio::test]
async fn a_frame_that_appears_is_in_the_change() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html("<button onclick=\"document.body.insertAdjacentHTML('beforeend','<iframe src=/inner width=400 height=200></iframe>')\">Open</button>".into()),
        _ => Reply::Html(field_and_button("Inner")),
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    rig.text().await;
    let outcome = rig.page.click(&Target::parse("Open"), &Click::default()).await.unwrap();
    assert!(outcome.change.contains("[Save Inner "), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn shadow_roots_open_and_closed_are_seen_and_used() {
    let rig = Rig::show(
        "<x-open></x-open><x-closed></x-closed><div id=plain style='height:40px'></div><script>
         const fill=(el,mode,name)=>{const r=el.attachShadow({mode});r.innerHTML=`<label>${name} name <input></label><button>Save ${name}</button><p></p>`;
         r.querySelector('button').onclick=()=>r.querySelector('p').textContent=name+' saved '+r.querySelector('input').value};
         customElements.define('x-open',class extends HTMLElement{constructor(){super();fill(this,'open','Open')}});
         customElements.define('x-closed',class extends HTMLElement{constructor(){super();fill(this,'closed','Closed')}});
         fill(plain,'closed','Plain')</script>",
    )
    .await;
    let text = rig.text().await;
    for name in ["Open", "Closed", "Plain"] {
        assert!(text.contains(&format!("[Save {name} ")), "{text}");
        let field = Target::parse(&format!("{name} name"));
        rig.page.fill(&field, "Ann", &Acting::default()).await.unwrap();
        let button = Target::parse(&format!("Save {name}"));
        let outcome = rig.page.click(&button, &Click::default()).await.unwrap();
        assert!(outcome.change.contains(&format!("{name} saved Ann")), "{}", told(&outcome));
    }
    for target in ["css=button", "xpath=//button", "role=button"] {
        let found = rig.page.query(&Target::parse(target), 10).await.unwrap();
        assert_eq!(found.count, 3, "{target}");
    }
    rig.end().await;
}

#[tokio::test]
async fn what_closed_roots_hold_is_found_before_anybody_looked_at_the_page() {
    let page = "<div id=a style='height:40px'></div><p>Below</p><script>
         const deep=(el,n)=>{const r=el.attachShadow({mode:'closed'});
         r.innerHTML=n?'<div style=\"height:30px\"></div>':'<button>Buried</button><p></p>';
         if(n)deep(r.firstChild,n-1);else r.querySelector('button').onclick=()=>r.querySelector('p').textContent='dug up'};
         deep(a,2)</script>";
    let rig = Rig::new().await;
    for target in ["css=button", "xpath=//button", "role=button", "Buried"] {
        let target = Target::parse(target);
        rig.set(page).await;
        assert_eq!(rig.page.query(&target, 10).await.unwrap().count, 1, "{target}");
        rig.set(page).await;
        rig.page.wait(&Condition::Visible(target.clone()), LONG).await.unwrap();
        rig.set(page).await;
        let outcome = rig.page.click(&target, &Click::default()).await.unwrap();
        assert!(outcome.change.contains("dug up"), "{target}: {}", told(&outcome));
    }
    rig.set(page).await;
    let gone = Condition::Gone(Target::parse("Buried"));
    let error = rig.page.wait(&gone, Duration::from_millis(300)).await.unwrap_err();
    assert_eq!(error.code(), "timeout", "{error}");
    rig.end().await;
}

#[tokio::test]
async fn the_text_and_the_markdown_of_a_page_have_its_frames_in_them() {
    let (_site, rig) = nested().await;
    rig.eval("{const f=document.createElement('iframe');f.srcdoc='Unseen words';f.hidden=true;document.body.append(f)}").await;
    let markdown = rig.page.markdown(Mode::Whole).await.unwrap().markdown;
    for text in [rig.page.text().await.unwrap(), markdown] {
        let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} not in\n{text}"));
        assert!(at("Outer") < at("Near name") && at("Near name") < at("Far name"), "{text}");
        assert!(at("Far name") < at("Deep name") && !text.contains("Unseen"), "{text}");
    }
    rig.end().await;
}

#[tokio::test]
async fn what_covers_a_frame_covers_what_is_in_it() {
    let rig = Rig::show("<div style='position:relative'><iframe srcdoc='<button>Inner</button>' width=300 height=100></iframe>\
         <div role=dialog aria-label=Cookies style='position:absolute;inset:0;background:#fff'>We use cookies</div></div>").await;
    rig.text().await;
    let quick = Acting { timeout: Duration::from_millis(300), ..Default::default() };
    let click = Click { acting: quick, ..Default::default() };
    let error = rig.page.click(&Target::parse("css=button"), &click).await.unwrap_err();
    assert!(
        error.to_string().contains("covered by") && error.to_string().contains("Cookies"),
        "{error}"
    );
    rig.end().await;
}

#[tokio::test]
async fn keys_and_changes_in_a_frame_that_has_the_focus_are_told() {
    let (_site, rig) = nested().await;
    rig.text().await;
    let acting = Acting::default();
    rig.page.click(&Target::parse("Deep name"), &Click::default()).await.unwrap();
    let outcome = rig.page.press(None, "x", &acting).await.unwrap();
    assert!(outcome.acted_on.as_deref().unwrap().contains("Deep name"), "{}", told(&outcome));
    assert!(outcome.change.contains("\"x\""), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn a_click_that_changes_another_frame_tells_that_change() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Html("<button onclick=\"frames[0].postMessage('hi','*')\">Send</button><iframe src=/in width=300 height=100></iframe>".into()),
        _ => Reply::Html("<p>waiting</p><script>onmessage=e=>document.querySelector('p').textContent='got '+e.data</script>".into()),
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    rig.text().await;
    let outcome = rig.page.click(&Target::parse("Send"), &Click::default()).await.unwrap();
    assert!(outcome.change.contains("got hi"), "{}", told(&outcome));
    rig.end().await;
}
