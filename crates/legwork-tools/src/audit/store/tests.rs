use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Command, Stdio};

use super::*;
use crate::audit::{Broken, Filter, INTERRUPTED, Records};
use crate::policy::{Decision, Facts, Kind, Verdict};

struct Rig {
    folder: tempfile::TempDir,
}

impl Rig {
    fn new() -> Rig {
        Rig { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("audit")
    }

    fn store(&self) -> Store {
        Store::in_folder(self.path())
    }

    fn records(&self) -> Records {
        Records::open(&self.path()).unwrap().unwrap()
    }

    /// Changes the database behind everybody's back.
    fn tamper(&self, sql: &str) {
        let connection = Connection::open(self.path().join("audit.db")).unwrap();
        connection.execute_batch(sql).unwrap();
    }

    fn verified(&self, known: Option<Hash>) -> Result<super::super::Whole, Broken> {
        self.records().verify(known).unwrap()
    }
}

fn entry(tool: &str) -> Entry {
    Entry { session: "default".into(), door: "test".into(), client: None, tool: tool.into() }
}

fn facts() -> Facts {
    Facts {
        session: "default".into(),
        tool: "browser_click",
        kind: Kind::Click,
        page: "http://shop.test/cart".parse().ok(),
        frame: None,
        to: None,
        element: None,
        files: Vec::new(),
        secrets: vec!["card".into()],
        dialog: None,
        profile: None,
        unsaved: false,
        resends: false,
        at: None,
        meanings: vec![crate::policy::Meaning::Pay],
    }
}

/// A call from its opening to its end.
fn record(store: &Store, tool: &str) -> u64 {
    let id = store.opened(&entry(tool)).unwrap();
    let (rule, because) = ("preset open".into(), "nothing speaks against it".into());
    let decision = Decision { verdict: Verdict::Allow, rule, because };
    let facts = facts();
    let judged =
        Judged { facts: &facts, decision: &decision, answer: None, arguments: "{\"a\":1}" };
    store.judged(id, &judged).unwrap();
    store.closed(id, Ending::Answered, "clicked <b>Pay</b>", Duration::from_millis(12));
    id
}

#[test]
fn a_call_is_read_back_as_it_was_recorded() {
    let rig = Rig::new();
    let store = rig.store();
    let id = record(&store, "browser_click");
    let failed = store.opened(&entry("browser_fly")).unwrap();
    store.closed(failed, Ending::Failed(Code::UnknownTool), "no such tool", Duration::ZERO);
    let running = store.opened(&entry("browser_wait")).unwrap();
    let records = rig.records();
    let call = records.call(id).unwrap().unwrap();
    assert_eq!((call.opened.door.as_str(), call.ending()), ("test", "answered"));
    assert_eq!(call.opened.writer.process, std::process::id());
    let judged = &call.judged[0];
    assert_eq!(judged.page.as_deref(), Some("http://shop.test/cart"));
    assert_eq!((&*judged.rule, &*judged.arguments), ("preset open", "{\"a\":1}"));
    assert_eq!(
        (judged.secrets.join(","), judged.meanings.join(",")),
        ("card".into(), "pay".into())
    );
    let closed = call.closed.unwrap();
    assert_eq!((closed.told.as_str(), closed.took_us), ("clicked <b>Pay</b>", Some(12_000)));
    assert!(records.call(id + 1).unwrap().is_none(), "that is a row, not a call");
    let tools = |filter: Filter| {
        let calls = records.calls(&filter).unwrap();
        calls.into_iter().map(|call| call.opened.tool).collect::<Vec<_>>().join(" ")
    };
    let word = |word: &str| Some(word.to_owned());
    assert_eq!(tools(Filter::default()), "browser_click browser_fly browser_wait");
    assert_eq!(tools(Filter { limit: Some(1), ..Default::default() }), "browser_wait");
    assert_eq!(tools(Filter { tool: word("click"), ..Default::default() }), "browser_click");
    assert_eq!(tools(Filter { ending: word("failed"), ..Default::default() }), "browser_fly");
    assert_eq!(tools(Filter { ending: word("unknown_tool"), ..Default::default() }), "browser_fly");
    assert_eq!(tools(Filter { ending: word("running"), ..Default::default() }), "browser_wait");
    assert_eq!(tools(Filter { session: word("other"), ..Default::default() }), "");
    assert_eq!(tools(Filter { since: word("2999"), ..Default::default() }), "");
    store.closed(running, Ending::Stopped, "", Duration::ZERO);
    assert_eq!(tools(Filter { ending: word("stopped"), ..Default::default() }), "browser_wait");
}

#[test]
fn only_the_user_can_look_into_it() {
    let rig = Rig::new();
    record(&rig.store(), "browser_click");
    let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
    assert_eq!(mode(&rig.path()), 0o700);
    for file in std::fs::read_dir(rig.path()).unwrap() {
        let path = file.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn what_cannot_be_recorded_is_refused() {
    let open = Rig::new();
    std::fs::create_dir(open.path()).unwrap();
    std::fs::set_permissions(open.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let error = open.store().opened(&entry("browser_click")).unwrap_err();
    assert!(error.message.contains("chmod 700"), "{}", error.message);
    let link = Rig::new();
    std::fs::create_dir(link.folder.path().join("real")).unwrap();
    std::fs::set_permissions(link.folder.path().join("real"), PermissionsExt::from_mode(0o700))
        .unwrap();
    std::os::unix::fs::symlink("real", link.path()).unwrap();
    let error = link.store().opened(&entry("browser_click")).unwrap_err();
    assert!(error.message.contains("is a link"), "{}", error.message);
    let above = Rig::new();
    std::fs::set_permissions(above.folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let error = above.store().opened(&entry("browser_click")).unwrap_err();
    assert!(error.message.contains("everybody can write"), "{}", error.message);
    let file = Rig::new();
    std::fs::write(file.path(), "in the way").unwrap();
    assert_eq!(file.store().opened(&entry("browser_click")).unwrap_err().code, Code::FileError);
    let garbage = Rig::new();
    std::fs::DirBuilder::new().create(garbage.path()).unwrap();
    std::fs::set_permissions(garbage.path(), PermissionsExt::from_mode(0o700)).unwrap();
    std::fs::write(
        garbage.path().join("audit.db"),
        "not a database, but long enough to be one".repeat(99),
    )
    .unwrap();
    assert!(garbage.store().opened(&entry("browser_click")).is_err());
    let later = Rig::new();
    let store = later.store();
    let id = store.opened(&entry("browser_click")).unwrap();
    later.tamper("ALTER TABLE event RENAME TO gone");
    let decision = Decision { verdict: Verdict::Allow, rule: "".into(), because: "".into() };
    let facts = facts();
    let judged = Judged { facts: &facts, decision: &decision, answer: None, arguments: "{}" };
    assert!(store.judged(id, &judged).is_err());
}

#[test]
fn writers_side_by_side_make_one_chain() {
    let rig = Rig::new();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let store = rig.store();
                for _ in 0..20 {
                    record(&store, "browser_click");
                }
            });
        }
    });
    let whole = rig.verified(None).unwrap();
    assert_eq!(whole.head.sequence, 8 * 20 * 3);
    let calls = rig.records().calls(&Filter::default()).unwrap();
    assert!(calls.iter().all(|call| call.ending() == "answered" && call.judged.len() == 1));
    let ids: BTreeSet<u64> = calls.iter().map(|call| call.id).collect();
    assert_eq!(ids.len(), 160);
}

