//! A shopper's way to the shop: tools of one session, and after every navigation a look whether the shop
//! still knows us.

mod call;
mod dialog;
mod trouble;
mod turned;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use legwork_protocol::{
    Click, Code, Navigate, Observe, OneOrMany, PressKey, Query, Reply, Select, Snapshot, Span,
    ToolError, ToolHost, Type, Wait, WaitEvent,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

pub(crate) use call::Caller;
pub use trouble::trouble;

use crate::errand::Trouble;
use crate::page::{Page, Piece};
use crate::site::{Locator, Site};

/// Tokens of a page that are read. A shopper that reads for itself pays nothing for them.
const TOKENS: usize = 60_000;

/// How long a page may take to come to rest that has not shown what was looked for.
const REST: Duration = Duration::from_secs(3);

/// How long is waited for a button that is there.
const AT_ONCE: Duration = Duration::from_millis(700);

/// Things that may lie on top of one another.
const LAYERS: usize = 3;

/// One session in the shop.
#[derive(Clone)]
pub struct Lane {
    host: Arc<dyn ToolHost>,
    session: String,
    site: Arc<Site>,
    /// The address at the end of the last call.
    at: Arc<Mutex<String>>,
}

/// What the reply to a navigation says.
#[derive(Deserialize, Default)]
struct Arrived {
    #[serde(default)]
    url: String,
    #[serde(default)]
    status: Option<u16>,
    /// Whether a document was loaded, be it at the same address, or could not be.
    #[serde(default)]
    navigated: Option<bool>,
    /// The kind of dialog that waits for an answer.
    #[serde(default)]
    dialog: Option<String>,
}

/// What the reply to a snapshot says.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Seen {
    url: String,
    title: String,
    page: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Counted {
    count: usize,
}

impl Lane {
    /// A lane in a session of this host.
    pub fn new(host: Arc<dyn ToolHost>, session: &str, site: Arc<Site>) -> Lane {
        Lane { host, session: session.to_owned(), site, at: Arc::default() }
    }

    /// The shop.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The session.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Calls a tool. If the page is another one then, it is asked whether the shop still knows us:
    /// [`Trouble::SignedOut`] if not.
    pub async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Result<Reply, Trouble> {
        let reply = self.ask(tool, &arguments).await.map_err(trouble)?;
        self.arrived(tool, &reply).await?;
        Ok(reply)
    }

