//! One errand under way: where it goes, and what tries to steer it there.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use url::Url;

use crate::errand::{Errand, Floor, Stage, Trouble};
use crate::page::Page;
use crate::steering;
use crate::summary::Steering;

/// An errand under way.
pub(super) struct Walk<'a> {
    pub(super) errand: &'a Errand,
    pub(super) floor: &'a Floor<'a>,
    /// Attempts that were told.
    steered: Mutex<HashSet<String>>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(errand: &'a Errand, floor: &'a Floor<'a>) -> Walk<'a> {
        Walk { errand, floor, steered: Mutex::default() }
    }

    pub(super) fn tell(&self, stage: Stage) {
        (self.floor.told)(stage);
    }

    /// Goes to a page and reads it.
    pub(super) async fn go(&self, url: &Url) -> Result<Page, Trouble> {
        let page = self.floor.lane.go(url).await?;
        self.notice(&page).await;
        Ok(page)
    }

    /// Tells once of everything on a page that addresses whoever shops, and of names that read otherwise than
    /// they look.
    pub(super) async fn notice(&self, page: &Page) {
        let said = page.lines.iter().flat_map(|line| steering::attempts(&line.text()));
        let turned = self.floor.lane.turned().await;
        let turned = turned.iter().map(|name| steering::misleading(name));
        for attempt in said.chain(turned) {
            let mut steered = self.steered.lock().unwrap_or_else(PoisonError::into_inner);
            if steered.insert(attempt.clone()) {
                let (item, url) = (self.errand.item.name.clone(), page.url.clone());
                self.tell(Stage::Steered(Steering { item, url, attempt }));
            }
        }
    }
}
