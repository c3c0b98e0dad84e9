use super::*;

fn choice(product: &str) -> Preference {
    let url = Url::parse("https://shop.example/p/1").unwrap();
    Preference { product: product.into(), url, size: None, brand: None, price_ceiling: None }
}

fn kept(text: Option<&str>) -> (tempfile::TempDir, Preferences) {
    let folder = tempfile::tempdir().unwrap();
    let preferences = Preferences::in_folder(folder.path());
    if let Some(text) = text {
        std::fs::write(preferences.path(), text).unwrap();
    }
    (folder, preferences)
}

fn text(preferences: &Preferences) -> String {
    std::fs::read_to_string(preferences.path()).unwrap()
}

#[test]
fn a_choice_is_found_again_however_the_item_is_spelt() {
    let (_folder, preferences) = kept(None);
    assert_eq!(preferences.find("Corner shop", "milk").unwrap(), None);
    preferences.remember("Corner shop", "Oat  Milk", &choice("Oat 1 L")).unwrap();
    for what in ["oat milk", "OAT MILK", " oat   milk "] {
        let found = preferences.find("corner shop", what).unwrap();
        assert_eq!(found, Some(choice("Oat 1 L")), "{what}");
    }
    assert_eq!(preferences.find("Other shop", "oat milk").unwrap(), None);
    assert_eq!(preferences.find("Corner shop", "milk").unwrap(), None);
}

#[test]
fn what_one_may_cost_holds_until_something_else_is_said() {
    let (_folder, preferences) = kept(None);
    let at_most = |product: &str, most: &str| Preference {
        price_ceiling: Some(most.to_owned()),
        ..choice(product)
    };
    let found = || preferences.find("Shop", "milk").unwrap().unwrap();
    preferences.remember("Shop", "milk", &at_most("Whole milk", "$5.00")).unwrap();
    preferences.remember("Shop", "milk", &choice("Skim milk")).unwrap();
    assert_eq!(found(), at_most("Skim milk", "$5.00"));
    preferences.remember("Shop", "milk", &at_most("Skim milk", "$6.00")).unwrap();
    assert_eq!(found(), at_most("Skim milk", "$6.00"));
}

#[test]
fn what_people_wrote_stays_as_they_wrote_it() {
    let written = "\
# mine
Corner shop:   # the near one
    Milk:
        product: 'Whole milk'  # not the other
        url: https://shop.example/p/1
        price_ceiling: $5.00

    # tea is for guests
    tea: {product: Tea, url: https://shop.example/p/2}

Far shop:
  milk:
    url: https://far.example/1
    product: Far milk
";
    let (_folder, preferences) = kept(Some(written));
    let new = Preference { size: Some("2 L".into()), ..choice("Milk \"best\" \\ #1") };
    preferences.remember("corner shop", "milk", &new).unwrap();
    let expected = written
        .replace("'Whole milk'", r#""Milk \"best\" \\ #1""#)
        .replace(": https://shop.example/p/1\n", ": \"https://shop.example/p/1\"\n")
        .replace("$5.00\n", "\"$5.00\"\n        size: \"2 L\"\n");
    assert_eq!(text(&preferences), expected);
    let held = Preference { price_ceiling: Some("$5.00".into()), ..new };
    assert_eq!(preferences.find("Corner shop", "milk").unwrap(), Some(held));
    preferences.remember("Far shop", "salt", &choice("Salt")).unwrap();
    let added =
        "  salt:\n    product: \"Salt\"\n    url: \"https://shop.example/p/1\"\n".to_owned();
    assert_eq!(text(&preferences), expected.clone() + &added);
    assert_eq!(preferences.forget("far shop", "SALT").unwrap(), Some(choice("Salt")));
    assert_eq!(text(&preferences), expected);
    assert!(preferences.forget("Far shop", "milk").unwrap().is_some());
    let without = expected.split("Far shop").next().unwrap();
    assert_eq!(text(&preferences), without);
    assert_eq!(preferences.forget("Far shop", "milk").unwrap(), None);
}

#[test]
fn a_new_file_says_what_it_is_for() {
    let (_folder, preferences) = kept(None);
    preferences.remember("metro.ca", "no", &choice("No")).unwrap();
    preferences.remember("metro.ca", "7up: 6 pack", &choice("7up")).unwrap();
    preferences.remember("12 \"Elms\"", "milk", &choice("Milk")).unwrap();
    let expected = r#"metro.ca:
  "no":
    product: "No"
    url: "https://shop.example/p/1"
  "7up: 6 pack":
    product: "7up"
    url: "https://shop.example/p/1"

"12 \"Elms\"":
  milk:
    product: "Milk"
    url: "https://shop.example/p/1"
"#;
    assert_eq!(text(&preferences), format!("{HEADING}{expected}"));
    let all = preferences.all().unwrap();
    let items: Vec<_> = all.iter().map(|one| one.item.as_str()).collect();
    assert_eq!(items, ["no", "7up: 6 pack", "milk"]);
}

#[test]
fn what_cannot_be_read_is_told_with_its_line_and_left_alone() {
    let cases = [
        ("shop:\n  milk:\n    product: Milk\n", 3, "url"),
        ("shop:\n  milk:\n    produkt: Milk\n    url: https://a.example\n", 3, "produkt"),
        ("shop:\n  milk:\n    product: Milk\n    url: nowhere\n", 4, "relative URL"),
        ("shop: [milk]\n", 1, "map"),
    ];
    for (written, line, word) in cases {
        let (_folder, preferences) = kept(Some(written));
        let error = preferences.remember("shop", "tea", &choice("Tea")).unwrap_err();
        let ListError::Unreadable { place, why, .. } = &error else { panic!("{error}") };
        assert!(why.contains(word), "{written}: {why}");
        assert_eq!(place.map(|(line, _)| line), Some(line), "{written}: {why}");
        assert_eq!(text(&preferences), written);
    }
}

#[test]
fn braces_are_left_to_people() {
    let written = "shop: {milk: {product: Milk, url: https://shop.example/p/1}}\n";
    let (_folder, preferences) = kept(Some(written));
    assert_eq!(preferences.find("shop", "milk").unwrap(), Some(choice("Milk")));
    for failed in [
        preferences.remember("shop", "tea", &choice("Tea")).map(|()| None),
        preferences.remember("shop", "milk", &choice("Oat")).map(|()| None),
        preferences.forget("shop", "milk"),
    ] {
        assert!(failed.unwrap_err().to_string().contains("by hand"));
    }
    assert_eq!(text(&preferences), written);
}
