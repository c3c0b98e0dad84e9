//! Rules that are exchanged under a browser that lives on.

use std::sync::Arc;

use legwork_protocol::{Code, Reply, ToolCall, ToolError, ToolHost as _, Warden};
use legwork_tools::{Files, Host, Settings};
use serde_json::{Map, Value, json};

use crate::records::Records;
use crate::site::{Answer, Site, html};

struct Rig {
    host: Host,
    records: Arc<Records>,
    site: Site,
    _folder: tempfile::TempDir,
}

impl Rig {
    async fn new(routes: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Rig {
        let folder = tempfile::tempdir().unwrap();
        let records = Arc::new(Records::default());
        let settings = Settings {
            files: Files::in_folder(folder.path().join("files")),
            audit: records.clone(),
            ..Default::default()
        };
        let site = Site::start(routes).await;
        Rig { host: Host::new(settings), records, site, _folder: folder }
    }

    async fn call_in(&self, session: &str, tool: &str, args: Value) -> Result<Reply, ToolError> {
        let args: Map<String, Value> = serde_json::from_value(args).unwrap();
        self.host.call(ToolCall::new(session, tool, args)).await
    }

    async fn call(&self, tool: &str, args: Value) -> Result<Reply, ToolError> {
        self.call_in("default", tool, args).await
    }

    async fn open(&self, path: &str) -> Result<Reply, ToolError> {
        self.call("browser_navigate", json!({ "url": format!("{}{path}", self.site.origin()) }))
            .await
    }

    /// A policy for the site, and more of it.
    fn policy(&self, more: &str) -> String {
        let port = self.site.port;
        format!(
            "preset = \"guarded\"\n[hosts]\nallow = [\"127.0.0.1:{port}\"]\n[rate]\nper_minute = 1000\n{more}"
        )
    }

    async fn govern(&self, more: &str) {
        self.host.govern(&self.policy(more)).await.unwrap();
    }

    /// Which paths the site was asked for.
    fn heard(&self) -> Vec<String> {
        let heard = self.site.heard.lock().unwrap();
        heard.iter().map(|one| one.split(' ').next().unwrap().to_owned()).collect()
    }
}

/// Sets a cookie that ends with the browser, and shows what cookies there are.
fn pages(path: &str) -> Answer {
    match path {
        "/in" => ("Content-Type: text/html\r\nSet-Cookie: known=yes; Path=/\r\n", b"in".into()),
        "/tick" => html("ticking"),
        "/body" => html(
            "<p id=c></p><script>try { document.body.attachShadow({ mode: 'open' }).innerHTML = \
             '<p>nothing holds the body</p>' } catch { c.textContent = 'the body is held' }</script>",
        ),
        "/open" => html("<h1>Here</h1><script>setInterval(() => fetch('/tick'), 20)</script>"),
        _ => html(
            "<h1>Page</h1><p id=c></p><script>c.textContent = `has ${document.cookie}`</script>",
        ),
    }
}

const NO_LOGIN: &str = "[paths]\nblock = [\"/in\"]\n";

#[tokio::test(flavor = "multi_thread")]
async fn rules_change_under_a_living_browser_and_the_cookies_of_its_session_stay() {
    let rig = Rig::new(pages).await;
    rig.govern("").await;
    rig.open("/in").await.unwrap();
    rig.govern(NO_LOGIN).await;
    let refused = rig.open("/in").await.unwrap_err();
    assert!(refused.message.contains("paths"), "{refused:?}");
    let page = rig.open("/").await.unwrap();
    assert!(page.text.contains("has known=yes"), "{}", page.text);
    rig.govern("").await;
    rig.open("/in").await.unwrap();
    assert_eq!(rig.heard().iter().filter(|path| *path == "/in").count(), 2);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_banner_reaches_the_pages_of_its_session_before_their_scripts() {
    let rig = Rig::new(pages).await;
    rig.govern("").await;
    let without = rig.open("/body").await.unwrap();
    assert!(without.text.contains("nothing holds the body"), "{}", without.text);
    rig.host.banner("default", "Currently shopping for: oat milk").await.unwrap();
    let with = rig.open("/body").await.unwrap();
    assert!(with.text.contains("the body is held"), "{}", with.text);
    assert!(!with.text.contains("oat milk"), "{}", with.text);
    rig.host.banner("default", "").await.unwrap();
    let again = rig.open("/body").await.unwrap();
    assert!(again.text.contains("nothing holds the body"), "{}", again.text);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_of_one_phase_is_there_in_the_next() {
    let rig = Rig::new(pages).await;
    rig.govern("").await;
    rig.open("/open").await.unwrap();
    let other = json!({ "action": "new", "url": format!("{}/open", rig.site.origin()) });
    rig.call("browser_tabs", other).await.unwrap();
    rig.govern("").await;
    let ticks = rig.heard().len();
    let tabs = rig.call("browser_tabs", json!({ "action": "list" })).await.unwrap();
    assert!(!tabs.text.contains("/open") && tabs.text.contains("about:blank"), "{}", tabs.text);
    rig.open("/").await.unwrap();
    let later = rig.heard()[ticks..].iter().filter(|path| *path == "/tick").count();
    assert_eq!(later, 0, "a page that was left goes on asking");
    let back = rig.call("browser_back", json!({})).await;
    assert!(!format!("{back:?}").contains("Here"), "{back:?}");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_runs_is_stopped_and_one_that_comes_later_waits() {
    let rig = Arc::new(Rig::new(pages).await);
    rig.govern("").await;
    rig.open("/").await.unwrap();
    let waiting = tokio::spawn({
        let rig = rig.clone();
        async move { rig.call("browser_wait", json!({ "text": "never", "timeout": "5m" })).await }
    });
    let recorded = || rig.records.all().contains("\"never\"");
    while !recorded() {
        tokio::task::yield_now().await;
    }
    rig.govern(NO_LOGIN).await;
    assert_eq!(waiting.await.unwrap().unwrap_err().code, Code::Cancelled);
    rig.open("/").await.unwrap();
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_cannot_be_read_leaves_everything_as_it_was() {
    let rig = Rig::new(pages).await;
    rig.govern(NO_LOGIN).await;
    rig.open("/").await.unwrap();
    for wrong in ["", "preset = \"none\"", "preset = \"guarded\"\n[hosts]\nalow = []\n"] {
        let refused = rig.host.govern(wrong).await.unwrap_err();
        assert_eq!(refused.code, Code::InvalidInput, "{refused:?}");
    }
    let folder = rig.policy("[downloads]\nfolder = \"/tmp/elsewhere\"\n");
    assert_eq!(rig.host.govern(&folder).await.unwrap_err().code, Code::InvalidInput);
    let page = rig.call("browser_snapshot", json!({})).await.unwrap();
    assert!(page.text.contains("Page"), "{}", page.text);
    rig.open("/in").await.unwrap_err();
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_entered_in_its_phase_alone_and_masked_in_every_one() {
    let form = "<form action=/in method=post><label>Pass <input type=password name=p></label><button>Go</button></form>";
    let rig = Rig::new(move |path| match path {
        "/form" => html(form),
        "/echo" => html("<p>your word is correct horse battery</p>"),
        _ => pages(path),
    })
    .await;
    let origin = rig.site.origin();
    let secret = format!(
        "[secrets.pw]\ncommand = [\"printf\", \"%s\", \"correct horse battery\"]\norigins = [{origin:?}]\n"
    );
    let fill = json!({ "fields": { "Pass": "{{secret:pw}}" }, "submit": true });
    rig.govern(&secret).await;
    rig.open("/form").await.unwrap();
    rig.call("browser_fill_form", fill.clone()).await.unwrap();
    let heard = rig.site.heard.lock().unwrap().join("\n");
    assert!(heard.contains("p=correct+horse+battery"), "{heard}");
    rig.govern("").await;
    rig.open("/form").await.unwrap();
    let refused = rig.call("browser_fill_form", fill).await.unwrap_err();
    assert!(refused.message.contains("there is no secret pw"), "{refused:?}");
    let echoed = rig.open("/echo").await.unwrap();
    assert!(echoed.text.contains("{{secret:pw}}"), "{}", echoed.text);
    let records = rig.records.all();
    assert!(!records.contains("horse") && records.contains("secrets [pw]"), "{records}");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_let_through_is_told_once_with_its_rule() {
    let rig = Rig::new(|path| match path {
        "/ads" => html("<img src=http://ads.test/a.png><script>fetch('/in')</script><h1>Ads</h1>"),
        _ => pages(path),
    })
    .await;
    rig.govern(NO_LOGIN).await;
    rig.open("/ads").await.unwrap();
    let warden: &dyn Warden = &rig.host;
    let blocked = warden.blocked();
    let ads = blocked.iter().find(|one| one.host == "ads.test").unwrap();
    assert!(
        ads.rule.contains("hosts") && ads.page.as_deref().unwrap().ends_with("/ads"),
        "{ads:?}"
    );
    let path = blocked.iter().find(|one| one.url.as_deref().unwrap_or("").ends_with("/in"));
    assert!(path.unwrap().rule.contains("/in"), "{blocked:?}");
    assert!(warden.blocked().is_empty());
    rig.open("/ads").await.unwrap();
    rig.host.end("default").await;
    assert!(warden.blocked().iter().any(|one| one.host == "ads.test"));
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_before_the_first_change_is_not_carried_over_unguarded() {
    let rig = Rig::new(pages).await;
    rig.open("/in").await.unwrap();
    rig.govern(NO_LOGIN).await;
    rig.open("/in").await.unwrap_err();
    rig.open("/").await.unwrap();
    assert_eq!(rig.host.sessions().await[0].guard, "proxy and interception");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_side_by_side_are_signed_in_together_and_left_together() {
    let rig = Rig::new(pages).await;
    rig.govern("").await;
    rig.open("/in").await.unwrap();
    rig.host.beside("two", "default").await.unwrap();
    // Again is the same; a session that is there already is not made another.
    rig.host.beside("two", "default").await.unwrap();
    let url = json!({ "url": format!("{}/", rig.site.origin()) });
    rig.call_in("three", "browser_navigate", url.clone()).await.unwrap();
    assert_eq!(rig.host.beside("three", "default").await.unwrap_err().code, Code::InvalidInput);
    assert_eq!(rig.host.beside("two", "two").await.unwrap_err().code, Code::InvalidInput);
    let page = rig.call_in("two", "browser_navigate", url.clone()).await.unwrap();
    assert!(page.text.contains("has known=yes"), "{}", page.text);
    let never = json!({ "text": "never", "timeout": "5m" });
    tokio::select! {
        _ = rig.call("browser_wait", never) => panic!("it waits"),
        page = rig.call_in("two", "browser_snapshot", json!({})) => assert!(page.is_ok()),
    }
    rig.govern(NO_LOGIN).await;
    for session in ["default", "two"] {
        let tabs = rig.call_in(session, "browser_tabs", json!({ "action": "list" })).await.unwrap();
        assert!(tabs.text.contains("about:blank") && !tabs.text.contains("127"), "{}", tabs.text);
    }
    let page = rig.call_in("two", "browser_navigate", url).await.unwrap();
    assert!(page.text.contains("has known=yes"), "{}", page.text);
    rig.host.end("default").await;
    let open: Vec<String> = rig.host.sessions().await.into_iter().map(|one| one.name).collect();
    assert_eq!(open, ["three"]);
    rig.host.close().await;
}

/// A port that nobody may connect to.
struct Forbidden(std::net::TcpListener);

impl Forbidden {
    fn new() -> Forbidden {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Forbidden(listener)
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.0.local_addr().unwrap().port())
    }

    fn connections(&self) -> usize {
        std::iter::from_fn(|| self.0.accept().ok()).count()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_tool_connects_to_where_the_policy_does_not_let_it() {
    let rig = Rig::new(pages).await;
    let forbidden = Forbidden::new();
    let url = forbidden.url();
    rig.govern("").await;
    rig.open("/").await.unwrap();
    let wrapped = format!("view-source:{url}");
    let after = format!("{}@{}", rig.site.origin(), url.trim_start_matches("http://"));
    let elsewhere =
        [&*url, &wrapped, &after, "file:///etc/passwd", "ftp://127.0.0.1/", "javascript:1"];
    for address in elsewhere {
        for (tool, args) in [
            ("browser_navigate", json!({ "url": address })),
            ("browser_tabs", json!({ "action": "new", "url": address })),
            ("browser_open", json!({ "url": address })),
        ] {
            let refused = rig.call(tool, args).await.unwrap_err();
            let refuses = matches!(refused.code, Code::Denied | Code::InvalidInput);
            assert!(refuses, "{tool} {address}: {refused:?}");
        }
    }
    assert_eq!(forbidden.connections(), 0);
    rig.host.close().await;
}

/// Most of this Chrome refuses by itself, and some it asks for only in a window; none of it may depend on that.
#[tokio::test(flavor = "multi_thread")]
async fn no_page_gets_there_by_another_scheme_or_by_what_is_asked_for_beside_it() {
    let forbidden = Forbidden::new();
    let url = forbidden.url();
    let host = url.trim_start_matches("http://").to_owned();
    let links = ["icon", "apple-touch-icon", "manifest", "search", "dns-prefetch"]
        .map(|rel| format!("<link rel={rel} href='{url}'>"))
        .concat();
    let others =
        [format!("view-source:{url}"), format!("ftp://{host}"), "file:///etc/passwd".into()];
    let frames = others.each_ref().map(|other| format!("<iframe src='{other}'></iframe>")).concat();
    let goes = others
        .each_ref()
        .map(|other| format!("try {{ open('{other}'); location = '{other}' }} catch {{}}"))
        .concat();
    let page = format!("{links}<h1>Here</h1>{frames}<script>{goes}</script>");
    let rig = Rig::new(move |path| if path == "/tries" { html(&page) } else { pages(path) }).await;
    rig.govern("").await;
    let shown = rig.open("/tries").await.unwrap();
    assert!(shown.text.contains("Here") && !shown.text.contains("root:"), "{}", shown.text);
    let tabs = rig.call("browser_tabs", json!({ "action": "list" })).await.unwrap();
    assert!(!tabs.text.contains("passwd"), "{}", tabs.text);
    assert_eq!(forbidden.connections(), 0);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tabs_and_steps_back_lead_nowhere_that_is_forbidden() {
    let forbidden = Forbidden::new();
    let url = forbidden.url();
    let rig = Rig::new(move |path| match path {
        "/opens" => html(&format!("<h1>Opens</h1><script>window.open('{url}')</script>")),
        "/goes" => html(&format!("<a href='{url}'>Away</a>")),
        _ => pages(path),
    })
    .await;
    rig.govern("").await;
    rig.open("/goes").await.unwrap();
    let _ = rig.call("browser_click", json!({ "target": "Away" })).await;
    for step in ["browser_back", "browser_forward", "browser_back", "browser_reload"] {
        let _ = rig.call(step, json!({})).await;
    }
    rig.open("/opens").await.unwrap();
    let _ = rig.call("browser_tabs", json!({ "action": "select", "tab": 2 })).await;
    assert_eq!(forbidden.connections(), 0);
    assert!(!rig.host.blocked().is_empty());
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scheme_that_is_not_listed_is_none_that_pages_may_use() {
    let rig = Rig::new(pages).await;
    let forbidden = Forbidden::new();
    let url = forbidden.url();
    let host = url.trim_start_matches("http://").trim_end_matches('/');
    let policy = format!(
        "preset = \"guarded\"\n[hosts]\nallow = [{host:?}]\nschemes = [\"https\", \"data\"]\n[actions]\neval = \"allow\"\n"
    );
    rig.host.govern(&policy).await.unwrap();
    let page =
        format!("data:text/html,<h1>Here</h1><img src={url}><script>fetch('{url}')</script>");
    let shown = rig.call("browser_navigate", json!({ "url": page })).await.unwrap();
    assert!(shown.text.contains("# Here"), "{}", shown.text);
    assert_eq!(forbidden.connections(), 0);
    assert!(!rig.host.blocked().is_empty());
    rig.host.close().await;
}
