//! The yardstick: the same Chrome with the same flags, driven by nothing but protocol commands.

use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use command_fds::{CommandFdExt, FdMapping};
use legwork_cdp::input::DispatchMouseEvent;
use legwork_cdp::{
    BrowserContextId, Connection, Handler, RawEvent, Session, Transport, browser, page, runtime,
    target,
};
use tokio::process::{Child, Command};
use tokio::sync::broadcast;

/// How the engine starts its Chrome.
pub struct Template {
    path: String,
    args: Vec<String>,
}

impl Template {
    /// Reads it off the engine's own process: `sh -c script name`, three folders, Chrome, its arguments.
    pub fn of(supervisor: u32) -> Result<Template> {
        let line = std::fs::read_to_string(format!("/proc/{supervisor}/cmdline"))?;
        let mut words = line.split_terminator('\0').skip(7).map(str::to_owned);
        let path = words.next().context("the supervisor's command line is not as expected")?;
        let args = words.filter(|arg| !arg.starts_with("--user-data-dir=")).collect();
        Ok(Template { path, args })
    }
}

/// Passes on which events came, and from which session.
struct Listener(broadcast::Sender<(Option<String>, String)>);

impl Handler for Listener {
    fn event(&self, event: RawEvent<'_>) {
        let _ = self.0.send((event.session.map(str::to_owned), event.method.to_owned()));
    }
}

/// A Chrome and the connection to it.
pub struct Browser {
    connection: Connection,
    events: broadcast::Sender<(Option<String>, String)>,
    child: tokio::sync::Mutex<Child>,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub async fn launch(template: &Template) -> Result<Browser> {
        let profile = tempfile::Builder::new().prefix("legwork-bench-profile-").tempdir()?;
        let (theirs_read, ours_write) = std::io::pipe()?;
        let (ours_read, theirs_write) = std::io::pipe()?;
        let mut command = Command::new(&template.path);
        command
            .args(&template.args)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .fd_mappings(vec![
                FdMapping { parent_fd: theirs_read.into(), child_fd: 3 },
                FdMapping { parent_fd: theirs_write.into(), child_fd: 4 },
            ])?;
        let child = command.spawn()?;
        drop(command);
        let transport = Transport::pipe(OwnedFd::from(ours_write), OwnedFd::from(ours_read))?;
        let (events, _) = broadcast::channel(4096);
        let connection = Connection::open(transport, Arc::new(Listener(events.clone())));
        Ok(Browser { connection, events, child: child.into(), _profile: profile })
    }

    pub async fn context(&self) -> Result<BrowserContextId> {
        let make =
            target::CreateBrowserContext { dispose_on_detach: Some(true), ..Default::default() };
        Ok(self.connection.root().send(&make).await?.browser_context_id)
    }

    pub async fn dispose(&self, context: BrowserContextId) -> Result<()> {
        let dispose = target::DisposeBrowserContext { browser_context_id: context };
        self.connection.root().send(&dispose).await?;
        Ok(())
    }

    /// A tab with the page domain on.
    pub async fn page(&self, context: Option<BrowserContextId>) -> Result<Page> {
        let root = self.connection.root();
        let create = target::CreateTarget {
            url: "about:blank".into(),
            browser_context_id: context,
            ..Default::default()
        };
        let target_id = root.send(&create).await?.target_id;
        let attach = target::AttachToTarget { target_id, flatten: Some(true) };
        let session = self.connection.session(root.send(&attach).await?.session_id);
        session.send(&page::Enable::default()).await?;
        Ok(Page { session, events: self.events.clone() })
    }

    pub async fn close(&self) {
        let _ = self.connection.root().send(&browser::Close {}).await;
        let mut child = self.child.lock().await;
        if tokio::time::timeout(Duration::from_secs(3), child.wait()).await.is_err() {
            let _ = child.kill().await;
        }
    }
}

/// A tab.
#[derive(Clone)]
pub struct Page {
    pub session: Session,
    events: broadcast::Sender<(Option<String>, String)>,
}

impl Page {
    /// Goes there and waits for the load event.
    pub async fn navigate(&self, url: &str) -> Result<()> {
        let mut events = self.events.subscribe();
        let go = page::Navigate { url: url.to_owned(), ..Default::default() };
        let answered = self.session.send(&go);
        let own = self.session.id().map(|id| id.as_str());
        let loaded = async {
            loop {
                let (session, method) = events.recv().await?;
                if method == "Page.loadEventFired" && session.as_deref() == own {
                    return Ok::<(), anyhow::Error>(());
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(60), loaded).await??;
        match answered.await?.error_text {
            Some(error) => bail!("{url}: {error}"),
            None => Ok(()),
        }
    }

    pub async fn evaluate(&self, expression: &str) -> Result<String> {
        let command = runtime::Evaluate {
            expression: expression.to_owned(),
            return_by_value: Some(true),
            ..Default::default()
        };
        let reply = self.session.send(&command).await?;
        Ok(reply.result.value.map(|value| value.get().to_owned()).unwrap_or_default())
    }

    /// Left, top, width and height of an element.
    pub async fn area(&self, selector: &str) -> Result<page::Viewport> {
        let expression = format!(
            "(() => {{ const b = document.querySelector({selector:?}).getBoundingClientRect(); \
             return [b.x, b.y, b.width, b.height] }})()"
        );
        let [x, y, width, height] = serde_json::from_str(&self.evaluate(&expression).await?)?;
        Ok(page::Viewport { x, y, width, height, scale: 1.0 })
    }

    /// Move, press and release, sent together and awaited together.
    pub async fn click(&self, at: &page::Viewport) -> Result<()> {
        let (x, y) = (at.x + at.width / 2.0, at.y + at.height / 2.0);
        let event = |kind: &str, count: Option<i64>| DispatchMouseEvent {
            kind: kind.into(),
            x,
            y,
            button: count.map(|_| "left".into()),
            click_count: count,
            ..Default::default()
        };
        let moved = self.session.send(&event("mouseMoved", None));
        let pressed = self.session.send(&event("mousePressed", Some(1)));
        let released = self.session.send(&event("mouseReleased", Some(1)));
        tokio::try_join!(moved, pressed, released)?;
        Ok(())
    }
}
