//! SKILL.md is true: every command in it is run as a shell runs it, on real pages, and does what it says.

use std::collections::BTreeSet;
use std::process::Command;

use crate::support::{Ended, Site, User};

const SKILL: &str = include_str!("../../../../SKILL.md");

const LOGIN: &str = "<!doctype html><title>Login</title><form action=/dashboard>
    <label>Email <input name=email type=email></label>
    <label>Password <input name=password type=password></label>
    <label><input name=remember type=checkbox> Remember me</label>
    <label>Born <input name=born type=date></label><button>Log in</button></form>";

const DASHBOARD: &str = "<!doctype html><title>Dashboard</title><h1 class=dashboard-header>Welcome</h1>
    <script>function mark(it) { document.title = 'did ' + it }</script>
    <table><tr><td>Oat milk<td><button onclick=\"mark('oat')\">Remove</button>
    <tr><td>Rice<td><button onclick=\"mark('rice')\">Remove</button></table>
    <section><h2>Address</h2><button onclick=\"mark('edit')\">Edit</button></section>
    <button id=go onclick=\"mark('go')\" oncontextmenu=\"mark('menu')\" ondblclick=\"mark('twice')\">Go</button>
    <button onclick=\"mark('save')\" onmouseover=\"mark('over')\">Save</button>
    <button onclick=\"setTimeout(() => mark('said ' + prompt('Name?')))\">Ask</button>
    <form onsubmit=\"mark('sent ' + q.value); return false\"><label>Search <input id=q></label></form>
    <label>Size <select id=size><option>Small<option>Large</select></label>
    <label>File <input id=file type=file onchange=\"mark(this.files[0].name)\"></label>
    <div id=from draggable=true>Card</div>
    <div id=to ondragover=\"event.preventDefault()\" ondrop=\"mark('dropped')\">Basket</div>
    <p>Saved</p><div style='height: 3000px'></div><p id=end>The end</p>";

const PAGES: &[(&str, &str)] = &[("/", LOGIN), ("/dashboard", DASHBOARD), ("/api/list", "[]")];

/// What is in the table and in the text, how it is tried, and what the shell is then told.
const TRIED: &[(&str, &str, &str)] = &[
    (
        "type TARGET TEXT [--clear] [--submit]",
        "legwork type '#q' milk --clear --submit && legwork eval document.title",
        "did sent milk",
    ),
    ("press Enter", "legwork type Search rice --clear; legwork press Enter; legwork eval document.title", "did sent rice"),
    (
        "press Control+A --in TARGET",
        "legwork press Control+A --in Search && legwork eval \"'chosen ' + q.selectionEnd\"",
        "chosen 4",
    ),
    ("select TARGET OPTION...", "legwork select Size Large && legwork eval size.value", "Large"),
    (
        "click TARGET [--double] [--button right] [--press-for 1s]",
        "legwork click Go --double; legwork eval document.title; legwork click Go --button right
         legwork eval document.title",
        "did menu",
    ),
    (
        "click TARGET [--double] [--button right] [--press-for 1s]",
        "legwork click Go --press-for 50ms",
        "long-pressed",
    ),
    ("hover TARGET", "legwork hover Save && legwork eval document.title", "did over"),
    ("drag FROM TO", "legwork drag '#from' '#to' && legwork eval document.title", "did dropped"),
    ("scroll TARGET", "legwork scroll '#end' && legwork eval \"'far ' + (scrollY > 1000)\"", "far true"),
    ("scroll --to bottom", "legwork scroll --to bottom && legwork eval \"'far ' + (scrollY > 1000)\"", "far true"),
    (
        "scroll --dy 600",
        "legwork eval 'scrollTo(0, 0)'; legwork scroll --dy 600 && legwork eval \"'at ' + scrollY\"",
        "at 600",
    ),
    (
        "upload TARGET FILE...",
        "echo hi > note.txt; legwork upload File note.txt && legwork eval document.title",
        "did note.txt",
    ),
    ("downloads", "legwork downloads", "No downloads yet."),
    ("wait TARGET", "legwork wait .dashboard-header", "done"),
    ("wait --text \"Saved\"", "legwork wait --text \"Saved\"", "done"),
    (
        "wait --url \"*/done\"",
        "legwork eval 'location.hash = \"/done\"'; legwork wait --url \"*/done\"",
        "done",
    ),
    ("--timeout 30s", "legwork wait '#end' --timeout 30s", "done"),
    ("extract", "legwork extract", "Welcome"),
    ("eval \"document.title\"", "legwork eval \"document.title\"", "\"did note.txt\""),
    ("eval - < script.js", "echo '\"is \" + 6 * 7' > script.js; legwork eval - < script.js", "is 42"),
    ("query CSS", "legwork query 'td > button'", "2 matches"),
    ("screenshot out.png", "legwork screenshot out.png && head -c 4 out.png", "PNG"),
    ("--full-page", "legwork screenshot full.png --full-page && head -c 4 full.png", "PNG"),
    ("--of TARGET", "legwork screenshot part.png --of table && head -c 4 part.png", "PNG"),
    ("--boxes", "legwork screenshot boxes.png --boxes && head -c 4 boxes.png", "PNG"),
    ("back", "legwork open URL/; legwork open URL/dashboard; legwork back", "Log in"),
    ("forward", "legwork forward", "Welcome"),
    ("reload", "legwork reload", "Welcome"),
    ("tabs", "legwork tabs", "/dashboard (in front)"),
    (
        "tabs select 2",
        "legwork tabs new URL/; legwork tabs select 2 && legwork eval document.title
         legwork tabs close",
        "Login",
    ),
    ("resize 390x844", "legwork resize 390x844 && legwork eval \"'wide ' + innerWidth\"", "wide 390"),
    (
        "dialog accept [TEXT]",
        "legwork click Ask; legwork dialog accept Ann; legwork eval document.title",
        "did said Ann",
    ),
    (
        "dialog dismiss",
        "legwork click Ask; legwork dialog dismiss; legwork eval document.title",
        "did said null",
    ),
    ("console", "legwork eval 'console.log(\"hello there\")'; legwork console", "hello there"),
    (
        "network --url /api/",
        "legwork eval 'fetch(\"/api/list\").then(() => 1)'; legwork network --url /api/",
        "/api/list",
    ),
    ("offline on", "legwork offline on; legwork eval \"'is ' + navigator.onLine\"; legwork offline off", "is false"),
    (
        "legwork snapshot --more more1",
        "legwork --session long open URL/dashboard
         legwork --session long eval 'document.body.innerHTML = \"<p>All of these words.</p>\".repeat(9000)'
         legwork --session long snapshot; legwork --session long snapshot --more more1",
        "All of these words.",
    ),
    ("legwork close", "legwork --session long close; legwork --session long close", "no session was open"),
    ("legwork doctor", "legwork doctor", "ok    browser: "),
    ("legwork COMMAND --help", "legwork click --help", "Usage"),
];

