//! The line at the top of a page that a person sees and nobody else.

use std::time::Duration;

use legwork_engine::{Click, Screenshot, SnapshotOptions, Target};

use crate::support::{Reply, Rig, Site};

const SAID: &str = "Currently shopping for: oat milk";

/// Whether the top of the window has the banner's colours, and how far up it was looked.
async fn shows(rig: &Rig) -> bool {
    let taken = rig.page.screenshot(&Screenshot::default()).await.unwrap();
    let pixels = image::load_from_memory(&taken.bytes).unwrap().to_rgb8();
    let is_banner = |x: u32| {
        let [red, green, blue] = pixels.get_pixel(x, 2).0;
        // Indigo to violet, and a little of the page.
        blue > 180 && (50..160).contains(&red) && green < 100
    };
    [5, pixels.width() / 4, pixels.width() / 2, pixels.width() - 5].into_iter().all(is_banner)
}

/// Waits, for as long as a page that fights is answered, until the banner is there.
async fn comes_back(rig: &Rig) -> bool {
    for _ in 0..20 {
        if shows(rig).await {
            return true;
        }
        rig.eval("new Promise((done) => setTimeout(done, 50))").await;
    }
    false
}

async fn rig(body: &str) -> Rig {
    let rig = Rig::new().await;
    rig.session.banner(SAID).await;
    rig.set(body).await;
    rig
}

const PAGE: &str = "<button style='position:fixed;top:0;left:0' onclick='document.title=\"hit\"'>Buy</button><p>Milk</p>";

