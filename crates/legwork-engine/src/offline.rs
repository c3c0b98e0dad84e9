//! Off the network and back on it, for all of a session: its tabs, their frames in other processes and their
//! workers, those that are there and those that come.

use std::sync::atomic::Ordering;

use legwork_cdp::{Session, network};

use crate::context::Context;
use crate::error::Result;
use crate::page::{ACTION, Page};

impl Page {
    /// Takes the session off the network, or back on it.
    pub async fn set_offline(&self, offline: bool) -> Result<()> {
        self.context()?.offline.store(offline, Ordering::SeqCst);
        let attached = self.session.attached().await;
        let sent = attached.iter().map(|one| {
            // A worker keeps no conditions before its network is told of.
            one.notify(&network::Enable::default());
            (one.id(), one.send(&conditions(offline)).within(ACTION))
        });
        for (id, answered) in sent.collect::<Vec<_>>() {
            let answered = answered.await;
            // Of the others, what has ended meanwhile asks for nothing any more.
            if id == self.tab.session.id() {
                answered?;
            }
        }
        Ok(())
    }
}

/// Keeps what is new in a context as the others are.
pub(crate) fn begin(session: &Session, context: &Context) {
    if context.offline.load(Ordering::SeqCst) {
        session.notify(&network::Enable::default());
        session.notify(&conditions(true));
    }
}

fn conditions(offline: bool) -> network::EmulateNetworkConditions {
    network::EmulateNetworkConditions {
        offline,
        latency: 0.0,
        download_throughput: -1.0,
        upload_throughput: -1.0,
        ..Default::default()
    }
}
