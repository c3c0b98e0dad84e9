//! A real Home Assistant, on a free port of this machine, set up by its own API and ended with the test.
#![allow(dead_code, reason = "each test uses a part")]

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio_tungstenite::tungstenite::Message;

const CLIENT: &str = "http://127.0.0.1/";

/// A running Home Assistant. Dropping it ends it.
pub struct Hass {
    pub url: String,
    pub token: String,
    client: reqwest::Client,
    process: Child,
    _folder: TempDir,
}

impl Hass {
    /// Starts one, makes a user, and adds both kinds of lists.
    pub async fn start() -> anyhow::Result<Hass> {
        let folder = tempfile::tempdir()?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let configuration = format!(
            "http:\n  server_host: 127.0.0.1\n  server_port: {port}\n\
             api:\nconfig:\nonboarding:\nwebsocket_api:\nnotify:\n"
        );
        std::fs::write(folder.path().join("configuration.yaml"), configuration)?;
        let process = run(folder.path()).await?;
        let client =
            reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(60)).build()?;
        let (url, token) = (format!("http://127.0.0.1:{port}"), String::new());
        let mut hass = Hass { url, token, client, process, _folder: folder };
        hass.onboard().await.context("onboarding")?;
        hass.add_todo_list().await.context("adding a to-do list")?;
        Ok(hass)
    }

    /// Ends it and waits until it is gone.
    pub async fn end(&mut self) -> anyhow::Result<()> {
        Ok(self.process.kill().await?)
    }

    /// The way a person goes through the first start; it ends with a shopping list.
    async fn onboard(&mut self) -> anyhow::Result<()> {
        let user = json!({
            "client_id": CLIENT, "name": "Tester", "username": "tester", "password": "only-for-this-test",
            "language": "en",
        });
        let code = self.post("/api/onboarding/users", &user).await?;
        let code = code["auth_code"].as_str().context("no code")?;
        let form = format!("grant_type=authorization_code&client_id={CLIENT}&code={code}");
        let request = self.client.post(format!("{}/auth/token", self.url));
        let request =
            request.header("content-type", "application/x-www-form-urlencoded").body(form);
        let answer: Value = request.send().await?.error_for_status()?.json().await?;
        self.token = answer["access_token"].as_str().context("no token")?.to_owned();
        for step in ["core_config", "analytics", "integration"] {
            let body = json!({ "client_id": CLIENT, "redirect_uri": CLIENT });
            self.post(&format!("/api/onboarding/{step}"), &body).await.context(step)?;
        }
        // What people get, and what documents tell them to make.
        let ask =
            json!({ "type": "auth/long_lived_access_token", "client_name": "test", "lifespan": 1 });
        self.token = self.ask(ask).await?.as_str().context("no long-lived token")?.to_owned();
        Ok(())
    }

    async fn add_todo_list(&self) -> anyhow::Result<()> {
        let flow = json!({ "handler": "local_todo", "show_advanced_options": false });
        let flow = self.post("/api/config/config_entries/flow", &flow).await?;
        let id = flow["flow_id"].as_str().context("no flow")?;
        let name = json!({ "todo_list_name": "Groceries" });
        let done = self.post(&format!("/api/config/config_entries/flow/{id}"), &name).await?;
        ensure!(done["type"] == "create_entry", "the list was not added: {done}");
        Ok(())
    }

    /// Posts JSON as a client that is none of ours.
    pub async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let mut request = self.client.post(format!("{}{path}", self.url)).json(body);
        if !self.token.is_empty() {
            request = request.bearer_auth(&self.token);
        }
        Ok(request.send().await?.error_for_status()?.json().await?)
    }

    /// Asks by WebSocket, as a client that is none of ours.
    pub async fn ask(&self, mut ask: Value) -> anyhow::Result<Value> {
        let address = format!("{}/api/websocket", self.url.replace("http://", "ws://"));
        let (mut socket, _) = tokio_tungstenite::connect_async(address).await?;
        ask["id"] = json!(1);
        let enter = json!({ "type": "auth", "access_token": self.token });
        for message in [enter, ask] {
            socket.send(Message::text(message.to_string())).await?;
        }
        while let Some(message) = socket.next().await {
            let Message::Text(text) = message? else { continue };
            let mut answer: Value = serde_json::from_str(&text)?;
            if answer["type"] == "result" {
                ensure!(answer["success"] == true, "{answer}");
                return Ok(answer["result"].take());
            }
        }
        bail!("the WebSocket was closed")
    }

    /// The names and states on the shopping list.
    pub async fn shopping_list(&self) -> anyhow::Result<Vec<(String, bool)>> {
        let request = self.client.get(format!("{}/api/shopping_list", self.url));
        let answer = request.bearer_auth(&self.token).send().await?.error_for_status()?;
        let items: Vec<Value> = answer.json().await?;
        let read = |item: &Value| (text(&item["name"]), item["complete"] == true);
        Ok(items.iter().map(read).collect())
    }

    /// The names and states on the to-do list.
    pub async fn todo_list(&self) -> anyhow::Result<Vec<(String, bool)>> {
        let ask = json!({ "type": "todo/item/list", "entity_id": "todo.groceries" });
        let list = self.ask(ask).await?;
        let items = list["items"].as_array().context("no items")?;
        let read = |item: &Value| (text(&item["summary"]), item["status"] == "completed");
        Ok(items.iter().map(read).collect())
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Starts the program and waits until it says that it has started.
async fn run(folder: &Path) -> anyhow::Result<Child> {
    let program =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/homeassistant/venv/bin/hass");
    let program: PathBuf = program.canonicalize().context("run `scripts/setup --tests` first")?;
    let mut process = Command::new(program)
        .arg("-c")
        .arg(folder)
        .args(["--skip-pip", "-v"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let output = process.stderr.take().context("its output is piped")?;
    let mut lines = BufReader::new(output).lines();
    let started = async {
        while let Some(line) = lines.next_line().await? {
            if line.contains("Starting Home Assistant") {
                return Ok(());
            }
        }
        bail!("Home Assistant ended before it started")
    };
    tokio::time::timeout(Duration::from_secs(240), started)
        .await
        .context("it does not start")??;
    // It stops when nobody reads what it writes; this ends with the process.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    Ok(process)
}
