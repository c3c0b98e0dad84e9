//! What a run did, for the person whose list it was: as Markdown to read, as JSON for programs. Names and reasons
//! come from shops and models, so none of them can add a line, a heading or a link of its own.

mod escape;
mod more;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::item::MOST;
use crate::money::{self, Currency, Money, Price, PriceError};
use crate::site::Site;

pub use more::{BlockedHost, NotBegun, Note, Other, Resumed, Why};

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The name of the shop.
    pub site: String,
    /// Where the cart can be looked at.
    pub cart: Url,
    /// The shop's currency.
    pub currency: Currency,
    /// What is in the cart now.
    pub added: Vec<Added>,
    /// What the shop does not have.
    pub not_found: Vec<NotFound>,
    /// What went wrong.
    pub failed: Vec<Failed>,
    /// Pages that tried to make the shopper do something else.
    pub steering: Vec<Steering>,
    /// What is in the cart from an attempt that was interrupted, whose price nobody saw.
    pub resumed: Vec<Resumed>,
    /// What the run ended before.
    pub not_begun: Vec<NotBegun>,
    /// What else is in the cart.
    pub others: Vec<Other>,
    /// What was not let through, by host.
    pub blocked: Vec<BlockedHost>,
    /// What else is worth knowing.
    pub notes: Vec<Note>,
}

/// Something that was put in the cart.
#[derive(Debug, Clone, PartialEq)]
pub struct Added {
    /// What the list says.
    pub item: String,
    /// What the shop calls the product.
    pub product: String,
    /// Its price as the shop shows it.
    pub price_text: String,
    /// That price, read.
    pub price: Price,
    /// The product's page.
    pub url: Url,
    /// How many were added.
    pub quantity: u32,
    /// What the cart itself shows of it, if it was looked at.
    pub cart: Cart,
    /// Why this product and no other, where it was chosen by points.
    pub chosen: Option<String>,
}

/// What the cart shows of a product.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Cart {
    /// Nobody looked.
    #[default]
    Unseen,
    /// It is there, in this quantity, in this line.
    Shows {
        /// How many.
        quantity: u32,
        /// The cart's own words.
        line: String,
    },
    /// It is not there.
    Missing,
}

impl Cart {
    /// Whether nobody looked.
    pub fn is_unseen(&self) -> bool {
        *self == Cart::Unseen
    }
}

/// Something the shop does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotFound {
    /// What the list says.
    pub item: String,
    /// Why nothing was taken.
    pub reason: String,
    /// Whether the shop has it at other times.
    pub out_of_stock: bool,
}

/// Something that went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failed {
    /// What the list says.
    pub item: String,
    /// What happened.
    pub error: String,
}

/// A page that tried to make the shopper do something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Steering {
    /// The item that was shopped for.
    pub item: String,
    /// The page.
    pub url: String,
    /// What it tried.
    pub attempt: String,
}

/// What is reported when an item is in the cart, as it was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report<'a> {
    /// What the shop calls the product.
    pub item_name: &'a str,
    /// The price as the shop shows it.
    pub price_text: &'a str,
    /// The price of one, in cents.
    pub price_cents: u64,
    /// The product's page.
    pub url: &'a str,
    /// How many.
    pub quantity: u32,
}

/// Why a report is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// The price is none, or is said in two ways.
    #[error(transparent)]
    Price(#[from] PriceError),
    /// A price in another currency could not be added up.
    #[error("the price {0:?} is not in the currency of this shop")]
    Currency(String),
    /// The product is not on this shop's pages.
    #[error("{0:?} is not a page of this shop")]
    Elsewhere(String),
    /// There is no such quantity.
    #[error("the quantity is {0}; it has to be between 1 and {MOST}")]
    Quantity(u32),
    /// The product has no name.
    #[error("the report does not name the product")]
    Nameless,
}

impl Added {
    /// Checks a report: text and cents have to agree, the page has to be the shop's, the quantity possible.
    pub fn reported(item: &str, report: &Report, site: &Site) -> Result<Added, ReportError> {
        if report.item_name.trim().is_empty() {
            return Err(ReportError::Nameless);
        }
        if !(1..=MOST).contains(&report.quantity) {
            return Err(ReportError::Quantity(report.quantity));
        }
        let price = Price::agreed(report.price_text, report.price_cents, site.currency)?;
        if price.shown.currency != site.currency {
            return Err(ReportError::Currency(report.price_text.to_owned()));
        }
        let elsewhere = || ReportError::Elsewhere(report.url.to_owned());
        let url = Url::parse(report.url).map_err(|_| elsewhere())?;
        if !site.is_shop_page(&url) {
            return Err(elsewhere());
        }
        let product = report.item_name.trim().to_owned();
        let (price_text, quantity) = (report.price_text.trim().to_owned(), report.quantity);
        Ok(Added {
            item: item.to_owned(),
            product,
            price_text,
            price,
            url,
            quantity,
            cart: Cart::Unseen,
            chosen: None,
        })
    }

    /// What it costs in all; `None` if that is more money than there is.
    pub fn cost(&self) -> Option<Money> {
        self.price.of(self.quantity)
    }
}

