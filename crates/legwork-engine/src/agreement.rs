//! Checks the walker's roles, names and states against Chrome's own accessibility tree, on pages nobody here
//! wrote. The kinds of exceptions and their reasons are also in `walker/AGREEMENT.md`.

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
    states: States,
}

/// What Chrome says of a node that it does not ignore.
struct Theirs {
    role: String,
    name: String,
    states: States,
}

/// The states that hold, by Chrome's names for them.
type States = BTreeMap<String, String>;

const STATES: &[&str] =
    &["checked", "disabled", "expanded", "invalid", "pressed", "readonly", "required", "selected"];

#[derive(Default)]
struct Tally {
    both: usize,
    same: usize,
    /// States that either of the two says of a node, and those that both say alike.
    states: usize,
    same_states: usize,
    /// How often each kind of difference was met, with an example.
    differences: BTreeMap<String, (usize, String)>,
}

impl Tally {
    fn differ(&mut self, kind: String, example: String) {
        self.differences.entry(kind).or_insert((0, example)).0 += 1;
    }
}

/// Every kind of difference that may be met, and why it is right as it is.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "expanded of select combobox: ours nothing theirs false",
        "a native select is said with its value and options, whether its list is open or not",
    ),
    (
        "required of select combobox: ours true theirs nothing",
        "Chrome leaves it out for a native select; the form is not sent without it all the same",
    ),
    (
        "disabled of fieldset group: ours true theirs nothing",
        "Chrome says it of the controls inside alone; so do snapshots, which list no group",
    ),
    (
        "invalid of input textbox: ours nothing theirs true",
        "said once somebody has been in the field (`:user-invalid`), as the page itself shows it",
    ),
];

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

async fn theirs(page: &Page) -> HashMap<BackendNodeId, Theirs> {
    let session = &page.tab.session;
    let tree = session.send(&accessibility::GetFullAxTree::default());
    let tree = tree.within(Duration::from_secs(60)).await.unwrap();
    let text = |value: Option<accessibility::AxValue>| value.map(|v| plain(&v)).unwrap_or_default();
    let mut nodes = HashMap::new();
    for node in tree.nodes.into_iter().filter(|node| !node.ignored) {
        let Some(id) = node.backend_dom_node_id else { continue };
        let role = text(node.role);
        let spelled = SPELLINGS.iter().find(|(chrome, _)| *chrome == role);
        let role = spelled.map_or(role.clone(), |(_, ours)| (*ours).to_owned());
        let said = node.properties.unwrap_or_default().into_iter();
        let states = said
            .filter(|property| STATES.contains(&property.name.as_str()))
            .map(|property| (property.name, plain(&property.value)))
            .filter(|(name, value)| value != "false" || name == "expanded")
            .collect();
        nodes.entry(id).or_insert(Theirs { role, name: text(node.name), states });
    }
    nodes
}

/// A text, a truth value or a number as text, with its white space collapsed.
fn plain(value: &accessibility::AxValue) -> String {
    let raw = value.value.as_ref().map_or("", |raw| raw.get());
    let text: String = serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned());
    text.split(|c: char| c.is_whitespace() || "\u{200b}\u{feff}".contains(c))
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

async fn compare(page: &Page, label: &str, tally: &mut Tally) {
    let theirs = theirs(page).await;
    for (id, said) in ours(page).await {
        let Some(node) = theirs.get(&id) else { continue };
        compare_states(label, &said, node, tally);
        tally.both += 1;
        if node.role == said.role && node.name == said.name {
            tally.same += 1;
            continue;
        }
        let kind = if node.role == said.role { "name" } else { "role" };
        let example = format!("{label}: ours {:?} theirs {:?}", said.name, node.name);
        let Said { tag, role, .. } = said;
        tally.differ(format!("{kind} of {tag}: ours {role} theirs {}", node.role), example);
    }
}

/// Each state that either of the two says of the node.
fn compare_states(label: &str, said: &Said, node: &Theirs, tally: &mut Tally) {
    for state in STATES {
        let (ours, theirs) = (said.states.get(*state), node.states.get(*state));
        if ours.is_none() && theirs.is_none() {
            continue;
        }
        tally.states += 1;
        if ours == theirs {
            tally.same_states += 1;
            continue;
        }
        let value = |state: Option<&String>| state.map_or("nothing", String::as_str).to_owned();
        let (ours, theirs) = (value(ours), value(theirs));
        let kind = format!("{state} of {} {}: ours {ours} theirs {theirs}", said.tag, said.role);
        tally.differ(kind, format!("{label}: {:?}", said.name));
    }
}

