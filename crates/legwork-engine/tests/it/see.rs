//! P5 and seeing: snapshots, changes, queries, extracts and pictures.

use std::time::Duration;

use legwork_engine::extract::Mode;
use legwork_engine::{
    Acting, Click, Evaluate, Screenshot, Shot, SnapshotOptions, Subject, Target, picture,
};

use crate::support::{Reply, Rig, Site, told};

const LONG: Duration = Duration::from_secs(15);

/// Pages whose text is written down beside them.
#[tokio::test]
async fn pages_read_as_they_are_written_down() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let site = Site::pages().await;
    let mut wrong = Vec::new();
    let mut checked = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let expected_file = entry.unwrap().path();
        let Some(name) =
            expected_file.file_name().unwrap().to_str().unwrap().strip_suffix(".snapshot.txt")
        else {
            continue;
        };
        let rig = Rig::new().await;
        rig.page.navigate(&site.url(&format!("{name}.html")), LONG).await.unwrap();
        let text = rig.text().await;
        let expected = std::fs::read_to_string(&expected_file).unwrap();
        if text.trim_end() != expected.trim_end() {
            wrong.push(format!("== {name}\n{text}\n-- expected\n{expected}"));
        }
        checked += 1;
        rig.end().await;
    }
    assert!(checked >= 5, "only {checked} pages with their text beside them");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_snapshot_can_be_narrowed() {
    let rig = Rig::show(
        "<nav aria-label=Main><a href=/a>Home</a></nav><main><h1>Title</h1><p>Some text</p><button>Go</button><section aria-label=Items><p>One</p><p>Two</p><p>Three</p><p>Four</p><p>Five</p></section></main>",
    )
    .await;
    let with = async |options: SnapshotOptions| rig.page.snapshot(&options).await.unwrap().text;
    let scoped =
        with(SnapshotOptions { scope: Some(Target::parse("nav")), ..Default::default() }).await;
    assert!(scoped.contains("Home") && !scoped.contains("Title"), "{scoped}");
    let interactive = with(SnapshotOptions { interactive: true, ..Default::default() }).await;
    assert!(interactive.contains("[Go ") && !interactive.contains("Some text"), "{interactive}");
    let shallow = with(SnapshotOptions { depth: Some(1), ..Default::default() }).await;
    assert!(shallow.contains("region Items: 5 lines"), "{shallow}");
    let links = with(SnapshotOptions { links: true, ..Default::default() }).await;
    assert!(links.contains("/a"), "{links}");
    let missing = SnapshotOptions { scope: Some(Target::parse("#none")), ..Default::default() };
    assert_eq!(rig.page.snapshot(&missing).await.unwrap_err().code(), "not_found");
    let snapshot = rig
        .page
        .snapshot(&SnapshotOptions { budget: Some(30), ..Default::default() })
        .await
        .unwrap();
    let (rest, more) = snapshot.more.unwrap().next(10_000);
    assert!(more.is_none());
    assert_eq!(format!("{}\n{rest}", snapshot.text), rig.text().await);
    rig.end().await;
}

#[tokio::test]
async fn the_change_is_smaller_than_the_page_and_says_what_is_new() {
    let rows: String = (0..200)
        .map(|i| {
            format!(
                "<li>Row {i} <button onclick=\"this.parentNode.remove()\">Drop {i}</button></li>"
            )
        })
        .collect();
    let rig = Rig::show(&format!("<h1>List</h1><ul>{rows}</ul>")).await;
    let whole = rig.text().await;
    let outcome = rig.page.click(&Target::parse("Drop 7"), &Click::default()).await.unwrap();
    assert!(outcome.change.lines().count() < 5, "{}", told(&outcome));
    assert!(
        outcome.change.contains("- ") && outcome.change.contains("Row 7"),
        "{}",
        told(&outcome)
    );
    assert!(outcome.change.len() * 10 < whole.len());
    let quiet = rig.page.change(LONG).await.unwrap();
    assert_eq!(quiet.text, "");
    rig.end().await;
}

