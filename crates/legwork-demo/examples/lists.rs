//! Prints generated lists with their right answers: `cargo run -p legwork-demo --example lists [HOW MANY]`.

#![allow(clippy::print_stdout, reason = "it is a program to look at")]

use legwork_demo::Catalogue;
use legwork_demo::lists::Lists;

fn main() {
    let many = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(3);
    let catalogue = Catalogue::bundled();
    let lists = Lists::of(&catalogue, 1);
    for number in 0..many {
        println!("list {number}");
        for wish in lists.list(number).wishes {
            println!("  {:<44} {:?}", wish.written, wish.answer);
        }
    }
}
