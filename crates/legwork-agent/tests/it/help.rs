//! What needs a person, in generated pages: the person is asked, for the right thing, and nothing is done
//! meanwhile; and pages that need nobody are gone on with.

use legwork_agent::think::{Achieved, pursue};
use legwork_protocol::assistant::{AssistanceKind, Reaction, RunStatus, TaskStatus};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::json;

use crate::errand;
use crate::scripted::{Recorder, Scripted, call, done, goal};
use crate::support::{Rig, Site, html};

/// A page and what has to come of it.
#[derive(Debug, Clone)]
struct Case {
    body: String,
    needs: Needs,
    when: When,
    stops: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Needs {
    Person(AssistanceKind),
    /// Nothing that the model tries has an effect.
    Stuck,
    /// The model does not know and asks.
    Unclear,
    Nobody,
}

/// When the page shows what it wants.
#[derive(Debug, Clone, Copy, PartialEq)]
enum When {
    AtOnce,
    /// A click leads to it.
    Navigated,
    /// A click adds it to the page.
    Added,
}

fn word() -> impl Strategy<Value = &'static str> {
    select(vec![
        "Fernhill",
        "Acme",
        "Nordwind",
        "Bluebird",
        "Hafen",
        "Quartz",
        "Lumen",
        "Oak & Sons",
    ])
}

fn around() -> impl Strategy<Value = (String, String)> {
    let links = prop::collection::vec(
        select(vec!["Home", "Shop", "Help", "Sign in", "Blog", "Contact", "Basket"]),
        0..5,
    );
    let foot =
        select(vec!["© 2026", "Terms and Privacy", "Made with care", "All prices with tax", ""]);
    (word(), links, foot).prop_map(|(name, links, foot)| {
        let links: String = links.iter().map(|link| format!("<a href='/x'>{link}</a> ")).collect();
        (format!("<header>{name} {links}</header>"), format!("<footer>{foot}</footer>"))
    })
}

fn captcha() -> impl Strategy<Value = String> {
    let says = select(vec![
        "I'm not a robot",
        "I am human",
        "Verify you are human",
        "Ich bin kein Roboter",
        "Je ne suis pas un robot",
        "Confirm you are human",
    ]);
    let boxes = (says, any::<bool>()).prop_map(|(says, native)| match native {
        true => format!("<label><input type=checkbox> {says}</label>"),
        false => format!("<span role=checkbox aria-checked=false tabindex=0 aria-labelledby=l style='display:inline-block;width:20px;height:20px;border:1px solid'></span><span id=l>{says}</span>"),
    });
    let letters = select(vec![
        "Type the characters you see in the image",
        "Enter the text shown below",
        "Enter the characters you see",
        "Captcha",
    ])
    .prop_map(|says| format!("<label>{says} <input name=c></label>"));
    let before = select(vec![
        "Verify you are human by completing the action below.",
        "Please confirm you are not a robot",
        "Are you a robot?",
        "Our systems have detected unusual traffic from your computer network.",
        "Complete the security check to access this site",
    ])
    .prop_map(|says| format!("<h2>{says}</h2><p>Reference 4d1b6f0e</p>"));
    let framed = boxes.clone().prop_map(|inner| {
        format!("<iframe title=challenge width=320 height=90 srcdoc=\"<title>challenge</title>{}\"></iframe>", inner.replace('"', "&quot;"))
    });
    let alone = prop_oneof![boxes, letters, framed].prop_map(|riddle| {
        format!(
            "<h1>Contact</h1><form><label>Name <input></label>{riddle}<button>Send</button></form>"
        )
    });
    prop_oneof![3 => alone, 1 => before]
}

fn login() -> impl Strategy<Value = String> {
    let words = select(vec![
        ("Sign in", "Email", "Password", "Sign in"),
        ("Log in to your account", "Username", "Password", "Log in"),
        ("Login", "User name", "Your password", "Login"),
        ("Welcome back", "Email address", "Password", "Continue"),
        ("Anmelden", "E-Mail", "Passwort", "Anmelden"),
        ("Connexion", "Adresse e-mail", "Mot de passe", "Se connecter"),
        ("Inicia sesión", "Correo", "Contraseña", "Iniciar sesión"),
    ]);
    (words, any::<bool>(), any::<bool>()).prop_map(
        |((title, user, password, button), placeholders, extras)| {
            let field = |name: &str, kind: &str| match placeholders {
                true => format!("<input type={kind} placeholder='{name}'>"),
                false => format!("<label>{name} <input type={kind}></label>"),
            };
            let extras = if extras {
                "<label><input type=checkbox> Remember me</label><a href=/f>Forgot password?</a>"
            } else {
                ""
            };
            format!(
                "<h1>{title}</h1><form>{}{}{extras}<button>{button}</button></form>",
                field(user, "text"),
                field(password, "password")
            )
        },
    )
}

