//! The allowed server: the pages of the cases, the frames that hold them, and redirects to the forbidden one.

use std::sync::{Arc, OnceLock};

use crate::cases::Case;
use crate::support::{Reply, Request, Site};

/// Serves the cases; each knows the port of its forbidden server.
pub async fn serve(cases: Arc<Vec<Case>>, ports: Vec<u16>) -> Site {
    let home = Arc::new(OnceLock::new());
    let known = home.clone();
    let fill = move |text: &str, number: usize| {
        fill(text, number, ports[number], *known.get().unwrap_or(&0))
    };
    let site = Site::start(routes(cases, fill)).await;
    home.set(site.port).unwrap();
    site
}

/// The pages of the cases; `fill` puts a case's addresses into its text.
pub fn routes(
    cases: Arc<Vec<Case>>,
    fill: impl Fn(&str, usize) -> String,
) -> impl Fn(&Request) -> Reply {
    move |request| {
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
        let fill = |text: &str| fill(text, number);
        match folder {
            "case" => {
                let mut headers = vec![("Content-Type", "text/html; charset=utf-8".to_owned())];
                headers.extend(case.header.map(|(name, value)| (name, fill(value))));
                Reply::Full { status: "200 OK", headers, body: fill(&case.html).into_bytes() }
            }
            "script" => script(fill(case.script)),
            "to" if rest.ends_with("again") => redirect("302", format!("/to/{number}/302")),
            "to" => redirect(rest.rsplit('/').next().unwrap_or_default(), fill("{u}")),
            _ => Reply::NotFound,
        }
    }
}

fn script(text: String) -> Reply {
    let headers =
        vec![("Content-Type", "text/javascript".into()), ("Service-Worker-Allowed", "/".into())];
    Reply::Full { status: "200 OK", headers, body: text.into_bytes() }
}

fn redirect(status: &str, to: String) -> Reply {
    Reply::Full {
        status: STATUS.iter().find(|known| known.starts_with(status)).unwrap_or(&"302 Found"),
        headers: vec![("Location", to), ("Access-Control-Allow-Origin", "*".into())],
        body: vec![],
    }
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
