//! Downloads that must not be kept, and what is left of them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use legwork_engine::{
    Click, Condition, Config, Download, Keeping, Progress, SessionOptions, Target,
};

use crate::support::{Reply, Rig, Site};

const LONG: Duration = Duration::from_secs(15);

async fn site() -> Site {
    let file = |name: &str, body: &str| Reply::Full {
        status: "200 OK",
        headers: vec![
            ("Content-Type", "application/octet-stream".into()),
            ("Content-Disposition", format!("attachment; filename=\"{name}\"")),
        ],
        body: body.as_bytes().to_vec(),
    };
    Site::start(move |request| match request.path.as_str() {
        "/big" => Reply::Endless(1 << 30),
        "/small" => file("small.pdf", "fine"),
        "/script" => file("run.sh", "rm"),
        "/evil" => file("../../../evil.pdf", "up"),
        "/hidden" => file(".bashrc", "up"),
        _ => Reply::Html(
            "<a href=/big>Big</a> <a href=/small>Small</a> <a href=/script>Script</a> <a href=/evil>Evil</a> <a href=/hidden>Hidden</a>".into(),
        ),
    })
    .await
}

async fn rig(keeping: Keeping, parent: &Path) -> Rig {
    let config = Config { downloads: Some(parent.to_owned()), ..Default::default() };
    Rig::with(config, SessionOptions { keeping, ..Default::default() }).await
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

async fn downloaded(rig: &Rig, link: &str) -> Download {
    rig.page.click(&Target::parse(link), &Click::default()).await.unwrap();
    let ending = format!("/{}", link.to_lowercase());
    let find = || {
        let all = rig.page.downloads().unwrap();
        all.into_iter().find(|one| one.url.ends_with(&ending)).unwrap()
    };
    // One that ended while the click was looked at was told with it.
    if find().progress == Progress::Running {
        rig.page.wait(&Condition::Download, LONG).await.unwrap();
    }
    find()
}

#[tokio::test]
async fn a_download_over_the_limit_is_stopped_and_nothing_of_it_is_left() {
    let (site, parent) = (site().await, tempfile::tempdir().unwrap());
    let keeping = Keeping { max_size: Some(1_000_000), types: None };
    let rig = rig(keeping, parent.path()).await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    let big = downloaded(&rig, "Big").await;
    assert_eq!(big.progress, Progress::Canceled, "{big:?}");
    assert!(big.to_string().contains("larger than 1000000 bytes"), "{big}");
    assert!(big.received < 1 << 29, "{big:?}");
    assert_eq!(files(parent.path()), Vec::<PathBuf>::new());
    let small = downloaded(&rig, "Small").await;
    assert_eq!(std::fs::read_to_string(&small.path).unwrap(), "fine");
    assert_eq!(files(parent.path()), [small.path]);
    rig.end().await;
}

#[tokio::test]
async fn a_download_of_another_type_is_stopped() {
    let (site, parent) = (site().await, tempfile::tempdir().unwrap());
    let keeping = Keeping { max_size: None, types: Some(vec!["pdf".into()]) };
    let rig = rig(keeping, parent.path()).await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    let script = downloaded(&rig, "Script").await;
    assert_eq!(script.progress, Progress::Canceled, "{script:?}");
    assert!(script.to_string().contains("only files of type pdf"), "{script}");
    assert_eq!(files(parent.path()), Vec::<PathBuf>::new());
    let hidden = downloaded(&rig, "Hidden").await;
    assert_eq!(hidden.progress, Progress::Canceled, "{hidden:?}");
    let evil = downloaded(&rig, "Evil").await;
    assert_eq!(evil.progress, Progress::Done, "{evil:?}");
    assert!(evil.path.starts_with(parent.path()), "{evil:?}");
    assert_eq!(files(parent.path()), [evil.path]);
    rig.end().await;
}

#[tokio::test]
async fn what_is_not_complete_has_no_name_of_its_own_and_goes_with_its_session() {
    let (site, parent) = (site().await, tempfile::tempdir().unwrap());
    let rig = rig(Keeping::default(), parent.path()).await;
    rig.page.navigate(&site.url("/"), LONG).await.unwrap();
    rig.page.click(&Target::parse("Big"), &Click::default()).await.unwrap();
    let all = rig.page.downloads().unwrap();
    assert_eq!(all[0].progress, Progress::Running, "{all:?}");
    assert!(!all[0].path.exists(), "{all:?}");
    rig.end().await;
    assert_eq!(files(parent.path()), Vec::<PathBuf>::new());
}
