//! Whether what was about to be added is in the cart: told by what the cart shows now and what it showed
//! before. Where that could mean two things, it means neither.

use url::Url;

use super::book::Got;
use crate::cart::{Contents, Intent, Line};
use crate::shopper;
use crate::summary::Cart;

/// What the cart says of an intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// All of it is there.
    Done(Got),
    /// Nothing of it is there.
    Nothing,
    /// Part of it is there, and so many are missing.
    Rest(Got, u32),
    /// It cannot be told, and why.
    Unclear(String),
}

/// When the intent was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Age {
    /// In this run.
    Now,
    /// In an earlier run: people may have emptied the cart since.
    Earlier,
}

/// Compares the cart with what it was before.
pub(super) fn verdict(intent: &Intent, now: &Contents, age: Age) -> Verdict {
    match &intent.product {
        Some((name, url)) => of_product(intent, name, url, now, age),
        None => of_whatever_grew(intent, now),
    }
}

fn of_product(intent: &Intent, name: &str, url: &Url, now: &Contents, age: Age) -> Verdict {
    let before = intent.before.count(name, Some(url));
    let there = now.count(name, Some(url));
    let seen = |quantity| {
        let line = now.of(name, Some(url)).next().map(|line| line.text.clone());
        Cart::Shows { quantity, line: line.unwrap_or_default() }
    };
    let got = |quantity| Got {
        product: name.to_owned(),
        url: Some(url.clone()),
        price: intent.price.clone(),
        quantity,
        chosen: None,
        cart: seen(there),
    };
    match there.checked_sub(before) {
        None if age == Age::Earlier => Verdict::Nothing,
        None => Verdict::Unclear(format!(
            "the cart has fewer of {name:?} ({there}) than before anything was added ({before})"
        )),
        // The cart may call it by another name; then only the sum tells that something was added.
        Some(0) if all(now) > all(&intent.before) || is_more_by_name(intent, name, now) => {
            Verdict::Unclear(format!(
                "the cart has more in it than before, but nothing called {name:?}"
            ))
        }
        Some(0) => Verdict::Nothing,
        Some(more) if more >= intent.quantity => Verdict::Done(got(intent.quantity)),
        Some(more) => Verdict::Rest(got(more), intent.quantity - more),
    }
}

/// Whether there is more that is called the same, on whatever page.
fn is_more_by_name(intent: &Intent, name: &str, now: &Contents) -> bool {
    now.count(name, None) > intent.before.count(name, None)
}

/// Where the product was not known beforehand, it is the one line that grew, if that fits what is wanted:
/// people shop as well, and what does not fit is nobody's to tell.
fn of_whatever_grew(intent: &Intent, now: &Contents) -> Verdict {
    let more = |line: &&Line| {
        let [before, there] =
            [&intent.before, now].map(|cart| cart.count(&line.product, line.url.as_ref()));
        there > before
    };
    let grown: Vec<&Line> = now.lines.iter().filter(more).collect();
    let line = match grown[..] {
        [] => return Verdict::Nothing,
        [line] => line,
        _ => return Verdict::Unclear("the cart grew in more than one line".into()),
    };
    if !intent.what.as_deref().is_some_and(|what| shopper::fits(what, line)) {
        let there = &line.product;
        return Verdict::Unclear(format!("the cart has more of {there:?}, which may not be it"));
    }
    let before = intent.before.count(&line.product, line.url.as_ref());
    let quantity = now.count(&line.product, line.url.as_ref()) - before;
    let got = |quantity| Got {
        product: line.product.clone(),
        url: line.url.clone(),
        price: None,
        quantity,
        chosen: None,
        cart: Cart::Unseen,
    };
    match intent.quantity.checked_sub(quantity) {
        None | Some(0) => Verdict::Done(got(intent.quantity)),
        Some(rest) => Verdict::Rest(got(quantity), rest),
    }
}

