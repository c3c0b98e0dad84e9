use crate::support::Rig;

#[tokio::test]
async fn elements_that_only_listen_for_clicks_are_listed() {
    let rig = Rig::show(
        "<p>Rate it</p><span>plus</span>
         <script>document.addEventListener('click', () => {});
         document.querySelector('span').addEventListener('click', () => {})</script>",
    )
    .await;
    let text = rig.text().await;
    assert!(text.contains("[clickable plus e"), "{text}");
    assert!(!text.contains("clickable Rate"), "{text}");
    rig.end().await;
}

#[tokio::test]
async fn listeners_in_a_frame_are_seen_too() {
    let rig = Rig::show(
        "<iframe srcdoc=\"<span>minus</span><script>document.querySelector('span').addEventListener('click', () => {})</script>\"></iframe>",
    )
    .await;
    let text = rig.text().await;
    assert!(text.contains("[clickable minus e"), "{text}");
    rig.end().await;
}

#[tokio::test]
async fn a_calendar_whose_cells_listen_keeps_its_first_and_last_week() {
    let rig = Rig::show(
        "<table><tr><th>Su<th>Mo<th>Tu</tr>
         <tr><td>&nbsp;<td class=d><a href='#'>1</a><td class=d><a href='#'>2</a></tr>
         <tr><td class=d><a href='#'>3</a><td class=d><a href='#'>4</a><td>&nbsp;</tr></table>
         <script>for (const d of document.querySelectorAll('.d')) d.addEventListener('click', () => {})</script>",
    )
    .await;
    let text = rig.text().await;
    for day in ["<1 e", "<2 e", "<3 e", "<4 e"] {
        assert!(text.contains(day), "{text}");
    }
    rig.end().await;
}

#[tokio::test]
async fn a_list_that_listens_for_its_buttons_leaves_each_row_on_its_line() {
    let rig = Rig::show(
        "<ul id=l><li>Milk <button>Add</button></li><li>Bread <button>Add</button></li></ul><script>l.onclick=()=>{}</script>",
    )
    .await;
    assert_eq!(rig.text().await, "- Milk [Add e1]\n- Bread [Add e2]");
    rig.end().await;
}

#[tokio::test]
async fn a_listener_that_came_without_any_change_of_the_document_is_seen() {
    let rig = Rig::show("<p>Rate it</p><span>plus</span>").await;
    assert!(!rig.text().await.contains("clickable"));
    rig.eval("document.querySelector('span').addEventListener('click', () => {})").await;
    let text = rig.text().await;
    assert!(text.contains("[clickable plus e"), "{text}");
    rig.end().await;
}

#[tokio::test]
async fn what_listens_in_a_shadow_root_is_a_control() {
    let rig = Rig::show(
        "<x-card></x-card><script>customElements.define('x-card',class extends HTMLElement{constructor(){super();
         const r=this.attachShadow({mode:'open'});r.innerHTML='<div>Press here</div><div>Plain</div>';
         r.firstChild.addEventListener('click',e=>e.target.textContent='pressed')}})</script>",
    )
    .await;
    let text = rig.text().await;
    assert!(text.contains("[clickable Press here e") && text.contains("Plain"), "{text}");
    rig.end().await;
}

#[tokio::test]
async fn every_one_of_very_many_listening_elements_is_listed() {
    let rig = Rig::show(
        "<main></main><script>for(let n=1;n<=1200;n++){const d=document.createElement('div');d.textContent='Tile '+n;
         d.addEventListener('click',()=>{});document.querySelector('main').append(d)}</script>",
    )
    .await;
    let text = rig.text().await;
    for n in [1, 500, 501, 1000, 1001, 1200] {
        assert!(text.contains(&format!("[clickable Tile {n} e")), "{n} in\n{}", &text[..500]);
    }
    rig.end().await;
}
