//! The list of controls: everything one can act on, each thing once, in few words.

use legwork_engine::SnapshotOptions;

use crate::support::Rig;

async fn controls(body: &str) -> String {
    let rig = Rig::show(body).await;
    let options = SnapshotOptions { interactive: true, ..Default::default() };
    let text = rig.page.snapshot(&options).await.unwrap().text;
    rig.end().await;
    text
}

#[tokio::test]
async fn a_link_that_repeats_another_is_listed_once() {
    let text = controls(
        "<p><a href=/a>Name</a> <a href=/b>Other</a></p><p><a href=/a>Name</a></p><p><a href=/c>Name</a></p>\
         <p><a href='#' onclick=void(0)>More</a></p><p><a href='#' onclick=void(0)>More</a></p>",
    )
    .await;
    assert_eq!(
        text,
        "<Name e1> <Other e2>\n<Name e4>\n<More e5>\n<More e6>\n(not listed: 1 repeated link)"
    );
}

#[tokio::test]
async fn links_that_a_script_listens_to_are_listed_each() {
    let text = controls(
        "<p><a href=/a>Add</a></p><p><a href=/a>Add</a></p><script>for (const a of document.links) a.addEventListener('click', () => {})</script>",
    )
    .await;
    assert_eq!(text, "<Add e1>\n<Add e2>");
}

#[tokio::test]
async fn headings_stand_where_they_tell_controls_apart() {
    let text = controls(
        "<h2 id=one>One <a href='#one'>#</a></h2><p><a href=/a>First</a></p>\
         <h2 id=two>Two <a href='#two'>#</a></h2><details><summary>History</summary>x</details>\
         <h2>Three <button>Edit</button></h2><pre>\n\n\ncode</pre>\
         <h2>Four</h2><p>Words</p>\
         <h2>Five</h2><p><a href=/b>B</a> <a href=/c>C</a> <a href=/d>D</a></p>",
    )
    .await;
    assert_eq!(
        text,
        "<First e2>\n## Two\n[details History e4]\n## Three [Edit e5]\n## Five\n<B e6> <C e7> <D e8>\n(not listed: 2 headings' own)"
    );
}
