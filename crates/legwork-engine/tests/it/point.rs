//! E7: pointing at a place of the window. What stands there is judged and acted on, at that very spot.

use std::time::Duration;

use legwork_engine::{Acting, Click, Error, Intent, Point, Scroll, Target, Verdict};

use crate::support::{Reply, Rig, Site, told};

const SOON: Duration = Duration::from_secs(5);

/// The middle of an element, as somebody with a screenshot would see it.
async fn middle(rig: &Rig, element: &str) -> (f64, f64) {
    let place = rig
        .eval(&format!(
            "(() => {{ const place = {element}.getBoundingClientRect();
               return [place.x + place.width / 2, place.y + place.height / 2] }})()"
        ))
        .await;
    serde_json::from_str(&place).unwrap()
}

fn point((x, y): (f64, f64)) -> Target {
    Target::parse(&format!("point={x},{y}"))
}

async fn click(rig: &Rig, at: (f64, f64)) -> legwork_engine::Result<legwork_engine::Outcome> {
    rig.page.click(&point(at), &Click::default()).await
}

#[tokio::test]
async fn a_click_on_a_canvas_lands_at_that_very_spot() {
    let rig = Rig::show(
        "<canvas id=c width=400 height=300></canvas><p></p><script>c.onclick=e=>
         document.querySelector('p').textContent=e.clientX+','+e.clientY+','+e.isTrusted</script>",
    )
    .await;
    for at in [(31.0, 47.0), (200.0, 250.0)] {
        let outcome = click(&rig, at).await.unwrap();
        let expected = format!("{},{},true", at.0, at.1);
        assert!(outcome.change.contains(&expected), "{}", told(&outcome));
    }
    rig.end().await;
}

#[tokio::test]
async fn a_point_means_the_control_there_whatever_lies_inside_it() {
    let rig = Rig::show(
        "<form action=/buy method=post><button><svg id=i width=20 height=20><circle r=10 cx=10 cy=10 /></svg>
         Pay now</button></form><div id=d style='cursor:pointer' onclick='1'><b id=b>Delete all</b></div>
         <button aria-label='Send money'><x-icon id=x></x-icon></button><p id=p>Just words</p>
         <script>x.attachShadow({mode:'open'}).innerHTML='<i style=\"display:block;width:30px;height:30px\"></i>'</script>",
    )
    .await;
    for (element, name, submits) in [
        ("i", "Pay now", true),
        ("b", "Delete all", false),
        ("x", "Send money", false),
        ("p", "Just words", false),
    ] {
        let target = point(middle(&rig, element).await);
        let facts = rig.page.facts(&target, Intent::Click(None), SOON).await.unwrap();
        assert_eq!((&*facts.name, facts.submits), (name, submits), "{element}");
    }
    rig.end().await;
}

#[tokio::test]
async fn what_was_put_under_the_point_after_the_look_is_not_clicked() {
    let rig = Rig::show(
        "<button id=a style='position:fixed;left:10px;top:10px;width:100px;height:40px'
          onclick='hit=1'>Cancel</button>
         <button id=z style='position:fixed;left:10px;top:90px;width:100px;height:40px'
          onclick='hit=2'>Cancel</button>",
    )
    .await;
    let at = middle(&rig, "a").await;
    let facts = rig.page.facts(&point(at), Intent::Click(None), SOON).await.unwrap();
    let pinned = Target::Pinned {
        reference: facts.reference.parse().unwrap(),
        seal: facts.seal.clone(),
        at: Point { x: at.0, y: at.1 },
    };
    rig.eval("z.style.top = '10px'").await;
    let error = rig.page.click(&pinned, &Click::default()).await.unwrap_err();
    assert!(matches!(error, Error::Changed(_)), "{error}");
    assert_eq!(rig.eval("typeof hit").await, "\"undefined\"");
    rig.eval("z.style.top = '90px'").await;
    rig.page.click(&pinned, &Click::default()).await.unwrap();
    assert_eq!(rig.eval("hit").await, "1");
    rig.end().await;
}

