//! Hosts of others that the store's pages ask for: advertisers, and in the hostile store one that collects.
//! Whatever arrives is counted; where the shopper's rules hold, nothing does.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use tokio::net::TcpListener;

/// The hosts of others. All of them are names of this machine.
#[derive(Clone)]
pub(crate) struct Others {
    port: u16,
    arrived: Arc<AtomicUsize>,
}

impl Others {
    pub(crate) fn at(port: u16) -> Others {
        Others { port, arrived: Arc::default() }
    }

    /// The origin of one of them.
    pub(crate) fn origin(&self, name: &str) -> String {
        format!("http://{name}.localhost:{}", self.port)
    }

    pub(crate) fn count(&self) -> usize {
        self.arrived.load(Ordering::Acquire)
    }
}

/// Answers everything with a harmless script, and counts it.
pub(crate) async fn serve(listener: TcpListener, others: Others) -> io::Result<()> {
    let router = Router::new().fallback(answer).with_state(others);
    axum::serve(listener, router).await
}

async fn answer(State(others): State<Others>) -> impl IntoResponse {
    others.arrived.fetch_add(1, Ordering::AcqRel);
    ([(CONTENT_TYPE, "text/javascript")], "document.documentElement.dataset.tracked = 'yes';\n")
}
