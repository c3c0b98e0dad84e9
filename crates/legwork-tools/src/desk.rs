//! A session at work: the engine's session, and what has to be remembered between calls.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_engine::{Acting, Engine, Error, Page, Session, SessionOptions};
use legwork_protocol::{Code, Observe, Reply, Span, ToolError, tokens};

use crate::failure::from_engine;
use crate::files::{Files, Jail};
use crate::in_force::InForce;
use crate::news::{self, News};
use crate::refusals::Refusals;
use crate::secrets::Vault;
use crate::undo::History;

/// How many cut-off texts are kept.
const RESTS: usize = 8;

/// What a session needs between calls.
pub(crate) struct Desk {
    pub(crate) name: String,
    pub(crate) engine: Engine,
    pub(crate) files: Files,
    pub(crate) limits: Limits,
    /// What a session is unless it is opened otherwise.
    pub(crate) defaults: SessionOptions,
    law: InForce,
    /// Whose browser and cookies its sessions share.
    beside: Option<Arc<Desk>>,
    /// Calls take their turns here, in the order they came.
    pub(crate) turn: tokio::sync::Mutex<()>,
    /// What was done, to be taken back.
    pub(crate) history: History,
    memory: Mutex<Memory>,
    news: News,
    /// What its sessions leave when they end.
    refusals: Refusals,
}

/// How much a reply may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Bytes of an evaluation or a console.
    pub(crate) inline: usize,
    /// Tokens of a page.
    pub(crate) tokens: usize,
    /// Pixels of a picture's longest side.
    pub(crate) pixels: u32,
}

#[derive(Default)]
struct Memory {
    options: SessionOptions,
    session: Option<Session>,
    /// The last action led to another document.
    navigated: bool,
    rests: VecDeque<(String, String)>,
    given: usize,
    /// Whoever calls wants to know how what is acted on can be found again.
    describe: bool,
    /// What every page says at its top.
    banner: Option<String>,
    /// Copies of files that pages were given.
    staged: Vec<tempfile::TempDir>,
}

impl Desk {
    pub(crate) fn new(name: &str, engine: Engine, files: Files, limits: Limits) -> Desk {
        let (defaults, law, beside, turn, history, memory) = Default::default();
        let (name, news, refusals) = (name.to_owned(), news::news(), Refusals::default());
        Desk {
            name,
            engine,
            files,
            limits,
            defaults,
            law,
            beside,
            turn,
            history,
            memory,
            news,
            refusals,
        }
    }

    pub(crate) fn with_defaults(self, defaults: &SessionOptions) -> Desk {
        self.memory().options = defaults.clone();
        Desk { defaults: defaults.clone(), ..self }
    }

    /// Tells what happens in its sessions here.
    pub(crate) fn telling(self, news: &News) -> Desk {
        Desk { news: news.clone(), ..self }
    }

    /// Leaves there what its sessions did not let through.
    pub(crate) fn leaving(self, refusals: &Refusals) -> Desk {
        Desk { refusals: refusals.clone(), ..self }
    }

    /// Keeps to this law.
    pub(crate) fn under(self, law: &InForce) -> Desk {
        Desk { law: law.clone(), ..self }
    }

    /// Shares browser and cookies with another.
    pub(crate) fn beside(self, other: &Arc<Desk>) -> Desk {
        Desk { beside: Some(other.clone()), ..self }
    }

    /// Whether its sessions are those beside another's.
    pub(crate) fn is_beside(&self, other: &Desk) -> bool {
        self.beside.as_ref().is_some_and(|one| std::ptr::eq(&**one, other))
    }

    /// Secrets that may be entered by name.
    pub(crate) fn vault(&self) -> Arc<Vault> {
        self.law.now().vault.clone()
    }

    /// Files that may leave this machine.
    pub(crate) fn jail(&self) -> Arc<Jail> {
        self.law.now().jail.clone()
    }

