//! W3: what policy wants asked is asked, and only a person's yes to exactly that lets it pass.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use legwork_protocol::{
    Answer, Asked, Code, Person, Progress, Question, Reply, ToolCall, ToolError, ToolHost, Warden,
};
use legwork_tools::{Approvals, Files, Host, Rules, Settings};
use serde_json::{Map, Value, json};

use crate::site::{Site, html};

const PAGE: &str =
    "<h2>Checkout</h2><form onsubmit='event.preventDefault(); sent = (window.sent ?? 0) + 1'>
    <p id=total>Total: 20.00 €</p><button id=pay>Pay now</button></form>";

/// Says what it was told to say, and remembers what it was asked.
struct Says {
    answer: Option<Answer>,
    asked: Mutex<Vec<Question>>,
}

impl Person for Says {
    fn ask<'a>(&'a self, question: &'a Question) -> Asked<'a> {
        self.asked.lock().unwrap().push(question.clone());
        Box::pin(async move { self.answer })
    }
}

struct Rig {
    host: Host,
    folder: tempfile::TempDir,
}

impl Rig {
    async fn new(unanswered: &str, hook: Option<Vec<String>>) -> Rig {
        let folder = tempfile::tempdir().unwrap();
        let hook = hook.map(|hook| format!("hook = {hook:?}\n")).unwrap_or_default();
        let rules = format!(
            "preset = \"open\"\n[actions]\nclick = \"ask\"\n[approvals]\nexpires = \"5s\"\n\
             unanswered = {unanswered:?}\n{hook}"
        );
        let settings = Settings {
            rules: Arc::new(Rules::parse(&rules).unwrap()),
            files: Files::in_folder(folder.path().join("files")),
            approvals: Arc::new(Approvals::new(Some(folder.path().join("always.json")))),
            ..Default::default()
        };
        let rig = Rig { host: Host::new(settings), folder };
        let page = rig.folder.path().join("page.html");
        std::fs::write(&page, PAGE).unwrap();
        rig.call("browser_navigate", json!({ "url": page.display().to_string() }), None)
            .await
            .unwrap();
        rig
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Value,
        person: Option<Arc<dyn Person>>,
    ) -> Result<Reply, ToolError> {
        let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
        self.host.call(ToolCall { person, ..ToolCall::new("default", tool, arguments) }).await
    }

    async fn pay(&self, person: Option<Arc<dyn Person>>) -> Result<Reply, ToolError> {
        self.call("browser_click", json!({ "target": "Pay now" }), person).await
    }

    async fn sent(&self) -> String {
        let asked = json!({ "expression": "String(window.sent ?? 0)" });
        self.call("browser_eval", asked, None).await.unwrap().text
    }

    /// The question that waits, as soon as one does.
    async fn pending(&self) -> Question {
        let mut changes = self.host.approvals().changes();
        loop {
            if let Some(question) = self.host.approvals().pending().pop() {
                return question;
            }
            changes.changed().await.unwrap();
        }
    }
}

fn says(answer: Option<Answer>) -> Arc<Says> {
    Arc::new(Says { answer, asked: Mutex::default() })
}

/// Can be asked between two calls only.
#[derive(Default)]
struct Later(Mutex<Vec<Question>>);

impl Person for Later {
    fn ask<'a>(&'a self, _: &'a Question) -> Asked<'a> {
        Box::pin(async { None })
    }

    fn is_asked_later(&self) -> bool {
        true
    }

