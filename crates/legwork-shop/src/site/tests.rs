use super::*;

const SHOP: &str = r#"name = "Corner shop"
home = "https://shop.example/"
search = "https://shop.example/find?q={query}&n=20"
cart = "https://shop.example/cart"
currency = "EUR"

[hosts]
required = ["shop.example", "*.cdn.example"]

[paths]
blocked = ["**/checkout"]
sign_in = ["/login"]

[sign_in]
url = "https://id.example/login"
hosts = ["id.example"]
submit = { label = "Sign in" }

[[sign_in.fields]]
selector = "input[name=pass]"
secret = "shop-pass"
env = "LEGWORK_SHOP_PASS"
"#;

#[test]
fn metro_is_as_it_was_observed() {
    let site = metro();
    assert_eq!(site.name, "metro.ca");
    let names = |groups: &[HostGroup], allow: Option<bool>| -> String {
        let wanted = groups.iter().filter(|group| allow.is_none_or(|allow| group.allow == allow));
        wanted.flat_map(|group| group.hosts.clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        site.hosts.required.join(" "),
        "www.metro.ca product-images.metro.ca d94qwxh6czci4.cloudfront.net static.cloud.coveo.com"
    );
    assert_eq!(
        names(&site.hosts.optional, Some(true)),
        "use.typekit.net p.typekit.net cdn.cookielaw.org cdn.dialoginsight.com"
    );
    assert_eq!(
        names(&site.hosts.optional, Some(false)),
        "*.a.run.app db7q4jg5rkhk8.cloudfront.net d2o5idwacg3gyw.cloudfront.net"
    );
    assert_eq!(
        names(&site.hosts.blocked, None),
        "www.googletagmanager.com analytics.google.com www.google.com/gmp www.google.com/recaptcha \
         www.gstatic.com ad.doubleclick.net googleads.g.doubleclick.net \
         securepubads.g.doubleclick.net *.fls.doubleclick.net dynamic.criteo.com \
         connect.facebook.net www.facebook.com bat.bing.com www.clarity.ms cdn0.forter.com \
         cdn4.forter.com"
    );
    assert_eq!(site.signed_in, Some(Locator::Selector("#authenticatedButton".into())));
    assert_eq!(
        site.search_url("oat milk & 2%").as_str(),
        "https://www.metro.ca/en/online-grocery/search?filter=oat%20milk%20%26%202%25"
    );
    assert_eq!(
        site.banner("oat milk"),
        "🤖 Grocery Agent Active - Currently shopping for: oat milk"
    );
}

#[test]
fn a_description_that_leaves_out_what_it_may_is_read() {
    let site = Site::parse(SHOP).unwrap();
    assert_eq!(site.banner_template(), metro().banner_template());
    assert_eq!((site.signed_in, site.per_minute), (None, None));
}

#[test]
fn hints_are_words_that_may_be_pressed() {
    let hinted = |add: &str| Site::parse(&format!("{SHOP}[hints]\nadd = [\"{add}\"]\n"));
    assert_eq!(hinted("Into the Trolley").unwrap().hints.add, ["into the trolley"]);
    let error = hinted("Buy now").unwrap_err();
    assert!(error.place == Some((24, 8)) && error.message.contains("never pressed"), "{error}");
}

#[test]
fn a_shop_on_this_machine_needs_no_https() {
    let shop = SHOP
        .replace("https://shop.example", "http://127.0.0.1:8000")
        .replace("\"shop.example\"", "\"127.0.0.1:8000\"");
    assert!(Site::parse(&shop).is_ok(), "{:?}", Site::parse(&shop));
    let elsewhere = shop.replace("http://127.0.0.1:8000/cart", "http://127.0.0.1:8001/cart");
    assert!(Site::parse(&elsewhere).is_err());
}

#[test]
fn a_mistake_is_told_with_its_line_and_column() {
    let cases = [
        ("currency = \"EUR\"", "currency = \"GOLD\"", (5, 12), "GOLD"),
        ("currency", "curency", (5, 1), "unknown field"),
        ("name = \"Corner shop\"", "name = \" \"", (1, 8), "say something"),
        ("{query}", "query", (3, 10), "{query}"),
        ("https://shop.example/find?q={query}", "https://{query}.cdn.example/", (3, 10), "behind"),
        ("https://shop.example/cart", "https://other.example/cart", (4, 8), "none of the hosts"),
        ("https://shop.example/cart", "http://shop.example/cart", (4, 8), "https"),
        ("https://shop.example/cart", "https://me:pw@shop.example/cart", (4, 8), "passwords"),
        ("https://shop.example/cart", "cart", (4, 8), "no address"),
        ("\"*.cdn.example\"", "\"*\"", (8, 29), "no host"),
        ("\"*.cdn.example\"", "\"*.example\"", (8, 29), "anybody"),
        ("\"*.cdn.example\"", "\"https://cdn.example\"", (8, 29), "no host"),
        ("\"**/checkout\"", "", (11, 11), "nothing is blocked"),
        ("\"**/checkout\"", "\"checkout\"", (11, 12), "no path"),
        ("\"**/checkout\"", "\"**/*\"", (11, 12), "every page"),
        ("\"**/checkout\"", "\"/a?b\"", (11, 12), "query"),
        ("{ label = \"Sign in\" }", "{}", (17, 10), "one of the two"),
        ("{ label = \"Sign in\" }", "{ selector = \"#go[\" }", (17, 10), "no CSS selector"),
        ("secret = \"shop-pass\"", "secret = \"shop pass\"", (21, 10), "secret is named"),
        ("env = \"LEGWORK_SHOP_PASS\"", "env = \"$SHOP\"", (22, 7), "variable"),
        ("LEGWORK_SHOP_PASS", "AWS_SECRET_ACCESS_KEY", (22, 7), "such as LEGWORK_SHOP_PASSWORD"),
        ("LEGWORK_SHOP_PASS", "LEGWORK_MODEL_KEY", (22, 7), "is not read for a shop"),
        ("hosts = [\"id.example\"]", "hosts = []", (15, 7), "none of the hosts"),
    ];
    for (from, to, place, message) in cases {
        let text = SHOP.replacen(from, to, 1);
        assert_ne!(text, SHOP, "{from}");
        let error = Site::parse(&text).unwrap_err();
        assert_eq!(error.place, Some(place), "{from} to {to}: {error}");
        assert!(error.message.contains(message), "{from} to {to}: {error}");
    }
}

#[test]
fn a_host_is_not_both_allowed_and_blocked() {
    let text = format!("{SHOP}\n[[hosts.blocked]]\nhosts = [\"Shop.example\"]\nwhy = \"ads\"\n");
    assert!(Site::parse(&text).unwrap_err().message.contains("blocked and as allowed"));
}

#[test]
fn a_file_that_is_wrong_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.toml");
    assert!(Site::open(&path).unwrap_err().to_string().contains("shop.toml: it cannot be read"));
    std::fs::write(&path, "name = 1").unwrap();
    assert!(Site::open(&path).unwrap_err().to_string().contains("shop.toml:1:8: "));
}

