//! W1: fields of every kind, each read back after it was set.

use legwork_engine::{Acting, Choice, Effect, Outcome, Target, Verdict};

use crate::support::{Rig, told};

fn value(outcome: &Outcome) -> (String, String) {
    outcome
        .effects
        .iter()
        .find_map(|effect| match effect {
            Effect::Value { before, after } => Some((before.clone(), after.clone())),
            _ => None,
        })
        .unwrap_or_else(|| panic!("{}", told(outcome)))
}

async fn fill(rig: &Rig, target: &str, text: &str) -> legwork_engine::Result<Outcome> {
    rig.page.fill(&Target::parse(target), text, &Acting::default()).await
}

#[tokio::test]
async fn filling_tells_the_value_before_and_after() {
    let rig = Rig::show(
        "<label>Email <input value=old></label><label>Note <textarea></textarea></label>",
    )
    .await;
    assert_eq!(value(&fill(&rig, "Email", "a@b.c").await.unwrap()), ("old".into(), "a@b.c".into()));
    assert_eq!(value(&fill(&rig, "Note", "two\nlines").await.unwrap()).1, "two\nlines");
    assert_eq!(value(&fill(&rig, "Email", "").await.unwrap()).1, "");
    rig.end().await;
}

#[tokio::test]
async fn typing_sends_real_keys_and_can_clear_first() {
    let rig = Rig::show(
        "<input id=i value=ab><script>let n=0;i.addEventListener('keydown',()=>n++)</script>",
    )
    .await;
    let target = Target::parse("#i");
    let outcome = rig.page.type_text(&target, "cd", false, &Acting::default()).await.unwrap();
    assert_eq!(value(&outcome).1, "abcd");
    let outcome = rig.page.type_text(&target, "Ünï 1!", true, &Acting::default()).await.unwrap();
    assert_eq!(value(&outcome).1, "Ünï 1!");
    assert_eq!(outcome.verdict, Verdict::Done);
    assert!(rig.eval("n").await.parse::<u32>().unwrap() >= 6);
    rig.end().await;
}

#[tokio::test]
async fn a_page_that_is_busy_with_each_letter_is_read_when_all_are_in() {
    let rig = Rig::show(
        "<input id=i oninput='let t = performance.now(); while (performance.now() - t < 1);'>",
    )
    .await;
    let target = Target::parse("#i");
    // Letters that no key has are inserted, and no key event ends them.
    for text in ["Zoë ☃", "☃☃☃☃☃☃", "a long text of keys alone"].repeat(20) {
        let outcome = rig.page.type_text(&target, text, true, &Acting::default()).await.unwrap();
        assert_eq!(outcome.verdict, Verdict::Done, "{text}: {}", told(&outcome));
    }
    rig.end().await;
}

#[tokio::test]
async fn a_field_that_changes_what_is_typed_is_told() {
    let rig = Rig::show("<label>Code <input maxlength=3></label>").await;
    let outcome = fill(&rig, "Code", "12345").await.unwrap();
    assert_eq!(outcome.verdict, Verdict::Differs("123".into()), "{}", told(&outcome));
    rig.set("<label>Code <input oninput=\"this.value=''\"></label><label>Pin <input type=password oninput=\"this.value=''\"></label>").await;
    for field in ["Code", "Pin"] {
        let outcome = fill(&rig, field, "12345").await.unwrap();
        assert_eq!(outcome.verdict, Verdict::Differs(String::new()), "{}", told(&outcome));
    }
    rig.end().await;
}

#[tokio::test]
async fn secrets_are_never_told() {
    let rig = Rig::show(
        "<label>Password <input type=password></label><label>Card <input autocomplete=cc-number></label><label>Code <input autocomplete=one-time-code></label>",
    )
    .await;
    for (field, secret) in
        [("Password", "hunter2"), ("Card", "4111111111111111"), ("Code", "987654")]
    {
        let outcome = fill(&rig, field, secret).await.unwrap();
        assert!(!told(&outcome).contains(secret), "{}", told(&outcome));
        assert_eq!(outcome.verdict, Verdict::Done, "{}", told(&outcome));
    }
    let text = rig.text().await;
    let found = rig.page.query(&Target::parse("css=input"), 10).await.unwrap();
    for secret in ["hunter2", "4111111111111111", "987654"] {
        assert!(!text.contains(secret), "{text}");
        assert!(!format!("{found:?}").contains(secret), "{found:?}");
    }
    rig.end().await;
}

