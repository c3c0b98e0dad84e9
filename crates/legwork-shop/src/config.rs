//! What a shopper is told once instead of each time: `config.yaml` in the shop's folder. Every key has to be
//! known and every value possible; a mistake is told with its line and stops the program.

mod near;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use legwork_protocol::Span;
use serde::Deserialize;
use serde_saphyr::Spanned;

use crate::list::ListError;

pub use near::near;

/// What is configured; whatever is not said is as it usually is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// The shop: one that is built in, one of the folder's own, or the path of a description.
    pub site: Option<String>,
    /// The list in a file.
    pub list: Option<PathBuf>,
    /// The list in Home Assistant.
    pub home_assistant: Option<Remote>,
    /// How many items are shopped for at a time.
    pub concurrency: Option<NonZeroUsize>,
    /// Time that an item may take.
    pub time_budget: Option<Duration>,
    /// Turns of a model that an item may take.
    pub max_turns: Option<u32>,
    /// Model that shops.
    pub model: Option<String>,
    /// Where the picture of the cart goes.
    pub picture: Option<PathBuf>,
    /// Where the summary goes.
    pub summary: Option<PathBuf>,
    /// The browser's profile.
    pub profile: Option<PathBuf>,
    /// Whether what did not work before is tried again; it is, unless told otherwise.
    pub retry: Option<bool>,
    /// Whether a person is asked; one is, unless told otherwise.
    pub ask: Option<bool>,
    /// Whether what was chosen without a person is remembered; it is not, unless told otherwise.
    pub remember: Option<bool>,
}

/// A list in Home Assistant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remote {
    /// Its address.
    pub url: Option<String>,
    /// The list there.
    pub list: Option<String>,
    /// Where the token is: `env:NAME`, `file:PATH`, `keyring:NAME` or `command:PROGRAM`.
    pub token: Option<String>,
}

/// The names of the keys, for who mistypes one.
const KEYS: &[&str] = &[
    "site",
    "list",
    "home_assistant",
    "concurrency",
    "time_budget",
    "max_turns",
    "model",
    "picture",
    "summary",
    "profile",
    "retry",
    "ask",
    "remember",
    "url",
    "token",
];

/// The most items at a time: more tabs of one shop are no faster, and no shop likes them.
pub const MOST_AT_A_TIME: usize = 8;

impl Config {
    /// Reads the file of a folder; nothing is configured where there is none.
    pub fn in_folder(folder: &Path) -> Result<Config, ListError> {
        let path = folder.join("config.yaml");
        match std::fs::read_to_string(&path) {
            Ok(text) => Config::parse(&text, &path),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Config::default()),
            Err(error) => Err(ListError::Read { path, error }),
        }
    }

    /// Reads a text that is the content of a file. Paths are relative to its folder.
    pub fn parse(text: &str, path: &Path) -> Result<Config, ListError> {
        let blank = text.lines().all(|line| line.trim().is_empty() || line.starts_with('#'));
        let file: Option<File> = match blank {
            true => None,
            false => serde_saphyr::from_str(text).map_err(|error| unreadable(&error, path))?,
        };
        let Some(file) = file else { return Ok(Config::default()) };
        Check { path }.config(file)
    }
}

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    site: Option<Spanned<String>>,
    list: Option<Spanned<String>>,
    home_assistant: Option<HomeAssistant>,
    concurrency: Option<Spanned<usize>>,
    time_budget: Option<Spanned<String>>,
    max_turns: Option<Spanned<u32>>,
    model: Option<Spanned<String>>,
    picture: Option<Spanned<String>>,
    summary: Option<Spanned<String>>,
    profile: Option<Spanned<String>>,
    retry: Option<bool>,
    ask: Option<bool>,
    remember: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HomeAssistant {
    url: Option<Spanned<String>>,
    list: Option<Spanned<String>>,
    token: Option<Spanned<String>>,
}

fn unreadable(error: &serde_saphyr::Error, path: &Path) -> ListError {
    let place = error.location().map(|at| (at.line() as usize, at.column() as usize));
    let why = error.to_string();
    let why = why.lines().next().unwrap_or("it is not YAML").to_owned();
    // The library says `unknown field `x`, expected one of …`.
    let unknown = why.split_once("unknown field `").and_then(|(_, rest)| rest.split_once('`'));
    let why = match unknown {
        Some((word, _)) => format!("there is no key `{word}`; {}", meant(word)),
        None => why,
    };
    ListError::Unreadable { path: path.to_owned(), place, why }
}