/// A shell in which `legwork` is the program.
struct Shell {
    user: User,
    site: Site,
}

impl Shell {
    fn new() -> Shell {
        let (user, site) = (User::new(), Site::with(PAGES));
        std::fs::create_dir(user.path("bin")).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_legwork"), user.path("bin/legwork"))
            .unwrap();
        Shell { user, site }
    }

    fn run(&self, script: &str) -> Ended {
        let like = self.user.command(&[]);
        let mut shell = Command::new("sh");
        let site = self.site.url("");
        let script = script.replace("http://localhost:3000", &site).replace("URL", &site);
        shell.args(["-c", &script]).current_dir(self.user.folder.path());
        for (name, value) in like.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        let path = std::env::var("PATH").unwrap_or_default();
        shell.env("PATH", format!("{}:{path}", self.user.path("bin").display()));
        let output = shell.output().unwrap();
        Ended {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    fn says(&self, script: &str, words: &str) {
        let ended = self.run(script);
        assert!(ended.out.contains(words), "{words:?} after {script}\n{}{}", ended.out, ended.err);
    }
}

/// The blocks for a shell.
fn blocks() -> Vec<&'static str> {
    SKILL.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// The commands of the table, and those in the text.
fn commands() -> BTreeSet<&'static str> {
    let fenced = blocks();
    let lines = SKILL.lines().skip_while(|line| !line.starts_with("# "));
    let lines = lines.filter(|line| !fenced.iter().any(|block| block.contains(line)));
    let spans = lines.flat_map(|line| {
        let table = line.starts_with('|');
        line.split('`').skip(1).step_by(2).filter(move |span| table || span.starts_with("legwork "))
    });
    spans.collect()
}

#[test]
fn every_command_of_the_skill_does_what_it_says() {
    let tried: BTreeSet<&str> = TRIED.iter().map(|(command, ..)| *command).collect();
    assert_eq!(commands(), tried, "what SKILL.md teaches, and what is tried here");
    let shell = Shell::new();
    let blocks = blocks();
    let [first, batch] = blocks.as_slice() else { panic!("two blocks: {blocks:?}") };
    let ended = shell.run(&format!("set -e\n{first}"));
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("Oat milk") && ended.out.contains("Welcome"), "{}", ended.out);
    shell.says("legwork eval document.title", "did oat");
    shell.says(
        "legwork eval location.search",
        "email=a%40b.c&password=&remember=on&born=1990-01-31",
    );
    for (_, script, words) in TRIED {
        shell.says(script, words);
    }
    let ended = shell.run(batch);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    shell.says("legwork eval location.pathname", "/dashboard");
}

#[test]
fn targets_sessions_and_exit_codes_are_as_the_skill_says() {
    let shell = Shell::new();
    shell.says("legwork open URL/dashboard", "Welcome");
    for (target, title) in [
        ("\"Edit in Address\"", "did edit"),
        ("'#go'", "did go"),
        ("'//button[@id=\"go\"]'", "did go"),
        ("'role=button[name=\"Save\"]'", "did save"),
    ] {
        shell.says(&format!("legwork click {target}; legwork eval document.title"), title);
    }
    for (script, code, said) in [
        ("legwork click //button", 1, "elements: "),
        ("legwork click Nowhere --timeout 100ms", 1, "not found"),
        ("legwork click", 2, "TARGET"),
        ("legwork wait --text nowhere --timeout 100ms", 5, "nowhere"),
    ] {
        let ended = shell.run(script);
        assert_eq!(ended.code, code, "{script}: {}{}", ended.out, ended.err);
        assert!(ended.err.contains(said), "{script}: {}", ended.err);
    }
    shell.says("legwork --session other eval 'document.title' --json", "\"text\"");
}
