//! What an engine and a session are told before they start.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::context::Viewport;
use crate::download::Keeping;
use crate::guard::Guard;
use crate::guard::resolve::Resolver;
use crate::launch::Launch;
use crate::permission::Grant;
use crate::settle::Bounds;

/// How sessions behave unless told otherwise.
#[derive(Clone)]
pub struct Config {
    /// How the shared Chrome is started.
    pub launch: Launch,
    /// A Chrome somebody else started, by `ws://` or `http://host:port`.
    pub attach: Option<String>,
    /// Headers for that connection, as grids want them.
    pub attach_headers: Vec<(String, String)>,
    /// Closes a session that nobody used for this long.
    pub idle: Duration,
    /// Ends a shared Chrome that has had no session for this long.
    pub linger: Duration,
    /// Bounds for settling.
    pub bounds: Bounds,
    /// Parent of the sessions' download folders.
    pub downloads: Option<PathBuf>,
    /// Looks names up for guarded sessions; the system does if nothing is said.
    pub resolver: Option<Arc<dyn Resolver>>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            launch: Launch::default(),
            attach: None,
            attach_headers: Vec::new(),
            idle: Duration::from_secs(30 * 60),
            linger: Duration::from_secs(30),
            bounds: Bounds::default(),
            downloads: None,
            resolver: None,
        }
    }
}

impl std::fmt::Debug for Config {
    /// Headers carry credentials: only their names are shown.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let headers: Vec<&str> = self.attach_headers.iter().map(|(name, _)| &**name).collect();
        out.debug_struct("Config")
            .field("launch", &self.launch)
            .field("attach", &self.attach.is_some())
            .field("attach_headers", &headers)
            .field("idle", &self.idle)
            .field("linger", &self.linger)
            .field("bounds", &self.bounds)
            .field("downloads", &self.downloads)
            .field("resolver", &self.resolver)
            .finish()
    }
}

/// What one session wants for itself.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// Shows a window.
    pub headed: bool,
    /// A profile directory that outlives the session. Holds cookies and passwords.
    pub user_data_dir: Option<PathBuf>,
    /// A Chrome process of its own.
    pub isolate: bool,
    /// Size of the window.
    pub viewport: Viewport,
    /// How long an element is outlined before it is acted on. If nothing is said, a moment in a window
    /// that can be seen, and not at all without one.
    pub highlight: Option<Duration>,
    /// Which downloads are kept.
    pub keeping: Keeping,
    /// What its pages are given that Chrome would ask for; left to Chrome if nothing is said.
    pub permissions: Option<Vec<Grant>>,
    /// What it may reach; everything if nothing is said.
    pub guard: Option<Arc<dyn Guard>>,
}
