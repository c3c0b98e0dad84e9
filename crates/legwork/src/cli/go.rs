//! Commands that move between pages: addresses, history, tabs, dialogs, waiting, the window.

use std::path::Path;

use clap::{Args, Subcommand, ValueEnum};
use legwork_protocol as tool;

use super::call::{Call, Observing, Shared, absolute, span};

/// Commands that move.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Opens a URL and shows the page; starts the browser if need be
    #[command(
        after_help = "Example:\n  legwork open http://localhost:3000\n  legwork --headed open https://example.com"
    )]
    Open {
        /// Address
        url: String,
        #[command(flatten)]
        observing: Observing,
    },
    /// Goes back in the tab's history
    #[command(after_help = "Example:\n  legwork back")]
    Back(Observing),
    /// Goes forward in the tab's history
    #[command(after_help = "Example:\n  legwork forward")]
    Forward(Observing),
    /// Loads the page again
    #[command(after_help = "Example:\n  legwork reload")]
    Reload(Observing),
    /// Lists, opens, switches to or closes tabs
    #[command(
        after_help = "Example:\n  legwork tabs\n  legwork tabs new https://example.com\n  legwork tabs select 2"
    )]
    Tabs {
        /// What to do with tabs
        #[command(subcommand)]
        action: Option<TabAction>,
        #[command(flatten)]
        observing: Observing,
    },
    /// Answers the open alert, confirm, prompt or "leave page?" dialog
    #[command(
        after_help = "Example:\n  legwork dialog accept\n  legwork dialog accept \"My name\"\n  legwork dialog dismiss"
    )]
    Dialog {
        /// OK or Cancel
        #[arg(value_enum)]
        answer: Answer,
        /// Text for a prompt
        text: Option<String>,
        #[command(flatten)]
        observing: Observing,
    },
    /// Waits for one thing: an element, text, address, event, condition or time
    #[command(
        after_help = "Example:\n  legwork wait .dashboard-header\n  legwork wait --text \"Order placed\"\n  legwork wait --url */done --timeout 30s"
    )]
    Wait(Wait),
    /// Sets the viewport's size
    #[command(after_help = "Example:\n  legwork resize 390x844")]
    Resize {
        /// Such as 1280x720
        #[arg(value_parser = size)]
        size: (i64, i64),
        /// Device pixels per CSS pixel
        #[arg(long)]
        scale: Option<f64>,
    },
    /// Closes the session: its tabs, cookies and storage are gone
    #[command(after_help = "Example:\n  legwork close\n  legwork --session shop close")]
    Close,
}

