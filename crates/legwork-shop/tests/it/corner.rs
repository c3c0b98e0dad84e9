//! A corner shop on loopback: knows who is signed in by a cookie that ends with the browser, has what an
//! agent must not reach, and pages that lead there by every way a page has.

use std::sync::{Arc, Mutex};

use legwork_shop::site::Site;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Variables that cargo sets, as `.cargo/config.toml` says; what they hold is the credentials here.
pub const USER: &str = "LEGWORK_TEST_USER";
pub const PASSWORD: &str = "LEGWORK_TEST_PASSWORD";

/// What an agent must not reach.
pub const FORBIDDEN: [&str; 4] = ["/checkout/1", "/payment", "/account", "/login"];

pub struct Corner {
    pub port: u16,
    /// Method, path and cookies of everything that was asked for.
    pub heard: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Corner {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Corner {
    pub async fn open() -> Corner {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let ears = heard.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, ears.clone()));
            }
        });
        Corner { port, heard, task }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Its description, with more of it.
    pub fn site(&self) -> Site {
        let port = self.port;
        let text = format!(
            r##"name = "Corner shop"
home = "http://127.0.0.1:{port}/"
search = "http://127.0.0.1:{port}/find?q={{query}}"
cart = "http://127.0.0.1:{port}/cart"
currency = "EUR"
per_minute = 6000
[hosts]
required = ["127.0.0.1:{port}"]
[[hosts.blocked]]
hosts = ["ads.test"]
why = "advertisements"
[paths]
blocked = ["**/checkout*", "**/payment*", "/account"]
sign_in = ["/login"]
[signed_in]
selector = "#known"
[sign_in]
url = "http://127.0.0.1:{port}/login"
submit = {{ label = "Sign in" }}
[[sign_in.fields]]
label = "User"
secret = "corner-user"
env = "{USER}"
[[sign_in.fields]]
label = "Password"
secret = "corner-password"
env = "{PASSWORD}"
"##
        );
        Site::parse(&text).unwrap()
    }

    pub fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    /// What was asked for of this, in whatever way.
    pub fn asked_for(&self, path: &str) -> Vec<String> {
        let of = |one: &String| one.split(' ').nth(1).is_some_and(|asked| asked.starts_with(path));
        self.heard().into_iter().filter(of).collect()
    }
}

async fn serve(stream: TcpStream, heard: Arc<Mutex<Vec<String>>>) {
    let mut stream = BufReader::new(stream);
    loop {
        let (mut first, mut length, mut cookies) = (String::new(), 0, String::new());
        if stream.read_line(&mut first).await.unwrap_or(0) == 0 {
            return;
        }
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.unwrap_or(0) == 0 || line == "\r\n" {
                break;
            }
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if lower.starts_with("cookie:") {
                cookies = line.trim().to_owned();
            }
        }
        let mut body = vec![0; length];
        if stream.read_exact(&mut body).await.is_err() {
            return;
        }
        let asked = first.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
        heard.lock().unwrap().push(format!("{asked} {cookies}"));
        let body = String::from_utf8_lossy(&body).into_owned();
        let (status, headers, page) = answer(&asked, &cookies, &body);
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n{headers}\r\n{page}",
            page.len()
        );
        if stream.write_all(head.as_bytes()).await.is_err() {
            return;
        }
    }
}

const FORM: &str = "<a href=/login>Sign in</a><h1>Sign in</h1><form method=post action=/login><label>User <input name=u></label>\
    <label>Password <input type=password name=p></label><button>Sign in</button></form>";