    /// Options of a session as the law wants them.
    fn bound(&self, options: SessionOptions) -> SessionOptions {
        SessionOptions { guard: self.law.guard(), ..self.law.now().bind(options) }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine's session, a new one if there is none or the last was closed.
    pub(crate) fn session(&self) -> Session {
        let mut memory = self.memory();
        if let Some(session) = &memory.session {
            if !session.is_closed() {
                return session.clone();
            }
            self.refusals.keep(session);
        }
        let session = self.new_session(memory.options.clone(), memory.banner.clone());
        news::follow(&self.name, session.events(), &self.news, self.vault().redactor());
        memory.session.insert(session).clone()
    }

    fn new_session(&self, options: SessionOptions, banner: Option<String>) -> Session {
        let session = match &self.beside {
            Some(other) => other.session().beside(),
            None => self.engine.session(self.bound(options)),
        };
        session.with_banner(banner)
    }

    /// Whether it is told from now on how what is acted on can be found again.
    pub(crate) fn describe(&self, describe: bool) {
        self.memory().describe = describe;
    }

    /// Whether whoever calls keeps what is done and read, and so needs all of it.
    pub(crate) fn describes(&self) -> bool {
        self.memory().describe
    }

    /// How the engine is to act for a tool that was told this.
    pub(crate) fn acting(&self, timeout: Option<Span>, observe: Option<Observe>) -> Acting {
        let default = Acting::default();
        Acting {
            timeout: timeout.map_or(default.timeout, |span| span.0),
            observe: observe.unwrap_or_default() != Observe::None,
            known: self.describes(),
        }
    }

    /// The session, if it is open.
    pub(crate) fn open_session(&self) -> Option<Session> {
        self.memory().session.clone().filter(|session| !session.is_closed())
    }

    /// The session, also if it has ended by itself since.
    pub(crate) fn last_session(&self) -> Option<Session> {
        self.memory().session.clone()
    }

    /// Closes the session and starts the next one with these options.
    pub(crate) async fn restart(&self, options: SessionOptions) {
        self.history.clear();
        let old = {
            let mut memory = self.memory();
            memory.options = options;
            memory.rests.clear();
            memory.staged.clear();
            memory.session.take()
        };
        if let Some(session) = old {
            session.close().await;
            self.refusals.keep(&session);
        }
    }

    /// Goes on with these options in a new session. The one before is closed once the browser of the new one
    /// is there: one that cannot be started leaves the page and the options as they were.
    pub(crate) async fn reopen(&self, options: SessionOptions) -> Result<(), ToolError> {
        let banner = self.memory().banner.clone();
        let next = self.new_session(options.clone(), banner);
        let events = next.events();
        match next.page().await {
            Err(Error::ProfileInUse { .. }) if self.holds(&options) => {
                self.try_out(&options).await?;
                self.restart(options.clone()).await;
                next.page().await.map_err(from_engine)?;
            }
            begun => {
                begun.map_err(from_engine)?;
                self.restart(options).await;
            }
        }
        news::follow(&self.name, events, &self.news, self.vault().redactor());
        self.memory().session = Some(next);
        Ok(())
    }

    /// Whether its session may be who has the profile: one serves one browser at a time.
    fn holds(&self, options: &SessionOptions) -> bool {
        self.open_session().is_some() && self.options().user_data_dir == options.user_data_dir
    }

    /// Starts a browser with these options, but a profile of its own, and ends it again.
    async fn try_out(&self, options: &SessionOptions) -> Result<(), ToolError> {
        let profile = tempfile::tempdir()
            .map_err(|error| ToolError::new(Code::FileError, error.to_string()))?;
        let user_data_dir = Some(profile.path().to_owned());
        let trial = self.new_session(SessionOptions { user_data_dir, ..options.clone() }, None);
        let begun = trial.page().await;
        trial.close().await;
        begun.map(drop).map_err(from_engine)
    }

    /// Every page says this at its top from now on.
    pub(crate) async fn banner(&self, text: &str) {
        self.memory().banner = Some(text.to_owned());
        if let Some(session) = self.open_session() {
            session.banner(text).await;
        }
    }

    /// Leaves the pages, and forgets what belongs to them.
    pub(crate) async fn leave_pages(&self) {
        self.history.clear();
        {
            let mut memory = self.memory();
            memory.rests.clear();
            memory.staged.clear();
            memory.navigated = false;
        }
        if let Some(session) = self.open_session() {
            session.leave_pages().await;
        }
    }

    pub(crate) fn options(&self) -> SessionOptions {
        self.memory().options.clone()
    }

    /// The page in front.
    pub(crate) async fn page(&self) -> Result<Page, ToolError> {
        let page = self.session().page().await.map_err(from_engine)?;
        page.reclaimed().await.map_err(from_engine)
    }

    /// Remembers whether the last action led to another document.
    pub(crate) fn note_navigation(&self, navigated: bool) {
        self.memory().navigated = navigated;
    }

    pub(crate) fn has_navigated(&self) -> bool {
        self.memory().navigated
    }

    /// As much of a text as the budget allows; the rest is kept behind a handle that the text names.
    pub(crate) fn within(&self, text: &str, tokens: Option<usize>) -> String {
        // Masked before it is cut: half a secret is not recognised any more.
        let vault = self.vault();
        let text = &*vault.redactor().mask(text);
        let budget = tokens.unwrap_or(self.limits.tokens).max(50);
        let at = tokens::cut(text, budget);
        if at == text.len() {
            return text.to_owned();
        }
        let (now, rest) = text.split_at(at);
        let lines = rest.lines().count();
        let now = now.trim_end_matches('\n');
        format!("{now}\n(… {lines} more lines{}, or browser_find)", self.put_aside(rest))
    }

    /// Keeps a text behind a handle, and says what it costs and how it is read.
    pub(crate) fn put_aside(&self, rest: &str) -> String {
        let vault = self.vault();
        let rest = vault.redactor().mask(rest).into_owned();
        let cost = tokens::count(&rest);
        let mut memory = self.memory();
        memory.given += 1;
        let handle = format!("more{}", memory.given);
        memory.rests.push_back((handle.clone(), rest));
        if memory.rests.len() > RESTS {
            memory.rests.pop_front();
        }
        format!(", about {cost} tokens: browser_snapshot(more: \"{handle}\")")
    }

    /// Files as the browser may be given them: those that may leave this machine. Where that depends on
    /// anything but their being files, they are copied, so that what was judged is what is given.
    pub(crate) async fn files_for_page(&self, paths: &[String]) -> Result<Vec<PathBuf>, ToolError> {
        let (jail, files, paths) = (self.jail(), self.files.clone(), paths.to_vec());
        let ready = move || {
            let mut ready = Vec::new();
            for path in &paths {
                let opened = jail.open(Path::new(path))?;
                ready.push(match jail.is_open() {
                    true => (opened.path, None),
                    false => files.stage(opened).map(|(path, own)| (path, Some(own)))?,
                });
            }
            Ok::<_, ToolError>(ready)
        };
        let ready: Vec<(PathBuf, Option<tempfile::TempDir>)> = tokio::task::spawn_blocking(ready)
            .await
            .map_err(|error| ToolError::new(Code::Internal, error.to_string()))??;
        let (paths, staged): (Vec<_>, Vec<_>) = ready.into_iter().unzip();
        self.memory().staged.extend(staged.into_iter().flatten());
        Ok(paths)
    }

    /// The rest behind a handle.
    pub(crate) fn rest(&self, handle: &str) -> Option<String> {
        let memory = self.memory();
        memory.rests.iter().find(|(known, _)| known == handle).map(|(_, rest)| rest.clone())
    }

    /// A reply whose text goes to a file if it is longer than may be said inline.
    pub(crate) fn inline_or_file(
        &self,
        what: &str,
        extension: &str,
        text: String,
        wrap: impl FnOnce(&str) -> String,
    ) -> Result<Reply, ToolError> {
        let text = self.vault().redactor().mask(&text).into_owned();
        if text.len() <= self.limits.inline {
            return Ok(Reply::text(wrap(&text)));
        }
        let path = self.files.keep("outputs", extension, text.as_bytes())?;
        let path = path.display().to_string();
        let size = text.len();
        let told = format!("{what} is {size} bytes, written to {path}\nRead it with: cat {path}");
        Ok(Reply::text(told).with_data(serde_json::json!({ "file": path, "bytes": size })))
    }
}
