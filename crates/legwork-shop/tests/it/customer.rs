//! A browser, and somebody who signs in at the demo store as its only customer.

use std::sync::Arc;

use legwork_demo::{PASSWORD, USERNAME};
use legwork_protocol::{Boxed, ToolCall, Warden};
use legwork_shop::errand::Trouble;
use legwork_shop::sign_in::Door;
use legwork_shop::site::{Phase, Site};
use legwork_tools::{Files, Host, Settings};
use serde_json::{Value, json};

/// A browser of its own.
pub struct Browser {
    host: Host,
    _folder: tempfile::TempDir,
}

impl Browser {
    pub fn new() -> Browser {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::in_folder(folder.path());
        Browser { host: Host::new(Settings { files, ..Settings::default() }), _folder: folder }
    }

    pub fn warden(&self) -> Arc<dyn Warden> {
        Arc::new(self.host.clone())
    }

    pub async fn close(self) {
        self.host.close().await;
    }
}

/// Signs in with the name and password that every demo store knows. Tests cannot set variables of the
/// environment, where the real door looks for them.
pub struct Customer;

impl Door for Customer {
    fn enter<'a>(
        &'a self,
        host: &'a dyn Warden,
        session: &'a str,
        site: &'a Site,
    ) -> Boxed<'a, Result<(), Trouble>> {
        Box::pin(async move {
            host.govern(&site.policy(Phase::SignIn)).await.map_err(trouble)?;
            let url = site.sign_in.as_ref().map(|form| form.url.as_str());
            call(host, session, "browser_navigate", json!({ "url": url })).await?;
            let fields = json!({ "Email": USERNAME, "Password": PASSWORD });
            let form = json!({ "fields": fields, "submit": "#sign-in-button" });
            call(host, session, "browser_fill_form", form).await?;
            host.govern(&site.policy(Phase::Shopping)).await.map_err(trouble)
        })
    }
}

async fn call(host: &dyn Warden, session: &str, tool: &str, with: Value) -> Result<(), Trouble> {
    let Value::Object(arguments) = with else { unreachable!("arguments are an object") };
    host.call(ToolCall::new(session, tool, arguments)).await.map(drop).map_err(trouble)
}

fn trouble(error: legwork_protocol::ToolError) -> Trouble {
    Trouble::Agent(error.told())
}
