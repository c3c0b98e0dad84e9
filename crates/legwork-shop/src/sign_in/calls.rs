//! The few things a sign-in does in a browser.

use std::time::Duration;

use legwork_protocol::{
    Code, Navigate, Observe, Reply, Span, ToolError, ToolHost, Wait, WaitState,
};
use serde::Serialize;

use crate::errand::Trouble;
use crate::lane::{Caller, trouble};
use crate::site::{Locator, Site};

/// What a page may take to show that one is signed in, after it has come to rest.
const SOON: Duration = Duration::from_secs(2);

/// One session, and the shop it is in.
#[derive(Clone, Copy)]
pub(super) struct Calls<'a> {
    pub(super) tools: Caller<'a>,
    pub(super) site: &'a Site,
}

impl<'a> Calls<'a> {
    pub(super) fn new(host: &'a dyn ToolHost, session: &'a str, site: &'a Site) -> Calls<'a> {
        Calls { tools: Caller { host, session, door: "sign-in" }, site }
    }

    pub(super) async fn open(&self, url: &url::Url) -> Result<(), Trouble> {
        let go = Navigate { url: url.to_string(), timeout: None, observe: Some(Observe::None) };
        self.call("browser_navigate", &go).await.map(drop).map_err(trouble)
    }

    /// Calls a tool where nobody sits at the browser: what the page asks is answered.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: &impl Serialize,
    ) -> Result<Reply, ToolError> {
        let reply = self.tools.call_past_dialogs(tool, arguments).await?;
        self.tools.go_on(reply).await
    }

    /// Opens the first page of the shop and looks whether it knows us.
    pub(super) async fn is_known_at_home(&self, check: &Locator) -> Result<bool, Trouble> {
        self.open(&self.site.home).await?;
        self.becomes(check, WaitState::Attached, SOON).await
    }

    /// Whether something comes to be in a state in time.
    pub(super) async fn becomes(
        &self,
        what: &Locator,
        state: WaitState,
        time: Duration,
    ) -> Result<bool, Trouble> {
        let (target, state) = (Some(target(what)), Some(state));
        let (timeout, observe) = (Some(Span(time)), Some(Observe::None));
        let wait = Wait { target, state, timeout, observe, ..Wait::default() };
        match self.tools.call("browser_wait", &wait).await {
            Ok(_) => Ok(true),
            Err(error) if matches!(error.code, Code::Timeout | Code::NotFound) => Ok(false),
            Err(error) => Err(trouble(error)),
        }
    }
}

/// Where something is, in the words of the tools.
pub(super) fn target(what: &Locator) -> String {
    match what {
        Locator::Label(words) => words.clone(),
        Locator::Selector(css) => format!("css={css}"),
    }
}
