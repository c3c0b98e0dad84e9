//! What the store answers. One function sees every request: it is noted, harmed if that was planned, and
//! sent on to the page it is for.

mod asked;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use serde::Serialize;

use crate::fault::{Effect, Harm};
use crate::page::{self, Visit};
use crate::shop::{Entry, MOST, Shop};
use crate::wire::Scissors;
use asked::Asked;

/// The cookie of a sign-in.
const COOKIE: &str = "store_session";

/// Answers a request.
pub(crate) async fn answer(
    State(shop): State<Arc<Shop>>,
    ConnectInfo(scissors): ConnectInfo<Scissors>,
    request: Request,
) -> Response {
    let Some(asked) = Asked::read(request).await else {
        return plain(StatusCode::BAD_REQUEST, "This request is too long.");
    };
    if !shop.options.latency.is_zero() {
        tokio::time::sleep(shop.options.latency).await;
    }
    let Asked { method, path, query_text, .. } = &asked;
    let entry = Entry {
        method: method.clone(),
        path: path.clone(),
        query: query_text.clone(),
        account: None,
    };
    let (account, harm) = shop.came(entry, asked.cookie(COOKIE));
    let mut response = match harm {
        Some(Harm::Fails(status)) => page::broken(status),
        Some(Harm::Hangs(Effect::None) | Harm::Cut(Effect::None)) => Response::default(),
        _ => route(&shop, &asked, account),
    };
    match harm {
        Some(Harm::Hangs(_)) => {
            shop.until_closed().await;
            scissors.cut();
        }
        Some(Harm::Cut(_)) => scissors.cut(),
        _ => {}
    }
    // Every connection is used once: a browser sends a request again by itself if its connection was used
    // before and ends without an answer, so that one planned fault would be two requests.
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

fn route(shop: &Shop, asked: &Asked, account: Option<String>) -> Response {
    let visit = Visit {
        shop,
        account: account.as_deref(),
        consented: asked.cookie("consent").is_some(),
        unasked: asked.cookie("newsletter").is_none(),
    };
    let parts: Vec<&str> = asked.path.split('/').skip(1).collect();
    match (asked.method.as_str(), &parts[..]) {
        ("GET", [""]) => page::home(&visit),
        ("GET", ["category", name]) => page::category(&visit, name),
        ("GET", ["search"]) => page::search(&visit, asked.query("q"), asked.query("page")),
        ("GET", ["product", id]) => page::product(&visit, id),
        ("GET", ["cart"]) => signed_in(&visit, asked, |_| page::cart(&visit)),
        ("POST", ["cart", act @ ("add" | "update" | "remove")]) => {
            signed_in(&visit, asked, |account| change_cart(shop, asked, account, act))
        }
        ("GET", ["sign-in"]) => page::sign_in(&visit, asked.query("next"), None),
        ("POST", ["sign-in"]) => sign_in(&visit, asked),
        ("POST", ["sign-out"]) => sign_out(shop, asked),
        ("GET", ["account", ..]) => signed_in(&visit, asked, |_| page::account(&visit)),
        ("GET" | "POST", ["checkout" | "payment" | "order", ..]) => page::checkout(&visit),
        ("GET", ["store.css"]) => page::style(),
        ("GET", ["store.js"]) => page::script(),
        ("GET", ["offers.js"]) if shop.options.hostile => page::offers(),
        ("GET", ["favicon.ico"]) => plain(StatusCode::NO_CONTENT, ""),
        _ => page::missing(&visit),
    }
}

/// Who is not signed in is sent to do so; a script is told.
fn signed_in(visit: &Visit, asked: &Asked, then: impl FnOnce(&str) -> Response) -> Response {
    match visit.account {
        Some(account) => then(account),
        None if asked.scripted => {
            json(StatusCode::UNAUTHORIZED, &Told::error("Please sign in again."))
        }
        None => {
            let next = if asked.method == "GET" { &asked.path } else { "/cart" };
            redirect(&format!("/sign-in?next={next}"))
        }
    }
}

/// What a script is told of a change of the cart.
#[derive(Serialize)]
struct Told {
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    message: Option<String>,
    count: u32,
}

impl Told {
    fn error(error: &str) -> Told {
        Told { error: Some(error.into()), message: None, count: 0 }
    }
}

fn change_cart(shop: &Shop, asked: &Asked, account: &str, act: &str) -> Response {
    let Some(product) = shop.catalogue.get(asked.form("product")) else {
        return refuse(asked, "There is no such product.");
    };
    let quantity = match asked.form("quantity") {
        "" => Some(1),
        text => text.trim().parse::<u32>().ok().filter(|quantity| *quantity <= MOST),
    };
    let Some(quantity) = quantity else {
        return refuse(asked, &format!("Please choose a quantity between 1 and {MOST}."));
    };
    if !product.in_stock && act == "add" {
        return refuse(asked, &format!("{} is out of stock.", product.name));
    }
    let message = match act {
        "add" => {
            let now = shop.add(account, &product.id, quantity.max(1));
            format!("Added to your cart: {} ({now} in cart)", product.name)
        }
        "update" => {
            format!("{}: {} in cart", product.name, shop.set(account, &product.id, quantity))
        }
        _ => {
            shop.set(account, &product.id, 0);
            format!("Removed from your cart: {}", product.name)
        }
    };
    if !asked.scripted {
        return redirect("/cart");
    }
    let count = shop.lines(account).iter().map(|(_, quantity)| quantity).sum();
    json(StatusCode::OK, &Told { error: None, message: Some(message), count })
}

fn refuse(asked: &Asked, why: &str) -> Response {
    match asked.scripted {
        true => json(StatusCode::UNPROCESSABLE_ENTITY, &Told::error(why)),
        false => plain(StatusCode::UNPROCESSABLE_ENTITY, why),
    }
}

fn sign_in(visit: &Visit, asked: &Asked) -> Response {
    let next = asked.form("next");
    match visit.shop.sign_in(asked.form("email"), asked.form("password")) {
        Some(secret) => {
            // Only pages of the store, never `//elsewhere`.
            let local = next.starts_with('/') && !next.starts_with("//") && !next.contains('\\');
            let mut response = redirect(if local { next } else { "/" });
            let cookie =
                format!("{COOKIE}={secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400");
            if let Ok(cookie) = HeaderValue::from_str(&cookie) {
                response.headers_mut().insert(SET_COOKIE, cookie);
            }
            response
        }
        None => page::sign_in(visit, next, Some("The email or the password is not right.")),
    }
}

fn sign_out(shop: &Shop, asked: &Asked) -> Response {
    if let Some(cookie) = asked.cookie(COOKIE) {
        shop.sign_out(cookie);
    }
    redirect("/")
}

fn redirect(to: &str) -> Response {
    let mut response = plain(StatusCode::SEE_OTHER, "");
    if let Ok(to) = HeaderValue::from_str(to) {
        response.headers_mut().insert(LOCATION, to);
    }
    response
}

fn json(status: StatusCode, told: &Told) -> Response {
    let text = serde_json::to_string(told).expect("texts and numbers can be written as JSON");
    typed(status, "application/json", text)
}

pub(crate) fn plain(status: StatusCode, text: &str) -> Response {
    typed(status, "text/plain; charset=utf-8", text.to_owned())
}

/// An answer that is not kept by the browser.
pub(crate) fn typed(status: StatusCode, kind: &'static str, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
