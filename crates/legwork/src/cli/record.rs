//! `legwork record`: a person drives a visible browser, and what they do becomes a recipe.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use legwork_agent::recipe::{Wanted, from_events};
use legwork_protocol::rpc::{BrowserEvent, SessionEvent};
use legwork_protocol::{Navigate, Open};
use tokio::sync::Notify;

use super::call::Call;
use super::failure::Failure;
use super::keyboard::Keyboard;
use super::recipe::{unusable, vacant, wanted, write};
use super::{Globals, finish, go, runtime};
use crate::daemon::link::Link;

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
    eprintln!("recording: do it in the browser's window, then press Enter here");
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
    write(recipe, "", &arguments.file)
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

/// Opens the page to begin with; in a window, unless the session is to stay as it is.
async fn begin(link: &Link, session: &str, arguments: &Arguments) -> Result<(), Failure> {
    let Some(url) = arguments.url.clone() else { return Ok(()) };
    let url = go::here(url).map_err(|error| Failure::usage(&error))?;
    let call = match arguments.as_is {
        true => Call::of("browser_navigate", Navigate { url, timeout: None, observe: None }),
        false => {
            let (headless, user_data_dir, viewport) = (Some(false), None, None);
            Call::of("browser_open", Open { url, headless, user_data_dir, viewport })
        }
    };
    let call = call.map_err(|error| Failure::usage(&error))?;
    link.call(session, &call.tool, call.arguments).await?;
    Ok(())
}
