//! W1, W5: acting on elements, and saying what came of it.

use std::time::Duration;

use legwork_engine::{Acting, Button, Click, Count, Effect, Point, Scroll, Target, Verdict};

use crate::support::{Rig, Site, told};

async fn click(rig: &Rig, target: &str) -> legwork_engine::Result<legwork_engine::Outcome> {
    rig.page.click(&Target::parse(target), &Click::default()).await
}

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
async fn a_click_that_does_nothing_says_so() {
    let rig = Rig::show("<button>Nothing</button><p>text</p>").await;
    let outcome = click(&rig, "Nothing").await.unwrap();
    assert_eq!(outcome.verdict, Verdict::NothingChanged, "{}", told(&outcome));
    let again = click(&rig, "Nothing").await.unwrap();
    assert_eq!(again.verdict, Verdict::NothingChanged, "{}", told(&again));
    rig.end().await;
}

#[tokio::test]
async fn clicks_are_trusted_and_reach_handlers_of_every_kind() {
    let rig = Rig::show(
        "<button id=b>Go</button><script>const log=[];for(const k of ['pointerdown','mousedown','pointerup','mouseup','click'])b.addEventListener(k,e=>log.push(k+e.isTrusted));</script>",
    )
    .await;
    click(&rig, "Go").await.unwrap();
    assert_eq!(
        rig.eval("log.join()").await,
        "\"pointerdowntrue,mousedowntrue,pointeruptrue,mouseuptrue,clicktrue\""
    );
    rig.end().await;
}

#[tokio::test]
async fn right_double_and_modified_clicks_are_what_they_say() {
    let rig = Rig::show(
        "<button id=b>Go</button><p></p><script>const say=t=>document.querySelector('p').textContent+=t+' ';b.oncontextmenu=e=>{e.preventDefault();say('menu')};b.ondblclick=()=>say('double');b.onclick=e=>say(e.shiftKey?'shift':'plain');b.onauxclick=e=>say('aux'+e.button)</script>",
    )
    .await;
    let go = Target::parse("Go");
    let with = async |click: Click| rig.page.click(&go, &click).await.unwrap();
    with(Click { button: Button::Right, ..Default::default() }).await;
    with(Click { count: Count::Double, ..Default::default() }).await;
    let shift = vec![legwork_engine::keys::Modifier::Shift];
    with(Click { modifiers: shift, ..Default::default() }).await;
    with(Click { button: Button::Middle, ..Default::default() }).await;
    let said = rig.eval("document.querySelector('p').textContent").await;
    assert_eq!(said, "\"menu aux2 plain plain double shift aux1 \"");
    rig.end().await;
}

