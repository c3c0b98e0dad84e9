use super::*;
use Meaning::*;

fn facts(kind: Kind, element: Option<ElementFacts>) -> Facts {
    Facts {
        session: "default".into(),
        tool: "browser_click",
        kind,
        page: None,
        frame: None,
        to: None,
        element,
        files: Vec::new(),
        secrets: Vec::new(),
        dialog: None,
        profile: None,
        unsaved: false,
        resends: false,
        at: None,
        meanings: Vec::new(),
    }
}

/// `button Pay now`, `link Delete /items/5/delete`, `menuitem …`: a click on it.
fn click(text: &str) -> Facts {
    let (role, rest) = text.split_once(' ').unwrap();
    let (name, link) = match rest.split_once(" -> ") {
        Some((name, link)) => (name, Some(format!("https://a.example{link}"))),
        None => (rest, None),
    };
    let (name, around) = name.split_once(" @ ").unwrap_or((name, ""));
    let (role, name, around) = (role.to_owned(), name.to_owned(), around.to_owned());
    let document = "https://a.example/page".to_owned();
    facts(
        Kind::Click,
        Some(ElementFacts { role, name, around, link, document, ..Default::default() }),
    )
}

#[test]
fn what_cannot_be_taken_back_is_recognised_by_its_name() {
    let table: &[(Meaning, &[&str])] = &[
        (
            Pay,
            &[
                "button Pay",
                "button Pay now",
                "button PAY $12.50",
                "button Pay €30",
                "button Pay with card",
                "button Place order",
                "button Place your order",
                "button Buy now",
                "button Buy now with 1-Click",
                "button Complete purchase",
                "button Confirm and pay",
                "button Confirm order",
                "button Confirm your booking",
                "button Submit payment",
                "button Send money",
                "button Donate now",
                "button Payer",
                "button Payer 45,00 €",
                "button Passer la commande",
                "button Valider ma commande",
                "button Confirmer le paiement",
                "button Acheter maintenant",
                "button Commander",
                "link Place order -> /cart/next",
                "button Continue @ Pay 30 EUR to Acme?",
            ],
        ),
        (
            Delete,
            &[
                "button Delete",
                "button Delete account",
                "button DELETE (3)",
                "menuitem Delete…",
                "button Permanently delete",
                "button Yes, delete it",
                "button Remove account",
                "button Remove this device",
                "button Close my account",
                "button Cancel subscription",
                "button Empty Trash",
                "button Move to trash",
                "button Discard draft",
                "button Supprimer",
                "button Supprimer le compte",
                "button Effacer tout",
                "button Vider la corbeille",
                "button Mettre à la corbeille",
                "button Résilier mon abonnement",
                "link Delete -> /items/5/delete",
                "button Confirm @ Delete repository?",
                "button OK @ Are you sure you want to erase everything?",
                "button Oui @ Voulez-vous vraiment supprimer ce fichier ?",
                " 🗑 Delete",
            ],
        ),
        (
            Send,
            &[
                "button Send",
                "button Send message",
                "button Send feedback",
                "button Send invitation",
                "button Submit application",
                "button Submit your answers",
                "button Sign and send",
                "button Envoyer",
                "button Envoyer le message",
                "button Soumettre la candidature",
                "button Postuler",
            ],
        ),
        (
            Publish,
            &[
                "button Publish",
                "button Publish now",
                "button Post",
                "button Post comment",
                "button Tweet",
                "button Submit review",
                "button Make public",
                "button Merge pull request",
                "button Publier",
                "button Publier l'annonce",
                "button Mettre en ligne",
            ],
        ),
        (
            Grant,
            &[
                "button Allow",
                "button Allow access",
                "button Authorize Acme App",
                "button Grant permission",
                "button Approve",
                "button Make owner",
                "button Autoriser",
                "button Accorder l’accès",
                "button Always allow",
            ],
        ),
        (
            Credentials,
            &[
                "button Change password",
                "button Update your password",
                "button Reset password",
                "button Change email",
                "button Turn off 2-Step Verification",
                "button Disable two-factor authentication",
                "button Create API key",
                "button Changer le mot de passe",
                "button Modifier l'adresse e-mail",
                "button Désactiver la double authentification",
                "link Change password -> /me/change-password",
            ],
        ),
    ];
    assert!(table.iter().map(|(_, names)| names.len()).sum::<usize>() >= 60);
    let mut wrong = Vec::new();
    for (meaning, names) in table {
        let found = names.iter().map(|name| (name, meanings(&click(name))));
        wrong.extend(found.filter(|(_, found)| found != &[*meaning]));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_only_sounds_like_it_is_not_taken_for_it() {
    let names = [
        "button Pay attention",
        "button Pay rates",
        "link Pay per click -> /docs/ppc",
        "button Payment methods",
        "button Payments",
        "button Order by date",
        "link Orders -> /orders",
        "link Order history -> /orders",
        "link Order -> /restaurants",
        "button Sort order",
        "button Add to cart",
        "button Add to order",
        "link Checkout -> /checkout",
        "button Proceed to checkout",
        "button Buyer protection",
        "link Buying guide -> /guides/buying",
        "button Remove filter",
        "button Remove all filters",
        "button Remove",
        "button Remove from cart",
        "button Remove coupon",
        "button Supprimer le filtre",
        "button Supprimer du panier",
        "button Delete key",
        "button Deleted items",
        "button Undo delete",
        "link Delete -> /docs/http-methods",
        "tab Delete",
        "checkbox Delete after sending",
        "heading Delete account",
        "textbox Delete",
        "link How to delete your account -> /help/delete-account",
        "button Clear",
        "button Cancel",
        "button Close",
        "button Eraser",
        "button Send code",
        "button Resend code",
        "button Send verification code",
        "button Send to back",
        "button Envoyer le code",
        "link Sender -> /sender",
        "link Sent -> /sent",
        "button Apply",
        "button Apply filters",
        "button Publisher",
        "button Published",
        "button Publish date",
        "button Publish settings",
        "link Post -> /blog/1",
        "button Posts",
        "button Postcode lookup",
        "button Share",
        "link Comments -> /blog/1/comments",
        "button Poster",
        "button Allow all cookies",
        "button Allow @ We use cookies to improve your visit",
        "button Autoriser les cookies",
        "button Allowed types",
        "button Approved",
        "button Grants",
        "button Authors",
        "button Show password",
        "link Forgot password? -> /reset",
        "link Change password -> /settings",
        "button Log in",
        "button Sign up",
        "button Search",
        "button Submit",
        "button Save",
        "button Save draft",
        "button Continue",
        "button OK @ Settings saved",
        "button Yes @ Do you want to subscribe to the newsletter?",
        "button Next",
        "button Supplier",
        "button Commandes",
        "button Rechercher",
        "button Enregistrer",
    ];
    assert!(names.len() >= 60);
    let found = names.iter().map(|name| (name, meanings(&click(name))));
    let wrong: Vec<_> = found.filter(|(_, found)| !found.is_empty()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn form(fields: &[&str], method: &str, action: &str) -> FormFacts {
    FormFacts {
        action: format!("https://a.example{action}"),
        method: method.into(),
        fields: fields.iter().map(|field| (*field).to_owned()).collect(),
        ..Default::default()
    }
}

#[test]
fn a_form_is_recognised_by_its_fields_and_by_where_it_goes() {
    for (kind, name, fields, method, action, expected) in [
        (Kind::Click, "Go", &["cc-number", "cc-csc"][..], "post", "/x", &[Pay][..]),
        (Kind::Press, "Card", &["cc-number"], "post", "/x", &[Pay]),
        (Kind::Type, "Card", &["cc-number"], "post", "/x", &[Pay]),
        (Kind::Move, "Card", &["cc-number"], "post", "/x", &[]),
        (Kind::Click, "Save", &["current-password", "new-password"], "post", "/x", &[Credentials]),
        (Kind::Click, "Save", &["new-password", "new-password"], "post", "/x", &[Credentials]),
        (Kind::Click, "Sign up", &["email", "new-password", "new-password"], "post", "/x", &[]),
        (Kind::Click, "Sign up", &["email", "new-password"], "post", "/x", &[]),
        (Kind::Click, "Log in", &["username", "current-password"], "post", "/login", &[]),
        (Kind::Click, "Go", &[], "post", "/items/5/delete", &[Delete]),
        (Kind::Click, "Go", &[], "get", "/items/5/delete", &[]),
        (Kind::Click, "Go", &[], "post", "/items/undeleted", &[]),
        (Kind::Click, "Submit", &["email", "textarea"], "post", "/contact", &[Send]),
        (Kind::Click, "Soumettre", &["textarea"], "post", "/contact", &[Send]),
        (Kind::Click, "Submit", &["text"], "post", "/x", &[]),
        (Kind::Click, "Submit", &["textarea"], "get", "/search", &[]),
    ] {
        let role = if name == "Card" { "textbox" } else { "button" };
        let element = ElementFacts {
            role: role.into(),
            name: name.into(),
            submits: true,
            form: Some(form(fields, method, action)),
            ..Default::default()
        };
        assert_eq!(
            meanings(&facts(kind, Some(element))),
            expected,
            "{kind:?} {name} {fields:?} {action}"
        );
    }
}

#[test]
fn typing_into_a_field_means_nothing_until_it_is_sent() {
    let form = Some(form(&["cc-number"], "post", "/pay"));
    let element = ElementFacts { role: "textbox".into(), form, ..Default::default() };
    assert_eq!(meanings(&facts(Kind::Type, Some(element))), []);
}

#[test]
fn dialogs_are_read() {
    for (text, expected) in [
        ("Delete this file?", &[Delete][..]),
        ("Are you sure you want to send this message?", &[Send]),
        ("Voulez-vous vraiment supprimer ce message ?", &[Delete]),
        ("Leave site? Changes you made may not be saved.", &[Leave]),
        ("Confirmer le paiement de 30 € ?", &[Pay]),
        ("Allow access to your location?", &[Grant]),
        ("Are you sure?", &[Delete]),
        ("Êtes-vous sûr ?", &[Delete]),
        ("Empty the list? This cannot be undone.", &[Delete]),
        ("Cette action est irréversible.", &[Delete]),
        ("Are you sure you want to log out?", &[]),
        ("Your session is about to expire. Stay signed in?", &[]),
        ("Saved.", &[]),
        ("", &[]),
    ] {
        let asked = Facts { dialog: Some(text.into()), ..facts(Kind::Dialog, None) };
        assert_eq!(meanings(&asked), expected, "{text}");
    }
}

#[test]
fn going_to_an_address_may_do_what_its_path_says() {
    for (url, expected) in [
        ("https://a.example/items/5/delete?confirm=1", &[Delete][..]),
        ("https://a.example/items/5/%64elete", &[Delete]),
        ("https://a.example/cart/place-order", &[Pay]),
        ("https://a.example/help/delete-account", &[]),
        ("https://a.example/items/5", &[]),
    ] {
        let going = Facts { to: Some(url.parse().unwrap()), ..facts(Kind::Navigate, None) };
        assert_eq!(meanings(&going), expected, "{url}");
    }
}

#[test]
fn a_link_that_asks_for_more_than_a_page_is_read_by_its_attributes() {
    for (name, link, method, confirm, expected) in [
        ("Delete", "/items/5", "delete", "", &[Delete][..]),
        ("X", "/items/5", "delete", "", &[Delete]),
        ("Send", "/items/5", "post", "", &[Send]),
        ("X", "/items/5", "", "Really delete this item?", &[Delete]),
        ("Remove", "/cart/items/5", "delete", "", &[]),
        ("Delete", "/items/5", "", "", &[]),
    ] {
        let element = ElementFacts {
            role: "link".into(),
            name: name.into(),
            link: Some(format!("https://a.example{link}")),
            method: method.into(),
            confirm: confirm.into(),
            ..Default::default()
        };
        let found = meanings(&facts(Kind::Click, Some(element)));
        assert_eq!(found, expected, "{name} {method} {confirm}");
    }
}

#[test]
fn enter_sends_what_people_say_to_each_other() {
    for (name, submits, expected) in [
        ("Message Bob", true, &[Send][..]),
        ("Write a reply…", true, &[Send]),
        ("Écrire un commentaire", true, &[Send]),
        ("Message Bob", false, &[]),
        ("Search messages", true, &[]),
        ("Name", true, &[]),
    ] {
        let (role, holds, name) = ("textbox".into(), true, name.to_owned());
        let element = ElementFacts { role, holds, name, submits, ..Default::default() };
        assert_eq!(meanings(&facts(Kind::Press, Some(element.clone()))), expected, "{element:?}");
    }
}

#[test]
fn files_and_what_was_not_saved_have_a_meaning() {
    assert_eq!(meanings(&facts(Kind::Upload, None)), [Upload]);
    let files = Facts { files: vec!["/tmp/a".into()], ..facts(Kind::Dialog, None) };
    assert_eq!(meanings(&files), [Upload]);
    assert_eq!(meanings(&Facts { unsaved: true, ..facts(Kind::Navigate, None) }), [Leave]);
    let dirty = FormFacts { dirty: true, ..Default::default() };
    let document = "https://a.example/form".to_owned();
    for (link, kind, expected) in [
        (Some("https://a.example/"), "a", &[Leave][..]),
        (Some("https://a.example/form#terms"), "a", &[]),
        (Some("#terms"), "a", &[]),
        (Some("javascript:void(0)"), "a", &[]),
        (None, "reset", &[Leave]),
        (None, "button", &[]),
    ] {
        let element = ElementFacts {
            role: "link".into(),
            name: "Terms".into(),
            kind: kind.into(),
            link: link.map(str::to_owned),
            form: Some(dirty.clone()),
            document: document.clone(),
            ..Default::default()
        };
        assert_eq!(meanings(&facts(Kind::Click, Some(element))), expected, "{link:?} {kind}");
    }
}

#[test]
fn no_phrase_is_lost_among_the_small_words() {
    let all = vocabulary();
    for phrase in all.confirm.iter().chain(&all.submit) {
        assert!(!phrase.is_empty());
    }
    for (meaning, phrases) in &all.meanings {
        let lists = [&phrases.whole, &phrases.begins, &phrases.unless, &phrases.path];
        assert!(lists.into_iter().flatten().all(|phrase| !phrase.is_empty()), "{meaning:?}");
    }
}

#[test]
fn loading_again_what_was_sent_means_sending_it_and_what_its_address_says() {
    for (page, expected) in [
        ("https://a.example/thanks", &[Send][..]),
        ("https://a.example/items/5/delete", &[Delete, Send]),
    ] {
        let page = Some(page.parse().unwrap());
        let again = Facts { page: page.clone(), resends: true, ..facts(Kind::Navigate, None) };
        assert_eq!(meanings(&again), expected, "{page:?}");
        assert_eq!(meanings(&Facts { resends: false, ..again }), []);
    }
}
