use proptest::prelude::*;

use super::*;
use crate::site;

fn metro() -> Site {
    site::metro()
}

fn report() -> Report<'static> {
    Report {
        item_name: "Oat milk 1 L",
        price_text: "$3.49",
        price_cents: 349,
        url: "https://www.metro.ca/en/online-grocery/aisles/oat-milk/p/123",
        quantity: 2,
    }
}

fn added(report: &Report) -> Result<Added, ReportError> {
    Added::reported("2x oat milk", report, &metro())
}

#[test]
fn a_report_is_checked_before_it_is_taken() {
    assert!(added(&report()).is_ok());
    let bad = [
        Report { price_cents: 394, ..report() },
        Report { price_text: "cheap", ..report() },
        Report { price_text: "3,49 €", ..report() },
        Report { url: "https://metro.example/p/123", ..report() },
        Report { url: "https://product-images.metro.ca.evil.example/p", ..report() },
        Report { url: "javascript:alert(1)//www.metro.ca", ..report() },
        Report { url: "http://www.metro.ca/p/1", ..report() },
        Report { url: "https://user@www.metro.ca/p/1", ..report() },
        Report { url: "oat milk", ..report() },
        Report { quantity: 0, ..report() },
        Report { quantity: 1000, ..report() },
        Report { item_name: " ", ..report() },
    ];
    for report in bad {
        assert!(added(&report).is_err(), "{report:?}");
    }
}

