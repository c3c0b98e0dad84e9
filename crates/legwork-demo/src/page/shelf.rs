//! Pages with many products: the first page, a department, the results of a search.

use axum::http::StatusCode;
use axum::response::Response;
use url::form_urlencoded::byte_serialize;

use super::{Visit, text};
use crate::catalogue::{Product, dollars, slug};
use crate::hostile;
use crate::search::noise;

/// How many products a page shows.
const PER_PAGE: usize = 20;

pub(crate) fn home(visit: &Visit) -> Response {
    let popular = shelf(&popular(visit, 8));
    let main = format!(
        "<h1>Groceries from around the corner</h1>\n<p>Ordered today, at your door tomorrow.</p>\n\
         <h2>Popular right now</h2>\n{popular}"
    );
    visit.page(StatusCode::OK, "Groceries", &main)
}

pub(crate) fn category(visit: &Visit, name: &str) -> Response {
    let products: Vec<&Product> = visit
        .shop
        .catalogue
        .products()
        .iter()
        .filter(|product| slug(&product.category) == name)
        .collect();
    let Some(first) = products.first() else {
        return super::missing(visit);
    };
    let title = text(&first.category);
    let main =
        format!("<h1>{title}</h1>\n<p>{} products</p>\n{}", products.len(), shelf(&products));
    visit.page(StatusCode::OK, &first.category, &main)
}

pub(crate) fn search(visit: &Visit, query: &str, page: &str) -> Response {
    let title = format!("Results for {query}");
    let found = visit.shop.index.find(query);
    let all = visit.shop.catalogue.products();
    if found.products.is_empty() {
        let main = format!(
            "<h1>No results for “{}”</h1>\n<p>Check the spelling, or try fewer words.</p>\n\
             <h2>Popular right now</h2>\n{}",
            text(query),
            shelf(&popular(visit, 4))
        );
        return visit.page(StatusCode::OK, &title, &main);
    }
    let pages = found.products.len().div_ceil(PER_PAGE);
    let page = page.parse::<usize>().unwrap_or(1).clamp(1, pages);
    let start = (page - 1) * PER_PAGE;
    let shown = found.products.iter().enumerate().skip(start).take(PER_PAGE);
    let cards: String =
        shown.map(|(rank, at)| card(&all[*at], found.sponsored && rank == 0)).collect();
    let instead = found.instead.map_or(String::new(), |words| {
        let link = encoded(&words);
        format!("<p>Did you mean <a href=\"/search?q={link}\">{}</a>?</p>\n", text(&words))
    });
    let main = format!(
        "<h1>Results for “{}”</h1>\n{instead}<p>{} results</p>\n<ul class=\"shelf\">{cards}</ul>\n{}",
        text(query),
        found.products.len(),
        pager(query, page, pages)
    );
    visit.page(StatusCode::OK, &title, &main)
}

/// What sells, as the seed has it.
fn popular<'a>(visit: &Visit<'a>, many: usize) -> Vec<&'a Product> {
    let mut all: Vec<&Product> = visit.shop.catalogue.products().iter().collect();
    all.sort_by_key(|product| noise(visit.shop.options.seed, &product.id));
    all.truncate(many);
    all
}

pub(super) fn shelf(products: &[&Product]) -> String {
    let cards: String = products.iter().map(|product| card(product, false)).collect();
    format!("<ul class=\"shelf\">{cards}</ul>")
}

fn card(product: &Product, sponsored: bool) -> String {
    let Product { id, name, brand, size, .. } = product;
    let (name, brand, size) = (text(name), text(brand), text(size));
    let label = if sponsored { "<p class=\"label\">Sponsored</p>" } else { "" };
    let (action, many) = hostile::form(product.trick);
    let buy = match product.in_stock {
        true => format!(
            "<form method=\"post\" action=\"{action}\"><input type=\"hidden\" name=\"product\" \
             value=\"{id}\"><input type=\"hidden\" name=\"quantity\" value=\"{many}\">\
             <button>Add to cart</button></form>"
        ),
        false => "<p class=\"out\">Out of stock</p>".into(),
    };
    format!(
        "<li class=\"card\">{label}<a href=\"/product/{id}\">{}<h3>{name}</h3></a>\
         <p class=\"brand\">{brand}</p><p class=\"size\">{size}</p>{}{buy}</li>\n",
        picture(product, None),
        price(product)
    )
}

pub(super) fn price(product: &Product) -> String {
    let was = product.was.map_or(String::new(), |was| format!(" <s>was {}</s>", dollars(was)));
    format!("<p class=\"price\">{}{was}</p>", dollars(product.price))
}

/// A drawing in place of a photograph: a package in a colour of its department. Without a name it is only
/// for the eye.
pub(super) fn picture(product: &Product, name: Option<&str>) -> String {
    let seen = match name {
        Some(name) => format!("role=\"img\" aria-label=\"{}\"", text(name)),
        None => "aria-hidden=\"true\"".into(),
    };
    let hue = noise(7, &product.category) % 360;
    let shade = 45 + noise(7, &product.id) % 30;
    let letter = product.name.chars().find(|letter| letter.is_alphabetic()).unwrap_or('?');
    format!(
        "<svg viewBox=\"0 0 80 80\" {seen}><rect x=\"16\" y=\"10\" width=\"48\" height=\"62\" \
         rx=\"8\" fill=\"hsl({hue} 55% {shade}%)\"/><rect x=\"22\" y=\"34\" width=\"36\" height=\"22\" rx=\"3\" \
         fill=\"#fff\"/><text x=\"40\" y=\"51\" text-anchor=\"middle\" font-size=\"16\">{letter}</text></svg>"
    )
}

fn pager(query: &str, page: usize, pages: usize) -> String {
    if pages < 2 {
        return String::new();
    }
    let query = encoded(query);
    let link = |to: usize, words: &str| match to == page {
        true => format!("<li aria-current=\"page\">{words}</li>"),
        false => format!("<li><a href=\"/search?q={query}&amp;page={to}\">{words}</a></li>"),
    };
    let numbers: String = (1..=pages).map(|to| link(to, &format!("Page {to}"))).collect();
    format!("<nav aria-label=\"Pages\"><ul class=\"pages\">{numbers}</ul></nav>")
}

fn encoded(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}
