use super::*;

fn element(tag: &str, name: &str, attributes: &[(&str, &str)]) -> Element {
    let attributes = attributes.iter().map(|(key, value)| ((*key).into(), (*value).into()));
    Element {
        tag: tag.into(),
        name: name.into(),
        attributes: attributes.collect(),
        visible: true,
        enabled: true,
        ..Element::default()
    }
}

fn link(name: &str, href: &str) -> Element {
    element("a", name, &[("href", href)])
}

fn label(text: &str) -> Locator {
    Locator::Label(text.into())
}

fn page() -> Url {
    Url::parse("https://shop.example/home").unwrap()
}

#[test]
fn the_search_field_is_told_from_other_fields() {
    let newsletter = element("input", "Your email", &[("type", "email"), ("name", "email")]);
    let code = element("input", "Voucher", &[("name", "code")]);
    let search = element("input", "Search", &[("name", "q")]);
    let typed = element("input", "", &[("type", "search")]);
    let french = element("input", "", &[("placeholder", "Rechercher un produit")]);
    for field in [&search, &typed, &french] {
        let inputs = [newsletter.clone(), code.clone(), field.clone()];
        assert_eq!(search_field(&inputs).unwrap().attributes, field.attributes);
    }
    assert!(search_field(&[newsletter, code]).is_none());
    let hidden = Element { visible: false, ..search };
    assert!(search_field(&[hidden]).is_none());
}

#[test]
fn the_cart_is_told_from_what_fills_it_and_from_what_comes_after_it() {
    let check = |links: &[Element], expect: Option<&str>| {
        let found = cart_link(links, &page());
        assert_eq!(found.as_ref().map(Url::as_str), expect, "{links:?}");
    };
    let add = link("Add to cart", "/cart/add/4");
    let gift = link("Gift bag", "/gift-bags");
    let checkout = link("Checkout", "/checkout");
    check(
        &[add.clone(), link("3", "/shopping-cart#top")],
        Some("https://shop.example/shopping-cart"),
    );
    check(&[gift.clone(), link("Basket", "/b/4711")], Some("https://shop.example/b/4711"));
    check(&[link("Bag", "/x"), link("", "cart.html")], Some("https://shop.example/cart.html"));
    check(&[add, gift, checkout, link("Cart", "#cart"), link("Cart", "javascript:open()")], None);
    let buttons = [element("button", "Add to basket", &[]), element("button", "View basket", &[])];
    assert_eq!(cart_button(&buttons).unwrap().name, "View basket");
}

#[test]
fn the_way_in_is_the_plainest_one() {
    let links = [link("Account", "/account"), link("Login or register", "/accounts/login/")];
    let found = sign_in_link(&links, &page()).unwrap();
    assert_eq!(found.path(), "/accounts/login/");
    assert_eq!(sign_in_link(&links[..1], &page()).unwrap().path(), "/account");
    assert_eq!(sign_in_link(&[link("Login tips for logs", "#")], &page()), None);
}

#[test]
fn the_form_to_sign_in_is_told_from_the_one_to_register() {
    let text = |name: &str, id: &str| element("input", name, &[("type", "email"), ("id", id)]);
    let password =
        |name: &str, id: &str| element("input", name, &[("type", "password"), ("id", id)]);
    let button = |name: &str| element("button", name, &[("type", "submit")]);
    let show = element("button", "Show", &[("type", "button")]);
    let sign_in = [text("E-mail", "u1"), password("Password", "p1"), show, button("Sign in")];
    let register = [
        text("E-mail", "u2"),
        password("Password", "p2"),
        password("Again", "p3"),
        button("Register"),
    ];

    let alone = sign_in_form(&sign_in).unwrap();
    assert_eq!((alone.user, alone.submit), (label("E-mail"), label("Sign in")));
    let selector = |id: &str| Locator::Selector(format!("[id=\"{id}\"]"));
    for both in [[&sign_in[..], &register].concat(), [&register[..], &sign_in].concat()] {
        let form = sign_in_form(&both).unwrap();
        assert_eq!((form.user, form.password), (selector("u1"), selector("p1")));
        assert_eq!(form.submit, label("Sign in"));
    }
    assert_eq!(sign_in_form(&register), None);
    assert_eq!(sign_in_form(&sign_in[..1]), None, "a form in two steps is not understood");
}
