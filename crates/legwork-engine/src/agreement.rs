//! Checks the walker's roles and names against Chrome's own accessibility tree, on pages nobody here
//! wrote. The kinds of exceptions and their reasons are in `walker/AGREEMENT.md`.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

use legwork_cdp::{BackendNodeId, accessibility, dom, runtime};
use serde::Deserialize;
use tokio::time::Instant;

use crate::{Config, Engine, Evaluate, Page, SessionOptions};

#[derive(Deserialize)]
struct Said {
    role: String,
    name: String,
    tag: String,
}

#[derive(Default)]
struct Tally {
    both: usize,
    same: usize,
    differences: BTreeMap<String, (usize, String)>,
}

/// Chrome's internal spellings of what ARIA and HTML-AAM call otherwise.
const SPELLINGS: &[(&str, &str)] = &[
    ("image", "img"),
    ("LabelText", "label"),
    ("Legend", "legend"),
    ("Iframe", "iframe"),
    ("Canvas", "canvas"),
    ("Video", "video"),
    ("Audio", "audio"),
    ("Pre", "pre"),
    ("Abbr", "abbr"),
    ("Figcaption", "figcaption"),
    ("DisclosureTriangle", "disclosure"),
    ("Details", "group"),
    ("Date", "date"),
    ("DateTime", "date"),
    ("InputTime", "time input"),
    ("ColorWell", "color"),
    ("LayoutTable", "layout table"),
    ("LayoutTableRow", "layout row"),
    ("LayoutTableCell", "layout cell"),
    ("SvgRoot", "img"),
    ("Ruby", "ruby"),
    ("RubyAnnotation", "rt"),
    ("EmbeddedObject", "embed"),
    ("PluginObject", "object"),
    ("HeaderAsNonLandmark", "sectionheader"),
    ("FooterAsNonLandmark", "sectionfooter"),
    ("DescriptionList", "list"),
    ("DescriptionListTerm", "term"),
    ("DescriptionListDetail", "definition"),
];

fn cache(part: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache").join(part);
    assert!(folder.exists(), "{part} is missing: run `scripts/setup --tests` first");
    folder.canonicalize().unwrap()
}

async fn page() -> (Engine, Page) {
    let engine = Engine::new(Config::default());
    let session = engine.session(SessionOptions::default());
    let page = session.page().await.unwrap();
    (engine, page)
}

/// What the walker says of every element it lists, by the browser's number for the element.
async fn ours(page: &Page) -> Vec<(BackendNodeId, Said)> {
    let deadline = Instant::now() + Duration::from_secs(30);
    let world = page.main_world(deadline).await.unwrap();
    let evaluate = |expression: &str, by_value| runtime::Evaluate {
        expression: expression.to_owned(),
        unique_context_id: Some(world.id.unique.clone()),
        return_by_value: Some(by_value),
        ..Default::default()
    };
    let json = world.session.send(&evaluate("(globalThis.dumped = legwork.dump()).json", true));
    let json = json.await.unwrap().result.value.unwrap();
    let said: Vec<Said> =
        serde_json::from_str(&serde_json::from_str::<String>(json.get()).unwrap()).unwrap();
    let list = world.session.send(&evaluate("dumped.elements", false)).await.unwrap();
    let items = page.items(&world, list.result.object_id).await.unwrap();
    let asked: Vec<_> = items
        .into_iter()
        .map(|id| {
            let describe = dom::DescribeNode { object_id: Some(id), ..Default::default() };
            world.session.send(&describe).within(Duration::from_secs(60))
        })
        .collect();
    let mut numbered = Vec::new();
    for (node, said) in asked.into_iter().zip(said) {
        numbered.push((node.await.unwrap().node.backend_node_id, said));
    }
    numbered
}