impl Summary {
    /// A summary of nothing yet.
    pub fn of(site: &Site) -> Summary {
        Summary {
            site: site.name.clone(),
            cart: site.cart.clone(),
            currency: site.currency,
            added: Vec::new(),
            not_found: Vec::new(),
            failed: Vec::new(),
            steering: Vec::new(),
            resumed: Vec::new(),
            not_begun: Vec::new(),
            others: Vec::new(),
            blocked: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// What was added costs this much in all, as far as the shop's prices say. `None` if it cannot be
    /// added up.
    pub fn total(&self) -> Option<Money> {
        let costs: Option<Vec<Money>> = self.added.iter().map(Added::cost).collect();
        money::total(costs?, self.currency)
    }

    /// For people.
    pub fn markdown(&self) -> String {
        let Summary { added, not_found, failed, resumed, .. } = self;
        let mut text = format!("# Shopping at {}\n\n", escape::text(&self.site));
        text += &format!("{} {} Nothing was ordered.\n", self.counts(), self.estimate());
        section(&mut text, "In the cart", added.iter().map(line_of_added));
        section(&mut text, more::RESUMED, resumed.iter().map(Resumed::line));
        section(&mut text, "Not found", not_found.iter().map(line_of_not_found));
        section(&mut text, "Failed", failed.iter().map(|Failed { item, error }| said(item, error)));
        section(
            &mut text,
            "Tried to steer the shopper",
            self.steering.iter().map(line_of_steering),
        );
        self.more(&mut text);
        text += &format!("\n[Look at the cart](<{}>)\n", escape::url(&self.cart));
        text
    }

    /// For programs.
    pub fn json(&self) -> String {
        let whole = Whole {
            site: &self.site,
            cart: self.cart.as_str(),
            currency: self.currency,
            total: self.total().map(|total| number(&total)),
            added: self.added.iter().map(Line::of).collect(),
            not_found: &self.not_found,
            failed: &self.failed,
            steering: &self.steering,
            resumed: &self.resumed,
            not_begun: &self.not_begun,
            others: &self.others,
            blocked: &self.blocked,
            notes: &self.notes,
        };
        let written = serde_json::to_string_pretty(&whole)
            .expect("text, numbers and lists can be written as JSON");
        escape::json(&written)
    }
}

fn section(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<_> = lines.collect();
    if !lines.is_empty() {
        *text += &format!("\n## {title}\n\n- {}\n", lines.join("\n- "));
    }
}

fn line_of_added(added: &Added) -> String {
    let Added { item, product, price_text, url, quantity, .. } = added;
    let link = format!("[{}](<{}>)", escape::text(product), escape::url(url));
    let cost = added.cost().map_or("more than can be counted".into(), |cost| cost.to_string());
    let price = escape::text(price_text);
    let asked = escape::text(item);
    let seen = match &added.cart {
        Cart::Unseen => "the cart was not looked at".into(),
        Cart::Missing => "**the cart does not show it**".into(),
        Cart::Shows { quantity: seen, line } if seen == quantity => {
            format!("the cart shows: {}", escape::text(line))
        }
        Cart::Shows { quantity: seen, line } => {
            format!("**the cart shows {seen} of it**: {}", escape::text(line))
        }
    };
    format!("{quantity} × {link} for \"{asked}\": {price}, together {cost}; {seen}")
}

fn line_of_not_found(not_found: &NotFound) -> String {
    let NotFound { item, reason, out_of_stock } = not_found;
    let line = said(item, reason);
    if *out_of_stock { format!("{line} (out of stock)") } else { line }
}

fn line_of_steering(steering: &Steering) -> String {
    let Steering { item, url, attempt } = steering;
    let (item, attempt) = (escape::text(item), escape::text(attempt));
    format!("while shopping for {item}, on {}: {attempt}", escape::code(url))
}

fn said(item: &str, why: &str) -> String {
    format!("{}: {}", escape::text(item), escape::text(why))
}

/// An amount as programs read it: `12.34`.
fn number(money: &Money) -> String {
    format!("{:.*}", money.currency.decimals() as usize, money.amount)
}

#[derive(Serialize)]
struct Whole<'a> {
    site: &'a str,
    cart: &'a str,
    currency: Currency,
    total: Option<String>,
    added: Vec<Line<'a>>,
    not_found: &'a [NotFound],
    failed: &'a [Failed],
    steering: &'a [Steering],
    resumed: &'a [Resumed],
    not_begun: &'a [NotBegun],
    others: &'a [Other],
    blocked: &'a [BlockedHost],
    notes: &'a [Note],
}

#[derive(Serialize)]
struct Line<'a> {
    item: &'a str,
    product: &'a str,
    price_text: &'a str,
    price_cents: Option<u64>,
    quantity: u32,
    cost: Option<String>,
    url: &'a str,
    cart: &'a Cart,
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<&'a str>,
}

impl Line<'_> {
    fn of(added: &Added) -> Line<'_> {
        Line {
            item: &added.item,
            product: &added.product,
            price_text: &added.price_text,
            price_cents: added.price.each().cents(),
            quantity: added.quantity,
            cost: added.cost().as_ref().map(number),
            url: added.url.as_str(),
            cart: &added.cart,
            chosen: added.chosen.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests;
