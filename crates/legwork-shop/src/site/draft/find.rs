//! Which elements of a page are the search field, the way to the cart, the way in, and the form there. What
//! shops call these is data.

use std::sync::LazyLock;

use serde::Deserialize;
use url::Url;

use super::visit::Element;
use crate::site::Locator;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    search: Vec<String>,
    search_fields: Vec<String>,
    cart: Vec<String>,
    sign_in: Vec<String>,
    account: Vec<String>,
    not_the_cart: Vec<String>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    toml::from_str(include_str!("words.toml"))
        .expect("the words that are built in are tried by a test")
});

/// The field that a search is typed into.
pub(super) fn search_field(inputs: &[Element]) -> Option<&Element> {
    let points = |input: &&Element| search_points(input);
    let usable = inputs.iter().filter(|input| input.visible && input.enabled && is_text(input));
    usable.filter(|input| search_points(input) > 0).reduce(|best, next| {
        // Of equals the first one counts: the header comes before the newsletter.
        if points(&next) > points(&best) { next } else { best }
    })
}

fn search_points(input: &Element) -> u32 {
    let typed = input.attribute("type") == "search" || input.role == "searchbox";
    let labels = [&*input.name, input.attribute("placeholder"), input.attribute("title")];
    let called = labels.iter().any(|label| says(label, &WORDS.search));
    let named = ["name", "id"].iter().any(|attribute| {
        let name = input.attribute(attribute).to_lowercase();
        WORDS.search_fields.contains(&name) || WORDS.search.iter().any(|word| name.contains(word))
    });
    4 * u32::from(typed) + 2 * u32::from(called) + u32::from(named)
}

fn is_text(input: &Element) -> bool {
    let kind = input.attribute("type");
    input.tag != "button" && matches!(kind, "" | "text" | "search" | "email" | "tel")
}

/// The address of the cart, from the links of a page; also from ones that are hidden, since shops have one
/// for every size of window.
pub(super) fn cart_link(links: &[Element], page: &Url) -> Option<Url> {
    best_link(links, page, |link, url| {
        if says(&link.name, &WORDS.not_the_cart) || passes(url, &WORDS.not_the_cart) {
            return 0;
        }
        2 * u32::from(ends_in(url, &WORDS.cart)) + u32::from(says(&link.name, &WORDS.cart))
    })
}

/// What can be clicked to get to the cart, where it is no link.
pub(super) fn cart_button(buttons: &[Element]) -> Option<&Element> {
    buttons.iter().find(|button| {
        let leads_there = says(&button.name, &WORDS.cart);
        leads_there && button.visible && button.enabled && !says(&button.name, &WORDS.not_the_cart)
    })
}

/// The address of the way in.
pub(super) fn sign_in_link(links: &[Element], page: &Url) -> Option<Url> {
    best_link(links, page, |link, url| {
        let plainly = says(&link.name, &WORDS.sign_in) || passes(url, &WORDS.sign_in);
        let perhaps = says(&link.name, &WORDS.account) || passes(url, &WORDS.account);
        2 * u32::from(plainly) + u32::from(perhaps)
    })
}

/// Whether an address is one of a sign-in.
pub(super) fn is_sign_in(url: &Url) -> bool {
    passes(url, &WORDS.sign_in)
}

/// The link with most points, if any has one; of equals the first.
fn best_link(links: &[Element], page: &Url, points: impl Fn(&Element, &Url) -> u32) -> Option<Url> {
    let mut best: Option<(u32, Url)> = None;
    for link in links {
        let href = link.attribute("href");
        let Ok(mut url) = page.join(href) else { continue };
        if href.is_empty() || href.starts_with('#') || !matches!(url.scheme(), "http" | "https") {
            continue;
        }
        url.set_fragment(None);
        let points = points(link, &url);
        if points > best.as_ref().map_or(0, |(most, _)| *most) {
            best = Some((points, url));
        }
    }
    best.map(|(_, url)| url)
}

/// A form to sign in with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) user: Locator,
    pub(super) password: Locator,
    pub(super) submit: Locator,
}

/// The form to sign in with, from the fields and buttons of a page as they follow each other: a text, one
/// password and not a second one, a button.
pub(super) fn sign_in_form(controls: &[Element]) -> Option<Form> {
    let shown: Vec<&Element> = controls.iter().filter(|control| control.visible).collect();
    let fields: Vec<usize> =
        (0..shown.len()).filter(|at| is_text(shown[*at]) || is_password(shown[*at])).collect();
    fields.windows(2).enumerate().find_map(|(place, pair)| {
        let (user, password) = (shown[pair[0]], shown[pair[1]]);
        let next = fields.get(place + 2).copied();
        let alone = !next.is_some_and(|next| is_password(shown[next]));
        if !is_text(user) || !is_password(password) || !alone {
            return None;
        }
        let end = next.unwrap_or(shown.len());
        let submit = shown[pair[1] + 1..end].iter().find(|control| is_submit(control))?;
        Some(Form {
            user: locator(user, &shown)?,
            password: locator(password, &shown)?,
            submit: locator(submit, &shown)?,
        })
    })
}

fn is_password(input: &Element) -> bool {
    input.attribute("type") == "password"
}

/// A button that sends a form. One without a type does, and one that shows the password has one.
fn is_submit(control: &Element) -> bool {
    let kind = control.attribute("type");
    match control.tag.as_str() {
        "button" => matches!(kind, "" | "submit"),
        _ => matches!(kind, "submit" | "image"),
    }
}

/// How a control is found again: by what it is called, if nothing else is called so.
fn locator(control: &Element, all: &[&Element]) -> Option<Locator> {
    let name = control.name.trim();
    let alike = all.iter().filter(|other| other.name.trim() == name).count();
    if !name.is_empty() && alike == 1 && !name.contains(char::is_control) {
        return Some(Locator::Label(name.to_owned()));
    }
    ["id", "name"].into_iter().find_map(|attribute| {
        let value = control.attribute(attribute);
        let alike = all.iter().filter(|other| other.attribute(attribute) == value).count();
        let plain = !value.is_empty() && !value.contains(['"', '\\']);
        (plain && alike == 1).then(|| Locator::Selector(format!("[{attribute}=\"{value}\"]")))
    })
}

/// Whether a label says one of some words, as whole words.
fn says(label: &str, words: &[String]) -> bool {
    let plain = plain(label);
    words.iter().any(|word| format!(" {plain} ").contains(&format!(" {word} ")))
}

/// Whether a part of an address's path is one of some words.
fn passes(url: &Url, words: &[String]) -> bool {
    parts(url).any(|part| says(&part, words))
}

/// Whether the last part of an address's path is one of some words: `/shop/cart`, not `/cart/add/4`.
fn ends_in(url: &Url, words: &[String]) -> bool {
    parts(url).last().is_some_and(|part| says(&part, words))
}

fn parts(url: &Url) -> impl Iterator<Item = String> {
    let parts = url.path_segments().into_iter().flatten().filter(|part| !part.is_empty());
    parts.map(|part| part.trim_end_matches(".html").trim_end_matches(".php").to_owned())
}

/// Letters and digits in lower case, everything else as single spaces.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
