use super::*;

fn plain_of(head: &str) -> Plain {
    match parse(head.as_bytes()) {
        Ok(Asked::Plain(plain)) => plain,
        other => panic!("{head:?}: {other:?}"),
    }
}

fn shown(plain: &Plain) -> String {
    String::from_utf8_lossy(&plain.head).replace("\r\n", "|")
}

#[test]
fn a_tunnel_is_asked_for_by_host_and_port() {
    for (target, host, port) in [
        ("example.com:443", "example.com", 443),
        ("EXAMPLE.com.:8443", "example.com", 8443),
        ("[::1]:443", "[::1]", 443),
        ("0x7f.1:80", "127.0.0.1", 80),
        ("2130706433:80", "127.0.0.1", 80),
        ("127.0.0.1.:80", "127.0.0.1", 80),
        ("%31%32%37.0.0.1:80", "127.0.0.1", 80),
    ] {
        let head = format!("CONNECT {target} HTTP/1.1\r\nHost: other\r\n\r\n");
        let Ok(Asked::Tunnel(place)) = parse(head.as_bytes()) else { panic!("{target}") };
        assert_eq!((place.host.as_str(), place.port), (host, port), "{target}");
        assert_eq!(place.address.is_some(), host != "example.com", "{target}");
    }
}

#[test]
fn a_plain_request_goes_on_with_its_own_host_and_without_what_concerns_us() {
    let plain = plain_of(
        "GET http://Example.com:8080?q=1 HTTP/1.1\r\nHost: evil.test\r\nAccept: */*\r\n\
         Proxy-Connection: keep-alive\r\nConnection: X-Secret\r\nX-Secret: 1\r\n\r\n",
    );
    assert_eq!(shown(&plain), "GET /?q=1 HTTP/1.1|Host: example.com:8080|Accept: */*||");
    assert_eq!(plain.url, "http://example.com:8080/?q=1");
    assert!(plain.keep && !plain.upgrade && plain.body == Framing::Empty);
}

#[test]
fn an_upgrade_goes_on_as_one() {
    let plain = plain_of(
        "GET http://a.test/socket HTTP/1.1\r\nConnection: keep-alive, Upgrade\r\n\
         Upgrade: websocket\r\n\r\n",
    );
    assert!(plain.upgrade);
    let expected = "GET /socket HTTP/1.1|Host: a.test|Upgrade: websocket|Connection: Upgrade||";
    assert_eq!(shown(&plain), expected);
}

#[test]
fn the_end_of_a_body_is_found_in_one_way_only() {
    let body = |headers: &str| {
        parse(format!("POST http://a/ HTTP/1.1\r\n{headers}\r\n").as_bytes()).map(|asked| {
            let Asked::Plain(plain) = asked else { panic!("{headers}") };
            plain.body
        })
    };
    assert_eq!(body("Content-Length: 5\r\n"), Ok(Framing::Length(5)));
    assert_eq!(body("Content-Length: 5\r\ncontent-length: 5\r\n"), Ok(Framing::Length(5)));
    assert_eq!(body("Transfer-Encoding: chunked\r\n"), Ok(Framing::Chunked));
    assert_eq!(body("Connection: Content-Length\r\nContent-Length: 5\r\n"), Ok(Framing::Length(5)));
    for unclear in [
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: 5, 5\r\n",
        "Content-Length: 99999999999999999999999\r\n",
        "Content-Length:\r\n",
    ] {
        assert!(body(unclear).is_err(), "{unclear:?}");
    }
}

