//! A ref names one element for as long as it lives, and is found again only where nothing speaks against it.

use std::time::Duration;

use legwork_engine::{Click, Effect, Target};

use crate::support::{Rig, Site, click, told};

#[tokio::test]
async fn refs_survive_a_redraw_of_the_same_things() {
    let rig = Rig::show(
        "<ul></ul><button id=r>Redraw</button><script>let n=0;const draw=()=>{n++;document.querySelector('ul').innerHTML=['Milk','Bread','Eggs'].map(t=>`<li>${t} <button onclick=\"document.title='${t}'+n\">Remove</button></li>`).join('')};draw();r.onclick=draw</script>",
    )
    .await;
    let before = rig.text().await;
    let bread = before.lines().find(|line| line.contains("Bread")).unwrap();
    let reference: String = bread[bread.find("Remove e").unwrap() + 7..]
        .chars()
        .take_while(|c| c.is_alphanumeric())
        .collect();
    click(&rig, "#r").await.unwrap();
    assert_eq!(rig.text().await, before);
    click(&rig, &reference).await.unwrap();
    assert_eq!(rig.eval("document.title").await, "\"Bread2\"");
    rig.end().await;
}

#[tokio::test]
async fn a_ref_of_something_gone_is_stale() {
    let rig =
        Rig::show("<button id=a>First</button><button onclick='a.remove()'>Drop</button>").await;
    assert!(rig.text().await.contains("[First e1]"));
    click(&rig, "Drop").await.unwrap();
    let error = click(&rig, "e1").await.unwrap_err();
    assert_eq!(error.code(), "stale_ref", "{error}");
    rig.end().await;
}

#[tokio::test]
async fn a_ref_is_found_again_after_a_reload_by_role_and_name() {
    let site = Site::start(|_| {
        crate::support::Reply::Html("<p>x</p><button onclick=\"this.textContent='Hit'\">Only one</button><button>Two</button><button>Two</button>".into())
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/"), Duration::from_secs(10)).await.unwrap();
    let text = rig.text().await;
    assert!(text.contains("[Only one e1]"), "{text}");
    rig.page.reload(Duration::from_secs(10)).await.unwrap();
    let outcome = click(&rig, "e1").await.unwrap();
    assert!(outcome.change.contains("Hit"), "{}", told(&outcome));
    let rematched = outcome.effects.iter().any(|effect| matches!(effect, Effect::Rematched { .. }));
    assert!(rematched, "{}", told(&outcome));
    let error = click(&rig, "e2").await.unwrap_err();
    assert_eq!(error.code(), "stale_ref", "{error}");
    rig.end().await;
}

#[tokio::test]
async fn a_ref_of_one_tab_or_browser_means_nothing_in_another() {
    let rig = Rig::show("<button>First</button>").await;
    assert!(rig.text().await.contains("[First e1]"));
    let other = rig.session.new_tab().await.unwrap();
    let page = "data:text/html,<button>Other</button>";
    other.navigate(page, Duration::from_secs(10)).await.unwrap();
    let text = other.snapshot(&Default::default()).await.unwrap().text;
    assert!(text.contains("[Other e2]"), "{text}");
    let error = other.click(&Target::parse("e1"), &Click::default()).await.unwrap_err();
    assert_eq!(error.code(), "stale_ref", "{error}");
    rig.end().await;
}

#[tokio::test]
async fn a_ref_is_not_found_again_where_its_row_is_another_but_its_like_is_offered() {
    let site = Site::start(|request| {
        let item = if request.path.contains("2") { "Bread" } else { "Milk" };
        crate::support::Reply::Html(format!("<ul><li>{item} <button>Remove</button></li></ul>"))
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/list?page=1"), Duration::from_secs(10)).await.unwrap();
    assert!(rig.text().await.contains("[Remove e1]"));
    rig.page.navigate(&site.url("/list?page=2"), Duration::from_secs(10)).await.unwrap();
    let error = click(&rig, "e1").await.unwrap_err();
    assert_eq!(error.code(), "stale_ref", "{error}");
    let now = rig.text().await;
    let (_, offered) = now.split_once("[Remove ").unwrap();
    let (offered, _) = offered.split_once(']').unwrap();
    assert!(error.to_string().contains(offered), "{error}; the page shows {now}");
    click(&rig, offered).await.unwrap();
    rig.end().await;
}

#[tokio::test]
async fn a_link_of_the_same_name_that_leads_elsewhere_is_another_link() {
    let rig = Rig::show(
        "<ul></ul><button id=r>Search</button><script>let n=0;const draw=()=>{n++;document.querySelector('ul').innerHTML=`<li><a href='#${n}'>Oat milk</a></li><li><a href='#same'>Help</a></li>`};draw();r.onclick=draw</script>",
    )
    .await;
    let before = rig.text().await;
    assert!(before.contains("<Oat milk e1>") && before.contains("<Help e2>"), "{before}");
    click(&rig, "#r").await.unwrap();
    assert_eq!(click(&rig, "e1").await.unwrap_err().code(), "stale_ref");
    click(&rig, "e2").await.unwrap();
    rig.end().await;
}
