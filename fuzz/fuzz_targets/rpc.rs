//! A line that a caller sends: JSON-RPC around it, a tool's arguments inside it.
#![no_main]

use legwork_protocol::Action;
use legwork_protocol::rpc::{Incoming, Message, read};

libfuzzer_sys::fuzz_target!(|line: &[u8]| {
    let _ = Message::read(line);
    let requests = match read(line) {
        Incoming::One(request) => vec![request],
        Incoming::Batch(requests) => requests,
    };
    for request in requests.into_iter().flatten() {
        if let Ok(arguments) = request.params.named() {
            let _ = Action::parse(&request.method, arguments);
        }
    }
});
