//! Sessions side by side: each has tabs of its own, all share one browser and its cookies. They are judged by
//! one guard, and end with the first.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{Engine, Live, Session, SessionInner};
use crate::context;
use crate::error::{Error, Result};
use crate::refs::Numbers;

impl Session {
    /// A session beside this one: signed in where this one is, with tabs of its own. What it is told to do
    /// does not wait for this one. It ends with this one, and nothing of this one ends with it.
    pub fn beside(&self) -> Session {
        let first = self.inner.beside.clone().unwrap_or_else(|| self.clone());
        let SessionInner { engine, options, gate, activity, .. } = &*first.inner;
        let session = Engine { inner: engine.clone() }.begin(SessionInner {
            engine: engine.clone(),
            options: options.clone(),
            gate: gate.clone(),
            terms: Mutex::new(first.inner.terms()),
            beside: Some(first.clone()),
            companions: Mutex::default(),
            live: tokio::sync::Mutex::new(None),
            notices: Mutex::new(Vec::new()),
            numbers: Numbers::default(),
            // What one of them does keeps all of them from being idle.
            activity: activity.clone(),
            events: context::events(),
            closed: tokio::sync::watch::Sender::new(false),
            recording: AtomicBool::new(false),
            joined: AtomicBool::new(false),
            banner: Mutex::default(),
        });
        let mut companions = first.inner.companions();
        companions.retain(|one| one.strong_count() > 0);
        companions.push(Arc::downgrade(&session.inner));
        drop(companions);
        session
    }

    /// Whether it is beside another, and shares that one's browser.
    pub fn is_beside(&self) -> bool {
        self.inner.beside.is_some()
    }

    /// A place in the first session's browser, which is started or replaced if need be.
    pub(super) async fn start_beside(&self, first: &Session) -> Result<Live> {
        let mut slot = first.inner.live.lock().await;
        let (Live { browser, context }, _) = Box::pin(first.live(&mut slot)).await?;
        let SessionInner { options, activity, events, .. } = &*self.inner;
        let (activity, events) = (activity.clone(), events.clone());
        let context = browser.context_beside(&context, options.viewport, activity, events);
        self.furnish(&context, self.inner.terms().keeping);
        // The first may have been closed meanwhile, and did not find us.
        match first.is_closed() {
            true => Err(Error::SessionClosed),
            false => Ok(Live { browser, context }),
        }
    }

    pub(super) async fn close_companions(&self) {
        let companions = std::mem::take(&mut *self.inner.companions());
        for inner in companions.iter().filter_map(Weak::upgrade) {
            Box::pin(Session { inner }.close()).await;
        }
    }
}

impl SessionInner {
    fn companions(&self) -> std::sync::MutexGuard<'_, Vec<Weak<SessionInner>>> {
        self.companions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
