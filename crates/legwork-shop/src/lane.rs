//! A shopper's way to the shop: tools of one session, and after every navigation a look whether the shop
//! still knows us.

use std::sync::Arc;

use legwork_protocol::{Reply, ToolCall, ToolHost};
use serde_json::{Map, Value};

use crate::errand::Trouble;
use crate::site::Site;

/// One session in the shop.
#[derive(Clone)]
pub struct Lane {
    host: Arc<dyn ToolHost>,
    session: String,
    site: Arc<Site>,
}

impl Lane {
    /// A lane in a session of this host.
    pub fn new(host: Arc<dyn ToolHost>, session: &str, site: Arc<Site>) -> Lane {
        Lane { host, session: session.to_owned(), site }
    }

    /// The shop.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The session.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Calls a tool.
    pub async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Result<Reply, Trouble> {
        let call = ToolCall { door: "shop", ..ToolCall::new(&self.session, tool, arguments) };
        self.host.call(call).await.map_err(|error| Trouble::Agent(error.told()))
    }
}
