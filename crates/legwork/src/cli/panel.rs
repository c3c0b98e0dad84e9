//! `legwork panel`: the assistant for programs that speak WebSocket, in the same sessions as every other
//! command.

use std::io::ErrorKind;
use std::sync::Arc;

use clap::Args;

use super::failure::Failure;
use super::run::Limits;
use super::{Globals, finish};
use crate::assistant::assistant;
use crate::daemon::link::Reach;
use crate::daemon::private_folder;
use crate::panel::{Serving, serve};

/// What helps where the port is taken.
const IN_USE: &str = "another panel may be served there already; --port 0 takes a free one";

/// How it is served.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 7412)]
    port: u16,
    /// The browser extension that may connect, by its id
    #[arg(long, value_name = "ID", value_parser = extension)]
    extension: Option<String>,
    #[command(flatten)]
    limits: Limits,
}

/// The id of an extension, as Chrome gives it.
fn extension(text: &str) -> Result<String, String> {
    let is_id = text.len() == 32 && text.bytes().all(|letter| (b'a'..=b'p').contains(&letter));
    match is_id {
        true => Ok(text.to_owned()),
        false => Err("an extension's id has 32 letters from a to p".to_owned()),
    }
}

pub(super) fn run(globals: &Globals, arguments: Arguments) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::daemon(&error.into()))?;
    finish(runtime, whole(globals, arguments))
}

async fn whole(globals: &Globals, arguments: Arguments) -> Result<(), Failure> {
    let config = globals.load(false)?;
    let reach = Arc::new(Reach::new(globals.place()?, globals.starting()?));
    let wish = arguments.limits.wish(globals, &config);
    let assistant = assistant(&config, reach, "panel", &wish).await;
    let assistant = assistant.map_err(Failure::unreadable)?;
    let folder = private_folder().map_err(|error| Failure::daemon(&error))?;
    let serving = Serving { port: arguments.port, extension: arguments.extension, folder };
    tokio::select! {
        ended = serve(assistant, serving) => ended.map_err(|error| {
            let failure = Failure::daemon(&error);
            let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
            match kind {
                Some(ErrorKind::AddrInUse) => failure.with_hint(IN_USE),
                _ => failure,
            }
        }),
        () = crate::mcp::asked_to_end() => Ok(()),
    }
}
