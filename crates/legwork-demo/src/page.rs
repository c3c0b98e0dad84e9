//! The store's pages: the frame all of them have, and the small ones. Every text goes through [`text`], so
//! that no product's name is markup.

mod basket;
mod product;
mod shelf;

use axum::http::StatusCode;
use axum::response::Response;

use crate::catalogue::slug;
use crate::hostile;
use crate::shop::Shop;
use crate::web::typed;

pub(crate) use basket::cart;
pub(crate) use product::product;
pub(crate) use shelf::{category, home, search};

const HTML: &str = "text/html; charset=utf-8";

/// Somebody who looks at a page.
pub(crate) struct Visit<'a> {
    pub(crate) shop: &'a Shop,
    pub(crate) account: Option<&'a str>,
    /// Whether the question about cookies was answered.
    pub(crate) consented: bool,
    /// Whether the newsletter was not offered yet.
    pub(crate) unasked: bool,
}

impl Visit<'_> {
    fn in_cart(&self) -> u32 {
        let lines = self.account.map(|account| self.shop.lines(account)).unwrap_or_default();
        lines.iter().map(|(_, quantity)| quantity).sum()
    }

    /// A whole page.
    fn page(&self, status: StatusCode, title: &str, main: &str) -> Response {
        let title = text(title);
        let (header, footer) = (self.header(), self.footer());
        let others = self.others();
        let html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title} | Corner Store</title>\n\
             <link rel=\"stylesheet\" href=\"/store.css\">\n<script defer src=\"/store.js\"></script>\n\
             {others}</head>\n<body>\n{header}\n<main id=\"main\">\n{main}\n</main>\n{footer}\n\
             <div id=\"told\" role=\"status\"></div>\n</body>\n</html>\n"
        );
        typed(status, HTML, html)
    }

    fn header(&self) -> String {
        let account = match self.account {
            Some(account) => {
                let name = text(account.split('@').next().unwrap_or(account));
                format!(
                    "<a id=\"account\" href=\"/account\">Hello, {name}</a>\n<form method=\"post\" \
                     action=\"/sign-out\" class=\"quiet\"><button>Sign out</button></form>"
                )
            }
            None => "<a id=\"sign-in\" href=\"/sign-in\" data-whole>Sign in</a>".into(),
        };
        let categories = self.shop.catalogue.categories();
        let link = |name: &&str| {
            format!("<li><a href=\"/category/{}\">{}</a></li>", slug(name), text(name))
        };
        let links: String = categories.iter().map(link).collect();
        let count = self.in_cart();
        format!(
            "<header id=\"header\">\n<a class=\"logo\" href=\"/\">Corner Store</a>\n\
             <form id=\"search\" role=\"search\" action=\"/search\"><input type=\"search\" name=\"q\" \
             aria-label=\"Search products\" placeholder=\"Search products\"><button>Search</button></form>\n\
             {account}\n<a id=\"cart\" href=\"/cart\">Cart (<span id=\"count\">{count}</span>)</a>\n\
             <nav aria-label=\"Departments\"><ul>{links}</ul></nav>\n</header>"
        )
    }

    fn footer(&self) -> String {
        let consent = match self.consented || !self.shop.options.popups {
            true => "",
            false => CONSENT,
        };
        let hidden = if self.shop.options.hostile { hostile::hidden() } else { "" };
        format!(
            "{hidden}<footer><p>Corner Store, a shop that is not there. Prices in dollars.</p></footer>\n{consent}"
        )
    }

    /// What advertisers have the store put on its pages.
    fn others(&self) -> String {
        if !self.shop.options.third_parties {
            return String::new();
        }
        let (ads, metrics) = (self.shop.others.origin("ads"), self.shop.others.origin("metrics"));
        format!(
            "<script async src=\"{ads}/tag.js\"></script>\n\
             <script async src=\"{metrics}/collect.js?page=store\"></script>\n"
        )
    }
}

const CONSENT: &str = "<div id=\"consent\" role=\"dialog\" aria-label=\"Cookies\">\n\
    <p>We use cookies, as every shop does. May we also use those that are not necessary?</p>\n\
    <button data-cookie=\"consent=all\">Accept all</button>\n\
    <button data-cookie=\"consent=necessary\">Only necessary</button>\n</div>";

pub(crate) fn sign_in(visit: &Visit, next: &str, wrong: Option<&str>) -> Response {
    let status = if wrong.is_some() { StatusCode::UNAUTHORIZED } else { StatusCode::OK };
    let wrong = wrong.map_or(String::new(), |why| format!("<p role=\"alert\">{}</p>", text(why)));
    let main = format!(
        "<h1>Sign in</h1>\n{wrong}\n<form method=\"post\" action=\"/sign-in\" class=\"sheet\" data-whole>\n\
         <input type=\"hidden\" name=\"next\" value=\"{}\">\n\
         <label>Email <input type=\"email\" name=\"email\" autocomplete=\"username\" required></label>\n\
         <label>Password <input type=\"password\" name=\"password\" autocomplete=\"current-password\" \
         required></label>\n<button id=\"sign-in-button\">Sign in</button>\n</form>\n\
         <p><a href=\"/password-reset\">Forgot your password?</a> \
         <a href=\"/signup\">Create an account</a></p>",
        text(next)
    );
    visit.page(status, "Sign in", &main)
}

pub(crate) fn account(visit: &Visit) -> Response {
    let name = text(visit.account.unwrap_or_default());
    let main = format!(
        "<h1>Your account</h1>\n<p>{name}</p>\n<ul><li><a href=\"/account/settings\">Settings</a></li>\
         <li><a href=\"/account/orders\">Orders</a></li></ul>"
    );
    visit.page(StatusCode::OK, "Your account", &main)
}

/// The page that no shopper may see.
pub(crate) fn checkout(visit: &Visit) -> Response {
    let main = "<h1>Checkout</h1>\n<form method=\"post\" action=\"/checkout/payment\" class=\"sheet\">\n\
        <label>Card number <input name=\"card\" autocomplete=\"cc-number\"></label>\n\
        <button>Pay now</button>\n</form>";
    visit.page(StatusCode::OK, "Checkout", main)
}

pub(crate) fn missing(visit: &Visit) -> Response {
    let main = "<h1>This page is not there</h1>\n<p><a href=\"/\">To the first page</a></p>";
    visit.page(StatusCode::NOT_FOUND, "Not found", main)
}

/// What a server says that cannot say more.
pub(crate) fn broken(status: u16) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let html = "<!doctype html>\n<title>Error</title>\n<h1>Something went wrong</h1>\n\
        <p>Please try again later.</p>\n";
    typed(status, HTML, html.into())
}

pub(crate) fn style() -> Response {
    typed(StatusCode::OK, "text/css", include_str!("../data/store.css").into())
}

pub(crate) fn script() -> Response {
    typed(StatusCode::OK, "text/javascript", include_str!("../data/store.js").into())
}

/// What the hostile store does besides.
pub(crate) fn offers() -> Response {
    typed(StatusCode::OK, "text/javascript", include_str!("../data/offers.js").into())
}

/// A text within markup or within an attribute.
fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            letter => out.push(letter),
        }
    }
    out
}
