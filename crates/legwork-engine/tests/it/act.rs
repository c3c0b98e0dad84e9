//! W1: acting on elements, with the pointer and with keys, when they are ready for it.

use std::time::{Duration, Instant};

use legwork_engine::{Acting, Button, Click, Count, Effect, Point, Scroll, Target, Verdict};

use crate::support::{Rig, click, told};

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
        let began = Instant::now();
        let error = click(&rig, name).await.unwrap_err();
        assert!(began.elapsed() < Duration::from_secs(1), "{name}: {:?}", began.elapsed());
        assert_eq!(error.code(), "not_actionable");
        assert!(error.to_string().contains("is disabled"), "{error}");
    }
    rig.end().await;
}

#[tokio::test]
async fn what_cannot_be_acted_on_by_the_deadline_says_why() {
    let rig = Rig::show(
        "<style>@keyframes run{to{translate:300px}}.run{animation:run 20s linear}</style>
         <input aria-label=Fixed readonly value=as-it-is><button id=hid style=visibility:hidden>Hidden</button>
         <div class=run style=width:50px><button>Runner</button></div>",
    )
    .await;
    let acting = Acting { timeout: Duration::from_millis(400), ..Default::default() };
    let click = Click { acting, ..Default::default() };
    let error = rig.page.fill(&Target::parse("Fixed"), "new", &acting).await.unwrap_err();
    assert!(error.to_string().contains("read-only"), "{error}");
    assert_eq!(rig.eval("document.querySelector('input').value").await, "\"as-it-is\"");
    for (target, reason) in
        [("#hid", "visibility: hidden"), ("css=.run button", "does not hold still")]
    {
        let error = rig.page.click(&Target::parse(target), &click).await.unwrap_err();
        assert!(error.to_string().starts_with("did not act: "), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
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
        acting: Acting { timeout: Duration::from_millis(400), observe: true, known: false },
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
async fn a_menu_that_waits_for_the_pointer_to_move_takes_the_entry_that_is_clicked() {
    // As jQuery UI has it: an entry under a pointer that does not move is not the one that is meant.
    let rig = Rig::show(
        "<input id=out><ul id=menu style='position:absolute;z-index:2;list-style:none'><li>India<li>Indonesia</ul>
        <script>let active = null, fresh = true;
        for (const entry of menu.children) entry.onmouseenter = () => {
          const take = () => { active = entry; };
          if (!fresh) return take();
          fresh = false;
          active = menu.firstElementChild;
          document.addEventListener('mousemove', () => document.addEventListener('mousemove', take, {once: true}), {once: true});
        };
        menu.onclick = () => { out.value = active.textContent; menu.hidden = true; };</script>",
    )
    .await;
    click(&rig, "Indonesia").await.unwrap();
    assert_eq!(rig.eval("out.value").await, "\"Indonesia\"");
}
