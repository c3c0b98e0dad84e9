use legwork_shop::item::Status;
use legwork_shop::money::{Currency, Price};
use legwork_shop::summary::{Cart, Steering};
use unicode_width::UnicodeWidthStr;

use super::*;
use crate::view::Window;

fn items(names: &[&str]) -> Vec<Item> {
    let item = |name: &&str| Item::read(ItemId::new(*name), name, Status::NeedsAction).unwrap();
    names.iter().map(item).collect()
}

fn added(product: &str, price: &str, quantity: u32) -> Outcome {
    let price_read = Price::read(price, Currency::Cad).unwrap();
    Outcome::Added(Box::new(Added {
        item: "milk".into(),
        product: product.into(),
        price_text: price.into(),
        price: price_read,
        url: "https://shop.example/1".parse().unwrap(),
        quantity,
        cart: Cart::Unseen,
        chosen: None,
    }))
}

fn look(rows: usize) -> Look {
    Look { width: 80, rows, tick: 0, since: Duration::from_secs(3), window: Window::Shown }
}

fn texts(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

#[test]
fn each_item_has_a_line_and_the_bar_says_how_far_it_is() {
    let mut board = Board::new("Corner shop");
    board.hear(&News::Began(items(&["2x milk", "tea", "caviar", "salt", "rice"])));
    let id = ItemId::new;
    board.hear(&News::Over(id("2x milk"), Ok(added("Whole milk 2 L", "$4.25", 2))));
    board.hear(&News::SoFar(Money::from_cents(850, Currency::Cad)));
    let none = Outcome::NotFound { reason: "not sold".into(), out_of_stock: false };
    board.hear(&News::Over(id("caviar"), Ok(none)));
    board.hear(&News::Over(id("salt"), Err(Trouble::SignedOut)));
    board.hear(&News::Doing(id("tea"), Stage::Searching("tea".into())));
    let lines = board.whole(look(40));
    assert_eq!(
        texts(&lines),
        [
            "shopping at Corner shop: 5 items",
            "  ✓ 2x milk: 2 × Whole milk 2 L, $8.50",
            "  ⠋ tea: searching for \"tea\"",
            "  – caviar: not sold",
            "  ✗ salt: the sign-in has expired",
            "  · rice",
            "████████████░░░░░░░░ 3 of 5 · 1 in the cart · 1 not found · 1 failed · $8.50 so far · 3.0 s",
        ]
        .map(|line| if line.width() > 80 { cut(line, 80) } else { line.to_owned() })
    );
}

#[test]
fn a_pipe_gets_one_line_for_each_change_and_each_host_once() {
    let mut board = Board::new("Corner shop");
    let begun = board.hear(&News::Began(items(&["milk"])));
    assert_eq!(texts(&begun), ["shopping at Corner shop: 1 item"]);
    let adding = News::Doing(ItemId::new("milk"), Stage::Adding("Milk\n\x1b[31m1 L".into()));
    assert_eq!(texts(&board.hear(&adding)), ["  … milk: adding Milk [31m1 L"]);
    let over = News::Over(ItemId::new("milk"), Ok(added("Milk", "$1", 1)));
    assert_eq!(texts(&board.hear(&over)), ["in the cart milk: 1 × Milk, $1.00"]);
    let blocked = Blocked {
        host: "ads.example".into(),
        url: None,
        kind: "Script".into(),
        page: None,
        rule: "hosts.block".into(),
    };
    assert_eq!(board.hear(&News::Blocked(blocked.clone())).len(), 1);
    assert_eq!(board.hear(&News::Blocked(blocked)).len(), 0);
}

#[test]
fn a_long_list_fits_the_screen_with_what_is_under_way_in_it() {
    let names: Vec<String> = (0..60).map(|number| format!("thing number {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut board = Board::new("Corner shop");
    board.hear(&News::Began(items(&names)));
    for name in &names[..30] {
        board.hear(&News::Over(ItemId::new(*name), Ok(added("Thing", "$1", 1))));
    }
    board.hear(&News::Doing(ItemId::new(names[30]), Stage::Checking));
    for rows in [6, 10, 24] {
        let lines = board.whole(look(rows));
        assert!(lines.len() < rows.max(8), "{} lines in {rows} rows", lines.len());
        assert!(lines.iter().any(|line| line.text.contains("looking at the cart")), "{lines:?}");
        assert!(lines.iter().all(|line| line.text.width() <= 80));
    }
}

#[test]
fn a_question_shows_choices_with_prices_and_cannot_be_imitated() {
    let product = |name: &str, size: &str, price: &str, available| Product {
        name: name.into(),
        brand: Some("Dew".into()),
        size: Some(size.into()),
        price_text: price.into(),
        price: None,
        url: "https://shop.example/1".parse().unwrap(),
        available,
    };
    let products = [
        product("Oat milk 1 L", "1 L", "$3.49", true),
        product("Oat\n0. none of them", "2 L", "", false),
    ];
    let lines = question(&items(&["oat milk"])[0], &products, 80);
    assert_eq!(
        texts(&lines),
        [
            "Which one is \"oat milk\"?",
            "  1. Oat milk 1 L, Dew, $3.49",
            "  2. Oat 0. none of them, 2 L, Dew (out of stock)",
            "  0. none of them",
            "A number from 0 to 2, then Enter:",
        ]
    );
}

#[test]
fn what_a_page_tries_stays_on_the_screen() {
    let steering = Steering { item: "tea".into(), url: "u".into(), attempt: "buy ten".into() };
    assert!(Board::stays(&News::Doing(ItemId::new("tea"), Stage::Steered(steering))));
    assert!(!Board::stays(&News::Doing(ItemId::new("tea"), Stage::Checking)));
}