#[test]
fn the_agent_never_passes_where_the_sign_in_routine_does() {
    let site = metro();
    let (shopping, signing) = (site.policy(Phase::Shopping), site.policy(Phase::SignIn));
    assert!(shopping.contains("\"**/login*\"") && !signing.contains("\"**/login*\""));
    assert!(shopping.contains("\"**/account*\"") && !signing.contains("\"**/account*\""));
    assert!(!shopping.contains("secrets") && !shopping.contains("METRO_PASSWORD"));
    for policy in [&shopping, &signing] {
        for path in
            ["checkout", "payment", "billing", "account/settings", "order", "caisse", "paiement"]
        {
            assert!(policy.contains(&format!("\"**/{path}*\"")), "{path}");
        }
        assert!(policy.starts_with("preset = \"guarded\"") && policy.contains("pay = \"refuse\""));
        assert!(!policy.contains("a.run.app"), "what is not allowed is not listed");
        toml::from_str::<toml::Table>(policy).unwrap();
    }
}

#[test]
fn the_policies_of_a_small_shop_are_these() {
    let site = Site::parse(SHOP).unwrap();
    let shopping = "preset = \"guarded\"

[hosts]
allow = [
    \"shop.example\",
    \"*.cdn.example\",
]
block = [
]

[paths]
block = [
    \"**/checkout\",
    \"/login\",
]

[actions]
pay = \"refuse\"
credentials = \"refuse\"
grant = \"refuse\"
publish = \"refuse\"
upload = \"refuse\"
destructive = \"refuse\"
dialog = \"refuse\"
file = \"refuse\"
leave = \"allow\"

[[target]]
name = \"Delete*\"
path = \"https://shop.example/cart\"
meaning = \"delete\"
then = \"allow\"

[[target]]
name = \"Supprimer*\"
path = \"https://shop.example/cart\"
meaning = \"delete\"
then = \"allow\"
";
    assert_eq!(site.policy(Phase::Shopping), shopping);
    for cart in ["", "?route=cart", "#/cart", "index.php?route=cart", "app#cart", "*/cart"] {
        let site = SHOP.replace("shop.example/cart", &format!("shop.example/{cart}"));
        let policy = Site::parse(&site).unwrap().policy(Phase::Shopping);
        assert!(!policy.contains("[[target]]"), "{cart} is not the address of the cart alone");
    }
    let signing = "preset = \"guarded\"

[hosts]
allow = [
    \"shop.example\",
    \"*.cdn.example\",
    \"id.example\",
]
block = [
]

[paths]
block = [
    \"**/checkout\",
]

[actions]
pay = \"refuse\"
grant = \"refuse\"
publish = \"refuse\"
upload = \"refuse\"
destructive = \"refuse\"
dialog = \"refuse\"
file = \"refuse\"
leave = \"allow\"

[secrets.shop-pass]
env = \"LEGWORK_SHOP_PASS\"
origins = [\"https://id.example\"]
";
    assert_eq!(site.policy(Phase::SignIn), signing);
}

#[test]
fn the_example_in_the_documents_is_a_site() {
    let page = include_str!("../../../../docs/sites.md");
    let example = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let site = Site::parse(example).unwrap();
    assert_eq!(site.sign_in.unwrap().fields.len(), 2);
    assert_eq!(site.per_minute, Some(20));
}

#[test]
fn every_mistake_is_told_from_the_top() {
    let wrong = SHOP
        .replace("name = \"Corner shop\"", "name = \" \"\nbanner = \"shopping\"\nper_minute = 0")
        .replace("shop.example/cart", "other.example/cart")
        .replace("{query}", "words")
        .replace("\"**/checkout\"", "\"/\", \"pay?now\", \"/ok\"")
        .replace("secret = \"shop-pass\"", "secret = \"shop pass\"");
    let mistakes = Site::check(&wrong).unwrap_err();
    let lines: Vec<usize> = mistakes.iter().filter_map(|one| one.place).map(|at| at.0).collect();
    assert_eq!(lines, [1, 2, 3, 5, 6, 13, 13, 23], "{mistakes:#?}");
    let hosts = SHOP.replace("\"shop.example\"", "\"shop example\", \"*.com\"");
    let mistakes = Site::check(&hosts).unwrap_err();
    assert_eq!(mistakes.len(), 2, "what follows from a wrong host is not told: {mistakes:#?}");
    assert_eq!(Site::check("name = 1\nhome = 2\n").unwrap_err().len(), 1);
}

#[test]
fn what_comes_with_the_program_can_be_used() {
    for (name, text) in Site::BUILT_IN {
        let site = Site::check(text).unwrap();
        assert_eq!(site.warnings(), [""; 0], "{name}");
    }
}

#[test]
fn what_a_description_leaves_open_is_told() {
    let told = |blocked: &str| -> Vec<String> {
        let site = Site::parse(&SHOP.replace("\"**/checkout\"", blocked)).unwrap();
        let first = |one: &String| one.split_whitespace().nth(3).unwrap().to_owned();
        site.warnings().iter().map(first).collect()
    };
    assert_eq!(told("\"**/checkout\""), ["payment", "order", "account"]);
    assert_eq!(told("\"/Kasse\", \"/fr/paiement*\", \"shop.example/mein-konto\""), ["order"]);
    let all = r#""**/checkout*", "**/payment*", "**/order*", "**/account*""#;
    assert_eq!(told(all), [""; 0]);
}

#[test]
fn pages_of_the_shop_are_those_on_the_hosts_it_requires() {
    let site = Site::parse(
        "name = \"A\"\nhome = \"https://www.shop.example/\"\nsearch = \"https://www.shop.example/?q={query}\"\n\
         cart = \"https://www.shop.example/cart\"\ncurrency = \"CAD\"\n[hosts]\n\
         required = [\"www.shop.example\", \"shop.example\", \"*.goods.example\"]\n[[hosts.optional]]\n\
         hosts = [\"fonts.example\"]\nwhy = \"letters\"\n[paths]\nblocked = [\"**/checkout*\"]\n",
    )
    .unwrap();
    for (url, own) in [
        ("https://www.shop.example/p/1", true),
        ("https://shop.example/p/1", true),
        ("https://a.goods.example/1", true),
        ("http://shop.example/p/1", false),
        ("https://shop.example:8443/p/1", false),
        ("https://me@shop.example/p/1", false),
        ("https://notshop.example/p/1", false),
        ("https://badgoods.example/1", false),
        ("https://fonts.example/1", false),
    ] {
        assert_eq!(site.is_shop_page(&Url::parse(url).unwrap()), own, "{url}");
    }
}