#[tokio::test]
async fn dialogs_and_toasts_that_appear_are_told_with_their_controls() {
    let rig = Rig::show(
        "<button onclick=\"d.showModal()\">Delete</button><dialog id=d aria-label='Delete item?'><p>This cannot be undone.</p><button onclick=\"d.close();s.textContent='Item deleted'\">Yes, delete</button></dialog><div id=s role=status></div>",
    )
    .await;
    rig.text().await;
    let outcome = rig.page.click(&Target::parse("Delete"), &Click::default()).await.unwrap();
    let shown = format!("{:?}", outcome.effects);
    assert!(shown.contains("dialog") && shown.contains("Yes, delete"), "{}", told(&outcome));
    let text = rig.text().await;
    assert!(text.starts_with("dialog Delete item?"), "{text}");
    let outcome = rig.page.click(&Target::parse("Yes, delete"), &Click::default()).await.unwrap();
    assert!(outcome.change.contains("Item deleted"), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn queries_count_and_describe() {
    let rig = Rig::show(
        "<ul><li class=x data-testid=one>One</li><li class=x>Two</li></ul><a href=/docs title=Help>Docs</a><input type=checkbox checked aria-label=On>",
    )
    .await;
    let found = rig.page.query(&Target::Css("li.x".into()), 1).await.unwrap();
    assert_eq!((found.count, found.items.len()), (2, 1));
    assert_eq!(found.items[0].text, "One");
    assert_eq!(found.items[0].attributes["data-testid"], "one");
    assert!(found.items[0].area.width > 10.0 && found.items[0].visible);
    let by_path = rig.page.query(&Target::XPath("//li[2]".into()), 5).await.unwrap();
    assert_eq!(by_path.items[0].text, "Two");
    let role = Target::Role { role: "link".into(), name: Some("Docs".into()) };
    let link = rig.page.query(&role, 5).await.unwrap();
    assert_eq!((link.count, link.items[0].attributes["href"].as_str()), (1, "/docs"));
    let checkbox = rig.page.query(&Target::Css("input".into()), 5).await.unwrap();
    assert_eq!(checkbox.items[0].checked, Some(true));
    assert_eq!(rig.page.query(&Target::Text("Two".into()), 5).await.unwrap().count, 1);
    assert_eq!(rig.page.query(&Target::Css("b".into()), 5).await.unwrap().count, 0);
    rig.end().await;
}

#[tokio::test]
async fn find_says_how_many_places_it_does_not_show() {
    let rows: String = (0..30).map(|n| format!("<li>Milk <button>Add {n}</button></li>")).collect();
    let rig = Rig::show(&format!("<ul>{rows}</ul><p>All our Milk is fresh</p><p>Bread</p>")).await;
    let around = rig.page.find(&Target::Words("Milk".into()), None).await.unwrap();
    assert_eq!((around.text.lines().count(), around.left), (20, 11), "{around:?}");
    assert_eq!(around.rest.lines().count(), 11, "{around:?}");
    assert!(around.rest.ends_with("All our Milk is fresh"), "{around:?}");
    let alone = rig.page.find(&Target::Words("Bread".into()), None).await.unwrap();
    assert_eq!((alone.text.as_str(), alone.left), ("Bread", 0));
    rig.end().await;
}

#[tokio::test]
async fn find_may_be_limited_to_a_part_of_the_page() {
    let rig = Rig::show(
        "<aside><button>Milk</button></aside>\
         <main><ul><li>Oat milk <button>Add</button></li><li>Bread <button>Add</button></li></ul></main>\
         <dialog open><p>The milk is gone</p><button>Close</button></dialog>",
    )
    .await;
    let (page, milk) = (&rig.page, Target::Words("Milk".into()));
    for (within, said, unsaid) in [
        ("main", "Oat milk", ["[Milk", "is gone", "Bread"]),
        ("dialog", "The milk is gone", ["[Milk", "Oat", "Bread"]),
        ("aside button", "[Milk", ["is gone", "Oat", "Bread"]),
    ] {
        let around = page.find(&milk, Some(&Target::Css(within.into()))).await.unwrap();
        let text = format!("{}{}", around.text, around.rest);
        assert!(text.contains(said), "{within}: {text}");
        assert!(!unsaid.iter().any(|other| text.contains(other)), "{within}: {text}");
    }
    let elsewhere = page.find(&Target::Words("Bread".into()), Some(&"dialog".into())).await;
    assert_eq!(elsewhere.unwrap_err().code(), "not_found");
    let nowhere = page.find(&milk, Some(&"#none".into())).await.unwrap_err();
    assert!(nowhere.to_string().contains("'#none' not found"), "{nowhere}");
    rig.end().await;
}

#[tokio::test]
async fn find_gives_the_row_around_the_words_with_its_controls() {
    let rig = Rig::show(
        "<table><tr><td>Oat milk</td><td>$3.49</td><td><button>Add</button></td></tr><tr><td>Bread</td><td>$2</td><td><button>Add</button></td></tr></table>",
    )
    .await;
    let text = rig.page.find(&Target::Words("Oat milk".into()), None).await.unwrap().text;
    assert!(
        text.contains("Oat milk") && text.contains("$3.49") && text.contains("[Add "),
        "{text}"
    );
    assert!(!text.contains("Bread"), "{text}");
    assert_eq!(
        rig.page.find(&Target::Words("Caviar".into()), None).await.unwrap_err().code(),
        "not_found"
    );
    rig.end().await;
}

#[tokio::test]
async fn a_page_is_extracted_as_markdown_html_and_text() {
    let rig = Rig::show("<h1>Title</h1><p>See <a href=https://a.example/x>this</a>.</p><table><tr><th>A<th>B<tr><td>1<td>2</table>").await;
    let markdown = rig.page.markdown(Mode::Whole).await.unwrap().markdown;
    assert!(
        markdown.contains("# Title") && markdown.contains("[this](https://a.example/x)"),
        "{markdown}"
    );
    assert!(markdown.contains("| 1 | 2 |"), "{markdown}");
    assert!(rig.page.html().await.unwrap().contains("<h1>Title</h1>"));
    assert!(rig.page.text().await.unwrap().starts_with("Title"));
    rig.set("<style>.h{display:none}</style><h1>Seen</h1><p class=h>Unseen</p><input type=password value=hunter2>").await;
    let markdown = rig.page.markdown(Mode::Whole).await.unwrap().markdown;
    assert!(markdown.contains("Seen") && !markdown.contains("Unseen"), "{markdown}");
    let html = rig.page.html().await.unwrap();
    assert!(html.contains("Unseen") && !html.contains("hunter2"), "{html}");
    rig.end().await;
}

#[tokio::test]
async fn pictures_of_window_element_and_page_have_their_sizes() {
    let rig = Rig::show("<body style='margin:0'><div id=d style='width:200px;height:100px;margin:40px;background:red'></div><div style='height:2000px'></div>").await;
    let size = async |shot: Screenshot| {
        let taken = rig.page.screenshot(&shot).await.unwrap();
        let header = picture::header(&taken.bytes).unwrap();
        assert_eq!(
            (taken.width, taken.height, taken.format),
            (header.width, header.height, header.format)
        );
        (taken.width, taken.height)
    };
    assert_eq!(size(Screenshot::default()).await, (1280, 720));
    let element = Subject::Element(Target::parse("#d"));
    assert_eq!(size(Screenshot { of: element.clone(), ..Default::default() }).await, (200, 100));
    let (_, height) = size(Screenshot { of: Subject::Page, ..Default::default() }).await;
    assert!(height > 2000);
    assert_eq!(size(Screenshot { limit: Some(640), ..Default::default() }).await, (640, 360));
    for format in [Shot::Jpeg(80), Shot::Webp(80)] {
        assert_eq!(size(Screenshot { format, ..Default::default() }).await, (1280, 720));
    }
    let taken =
        rig.page.screenshot(&Screenshot { of: element, ..Default::default() }).await.unwrap();
    let pixels = image::load_from_memory(&taken.bytes).unwrap().to_rgb8();
    assert_eq!(pixels.get_pixel(100, 50).0, [255, 0, 0]);
    rig.end().await;
}

#[tokio::test]
async fn secrets_are_masked_in_pictures_and_boxes_leave_no_trace() {
    let rig =
        Rig::show("<input id=c autocomplete=cc-number style='font-size:40px'><button>Pay</button>")
            .await;
    let target = Target::parse("#c");
    let of = Screenshot { of: Subject::Element(target.clone()), ..Default::default() };
    rig.page.fill(&target, "4111 1111", &Acting::default()).await.unwrap();
    let one = rig.page.screenshot(&of).await.unwrap();
    rig.page.fill(&target, "5555 5555", &Acting::default()).await.unwrap();
    let two = rig.page.screenshot(&of).await.unwrap();
    assert_eq!(one, two, "another number of the same length looks the same");
    let before = rig.eval("document.documentElement.outerHTML").await;
    let plain = rig.page.screenshot(&Screenshot::default()).await.unwrap();
    let boxed =
        rig.page.screenshot(&Screenshot { boxes: true, ..Default::default() }).await.unwrap();
    assert_ne!(plain, boxed);
    assert_eq!(
        rig.eval("document.documentElement.outerHTML").await,
        before.replace(" style=\\\"\\\"", "")
    );
    rig.end().await;
}

#[tokio::test]
async fn secrets_in_a_frame_of_another_site_are_masked_in_pictures() {
    let site = Site::start(|request| {
        let (_, port) = request.host.rsplit_once(':').unwrap();
        match request.path.split_once('?') {
            Some(("/in", secret)) => Reply::Html(format!(
                "<input name=pin value={secret} style='font-size:40px'><p>{}</p>",
                if secret == "3333" { "other" } else { "same" }
            )),
            Some((_, secret)) => {
                Reply::Html(format!("<iframe src=http://localhost:{port}/in?{secret}></iframe>"))
            }
            None => Reply::NotFound,
        }
    })
    .await;
    let rig = Rig::new().await;
    let mut pictures = Vec::new();
    for secret in ["1111", "8888", "3333"] {
        rig.page.navigate(&site.url(&format!("/?{secret}")), LONG).await.unwrap();
        pictures.push(rig.page.screenshot(&Screenshot::default()).await.unwrap());
    }
    assert!(pictures[0] == pictures[1], "another number of the same length looks the same");
    assert!(pictures[0] != pictures[2], "what stands beside it is seen");
    rig.end().await;
}

#[tokio::test]
async fn expressions_give_json_and_errors_their_place() {
    let rig = Rig::show("<p class=message>Hi</p>").await;
    for (script, expected) in [
        ("1+1", "2"),
        ("document.querySelector('.message').textContent", "\"Hi\""),
        ("({a:[1,null]})", "{\"a\":[1,null]}"),
        ("undefined", "undefined"),
        ("NaN", "NaN"),
        ("new Promise(r=>setTimeout(()=>r('ready'),20))", "\"ready\""),
        ("await Promise.resolve(7)", "7"),
        ("const again=1;again", "1"),
        ("const again=2;again", "2"),
    ] {
        assert_eq!(rig.eval(script).await, expected, "{script}");
    }
    let error = rig.page.evaluate("foo", Evaluate::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "ReferenceError: foo is not defined at line 1, column 1");
    let error = rig.page.evaluate("let a =\n 1 +* 2", Evaluate::default()).await.unwrap_err();
    assert!(
        error.to_string().starts_with("SyntaxError") && error.to_string().contains("line 2"),
        "{error}"
    );
    let error = rig
        .page
        .evaluate("Promise.reject(new Error('no'))", Evaluate::default())
        .await
        .unwrap_err();
    assert!(error.to_string().starts_with("Error: no"), "{error}");
    let not_awaited = Evaluate { await_promise: false, ..Default::default() };
    assert_eq!(rig.page.evaluate("Promise.resolve(1)", not_awaited).await.unwrap(), "{}");
    rig.end().await;
}

#[tokio::test]
async fn what_a_page_says_cannot_pass_for_our_marks() {
    let rig = Rig::show(
        "<a href=/x>[Pay now e97]</a> <button aria-label='\u{1}5\u{1}'>x</button>
         <p>\u{1}5\u{1}</p><p>a\u{1}</p><p>[Delete e93 <b>x</b></p>
         <select aria-label=Pick><option>[One e94]<option>Two</select>
         <input id=v aria-label=Field><canvas width=99 height=99 aria-label='[Draw e95]'></canvas>
         <progress aria-label='[Run e96]' value=1 max=2></progress>
         <iframe title='[Frame e98]' srcdoc='<title>[Title e99]</title><p>Inside</p>'></iframe>
         <script>v.setCustomValidity('[No e92]\\n+ [Yes e91]');v.setAttribute('aria-invalid','true')</script>",
    )
    .await;
    let text = rig.text().await;
    for fake in ["e97]", "e93 x", "e94]", "e95]", "e96]", "e99]", "e92]", "e91]"] {
        assert!(!text.contains(fake), "{fake}: {text}");
    }
    assert!(!text.contains(['\u{1}', '\r']) && text.contains("Inside"), "{text}");
    assert!(text.contains("[Pay now e\\97]") && text.contains("[One e\\94]"), "{text}");
    assert_eq!(text.matches("frame").count(), 1, "{text}");
    rig.end().await;
}

#[tokio::test]
async fn fields_named_like_parts_of_the_page_model_do_no_harm() {
    let fields: String = [
        "getAttribute",
        "localName",
        "children",
        "childNodes",
        "firstChild",
        "parentNode",
        "nodeType",
        "id",
        "className",
        "matches",
        "querySelectorAll",
        "getBoundingClientRect",
        "isConnected",
        "hasAttributes",
        "hasAttribute",
        "__lw",
        "shadowRoot",
        "checkVisibility",
        "textContent",
    ]
    .iter()
    .map(|name| format!("<input name={name} aria-label='the {name}'>"))
    .collect();
    let rig = Rig::show(&format!(
        "<form onsubmit='done.textContent=\"Sent\";return false'>{fields}<button>Send</button></form>
         <form name=activeElement></form><form name=body></form><form name=querySelectorAll></form>
         <img name=title alt=t><p id=legwork>Last</p><p id=done></p>"
    ))
    .await;
    let text = rig.text().await;
    assert!(text.contains("the localName") && text.contains("[Send e"), "{text}");
    assert!(text.contains("Last"), "{text}");
    let sent = rig.page.click(&Target::parse("Send"), &Click::default()).await.unwrap();
    assert!(sent.change.contains("Sent"), "{}", told(&sent));
    rig.end().await;
}

#[tokio::test]
async fn no_secret_is_told_whatever_kind_of_field_holds_it() {
    let rig = Rig::show(
        "<label>Expires <select autocomplete=cc-exp-month><option>01<option selected>zebra</select></label>
         <div id=otp contenteditable role=textbox aria-label=Code>zebra 77</div>
         <div role=combobox aria-label=Card><input name=cardnumber value='zebra 4111'></div>
         <button>Use <span name=pin contenteditable>zebra</span></button>",
    )
    .await;
    let text = rig.text().await;
    assert!(text.contains("••••"), "{text}");
    assert!(!text.replace("of 01, zebra", "").contains("zebra"), "{text}");
    for css in ["#otp", "body", "[role=combobox]", "select", "button", "label"] {
        let found = rig.page.query(&Target::Css(css.into()), 1).await.unwrap();
        let item = &found.items[0];
        let told = format!("{} {:?}", item.name, item.value);
        assert!(!told.contains("zebra"), "{css}: {told}");
        assert!(!item.text.contains("zebra 77"), "{css}: {}", item.text);
    }
    rig.end().await;
}

#[tokio::test]
async fn a_half_checked_box_is_neither_checked_nor_unchecked() {
    let rig = Rig::show("<input type=checkbox id=c aria-label=All>").await;
    rig.eval("c.indeterminate = true").await;
    let found = rig.page.query(&Target::Css("#c".into()), 1).await.unwrap();
    assert_eq!(found.items[0].checked, None);
    rig.end().await;
}

#[tokio::test]
async fn the_page_behind_a_dialog_is_shown_on_request() {
    let rig = Rig::show(
        "<button>Under</button><dialog id=d><p>Sure?</p></dialog><script>d.showModal()</script>",
    )
    .await;
    let text = rig.text().await;
    assert!(text.contains("Sure?") && !text.contains("Under"), "{text}");
    assert!(text.contains("(page behind the dialog: 1 lines, 1 controls)"), "{text}");
    let options = SnapshotOptions { behind: true, ..Default::default() };
    let text = rig.page.snapshot(&options).await.unwrap().text;
    assert!(text.contains("Sure?") && text.contains("[Under e"), "{text}");
    rig.end().await;
}

#[tokio::test]
async fn closed_shadow_roots_are_seen_at_once_and_when_they_come() {
    let site = Site::pages().await;
    let rig = Rig::new().await;
    rig.page.navigate(&site.url("shadow_closed.html"), LONG).await.unwrap();
    let text = rig.text().await;
    for name in ["Slotted title", "[Open inside e", "[Closed inside e", "[In a plain div e"] {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert!(text.contains("[In the innermost e"), "{text}");
    let added = rig.page.click(&Target::parse("Add another"), &Click::default()).await.unwrap();
    assert!(added.change.contains("[Came later e"), "{}", told(&added));
    rig.end().await;
}

#[tokio::test]
async fn pictures_before_any_snapshot_mask_secrets_wherever_they_are() {
    let page = |secret: &str| {
        let field =
            format!("<input id=pin value={secret}><div id=otp contenteditable>{secret}</div>");
        format!(
            "<body style='margin:0'>{field}<select name=pin><option>{secret}</select>
             <iframe width=600 srcdoc='{}'></iframe><div id=h style='width:600px;height:90px'></div>
             <script>h.attachShadow({{mode:'closed'}}).innerHTML='<div style=\"width:600px;height:80px\"></div>';</script>
             <script>const o=document.createElement('div');o.style.cssText='width:600px;height:80px';
             const r=o.attachShadow({{mode:'closed'}});r.innerHTML='<input name=pin value={secret}>';document.body.append(o)</script>",
            field.replace('\'', "&#39;")
        )
    };
    let mut taken = Vec::new();
    for secret in ["1111", "8888"] {
        let rig = Rig::show(&page(secret)).await;
        let before = rig.eval("document.documentElement.outerHTML").await;
        taken.push(rig.page.screenshot(&Screenshot::default()).await.unwrap().bytes);
        assert_eq!(rig.eval("document.documentElement.outerHTML").await, before);
        rig.end().await;
    }
    assert!(taken[0] == taken[1], "a secret can be told from the picture");
}

#[tokio::test]
async fn pictures_show_all_of_tall_things_and_say_when_they_are_cut() {
    let rig = Rig::show(
        "<body style='margin:0'><div id=d style='width:90px;height:1500px;background:red'></div><button style='display:block'>Bottom</button><div id=more></div>",
    )
    .await;
    let of = Subject::Element(Target::Css("#d".into()));
    let tall = rig.page.screenshot(&Screenshot { of, ..Default::default() }).await.unwrap();
    assert_eq!((tall.width, tall.height, tall.cut), (90, 1500, false));
    let pixels = image::load_from_memory(&tall.bytes).unwrap().to_rgb8();
    assert_eq!(pixels.get_pixel(45, 1450).0, [255, 0, 0]);
    let page = Screenshot { of: Subject::Page, ..Default::default() };
    let plain = rig.page.screenshot(&page).await.unwrap();
    let boxed = rig.page.screenshot(&Screenshot { boxes: true, ..page.clone() }).await.unwrap();
    assert!(plain.bytes != boxed.bytes, "a box far below the window");
    let small = Screenshot { format: Shot::Webp(60), limit: Some(200), ..Default::default() };
    let small = rig.page.screenshot(&small).await.unwrap();
    assert_eq!((small.format, small.width, small.cut), (picture::Format::WebP, 200, false));
    let pixels = image::load_from_memory(&small.bytes).unwrap();
    assert_eq!((pixels.width(), pixels.height()), (200, 112));
    let of = Subject::Element(Target::Css("#d".into()));
    let webp = Screenshot { of, format: Shot::Webp(60), limit: Some(300), ..Default::default() };
    let small = rig.page.screenshot(&webp).await.unwrap();
    assert_eq!((small.format, small.width, small.height), (picture::Format::WebP, 18, 300));
    rig.eval("more.style.height = '20000px'").await;
    let cut = rig.page.screenshot(&page).await.unwrap();
    assert!(cut.cut && cut.height == 16_000, "{}", cut.height);
    rig.end().await;
}
