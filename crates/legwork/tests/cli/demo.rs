//! `legwork demo` as somebody new runs it, whole, and what it says where it cannot be shown.

use crate::support::{User, at_terminal};

#[test]
fn the_demonstration_fills_the_cart_reaches_nothing_else_and_leaves_its_record() {
    let user = User::new();
    let ended = user.run(&["demo", "--folder", "shown"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    for fact in [
        "yes the store's own cart is exactly right",
        "yes the sign-in expired in the middle, and was done again",
        "yes no page was reached where things are ordered or paid",
        "yes nothing arrived at the hosts of others that the pages call",
        "yes the record of every call is whole",
        "yes the trip took less than two minutes",
    ] {
        assert!(ended.err.contains(fact), "{fact}: {}", ended.err);
    }
    assert!(ended.out.contains("9 in the cart, 2 not found, 0 failed"), "{}", ended.out);
    let left = |name: &str| std::fs::read(user.path("shown").join(name)).unwrap();
    assert_eq!(&left("cart.png")[1..4], b"PNG");
    let list = String::from_utf8(left("list.txt")).unwrap();
    assert_eq!(list.matches("[x] ").count(), 9, "{list}");
    assert!(list.contains("dragon fruit #not_found"), "{list}");
    let verified = user.done(&["audit", "verify", "--audit", "shown/audit"]);
    assert!(verified.contains("whole"), "{verified}");
    let again = user.run(&["demo", "--folder", "shown"]);
    assert_eq!(again.code, 2, "{}", again.err);
    assert!(again.err.contains("list.txt is there already"), "{}", again.err);
}

#[test]
fn at_a_terminal_the_demonstration_shows_how_far_it_is_while_it_shops() {
    let user = User::new();
    let ended = at_terminal(&user, "demo --folder seen", &[]);
    assert_eq!(ended.code, 0, "{}", ended.out);
    // Of twelve lines two say the same, and are shopped for once.
    for shown in ["█", " of 11 · ", "1 in the cart", "9 in the cart · 2 not found", " so far · "]
    {
        assert!(ended.out.contains(shown), "{shown}: {}", ended.out);
    }
}

#[test]
fn without_a_browser_the_demonstration_says_so_and_shows_no_facts() {
    let user = User::new().with("LEGWORK_BROWSER", "/nowhere/chrome");
    let ended = user.run(&["demo", "--folder", "shown"]);
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(ended.err.contains("error[browser_not_found]: "), "{}", ended.err);
    assert!(!ended.err.contains("What was to be shown"), "{}", ended.err);
}
