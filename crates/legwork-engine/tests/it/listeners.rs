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
