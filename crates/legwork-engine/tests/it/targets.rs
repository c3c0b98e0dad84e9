//! Targets that name several elements, none, or are written wrongly: what is said of them.

use legwork_engine::Target;

use crate::support::{Rig, click, told};

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
async fn who_asks_for_what_is_not_there_is_told_what_is() {
    let rig = Rig::show("<a href=/a>Home</a><input aria-label=Quantity><button>Buy</button>").await;
    let asked = async |words: &str| unnumbered(&click(&rig, words).await.unwrap_err().to_string());
    let all = "\"Zzyzx\" not found; there is textbox \"Quantity\"; button \"Buy\"; link \"Home\"";
    assert_eq!(asked("Zzyzx").await, all);
    let error = rig.page.find(&Target::parse("Zzyzx"), None).await.unwrap_err().to_string();
    assert_eq!(unnumbered(&error), all);
    let similar = "\"Quantitty\" not found; similar: textbox \"Quantity\"";
    assert_eq!(asked("Quantitty").await, similar);
    let many: String = (0..30).map(|n| format!("<button>Item {n}</button>")).collect();
    rig.set(&many).await;
    let error = asked("Zzyzx").await;
    assert!(error.ends_with("button \"Item 7\"; and 22 more"), "{error}");
    rig.end().await;
}

#[tokio::test]
async fn words_that_only_a_sentence_says_are_told_as_mentioned() {
    let rig = Rig::show(
        "<p>To log in, call us.</p><p><b>Opening hours</b></p><div id=card>Oat milk 1 L</div>
         <button>Save draft</button><a href=/><span>Help and more</span></a>
         <script>card.addEventListener('click', () => {})</script>",
    )
    .await;
    let mentions = async |words: &str| rig.page.mentions(&Target::parse(words)).await.unwrap();
    let said = mentions("log in").await;
    assert_eq!(
        said.iter().map(|one| unnumbered(one)).collect::<Vec<_>>(),
        ["paragraph \"To log in, call us.\""]
    );
    for named in ["Opening hours", "Save", "Oat milk", "Help", "Zzyzx", "css=p", "the draft button"]
    {
        assert!(mentions(named).await.is_empty(), "{named}");
    }
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

#[tokio::test]
async fn what_only_a_screen_reader_says_of_a_name_finds_it_too() {
    let rig = Rig::show(
        "<style>.sr{position:absolute;width:1px;height:1px;overflow:hidden}</style>\
         <ul><li>Oat milk <a href=#oat>Read more<span class=sr> about oat milk</span></a></li>\
         <li>Bread <a href=#bread>Read more<span class=sr> about bread</span></a></li></ul>\
         <button id=plain>Delete</button><button>Delete<span class=sr> the account</span></button>\
         <button id=add>Add<span class=sr> oat milk</span> to cart</button>\
         <script>onclick=e=>document.title=e.target.id||e.target.hash</script>",
    )
    .await;
    for (words, hit) in [
        ("Read more about oat milk", "#oat"),
        ("more about bread", "#bread"),
        ("Read more in the row with Bread", "#bread"),
        ("role=link[name=\"Read more about oat milk\" exact]", "#oat"),
        ("Delete", "plain"),
        ("role=button[name=\"Delete\"]", "plain"),
        ("Add to cart", "add"),
        ("Add oat milk to cart", "add"),
        ("role=button[name=\"Add to cart\"]", "add"),
    ] {
        click(&rig, words).await.unwrap_or_else(|error| panic!("{words}: {error}"));
        assert_eq!(rig.eval("document.title").await, format!("\"{hit}\""), "{words}");
    }
    let error = click(&rig, "Read more").await.unwrap_err().to_string();
    assert!(error.contains("(row: Oat milk)") && error.contains("(row: Bread)"), "{error}");
    let found = rig.page.find(&Target::parse("about oat milk"), None).await.unwrap().text;
    assert!(found.contains("Oat milk <Read more e1 (aria-only: about oat milk)>"), "{found}");
    rig.end().await;
}