    /// Calls a tool for somebody who can make something of an error: only what nobody can go on from is a
    /// trouble. What the page asks because of it is theirs to answer, with the next call at the latest. Else as
    /// [`Lane::call`].
    pub async fn attempt(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Result<Reply, ToolError>, Trouble> {
        let answer = self.caller().call_past_dialogs(tool, &arguments).await;
        match &answer {
            // A page that waits for an answer shows who is known there when it has it.
            Ok(reply) if read::<Arrived>(reply).dialog.is_some() => {}
            // A page that leads on by itself to where nobody may go is no end of the errand.
            Ok(reply) => match self.arrived(tool, reply).await {
                Err(Trouble::Agent(why)) => return Ok(Err(ToolError::new(Code::Denied, why))),
                other => other?,
            },
            Err(error) if trouble::is_gone(error.code) => return Err(trouble(error.clone())),
            Err(_) => {}
        }
        Ok(answer)
    }

    /// Looks whether a call led to another page, and what that says of the shop and of us.
    async fn arrived(&self, tool: &str, reply: &Reply) -> Result<(), Trouble> {
        if self.has_moved(tool, reply) {
            let arrived: Arrived = read(reply);
            trouble::of_status(arrived.status, self.site.signed_in.is_some())?;
            if !is_missing(arrived.status) {
                self.check(None).await?;
            }
        }
        Ok(())
    }

    /// Goes to an address and reads the page there. Its status says whether there is such a page.
    pub async fn go(&self, url: &Url) -> Result<Page, Trouble> {
        let go = Navigate { url: url.to_string(), timeout: None, observe: Some(Observe::None) };
        let reply = match self.ask("browser_navigate", &go).await {
            Err(error) if error.code == Code::Denied => return Err(self.refused(url, error).await),
            other => other.map_err(trouble)?,
        };
        self.has_moved("browser_navigate", &reply);
        let arrived: Arrived = read(&reply);
        // What is shown is still the page that asked whether it may be left.
        if arrived.dialog.as_deref() == Some(dialog::LEAVING) {
            return Err(Trouble::Network(format!("{url} took too long to load")));
        }
        trouble::of_status(arrived.status, self.site.signed_in.is_some())?;
        let mut page = self.look().await?;
        page.status = arrived.status;
        if !is_missing(arrived.status) {
            self.check(Some(&page)).await?;
        }
        Ok(page)
    }

    /// Why a page of the shop may not be gone to. Who is not signed in any more is sent to sign in, which an
    /// agent may not reach: the first page of the shop tells, or the rule that it was.
    async fn refused(&self, url: &Url, error: ToolError) -> Trouble {
        if !self.site.is_shop_page(url) {
            return trouble(error);
        }
        if self.site.signed_in.is_none() {
            let mut signing_in = self.site.paths.sign_in.iter();
            return match signing_in.any(|path| error.message.ends_with(&format!("{path:?}"))) {
                true => Trouble::SignedOut,
                false => trouble(error),
            };
        }
        let go = Navigate {
            url: self.site.home.to_string(),
            timeout: None,
            observe: Some(Observe::None),
        };
        match self.ask("browser_navigate", &go).await {
            Err(error) => trouble(error),
            Ok(_) => match self.check(None).await {
                Err(Trouble::SignedOut) => Trouble::SignedOut,
                _ => trouble(error),
            },
        }
    }

    /// Reads the page as it is.
    pub async fn look(&self) -> Result<Page, Trouble> {
        let look = whole();
        let reply = self.ask("browser_snapshot", &look).await.map_err(trouble)?;
        let Seen { url, title, page } = read(&reply);
        Ok(Page::read(&url, &title, &page))
    }

    /// Lets the page come to rest, within bounds, and reads it again.
    pub async fn look_at_rest(&self) -> Result<Page, Trouble> {
        self.rest().await;
        self.look().await
    }

    async fn rest(&self) {
        let (event, timeout) = (Some(WaitEvent::NetworkQuiet), Some(Span(REST)));
        let wait = Wait { event, timeout, observe: Some(Observe::None), ..Wait::default() };
        // A page that never rests is read as it is.
        let _ = self.ask("browser_wait", &wait).await;
    }

    /// Presses what has this ref. What lies on top of it is put away first, if it can be. If that loads a
    /// page, it is asked whether the shop still knows us, as by all that acts here.
    pub async fn click(&self, reference: &str) -> Result<(), Trouble> {
        let click =
            Click { target: reference.into(), observe: Some(Observe::Change), ..Click::default() };
        let mut ended = self.ask("browser_click", &click).await;
        for _ in 0..LAYERS {
            match &ended {
                Err(error) if is_covered(error) => self.put_away().await.map_err(trouble)?,
                _ => break,
            }
            ended = self.ask("browser_click", &click).await;
        }
        self.arrived("browser_click", &ended.map_err(trouble)?).await
    }

    /// Empties a field and types.
    pub async fn fill(&self, reference: &str, text: &str) -> Result<(), Trouble> {
        let (target, text) = (reference.to_owned(), text.to_owned());
        let fill =
            Type { target, text, clear: true, observe: Some(Observe::None), ..Type::default() };
        self.act("browser_type", &fill).await
    }

    /// Chooses in a list.
    pub async fn choose(&self, reference: &str, option: &str) -> Result<(), Trouble> {
        let choose = Select {
            target: reference.into(),
            option: OneOrMany(vec![option.into()]),
            by: Default::default(),
            observe: Some(Observe::None),
            timeout: None,
        };
        self.act("browser_select", &choose).await
    }

    /// Presses Enter in a field.
    pub async fn enter(&self, reference: &str) -> Result<(), Trouble> {
        let (key, target) = ("Enter".to_owned(), Some(reference.to_owned()));
        let press = PressKey { key, target, observe: Some(Observe::Change), timeout: None };
        self.act("browser_press_key", &press).await
    }

    async fn act(&self, tool: &str, arguments: &impl Serialize) -> Result<(), Trouble> {
        let reply = self.ask(tool, arguments).await.map_err(trouble)?;
        self.arrived(tool, &reply).await
    }

    /// Puts away the dialogs that a page shows, as far as they can be, the last one first.
    pub async fn clear(&self, page: &Page) {
        for target in dismissals(page).into_iter().rev() {
            // What cannot be put away is still there, and what needs it away says so.
            let _ = self.dismiss(target).await;
        }
    }

    async fn dismiss(&self, target: String) -> Result<(), ToolError> {
        let (observe, timeout) = (Some(Observe::None), Some(Span(AT_ONCE)));
        let click = Click { target, observe, timeout, ..Click::default() };
        self.ask("browser_click", &click).await.map(drop)
    }

    /// Puts away what lies on top of the page: a newsletter, a question about cookies.
    async fn put_away(&self) -> Result<(), ToolError> {
        let look = whole();
        let Seen { page, .. } = read(&self.ask("browser_snapshot", &look).await?);
        for target in dismissals(&Page::read("", "", &page)).into_iter().rev() {
            match self.dismiss(target).await {
                Err(error) if is_covered(&error) => {}
                other => return other,
            }
        }
        let (key, observe) = ("Escape".to_owned(), Some(Observe::None));
        let press = PressKey { key, target: None, observe, timeout: None };
        self.ask("browser_press_key", &press).await.map(drop)
    }

    /// Calls a tool, and answers what the page asks before and because of it.
    async fn ask(&self, tool: &str, arguments: &impl Serialize) -> Result<Reply, ToolError> {
        let reply = self.caller().call_past_dialogs(tool, arguments).await?;
        self.caller().go_on(reply).await
    }

    fn caller(&self) -> Caller<'_> {
        Caller { host: self.host.as_ref(), session: &self.session, door: "shop" }
    }