#[tokio::test]
async fn dates_ranges_colours_and_numbers_take_their_own_kind_of_value() {
    let rig = Rig::show(
        "<label>Day <input type=date></label><label>At <input type=time></label><label>Volume <input type=range max=10></label><label>Paint <input type=color></label><label>Count <input type=number></label><script>let n=0;addEventListener('change',()=>n++)</script>",
    )
    .await;
    for (field, good, bad, why) in [
        ("Day", "2026-11-30", "30.11.2026", "2026-11-30"),
        ("At", "14:30", "half past two", "14:30"),
        ("Volume", "7", "12", "0 to 10"),
        ("Paint", "#ff8800", "orange", "#ff8800"),
        ("Count", "42", "many", "number"),
    ] {
        assert_eq!(value(&fill(&rig, field, good).await.unwrap()).1, good, "{field}");
        let error = fill(&rig, field, bad).await.unwrap_err();
        assert!(error.to_string().contains(why), "{field}: {error}");
    }
    assert!(rig.eval("n").await.parse::<u32>().unwrap() >= 4);
    rig.end().await;
}

#[tokio::test]
async fn rich_text_is_filled_like_a_field() {
    let rig = Rig::show("<div contenteditable=true aria-label=Message>old</div>").await;
    let outcome = fill(&rig, "Message", "new text").await.unwrap();
    assert_eq!(value(&outcome), ("old".into(), "new text".into()));
    rig.end().await;
}

#[tokio::test]
async fn boxes_radios_and_switches_are_checked_and_verified() {
    let rig = Rig::show(
        "<label><input type=checkbox> News</label>
         <style>#h{position:absolute;opacity:0;width:0;height:0}</style><input id=h type=checkbox><label for=h>Styled</label>
         <label><input type=radio name=r> Monthly</label><label><input type=radio name=r> Weekly</label>
         <div role=switch aria-checked=false tabindex=0 onclick=\"this.setAttribute('aria-checked',this.getAttribute('aria-checked')!=='true')\">Dark</div>
         <label><input type=checkbox onclick='return false'> Stuck</label>",
    )
    .await;
    let acting = Acting::default();
    for (name, on) in [
        ("News", true),
        ("News", true),
        ("News", false),
        ("Styled", true),
        ("Weekly", true),
        ("Dark", true),
    ] {
        let outcome = rig.page.check(&Target::parse(name), on, &acting).await.unwrap();
        assert!(outcome.effects.contains(&Effect::Checked(on)), "{name}: {}", told(&outcome));
        assert_eq!(outcome.verdict, Verdict::Done, "{name}: {}", told(&outcome));
    }
    let outcome = rig.page.check(&Target::parse("Stuck"), true, &acting).await.unwrap();
    assert_eq!(outcome.verdict, Verdict::NothingChanged, "{}", told(&outcome));
    let error = rig.page.check(&Target::parse("Weekly"), false, &acting).await.unwrap_err();
    assert!(error.to_string().contains("choose another"), "{error}");
    assert_eq!(rig.eval("document.querySelectorAll(':checked').length").await, "2");
    rig.end().await;
}

