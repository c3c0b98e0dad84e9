//! Who runs the tools: the sessions by name, and everything that is shared between them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use legwork_engine::{Blocked, Config, Engine, Session, SessionOptions};
use legwork_protocol::rpc::SessionEvent;
use legwork_protocol::{Action, Called, ToolCall, ToolError, ToolHost};

use crate::approvals::Approvals;
use crate::audit::{Audit, Ending, Entry, Record, Silent};
use crate::desk::{Desk, Limits};
use crate::failure::from_engine;
use crate::files::{Files, Jail};
use crate::in_force::{InForce, Law};
use crate::news::{News, news};
use crate::policy::Rules;
use crate::rate::Rate;
use crate::redact::Redactor;
use crate::refusals::Refusals;
use crate::secrets::Vault;
use crate::stop::Running;

/// How a host behaves.
pub struct Settings {
    /// The browser.
    pub engine: Config,
    /// What a session is unless it is opened otherwise.
    pub session: SessionOptions,
    /// Where pictures and long outputs go.
    pub files: Files,
    /// Bytes of an evaluation or a console that are answered inline; longer ones go to a file.
    pub inline_bytes: usize,
    /// Tokens of a page that are answered; the rest is behind a handle.
    pub page_tokens: usize,
    /// Longest side of a picture in pixels.
    pub picture_side: u32,
    /// How often whoever follows a call hears that it still runs, if the call itself says nothing.
    pub beat: Duration,
    /// What may be done.
    pub rules: Arc<Rules>,
    /// Who keeps the records.
    pub audit: Arc<dyn Audit>,
    /// Secrets that may be entered by name.
    pub vault: Arc<Vault>,
    /// Files of this machine that pages may be given and callers be shown.
    pub jail: Arc<Jail>,
    /// Where people are asked.
    pub approvals: Arc<Approvals>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            engine: Config::default(),
            session: SessionOptions::default(),
            files: Files::temporary(),
            inline_bytes: 1024,
            page_tokens: 3800,
            picture_side: 1568,
            beat: Duration::from_secs(5),
            rules: Arc::default(),
            audit: Arc::new(Silent),
            vault: Arc::default(),
            jail: Arc::default(),
            approvals: Arc::new(Approvals::new(None)),
        }
    }
}

/// Runs tools on browsers of its own. Cheap to clone; all clones share their sessions.
#[derive(Clone)]
pub struct Host {
    inner: Arc<Inner>,
}

struct Inner {
    settings: Settings,
    law: InForce,
    engine: Engine,
    desks: Mutex<HashMap<String, Arc<Desk>>>,
    news: News,
    rate: Rate,
    running: Running,
    /// Every call holds a part of it; whoever changes the law holds all.
    phase: tokio::sync::RwLock<()>,
    /// What was not let through in sessions that have ended.
    refusals: Refusals,
}

/// An open session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInfo {
    /// Its name.
    pub name: String,
    /// The address of its page, once it has one.
    pub url: Option<String>,
    /// How many tabs it has.
    pub tabs: usize,
    /// What keeps it from places it may not reach.
    pub guard: String,
    /// Whether its browser was started without a window.
    pub headless: bool,
}

/// Whether what a person does in a session is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recording {
    /// Told, in whatever browser the session has.
    On,
    /// Told; a session that is not open yet gets a window that can be seen.
    InWindow,
    /// Not told.
    Off,
}

impl Recording {
    /// For the record.
    fn told(self) -> &'static str {
        match self {
            Recording::On => "what a person does is told",
            Recording::InWindow => "what a person does is told, in a window",
            Recording::Off => "what a person does is no longer told",
        }
    }
}

impl Host {
    /// A host; no browser is started before a call needs one.
    pub fn new(mut settings: Settings) -> Host {
        // Rules hold whatever else was said.
        if let Some(folder) = &settings.rules.downloads().folder {
            settings.engine.downloads = Some(folder.clone());
        }
        let engine = Engine::new(settings.engine.clone());
        let Settings { rules, vault, jail, .. } = &settings;
        let law = Law { rules: rules.clone(), vault: vault.clone(), jail: jail.clone() };
        let (desks, rate, running, phase, refusals) = Default::default();
        let (law, news) = (InForce::new(law), news());
        let inner = Inner { settings, law, engine, desks, news, rate, running, phase, refusals };
        Host { inner: Arc::new(inner) }
    }

