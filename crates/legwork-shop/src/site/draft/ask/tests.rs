use super::*;
use crate::site::draft::write::tests::facts;

/// A shop of which neither the search nor the cart was found.
fn unknown() -> Facts {
    let mut facts = facts("https://www.shop.example/");
    facts.search = Err("no search field\u{1b}[2J\nwas found".into());
    facts.cart = Err("no way to a cart was found".into());
    facts
}

fn question(facts: &Facts, begins: &str) -> Question {
    let all = facts.questions();
    let found = all.iter().find(|question| question.to_string().starts_with(begins));
    found.unwrap_or_else(|| panic!("{begins}: {all:?}")).clone()
}

#[test]
fn what_is_not_known_is_asked_and_what_is_answered_is_not_asked_again() {
    let mut facts = unknown();
    assert_eq!(facts.questions().len(), 4);
    assert!(facts.drafted().is_err(), "what has neither a search nor a cart is no shop so far");
    for (begins, said) in [
        ("The search", "https://search.shop.example/s?words=milk&n=20"),
        ("The cart", "/my/basket"),
        ("The pages", "1"),
        ("What is on", "#account"),
    ] {
        let asked = question(&facts, begins);
        assert!(!asked.to_string().contains('\u{1b}'), "{asked}");
        facts.answer(&asked, said).unwrap();
    }
    assert_eq!(facts.questions(), []);
    let drafted = facts.drafted().unwrap();
    let site = Site::parse(&drafted.toml).unwrap();
    assert_eq!(
        site.search_url("tea").as_str(),
        "https://search.shop.example/s?words=tea&n=20",
        "{}",
        drafted.toml
    );
    assert_eq!(site.cart.as_str(), "https://www.shop.example/my/basket");
    assert_eq!(site.signed_in, Some(Locator::Selector("#account".into())));
    assert_eq!(site.hosts.required, ["search.shop.example", "www.shop.example"]);
    let reached = |host: &str| {
        site.hosts
            .optional
            .iter()
            .any(|group| group.allow && group.hosts.contains(&host.to_owned()))
    };
    assert!(reached("unknown.example"), "{}", drafted.toml);
    assert!(!drafted.toml.contains("Seen by searching"), "it was said, not seen");
}

#[test]
fn an_answer_that_makes_no_description_is_not_taken() {
    let mut facts = unknown();
    for (begins, said, why) in [
        ("The search", "milk", "is no address"),
        ("The search", "https://www.shop.example/search", "neither milk nor {query}"),
        ("The search", "https://other.example/?q={query}", "other.example"),
        ("The search", "https://www.shop.example/{query}/{query}", "{query} once"),
        ("The cart", "https://other.example/cart", "other.example"),
        ("The pages", "2", "none of the numbers"),
        ("The pages", "all", "none of the numbers"),
        ("What is on", "   ", "label"),
    ] {
        let asked = question(&facts, begins);
        let told = facts.answer(&asked, said).unwrap_err();
        assert!(told.contains(why), "{said}: {told}");
    }
    assert_eq!(facts.questions().len(), 4, "nothing was taken");
}

#[test]
fn an_element_is_said_by_selector_or_by_name() {
    for (said, at) in [
        ("#account", Locator::Selector("#account".into())),
        (".user > b", Locator::Selector(".user > b".into())),
        ("[data-user]", Locator::Selector("[data-user]".into())),
        ("css=header b", Locator::Selector("header b".into())),
        ("My account", Locator::Label("My account".into())),
    ] {
        assert_eq!(mark(said), at);
    }
}