#[tokio::test]
async fn a_point_reaches_into_frames_of_every_process_scaled_ones_too() {
    let site = Site::start(|request| {
        let port = request.host.rsplit_once(':').unwrap().1;
        let button = |name: &str| {
            format!(
                "<body style='margin:0'><button style='width:120px;height:60px;margin:20px 30px'
                  onclick=\"document.querySelector('p').textContent='{name} at '+event.clientX+','+event.clientY\">{name}</button><p></p>"
            )
        };
        match request.path.as_str() {
            "/" => Reply::Html(format!(
                "<body style='margin:0'><iframe src=/near width=300 height=150 style='display:block;border:5px solid'></iframe>
                 <iframe src=http://localhost:{port}/far width=400 height=300 style='display:block;border:0;transform:scale(0.5);transform-origin:0 0'></iframe>"
            )),
            "/near" => Reply::Html(button("Near")),
            "/far" => Reply::Html(format!(
                "{}<iframe src=http://127.0.0.1:{port}/deep width=300 height=120 style='position:absolute;left:50px;top:150px;border:0'></iframe>",
                button("Far")
            )),
            "/deep" => Reply::Html(button("Deep")),
            _ => Reply::NotFound,
        }
    })
    .await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("/"), Duration::from_secs(15)).await.unwrap();
    // The second frame begins at 160 (150 and two borders) and is drawn at half its size.
    for (at, name, inside) in [
        ((45.0, 45.0), "Near", "40,40"),
        ((30.0, 180.0), "Far", "60,40"),
        ((50.0, 260.0), "Deep", "50,50"),
    ] {
        let facts = rig.page.facts(&point(at), Intent::Click(None), SOON).await.unwrap();
        assert_eq!(facts.name, name);
        let outcome = click(&rig, at).await.unwrap();
        let expected = format!("{name} at {inside}");
        assert!(outcome.change.contains(&expected), "{expected}: {}", told(&outcome));
    }
    rig.end().await;
}

#[tokio::test]
async fn typing_scrolling_hovering_and_dragging_take_points() {
    let rig = Rig::show(
        "<body style='margin:0'><label id=l>City <input id=f></label>
         <div id=box style='height:100px;overflow:auto'><div style='height:900px'>long</div></div>
         <div id=h onmouseover=\"this.textContent='over'\">hover me</div>
         <canvas id=c width=300 height=100 style='display:block'></canvas><p id=o>-</p>
         <script>c.onwheel=e=>{e.preventDefault();o.textContent='wheel '+e.deltaY};
         let from; c.onmousedown=e=>from=e.offsetX; c.onmouseup=e=>o.textContent='drew '+from+'-'+e.offsetX</script>",
    )
    .await;
    let how = Acting::default();
    let field = point(middle(&rig, "f").await);
    let outcome = rig.page.type_text(&field, "Bern", true, &how).await.unwrap();
    assert_eq!(outcome.verdict, Verdict::Done, "{}", told(&outcome));
    assert_eq!(rig.eval("f.value").await, "\"Bern\"");

    let list = point(middle(&rig, "box").await);
    rig.page.scroll(Some(&list), Scroll::By(0.0, 200.0), &how).await.unwrap();
    assert_eq!(rig.eval("box.scrollTop").await, "200");

    let hovered = rig.page.hover(&point(middle(&rig, "h").await), &how).await.unwrap();
    assert!(hovered.change.contains("over"), "{}", told(&hovered));

    let (x, y) = middle(&rig, "c").await;
    let drawing = point((x, y));
    let outcome = rig.page.scroll(Some(&drawing), Scroll::By(0.0, 120.0), &how).await.unwrap();
    assert!(outcome.change.contains("wheel 120"), "{}", told(&outcome));
    let (from, to) = (point((20.0, y)), point((220.0, y)));
    let outcome = rig.page.drag(&from, &to, &how).await.unwrap();
    assert!(outcome.change.contains("drew 20-220"), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn keys_go_where_the_focus_is_even_if_that_is_no_field() {
    let rig = Rig::show(
        "<canvas id=c tabindex=0 width=50 height=50></canvas><p id=o></p>
         <script>onkeydown=e=>o.textContent+=e.key</script>",
    )
    .await;
    let how = Acting::default();
    let outcome = rig.page.type_at_focus(None, "ab", &how).await.unwrap();
    assert!(outcome.change.contains("ab"), "{}", told(&outcome));
    rig.eval("c.focus()").await;
    rig.page.type_at_focus(None, "C", &how).await.unwrap();
    assert_eq!(rig.eval("o.textContent").await, "\"abC\"");
    rig.end().await;
}

#[tokio::test]
async fn points_outside_the_window_or_no_points_at_all_are_refused_with_words() {
    let rig = Rig::show("<button>Go</button>").await;
    for (target, says) in [
        ("point=5000,10", "outside the window, which is"),
        ("point=-1,10", "outside the window, which is"),
        ("point=here", "write point=X,Y"),
        ("point=1;2", "write point=X,Y"),
    ] {
        let error = rig.page.click(&Target::parse(target), &Click::default()).await.unwrap_err();
        assert_eq!(error.code(), "invalid_input", "{target}: {error}");
        assert!(error.to_string().contains(says), "{target}: {error}");
    }
    let error = rig.page.query(&Target::parse("point=5,5"), 5).await.unwrap_err();
    assert!(error.to_string().contains("only for acting"), "{error}");
    rig.end().await;
}
