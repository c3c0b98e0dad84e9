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

#[tokio::test]
async fn an_empty_field_says_what_it_waits_for() {
    let text = controls(
        "<p><input type=date aria-label=Day></p><p><input type=time aria-label=At></p>\
         <p><input type=date aria-label=Due value=2026-11-30></p><p><input type=month aria-label=Month min=2026-01></p>\
         <p><input aria-label=Born placeholder=MM/DD/YYYY></p><p><input placeholder=Search></p>\
         <p><input aria-label=City placeholder=Paris value=Rome></p>",
    )
    .await;
    assert_eq!(
        text,
        "[date Day e1 (yyyy-mm-dd)]\n[time input At e2 (hh:mm)]\n[date Due e3 = \"2026-11-30\"]\n\
         [date Month e4 (2026-01 to )]\n[textbox Born e5 (MM/DD/YYYY)]\n[textbox Search e6]\n\
         [textbox City e7 = \"Rome\"]"
    );
}