#[tokio::test(flavor = "multi_thread")]
async fn the_banner_is_seen_by_a_person_and_by_nobody_else() {
    let rig = rig(PAGE).await;
    assert!(shows(&rig).await);
    let text = rig.text().await;
    assert!(text.contains("Milk") && !text.contains("shopping"), "{text}");
    let found = rig.page.query(&Target::Css("*".into()), 50).await.unwrap();
    let told = format!("{found:?}");
    assert!(!told.contains("shopping") && !told.contains("legwork"), "{told}");
    assert_eq!(rig.page.query(&Target::Text("shopping".into()), 5).await.unwrap().count, 0);
    for script in [
        "document.documentElement.outerHTML.includes('opping') || document.documentElement.outerHTML.includes('egwork')",
        "document.body.innerText.includes('opping')",
        "String(document.body.shadowRoot) != 'null'",
        "typeof setCurrentShoppingItem != 'undefined' || typeof legwork != 'undefined'",
    ] {
        assert_eq!(rig.eval(script).await, "false", "{script}");
    }
    let snapshot = rig.page.snapshot(&SnapshotOptions::default()).await.unwrap();
    assert!(!snapshot.text.contains("shopping"));
    rig.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_calls_as_the_function_that_sets_the_banner_sets_nothing() {
    let rig = rig("<div id=setCurrentShoppingItem></div><div id=legwork></div>\
         <script>window.called = 0; window.setCurrentShoppingItem = () => { called++ }</script>")
    .await;
    assert!(shows(&rig).await);
    rig.session.banner("Currently shopping for: bread").await;
    assert!(shows(&rig).await);
    rig.eval("setCurrentShoppingItem('')").await;
    assert!(shows(&rig).await, "the page took the banner away");
    assert_eq!(rig.eval("called").await, "1", "only the page itself called what is the page's");
    rig.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_banner_covers_nothing_that_is_clicked() {
    let rig = rig(PAGE).await;
    rig.page.click(&Target::parse("Buy"), &Click::default()).await.unwrap();
    assert_eq!(rig.eval("document.title").await, "\"hit\"");
    rig.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_banner_changes_without_a_load_and_goes_when_it_says_nothing() {
    let rig = rig(PAGE).await;
    rig.eval("window.same = 1").await;
    rig.session.banner("").await;
    assert!(!shows(&rig).await);
    rig.session.banner("Bread").await;
    assert!(comes_back(&rig).await);
    assert_eq!(rig.eval("window.same").await, "1");
    rig.set(PAGE).await;
    assert!(shows(&rig).await);
    let tab = rig.session.new_tab().await.unwrap();
    let later = Rig { page: tab, ..rig };
    later.set(PAGE).await;
    assert!(shows(&later).await);
    later.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_banner_outlives_pages_that_rewrite_themselves() {
    for rewrite in [
        "document.open(); document.write('<h1>New</h1>'); document.close()",
        "document.write('<p>More</p>')",
        "document.body.innerHTML = '<h1>New</h1>'",
        "document.body = document.createElement('body')",
        "document.documentElement.replaceWith(document.documentElement.cloneNode(true))",
        "document.documentElement.innerHTML = '<head></head><body>x</body>'",
        "document.replaceChildren(); document.append(document.createElement('html')); document.documentElement.append(document.createElement('body'))",
        "history.pushState({}, '', '#elsewhere')",
        "history.replaceState({}, '', '#elsewhere')",
    ] {
        let rig = rig(PAGE).await;
        rig.eval(&format!("{rewrite}; 1")).await;
        assert!(comes_back(&rig).await, "{rewrite}");
        rig.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_banner_outlives_an_application_that_goes_on_and_back_in_one_document() {
    let rig = rig("<header>Store</header><main>Milk</main>").await;
    let show = "window.show = (name) => { for (const part of ['header', 'main']) { \
                const made = document.createElement(part); made.textContent = name; \
                document.querySelector(part).replaceWith(made) } }; 1";
    rig.eval(show).await;
    rig.eval("history.pushState({}, '', '#bread'); show('Bread'); 1").await;
    assert!(comes_back(&rig).await);
    let back = "new Promise((done) => { addEventListener('popstate', () => { show('Eggs'); \
                done(location.hash + document.querySelector('main').textContent) }); history.back() })";
    assert_eq!(rig.eval(back).await, "\"Eggs\"");
    assert!(comes_back(&rig).await);
    rig.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_against_the_banner_does_not_get_rid_of_it() {
    let cover =
        "width:100vw;height:100vh;max-width:none;max-height:none;margin:0;background:red;inset:0";
    for attack in [
        // Above everything a page can be above of.
        format!("document.body.insertAdjacentHTML('beforeend', '<div style=\"position:fixed;z-index:2147483647;{cover}\">')"),
        // In the top layer, later.
        format!("document.body.insertAdjacentHTML('beforeend', '<div id=p popover=manual style=\"{cover}\">'); p.showPopover()"),
        format!("document.body.insertAdjacentHTML('beforeend', '<dialog id=d style=\"{cover}\">'); d.showModal()"),
        // Takes away whatever comes.
        "new MutationObserver(() => document.querySelectorAll('html > :not(head, body)').forEach((one) => one.remove())).observe(document, { childList: true, subtree: true }); document.body.remove(); document.documentElement.append(document.createElement('body'))".to_owned(),
        // Hides whatever there is.
        "document.head.append(Object.assign(document.createElement('style'), { textContent: '* { visibility: hidden !important; opacity: 0 !important } div { display: none !important }' }))".to_owned(),
    ] {
        let rig = rig(PAGE).await;
        rig.eval(&format!("{attack}; 1")).await;
        assert!(comes_back(&rig).await, "{attack}");
        rig.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_banner_is_there_before_the_scripts_of_a_page_and_under_its_content_policy() {
    let site = Site::start(|request| match request.path.as_str() {
        "/" => Reply::Full {
            status: "200 OK",
            headers: vec![
                ("Content-Type", "text/html".into()),
                ("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'".into()),
            ],
            body: b"<body><script>try { document.body.attachShadow({ mode: 'open' }); document.title = 'first' } \
                    catch { document.title = 'second' }</script><p>Milk"
                .to_vec(),
        },
        _ => Reply::NotFound,
    })
    .await;
    let rig = Rig::new().await;
    rig.session.banner(SAID).await;
    rig.page.navigate(&site.url("/"), Duration::from_secs(15)).await.unwrap();
    assert!(shows(&rig).await);
    assert_eq!(rig.eval("document.title").await, "\"second\"");
    assert!(rig.text().await.contains("Milk"));
    rig.end().await;
}
