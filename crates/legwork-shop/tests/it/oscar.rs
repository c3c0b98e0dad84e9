//! A shop nobody here wrote: django-oscar as it comes, on a free port of this machine, with shelves and
//! baskets of its own, ended with the test.
#![allow(dead_code, reason = "each test uses a part")]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, ensure};
use legwork_shop::site::Site;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// The customer that the shop knows.
pub const CUSTOMER: (&str, &str) = ("ada@example.com", "only-for-this-test");

/// The variables that hold its name and password, as the description has them.
pub const VARIABLES: (&str, &str) = ("LEGWORK_TEST_OSCAR_USERNAME", "LEGWORK_TEST_OSCAR_PASSWORD");

/// A running shop. Dropping it ends it.
pub struct Oscar {
    pub url: String,
    port: u16,
    folder: TempDir,
    _process: Child,
}

/// A line of a basket, as the shop's database has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BasketLine {
    pub product: String,
    pub quantity: u32,
    /// The customer; empty if nobody signed in.
    pub owner: String,
}

/// What the shop's database says.
#[derive(Debug, PartialEq, Eq)]
pub struct Books {
    pub baskets: Vec<BasketLine>,
    pub orders: u32,
}

impl Oscar {
    /// Opens the shop with full shelves and empty baskets.
    pub async fn start() -> anyhow::Result<Oscar> {
        let folder = tempfile::tempdir()?;
        let shelves = cache().join("data");
        ensure!(shelves.is_dir(), "run `scripts/setup --tests` first");
        copy(&shelves, folder.path())?;
        let log = File::create(folder.path().join("asked.log"))?;
        let mut process = python("serve.py", folder.path());
        let mut process = process.stdout(Stdio::piped()).stderr(log).spawn()?;
        let output = process.stdout.take().context("its output is piped")?;
        let mut lines = BufReader::new(output).lines();
        let first = tokio::time::timeout(Duration::from_secs(120), lines.next_line());
        let first = first.await.context("the shop does not open")??;
        let port: u16 = first.context("the shop ended before it opened")?.trim().parse()?;
        let url = format!("http://127.0.0.1:{port}");
        Ok(Oscar { url, port, folder, _process: process })
    }

    /// Its description.
    pub fn site(&self) -> Site {
        Site::parse(&self.site_toml()).unwrap()
    }

    /// The same as text.
    pub fn site_toml(&self) -> String {
        include_str!("../oscar/site.toml.in").replace("PORT", &self.port.to_string())
    }

    /// What is in its database, read by a program that knows nothing of the shop's code.
    pub async fn books(&self) -> anyhow::Result<Books> {
        let output = python("basket.py", self.folder.path()).output().await?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut books = Books { baskets: Vec::new(), orders: 0 };
        for line in String::from_utf8(output.stdout)?.lines() {
            match line.split('\t').collect::<Vec<_>>()[..] {
                ["orders", count] => books.orders = count.parse()?,
                [quantity, product, owner] => books.baskets.push(BasketLine {
                    product: product.to_owned(),
                    quantity: quantity.parse()?,
                    owner: owner.to_owned(),
                }),
                _ => anyhow::bail!("{line:?} is no line of a basket"),
            }
        }
        Ok(books)
    }
}

impl Oscar {
    /// The paths that were asked for, as `GET /basket/`, oldest first.
    pub fn asked(&self) -> anyhow::Result<Vec<String>> {
        let log = std::fs::read_to_string(self.folder.path().join("asked.log"))?;
        let request =
            |line: &str| Some(line.split('"').nth(1)?.rsplit_once(" HTTP/")?.0.to_owned());
        Ok(log.lines().filter_map(request).collect())
    }
}

fn cache() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/oscar")
}

/// A script of the shop, on the shelves and baskets in a folder.
fn python(script: &str, folder: &Path) -> Command {
    let mut command = Command::new("python3");
    command
        .args(["-W", "ignore"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../legwork-shop/tests/oscar").join(script))
        .env("OSCAR_FOLDER", folder)
        .env("PYTHONPATH", cache().join("python"))
        .env("PYTHONPYCACHEPREFIX", cache().join("bytecode"))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    command
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            std::fs::create_dir(&target)?;
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
