//! The few things a sign-in does in a browser.

use std::time::Duration;

use legwork_protocol::{Code, Reply, ToolCall, ToolError, Warden};
use serde_json::{Map, Value, json};

use crate::errand::Trouble;
use crate::site::{Locator, Site};

/// What a page may take to show that one is signed in, after it has come to rest.
const SOON: Duration = Duration::from_secs(2);

/// One session, and the shop it is in.
#[derive(Clone, Copy)]
pub(super) struct Calls<'a> {
    pub(super) host: &'a dyn Warden,
    pub(super) session: &'a str,
    pub(super) site: &'a Site,
}

impl Calls<'_> {
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Result<Reply, ToolError> {
        let arguments: Map<String, Value> = match arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        let call = ToolCall { door: "sign-in", ..ToolCall::new(self.session, tool, arguments) };
        self.host.call(call).await
    }

    pub(super) async fn open(&self, url: &url::Url) -> Result<(), Trouble> {
        let arguments = json!({ "url": url.as_str(), "observe": "none" });
        self.call("browser_navigate", arguments).await.map(|_| ()).map_err(trouble)
    }

    /// Opens the first page of the shop and looks whether it knows us.
    pub(super) async fn is_known_at_home(&self, check: &Locator) -> Result<bool, Trouble> {
        self.open(&self.site.home).await?;
        self.appears(check, SOON).await
    }

    /// Whether something is in the page, or comes to be in time.
    pub(super) async fn appears(&self, what: &Locator, time: Duration) -> Result<bool, Trouble> {
        self.becomes(what, "attached", time).await
    }

    /// Whether something comes to be in a state in time.
    pub(super) async fn becomes(
        &self,
        what: &Locator,
        state: &str,
        time: Duration,
    ) -> Result<bool, Trouble> {
        let timeout = format!("{}ms", time.as_millis());
        let wait = json!({
            "target": target(what), "state": state, "timeout": timeout, "observe": "none",
        });
        match self.call("browser_wait", wait).await {
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

/// What a failed call means for a sign-in.
pub(super) fn trouble(error: ToolError) -> Trouble {
    match error.code {
        Code::NavigationFailed
        | Code::BrowserCrashed
        | Code::PageCrashed
        | Code::PageClosed
        | Code::SessionClosed => Trouble::Network(error.told()),
        Code::Timeout => Trouble::TimedOut(error.told()),
        _ => Trouble::Agent(error.told()),
    }
}