    fn ask_later(&self, question: &Question) {
        self.0.lock().unwrap().push(question.clone());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_can_answer_during_the_call_comes_before_a_person_who_is_asked_after_it() {
    let asked = |later: &Later| later.0.lock().unwrap().len();
    for (code, paid, put_off) in [("exit 0", true, 0), ("exit 1", false, 0), ("exit 7", false, 1)] {
        let hook = ["sh", "-c", code].map(str::to_owned).to_vec();
        let rig = Rig::new("refuse", Some(hook)).await;
        let later = Arc::new(Later::default());
        let ended = rig.pay(Some(later.clone())).await;
        assert_eq!((ended.is_ok(), asked(&later)), (paid, put_off), "{code}: {ended:?}");
        rig.host.close().await;
    }
    let rig = Rig::new("refuse", None).await;
    let later = Arc::new(Later::default());
    let first = rig.pay(Some(later.clone())).await.unwrap_err();
    assert_eq!((first.code, asked(&later)), (Code::Denied, 1), "{first:?}");
    assert!(first.message.contains("is asked first"), "{first:?}");
    // Somebody looks at what is pending: they are waited for.
    let _looks = rig.host.approvals().attend(None);
    let (ended, ()) = tokio::join!(rig.pay(Some(later.clone())), async {
        let question = rig.pending().await;
        rig.host.approvals().answer(&question.id, Answer::Approve).unwrap();
    });
    ended.unwrap();
    assert_eq!(asked(&later), 1);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_told_action_site_and_terms_and_their_no_is_final() {
    let rig = Rig::new("refuse", None).await;
    let no = says(Some(Answer::Deny));
    let denied = rig.pay(Some(no.clone())).await.unwrap_err();
    assert_eq!(denied.code, Code::Denied);
    let asked = no.asked.lock().unwrap().clone();
    assert!(asked[0].action.contains("click button \"Pay now\""), "{asked:?}");
    assert!(asked[0].action.contains("20.00 €"), "{asked:?}");
    assert!(asked[0].because.contains("actions.click"), "{asked:?}");
    assert!(rig.sent().await.contains('0'));
    let yes = says(Some(Answer::Approve));
    rig.pay(Some(yes.clone())).await.unwrap();
    assert!(rig.sent().await.contains('1'));
    // Once was once.
    let denied = rig.pay(Some(no)).await.unwrap_err();
    assert_eq!(denied.code, Code::Denied);
    assert!(rig.sent().await.contains('1'));
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn always_is_remembered_for_that_action_on_that_site_and_can_be_taken_back() {
    let rig = Rig::new("refuse", None).await;
    rig.pay(Some(says(Some(Answer::Always)))).await.unwrap();
    rig.pay(None).await.unwrap();
    assert!(rig.sent().await.contains('2'));
    let known = rig.host.approvals().remembered().unwrap();
    assert_eq!(known.len(), 1);
    rig.host.approvals().forget(&known[0].id).unwrap();
    let denied = rig.pay(Some(says(Some(Answer::Deny)))).await.unwrap_err();
    assert_eq!(denied.code, Code::Denied);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_from_another_terminal_counts_once_and_names_the_question() {
    let rig = Rig::new("refuse", None).await;
    let (paid, ()) = tokio::join!(rig.pay(None), async {
        let question = rig.pending().await;
        let approvals = rig.host.approvals();
        assert_eq!(approvals.answer("nonsense", Answer::Approve).unwrap_err().code, Code::NotFound);
        approvals.answer(&question.id, Answer::Approve).unwrap();
        let again = approvals.answer(&question.id, Answer::Approve).unwrap_err();
        assert_eq!(again.code, Code::NotFound);
    });
    paid.unwrap();
    assert!(rig.sent().await.contains('1'));
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_is_void_if_the_element_the_site_or_the_amount_changed_meanwhile() {
    let rig = Rig::new("refuse", None).await;
    for change in [
        "document.querySelector('#total').textContent = 'Total: 2000.00 €'",
        "document.querySelector('#pay').textContent = 'Delete account'",
        "document.querySelector('form').setAttribute('action', 'https://evil.test/')",
    ] {
        let expression = format!("setTimeout(() => {{ {change} }}, 100); 0");
        rig.call("browser_eval", json!({ "expression": expression }), None).await.unwrap();
        let target = json!({ "target": "#pay" });
        let (ended, ()) = tokio::join!(rig.call("browser_click", target, None), async {
            let question = rig.pending().await;
            // The page's own clock changes it while the person thinks.
            tokio::time::sleep(Duration::from_millis(300)).await;
            rig.host.approvals().answer(&question.id, Answer::Approve).unwrap();
        });
        let error = ended.unwrap_err();
        assert_eq!(error.code, Code::Denied, "{change}: {error:?}");
        assert!(error.message.contains("void"), "{change}: {error:?}");
    }
    assert!(rig.sent().await.contains('0'));
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_is_void_if_equal_buttons_changed_places_or_the_same_page_is_of_another_origin()
{
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let (changed, mut done) = tokio::sync::mpsc::unbounded_channel();
    let wait = Mutex::new(wait);
    // The page changes when it is told to: a call that waits for an answer has the session to itself.
    let site = Site::start(move |path| {
        match path {
            "/wait" => drop(tokio::task::block_in_place(|| wait.lock().unwrap().recv())),
            "/changed" => drop(changed.send(())),
            _ => {}
        }
        html(
            "<p><button>Delete</button><p><button>Delete</button><script>gone = 0; \
             onclick = () => gone++; if (location.hostname === 'localhost') fetch('/changed')</script>",
        )
    })
    .await;
    let rig = Rig::new("refuse", None).await;
    let swap = "const [one, other] = document.querySelectorAll('p'); \
                one.append(other.firstChild); other.append(one.firstChild); fetch('/changed')";
    let leave = format!("location = '{}'", site.other_origin());
    for change in [swap, &leave] {
        rig.call("browser_navigate", json!({ "url": site.origin() }), None).await.unwrap();
        let expression = format!("fetch('/wait').then(() => {{ {change} }}); 0");
        rig.call("browser_eval", json!({ "expression": expression }), None).await.unwrap();
        let target = json!({ "target": "css=p:nth-of-type(1) button" });
        let (ended, ()) = tokio::join!(rig.call("browser_click", target, None), async {
            let question = rig.pending().await;
            go.send(()).unwrap();
            done.recv().await.unwrap();
            rig.host.approvals().answer(&question.id, Answer::Approve).unwrap();
        });
        let error = ended.unwrap_err();
        assert_eq!(error.code, Code::Denied, "{change}: {error:?}");
        assert!(error.message.contains("void"), "{change}: {error:?}");
        let gone = json!({ "expression": "String(gone)" });
        assert!(rig.call("browser_eval", gone, None).await.unwrap().text.contains('0'), "{change}");
    }
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_falls_with_the_rules_it_was_asked_under() {
    let rig = Rig::new("refuse", None).await;
    let (ended, ()) = tokio::join!(rig.pay(None), async {
        let question = rig.pending().await;
        rig.host.govern("preset = \"open\"").await.unwrap();
        let late = rig.host.approvals().answer(&question.id, Answer::Approve).unwrap_err();
        assert_eq!(late.code, Code::NotFound);
    });
    assert_eq!(ended.unwrap_err().code, Code::Cancelled);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_option_of_a_drawn_list_is_chosen_only_if_it_is_what_was_judged() {
    let rig = Rig::new("refuse", None).await;
    let page = "document.body.innerHTML = `<button aria-haspopup=listbox aria-label=Size \
        onclick='list.hidden = false'>Choose</button><ul id=list role=listbox hidden>\
        <li role=option onclick='chose = 1'>Large</li><li role=option onclick='chose = 2'>Small, and pay</li>\
        <li role=option><a href='#paid' style='display: block'>Medium</a></li></ul>`; 0";
    for (by, option, denied) in [
        ("label", "small", true),
        ("index", "0", true),
        ("label", "Medium", true),
        ("label", "small, and pay", false),
        ("label", "Large", false),
    ] {
        rig.call("browser_eval", json!({ "expression": format!("chose = 0; {page}") }), None)
            .await
            .unwrap();
        let select = json!({ "target": "Size", "option": option, "by": by });
        let ended = rig.call("browser_select", select, Some(says(Some(Answer::Approve)))).await;
        assert_eq!(
            ended.as_ref().err().map(|error| error.code),
            denied.then_some(Code::Denied),
            "{option}: {ended:?}"
        );
        let done = json!({ "expression": "String(chose > 0 || location.hash)" });
        let done = rig.call("browser_eval", done, None).await.unwrap().text;
        assert_eq!(done.contains("true"), !denied, "{option}: {done}");
        assert!(!done.contains("paid"), "{option}: {done}");
    }
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_can_be_asked_the_policy_says_what_counts() {
    let open = Rig::new("allow", None).await;
    open.pay(None).await.unwrap();
    // Somebody who could be asked is asked.
    let denied = open.pay(Some(says(Some(Answer::Deny)))).await.unwrap_err();
    assert_eq!(denied.code, Code::Denied);
    // One who was to be asked and could not be has not said yes.
    let unasked = open.pay(Some(says(None))).await.unwrap_err();
    assert_eq!(unasked.code, Code::Denied);
    assert!(open.sent().await.contains('1'));
    open.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_nobody_answers_expires_as_a_no() {
    let rig = Rig::new("refuse", None).await;
    let told = Arc::new(AtomicUsize::new(0));
    let counter = told.clone();
    let progress = move |progress: Progress| {
        assert!(progress.message.contains("Pay now"), "{progress:?}");
        counter.fetch_add(1, Ordering::SeqCst);
    };
    let arguments: Map<String, Value> =
        serde_json::from_value(json!({ "target": "Pay now" })).unwrap();
    let call = ToolCall::new("default", "browser_click", arguments);
    let call = ToolCall { progress: Some(Arc::new(progress)), ..call };
    let denied = rig.host.call(call).await.unwrap_err();
    assert_eq!(denied.code, Code::Denied);
    assert!(denied.hint.unwrap().contains("legwork approve"));
    // Said once, and again while it goes on.
    assert!(told.load(Ordering::SeqCst) >= 1);
    assert!(rig.host.approvals().pending().is_empty());
    assert!(rig.sent().await.contains('0'));
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_answers_by_its_exit_code() {
    for (code, passes) in [(0, true), (1, false)] {
        let command = ["sh", "-c", &format!("grep -q 'Pay now' && exit {code}; exit 3")];
        let hook = command.map(str::to_owned).to_vec();
        let rig = Rig::new("refuse", Some(hook)).await;
        assert_eq!(rig.pay(None).await.is_ok(), passes, "exit {code}");
        rig.host.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_access_key_is_judged_as_the_click_it_is() {
    let rig = Rig::new("refuse", None).await;
    let keyed = json!({ "expression": "document.getElementById('pay').accessKey = 'p'" });
    rig.call("browser_eval", keyed, None).await.unwrap();
    let no = says(Some(Answer::Deny));
    for chord in ["Alt+p", "Alt+P"] {
        let press = json!({ "key": chord });
        let denied = rig.call("browser_press_key", press, Some(no.clone())).await.unwrap_err();
        assert_eq!(denied.code, Code::Denied, "{chord}");
    }
    let asked = no.asked.lock().unwrap().clone();
    assert!(asked[0].action.contains("button \"Pay now\""), "{asked:?}");
    assert!(rig.sent().await.contains('0'));
    let yes = says(Some(Answer::Approve));
    rig.call("browser_press_key", json!({ "key": "Alt+p" }), Some(yes)).await.unwrap();
    assert!(rig.sent().await.contains('1'), "Chrome answers to the access key");
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_tells_one_of_two_equal_buttons_from_the_other() {
    let rig = Rig::new("refuse", None).await;
    let rows = "document.body.innerHTML = '<p><button>Delete</button><p><button>Delete</button>'";
    rig.call("browser_eval", json!({ "expression": rows }), None).await.unwrap();
    let no = says(Some(Answer::Deny));
    for nth in [1, 2, 1] {
        let target = format!("css=p:nth-of-type({nth}) button");
        let click = rig.call("browser_click", json!({ "target": target }), Some(no.clone()));
        click.await.unwrap_err();
    }
    let asked = no.asked.lock().unwrap().clone();
    assert_eq!(asked[0].action, asked[1].action);
    assert_ne!(asked[0].digest, asked[1].digest);
    assert_eq!(asked[0].digest, asked[2].digest);
    rig.host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_page_is_left_unasked_and_a_page_that_does_not_answer_is_not() {
    let page = "<button onclick='setInterval(() => { for (;;); })'>Hang</button>";
    let site = crate::site::Site::start(move |_| crate::site::html(page)).await;
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        rules: Arc::new(Rules::preset("local").unwrap()),
        files: Files::in_folder(folder.path()),
        ..Default::default()
    };
    let rig = Rig { host: Host::new(settings), folder };
    let no = says(Some(Answer::Deny));
    let call = async |tool: &str, arguments: Value| {
        rig.call(tool, arguments, Some(no.clone())).await.map_err(|error| error.code)
    };
    let go = async |url: String| call("browser_navigate", json!({ "url": url })).await.map(drop);
    let fails = Err(Code::NavigationFailed);
    assert_eq!(go(format!("http://{closed}/")).await, fails);
    assert_eq!(call("browser_reload", json!({})).await.map(drop), fails);
    assert_eq!(go(site.origin()).await, Ok(()));
    assert!(no.asked.lock().unwrap().is_empty());
    let _ = call("browser_click", json!({ "target": "Hang" })).await;
    assert_eq!(go(site.origin()).await, Err(Code::Denied));
    assert_eq!(no.asked.lock().unwrap().len(), 1);
    rig.host.close().await;
}

/// What accepting a dialog, pressing Enter or following a link asks, in the preset `local`.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_does_by_other_means_than_its_buttons_is_asked_about() {
    const PAGE: &str = "<h1>Talk</h1><div contenteditable aria-label='Message Bob' id=box>x</div>
        <a id=gone href='/items/5' data-method=delete>Delete</a>
        <button id=sure onclick='window.yes = confirm(\"Are you sure?\")'>Go</button>
        <form><input aria-label=Name></form>
        <script>addEventListener('beforeunload', (e) => e.preventDefault())</script>";
    let site = crate::site::Site::start(|_| crate::site::html(PAGE)).await;
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        rules: Arc::new(Rules::preset("local").unwrap()),
        files: Files::in_folder(folder.path()),
        ..Default::default()
    };
    let rig = Rig { host: Host::new(settings), folder };
    let no: Arc<Says> = says(Some(Answer::Deny));
    rig.call("browser_navigate", json!({ "url": site.origin() }), None).await.unwrap();
    let asks = async |tool: &str, arguments: Value| {
        rig.call(tool, arguments.clone(), Some(no.clone())).await.expect_err(&arguments.to_string())
    };
    asks("browser_press_key", json!({ "key": "Enter", "target": "#box" })).await;
    asks("browser_click", json!({ "target": "#gone" })).await;
    let to = format!("{}/items/5/delete?confirm=1", site.origin());
    asks("browser_navigate", json!({ "url": to })).await;
    rig.call("browser_click", json!({ "target": "#sure" }), None).await.unwrap();
    asks("browser_handle_dialog", json!({ "accept": true })).await;
    let dismiss = json!({ "accept": false });
    rig.call("browser_handle_dialog", dismiss, Some(no.clone())).await.unwrap();
    rig.call("browser_type", json!({ "target": "Name", "text": "x" }), None).await.unwrap();
    rig.call("browser_eval", json!({ "expression": "document.querySelector('input').value = ''; setTimeout(() => location = '/away')" }), None).await.unwrap();
    rig.call("browser_wait", json!({ "event": "navigation", "timeout": "2s" }), None).await.ok();
    let denied = asks("browser_handle_dialog", json!({ "accept": true })).await;
    assert!(denied.message.contains("leaves a page"), "{denied}");
    assert_eq!(no.asked.lock().unwrap().len(), 5);
    rig.host.close().await;
}
