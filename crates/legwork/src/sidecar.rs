//! The sidecar: JSON-RPC 2.0 on standard input and output, for a host that starts it and ends it by
//! closing its standard input. Nothing but answers goes to standard output.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use legwork_tools::Host;

use crate::approve;
use crate::config::Config;
use crate::rpc::{Serving, serve};

/// How the sidecar is started.
#[derive(Args)]
pub struct Arguments {
    /// How many sessions may be open at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    max_sessions: u16,
    /// The session of calls that name none
    #[arg(long, value_name = "NAME", default_value = "default")]
    session: String,
    /// Let running calls come to their end when standard input closes, instead of cancelling them
    #[arg(long)]
    drain: bool,
}

/// Serves until standard input closes, nobody reads standard output, or a signal asks for the end.
pub fn run(arguments: Arguments, config: Config) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("the async runtime cannot be started")?;
    let done = runtime.block_on(async {
        let host = Host::new(config.settings());
        let _answers = approve::listen(&host);
        let serving = Serving {
            door: "sidecar",
            session: arguments.session,
            // The browsers end with the host, and their sessions with them.
            ends_sessions: false,
            max_sessions: Some(arguments.max_sessions.into()),
            drains: arguments.drain,
            budget: true,
            assistant: Some(Arc::new(config)),
        };
        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
        let done = tokio::select! {
            done = serve(host.clone(), input, output, serving) => done,
            () = told_to_end() => Ok(()),
        };
        host.close().await;
        done
    });
    // A read of standard input cannot be cancelled, so it is not waited for.
    runtime.shutdown_background();
    done.map(|()| ExitCode::SUCCESS)
}

/// The arguments of the program. Started by another name, as a host's own browser, it is the sidecar.
pub fn arguments(given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut given: Vec<OsString> = given.collect();
    let program = given.first().map(|program| Path::new(program).with_extension(""));
    let name = program.as_deref().and_then(Path::file_name).and_then(OsStr::to_str);
    let is_sidecar = name.is_some_and(|name| name.ends_with("-browser"));
    let asks_otherwise = ["sidecar", "--version", "-V"].map(OsStr::new);
    let asks_otherwise = given.get(1).is_some_and(|first| asks_otherwise.contains(&&**first));
    if is_sidecar && !asks_otherwise {
        given.insert(1, "sidecar".into());
    }
    given
}

#[cfg(unix)]
async fn told_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut interrupt), Ok(mut hangup)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
        signal(SignalKind::hangup()),
    ) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = hangup.recv() => {}
    }
}

#[cfg(not(unix))]
async fn told_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_another_name_it_is_the_sidecar() {
        for (given, expected) in [
            ("legwork", "legwork"),
            ("/usr/bin/legwork doctor", "/usr/bin/legwork doctor"),
            ("tandem-browser", "tandem-browser sidecar"),
            ("/opt/tandem-browser --drain", "/opt/tandem-browser sidecar --drain"),
            ("tandem-browser.exe", "tandem-browser.exe sidecar"),
            ("tandem-browser sidecar", "tandem-browser sidecar"),
            ("tandem-browser --version", "tandem-browser --version"),
            ("", ""),
        ] {
            let arguments = arguments(given.split_whitespace().map(OsString::from));
            assert_eq!(arguments.join(OsStr::new(" ")), expected);
        }
    }
}