fn all(cart: &Contents) -> u32 {
    cart.lines.iter().fold(0, |sum, line| sum.saturating_add(line.quantity))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cart before, the cart now, and what that means.
    type Case = (Lines, Lines, &'static str);
    type Lines = &'static [(&'static str, u32)];

    fn cart(lines: &[(&str, u32)]) -> Contents {
        let line = |(product, quantity): &(&str, u32)| Line {
            product: (*product).to_owned(),
            url: Url::parse(&format!("https://shop.example/p/{}", product.replace(' ', "-"))).ok(),
            quantity: *quantity,
            text: format!("{product} {quantity}"),
        };
        Contents { lines: lines.iter().map(line).collect() }
    }

    fn told(before: &[(&str, u32)], now: &[(&str, u32)], known: bool, age: Age) -> String {
        let url = Url::parse("https://shop.example/p/milk").unwrap();
        let product = known.then(|| ("Milk".to_owned(), url));
        let what = (!known).then(|| "milk".to_owned());
        let intent = Intent { product, price: None, what, quantity: 2, before: cart(before) };
        match verdict(&intent, &cart(now), age) {
            Verdict::Done(got) => format!("{} {}", got.quantity, got.product),
            Verdict::Nothing => "nothing".into(),
            Verdict::Rest(got, rest) => format!("{} and {rest} missing", got.quantity),
            Verdict::Unclear(_) => "unclear".into(),
        }
    }

    #[test]
    fn the_cart_tells_what_was_added() {
        let cases: [Case; 9] = [
            (&[], &[], "nothing"),
            (&[], &[("milk", 2)], "2 Milk"),
            (&[("milk", 1)], &[("milk", 3)], "2 Milk"),
            (&[("milk", 2)], &[("milk", 2)], "nothing"),
            (&[("milk", 2)], &[("milk", 3)], "1 and 1 missing"),
            (&[], &[("milk", 5)], "2 Milk"),
            (&[("tea", 2)], &[("milk", 2), ("tea", 2)], "2 Milk"),
            (&[("tea", 2)], &[("tea", 1)], "nothing"),
            (&[], &[("whole milk", 2)], "unclear"),
        ];
        for (before, now, expected) in cases {
            assert_eq!(told(before, now, true, Age::Now), expected, "{before:?} {now:?}");
        }
        assert_eq!(told(&[("milk", 2)], &[], true, Age::Now), "unclear");
        assert_eq!(told(&[("milk", 2)], &[], true, Age::Earlier), "nothing");
    }

    #[test]
    fn an_unknown_product_is_the_one_line_that_grew_if_it_fits() {
        let cases: [Case; 7] = [
            (&[("tea", 1)], &[("tea", 1)], "nothing"),
            (&[("tea", 1)], &[("tea", 1), ("milk", 2)], "2 milk"),
            (&[("milk", 1)], &[("milk", 3)], "2 milk"),
            (&[("whole milk", 1)], &[("whole milk", 2)], "1 and 1 missing"),
            (&[("tea", 1)], &[("tea", 2), ("milk", 1)], "unclear"),
            (&[("tea", 1)], &[("tea", 3)], "unclear"),
            (&[], &[("milk chocolate", 2)], "unclear"),
        ];
        for age in [Age::Now, Age::Earlier] {
            for (before, now, expected) in cases {
                assert_eq!(told(before, now, false, age), expected, "{before:?} {now:?}");
            }
        }
        let before = cart(&[]);
        let intent = Intent { product: None, price: None, what: None, quantity: 2, before };
        let verdict = verdict(&intent, &cart(&[("milk", 2)]), Age::Earlier);
        assert!(matches!(verdict, Verdict::Unclear(_)), "nobody knows what was wanted");
    }

    #[test]
    fn what_is_called_the_same_on_another_page_is_not_taken_for_it_nor_added_again() {
        let mut now = cart(&[("milk", 2)]);
        now.lines[0].url = Url::parse("https://shop.example/other/milk").ok();
        let url = Url::parse("https://shop.example/p/milk").unwrap();
        let product = Some(("Milk".to_owned(), url));
        let before = cart(&[("tea", 2)]);
        let intent = Intent { product, price: None, what: None, quantity: 2, before };
        assert!(matches!(verdict(&intent, &now, Age::Earlier), Verdict::Unclear(_)));
    }
}
