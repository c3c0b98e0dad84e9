//! What texts truly cost a model, counted with the vocabulary `o200k_base`.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Reads a list of texts as JSON, and writes how many tokens each is.
const COUNT: &str = "import { readFileSync } from 'node:fs'; \
    const { encode } = await import(process.argv[1]); \
    console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(text => encode(text).length)))";

pub fn tokens(texts: &[String]) -> Vec<usize> {
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/mcp");
    let counter = cache.join("node_modules/gpt-tokenizer/esm/encoding/o200k_base.js");
    assert!(counter.exists(), "{} is missing: run scripts/setup --tests", counter.display());
    let counter = format!("file://{}", counter.display());
    let mut command = Command::new(cache.join("node"));
    command.args(["--input-type=module", "--eval", COUNT, &counter]);
    let mut node = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let texts = serde_json::to_vec(texts).unwrap();
    node.stdin.take().unwrap().write_all(&texts).unwrap();
    let counted = node.wait_with_output().unwrap();
    assert!(counted.status.success());
    serde_json::from_slice(&counted.stdout).unwrap()
}