#[test]
fn whatever_is_done_to_the_database_is_found() {
    let copy = "INSERT INTO event SELECT 10, time, call, kind, body, previous, hash FROM event WHERE sequence = 5";
    for (sql, row) in [
        ("UPDATE event SET time = '2020-01-01T00:00:00.000Z' WHERE sequence = 4", 4),
        ("UPDATE event SET call = 1 WHERE sequence = 4", 4),
        ("UPDATE event SET call = -call WHERE sequence = 4", 4),
        ("UPDATE event SET kind = 'note' WHERE sequence = 4", 4),
        ("UPDATE event SET body = replace(body, 'click', 'hover') WHERE sequence = 5", 5),
        ("UPDATE event SET previous = zeroblob(32) WHERE sequence = 4", 4),
        ("UPDATE event SET previous = x'00' WHERE sequence = 1", 1),
        ("UPDATE event SET hash = zeroblob(32) WHERE sequence = 9", 9),
        ("UPDATE event SET sequence = -sequence WHERE sequence = 1", 1),
        ("UPDATE event SET sequence = 77 WHERE sequence = 4", 4),
        ("DELETE FROM event WHERE sequence = 1", 1),
        ("DELETE FROM event WHERE sequence = 5", 5),
        ("DELETE FROM event WHERE sequence > 6", 7),
        ("DELETE FROM event", 1),
        (copy, 10),
        (
            "UPDATE event SET sequence = 99 WHERE sequence = 4; UPDATE event SET sequence = 4 WHERE \
          sequence = 5; UPDATE event SET sequence = 5 WHERE sequence = 99",
            4,
        ),
    ] {
        let rig = Rig::new();
        let store = rig.store();
        for _ in 0..3 {
            record(&store, "browser_click");
        }
        assert_eq!(rig.verified(None).unwrap().head.sequence, 9);
        rig.tamper(sql);
        assert_eq!(rig.verified(None).unwrap_err().row(), row, "{sql}");
    }
}

#[test]
fn a_tail_that_was_cut_off_is_missed_where_the_head_is_known() {
    let rig = Rig::new();
    record(&rig.store(), "browser_click");
    let noted = rig.records().head().unwrap();
    record(&rig.store(), "browser_click");
    assert!(rig.verified(Some(noted.hash)).unwrap().beside);
    rig.tamper("DELETE FROM event WHERE sequence > 2");
    std::fs::remove_file(rig.path().join("head")).unwrap();
    let whole = rig.verified(None).unwrap();
    assert!(!whole.beside, "nothing is left to compare with");
    let broken = rig.verified(Some(noted.hash)).unwrap_err();
    assert!(matches!(broken, Broken::Truncated { last: 2, .. }), "{broken}");
}

