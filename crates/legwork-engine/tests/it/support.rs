//! A web server on loopback and a page in a real Chrome.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use legwork_engine::{
    Click, Config, Engine, Outcome, Page, Session, SessionOptions, SnapshotOptions, Target,
};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

/// What a route answers.
pub enum Reply {
    Html(String),
    Full {
        status: &'static str,
        headers: Vec<(&'static str, String)>,
        body: Vec<u8>,
    },
    /// Takes the request and never answers.
    Hang,
    /// Headers of a file of that size, then zeros for as long as the browser takes them.
    Endless(u64),
    NotFound,
}

pub type Routes = Arc<dyn Fn(&Request) -> Reply + Send + Sync>;

pub struct Request {
    pub host: String,
    pub path: String,
    pub body: String,
}

/// A server that ends with the test.
pub struct Site {
    pub port: u16,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Site {
    /// Serves the routes, and the files in `tests/pages` for what they do not know.
    pub async fn start(routes: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let routes: Routes = Arc::new(routes);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, routes.clone()));
            }
        });
        Site { port, task }
    }

    pub async fn pages() -> Site {
        Site::start(|_| Reply::NotFound).await
    }

    /// Serves the files of a folder, and nothing else.
    pub async fn folder(root: PathBuf) -> Site {
        Site::start(move |request| match file_in(&root, &request.path) {
            Reply::NotFound => {
                Reply::Full { status: "404 Not Found", headers: vec![], body: vec![] }
            }
            found => found,
        })
        .await
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{}", self.port, path.trim_start_matches('/'))
    }

    /// The same server under another site, so that a frame of it gets a process of its own.
    pub fn other_site(&self, path: &str) -> String {
        format!("http://localhost:{}/{}", self.port, path.trim_start_matches('/'))
    }
}

/// Answers one connection, plain or under TLS.
pub async fn serve<S: AsyncRead + AsyncWrite + Unpin>(stream: S, routes: Routes) {
    let mut stream = BufReader::new(stream);
    loop {
        let mut first = String::new();
        if stream.read_line(&mut first).await.unwrap_or(0) == 0 {
            return;
        }
        let mut length = 0;
        let mut host = String::new();
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.unwrap_or(0) == 0 || line == "\r\n" {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("host:") {
                host = value.trim().to_owned();
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        if stream.read_exact(&mut body).await.is_err() {
            return;
        }
        let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
        let request = Request { host, path, body: String::from_utf8_lossy(&body).into_owned() };
        if !answer(&mut stream, &request, &routes).await {
            return;
        }
    }
}

async fn answer<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut BufReader<S>,
    request: &Request,
    routes: &Routes,
) -> bool {
    let reply = match routes(request) {
        Reply::NotFound => file(&request.path),
        other => other,
    };
    let (status, headers, body) = match reply {
        Reply::Html(html) => (
            "200 OK",
            vec![("Content-Type", "text/html; charset=utf-8".to_owned())],
            html.into_bytes(),
        ),
        Reply::Full { status, headers, body } => (status, headers, body),
        Reply::NotFound => ("404 Not Found", vec![], b"<h1>404</h1>".to_vec()),
        Reply::Hang => {
            std::future::pending::<()>().await;
            return false;
        }
        Reply::Endless(size) => {
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=big.bin\r\nContent-Length: {size}\r\n\r\n"
            );
            let _ = stream.write_all(head.as_bytes()).await;
            let zeros = vec![0u8; 1 << 16];
            let mut left = size;
            while left > 0 && stream.write_all(&zeros[..left.min(1 << 16) as usize]).await.is_ok() {
                left -= left.min(1 << 16);
            }
            return false;
        }
    };
    let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await.is_ok() && stream.write_all(&body).await.is_ok()
}

fn file(path: &str) -> Reply {
    file_in(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pages"), path)
}

fn file_in(root: &Path, path: &str) -> Reply {
    let name = path.split(['?', '#']).next().unwrap_or("").trim_start_matches('/');
    let file = root.join(name);
    let kind = match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("png") => "image/png",
        Some("gif") => "image/gif",
        Some("svg") => "image/svg+xml",
        Some("html") => "text/html; charset=utf-8",
        _ => "application/octet-stream",
    };
    match std::fs::read(file) {
        Ok(body) => {
            Reply::Full { status: "200 OK", headers: vec![("Content-Type", kind.to_owned())], body }
        }
        Err(_) => Reply::NotFound,
    }
}

/// A browser, a session and its page.
pub struct Rig {
    pub engine: Engine,
    pub session: Session,
    pub page: Page,
}

impl Rig {
    pub async fn new() -> Rig {
        Rig::with(Config::default(), SessionOptions::default()).await
    }

    pub async fn with(config: Config, options: SessionOptions) -> Rig {
        let engine = Engine::new(config);
        let session = engine.session(options);
        let page = session.page().await.unwrap();
        Rig { engine, session, page }
    }

    /// A page with this body.
    pub async fn show(body: &str) -> Rig {
        let rig = Rig::new().await;
        rig.set(body).await;
        rig
    }

    pub async fn set(&self, body: &str) {
        let html = format!("<!doctype html><title>Test</title><body>{body}</body>");
        let url = format!("data:text/html;charset=utf-8,{}", escape(&html));
        self.page.navigate(&url, Duration::from_secs(15)).await.unwrap();
    }

    pub async fn text(&self) -> String {
        self.page.snapshot(&SnapshotOptions::default()).await.unwrap().text
    }

    pub async fn eval(&self, script: &str) -> String {
        self.page.evaluate(script, Default::default()).await.unwrap()
    }

    pub async fn end(self) {
        self.session.close().await;
        self.engine.close().await;
    }
}

fn escape(html: &str) -> String {
    html.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => (byte as char).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect()
}

/// Clicks what a target names.
pub async fn click(rig: &Rig, target: &str) -> legwork_engine::Result<Outcome> {
    rig.page.click(&Target::parse(target), &Click::default()).await
}

/// For reading in failures.
pub fn told(outcome: &Outcome) -> String {
    format!("{outcome:#?}")
}
