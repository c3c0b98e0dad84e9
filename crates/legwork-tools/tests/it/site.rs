//! A small web server that answers by path, under two names: 127.0.0.1 and localhost are two origins.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What is answered: the headers beside the length, and the body.
pub type Answer = (&'static str, Vec<u8>);
type Routes = Arc<dyn Fn(&str) -> Answer + Send + Sync>;

/// A server that ends with the test, and remembers every request line and body.
pub struct Site {
    pub port: u16,
    pub heard: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

pub fn html(body: &str) -> Answer {
    ("Content-Type: text/html; charset=utf-8\r\n", body.as_bytes().to_vec())
}

impl Site {
    pub async fn start(routes: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Site {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (routes, heard): (Routes, Arc<Mutex<Vec<String>>>) = (Arc::new(routes), Arc::default());
        let ears = heard.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, routes.clone(), ears.clone()));
            }
        });
        Site { port, heard, task }
    }

    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn other_origin(&self) -> String {
        format!("http://localhost:{}", self.port)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(stream: TcpStream, routes: Routes, heard: Arc<Mutex<Vec<String>>>) {
    let mut stream = BufReader::new(stream);
    loop {
        let (mut first, mut length) = (String::new(), 0);
        if stream.read_line(&mut first).await.unwrap_or(0) == 0 {
            return;
        }
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
        heard.lock().unwrap().push(format!("{path} {}", String::from_utf8_lossy(&body)));
        let (headers, body) = routes(&path);
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
        let sent = stream.write_all(head.as_bytes()).await.is_ok();
        if !sent || stream.write_all(&body).await.is_err() {
            return;
        }
    }
}