fn second_factor() -> impl Strategy<Value = String> {
    let says = select(vec![
        "Enter the 6-digit code we sent to your phone.",
        "We sent you a code by email.",
        "Open your authenticator app and enter the code.",
        "A code has been sent to +49 ••• 42.",
    ]);
    let field = select(vec![
        "Code",
        "Verification code",
        "One-time code",
        "Security code",
        "Enter code",
        "Authentication code",
    ])
    .prop_map(|name| format!("<label>{name} <input inputmode=numeric></label>"));
    let boxes = (4..7u8).prop_map(|n| {
        (1..=n).map(|n| format!("<input maxlength=1 aria-label='Digit {n}'>")).collect::<String>()
    });
    (says, prop_oneof![field, boxes], select(vec!["Verify", "Continue", "Submit"])).prop_map(|(says, fields, button)| {
        format!("<h1>Two-step verification</h1><p>{says}</p><form>{fields}<button>{button}</button></form><a href=/r>Resend</a>")
    })
}

fn harmless() -> impl Strategy<Value = String> {
    let pieces = select(vec![
        "<h2>Sign up for our newsletter</h2><form><input type=email placeholder='Your email'><button>Sign up</button></form>",
        "<form><input type=search aria-label=Search><button>Search</button></form>",
        "<p>Log in to see your orders. <a href=/login>Log in</a></p>",
        "<form><label>Card number <input></label><label>Security code <input></label><button>Pay</button></form>",
        "<form><label>Promo code <input></label><button>Apply</button></form>",
        "<label><input type=checkbox> I agree to the terms</label>",
        "<p>This site is protected by reCAPTCHA. <a href=/p>Privacy</a></p>",
        "<label><input type=checkbox checked> I'm not a robot</label>",
        "<h2>Create your account</h2><form><label>Email <input></label><label>Password <input type=password></label><label>Confirm password <input type=password></label><button>Create account</button></form>",
        "<table><tr><td>Oat milk</td><td>€2</td><td><button>Remove</button></td></tr></table>",
        "<img alt='A red bike' width=40 height=40 src=data:,>",
    ]);
    prop::collection::vec(pieces, 1..4)
        .prop_map(|pieces| format!("<h1>Basket</h1>{}", pieces.concat()))
}

fn case() -> impl Strategy<Value = Case> {
    let person = |kind| move |body: String| (body, Needs::Person(kind));
    let bodies = prop_oneof![
        3 => captcha().prop_map(person(AssistanceKind::Captcha)),
        3 => login().prop_map(person(AssistanceKind::Login)),
        3 => second_factor().prop_map(person(AssistanceKind::TwoFactor)),
        1 => harmless().prop_map(|body| (body, Needs::Stuck)),
        1 => harmless().prop_map(|body| (body, Needs::Unclear)),
        2 => harmless().prop_map(|body| (body, Needs::Nobody)),
    ];
    let when = select(vec![When::AtOnce, When::Navigated, When::Added]);
    (bodies, around(), when, any::<bool>()).prop_map(
        |((body, needs), (head, foot), when, stops)| Case {
            body: format!("{head}{body}{foot}"),
            needs,
            when,
            stops,
        },
    )
}

/// The first page of a case: what it wants, or a button that leads to it.
fn first(case: &Case) -> String {
    let idle = "<p><button>Idle</button></p>";
    let adds = format!("document.getElementById('more').innerHTML = {}", json!(case.body))
        .replace('&', "&amp;")
        .replace('"', "&quot;");
    match case.when {
        When::AtOnce => format!("<title>Shop</title>{}{idle}", case.body),
        When::Navigated => {
            format!("<title>Shop</title><h1>Shop</h1><a href='/second'>Go on</a>{idle}")
        }
        When::Added => {
            format!(
                "<title>Shop</title><h1>Shop</h1><button onclick=\"{adds}\">Go on</button><div id=more></div>{idle}"
            )
        }
    }
}

/// A model that goes on as if nothing was in its way.
fn model(case: &Case) -> Scripted {
    let (needs, mut leads) = (case.needs, case.when != When::AtOnce);
    let mut clicks = 0;
    Scripted::by(move |_| {
        if std::mem::take(&mut leads) {
            return Ok(call("browser_click", json!({ "target": "Go on" })));
        }
        clicks += 1;
        Ok(match needs {
            Needs::Unclear => {
                call("request_assistance", json!({ "type": "custom", "message": "Which of them?" }))
            }
            Needs::Nobody if clicks > 1 => {
                call("give_up", json!({ "reason": "nobody was needed" }))
            }
            _ => call("browser_click", json!({ "target": "h1" })),
        })
    })
}