#[test]
fn a_database_that_is_taken_away_is_noticed() {
    let rig = Rig::new();
    let store = rig.store();
    record(&store, "browser_click");
    for name in ["audit.db", "audit.db-wal", "audit.db-shm"] {
        let _ = std::fs::remove_file(rig.path().join(name));
    }
    record(&store, "browser_hover");
    let calls = rig.records().calls(&Filter::default()).unwrap();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].opened.tool, "browser_hover");
}

const FOLDER: &str = "LEGWORK_TEST_AUDIT";

#[test]
#[ignore = "is the process that another test kills"]
fn writes_until_it_is_killed() {
    let store = Store::in_folder(std::env::var(FOLDER).unwrap());
    let open = store.opened(&entry("browser_wait")).unwrap();
    loop {
        let id = record(&store, "browser_click");
        std::io::Write::write_all(&mut std::io::stdout(), format!("\n{open} {id}\n").as_bytes())
            .unwrap();
    }
}

#[test]
fn what_a_killed_process_left_open_is_closed_as_interrupted() {
    let rig = Rig::new();
    let name = "audit::store::tests::writes_until_it_is_killed";
    let mut writer = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture"])
        .env(FOLDER, rig.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(writer.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut numbers = lines.filter_map(|line| {
        let (open, last) = line.split_once(' ')?;
        Some((open.parse::<u64>().ok()?, last.parse::<u64>().ok()?))
    });
    let (open, last) = numbers.nth(20).unwrap();
    // Its process lives, so another that starts leaves its call alone.
    record(&rig.store(), "browser_hover");
    assert_eq!(rig.records().call(open).unwrap().unwrap().ending(), "running");
    writer.kill().unwrap();
    writer.wait().unwrap();
    record(&rig.store(), "browser_hover");
    let records = rig.records();
    assert_eq!(records.call(open).unwrap().unwrap().ending(), INTERRUPTED);
    assert_eq!(
        records.call(last).unwrap().unwrap().ending(),
        "answered",
        "it was told, so it is there"
    );
    let calls = records.calls(&Filter::default()).unwrap();
    assert!(calls.iter().all(|call| call.ending() != "running"));
    rig.verified(None).unwrap();
}

#[test]
fn pictures_are_kept_by_their_hash_where_that_was_asked_for() {
    let rig = Rig::new();
    let plain = rig.store();
    let id = record(&plain, "browser_take_screenshot");
    plain.pictured(id, "image/png", b"picture");
    assert!(rig.records().call(id).unwrap().unwrap().pictures.is_empty());
    let store = rig.store().with_pictures(true);
    let id = record(&store, "browser_take_screenshot");
    store.pictured(id, "image/png", b"picture");
    let records = rig.records();
    let picture = records.call(id).unwrap().unwrap().pictures.remove(0);
    assert_eq!(picture.sha256, Hash::of(b"picture").to_string());
    assert_eq!(records.picture(&picture).as_deref(), Some(&b"picture"[..]));
    let page = super::super::html(&records, &Filter::default()).unwrap();
    assert!(page.contains("data:image/png;base64,cGljdHVyZQ=="));
    assert!(page.contains("&lt;b&gt;Pay") && !page.contains("<b>Pay"), "what pages say is text");
    assert!(page.contains("is whole"));
    let file = rig.path().join("pictures").join(format!("{}.png", picture.sha256));
    std::fs::write(file, b"another").unwrap();
    assert_eq!(records.picture(&picture), None);
}

#[test]
#[ignore = "measures; run by hand with --nocapture"]
#[allow(clippy::print_stdout, reason = "its output is what it is for")]
fn what_a_recorded_call_costs() {
    let folder = std::env::var(FOLDER).map_or_else(|_| Rig::new().path(), PathBuf::from);
    let store = Store::in_folder(folder);
    record(&store, "browser_click");
    let decision = Decision { verdict: Verdict::Allow, rule: "r".into(), because: "b".into() };
    let facts = facts();
    let judged = Judged { facts: &facts, decision: &decision, answer: None, arguments: "{}" };
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..300 {
        let mut began = std::time::Instant::now();
        let mut lap = |at: usize| {
            times[at].push(began.elapsed());
            began = std::time::Instant::now();
        };
        let id = store.opened(&entry("browser_click")).unwrap();
        lap(0);
        store.judged(id, &judged).unwrap();
        lap(1);
        store.closed(id, Ending::Answered, &"x".repeat(2000), Duration::ZERO);
        lap(2);
    }
    for (name, mut times) in ["opened", "judged", "closed"].into_iter().zip(times) {
        times.sort();
        println!("{name}: median {:?}, 95th of 100 {:?}", times[150], times[285]);
    }
}
