//! docs/shopping.md and docs/sites.md are true: every command in them is run as a shell runs it, and every
//! example file is used, with the demo store as the shop that they call metro.

use std::collections::BTreeSet;
use std::process::Command;

use legwork_demo::{Options, PASSWORD, PASSWORD_VARIABLE, Store, USERNAME, USERNAME_VARIABLE};

use crate::support::{Ended, User};

const SHOPPING: &str = include_str!("../../../../docs/shopping.md");
const SITES: &str = include_str!("../../../../docs/sites.md");

/// What is not run here: it needs `make`, or does not end by itself. `demo` runs them.
const ELSEWHERE: [&str; 2] = ["make demo", "legwork demo --stay"];

/// The commands of docs/shopping.md in the order in which they are tried, how they end, and what they say.
const SHOPPED: &[(&str, i32, &str)] = &[
    ("legwork site list", 0, "metro: Corner Store"),
    ("legwork site new https://shop.example -o shop.toml", 0, "it lacks: [signed_in]"),
    ("legwork site check", 2, "Usage"),
    ("legwork site check metro", 0, USERNAME_VARIABLE),
    // There is no display here, and it says what there is instead.
    ("legwork authenticate --site metro", 1, "there is no display"),
    ("legwork authenticate --site metro --with-credentials", 0, "signed in to Corner Store"),
    ("legwork shop list.yaml --site metro --dry-run", 0, "2 × oat milk"),
    // The demo store sells butter by 454 g, which is not what the list says.
    ("legwork shop list.yaml --site metro", 6, "2 in the cart, 1 not found, 0 failed"),
    ("legwork shop prefs", 0, "oat milk: Oat drink 1.75 L, at most $5.50"),
    (
        "legwork shop prefs set \"oat milk\" --site metro --product \"Oat drink 1.75 L\" --url https://… --price-ceiling 5.50",
        0,
        "",
    ),
    ("legwork shop prefs show \"oat milk\" --site metro", 0, "at most 5.50"),
    ("legwork shop prefs edit", 0, "1 remembered in "),
    ("legwork shop prefs forget \"oat milk\" --site metro", 0, ""),
];

/// Those of docs/sites.md.
const DESCRIBED: &[(&str, i32, &str)] = &[
    ("legwork site list", 0, "metro: Corner Store"),
    ("legwork site new https://shop.example -o shop.toml", 0, "it lacks: [signed_in]"),
    ("legwork site check shop.toml", 0, "ok: shop.toml"),
    ("legwork site check metro", 0, "metro.toml describes Corner Store"),
    ("legwork shop list.yaml --site shop.toml", 1, "error[signed_out]"),
    ("legwork site new", 2, "Usage"),
    ("legwork site check", 2, "Usage"),
];

