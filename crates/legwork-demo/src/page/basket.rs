//! The cart's page.

use axum::http::StatusCode;
use axum::response::Response;

use super::{Visit, text};
use crate::catalogue::{Product, dollars};
use crate::shop::MOST;

pub(crate) fn cart(visit: &Visit) -> Response {
    let lines = visit.account.map(|account| visit.shop.lines(account)).unwrap_or_default();
    let lines: Vec<(&Product, u32)> = lines
        .iter()
        .filter_map(|(id, quantity)| Some((visit.shop.catalogue.get(id)?, *quantity)))
        .collect();
    if lines.is_empty() {
        let main =
            "<h1>Your cart</h1>\n<p>Your cart is empty.</p>\n<p><a href=\"/\">Go shopping</a></p>";
        return visit.page(StatusCode::OK, "Your cart", main);
    }
    let rows: String = lines.iter().map(|(product, quantity)| row(product, *quantity)).collect();
    let cost = |(product, quantity): &(&Product, u32)| product.price * u64::from(*quantity);
    let subtotal = dollars(lines.iter().map(cost).sum());
    let main = format!(
        "<h1>Your cart</h1>\n<table>\n<thead><tr><th>Product</th><th>Price</th><th>Quantity</th>\
         <th>Total</th><th></th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n\
         <p class=\"subtotal\">Subtotal: <strong>{subtotal}</strong></p>\n\
         <a class=\"button main\" href=\"/checkout\" data-whole>Checkout</a>"
    );
    visit.page(StatusCode::OK, "Your cart", &main)
}

fn row(product: &Product, quantity: u32) -> String {
    let Product { id, name, brand, size, .. } = product;
    let (name, brand, size) = (text(name), text(brand), text(size));
    let total = dollars(product.price * u64::from(quantity));
    let price = dollars(product.price);
    format!(
        "<tr><td><a href=\"/product/{id}\">{name}</a> <span class=\"brand\">{brand}</span> \
         <span class=\"size\">{size}</span></td><td>{price}</td><td>\
         <form method=\"post\" action=\"/cart/update\"><input type=\"hidden\" name=\"product\" value=\"{id}\">\
         <input type=\"number\" name=\"quantity\" aria-label=\"Quantity of {name}\" value=\"{quantity}\" \
         min=\"1\" max=\"{MOST}\"><button>Update</button></form></td><td>{total}</td><td>\
         <form method=\"post\" action=\"/cart/remove\"><input type=\"hidden\" name=\"product\" value=\"{id}\">\
         <button>Remove</button></form></td></tr>\n"
    )
}
