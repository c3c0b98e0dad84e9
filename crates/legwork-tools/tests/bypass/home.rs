//! The allowed server: the pages of the cases, the frames that hold them, and redirects to the forbidden one.

use std::sync::{Arc, OnceLock};

use crate::cases::Case;
use crate::support::{Reply, Request, Site};

/// Serves the cases; each knows the port of its forbidden server.
pub async fn serve(cases: Arc<Vec<Case>>, ports: Vec<u16>) -> Site {
    let home = Arc::new(OnceLock::new());
    let known = home.clone();
    let site = Site::start(move |request: &Request| {
        let home: u16 = *known.get().unwrap();
        let path = request.path.as_str();
        if let Some(list) = path.strip_prefix("/frames/") {
            let frames =
                list.split('-').map(|case| format!("<iframe src='/case/{case}'></iframe>"));
            return Reply::Html(frames.collect());
        }
        let (folder, rest) = path[1..].split_once('/').unwrap_or_default();
        let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let Ok(number) = number.parse::<usize>() else { return Reply::NotFound };
        let Some(case) = cases.get(number) else { return Reply::NotFound };
        let fill = |text: &str| fill(text, number, ports[number], home);
        match folder {
            "case" => {
                let mut headers = vec![("Content-Type", "text/html; charset=utf-8".to_owned())];
                headers.extend(case.header.map(|(name, value)| (name, fill(value))));
                Reply::Full { status: "200 OK", headers, body: fill(&case.html).into_bytes() }
            }
            "script" => Reply::Full {
                status: "200 OK",
                headers: vec![
                    ("Content-Type", "text/javascript".into()),
                    ("Service-Worker-Allowed", "/".into()),
                ],
                body: fill(case.script).into_bytes(),
            },
            "to" => {
                let status = rest.rsplit('/').next().unwrap_or_default();
                let again = rest.ends_with("again");
                let to = if again { format!("/to/{number}/302") } else { fill("{u}") };
                Reply::Full {
                    status: STATUS
                        .iter()
                        .find(|known| known.starts_with(status))
                        .unwrap_or(&"302 Found"),
                    headers: vec![("Location", to), ("Access-Control-Allow-Origin", "*".into())],
                    body: vec![],
                }
            }
            _ => Reply::NotFound,
        }
    })
    .await;
    home.set(site.port).unwrap();
    site
}

const STATUS: &[&str] = &[
    "301 Moved Permanently",
    "302 Found",
    "303 See Other",
    "307 Temporary Redirect",
    "308 Permanent Redirect",
];

fn fill(text: &str, number: usize, port: u16, home: u16) -> String {
    text.replace("{u}", &format!("http://127.0.0.2:{port}/x"))
        .replace("{h}", &format!("127.0.0.2:{port}"))
        .replace("{p}", &port.to_string())
        .replace("{g}", &format!("127.0.0.1:{home}"))
        .replace("{n}", &number.to_string())
}
