//! The project's own checks.

mod protocol;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((name, rest)) if name == "protocol" => protocol::run(rest),
        _ => anyhow::bail!("usage: cargo xtask protocol [--json-dir DIR]"),
    }
}