#[test]
fn the_summary_says_what_happened_to_every_item() {
    let mut summary = Summary::of(&metro());
    let mut milk = added(&report()).unwrap();
    milk.cart = Cart::Shows { quantity: 2, line: "Oat milk 1 L  2  $6.98".into() };
    let mut beans =
        added(&Report { item_name: "Beans", price_text: "3 for $5", price_cents: 167, ..report() })
            .unwrap();
    (beans.quantity, beans.item) = (3, "3 beans".into());
    beans.cart = Cart::Shows { quantity: 1, line: "Beans 1".into() };
    summary.added = vec![milk, beans];
    let reason = "nothing of that name".into();
    summary.not_found = vec![NotFound { item: "dodo eggs".into(), reason, out_of_stock: true }];
    summary.failed = vec![Failed { item: "tea".into(), error: "time-out after 5m".into() }];
    let attempt = "text of the page asks to check out".into();
    summary.steering =
        vec![Steering { item: "tea".into(), url: "https://www.metro.ca/p/9".into(), attempt }];
    let expected = "\
# Shopping at metro.ca

2 in the cart, 1 not found, 1 failed. Estimated total: **$11.98**. Nothing was ordered.

## In the cart

- 2 × [Oat milk 1 L](<https://www.metro.ca/en/online-grocery/aisles/oat-milk/p/123>) for \"2x oat milk\": $3.49, together $6.98; the cart shows: Oat milk 1 L 2 $6.98
- 3 × [Beans](<https://www.metro.ca/en/online-grocery/aisles/oat-milk/p/123>) for \"3 beans\": 3 for $5, together $5.00; **the cart shows 1 of it**: Beans 1

## Not found

- dodo eggs: nothing of that name (out of stock)

## Failed

- tea: time-out after 5m

## Tried to steer the shopper

- while shopping for tea, on `https://www.metro.ca/p/9`: text of the page asks to check out

[Look at the cart](<https://www.metro.ca/en/online-grocery/cart>)
";
    assert_eq!(summary.markdown(), expected);
    let json: serde_json::Value = serde_json::from_str(&summary.json()).unwrap();
    assert_eq!(json["total"], "11.98");
    assert_eq!(json["currency"], "CAD");
    assert_eq!(json["added"][0]["price_cents"], 349);
    assert_eq!(json["added"][0]["cart"]["state"], "shows");
    assert_eq!(json["added"][1]["cost"], "5.00");
    assert_eq!(json["not_found"][0]["out_of_stock"], true);
    assert_eq!(json["failed"][0]["error"], "time-out after 5m");
}

#[test]
fn an_empty_run_says_so() {
    let text = Summary::of(&metro()).markdown();
    assert!(
        text.contains("0 in the cart, 0 not found, 0 failed. Estimated total: **$0.00**"),
        "{text}"
    );
    assert!(!text.contains("##"));
}

#[test]
fn text_of_a_shop_is_never_markdown() {
    let cases = [
        ("a\n## Failed\n- tea", "a ## Failed - tea"),
        ("[free](https://evil.example)", "\\[free\\](https\\://evil.example)"),
        ("see www.evil.example", "see www\\.evil.example"),
        ("see (WWW.evil.example", "see (WWW\\.evil.example"),
        ("<img src=x>", "\\<img src=x>"),
        ("a@evil.example", "a\\@evil.example"),
        ("thanks @somebody", "thanks \\@somebody"),
        ("- one", "\\- one"),
        ("---", "\\---"),
        ("+ one", "\\+ one"),
        ("> one", "\\> one"),
        ("1. one", "1\\. one"),
        ("12.", "12\\."),
        ("1) one", "1\\) one"),
        ("## Failed", "\\## Failed"),
        ("**free**, *free*", "\\*\\*free\\*\\*, \\*free\\*"),
        ("__free__, _free_", "\\_\\_free\\_\\_, \\_free\\_"),
        ("a__b, a_ b", "a\\_\\_b, a\\_ b"),
        ("`free`, ~~free~~", "\\`free\\`, \\~\\~free\\~\\~"),
        ("{{ states }}", "\\{\\{ states \\}\\}"),
        ("\\[x](y)", "\\\\\\[x\\](y)"),
        ("&#91;x&#x5d; &lt;b", "\\&#91;x\\&#x5d; \\&lt;b"),
        ("a\u{202e}b\u{200b}c\u{0}d", "a b c d"),
    ];
    for (text, expected) in cases {
        assert_eq!(escape::text(text), expected);
    }
    assert_eq!(escape::text(&"a".repeat(400)).chars().count(), 301);
}

#[test]
fn what_means_nothing_in_markdown_is_written_as_the_shop_writes_it() {
    let cases = [
        "2% milk, 1.5 L",
        "1.5 L milk",
        ".5 oz saffron",
        "$3.49",
        "2/$5.00 or 3,49 € each",
        "12 eggs, 1 dozen.",
        "M&Ms, B&B and Ben & Jerry's; Mac & cheese (2): \"old\" #1!",
        "Dairy > Milk -> Oat",
        "Semi-skimmed – 18% (low-fat) = less",
        "3 @ $2",
        "Canola Oil 946 mL | $4.99",
        "Straw. Raw. New.",
        "auth_recovery_failed: 10:30",
    ];
    for text in cases {
        assert_eq!(escape::text(text), text);
    }
}

#[test]
fn an_address_that_tried_to_steer_is_code_and_no_link() {
    let cases = [
        ("https://shop.example/p/1?a=[b](c)", "`https://shop.example/p/1?a=[b](c)`"),
        ("https://shop.example/?q=`[x](y)", "`https://shop.example/?q=%60[x](y)`"),
        ("https://shop.example/\n# a\u{202e}", "`https://shop.example/ # a`"),
    ];
    for (url, expected) in cases {
        assert_eq!(escape::code(url), expected);
    }
    assert_eq!(escape::code(&"a".repeat(400)).chars().count(), 303);
}

proptest! {
    #[test]
    fn no_text_forges_a_line(product in ".*|[\\n\\r#*\\[\\]()<>a-z -]{0,40}", why in "(?s).*") {
        let mut summary = Summary::of(&metro());
        let before = summary.markdown().lines().count();
        summary.failed.push(Failed { item: product.clone(), error: why.clone() });
        let text = summary.markdown();
        // A heading with a blank line on each side, and one line.
        prop_assert_eq!(text.lines().count(), before + 4);
        for letter in ['[', '<', '`'] {
            let line = text.lines().find(|line| line.starts_with("- ")).unwrap();
            let bare = line.match_indices(letter).filter(|(at, _)| {
                let slashes = line[..*at].chars().rev().take_while(|c| *c == '\\').count();
                slashes % 2 == 0
            });
            prop_assert_eq!(bare.count(), 0);
        }
    }
}