/// The pages of all cases, each under its number.
async fn serving(cases: &[Case]) -> Site {
    let served = cases.to_vec();
    Site::start(move |path| {
        let mut parts = path.split('/').skip(1);
        let number: usize = parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
        match parts.next() {
            Some("second") => html(&format!("<title>Shop</title>{}", served[number].body)),
            _ => html(&first(&served[number]).replace("'/second'", &format!("'/{number}/second'"))),
        }
    })
    .await
}

/// **Feature: browser-automation-assistant, Property 6: Assistance request creation**
///
/// For any scenario requiring user intervention (captcha, authentication, unexpected conditions), the system
/// should create an appropriate AssistanceRequest object and pause execution.
#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_asked_for_the_right_thing_and_nothing_is_done_meanwhile() {
    let mut runner = TestRunner::default();
    let mut cases: Vec<Case> = Vec::new();
    while cases.iter().filter(|case| case.needs != Needs::Nobody).count() < 100 {
        cases.push(case().new_tree(&mut runner).unwrap().current());
    }
    let site = serving(&cases).await;
    let rig = Rig::new();
    for (number, case) in cases.iter().enumerate() {
        let url = format!("{}/{number}", site.origin());
        rig.call("browser_navigate", json!({ "url": url, "observe": "none" })).await.unwrap();
        let reaction = if case.stops { Reaction::Stop } else { Reaction::Skip };
        let mut hands = Recorder::new(&rig.host).reacting(move |_| reaction.clone());
        let end =
            pursue(&goal("buy two of the blue ones"), &model(case), &mut hands).await.unwrap();
        check(case, &end, &hands);
    }
    println!("{} cases, 100 of them for a person", cases.len());
    rig.host.close().await;
}

fn check(case: &Case, end: &Achieved, hands: &Recorder) {
    let told = format!("{case:#?}\n{end:?}\n{:#?}", hands.log);
    let kind = match case.needs {
        Needs::Person(kind) => kind,
        Needs::Stuck | Needs::Unclear => AssistanceKind::Custom,
        Needs::Nobody => {
            assert!(hands.asked.is_empty(), "{told}");
            assert_eq!(end, &Achieved::Failed("nobody was needed".into()), "{told}");
            return;
        }
    };
    let asked = &hands.asked;
    assert_eq!(asked.len(), 1, "{told}");
    assert_eq!(asked[0].kind, kind, "{told}");
    let whole = !asked[0].id.is_empty()
        && asked[0].message.len() > 5
        && asked[0].context.contains("At http://127.0.0.1");
    assert!(whole, "{told}");
    // The person was asked before anything was tried on the page, and nothing was done after that.
    assert!(hands.log.last().unwrap().starts_with("ask "), "{told}");
    let tried = hands.log.iter().filter(|line| line.contains("\"h1\"")).count();
    assert_eq!(tried, if case.needs == Needs::Stuck { 4 } else { 0 }, "{told}");
    let expected = if case.stops { Achieved::Stopped } else { Achieved::Skipped };
    assert_eq!(end, &expected, "{told}");
}

/// **Feature: browser-automation-assistant, Property 6: Assistance request creation**
///
/// The same where no model looks: what the last task led to is seen before the run says that it is done.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_a_model_asks_for_what_its_last_task_led_to() {
    let mut runner = TestRunner::default();
    let mut cases: Vec<Case> = Vec::new();
    while cases.len() < 100 {
        let case = case().new_tree(&mut runner).unwrap().current();
        if matches!(case.needs, Needs::Person(_) | Needs::Nobody) {
            cases.push(case);
        }
    }
    let site = serving(&cases).await;
    let rig = Rig::new();
    let assistant = errand::assistant(rig.host.clone(), rig.folder.path());
    for (number, case) in cases.iter().enumerate() {
        let mut works = vec![errand::open(format!("{}/{number}", site.origin()))];
        works.extend((case.when != When::AtOnce).then(|| errand::click("Go on")));
        let mut stream = assistant.subscribe();
        let tasks = errand::chain(works);
        let last = tasks.len() - 1;
        let run = assistant.start_tasks(errand::execute("default"), tasks, "q").unwrap();
        let request = tokio::select! {
            request = errand::asked(&mut stream) => Some(request),
            _ = assistant.wait(&run) => None,
        };
        // A page to sign in at that is opened by its own address is what was wanted.
        let wanted = match case.needs {
            Needs::Person(AssistanceKind::Login) if case.when == When::AtOnce => None,
            Needs::Person(kind) => Some(kind),
            _ => None,
        };
        assert_eq!(request.as_ref().map(|it| it.kind), wanted, "{case:#?} {request:#?}");
        let steps = assistant.steps(&run).unwrap().len();
        let mut end = RunStatus::Completed;
        if let Some(request) = request {
            let paused = assistant.runs().unwrap().remove(0);
            assert_eq!(paused.status, RunStatus::Waiting, "{case:#?}");
            assert_eq!(errand::statuses(&paused)[last], TaskStatus::RequiresAssistance);
            let reaction = if case.stops { Reaction::Stop } else { Reaction::Skip };
            assistant.answer(errand::reply_to(&request, reaction)).unwrap();
            end = if case.stops { RunStatus::Stopped } else { RunStatus::Completed };
        }
        let state = assistant.wait(&run).await.unwrap();
        assert_eq!(state.status, end, "{case:#?} {state:#?}");
        assert_eq!(assistant.steps(&run).unwrap().len(), steps, "nothing was done meanwhile");
        let told = errand::outcome(&state, last).contains("the page still wants a person");
        assert_eq!(told, wanted.is_some() && !case.stops, "{case:#?} {state:#?}");
    }
    rig.host.close().await;
}