fn meant(word: &str) -> String {
    match near(word, KEYS.iter().copied()) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("the keys are {}", KEYS[..KEYS.len() - 2].join(", ")),
    }
}

struct Check<'p> {
    path: &'p Path,
}

impl Check<'_> {
    fn config(&self, file: File) -> Result<Config, ListError> {
        let concurrency = file.concurrency.map(|number| self.concurrency(&number)).transpose()?;
        let time_budget = file.time_budget.map(|span| self.span(&span)).transpose()?;
        let max_turns = file.max_turns.map(|number| self.turns(&number)).transpose()?;
        Ok(Config {
            site: self.said(file.site)?,
            list: self.place(file.list)?,
            home_assistant: file.home_assistant.map(|one| self.remote(one)).transpose()?,
            concurrency,
            time_budget,
            max_turns,
            model: self.said(file.model)?,
            picture: self.place(file.picture)?,
            summary: self.place(file.summary)?,
            profile: self.place(file.profile)?,
            retry: file.retry,
            ask: file.ask,
            remember: file.remember,
        })
    }

    fn remote(&self, remote: HomeAssistant) -> Result<Remote, ListError> {
        let kinds = ["env:", "file:", "keyring:", "command:"];
        if let Some(token) = &remote.token
            && !kinds.iter().any(|kind| token.value.strip_prefix(kind).is_some_and(said))
        {
            // What was written may be the token, so it is not repeated.
            let why = "expected where the token is, never the token itself: env:NAME, file:PATH, \
                       keyring:NAME or command:PROGRAM";
            return Err(self.wrong(token, why));
        }
        let token = remote.token.map(|token| token.value);
        Ok(Remote { url: self.said(remote.url)?, list: self.said(remote.list)?, token })
    }

    fn concurrency(&self, number: &Spanned<usize>) -> Result<NonZeroUsize, ListError> {
        let possible =
            NonZeroUsize::new(number.value).filter(|count| count.get() <= MOST_AT_A_TIME);
        possible.ok_or_else(|| self.wrong(number, format!("expected 1 to {MOST_AT_A_TIME}")))
    }

    fn turns(&self, number: &Spanned<u32>) -> Result<u32, ListError> {
        match number.value {
            0 => Err(self.wrong(number, "expected a whole number from 1")),
            turns => Ok(turns),
        }
    }

    fn span(&self, span: &Spanned<String>) -> Result<Duration, ListError> {
        budget(&span.value).map_err(|why| self.wrong(span, why))
    }

    fn said(&self, text: Option<Spanned<String>>) -> Result<Option<String>, ListError> {
        text.map(|text| self.filled(text)).transpose()
    }

    fn filled(&self, text: Spanned<String>) -> Result<String, ListError> {
        match said(&text.value) {
            true => Ok(text.value.trim().to_owned()),
            false => Err(self.wrong(&text, "it says nothing; leave the key out instead")),
        }
    }

    fn place(&self, text: Option<Spanned<String>>) -> Result<Option<PathBuf>, ListError> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        Ok(self.said(text)?.map(|text| whole_path(&text, folder)))
    }

    fn wrong<T>(&self, at: &Spanned<T>, why: impl Into<String>) -> ListError {
        let place = Some((at.referenced.line() as usize, at.referenced.column() as usize));
        ListError::Unreadable { path: self.path.to_owned(), place, why: why.into() }
    }
}

fn said(text: &str) -> bool {
    !text.trim().is_empty()
}

/// Time for one item, as people write it: `5m`, `300s`, `1h`.
pub fn budget(text: &str) -> Result<Duration, String> {
    let Span(time) = Span::parse(text)?;
    match time >= Duration::from_secs(1) {
        true => Ok(time),
        false => Err(format!("{text:?} is too short; write 300s, 5m or 1h")),
    }
}