#[tokio::test]
async fn a_position_inside_the_element_is_hit() {
    let rig = Rig::show(
        "<canvas id=c width=200 height=100 style='cursor:pointer' aria-label=Board></canvas><p></p><script>c.onclick=e=>document.querySelector('p').textContent=e.offsetX+','+e.offsetY</script>",
    )
    .await;
    let at = Click { position: Some(Point { x: 30.0, y: 40.0 }), ..Default::default() };
    let outcome = rig.page.click(&Target::parse("#c"), &at).await.unwrap();
    assert!(outcome.change.contains("30,40"), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn a_disabled_button_is_an_error_at_once() {
    let rig =
        Rig::show("<button disabled>Pay</button><fieldset disabled><button>In</button></fieldset>")
            .await;
    for name in ["Pay", "In"] {
        let error = click(&rig, name).await.unwrap_err();
        assert_eq!(error.code(), "not_actionable");
        assert!(error.to_string().contains("is disabled"), "{error}");
    }
    rig.end().await;
}

#[tokio::test]
async fn a_covered_element_names_what_covers_it() {
    let rig = Rig::show(
        "<button>Buy</button><div role=dialog aria-label='Cookie notice' style='position:fixed;inset:0;background:#fffc'>Cookies</div>",
    )
    .await;
    let short = Click {
        acting: Acting { timeout: Duration::from_millis(400), observe: true },
        ..Default::default()
    };
    let error = rig.page.click(&Target::parse("css=button"), &short).await.unwrap_err();
    assert!(error.to_string().contains("is covered by dialog \"Cookie notice\""), "{error}");
    rig.end().await;
}

#[tokio::test]
async fn click_waits_until_the_overlay_is_gone() {
    let rig = Rig::show(
        "<button onclick=\"this.textContent='Done'\">Buy</button><div id=o style='position:fixed;inset:0'></div><script>setTimeout(()=>o.remove(),300)</script>",
    )
    .await;
    let outcome = click(&rig, "css=button").await.unwrap();
    assert!(outcome.change.contains("Done"), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn an_element_that_comes_late_is_waited_for() {
    let rig = Rig::show(
        "<p></p><script>setTimeout(()=>{const b=document.createElement('button');b.textContent='Late';b.onclick=()=>b.textContent='Hit';document.body.append(b)},250)</script>",
    )
    .await;
    let outcome = click(&rig, "Late").await.unwrap();
    assert!(outcome.change.contains("Hit"), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn an_animated_element_is_clicked_where_it_comes_to_rest() {
    let rig = Rig::show(
        "<style>@keyframes m{from{transform:translateX(600px)}}button{animation:m .4s linear}</style><button onclick=\"this.textContent='Hit'\">Moving</button>",
    )
    .await;
    let outcome = click(&rig, "Moving").await.unwrap();
    assert!(outcome.change.contains("Hit"), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn what_is_out_of_view_is_scrolled_in() {
    let rig = Rig::show(
        "<div style='height:3000px'></div><div style='overflow:auto;height:100px'><div style='height:900px'></div><button onclick=\"this.textContent='Hit'\">Deep</button></div>",
    )
    .await;
    let outcome = click(&rig, "Deep").await.unwrap();
    assert!(outcome.change.contains("Hit"), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn a_partly_clipped_element_is_clicked_where_it_is_visible() {
    let rig = Rig::show(
        "<div style='width:60px;height:20px;overflow:hidden'><button style='width:400px;height:20px' onclick=\"document.querySelector('p').textContent='Hit'\">Wide</button></div><p></p>",
    )
    .await;
    let outcome = click(&rig, "Wide").await.unwrap();
    assert!(outcome.change.contains("Hit"), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn several_matches_are_listed_and_none_lists_near_ones() {
    let rig = Rig::show(
        "<ul><li>Oat milk <button>Remove</button></li><li>Bread <button onclick=\"this.parentNode.remove()\">Remove</button></li></ul>",
    )
    .await;
    let error = click(&rig, "Remove").await.unwrap_err();
    assert_eq!(error.code(), "ambiguous_target");
    let text = error.to_string();
    assert!(text.contains("Oat milk") && text.contains("Bread") && text.contains("e1"), "{text}");
    let outcome = click(&rig, "Remove in the row with Bread").await.unwrap();
    assert!(outcome.change.contains("Bread"), "{}", told(&outcome));
    let error = click(&rig, "Remoove").await.unwrap_err();
    assert_eq!(error.code(), "not_found");
    assert!(error.to_string().contains("similar: button \"Remove\""), "{error}");
    rig.end().await;
}

#[tokio::test]
async fn selector_mistakes_say_what_is_wrong() {
    let rig = Rig::show("<button>Go</button>").await;
    let error = click(&rig, "css=button[").await.unwrap_err();
    assert_eq!(error.code(), "invalid_selector");
    let error = click(&rig, "css=button:has-text('Go')").await.unwrap_err();
    assert_eq!(error.code(), "unsupported_selector");
    let error = click(&rig, "xpath=//[").await.unwrap_err();
    assert_eq!(error.code(), "invalid_selector");
    let error = click(&rig, "#missing").await.unwrap_err();
    assert_eq!(error.to_string(), "Selector '#missing' not found");
    rig.end().await;
}

#[tokio::test]
async fn a_click_that_another_element_takes_is_not_a_success() {
    let rig = Rig::show(
        "<button id=a style='position:absolute;left:10px;top:10px;width:80px'>Aim</button><script>let n=0;a.addEventListener('mousemove',()=>{a.style.left='300px';a.insertAdjacentHTML('afterend','<button style=\"position:absolute;left:10px;top:10px;width:80px\">Trap</button>')},{once:true})</script>",
    )
    .await;
    let outcome = click(&rig, "Aim").await.unwrap();
    let Verdict::Intercepted(receiver) = &outcome.verdict else { panic!("{}", told(&outcome)) };
    assert!(receiver.contains("Trap"), "{receiver}");
    assert!(!outcome.is_effective());
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
async fn keys_and_chords_reach_the_focused_element() {
    let rig = Rig::show(
        "<input id=i><p></p><script>addEventListener('keydown',e=>document.querySelector('p').textContent+=(e.ctrlKey?'Ctrl+':'')+e.key+' ')</script>",
    )
    .await;
    let acting = Acting::default();
    rig.page.press(Some(&Target::parse("#i")), "a", &acting).await.unwrap();
    rig.page.press(None, "Control+k", &acting).await.unwrap();
    let outcome = rig.page.press(None, "Enter", &acting).await.unwrap();
    assert!(outcome.change.contains("Enter"), "{}", told(&outcome));
    assert_eq!(
        rig.eval("document.querySelector('p').textContent").await,
        "\"a Control Ctrl+k Enter \"".replace("Control ", "Ctrl+Control ")
    );
    assert_eq!(rig.eval("i.value").await, "\"a\"");
    let error = rig.page.press(None, "Entr", &acting).await.unwrap_err();
    assert!(error.to_string().contains("Enter"), "{error}");
    rig.end().await;
}

#[tokio::test]
async fn hovering_opens_what_opens_on_hover() {
    let rig = Rig::show(
        "<style>ul{display:none}div:hover ul{display:block}</style><div><a href=#>Menu</a><ul><li><a href=#x>Hidden item</a></li></ul></div>",
    )
    .await;
    assert!(!rig.text().await.contains("Hidden item"));
    let outcome = rig.page.hover(&Target::parse("Menu"), &Acting::default()).await.unwrap();
    assert!(outcome.change.contains("Hidden item"), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn dragging_works_with_pointer_and_with_html_drag_and_drop() {
    let rig = Rig::show(
        "<style>div{position:absolute;width:80px;height:80px}</style>
         <div id=h draggable=true style='left:10px;top:10px;background:#ccc'>Card</div>
         <div id=z style='left:300px;top:10px;background:#eee'>Zone</div>
         <div id=p style='left:10px;top:200px;background:#cfc;cursor:grab'>Pointer</div>
         <p style='position:absolute;top:400px'></p>
         <script>
         const say=t=>document.querySelector('p').textContent+=t+' ';
         h.ondragstart=e=>e.dataTransfer.setData('text/plain','card');
         z.ondragover=e=>e.preventDefault();
         z.ondrop=e=>{e.preventDefault();say('dropped '+e.dataTransfer.getData('text/plain'))};
         p.onpointerdown=e=>{p.setPointerCapture(e.pointerId);p.onpointermove=m=>{p.style.left=m.clientX-40+'px';p.style.top=m.clientY-40+'px'};p.onpointerup=()=>{p.onpointermove=null;say('moved')}};
         </script>",
    )
    .await;
    let acting = Acting::default();
    let outcome = rig.page.drag(&Target::parse("#h"), &Target::parse("#z"), &acting).await.unwrap();
    assert!(outcome.change.contains("dropped card"), "{}", told(&outcome));
    let outcome = rig.page.drag(&Target::parse("#p"), &Target::parse("#z"), &acting).await.unwrap();
    assert!(outcome.change.contains("moved"), "{}", told(&outcome));
    assert_eq!(rig.eval("Math.round(p.getBoundingClientRect().left)").await, "300");
    rig.end().await;
}

#[tokio::test]
async fn scrolling_tells_where_it_got_to() {
    let rig = Rig::show(
        "<div id=box style='height:100px;overflow:auto'><div style='height:1000px'>box</div></div><div style='height:4000px'></div><p id=end>End</p>",
    )
    .await;
    let acting = Acting::default();
    let y = |outcome: &legwork_engine::Outcome| match outcome.effects[..] {
        [Effect::Scrolled { y, .. }] => y,
        _ => panic!("{}", told(outcome)),
    };
    let by = rig.page.scroll(None, Scroll::By(0.0, 500.0), &acting).await.unwrap();
    assert_eq!(y(&by), 500);
    let bottom = rig.page.scroll(None, Scroll::Bottom, &acting).await.unwrap();
    assert!(y(&bottom) > 3000);
    let again = rig.page.scroll(None, Scroll::Bottom, &acting).await.unwrap();
    assert_eq!(again.verdict, Verdict::NothingChanged);
    let top = rig.page.scroll(None, Scroll::Top, &acting).await.unwrap();
    assert_eq!(y(&top), 0);
    let boxed = Target::parse("#box");
    let inner = rig.page.scroll(Some(&boxed), Scroll::By(0.0, 200.0), &acting).await.unwrap();
    assert_eq!(y(&inner), 200);
    assert_eq!(rig.eval("scrollY").await, "0");
    rig.page.scroll(Some(&Target::parse("#end")), Scroll::IntoView, &acting).await.unwrap();
    assert!(rig.eval("end.getBoundingClientRect().top < innerHeight").await == "true");
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
async fn what_a_script_slides_is_clicked_where_it_comes_to_rest() {
    let rig = Rig::show(
        "<div id=s style='height:400px'></div><button onclick=\"this.textContent='Hit'\">Sliding</button><script>var h=400;const t=setInterval(()=>{h-=20;s.style.height=h+'px';if(h<=0)clearInterval(t)},15)</script>",
    )
    .await;
    let begun = legwork_engine::Condition::Predicate("h < 380".into());
    rig.page.wait(&begun, Duration::from_secs(5)).await.unwrap();
    let outcome = click(&rig, "Sliding").await.unwrap();
    assert!(outcome.change.contains("Hit"), "{}", told(&outcome));
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
async fn a_target_that_hovering_replaces_by_its_like_is_still_the_one_clicked() {
    let rig = Rig::show(
        "<div id=d></div><script>const draw=()=>d.innerHTML='<button onclick=\"document.title=1\">Buy</button>';draw();d.addEventListener('mouseover',draw,{once:true})</script>",
    )
    .await;
    let outcome = click(&rig, "Buy").await.unwrap();
    assert!(!matches!(outcome.verdict, Verdict::Intercepted(_)), "{}", told(&outcome));
    assert_eq!(rig.eval("document.title").await, "\"1\"");
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
async fn a_ref_is_not_found_again_where_its_row_is_another() {
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
    rig.end().await;
}

#[tokio::test]
async fn a_target_is_outlined_before_it_is_acted_on_where_somebody_watches() {
    let highlight = Some(Duration::from_secs(1));
    let options = legwork_engine::SessionOptions { highlight, ..Default::default() };
    let config = legwork_engine::Config {
        launch: legwork_engine::Launch { full: true, ..Default::default() },
        ..Default::default()
    };
    let rig = Rig::with(config, options).await;
    rig.set("<button style='width:300px;height:200px' onclick='this.textContent = \"Done\"'>Go</button>")
        .await;
    let picture = || async { rig.page.screenshot(&Default::default()).await.unwrap().bytes };
    let before = picture().await;
    let watch = async {
        // The outline is there for a second: one of the pictures taken meanwhile shows it.
        for _ in 0..20 {
            if picture().await != before {
                return rig
                    .page
                    .evaluate("document.body.innerText", Default::default())
                    .await
                    .unwrap();
            }
        }
        "never outlined".to_owned()
    };
    let (outcome, text) = tokio::join!(click(&rig, "Go"), watch);
    assert_eq!(text, "\"Go\"", "the outline comes before the click");
    assert!(outcome.unwrap().change.contains("Done"));
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

#[tokio::test]
async fn who_asks_for_what_is_not_there_is_told_what_is() {
    let rig = Rig::show("<a href=/a>Home</a><input aria-label=Quantity><button>Buy</button>").await;
    let asked = async |words: &str| unnumbered(&click(&rig, words).await.unwrap_err().to_string());
    let all = "\"Zzyzx\" not found; there is textbox \"Quantity\"; button \"Buy\"; link \"Home\"";
    assert_eq!(asked("Zzyzx").await, all);
    let error = rig.page.find(&Target::parse("Zzyzx")).await.unwrap_err().to_string();
    assert_eq!(unnumbered(&error), all);
    let similar = "\"Quantitty\" not found; similar: textbox \"Quantity\"";
    assert_eq!(asked("Quantitty").await, similar);
    let many: String = (0..30).map(|n| format!("<button>Item {n}</button>")).collect();
    rig.set(&many).await;
    let error = asked("Zzyzx").await;
    assert!(error.ends_with("button \"Item 7\"; and 22 more"), "{error}");
    rig.end().await;
}

/// Without the refs: a busy machine numbers them otherwise.
fn unnumbered(text: &str) -> String {
    let is_ref = |word: &str| {
        word.strip_prefix('e').is_some_and(|n| n.trim_end_matches(';').parse::<u64>().is_ok())
    };
    let words = text.split(' ').map(|word| match is_ref(word) {
        true => word.trim_start_matches(|c: char| c.is_alphanumeric()).to_owned(),
        false => format!(" {word}"),
    });
    words.collect::<String>().trim_start().to_owned()
}