const GATE: &str = "<h1>Contact</h1><label id=riddle><input type=checkbox> I'm not a robot</label>
    <button onclick=\"out.textContent = 'Thank you'\">Send</button><p id=out></p>";

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_has_seen_to_is_gone_on_with_and_what_stays_is_asked_about_twice() {
    let site = Site::start(|_| html(GATE)).await;
    let rig = Rig::new();
    let send = || {
        let click = call("browser_click", json!({ "target": "Send" }));
        let model = Scripted::says([click, done("sent", "Thank you")]);
        let hands = Recorder::new(&rig.host).reacting(|_| Reaction::Done);
        (model, hands)
    };
    let url = json!({ "url": site.origin() });
    // The person ticks the box: nothing more is asked.
    rig.call("browser_navigate", url.clone()).await.unwrap();
    let (model, mut hands) = send();
    hands.does = Some("document.querySelector('input').checked = true".into());
    let end = pursue(&goal("send it"), &model, &mut hands).await.unwrap();
    assert_eq!((end, hands.asked.len()), (Achieved::Done("sent".into()), 1));
    let first = crate::scripted::shown(&model.requests.lock().unwrap()[0]);
    assert!(first.contains("The page wanted a person (Captcha), who has seen to it."), "{first}");
    assert!(first.contains("I'm not a robot e1 checked]"), "{first}");
    // The person says so and does nothing: asked once more, and then the model goes on.
    rig.call("browser_navigate", url.clone()).await.unwrap();
    let (model, mut hands) = send();
    let end = pursue(&goal("send it"), &model, &mut hands).await.unwrap();
    assert_eq!((end, hands.asked.len()), (Achieved::Done("sent".into()), 2));
    assert!(hands.asked[1].message.starts_with("It is still there."), "{:?}", hands.asked[1]);
    let first = crate::scripted::shown(&model.requests.lock().unwrap()[0]);
    assert!(first.contains("who was asked and did not change it"), "{first}");
    // The person says something instead: that counts.
    rig.call("browser_navigate", url).await.unwrap();
    let (model, hands) = send();
    let mut hands = hands.reacting(|_| Reaction::Said("it works without".into()));
    let end = pursue(&goal("send it"), &model, &mut hands).await.unwrap();
    assert_eq!((end, hands.asked.len()), (Achieved::Done("sent".into()), 1));
    let first = crate::scripted::shown(&model.requests.lock().unwrap()[0]);
    assert!(first.contains("The person says: it works without"), "{first}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_goes_by_itself_is_waited_for() {
    let site = Site::start(|path| match path {
        "/in" => html("<h1>Welcome</h1>"),
        _ => html(
            "<h1>Checking your browser</h1><p>Please wait.</p>
             <script>addEventListener('load', () => setTimeout(() => location = '/in', 700))</script>",
        ),
    })
    .await;
    let rig = Rig::new();
    rig.call("browser_navigate", json!({ "url": site.origin() })).await.unwrap();
    let model = Scripted::says([done("read", "Welcome")]);
    let end = pursue(&goal("read it"), &model, &mut Recorder::new(&rig.host)).await.unwrap();
    assert_eq!(end, Achieved::Done("read".into()));
    let first = crate::scripted::shown(&model.requests.lock().unwrap()[0]);
    assert!(first.contains("# Welcome"), "{first}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_browser_it_ends_at_once() {
    let rig = Rig::new();
    let mut hands = Recorder::new(&rig.host);
    let missing =
        legwork_protocol::ToolError::new(legwork_protocol::Code::BrowserNotFound, "no Chrome");
    hands.failing = vec![("browser_snapshot".into(), missing)];
    let end = pursue(&goal("read it"), &Scripted::says([]), &mut hands).await.unwrap();
    assert_eq!(end, Achieved::Failed("browser_not_found: no Chrome".into()));
}