/// A path as people write it: `~/` is the home folder, and what is relative is relative to a folder.
pub fn whole_path(text: &str, folder: &Path) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => folder.join(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errand::Budget;

    fn read(text: &str) -> Result<Config, String> {
        Config::parse(text, Path::new("/c/config.yaml")).map_err(|error| error.to_string())
    }

    #[test]
    fn everything_can_be_said_and_nothing_has_to_be() {
        for nothing in ["", "# nothing yet\n", "\n  \n"] {
            assert_eq!(read(nothing), Ok(Config::default()));
        }
        let config = read(
            "site: corner  # the near one\nlist: lists/food.yaml\nhome_assistant:\n  url: http://ha.local:8123\n  \
             list: todo.food\n  token: env:HA_TOKEN\nconcurrency: 3\ntime_budget: 90s\nmax_turns: 20\n\
             model: ollama:qwen3\npicture: /p/cart.png\nsummary: last.md\nretry: false\nask: false\n\
             remember: true\nprofile: here\n",
        )
        .unwrap();
        assert_eq!(config.list, Some("/c/lists/food.yaml".into()));
        assert_eq!(config.picture, Some("/p/cart.png".into()));
        assert_eq!(config.time_budget, Some(Duration::from_secs(90)));
        assert_eq!(config.concurrency.map(NonZeroUsize::get), Some(3));
        let remote = config.home_assistant.unwrap();
        assert_eq!(
            (remote.list.as_deref(), remote.token.as_deref()),
            (Some("todo.food"), Some("env:HA_TOKEN"))
        );
        assert_eq!((config.retry, config.remember), (Some(false), Some(true)));
        let config = read("home_assistant:\n  list: todo.food\n").unwrap();
        assert_eq!(config.home_assistant.unwrap().url, None, "the environment may say it");
    }

    #[test]
    fn what_an_item_may_take_is_five_minutes_and_forty_turns_unless_told_otherwise() {
        let usual = Budget::default();
        assert_eq!((usual.time, usual.turns), (Duration::from_secs(300), 40));
        for (said, seconds) in [("5m", 300), ("300s", 300), ("1h", 3600)] {
            let config = read(&format!("time_budget: {said}\nmax_turns: 7\n")).unwrap();
            assert_eq!(config.time_budget, Some(Duration::from_secs(seconds)), "{said}");
            assert_eq!(config.max_turns, Some(7));
        }
    }

    #[test]
    fn the_example_in_the_documents_is_a_configuration() {
        let page = include_str!("../../../docs/shopping.md");
        let mut examples =
            page.split("```yaml\n").skip(1).filter_map(|part| part.split("```").next());
        let example = examples.find(|example| example.starts_with("site: ")).unwrap();
        let config = read(example).unwrap();
        // Every key is in it.
        let keys = example.lines().filter_map(|line| line.trim().split_once(':'));
        let keys: Vec<&str> = keys.map(|(key, _)| key).collect();
        assert!(KEYS.iter().all(|key| keys.contains(key)), "{keys:?}");
        assert_eq!((config.site.as_deref(), config.max_turns), (Some("metro"), Some(40)));
        assert_eq!(config.time_budget, Some(Duration::from_secs(300)));
        assert_eq!(config.summary, Some("/c/last-summary.md".into()));
    }

    #[test]
    fn a_mistake_is_told_with_its_place_and_what_was_meant() {
        let cases = [
            (
                "site: metro\nconcurency: 2\n",
                "/c/config.yaml:2:1: there is no key `concurency`; did you mean `concurrency`?",
            ),
            ("shopping: 1\n", "the keys are site, list, home_assistant"),
            (
                "home_assistant:\n  url: http://h\n  lst: a\n",
                ":3:3: there is no key `lst`; did you mean `list`?",
            ),
            ("concurrency: 0\n", ":1:14: expected 1 to 8"),
            ("concurrency: 9\n", ":1:14: expected 1 to 8"),
            ("concurrency: many\n", ":1:14: "),
            ("\nmax_turns: 0\n", ":2:12: expected a whole number from 1"),
            ("time_budget: 300\n", ":1:14: \"300\" is too short"),
            ("time_budget: soon\n", ":1:14: \"soon\" is no time span"),
            ("site: ''\n", ":1:7: it says nothing"),
            ("home_assistant:\n  url: ''\n", ":2:8: it says nothing"),
            ("- site\n", ":1:1: "),
            ("site: [\n", "/c/config.yaml:"),
        ];
        for (text, said) in cases {
            let error = read(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn a_token_in_the_file_is_refused_and_not_repeated() {
        let error =
            read("home_assistant:\n  url: http://h\n  token: eyJhbGciOi.secret\n").unwrap_err();
        assert!(error.contains(":3:10: expected where the token is"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }

    #[test]
    fn a_file_that_is_not_there_configures_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Config::in_folder(folder.path()).unwrap(), Config::default());
        std::fs::write(folder.path().join("config.yaml"), "list: a.yaml\n").unwrap();
        let config = Config::in_folder(folder.path()).unwrap();
        assert_eq!(config.list, Some(folder.path().join("a.yaml")));
    }
}