/// What to do with tabs.
#[derive(Debug, Subcommand)]
pub enum TabAction {
    /// Lists them
    #[command(after_help = "Example:\n  legwork tabs list")]
    List,
    /// Opens one
    #[command(after_help = "Example:\n  legwork tabs new https://example.com")]
    New {
        /// Address
        url: Option<String>,
    },
    /// Brings one to the front
    #[command(after_help = "Example:\n  legwork tabs select 2")]
    Select {
        /// Its number
        tab: usize,
    },
    /// Closes one
    #[command(after_help = "Example:\n  legwork tabs close 2")]
    Close {
        /// Its number; the one in front if absent
        tab: Option<usize>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Answer {
    Accept,
    Dismiss,
}

/// What is waited for.
#[derive(Debug, Args)]
#[group(id = "for", required = true, multiple = false, args = ["target", "text", "text_gone", "url", "event", "expression", "time"])]
pub struct Wait {
    /// Element
    target: Option<String>,
    /// What the element should be; default visible
    #[arg(long, value_enum, requires = "target")]
    state: Option<State>,
    /// Text to appear
    #[arg(long)]
    text: Option<String>,
    /// Text to vanish
    #[arg(long, value_name = "TEXT")]
    text_gone: Option<String>,
    /// Part of the address, or a pattern with *
    #[arg(long)]
    url: Option<String>,
    /// Something to happen
    #[arg(long, value_enum)]
    event: Option<Event>,
    /// JavaScript to become true
    #[arg(long)]
    expression: Option<String>,
    /// Time to pass, such as 2s
    #[arg(long, value_parser = span)]
    time: Option<tool::Span>,
    #[command(flatten)]
    observing: Observing,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    Visible,
    Hidden,
    Enabled,
    Attached,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Event {
    Navigation,
    #[value(alias = "network_quiet")]
    NetworkQuiet,
    Download,
}

fn size(text: &str) -> Result<(i64, i64), String> {
    let read = text.split_once(['x', 'X']).and_then(|(width, height)| {
        Some((width.trim().parse().ok()?, height.trim().parse().ok()?))
    });
    read.ok_or_else(|| format!("{text:?} is no size; write 1280x720"))
}

impl Command {
    pub(super) fn call(self, shared: &Shared) -> anyhow::Result<Call> {
        let timeout = shared.timeout;
        match self {
            Command::Open { url, observing } => open(url, observing, shared),
            Command::Back(observing) => {
                Call::of("browser_back", tool::Back { timeout, observe: observing.observe() })
            }
            Command::Forward(observing) => {
                Call::of("browser_forward", tool::Forward { timeout, observe: observing.observe() })
            }
            Command::Reload(observing) => {
                Call::of("browser_reload", tool::Reload { timeout, observe: observing.observe() })
            }
            Command::Tabs { action, observing } => {
                tabs(action.unwrap_or(TabAction::List), observing.observe())
            }
            Command::Dialog { answer, text, observing } => {
                let (accept, observe) = (answer == Answer::Accept, observing.observe());
                Call::of("browser_handle_dialog", tool::HandleDialog { accept, text, observe })
            }
            Command::Wait(wait) => wait.call(shared),
            Command::Resize { size: (width, height), scale } => {
                Call::of("browser_resize", tool::Resize { width, height, scale, timeout })
            }
            Command::Close => Call::of("browser_close", tool::Close {}),
        }
    }
}

/// A window is a matter of how the session is opened, which `browser_open` says.
/// Paths count from where the user is; the daemon is elsewhere.
pub(super) fn here(url: String) -> anyhow::Result<String> {
    match url.trim_start().starts_with("./") || url.trim_start().starts_with("../") {
        true => absolute(Path::new(url.trim_start())),
        false => Ok(url),
    }
}

fn open(url: String, observing: Observing, shared: &Shared) -> anyhow::Result<Call> {
    let (url, observe) = (here(url)?, observing.observe());
    if shared.headed {
        let arguments = tool::Open { url, headless: Some(false), observe, ..Default::default() };
        return Call::of("browser_open", arguments);
    }
    Call::of("browser_navigate", tool::Navigate { url, timeout: shared.timeout, observe })
}

fn tabs(action: TabAction, observe: Option<tool::Observe>) -> anyhow::Result<Call> {
    let (action, tab, url) = match action {
        TabAction::List => (tool::TabAction::List, None, None),
        TabAction::New { url } => (tool::TabAction::New, None, url.map(here).transpose()?),
        TabAction::Select { tab } => (tool::TabAction::Select, Some(tab), None),
        TabAction::Close { tab } => (tool::TabAction::Close, tab, None),
    };
    Call::of("browser_tabs", tool::Tabs { action, tab, url, observe })
}

impl Wait {
    fn call(self, shared: &Shared) -> anyhow::Result<Call> {
        let arguments = tool::Wait {
            state: self.state.map(|state| match state {
                State::Visible => tool::WaitState::Visible,
                State::Hidden => tool::WaitState::Hidden,
                State::Enabled => tool::WaitState::Enabled,
                State::Attached => tool::WaitState::Attached,
            }),
            event: self.event.map(|event| match event {
                Event::Navigation => tool::WaitEvent::Navigation,
                Event::NetworkQuiet => tool::WaitEvent::NetworkQuiet,
                Event::Download => tool::WaitEvent::Download,
            }),
            target: self.target,
            text: self.text,
            text_gone: self.text_gone,
            url: self.url,
            expression: self.expression,
            time: self.time,
            timeout: shared.timeout,
            observe: self.observing.observe(),
        };
        Call::of("browser_wait", arguments)
    }
}
