//! Text that only certain origins may have.

use std::time::Duration;

use legwork_engine::{Acting, Confidence, Effect, Outcome, Result, Screenshot, Target, Verdict};

use crate::support::{Reply, Rig, Site, told};

const LONG: Duration = Duration::from_secs(15);
const SECRET: &str = "corre\"ct é 42";

async fn confide(rig: &Rig, target: &str, origins: &[String]) -> Result<Outcome> {
    let allows = |origin: &str| origins.iter().any(|one| one == origin);
    let confidence = Confidence { text: SECRET, allows: &allows, clear: true };
    rig.page.confide(&Target::parse(target), &confidence, &Acting::default()).await
}

const FORM: &str = "<label>User <input id=user></label><label>Note <textarea id=note>old</textarea></label>\
    <label>Pass <input type=password id=pass></label><div id=rich contenteditable aria-label=Rich role=textbox>old</div>\
    <label>Kind <select id=kind><option>a<option>corre\"ct é 42</select></label>\
    <script>heard=[];for(const kind of ['input','change'])addEventListener(kind,e=>heard.push(kind+':'+e.isTrusted))</script>";

#[tokio::test]
async fn fields_of_the_origin_take_it_and_are_masked_from_then_on() {
    let site = Site::start(|_| Reply::Html(FORM.into())).await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    let origins = [format!("http://127.0.0.1:{}", site.port)];
    for field in ["#user", "#note", "#pass", "#rich", "#kind"] {
        let outcome = confide(&rig, field, &origins).await.unwrap();
        assert_eq!(outcome.verdict, Verdict::Done, "{field} {}", told(&outcome));
        assert!(!told(&outcome).contains("ct é"), "{field} {}", told(&outcome));
        let masked =
            |effect: &Effect| matches!(effect, Effect::Value { after, .. } if after == "••••");
        assert!(outcome.effects.iter().any(masked), "{field} {}", told(&outcome));
        let script = format!("{{let e=document.querySelector('{field}');e.value??e.textContent}}");
        let held: String = serde_json::from_str(&rig.eval(&script).await).unwrap();
        assert_eq!(held, SECRET, "{field}");
    }
    assert!(rig.eval("heard").await.contains("input:true"));
    let text = rig.text().await;
    assert_eq!(text.matches("= ••••").count(), 5, "{text}");
    // The options of a list are the page's own words.
    let elsewhere = text.lines().filter(|line| !line.contains("Kind"));
    assert!(!elsewhere.collect::<String>().contains(SECRET), "{text}");
    // A field that was put in the place of another one holds it as well.
    rig.eval("user.outerHTML=user.outerHTML;user.value=note.value+'!'").await;
    let again = rig.text().await;
    assert_eq!(again.matches("= ••••").count(), 5, "{again}");
    rig.end().await;
}

#[tokio::test]
async fn a_document_of_another_origin_is_refused_whatever_the_page_is() {
    let site = Site::start(|request| match request.path.as_str() {
        "/inner" => Reply::Html("<input aria-label=Inner>".into()),
        _ => Reply::Html(format!(
            "<input aria-label=Outer><iframe src='http://localhost:{}/inner'></iframe>\
             <iframe sandbox=allow-scripts srcdoc='<input aria-label=Boxed>'></iframe>\
             <iframe srcdoc='<input aria-label=Own>'></iframe>",
            request.host.rsplit(':').next().unwrap()
        )),
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    rig.page.wait(&legwork_engine::Condition::Visible(Target::parse("Inner")), LONG).await.unwrap();
    let outer = [format!("http://127.0.0.1:{}", site.port)];
    let inner = [format!("http://localhost:{}", site.port)];
    for (field, origins, allowed) in [
        ("Outer", &outer, true),
        ("Own", &outer, true),
        ("Inner", &outer, false),
        ("Boxed", &outer, false),
        ("Outer", &inner, false),
        ("Inner", &inner, true),
    ] {
        let ended = confide(&rig, field, origins).await;
        assert_eq!(ended.is_ok(), allowed, "{field} {ended:?}");
        if let Err(error) = ended {
            assert_eq!(error.code(), "denied", "{error}");
            assert!(!error.to_string().contains("ct é"), "{error}");
        }
    }
    rig.end().await;
}

#[tokio::test]
async fn a_page_around_the_frame_cannot_catch_it_by_taking_the_focus() {
    let site = Site::start(|request| match request.path.as_str() {
        "/inner" => Reply::Html("<input aria-label=Inner>".into()),
        _ => Reply::Html(format!(
            "<input id=trap aria-label=Trap><iframe src='http://localhost:{}/inner'></iframe>\
             <script>addEventListener('blur',()=>trap.focus());setInterval(()=>trap.focus(),1)</script>",
            request.host.rsplit(':').next().unwrap()
        )),
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    rig.page.wait(&legwork_engine::Condition::Visible(Target::parse("Inner")), LONG).await.unwrap();
    let ended = confide(&rig, "Inner", &[format!("http://localhost:{}", site.port)]).await;
    assert_eq!(rig.eval("trap.value").await, "\"\"", "{ended:?}");
    assert!(rig.text().await.contains("= ••••"), "{ended:?}");
    rig.end().await;
}

#[tokio::test]
async fn a_text_field_that_holds_it_is_dots_in_a_picture() {
    let site = Site::start(|_| {
        Reply::Html(
            "<style>*{caret-color:transparent;outline:0}</style><input aria-label=A>".into(),
        )
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    confide(&rig, "A", &[format!("http://127.0.0.1:{}", site.port)]).await.unwrap();
    let shot = rig.page.screenshot(&Screenshot::default()).await.unwrap();
    rig.eval("document.querySelector('input').style.webkitTextSecurity='disc'").await;
    let dots = rig.page.screenshot(&Screenshot::default()).await.unwrap();
    assert!(shot.bytes == dots.bytes, "the picture shows the text");
    rig.end().await;
}
