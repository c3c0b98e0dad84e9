//! A web server on loopback, a folder of the test's own, and what is left in it of a browser.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// The program under test.
pub const LEGWORK: &str = env!("CARGO_BIN_EXE_legwork");

/// What a route answers.
pub enum Page {
    Html(String),
    /// A file to save.
    File(&'static str),
    /// Another address, after a form was sent.
    SeeOther(&'static str),
    NotFound,
}

/// What a browser asked for.
pub struct Asked {
    pub path: String,
    pub body: String,
}

type Routes = Arc<dyn Fn(&Asked) -> Page + Send + Sync>;

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
    pub async fn start(routes: impl Fn(&Asked) -> Page + Send + Sync + 'static) -> Site {
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

    /// An app with a log-in: admin@test.com and password123 lead to a dashboard.
    pub async fn login() -> Site {
        Site::start(|asked| match asked.path.as_str() {
            "/" => Page::Html(LOGIN.to_owned()),
            "/login" if asked.body == "email=admin%40test.com&password=password123" => {
                Page::SeeOther("/dashboard")
            }
            "/login" => Page::Html(format!("{LOGIN}<p role=alert>Wrong password</p>")),
            "/dashboard" => Page::Html(DASHBOARD.to_owned()),
            _ => Page::NotFound,
        })
        .await
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://localhost:{}/{}", self.port, path.trim_start_matches('/'))
    }
}

const LOGIN: &str = "<!doctype html><title>Log in</title><h1>Log in</h1>
    <form method=post action=/login><label>Email <input id=email name=email type=email></label>
    <label>Password <input id=password name=password type=password></label>
    <button type='submit'>Log in</button></form>";

/// The header comes a moment after the page, as in an app that loads its data.
const DASHBOARD: &str = "<!doctype html><title>Dashboard</title><main></main><script>
    setTimeout(() => document.querySelector('main').innerHTML =
        '<h1 class=dashboard-header>Dashboard</h1><p>Welcome, admin', 200)</script>";

async fn serve(stream: TcpStream, routes: Routes) {
    let mut stream = BufReader::new(stream);
    loop {
        let mut first = String::new();
        if stream.read_line(&mut first).await.unwrap_or(0) == 0 {
            return;
        }
        let mut length = 0;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.unwrap_or(0) == 0 || line == "\r\n" {
                break;
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
        let asked = Asked { path, body: String::from_utf8_lossy(&body).into_owned() };
        let (status, more, body) = match routes(&asked) {
            Page::Html(html) => ("200 OK", "Content-Type: text/html; charset=utf-8".into(), html),
            Page::File(name) => {
                let saved = format!("Content-Disposition: attachment; filename={name}");
                ("200 OK", saved, "saved".to_owned())
            }
            Page::SeeOther(to) => ("303 See Other", format!("Location: {to}"), String::new()),
            Page::NotFound => ("404 Not Found", "X-Nothing: here".into(), "nothing here".into()),
        };
        let length = body.len();
        let answer =
            format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{more}\r\n\r\n{body}");
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// A folder for temporary files of this test alone; a program that is given it as `TMPDIR` keeps the
/// browser's profile there, so that what is left of it can be found.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    pub fn new() -> Scratch {
        Scratch(tempfile::Builder::new().prefix("legwork-test-").tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Whether a browser runs that has its profile here.
    pub fn has_browser(&self) -> bool {
        !self.processes().is_empty()
    }

    /// Kills the browser that has its profile here, as a crash would.
    pub fn kill_browser(&self) {
        let needle = format!("{}/", self.path().display());
        let main = |line: &str| line.contains(&needle) && !line.contains("--type=");
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let number = entry.file_name().to_str().and_then(|name| name.parse().ok());
            if let Some(process) = number.and_then(rustix::process::Pid::from_raw)
                && main(&String::from_utf8_lossy(&line))
            {
                let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
            }
        }
    }

    fn processes(&self) -> Vec<String> {
        let needle = format!("{}/", self.path().display());
        std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok())
            .map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "))
            .filter(|line| line.contains(&needle))
            .collect()
    }

    fn profiles(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.path()) else { return Vec::new() };
        let named = |path: &PathBuf| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            name.is_some_and(|name| name.starts_with("legwork-profile-"))
        };
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(named).collect()
    }

    /// Waits until no process is left that keeps its temporary files here, be it none of a browser's yet.
    pub async fn nobody_left(&self) {
        let needle = self.path().display().to_string();
        let give_up = tokio::time::Instant::now() + Duration::from_secs(60);
        let works_here = |entry: std::fs::DirEntry| {
            let variables = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            String::from_utf8_lossy(&variables).contains(&needle)
        };
        while std::fs::read_dir("/proc").unwrap().flatten().any(works_here) {
            assert!(tokio::time::Instant::now() < give_up, "somebody works in {needle}");
            // Processes end without telling us: there is nothing to wait on but time.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.nothing_left().await;
    }

    /// Waits until no browser and no profile is left, at most a minute: a busy machine removes slowly.
    pub async fn nothing_left(&self) {
        let give_up = tokio::time::Instant::now() + Duration::from_secs(60);
        while !(self.profiles().is_empty() && self.processes().is_empty()) {
            let left = format!("{:?}\n{:#?}", self.profiles(), self.processes());
            assert!(tokio::time::Instant::now() < give_up, "left behind: {left}");
            // Processes end without telling us: there is nothing to wait on but time.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
