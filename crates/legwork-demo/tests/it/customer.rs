//! A customer without a browser: one request to a connection, and a cookie.

use legwork_demo::{PASSWORD, Store, USERNAME};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A customer of one store.
pub struct Customer {
    host: String,
    cookie: String,
}

/// What the store answered; nothing, if the connection ended before.
pub struct Answer {
    pub status: u16,
    pub text: String,
}

impl Customer {
    pub fn of(store: &Store) -> Customer {
        let host = store.origin().trim_start_matches("http://").to_owned();
        Customer { host, cookie: String::new() }
    }

    pub async fn signed_in(store: &Store) -> Customer {
        let mut customer = Customer::of(store);
        let answer = customer.sign_in(USERNAME, PASSWORD).await.unwrap();
        assert_eq!(answer.status, 303);
        customer
    }

    pub async fn sign_in(&mut self, name: &str, password: &str) -> Option<Answer> {
        let answer = self.post("/sign-in", &format!("email={name}&password={password}")).await?;
        let cookie = answer.text.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        if let Some(cookie) = cookie {
            self.cookie = cookie.split(';').next().unwrap().to_owned();
        }
        Some(answer)
    }

    pub async fn get(&self, path: &str) -> Option<Answer> {
        self.send("GET", path, "").await
    }

    pub async fn post(&self, path: &str, form: &str) -> Option<Answer> {
        self.send("POST", path, form).await
    }

    async fn send(&self, method: &str, path: &str, form: &str) -> Option<Answer> {
        let mut stream = TcpStream::connect(&self.host).await.unwrap();
        let (host, cookie, length) = (&self.host, &self.cookie, form.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncookie: {cookie}\r\n\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: {length}\r\n\r\n{form}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        // A connection that was cut ends in an error or in nothing.
        let _ = stream.read_to_string(&mut text).await;
        let status = text.split(' ').nth(1)?.parse().ok()?;
        Some(Answer { status, text })
    }
}