    fn desks(&self) -> MutexGuard<'_, HashMap<String, Arc<Desk>>> {
        self.inner.desks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn desk(&self, name: &str) -> Arc<Desk> {
        let make = || Arc::new(self.new_desk(name));
        self.desks().entry(name.to_owned()).or_insert_with(make).clone()
    }

    /// Where pictures and long outputs are kept.
    pub fn files(&self) -> &Files {
        &self.inner.settings.files
    }

    /// How often who follows a call hears that it still runs.
    pub(crate) fn beat(&self) -> Duration {
        self.inner.settings.beat
    }

    /// Tokens of a page that are answered.
    pub(crate) fn page_tokens(&self) -> usize {
        self.inner.settings.page_tokens
    }

    fn new_desk(&self, name: &str) -> Desk {
        let settings = &self.inner.settings;
        let limits = Limits {
            inline: settings.inline_bytes,
            tokens: settings.page_tokens,
            pixels: settings.picture_side,
        };
        Desk::new(name, self.inner.engine.clone(), settings.files.clone(), limits)
            .with_defaults(&settings.session)
            .telling(&self.inner.news)
            .leaving(&self.inner.refusals)
            .under(&self.inner.law)
    }

    /// A desk beside another; none if there is another one of that name.
    pub(crate) fn desk_beside(&self, name: &str, of: &str) -> Option<Arc<Desk>> {
        let other = self.desk(of);
        let make = || Arc::new(self.new_desk(name).beside(&other));
        let desk = self.desks().entry(name.to_owned()).or_insert_with(make).clone();
        desk.is_beside(&other).then_some(desk)
    }

    /// The rules in force. They do not change while a call runs.
    pub(crate) fn rules(&self) -> Arc<Rules> {
        self.law().now().rules.clone()
    }

    pub(crate) fn law(&self) -> &InForce {
        &self.inner.law
    }

    pub(crate) fn phase(&self) -> &tokio::sync::RwLock<()> {
        &self.inner.phase
    }

    pub(crate) fn all_desks(&self) -> Vec<Arc<Desk>> {
        self.desks().values().cloned().collect()
    }

    /// What was not let through since this was last asked.
    pub(crate) fn take_blocked(&self) -> Vec<Blocked> {
        let mut taken = self.inner.refusals.take();
        let desks = self.all_desks();
        let open = desks.iter().filter_map(|desk| desk.open_session());
        taken.extend(open.flat_map(|session| session.take_blocked()));
        taken.into_iter().map(|one| self.masked_blocked(one)).collect()
    }

    /// Closes a session; what it did not let through is kept for whoever asks.
    pub(crate) async fn close_session(&self, session: &Session) {
        session.close().await;
        self.inner.refusals.keep(session);
    }

    /// What masks the secrets that were read: for whatever leaves beside the answers to calls.
    pub fn redactor(&self) -> &Redactor {
        self.inner.settings.vault.redactor()
    }

    /// The profile that an action would open, unless it is the one that was configured.
    pub(crate) fn foreign_profile(&self, action: &Action) -> Option<PathBuf> {
        let Action::Open(open) = action else { return None };
        let wanted = PathBuf::from(open.user_data_dir.as_ref()?);
        let Settings { session, engine, .. } = &self.inner.settings;
        let own = session.user_data_dir.as_ref().or(engine.launch.user_data_dir.as_ref());
        (own != Some(&wanted)).then_some(wanted)
    }

    pub(crate) fn rate(&self) -> &Rate {
        &self.inner.rate
    }

    /// Where people are asked.
    pub fn approvals(&self) -> &Arc<Approvals> {
        &self.inner.settings.approvals
    }

    pub(crate) fn running(&self) -> &Running {
        &self.inner.running
    }

    /// Stops whatever runs or waits for its turn in a session, or in all of them, and says how many calls
    /// that were. The pages stay as they are.
    pub fn stop(&self, session: Option<&str>) -> usize {
        self.running().stop(session)
    }

    pub(crate) fn audit(&self) -> Arc<dyn Audit> {
        self.inner.settings.audit.clone()
    }

    /// What happens in all sessions from now on, as it happens.
    pub fn events(&self) -> tokio::sync::broadcast::Receiver<SessionEvent> {
        self.inner.news.subscribe()
    }