fn answer(asked: &str, cookies: &str, body: &str) -> (&'static str, String, String) {
    let (method, path) = asked.split_once(' ').unwrap_or_default();
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let to = query.strip_prefix("to=").unwrap_or("/");
    let page = |page: String| ("200 OK", String::new(), page);
    match (method, path) {
        ("POST", "/login") if is_right(body) => (
            "303 See Other",
            "Location: /\r\nSet-Cookie: sid=1; Path=/; HttpOnly\r\n".into(),
            String::new(),
        ),
        (_, "/login") => page(FORM.to_owned()),
        (_, "/redirect") => ("302 Found", format!("Location: {to}\r\n"), String::new()),
        // The cart is sent to its own address, and whoever sends it is not known any more.
        (_, "/" | "/cart" | "/find") => page(match cookies.contains("sid=1") && method == "GET" {
            true => format!(
                "<h1>Corner shop</h1><b id=known>Hello {}</b>\
                 <p>Your cart is empty</p><form method=post action=/cart><button>Update</button></form>",
                std::env::var(USER).unwrap()
            ),
            false => "<h1>Corner shop</h1><a href=/login>Sign in</a>".to_owned(),
        }),
        (_, path) => match path.strip_prefix("/way/") {
            Some(way) => page(format!("<h1>Way</h1>{}", leading(way, to))),
            None => page(format!("<h1>At {path}</h1>")),
        },
    }
}

fn is_right(body: &str) -> bool {
    let sent: Vec<(String, String)> =
        url::form_urlencoded::parse(body.as_bytes()).into_owned().collect();
    let has = |name: &str, variable: &str| {
        sent.iter().any(|(key, value)| key == name && *value == std::env::var(variable).unwrap())
    };
    has("u", USER) && has("p", PASSWORD)
}

/// The ways a page has to get somewhere, by itself.
pub const WAYS: [&str; 18] = [
    "assign",
    "replace",
    "fetch",
    "post",
    "xhr",
    "beacon",
    "form",
    "form-post",
    "open",
    "iframe",
    "refresh",
    "redirected",
    "iframe-redirected",
    "image",
    "link",
    "spa",
    "worker",
    "closing",
];

fn leading(way: &str, to: &str) -> String {
    let script = |text: String| format!("<script>{text}</script>");
    match way {
        "assign" => script(format!("location.href = '{to}'")),
        "replace" => script(format!("location.replace('{to}')")),
        "fetch" => script(format!("fetch('{to}').catch(() => 0)")),
        "post" => script(format!("fetch('{to}', {{ method: 'POST', body: 'x' }}).catch(() => 0)")),
        "xhr" => script(format!("const x = new XMLHttpRequest(); x.open('GET', '{to}'); x.send()")),
        "beacon" => script(format!("navigator.sendBeacon('{to}', 'x')")),
        "form" => format!("<form id=f action='{to}'></form><script>f.submit()</script>"),
        "form-post" => {
            format!("<form id=f action='{to}' method=post></form><script>f.submit()</script>")
        }
        "open" => format!("<button onclick=\"open('{to}')\">Go on</button>"),
        "iframe" => format!("<iframe src='{to}'></iframe>"),
        "refresh" => format!("<meta http-equiv=refresh content='0;url={to}'>"),
        "redirected" => script(format!("location.href = '/redirect?to={to}'")),
        "iframe-redirected" => format!("<iframe src='/redirect?to={to}'></iframe>"),
        "image" => format!("<img src='{to}'><link rel=prefetch href='{to}'>"),
        "link" => format!("<a href='{to}'>Go on</a>"),
        "spa" => format!(
            "<button onclick=\"history.pushState(0, '', '{to}'); location.reload()\">Go on</button>"
        ),
        "worker" => script(format!(
            "new Worker(URL.createObjectURL(new Blob([\"fetch('\" + location.origin + \"{to}')\"])))"
        )),
        // A window that sends something and is gone before anybody looks at it.
        "closing" => format!(
            "<button onclick=\"const w = open(''); w.navigator.sendBeacon(location.origin + '{to}', 'x'); w.close()\">Go on</button>"
        ),
        // No way by itself: it asks first.
        "asking" => {
            "<button onclick=\"if (confirm('Subscribe?')) location.href = '/yes'\">Go on</button>"
                .into()
        }
        other => panic!("no way {other}"),
    }
}
