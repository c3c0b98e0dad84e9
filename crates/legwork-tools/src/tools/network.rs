//! `browser_get_network_sources` (P10).

use legwork_engine::{Request, Source};
use legwork_protocol::{GetNetworkSources, Reply, ToolError};
use serde_json::{Value, json};

use super::Execute;
use crate::answer::shortened;
use crate::desk::Desk;
use crate::policy::Permitted;

impl Execute for GetNetworkSources {
    async fn run(permitted: Permitted<GetNetworkSources>, desk: &Desk) -> Result<Reply, ToolError> {
        let wanted = permitted.into_action();
        let page = desk.page().await?;
        let mut requests = page.requests(usize::MAX);
        if let Some(part) = &wanted.url {
            // Masked before it is compared: whether a guess fits tells as much as what it fits to.
            let vault = desk.vault();
            requests.retain(|request| vault.redactor().mask(&request.url).contains(part));
        }
        let whole = requests.len();
        let listed = requests.split_off(whole.saturating_sub(wanted.limit.unwrap_or(50)));
        let mut lines = vec![summary(whole, listed.len())];
        lines.extend(listed.iter().map(line));
        let data = listed.iter().map(request_data).collect::<Vec<_>>();
        let data = json!({ "count": whole, "requests": data });
        Ok(Reply::text(desk.within(&lines.join("\n"), None)).with_data(data))
    }
}

fn summary(whole: usize, listed: usize) -> String {
    match (whole, listed) {
        (1, 1) => "1 request".to_owned(),
        (whole, listed) if listed < whole => format!("{whole} requests, the last {listed}:"),
        (whole, _) => format!("{whole} requests"),
    }
}

fn source(request: &Request) -> &'static str {
    match request.source {
        None | Some(Source::Network) => "network",
        Some(Source::ServiceWorker) => "service worker",
        Some(Source::DiskCache) => "disk cache",
        Some(Source::MemoryCache) => "memory cache",
    }
}

fn line(request: &Request) -> String {
    let ended = match (&request.failure, request.status) {
        (Some(failure), _) => failure.clone(),
        (None, Some(status)) => status.to_string(),
        (None, None) => "under way".to_owned(),
    };
    let size = request.size.map(|size| format!(", {size:.0} bytes")).unwrap_or_default();
    let time =
        request.duration.map(|time| format!(", {:.0} ms", time * 1000.0)).unwrap_or_default();
    let url = shortened(&request.url, 200);
    format!(
        "{} {url} {ended} {} from {}{size}{time}",
        request.method,
        request.kind,
        source(request)
    )
}

fn request_data(request: &Request) -> Value {
    json!({
        "method": request.method, "url": request.url, "type": request.kind,
        "status": request.status, "size": request.size, "duration": request.duration,
        "failure": request.failure, "source": source(request),
    })
}