fn verdict(tally: &Tally) {
    for (kind, (count, example)) in &tally.differences {
        println!("{count:5} {kind} ({example})");
    }
    let part = tally.same as f64 / tally.both as f64;
    println!("{} of {} agree: {:.2} %", tally.same, tally.both, part * 100.0);
    println!("{} of {} states agree", tally.same_states, tally.states);
    assert!(part >= 0.99, "only {:.2} % agree", part * 100.0);
    let listed = |kind: &String| EXCEPTIONS.iter().any(|(exception, _)| exception == kind);
    let unlisted: Vec<_> = tally.differences.iter().filter(|(kind, _)| !listed(kind)).collect();
    assert!(unlisted.is_empty(), "not in EXCEPTIONS: {unlisted:#?}");
}

#[tokio::test]
async fn roles_names_and_states_agree_with_chrome_on_miniwob_alone() {
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
    assert!(tally.both > 1000, "only {} nodes were compared", tally.both);
    verdict(&tally);
}

#[tokio::test]
async fn roles_names_and_states_agree_with_chrome_on_documentation_alone() {
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
    assert!(tally.both > 1000, "only {} nodes were compared", tally.both);
    verdict(&tally);
}

/// Every state, from markup and from ARIA, on and off. Pages that nobody here wrote have few of them.
const STATEFUL: &str = "<!doctype html><title>States</title>
    <input type=checkbox checked aria-label=a><input type=checkbox aria-label=b><input type=radio checked aria-label=c>
    <input type=checkbox id=mixed aria-label=d><div role=checkbox aria-checked=mixed tabindex=0>e</div>
    <div role=switch aria-checked=true tabindex=0>f</div><div role=menuitemradio aria-checked=false tabindex=0>g</div>
    <button aria-expanded=true>h</button><button aria-expanded=false>i</button><details open><summary>j</summary>x</details>
    <details><summary>k</summary>x</details><div role=combobox aria-expanded=false tabindex=0>l</div>
    <button aria-pressed=true>m</button><button aria-pressed=false>n</button><button aria-pressed=mixed>o</button>
    <div role=tablist><div role=tab aria-selected=true tabindex=0>p</div><div role=tab aria-selected=false tabindex=0>q</div></div>
    <select multiple aria-label=r><option selected>s</option><option>t</option><option disabled>u</option></select>
    <button disabled>v</button><fieldset disabled><input aria-label=w></fieldset><a href=# aria-disabled=true>x</a>
    <div role=toolbar aria-disabled=true><button>y</button></div><select disabled aria-label=z><option>1</option></select>
    <input required value=1 aria-label=A><input aria-required=true aria-label=B><select required aria-label=C><option>1</option></select>
    <input readonly aria-label=D><textarea readonly aria-label=E></textarea><div role=textbox aria-readonly=true tabindex=0>F</div>
    <input aria-invalid=true aria-label=G><input aria-invalid=false aria-label=H><input aria-invalid=spelling aria-label=I>
    <input required aria-label=J><input type=email value=x aria-label=K><form><input required aria-label=L></form>
    <div role=listbox aria-label=M><div role=option aria-selected=true>N</div><div role=option>O</div></div>
    <script>mixed.indeterminate=true</script>";

#[tokio::test]
async fn states_agree_with_chrome_on_a_page_that_has_them_all() {
    let (engine, page) = page().await;
    page.navigate(
        &format!("data:text/html,{}", STATEFUL.replace('#', "%23")),
        Duration::from_secs(30),
    )
    .await
    .unwrap();
    let mut tally = Tally::default();
    compare(&page, "all states", &mut tally).await;
    engine.close().await;
    assert!(tally.states > 30, "{} states", tally.states);
    verdict(&tally);
    for (kind, _) in EXCEPTIONS {
        assert!(tally.differences.contains_key(*kind), "no exception any more: {kind}");
    }
}