#[test]
fn what_two_readers_could_read_differently_is_refused() {
    for head in [
        "",
        "\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET https://a/ HTTP/1.1\r\n\r\n",
        "GET ftp://a/ HTTP/1.1\r\n\r\n",
        "GET http://a\\@b/ HTTP/1.1\r\n\r\n",
        "GET http://a@b/ HTTP/1.1\r\n\r\n",
        "GET http:///x HTTP/1.1\r\n\r\n",
        "GET http://a/#x HTTP/1.1\r\n\r\n",
        "GET http://a:0/ HTTP/1.1\r\n\r\n",
        "GET http://a:/ HTTP/1.1\r\n\r\n",
        "GET http://a:99999/ HTTP/1.1\r\n\r\n",
        "GET http://a..:80/ HTTP/1.1\r\n\r\n",
        "GET http://[::1/ HTTP/1.1\r\n\r\n",
        "GET http://[::1]x/ HTTP/1.1\r\n\r\n",
        "GET  http://a/ HTTP/1.1\r\n\r\n",
        "GET http://a/ HTTP/2\r\n\r\n",
        "GET http://a/ b HTTP/1.1\r\n\r\n",
        "GET http://a/ HTTP/1.1\nHost: a\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nA: b\rC: d\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nA: b\0\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nA : b\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\n: b\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nno colon\r\n\r\n",
        "GET http://é/ HTTP/1.1",
        "CONNECT a HTTP/1.1\r\n\r\n",
        "CONNECT http://a/ HTTP/1.1\r\n\r\n",
        "CONNECT a:443/x HTTP/1.1\r\n\r\n",
        "CONNECT user@a:443 HTTP/1.1\r\n\r\n",
        "CONNECT a:443:443 HTTP/1.1\r\n\r\n",
        "CONNECT ::1:443 HTTP/1.1\r\n\r\n",
    ] {
        assert!(parse(head.as_bytes()).is_err(), "{head:?}");
    }
}

#[test]
fn no_bytes_make_it_panic() {
    let seed = b"POST http://a.b:80/x?y HTTP/1.1\r\nContent-Length: 3\r\nConnection: close\r\n\r\n";
    for cut in 0..=seed.len() {
        let _ = parse(&seed[..cut]);
        for byte in [0, b' ', b':', b'[', b'%', b'\r', 0xff] {
            let mut bytes = seed.to_vec();
            bytes.insert(cut, byte);
            let _ = (parse(&bytes), answer(&bytes, "GET"));
            if cut < seed.len() {
                bytes[cut] = byte;
                let _ = (parse(&bytes), answer(&bytes, "GET"));
            }
        }
    }
}

#[test]
fn an_answer_tells_where_it_ends_or_is_passed_on_to_its_end() {
    let body = |head: &str, method| answer(format!("{head}\r\n\r\n").as_bytes(), method);
    let of = |head: &str| body(head, "GET").map(|answer| (answer.body, answer.keep));
    assert_eq!(of("HTTP/1.1 200 OK\r\nContent-Length: 2"), Some((Framing::Length(2), true)));
    assert_eq!(of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked"), Some((Framing::Chunked, true)));
    assert_eq!(of("HTTP/1.1 200"), Some((Framing::UntilClose, false)));
    assert_eq!(of("HTTP/1.0 200 OK\r\nContent-Length: 2"), Some((Framing::Length(2), false)));
    assert_eq!(
        of("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2"),
        Some((Framing::Length(2), false))
    );
    assert_eq!(of("HTTP/1.1 304 Not Modified\r\nContent-Length: 2"), Some((Framing::Empty, true)));
    let head = body("HTTP/1.1 200 OK\r\nContent-Length: 9", "HEAD").map(|answer| answer.body);
    assert_eq!(head, Some(Framing::Empty));
    assert_eq!(of("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3"), None);
    assert_eq!(of("nonsense"), None);
}

#[test]
fn a_handshake_in_the_clear_tells_its_path_and_nothing_else_passes_for_one() {
    let ask = |head: &str| handshake(head.as_bytes()).map(str::to_owned).ok();
    let upgrade = "Host: a.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    assert_eq!(
        ask(&format!("GET /checkout?x HTTP/1.1\r\n{upgrade}")).as_deref(),
        Some("/checkout?x")
    );
    assert_eq!(ask(&format!("POST /checkout HTTP/1.1\r\n{upgrade}")), None);
    assert_eq!(ask(&format!("GET http://b.test/ HTTP/1.1\r\n{upgrade}")), None);
    assert_eq!(ask("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"), None);
    assert_eq!(ask("\0\u{1}"), None);
}
