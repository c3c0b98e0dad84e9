//! The head of a request that the guard's proxy reads.
#![no_main]

use legwork_engine::proxy_request::{Asked, answer, handshake, parse};

libfuzzer_sys::fuzz_target!(|head: &[u8]| {
    let _ = answer(head, "GET");
    let _ = handshake(head);
    if let Ok(Asked::Plain(request)) = parse(head) {
        // What is sent on is read by a server as the request that was judged.
        let head = String::from_utf8_lossy(&request.head);
        assert_eq!(head.matches("\r\n\r\n").count(), 1, "{head:?}");
        assert!(head.starts_with(&request.method), "{head:?}");
    }
});
