//! What the pages of a session say at their top.

use std::sync::PoisonError;

use tokio::task::JoinSet;

use super::Session;
use crate::banner;

impl Session {
    /// The same session, whose pages show this at their top once there are some.
    pub fn with_banner(self, text: Option<String>) -> Session {
        *self.inner.banner.lock().unwrap_or_else(PoisonError::into_inner) = text;
        self
    }

    /// Every page shows this at its top from now on, also those of browsers to come; nothing more if it is
    /// empty. It needs no browser, and starts none.
    pub async fn banner(&self, text: &str) {
        *self.inner.banner.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.to_owned());
        let mut shown = JoinSet::new();
        if let Some(live) = self.inner.live.lock().await.as_ref() {
            let tabs = live.context.update(|inner| {
                inner.banner = Some(text.to_owned());
                inner.tabs.clone()
            });
            tabs.iter().for_each(|tab| drop(shown.spawn(banner::show(tab, text))));
        }
        shown.join_all().await;
    }
}
