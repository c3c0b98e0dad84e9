//! The pages that are measured, written to a directory that goes with them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;

pub struct Pages {
    dir: tempfile::TempDir,
}

/// Reacts to a click in the DOM.
const COUNTER: &str = "<!doctype html><title>Counter</title><body onclick=\"n.textContent = ++count\">\
    <h1>Counter</h1><button id=b>Count</button> <p>Clicks: <b id=n>0</b></p>\
    <script>let count = 0</script>";

/// A picture worth taking: text, boxes and colours.
const CARD: &str = "<!doctype html><title>Card</title><style>#c{width:400px;height:300px;padding:20px;\
    background:linear-gradient(#fc8,#8cf);border-radius:20px;font:16px sans-serif}</style>\
    <div id=c><h2>Oat milk</h2><p>One litre, with calcium.</p><button>Add to basket</button></div>";

impl Pages {
    pub fn make() -> Result<Pages> {
        Ok(Pages { dir: tempfile::Builder::new().prefix("legwork-bench-").tempdir()? })
    }

    pub fn counter(&self) -> Result<String> {
        self.write("counter", COUNTER)
    }

    pub fn card(&self) -> Result<String> {
        self.write("card", CARD)
    }

    /// A catalogue of about so many nodes, elements and texts counted, with a counter on top.
    pub fn catalogue(&self, nodes: usize) -> Result<String> {
        let mut page = COUNTER.replace("Counter", "Catalogue");
        page.push_str("<main>");
        for n in 0..nodes.saturating_sub(20) / NODES_OF_A_PRODUCT {
            if n % 20 == 0 {
                write!(page, "<h2>Shelf {}</h2>", n / 20)?;
            }
            write!(
                page,
                "<section><h3>Product {n}</h3><p>Price <b>{}.99</b> a piece</p>\
                 <a href='#p{n}'>Details</a><button>Add</button></section>",
                n % 90
            )?;
        }
        page.push_str("</main>");
        self.write(&format!("catalogue-{nodes}"), &page)
    }

    /// The documentation of `Vec`, where it is installed, else a generated page of 12,000 nodes.
    pub fn large(&self) -> Result<(String, &'static str)> {
        match vec_documentation() {
            Some(path) => Ok((file_url(&path), "the documentation of Vec")),
            None => Ok((self.catalogue(12_000)?, "a generated page")),
        }
    }

    fn write(&self, name: &str, html: &str) -> Result<String> {
        let path = self.dir.path().join(name).with_extension("html");
        std::fs::write(&path, html)?;
        Ok(file_url(&path))
    }
}

/// Elements and texts of one, without its twentieth of a heading.
const NODES_OF_A_PRODUCT: usize = 12;

fn vec_documentation() -> Option<PathBuf> {
    let output = std::process::Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let root = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    let page = root.join("share/doc/rust/html/std/vec/struct.Vec.html");
    page.exists().then_some(page)
}

fn file_url(path: &Path) -> String {
    format!("file://{}", path.display())
}