#[tokio::test]
async fn a_box_that_is_redrawn_by_its_own_click_is_not_a_failure() {
    let rig = Rig::show(
        "<div id=root></div><script>let on=true;const draw=()=>root.innerHTML=`<label><input type=checkbox ${on?'checked':''}> Milk</label>`;draw();root.addEventListener('change',()=>{on=!on;draw()})</script>",
    )
    .await;
    let outcome = rig.page.check(&Target::parse("Milk"), false, &Acting::default()).await.unwrap();
    assert!(outcome.effects.contains(&Effect::Checked(false)), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn native_lists_are_chosen_by_label_value_and_index() {
    let rig = Rig::show(
        "<label>Country <select><option value=fr>France<option value=es>Spain<option value=it disabled>Italy</select></label><label>Tags <select multiple><option>a<option>b<option>c</select></label>",
    )
    .await;
    let acting = Acting::default();
    let country = Target::parse("Country");
    for (choice, label) in [
        (Choice::Label("spain".into()), "Spain"),
        (Choice::Value("fr".into()), "France"),
        (Choice::Index(1), "Spain"),
        (Choice::Label("Spain".into()), "Spain"),
    ] {
        let outcome = rig.page.select(&country, &[choice], &acting).await.unwrap();
        assert_eq!(value(&outcome).1, label, "{}", told(&outcome));
    }
    let error =
        rig.page.select(&country, &[Choice::Label("Peru".into())], &acting).await.unwrap_err();
    assert!(error.to_string().contains("France; Spain; Italy"), "{error}");
    let error =
        rig.page.select(&country, &[Choice::Label("Italy".into())], &acting).await.unwrap_err();
    assert!(error.to_string().contains("disabled"), "{error}");
    let both = [Choice::Label("a".into()), Choice::Label("c".into())];
    let outcome = rig.page.select(&Target::parse("Tags"), &both, &acting).await.unwrap();
    assert_eq!(value(&outcome).1, "a, c");
    rig.end().await;
}

#[tokio::test]
async fn custom_dropdowns_are_chosen_in_like_native_ones() {
    let rig = Rig::show(
        "<div id=c role=combobox tabindex=0 aria-expanded=false aria-controls=l aria-label=Repeat>Never</div>
         <ul id=l role=listbox hidden><li role=option>Daily</li><li role=option data-value=m>Monthly</li></ul>
         <script>c.onclick=()=>setTimeout(()=>{l.hidden=false;c.setAttribute('aria-expanded','true')},50);
         l.onclick=e=>{c.textContent=e.target.textContent;l.hidden=true;c.setAttribute('aria-expanded','false')}</script>",
    )
    .await;
    let repeat = Target::parse("Repeat");
    let monthly = [Choice::Label("Monthly".into())];
    let outcome = rig.page.select(&repeat, &monthly, &Acting::default()).await.unwrap();
    assert_eq!(rig.eval("c.textContent").await, "\"Monthly\"", "{}", told(&outcome));
    let chosen = Effect::Value { before: "Never".into(), after: "Monthly".into() };
    assert!(outcome.effects.contains(&chosen), "{}", told(&outcome));
    for (choice, expected) in [(Choice::Index(0), "Daily"), (Choice::Value("m".into()), "Monthly")]
    {
        rig.page.select(&repeat, &[choice], &Acting::default()).await.unwrap();
        assert_eq!(rig.eval("c.textContent").await, format!("{expected:?}"));
    }
    let yearly = [Choice::Label("Yearly".into())];
    let error = rig.page.select(&repeat, &yearly, &Acting::default()).await.unwrap_err();
    assert!(error.to_string().contains("Daily; Monthly"), "{error}");
    rig.end().await;
}

#[tokio::test]
async fn a_custom_dropdown_is_never_chosen_in_another_list() {
    let rig = Rig::show(
        "<nav><ul role=menu><li role=menuitem onclick=\"document.title='wrong'\">Home</li></ul></nav>
         <button id=c aria-haspopup=listbox>Place</button><script>c.onclick=()=>document.body.insertAdjacentHTML('beforeend','<ul role=listbox><li role=option onclick=\"document.title=1;this.parentNode.remove()\">Home</li></ul>')</script>",
    )
    .await;
    let home = [Choice::Label("Home".into())];
    rig.page.select(&Target::parse("Place"), &home, &Acting::default()).await.unwrap();
    assert_eq!(rig.eval("document.title").await, "\"1\"");
    rig.end().await;
}

#[tokio::test]
async fn a_combobox_to_type_in_offers_options_as_one_types() {
    let rig = Rig::show(
        "<label>City <input id=i role=combobox aria-controls=l aria-expanded=false></label><ul id=l role=listbox></ul>
         <script>i.oninput=()=>{l.innerHTML=['Paris','Parma','Rome'].filter(t=>i.value&&t.toLowerCase().startsWith(i.value.toLowerCase())).map(t=>`<li role=option>${t}</li>`).join('')};
         l.onclick=e=>{i.value=e.target.textContent;l.innerHTML=''}</script>",
    )
    .await;
    let parma = [Choice::Label("Parma".into())];
    let outcome =
        rig.page.select(&Target::parse("City"), &parma, &Acting::default()).await.unwrap();
    assert_eq!(rig.eval("i.value+l.children.length").await, "\"Parma0\"", "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn files_are_uploaded_and_folders_refused() {
    let folder = std::env::temp_dir().join(format!("legwork-upload-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (one, two) = (folder.join("one.txt"), folder.join("two.txt"));
    std::fs::write(&one, "1").unwrap();
    std::fs::write(&two, vec![b'x'; 60 << 20]).unwrap();
    let rig = Rig::show(
        "<label>Files <input id=f type=file multiple style='display:none'></label><p></p><script>f.onchange=()=>document.querySelector('p').textContent=[...f.files].map(x=>x.name+':'+x.size).join()</script>",
    )
    .await;
    let target = Target::parse("#f");
    let acting = Acting::default();
    let outcome = rig.page.upload(&target, &[one, two], &acting).await.unwrap();
    assert!(outcome.change.contains("one.txt:1,two.txt:62914560"), "{}", told(&outcome));
    let error = rig.page.upload(&target, std::slice::from_ref(&folder), &acting).await.unwrap_err();
    assert!(error.to_string().contains("is a directory"), "{error}");
    rig.set("<button onclick=\"const i=document.createElement('input');i.type='file';i.onchange=()=>document.querySelector('p').textContent='got '+i.files[0].name;i.click()\">Attach</button><p></p><button>Plain</button>").await;
    let attach = Target::parse("Attach");
    let outcome = rig.page.upload(&attach, &[folder.join("one.txt")], &acting).await.unwrap();
    assert!(outcome.change.contains("got one.txt"), "{}", told(&outcome));
    let plain = Target::parse("Plain");
    let error = rig.page.upload(&plain, &[folder.join("one.txt")], &acting).await.unwrap_err();
    assert!(error.to_string().contains("it was clicked, and opened no file chooser"), "{error}");
    let error = rig.page.upload(&target, &[folder.join("none")], &acting).await.unwrap_err();
    assert_eq!(error.code(), "file_error");
    rig.end().await;
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn frameworks_that_watch_the_value_see_the_change() {
    // React keeps its own copy of a field's value by redefining the property on the element.
    let rig = Rig::show(
        "<input id=i><p></p><script>let tracked='';const own=Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,'value');
         Object.defineProperty(i,'value',{get(){return own.get.call(this)},set(v){tracked=v;own.set.call(this,v)}});
         i.addEventListener('input',()=>{if(own.get.call(i)!==tracked){tracked=own.get.call(i);document.querySelector('p').textContent='saw '+tracked}})</script>",
    )
    .await;
    let outcome = fill(&rig, "#i", "hello").await.unwrap();
    assert!(outcome.change.contains("saw hello"), "{}", told(&outcome));
    rig.end().await;
}

#[tokio::test]
async fn keys_pressed_one_after_the_other_go_on_from_where_the_caret_is() {
    let rig = Rig::show("<input aria-label=From value=abcd><input aria-label=To>").await;
    let (from, to) = (Target::parse("From"), Target::parse("To"));
    let keys =
        [(&from, "ArrowLeft"), (&from, "ArrowLeft"), (&from, "Backspace"), (&from, "Control+A")];
    let copied = [(&from, "Control+C"), (&to, "Control+V")];
    for (target, key) in keys.into_iter().chain(copied) {
        rig.page.press(Some(target), key, &Acting::default()).await.unwrap();
    }
    let values = rig.eval("[...document.querySelectorAll('input')].map((el) => el.value)").await;
    assert_eq!(values, r#"["acd","acd"]"#);
    rig.end().await;
}

#[tokio::test]
async fn a_dropdown_without_any_markup_of_a_list_is_chosen_in_and_names_its_options() {
    let rig = Rig::show(
        "<style>.o{cursor:pointer}</style><button id=b aria-haspopup=listbox>Pick a size</button><div id=m></div>\
         <script>b.onclick = () => { m.innerHTML = ['Small', 'Large'].map((t) => `<div class=o>${t}</div>`).join('');\
         for (const o of m.children) o.onclick = () => { b.textContent = o.textContent; m.innerHTML = '' } }</script>",
    )
    .await;
    let pick = async |label: &str| {
        let choice = [Choice::Label(label.into())];
        rig.page.select(&Target::parse("#b"), &choice, &Acting::default()).await
    };
    let error = pick("Huge").await.unwrap_err().to_string();
    assert!(error.ends_with("it has Small; Large"), "{error}");
    pick("Large").await.unwrap();
    assert_eq!(rig.eval("b.textContent").await, "\"Large\"");
    rig.end().await;
}