    /// Tells what a person does in a session's window from now on, as `user_acted` among the events, or no
    /// more. Starts the browser if there is none, with a window if one is asked for.
    pub async fn record(&self, session: &str, how: Recording, door: &str) -> Result<(), ToolError> {
        let (name, door) = (session.to_owned(), door.to_owned());
        let entry = Entry { session: name, door, client: None, tool: "browser.record".to_owned() };
        let record = Record::open(self.audit(), entry)?;
        let ended = self.set_recording(session, how).await;
        match &ended {
            Ok(()) => record.close(Ending::Answered, how.told()),
            Err(error) => record.close(Ending::Failed(error.code), &error.told()),
        }
        ended
    }

    /// Records a call that came no further than its door, and gives back what its caller is told.
    pub fn turned_away(&self, call: &ToolCall, error: ToolError) -> ToolError {
        let (session, door, tool) = (call.session.clone(), call.door.to_owned(), call.tool.clone());
        let (client, error) = (call.client.clone(), self.redactor().error(error));
        match Record::open(self.audit(), Entry { session, door, client, tool }) {
            Ok(record) => record.close(Ending::Failed(error.code), &error.told()),
            Err(unrecorded) => return unrecorded,
        }
        error
    }

    async fn set_recording(&self, session: &str, how: Recording) -> Result<(), ToolError> {
        let _phase = self.phase().read().await;
        let desk = self.desk(session);
        let _turn = desk.turn.lock().await;
        match (how, desk.open_session()) {
            (Recording::Off, None) => Ok(()),
            (Recording::Off, Some(open)) => open.record(false).await.map_err(from_engine),
            (Recording::InWindow, None) => {
                desk.reopen(SessionOptions { headed: true, ..desk.options() }).await?;
                desk.session().record(true).await.map_err(from_engine)
            }
            _ => desk.session().record(true).await.map_err(from_engine),
        }
    }

    /// The sessions that are open now, by name.
    pub async fn sessions(&self) -> Vec<SessionInfo> {
        let desks = self.all_desks();
        let mut open = Vec::new();
        for desk in desks {
            let Some(session) = desk.open_session() else { continue };
            let tabs = session.tabs().await.map(|tabs| tabs.len()).unwrap_or_default();
            let url = match tabs {
                0 => None,
                _ => session.page().await.ok().map(|page| self.masked(page.url())),
            };
            let guard = session.guarded().to_string();
            // Whether somebody else's browser has one is theirs to know.
            let is_ours = self.inner.settings.engine.attach.is_none();
            let headless = is_ours && !desk.options().headed;
            open.push(SessionInfo { name: desk.name.clone(), url, tabs, guard, headless });
        }
        open.sort_by(|a, b| a.name.cmp(&b.name));
        open
    }

    /// What was not let through, oldest first: in sessions that have ended, then in those that are open.
    pub fn blocked(&self) -> Vec<Blocked> {
        let desks = self.all_desks();
        let known = desks.iter().filter_map(|desk| desk.last_session());
        let blocked = known.flat_map(|session| session.blocked());
        self.inner
            .refusals
            .all()
            .into_iter()
            .chain(blocked)
            .map(|one| self.masked_blocked(one))
            .collect()
    }

    fn masked(&self, text: String) -> String {
        self.redactor().mask(&text).into_owned()
    }

    /// An address may hold a secret in any of its parts.
    fn masked_blocked(&self, blocked: Blocked) -> Blocked {
        Blocked {
            host: self.masked(blocked.host),
            url: blocked.url.map(|url| self.masked(url)),
            page: blocked.page.map(|url| self.masked(url)),
            ..blocked
        }
    }

    /// Ends every session and every browser.
    pub async fn close(&self) {
        self.desks().clear();
        self.inner.engine.close().await;
    }
}

impl ToolHost for Host {
    fn call(&self, call: ToolCall) -> Called<'_> {
        Box::pin(self.guarded(call))
    }

    fn end<'a>(&'a self, session: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            let Some(desk) = self.desks().remove(session) else { return };
            // Those beside it end with it.
            self.desks().retain(|_, one| !one.is_beside(&desk));
            if let Some(session) = desk.open_session() {
                self.close_session(&session).await;
            }
        })
    }
}
