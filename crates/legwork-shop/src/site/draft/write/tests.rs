use super::*;
use crate::site::Site;
use crate::site::draft::visit::Request;

pub(in crate::site::draft) fn facts(home: &str) -> Facts {
    let home = Url::parse(home).unwrap();
    let request = |url: &str| Request { url: url.into(), kind: "Script".into() };
    let loaded = [
        "https://bat.bing.com/a.js",
        "https://unknown.example/a.js",
        "https://fonts.gstatic.com/a",
    ];
    Facts {
        search: Ok(Search {
            template: home.join("/find").unwrap().to_string() + "?q={query}",
            known: Known::Seen,
        }),
        cart: Ok(Cart { url: home.join("/cart").unwrap(), known: Known::Seen }),
        charges: Charges::Seen(Currency::Eur, 12),
        hosts: hosts::sort(&home, &loaded.map(request)),
        signed_in: None,
        sign_in: Err("no link says so".into()),
        home,
    }
}

fn form() -> Form {
    let label = |text: &str| Locator::Label(text.into());
    Form {
        user: label("E-mail \"or\" name\\"),
        password: Locator::Selector("[id=\"p\"]".into()),
        submit: label("Sign in"),
    }
}

#[test]
fn every_draft_can_be_read_and_says_what_was_not_found() {
    let nothing = || "it = \"not\"\n[hosts]\nthere".to_owned();
    let id = Url::parse("https://id.example/login/").unwrap();
    for home in ["https://www.shop.example/", "http://127.0.0.1:8000/", "http://localhost/"] {
        for (search, cart, sign_in) in
            [(true, true, None), (false, true, Some(None)), (true, false, Some(Some(form())))]
        {
            let mut facts = facts(home);
            if !search {
                facts.search = Err(nothing());
            }
            if !cart {
                facts.cart = Err(nothing());
            }
            if let Some(form) = sign_in {
                facts.sign_in = Ok(SignInPage { url: id.clone(), form });
            }
            let no_form = !matches!(facts.sign_in, Ok(SignInPage { form: Some(_), .. }));
            let Drafted { toml, notes, missing } = draft(&facts);
            let site = Site::parse(&toml).unwrap_or_else(|error| panic!("{error}\n{toml}"));
            let told = [!search, !cart, no_form].into_iter().filter(|gone| *gone).count() + 1;
            assert_eq!(toml.matches("# NOT FOUND:").count(), told, "{toml}");
            assert_eq!(missing.len(), told, "{missing:?}");
            assert!(notes.len() > told, "{notes:?}");
            assert!(!site.hosts.optional.iter().any(|group| {
                group.allow && group.hosts.contains(&"unknown.example".to_owned())
            }));
        }
    }
}

#[test]
fn the_form_is_passed_by_the_sign_in_routine_alone() {
    let mut facts = facts("https://shop.example/");
    let url = Url::parse("https://shop.example/account/login/").unwrap();
    facts.sign_in = Ok(SignInPage { url: url.clone(), form: Some(form()) });
    let site = Site::parse(&draft(&facts).toml).unwrap();
    assert_eq!(site.paths.sign_in, ["/account/login*"]);
    let form = site.sign_in.unwrap();
    assert_eq!((form.url, form.hosts.len()), (url, 0));
    assert_eq!(form.fields[0].at, Locator::Label("E-mail \"or\" name\\".into()));
    assert_eq!(form.fields[1].env, "LEGWORK_SHOP_EXAMPLE_PASSWORD");
}

#[test]
fn a_cart_below_a_path_that_is_usually_blocked_can_be_reached_and_that_is_said() {
    let mut facts = facts("https://shop.example/");
    let url = Url::parse("https://shop.example/checkout/cart/").unwrap();
    facts.cart = Ok(Cart { url, known: Known::Seen });
    let Drafted { toml, notes, .. } = draft(&facts);
    let site = Site::parse(&toml).unwrap();
    assert!(!site.paths.blocked.iter().any(|path| path.contains("checkout")));
    assert!(site.paths.blocked.contains(&"**/payment*".to_owned()));
    assert!(notes.iter().any(|note| note.contains("**/checkout* is not blocked")), "{notes:?}");
}
