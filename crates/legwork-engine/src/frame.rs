//! The frames of a page, across processes: who is whose child, which document is in it, and through
//! which execution context our walker can be called there.

use std::collections::HashMap;

use legwork_cdp::{ExecutionContextId, FrameId, LoaderId, Session};

use crate::adopt::Listening;

/// One frame and the document in it.
#[derive(Clone)]
pub(crate) struct Frame {
    pub(crate) id: FrameId,
    pub(crate) parent: Option<FrameId>,
    /// The protocol session that serves it: the page's own, or that of another process.
    pub(crate) session: Session,
    pub(crate) url: String,
    pub(crate) loader: Option<LoaderId>,
    /// Unique id of the isolated world in which the walker lives.
    pub(crate) world: Option<WorldId>,
    /// Unique id of the page's own world. Only there does Chrome tell the page's listeners.
    pub(crate) main: Option<String>,
    /// Name under which the parent's walker knows this frame.
    pub(crate) key: u32,
    /// The document of the parent that was told the key.
    pub(crate) adopted_by: Option<String>,
    /// What is known of the document's listeners.
    pub(crate) listening: Option<Listening>,
    pub(crate) loaded: bool,
    pub(crate) dom_ready: bool,
    /// HTTP status of the document with that loader; it is told before the document is there.
    pub(crate) answer: Option<(LoaderId, i64)>,
    /// The address that could not be loaded, when the document only tells so.
    pub(crate) unreachable: Option<String>,
}

impl Frame {
    /// HTTP status of the document that is there.
    pub(crate) fn status(&self) -> Option<i64> {
        let (loader, status) = self.answer.as_ref()?;
        (self.loader.as_ref() == Some(loader)).then_some(*status)
    }
}

/// The execution context of a walker: unique for all time, and the number its session knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorldId {
    pub(crate) unique: String,
    pub(crate) number: ExecutionContextId,
}

/// All frames of one page.
#[derive(Default)]
pub(crate) struct Frames {
    all: HashMap<FrameId, Frame>,
    root: Option<FrameId>,
    next_key: u32,
}

impl Frames {
    pub(crate) fn root(&self) -> Option<&Frame> {
        self.root.as_ref().and_then(|id| self.all.get(id))
    }

    pub(crate) fn is_root(&self, id: &FrameId) -> bool {
        self.root.as_ref() == Some(id)
    }

    pub(crate) fn get(&self, id: &FrameId) -> Option<&Frame> {
        self.all.get(id)
    }

    pub(crate) fn get_mut(&mut self, id: &FrameId) -> Option<&mut Frame> {
        self.all.get_mut(id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Frame> {
        self.all.values()
    }

    pub(crate) fn by_world(&self, world: &str) -> Option<&Frame> {
        self.all.values().find(|frame| frame.world.as_ref().is_some_and(|w| w.unique == world))
    }

    /// The frame that the walker knows by that key.
    pub(crate) fn with_key(&self, key: &str) -> Option<FrameId> {
        self.all.values().find(|frame| frame.key.to_string() == key).map(|frame| frame.id.clone())
    }

    /// The frame of that id, made when it is new; the one without a parent is the root.
    pub(crate) fn enter(
        &mut self,
        id: FrameId,
        parent: Option<FrameId>,
        session: &Session,
    ) -> &mut Frame {
        if parent.is_none() && self.root.is_none() {
            self.root = Some(id.clone());
        }
        self.next_key += 1;
        let key = self.next_key;
        let frame = self.all.entry(id.clone()).or_insert_with(|| Frame {
            id,
            parent: None,
            session: session.clone(),
            url: String::new(),
            loader: None,
            world: None,
            main: None,
            key,
            adopted_by: None,
            listening: None,
            loaded: false,
            dom_ready: false,
            answer: None,
            unreachable: None,
        });
        if frame.session.id() != session.id() {
            frame.session = session.clone();
            frame.world = None;
            frame.main = None;
        }
        frame.parent = frame.parent.take().or(parent);
        frame
    }

    /// Removes a frame and everything below it.
    pub(crate) fn leave(&mut self, id: &FrameId) {
        self.all.remove(id);
        let children: Vec<FrameId> = self
            .all
            .values()
            .filter(|frame| frame.parent.as_ref() == Some(id))
            .map(|frame| frame.id.clone())
            .collect();
        for child in children {
            self.leave(&child);
        }
    }

    /// Forgets contexts of a session, or one of them.
    pub(crate) fn forget_worlds(&mut self, session: &Session, world: Option<&str>) {
        for frame in self.all.values_mut().filter(|frame| frame.session.id() == session.id()) {
            let this = frame.world.as_ref().map(|world| world.unique.as_str());
            if world.is_none() || this == world {
                frame.world = None;
            }
            if world.is_none() || frame.main.as_deref() == world {
                frame.main = None;
            }
        }
    }

    /// Children in the order they came.
    pub(crate) fn children(&self, id: &FrameId) -> Vec<&Frame> {
        let mut children: Vec<&Frame> =
            self.all.values().filter(|frame| frame.parent.as_ref() == Some(id)).collect();
        children.sort_by_key(|frame| frame.key);
        children
    }
}