async fn theirs(page: &Page) -> HashMap<BackendNodeId, (String, String)> {
    let session = &page.tab.session;
    let tree = session.send(&accessibility::GetFullAxTree::default());
    let tree = tree.within(Duration::from_secs(60)).await.unwrap();
    let text = |value: Option<accessibility::AxValue>| {
        let raw = value.and_then(|value| value.value);
        let text: String =
            raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        text.split(|c: char| c.is_whitespace() || "\u{200b}\u{feff}".contains(c))
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut nodes = HashMap::new();
    for node in tree.nodes.into_iter().filter(|node| !node.ignored) {
        let Some(id) = node.backend_dom_node_id else { continue };
        let role = text(node.role);
        let spelled = SPELLINGS.iter().find(|(chrome, _)| *chrome == role);
        let role = spelled.map_or(role.clone(), |(_, ours)| (*ours).to_owned());
        nodes.entry(id).or_insert((role, text(node.name)));
    }
    nodes
}

async fn compare(page: &Page, label: &str, tally: &mut Tally) {
    let theirs = theirs(page).await;
    for (id, said) in ours(page).await {
        let Some((role, name)) = theirs.get(&id) else { continue };
        if role == "generic" || role == "none" {
            continue;
        }
        tally.both += 1;
        if *role == said.role && *name == said.name {
            tally.same += 1;
            continue;
        }
        let kind = if *role == said.role { "name" } else { "role" };
        let key = format!("{kind} of {}: ours {} theirs {role}", said.tag, said.role);
        let example = format!("{label}: ours {:?} theirs {name:?}", said.name);
        let entry = tally.differences.entry(key).or_insert((0, example));
        entry.0 += 1;
    }
}

fn verdict(tally: &Tally) {
    for (kind, (count, example)) in &tally.differences {
        println!("{count:5} {kind} ({example})");
    }
    let part = tally.same as f64 / tally.both as f64;
    println!("{} of {} agree: {:.2} %", tally.same, tally.both, part * 100.0);
    assert!(tally.both > 1000, "only {} nodes were compared", tally.both);
    assert!(part >= 0.99, "only {:.2} % agree", part * 100.0);
}

#[tokio::test]
async fn roles_and_names_agree_with_chrome_on_miniwob_alone() {
    let folder = cache("miniwob").join("miniwob/html/miniwob");
    let mut tasks: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    tasks.retain(|path| path.extension().is_some_and(|extension| extension == "html"));
    tasks.sort();
    assert!(tasks.len() >= 100, "{} tasks", tasks.len());
    let (engine, page) = page().await;
    let mut tally = Tally::default();
    for task in tasks {
        let url = format!("file://{}", task.display());
        page.navigate(&url, Duration::from_secs(30)).await.unwrap();
        let start = "Math.seedrandom('42');core.EPISODE_MAX_TIME=1e6;core.startEpisodeReal();0";
        page.evaluate(start, Evaluate::default()).await.unwrap();
        compare(&page, task.file_name().unwrap().to_str().unwrap(), &mut tally).await;
    }
    engine.close().await;
    verdict(&tally);
}

#[tokio::test]
async fn roles_and_names_agree_with_chrome_on_documentation_alone() {
    let docs = cache("docs");
    let pages = [
        "usr/share/doc/sqlite3/index.html",
        "usr/share/doc/sqlite3/lang_select.html",
        "usr/share/doc/sqlite3/datatype3.html",
        "usr/share/doc/sqlite3/faq.html",
        "usr/share/doc/sqlite3/docs.html",
        "usr/share/doc/sqlite3/requirements.html",
        "usr/share/doc/nodejs/api/index.html",
        "usr/share/doc/nodejs/api/fs.html",
        "usr/share/doc/nodejs/api/http.html",
        "usr/share/doc/nodejs/api/url.html",
        "usr/share/doc/nodejs/api/process.html",
    ];
    let (engine, page) = page().await;
    let mut tally = Tally::default();
    for name in pages {
        let url = format!("file://{}", docs.join(name).display());
        page.navigate(&url, Duration::from_secs(30)).await.unwrap();
        compare(&page, name, &mut tally).await;
    }
    engine.close().await;
    verdict(&tally);
}
