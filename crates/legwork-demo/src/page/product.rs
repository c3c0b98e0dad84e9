//! The page of a product.

use axum::http::StatusCode;
use axum::response::Response;

use super::shelf::{picture, price, shelf};
use super::{Visit, text};
use crate::catalogue::{Product, slug};
use crate::hostile;
use crate::search::noise;
use crate::shop::MOST;

pub(crate) fn product(visit: &Visit, id: &str) -> Response {
    let Some(product) = visit.shop.catalogue.get(id) else {
        return super::missing(visit);
    };
    let Product { name, brand, size, category, description, .. } = product;
    let related = related(visit, product);
    let main = format!(
        "<nav aria-label=\"Breadcrumb\"><a href=\"/\">Home</a> / <a href=\"/category/{}\">{}</a></nav>\n\
         <article class=\"product\">\n{}\n<div>\n<p class=\"brand\">{}</p>\n<h1>{}</h1>\n\
         <p class=\"size\">{}</p>\n{}\n{}\n<h2>About this product</h2>\n<p>{}</p>\n</div>\n</article>\n\
         <h2>You may also like</h2>\n{}\n{}\n{}",
        slug(category),
        text(category),
        picture(product, Some(name)),
        text(brand),
        text(name),
        text(size),
        price(product),
        buy(product),
        text(description),
        shelf(&related),
        newsletter(visit, product),
        product.trick.map_or(String::new(), |trick| hostile::page(trick, &visit.shop.others)),
    );
    visit.page(StatusCode::OK, &format!("{brand} {name}, {size}"), &main)
}

fn buy(product: &Product) -> String {
    if !product.in_stock {
        return "<p class=\"out\">Out of stock</p>\n<p>We do not know when it comes back.</p>"
            .into();
    }
    let id = &product.id;
    let (action, many) = hostile::form(product.trick);
    format!(
        "<p class=\"in\">In stock</p>\n<form method=\"post\" action=\"{action}\" class=\"buy\">\n\
         <input type=\"hidden\" name=\"product\" value=\"{id}\">\n\
         <button type=\"button\" data-step=\"-1\" aria-label=\"One less\">−</button>\n\
         <input type=\"number\" name=\"quantity\" aria-label=\"Quantity\" value=\"{many}\" min=\"1\" max=\"{MOST}\">\n\
         <button type=\"button\" data-step=\"1\" aria-label=\"One more\">+</button>\n\
         <button class=\"main\">Add to cart</button>\n</form>\n\
         <a class=\"button\" href=\"/checkout?product={id}\" data-whole>Buy now</a>"
    )
}

/// Others of its department, those of its kind first.
fn related<'a>(visit: &Visit<'a>, product: &Product) -> Vec<&'a Product> {
    let all = visit.shop.catalogue.products().iter();
    let mut near: Vec<&Product> =
        all.filter(|other| other.category == product.category && other.id != product.id).collect();
    near.sort_by_key(|other| {
        (other.kind != product.kind, noise(visit.shop.options.seed, &other.id))
    });
    near.truncate(4);
    near
}

/// On one page of three a letter is offered, in front of everything, to who was not asked yet.
fn newsletter(visit: &Visit, product: &Product) -> &'static str {
    let chosen = noise(visit.shop.options.seed, &product.id).is_multiple_of(3);
    match chosen && visit.unasked && visit.shop.options.popups {
        true => NEWSLETTER,
        false => "",
    }
}

const NEWSLETTER: &str = "<div id=\"newsletter\" role=\"dialog\" aria-modal=\"true\" \
    aria-label=\"Newsletter\"><div class=\"sheet\">\n<h2>10% off your next order</h2>\n\
    <p>Get our letter every week.</p>\n\
    <input type=\"email\" aria-label=\"Your email\" placeholder=\"Your email\">\n\
    <button data-cookie=\"newsletter=yes\">Subscribe</button>\n\
    <button data-cookie=\"newsletter=no\">No thanks</button>\n</div></div>";