/// The blocks of a kind.
fn blocks<'d>(document: &'d str, kind: &str) -> Vec<&'d str> {
    let opened = format!("```{kind}\n");
    document.split(opened.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// The commands of a document: what stands in its blocks for a shell, and what its text says of them.
fn commands(document: &str) -> BTreeSet<&str> {
    let lines = blocks(document, "sh").into_iter().flat_map(str::lines);
    let lines = lines.map(|line| line.split(" #").next().unwrap().trim());
    let all: Vec<&str> = document.split("```").collect();
    let text = all.into_iter().step_by(2);
    let spans = text.flat_map(|text| text.split('`').skip(1).step_by(2));
    let spans = spans.filter(|span| span.starts_with("legwork "));
    lines.chain(spans).filter(|line| !line.is_empty()).collect()
}

/// Who reads the documents, and the store that stands for every shop in them.
struct Reader {
    user: User,
    store: Store,
    _runtime: tokio::runtime::Runtime,
}

impl Reader {
    fn new() -> Reader {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let store = runtime.block_on(Store::start(Options::default())).unwrap();
        let user = User::new().with(USERNAME_VARIABLE, USERNAME).with(PASSWORD_VARIABLE, PASSWORD);
        let reader = Reader { user: user.with("EDITOR", "true"), store, _runtime: runtime };
        for folder in [".config/legwork/shop/sites", "bin", "lists"] {
            std::fs::create_dir_all(reader.user.path(folder)).unwrap();
        }
        let program = reader.user.path("bin/legwork");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_legwork"), program).unwrap();
        reader.write(".config/legwork/shop/sites/metro.toml", &reader.store.site_toml());
        reader.write("list.yaml", list());
        reader
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.user.path(name), text).unwrap();
    }

    /// An address of the store, in the place of one that is none.
    fn for_the_store(&self, text: &str) -> String {
        let milk = self.store.product_url("oatfield-oat-milk-barista-946-ml");
        let text = text.replace("https://www.metro.ca/en/…", &milk).replace("https://…", &milk);
        text.replace("https://shop.example", &self.store.origin())
            .replace("metro.ca:", "Corner Store:")
    }

    fn run(&self, script: &str) -> Ended {
        let mut shell = Command::new("sh");
        shell.args(["-c", &self.for_the_store(script)]).current_dir(self.user.folder.path());
        for (name, value) in self.user.command(&[]).get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        let path = std::env::var("PATH").unwrap_or_default();
        shell.env("PATH", format!("{}:{path}", self.user.path("bin").display()));
        Ended::of(shell.output().unwrap())
    }

    fn says(&self, (command, code, said): &(&str, i32, &str)) {
        let Ended { code: ended, out, err } = self.run(command);
        assert_eq!(ended, *code, "{command}: {out}{err}");
        assert!(out.contains(said) || err.contains(said), "{said:?} after {command}: {out}{err}");
    }
}

/// The list of the document.
fn list() -> &'static str {
    blocks(SHOPPING, "yaml")[0]
}

#[test]
fn every_command_about_shopping_does_what_its_document_says() {
    let tried: BTreeSet<&str> = SHOPPED.iter().map(|(command, ..)| *command).collect();
    let tried: BTreeSet<&str> = tried.into_iter().chain(ELSEWHERE).collect();
    assert_eq!(commands(SHOPPING), tried, "what docs/shopping.md teaches, and what is tried here");
    let reader = Reader::new();
    for one in SHOPPED {
        // What was chosen before is read as the document writes it.
        if one.0 == "legwork shop prefs" {
            let chosen = reader.for_the_store(blocks(SHOPPING, "yaml")[1]);
            reader.write(".config/legwork/shop/preferences.yaml", &chosen);
        }
        reader.says(one);
    }
    let bought: u32 = reader.store.cart(USERNAME).values().sum();
    assert_eq!(bought, 2 + 6, "what the list of the document asks for, without the butter");
    assert!(!reader.store.reached_checkout());
}

#[test]
fn the_configuration_of_the_document_is_read_as_it_stands_there() {
    let reader = Reader::new();
    let [_, _, config] = blocks(SHOPPING, "yaml")[..] else { panic!("three examples") };
    reader.write(".config/legwork/shop/config.yaml", config);
    reader.write("lists/groceries.yaml", list());
    for line in ["2 × oat milk", "1 × 500 g butter", "6 × bananas"] {
        reader.says(&("legwork shop --dry-run", 0, line));
    }
}

#[test]
fn every_command_about_sites_does_what_its_document_says() {
    let tried: BTreeSet<&str> = DESCRIBED.iter().map(|(command, ..)| *command).collect();
    assert_eq!(commands(SITES), tried, "what docs/sites.md teaches, and what is tried here");
    let reader = Reader::new();
    for one in DESCRIBED {
        reader.says(one);
    }
    // The description in the document is one as it stands there, and needs nothing else.
    reader.write("example.toml", blocks(SITES, "toml")[0]);
    reader.says(&("legwork site check example.toml", 0, "ok: example.toml describes Corner shop"));
}
