//! W5: what is told of an action: what changed, what opened, what was refused, and that nothing happened.

use std::time::Duration;

use legwork_engine::{Acting, Click, Condition, Effect, Settled, Target, Verdict};

use crate::support::{Rig, Site, click, told};

#[tokio::test]
async fn a_click_says_what_changed() {
    let rig = Rig::show(
        "<h1>Shop</h1><button onclick=\"document.getElementById('o').textContent='Added to cart'\">Add</button><p id=o></p>",
    )
    .await;
    let outcome = click(&rig, "Add").await.unwrap();
    assert_eq!(outcome.verdict, Verdict::Done, "{}", told(&outcome));
    assert_eq!(outcome.change, "+ Added to cart", "{}", told(&outcome));
    assert_eq!(outcome.acted_on.as_deref(), Some("button \"Add\" e1"), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn a_change_of_what_only_a_screen_reader_says_of_a_name_is_told() {
    let rig = Rig::show(
        "<button onclick=\"n.textContent=' 3 things'\">Cart<span id=n style=opacity:0> 2 things</span></button>",
    )
    .await;
    assert!(rig.text().await.contains("[Cart e1 (aria-only: 2 things)]"));
    let outcome = click(&rig, "Cart").await.unwrap();
    assert_eq!(outcome.change, "~ [Cart e1 (aria-only: 3 things)]", "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn a_click_that_does_nothing_says_so() {
    let rig = Rig::show("<button>Nothing</button><p>text</p>").await;
    let outcome = click(&rig, "Nothing").await.unwrap();
    assert_eq!(outcome.verdict, Verdict::NothingChanged, "{}", told(&outcome));
    let again = click(&rig, "Nothing").await.unwrap();
    assert_eq!(again.verdict, Verdict::NothingChanged, "{}", told(&again));
    rig.end().await;
}

#[tokio::test]
async fn a_menu_that_opens_is_told_with_its_entries() {
    let rig = Rig::show(
        "<button aria-haspopup=menu onclick=\"m.hidden=false\">More</button>
         <ul id=m role=menu hidden style='position:absolute;background:#fff'><li role=menuitem>Rename</li><li role=menuitem>Remove</li></ul>",
    )
    .await;
    let outcome = rig.page.click(&Target::parse("More"), &Click::default()).await.unwrap();
    let told = told(&outcome);
    let menu =
        outcome.effects.iter().any(|e| matches!(e, Effect::Shown { kind, .. } if kind == "menu"));
    assert!(menu && told.contains("Rename e") && told.contains("Remove e"), "{told}");
    rig.end().await;
}

#[tokio::test]
async fn dialogs_are_outcomes_and_block_until_answered() {
    let rig = Rig::show(
        "<button onclick=\"document.querySelector('p').textContent=confirm('Delete it?')\">Delete</button><p></p>",
    )
    .await;
    let outcome = click(&rig, "Delete").await.unwrap();
    let dialog = outcome.dialog().unwrap_or_else(|| panic!("{}", told(&outcome)));
    assert_eq!((dialog.kind.as_str(), dialog.message.as_str()), ("confirm", "Delete it?"));
    let blocked = click(&rig, "Delete").await.unwrap_err();
    assert_eq!(blocked.code(), "dialog_open");
    rig.page.answer_dialog(true, None).await.unwrap();
    assert!(rig.text().await.contains("true"));
    assert!(rig.page.answer_dialog(true, None).await.is_err());
    rig.end().await;
}

#[tokio::test]
async fn a_prompt_is_answered_with_text() {
    let rig = Rig::show("<button onclick=\"document.querySelector('p').textContent=prompt('Who?','you')\">Ask</button><p></p>").await;
    let outcome = click(&rig, "Ask").await.unwrap();
    assert_eq!(outcome.dialog().unwrap().default_text.as_deref(), Some("you"));
    rig.page.answer_dialog(true, Some("Ann")).await.unwrap();
    assert!(rig.text().await.contains("Ann"));
    rig.end().await;
}

#[tokio::test]
async fn new_tabs_are_told_and_can_be_used() {
    let site = Site::pages().await;
    let rig =
        Rig::show(&format!("<a target=_blank href='{}'>Open</a>", site.url("blank.html"))).await;
    let outcome = click(&rig, "Open").await.unwrap();
    let opened = outcome.effects.iter().any(|effect| matches!(effect, Effect::NewTab { .. }));
    assert!(opened, "{}", told(&outcome));
    let tabs = rig.session.tabs().await.unwrap();
    assert_eq!(tabs.len(), 2);
    tabs[1].bring_to_front().await.unwrap();
    let page = rig.session.page().await.unwrap();
    page.wait(&legwork_engine::Condition::Text("404".into()), Duration::from_secs(5))
        .await
        .unwrap();
    page.close().await.unwrap();
    assert_eq!(rig.session.tabs().await.unwrap().len(), 1);
    rig.end().await;
}

#[tokio::test]
async fn console_errors_an_action_causes_are_told() {
    let rig = Rig::show("<button onclick='nope()'>Break</button>").await;
    let outcome = click(&rig, "Break").await.unwrap();
    let told_error = outcome
        .effects
        .iter()
        .any(|effect| matches!(effect, Effect::ConsoleError(text) if text.contains("nope is not defined")));
    assert!(told_error, "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn a_refused_form_tells_the_message_and_field() {
    let rig = Rig::show(
        "<form><label>Email <input type=email required></label><button>Send</button></form>",
    )
    .await;
    let outcome = click(&rig, "Send").await.unwrap();
    let invalid = outcome.effects.iter().find_map(|effect| match effect {
        Effect::Invalid { field, message } => Some((field.clone(), message.clone())),
        _ => None,
    });
    let (field, message) = invalid.unwrap_or_else(|| panic!("{}", told(&outcome)));
    assert!(field.contains("Email") && message.contains("fill"), "{field}: {message}");
    rig.end().await;
}

#[tokio::test]
async fn a_dead_click_on_one_of_many_says_that_nothing_changed() {
    let rig = Rig::show(
        "<input autofocus value=x><ul><li>Milk <button>Add</button></li><li>Bread <button>Add</button></li></ul>",
    )
    .await;
    rig.text().await;
    let outcome = click(&rig, "Add in the row with Milk").await.unwrap();
    assert_eq!(outcome.verdict, Verdict::NothingChanged, "{}", told(&outcome));
    let outcome = rig
        .page
        .hover(&Target::parse("Add in the row with Bread"), &Acting::default())
        .await
        .unwrap();
    assert_eq!(outcome.verdict, Verdict::NothingChanged, "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn what_is_redrawn_without_text_is_told_as_that() {
    let rig = Rig::show("<button onclick=\"this.style.color='red'\">Paint</button>").await;
    let outcome = click(&rig, "Paint").await.unwrap();
    assert_eq!(outcome.effects, [Effect::Redrawn], "{}", told(&outcome));
    assert_eq!(outcome.verdict, Verdict::Done);
    rig.end().await;
}

#[tokio::test]
async fn a_clock_that_ticks_does_not_hide_that_nothing_happened() {
    let rig = Rig::show(
        "<p>It is <b id=clock>0</b></p><button>Idle</button><button onclick=\"out.textContent='Saved'\">Save</button>\
         <button onclick=\"setTimeout(() => out.textContent = 'Late', 100)\">Later</button><p id=out></p>\
         <script>setInterval(() => clock.textContent++, 250)</script>",
    )
    .await;
    rig.text().await;
    let ticks = "new Promise((done) => { const from = Number(clock.textContent); \
        const look = setInterval(() => { if (clock.textContent - from > 5) { clearInterval(look); done() } }, 20) })";
    rig.eval(ticks).await;
    let mut told_of_clock = 0;
    for _ in 0..4 {
        let outcome = rig.page.click(&Target::parse("Idle"), &Click::default()).await.unwrap();
        assert_eq!(outcome.verdict, Verdict::NothingChanged, "{}", told(&outcome));
        assert!(
            outcome.change.lines().all(|line| line.ends_with("(by itself)")),
            "{}",
            outcome.change
        );
        told_of_clock += outcome.change.lines().count();
    }
    assert!(told_of_clock > 0, "no tick fell into four clicks");
    for (button, word) in [("Save", "Saved"), ("Later", "Late")] {
        let outcome = rig.page.click(&Target::parse(button), &Click::default()).await.unwrap();
        assert_eq!(outcome.verdict, Verdict::Done, "{}", told(&outcome));
        assert!(outcome.change.contains(word), "{}", told(&outcome));
    }
    rig.end().await;
}

/// Who clicks at an even pace is no clock, and neither is what he changes.
#[tokio::test]
async fn a_counter_that_is_clicked_at_even_intervals_does_not_tick_by_itself() {
    let rig =
        Rig::show("<p>Quantity <b id=n>0</b></p><button onclick='n.textContent++'>More</button>")
            .await;
    rig.text().await;
    for count in 1..7 {
        let outcome = rig.page.click(&Target::parse("More"), &Click::default()).await.unwrap();
        assert_eq!(outcome.verdict, Verdict::Done, "{}", told(&outcome));
        assert!(outcome.change.contains(&format!("Quantity {count}")), "{}", told(&outcome));
        rig.eval("new Promise((done) => setTimeout(done, 300))").await;
    }
    rig.end().await;
}

/// Which of the new elements listen, and which hold a closed shadow root, only the browser knows: it is asked
/// before the change is told, not after half of it was.
#[tokio::test]
async fn a_change_is_told_as_lines_or_as_the_page_and_never_half_of_each() {
    let lines: String = (0..12).map(|n| format!("<p>Line {n} of the old text</p>")).collect();
    let page = format!(
        "<div id=all>{lines}<button id=go>Start</button></div><script>go.onclick = () => {{
           all.innerHTML = '<div style=\"width:50px;height:50px\"></div><p>Pick one</p><span>red</span> or <span>blue</span>'
           for (const one of all.querySelectorAll('span')) one.addEventListener('click', () => {{}})
         }}</script>",
    );
    let rig = Rig::show(&page).await;
    rig.text().await;
    let outcome = click(&rig, "Start").await.unwrap();
    let change = &outcome.change;
    assert!(change.starts_with("page now:\n"), "{change}");
    assert!(change.contains("[clickable red e"), "{change}");
    assert!(!change.lines().any(|line| line.starts_with(['~', '+', '-'])), "{change}");
    let inner = page.replace('&', "&amp;").replace('"', "&quot;");
    let rig = Rig::show(&format!("<p>Around it</p><iframe srcdoc=\"{inner}\"></iframe>")).await;
    rig.text().await;
    let outcome = click(&rig, "Start").await.unwrap();
    assert!(outcome.change.starts_with("frame now:\n"), "{}", outcome.change);
    rig.end().await;
}

#[tokio::test]
async fn what_fades_or_slides_in_is_told_with_the_action_that_began_it() {
    let rig = Rig::show(
        "<style>#m{display:none;opacity:0;transition:opacity .2s}#m.on{display:block;opacity:1;@starting-style{opacity:0}}</style>\
         <button onclick='m.className=\"on\"'>Rules</button><button onclick='slide()'>Script</button><button onclick='dim()'>Dim</button>\
         <p id=m>By rules</p><p id=s style='display:none'>By script</p><p id=d>Dimmed</p>\
         <script>function slide(){let n=0;s.style='display:block;overflow:hidden;height:0px;opacity:0';\
         const t=setInterval(()=>{n+=.1;if(n<1){s.style.height=n*20+'px';s.style.opacity=n}else{clearInterval(t);s.removeAttribute('style')}},16)}\
         function dim(){d.style.opacity=.5;d.textContent='Dimmed now'}</script>",
    )
    .await;
    for (button, text) in [("Rules", "By rules"), ("Script", "By script"), ("Dim", "Dimmed now")] {
        let outcome = click(&rig, button).await.unwrap();
        assert!(outcome.change.contains(text), "{button}: {}", told(&outcome));
        assert_eq!(outcome.settled, Settled::Quiet, "{button}");
    }
    rig.end().await;
}

#[tokio::test]
async fn what_only_decorates_takes_too_long_or_moved_before_is_not_waited_for() {
    let rig = Rig::show(
        "<style>@keyframes spin{to{transform:rotate(1turn)}}@keyframes press{to{transform:scale(.9)}}\
         i{display:inline-block;animation:spin 1s infinite}button:active{animation:press 5s}\
         button,b{transition:color .6s}.on{color:red}.card{transition:transform .6s}.card:hover{transform:translateY(-2px)}\
         u{display:inline-block;width:9px;height:9px}.on~u{transform:scale(3);transition:transform .6s}\
         .on~s{opacity:.4;transition:opacity 5s}</style>\
         <i>o</i><div class=card><button onclick='n.textContent=++c;n.className=c%2?\"on\":\"\"'>Count</button>\
         <b id=n>0</b><u></u><s>long</s></div><b id=x style='opacity:.5'>x</b>\
         <script>let c=0,ticks=0;setInterval(()=>x.style.opacity=.3+ticks++%5/10,10)</script>",
    )
    .await;
    let ticking = Condition::Predicate("ticks > 3".into());
    rig.page.wait(&ticking, Duration::from_secs(5)).await.unwrap();
    for _ in 0..3 {
        let outcome = click(&rig, "Count").await.unwrap();
        assert_eq!(outcome.settled, Settled::Quiet, "{}", told(&outcome));
        assert!(outcome.change.contains("Count"), "{}", told(&outcome));
        // Told while they move, and not when they are done.
        let moving =
            "document.getAnimations().filter(one => one instanceof CSSTransition).length > 0";
        assert_eq!(rig.eval(moving).await, "true");
    }
    rig.end().await;
}

#[tokio::test]
async fn a_click_that_lands_beside_the_element_because_it_moved_is_not_a_success() {
    let rig = Rig::show(
        "<style>#b:active{margin-left:400px}</style><div id=d><button id=b>Like</button></div>\
         <script>b.onclick=()=>document.title='liked'</script>",
    )
    .await;
    let outcome = click(&rig, "Like").await.unwrap();
    assert!(matches!(outcome.verdict, Verdict::Intercepted(_)), "{}", told(&outcome));
    assert_eq!(rig.eval("document.title").await, "\"Test\"");
    rig.end().await;
}

#[tokio::test]
async fn a_click_that_a_message_pushed_away_is_not_a_success() {
    let rig = Rig::show(
        "<input aria-label=Name autofocus onblur=\"m.innerHTML='<p style=height:60px>Enter a name</p>'\">\
         <div id=m></div><button onclick=\"document.title='sent'\">Send</button>",
    )
    .await;
    rig.page.click(&Target::parse("Name"), &Click::default()).await.unwrap();
    let outcome = click(&rig, "Send").await.unwrap();
    assert!(matches!(outcome.verdict, Verdict::Intercepted(_)), "{}", told(&outcome));
    assert!(outcome.change.contains("Enter a name"), "{}", told(&outcome));
    assert_eq!(rig.eval("document.title").await, "\"Test\"");
    rig.end().await;
}

#[tokio::test]
async fn what_a_press_opens_or_moves_by_itself_is_a_success() {
    let over = "style='position:fixed;inset:0;background:white'";
    for press in [
        format!("d.innerHTML='<div {over}><button>Copy</button></div>'"),
        "this.setAttribute('aria-expanded', true);this.style.marginTop='200px'".to_owned(),
        // It does what it is for on the press, and what that shows pushes it away.
        "const p=document.createElement('p');p.style.height='200px';p.textContent='Added';document.body.prepend(p)".to_owned(),
    ] {
        let rig = Rig::show(&format!(
            "<button aria-expanded=false onpointerdown=\"{press}\">Menu</button><div id=d></div>"
        ))
        .await;
        let outcome = click(&rig, "Menu").await.unwrap();
        assert_eq!(outcome.verdict, Verdict::Done, "{press}: {}", told(&outcome));
        rig.end().await;
    }
}
