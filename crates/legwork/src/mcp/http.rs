//! `legwork serve`: MCP over HTTP, on this machine only. A request needs a token, and a `Host` and an
//! `Origin` that are ours: a web page that reaches the port by a name of its own is turned away.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{StatusCode, request::Parts};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use clap::Args;
use legwork_tools::Host;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::server::{Door, Server};
use super::{ENDING, Tools, asked_to_end};
use crate::config::Config;
use crate::token;

/// How long a client may be silent before its session, and its part of the browser, ends.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// How MCP is served over HTTP.
#[derive(Args)]
pub struct Arguments {
    /// The port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 7411)]
    port: u16,
    /// Who may connect: a bearer token; several, separated by commas, do not share sessions. One is made
    /// and printed if none is given
    #[arg(
        long,
        value_name = "TOKEN",
        env = "LEGWORK_TOKEN",
        hide_env_values = true,
        value_delimiter = ','
    )]
    token: Vec<String>,
    /// A name, with its port, by which a proxy of yours reaches this server
    #[arg(long, value_name = "HOST:PORT")]
    allow_host: Vec<String>,
    #[command(flatten)]
    tools: Tools,
}

/// Serves until it is asked to end.
pub fn run(arguments: Arguments, config: &Config) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(serve(arguments, config));
    runtime.shutdown_background();
    ended.map(|()| ExitCode::SUCCESS)
}

async fn serve(arguments: Arguments, config: &Config) -> anyhow::Result<()> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
    let listener =
        TcpListener::bind(address).await.with_context(|| format!("cannot serve on {address}"))?;
    let address = listener.local_addr()?;
    eprintln!("legwork: MCP on http://{address}/mcp");
    let tokens = Tokens::new(arguments.token)?;
    let host = Host::new(config.settings());
    let _answers = crate::approve::listen(&host);
    let door = Door::new(host.clone(), arguments.tools.offer(config)?, arguments.tools.structured);
    let stop = CancellationToken::new();
    let config = guarded(address, &arguments.allow_host).with_cancellation_token(stop.clone());
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(IDLE);
    let make = move || Ok(Server::on_network(door.clone()));
    let service = StreamableHttpService::new(make, Arc::new(sessions), config);
    let router = Router::new()
        .route_service("/mcp", service)
        .layer(from_fn_with_state(Arc::new(tokens), Tokens::check));
    tokio::select! {
        ended = axum::serve(listener, router).into_future() => ended?,
        () = asked_to_end() => stop.cancel(),
    }
    let _ = tokio::time::timeout(ENDING, host.close()).await;
    Ok(())
}

/// Only our own names are answered to. Without this, a page could rebind its name to this machine and
/// talk to the server (RUSTSEC-2026-0189).
fn guarded(address: SocketAddr, proxies: &[String]) -> StreamableHttpServerConfig {
    let port = address.port();
    let own = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
    let hosts: Vec<String> = own.iter().chain(proxies).cloned().collect();
    let origins =
        hosts.iter().flat_map(|host| [format!("http://{host}"), format!("https://{host}")]);
    StreamableHttpServerConfig::default()
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_allowed_hosts(hosts)
}

/// Whose token came with a request. Sessions of different callers never meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller(usize);

impl Caller {
    /// Who sent a request.
    pub fn of(context: &RequestContext<RoleServer>) -> Result<Caller, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let caller = parts.and_then(|parts| parts.extensions.get::<Caller>()).copied();
        caller
            .ok_or_else(|| ErrorData::internal_error("the request came past the token check", None))
    }

    /// The name of one of the caller's sessions.
    pub fn session(self, name: &str) -> String {
        format!("http-{}/{name}", self.0 + 1)
    }

    /// What the caller calls a session, if it is one of the caller's.
    pub fn name_of(self, session: &str) -> Option<&str> {
        session.strip_prefix(&self.session(""))
    }
}

struct Tokens(Vec<String>);

impl Tokens {
    fn new(given: Vec<String>) -> anyhow::Result<Tokens> {
        if given.iter().any(|token| token.trim().is_empty()) {
            anyhow::bail!("a token is empty");
        }
        if !given.is_empty() {
            return Ok(Tokens(given));
        }
        let token = token::fresh()?;
        eprintln!("legwork: token {token}");
        Ok(Tokens(vec![token]))
    }

    /// Lets a request through that brings a token, and notes whose it is.
    async fn check(
        State(tokens): State<Arc<Tokens>>,
        mut request: Request,
        next: Next,
    ) -> Response {
        let header = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let Some(caller) = header.and_then(bearer).and_then(|token| tokens.caller(token)) else {
            let challenge = [(WWW_AUTHENTICATE, "Bearer")];
            let sentence = "legwork wants a token: Authorization: Bearer …\n";
            return (StatusCode::UNAUTHORIZED, challenge, sentence).into_response();
        };
        request.extensions_mut().insert(caller);
        next.run(request).await
    }

    fn caller(&self, token: &str) -> Option<Caller> {
        // All are compared, so that the time taken says nothing.
        let same = self.0.iter().map(|own| token::equal(own, token));
        same.enumerate()
            .fold(None, |found, (index, same)| if same { Some(Caller(index)) } else { found })
    }
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_by_all_of_its_letters() {
        let tokens = Tokens::new(vec!["one".into(), "three".into()]).unwrap();
        for (given, expected) in [
            ("one", Some(Caller(0))),
            ("three", Some(Caller(1))),
            ("thre", None),
            ("threee", None),
            ("", None),
            ("One", None),
        ] {
            assert_eq!(tokens.caller(given), expected, "{given}");
        }
        assert!(Tokens::new(vec![" ".into()]).is_err());
        assert_eq!(bearer("bearer  x "), Some("x"));
        assert_eq!(bearer("Basic x"), None);
        assert_eq!(bearer("Bearer"), None);
    }

    #[test]
    fn a_token_that_is_made_is_long_and_new() {
        let make = || Tokens::new(Vec::new()).unwrap().0.remove(0);
        let (one, two) = (make(), make());
        assert_eq!(one.len(), 48);
        assert_ne!(one, two);
    }
}