    /// Whether another page is there than after the call before.
    fn has_moved(&self, tool: &str, reply: &Reply) -> bool {
        let Arrived { url, navigated, .. } = read(reply);
        let went = ["navigate", "back", "forward", "reload"];
        let went = navigated == Some(true) || went.contains(&tool.trim_start_matches("browser_"));
        // An error page of the browser says nothing of the shop.
        if url.is_empty() || navigated == Some(false) {
            return went;
        }
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        let moved = went || *at != url;
        *at = url;
        moved
    }

    /// Whether the shop still knows us, where there is a way to tell. What is drawn late is waited for.
    async fn check(&self, page: Option<&Page>) -> Result<(), Trouble> {
        let Some(sign) = &self.site.signed_in else { return Ok(()) };
        if self.shows(sign, page).await? {
            return Ok(());
        }
        self.rest().await;
        if self.shows(sign, None).await? { Ok(()) } else { Err(Trouble::SignedOut) }
    }

    async fn shows(&self, sign: &Locator, page: Option<&Page>) -> Result<bool, Trouble> {
        let label = match sign {
            Locator::Selector(selector) => {
                let query = Query { target: selector.clone(), limit: Some(1) };
                let reply = self.ask("browser_query", &query).await.map_err(trouble)?;
                return Ok(read::<Counted>(&reply).count > 0);
            }
            Locator::Label(label) => label.to_lowercase(),
        };
        // A product may be called anything; what one presses is the shop's own.
        let says = |piece: &Piece| match piece {
            Piece::Link { name, .. } | Piece::Button { name, .. } => {
                name.trim().to_lowercase() == label
            }
            _ => false,
        };
        let named = |page: &Page| page.pieces().any(says);
        match page {
            Some(page) => Ok(named(page)),
            None => Ok(named(&self.look().await?)),
        }
    }
}

/// All of a page: also what lies behind something else.
fn whole() -> Snapshot {
    Snapshot { links: true, behind: true, max_tokens: Some(TOKENS), ..Snapshot::default() }
}

/// Whether something else lies on top.
fn is_covered(error: &ToolError) -> bool {
    matches!(error.code, Code::Intercepted | Code::NotActionable)
}

/// The buttons that put a dialog away. Nothing is agreed to where anything can be declined.
fn dismissals(page: &Page) -> Vec<String> {
    let words = crate::shopper::words();
    let called = |names: &[String]| -> Vec<String> {
        let pieces = page.within("dialog").into_iter().flat_map(|line| &line.pieces);
        let buttons = pieces.filter_map(|piece| match piece {
            Piece::Button { name, reference, enabled: true } => Some((name, reference)),
            _ => None,
        });
        let named = buttons.filter(|(name, _)| names.contains(&name.trim().to_lowercase()));
        named.map(|(_, reference)| reference.clone()).collect()
    };
    let declining = called(&words.dismiss);
    if declining.is_empty() { called(&words.acknowledge) } else { declining }
}

fn is_missing(status: Option<u16>) -> bool {
    matches!(status, Some(404 | 410))
}

/// What a reply says to programs; nothing where it says nothing.
fn read<T: for<'d> Deserialize<'d> + Default>(reply: &Reply) -> T {
    serde_json::from_value(reply.data.clone()).unwrap_or_default()
}
