//! `legwork record`: a person drives a visible browser, and what they do becomes a recipe.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use legwork_agent::recipe::{Wanted, from_events};
use legwork_protocol::client::Session;
use legwork_protocol::rpc::{BrowserEvent, SessionEvent};
use legwork_protocol::{Navigate, Open};
use tokio::sync::Notify;

use super::call::Call;
use super::failure::Failure;
use super::keyboard::Keyboard;
use super::recipe::{unusable, vacant, wanted, write};
use super::{Globals, finish, go, runtime};
use crate::daemon::link::Link;
use crate::view::clean;

/// What to record.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The file of the recipe; one that is there already stays, and is refused
    file: PathBuf,
    /// Where to begin; the page that is open if nothing is said
    url: Option<String>,
    /// What is another each time: name=value for whatever was that value, or the label of a field
    #[arg(long, value_name = "NAME=VALUE|LABEL", value_parser = wanted)]
    parameter: Vec<Wanted>,
    /// Records the session as it is, where it has a window already or is in a browser of your own
    #[arg(long)]
    as_is: bool,
}

type Events = Arc<Mutex<Vec<BrowserEvent>>>;

pub(super) fn run(globals: &Globals, arguments: Arguments) -> Result<(), Failure> {
    finish(runtime()?, whole(globals, arguments))
}

async fn whole(globals: &Globals, arguments: Arguments) -> Result<(), Failure> {
    vacant(&arguments.file)?;
    let session = globals.session();
    let (events, over) = (Events::default(), Arc::new(Notify::new()));
    let link = hearing(globals, &session, &events, &over).await?;
    begin(&link, &session, &arguments).await?;
    link.record(&session, true, !arguments.as_is).await?;
    // A session that got a window was closed and opened again.
    let _ = tokio::time::timeout(Duration::ZERO, over.notified()).await;
    eprintln!("{}", invitation(open(&link, &session).await?.is_some_and(|open| open.headless)));
    let mut keyboard = Keyboard::new(false);
    tokio::select! {
        _ = typed(&mut keyboard) => {}
        () = over.notified() => eprintln!("the window was closed"),
        _ = tokio::signal::ctrl_c() => {}
    }
    // A session that is gone records no more.
    let _ = link.record(&session, false, false).await;
    let events = events.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let recipe = from_events(&events, &arguments.parameter).map_err(|error| unusable(&error))?;
    // What was done by hand is not lost for the name of a parameter.
    if let Some(error) = recipe.unmatched(&arguments.parameter) {
        eprintln!("warning: {}", clean(&error.to_string()));
    }
    write(recipe, "", &arguments.file)
}

fn invitation(headless: bool) -> &'static str {
    match headless {
        true => {
            "recording: this session has no window, so nobody can act in it, and only where it begins is \
             recorded; without --as-is it gets one. Press Enter here to end"
        }
        false => "recording: do it in the browser's window, then press Enter here",
    }
}

/// The session, if it is open.
async fn open(link: &Link, session: &str) -> Result<Option<Session>, Failure> {
    Ok(link.sessions().await?.into_iter().find(|one| one.session_id == session))
}

/// Enter at a terminal; elsewhere the end of standard input, or a line of it.
async fn typed(keyboard: &mut Keyboard) {
    let at_end = keyboard.line().await.is_none();
    if at_end && std::io::stdin().is_terminal() {
        eprintln!();
    }
}

/// A link on which what happens in the session is heard, from now on.
async fn hearing(
    globals: &Globals,
    session: &str,
    events: &Events,
    over: &Arc<Notify>,
) -> Result<Link, Failure> {
    let (session, events, over) = (session.to_owned(), events.clone(), over.clone());
    let hear = Arc::new(move |event: &SessionEvent| {
        if event.session_id != session {
            return;
        }
        if matches!(event.event, BrowserEvent::SessionClosed | BrowserEvent::BrowserEnded { .. }) {
            over.notify_one();
        }
        events.lock().unwrap_or_else(PoisonError::into_inner).push(event.event.clone());
    });
    Ok(Link::hearing(&globals.place()?, &globals.starting()?, hear).await?)
}

/// Opens the page to begin with; in a window, unless the session is to stay as it is. One without a window is
/// opened again at its page.
async fn begin(link: &Link, session: &str, arguments: &Arguments) -> Result<(), Failure> {
    let url = match &arguments.url {
        Some(url) => Some(url.clone()),
        None if arguments.as_is => None,
        None => open(link, session).await?.filter(|open| open.headless).and_then(|open| open.url),
    };
    let Some(url) = url else { return Ok(()) };
    let url = go::here(url).map_err(|error| Failure::usage(&error))?;
    let call = match arguments.as_is {
        true => Call::of("browser_navigate", Navigate { url, timeout: None, observe: None }),
        false => {
            Call::of("browser_open", Open { url, headless: Some(false), ..Default::default() })
        }
    };
    let call = call.map_err(|error| Failure::usage(&error))?;
    link.call(session, &call.tool, call.arguments).await?;
    Ok(())
}
