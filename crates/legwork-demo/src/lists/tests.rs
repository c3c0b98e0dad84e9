use std::collections::BTreeMap;

use super::*;
use crate::search::tokens;

fn lists(many: u64) -> (Catalogue, Vec<ShoppingList>) {
    let catalogue = Catalogue::bundled();
    let lists = {
        let all = Lists::of(&catalogue, 1);
        (0..many).map(|number| all.list(number)).collect()
    };
    (catalogue, lists)
}

fn right_cart(list: &ShoppingList) -> BTreeMap<String, u32> {
    let bought = |wish: &Wish| match &wish.answer {
        Answer::Bought { any_of, quantity } => Some((any_of[0].clone(), *quantity)),
        _ => None,
    };
    list.wishes.iter().filter_map(bought).collect()
}

#[test]
fn a_list_has_ten_items_and_is_the_same_every_time() {
    let (catalogue, lists) = lists(100);
    let again = Lists::of(&catalogue, 1);
    for (number, list) in lists.iter().enumerate() {
        assert_eq!(list.wishes.len(), LENGTH);
        assert_eq!(&again.list(number as u64), list);
    }
    assert_ne!(lists[0], lists[1]);
}

#[test]
fn a_hundred_lists_have_some_of_everything() {
    let (_, lists) = lists(100);
    let count = |kind: fn(&Answer) -> bool| {
        lists.iter().flat_map(|list| &list.wishes).filter(|wish| kind(&wish.answer)).count()
    };
    assert!(count(|answer| *answer == Answer::NotSold) > 50);
    assert!(count(|answer| *answer == Answer::OutOfStock) > 30);
    assert!(count(|answer| *answer == Answer::Again) > 25);
    assert!(
        count(|answer| matches!(answer, Answer::Bought { quantity, .. } if *quantity > 1)) > 250
    );
    assert!(
        count(|answer| matches!(answer, Answer::Bought { any_of, .. } if any_of.len() > 1)) > 150
    );
}

#[test]
fn no_two_items_of_a_list_could_be_the_same_product() {
    let (_, lists) = lists(100);
    for list in lists {
        let mut seen = HashSet::new();
        for wish in &list.wishes {
            if let Answer::Bought { any_of, .. } = &wish.answer {
                assert!(any_of.iter().all(|id| seen.insert(id.clone())), "{list:?}");
            }
        }
    }
}

#[test]
fn what_is_not_sold_is_no_product() {
    let catalogue = Catalogue::bundled();
    for name in absent::THINGS.iter().chain(&absent::BRANDED) {
        let words = tokens(name);
        for product in catalogue.products() {
            let own = tokens(&format!("{} {} {}", product.brand, product.name, product.kind));
            assert!(!words.iter().all(|word| own.contains(word)), "{name} is {}", product.id);
        }
    }
}

#[test]
fn the_right_cart_is_right_and_every_other_is_not() {
    let (catalogue, lists) = lists(20);
    for list in &lists {
        let right = right_cart(list);
        assert!(list.judge(&right).is_right(), "{list:?}");
        let id = right.keys().next().unwrap().clone();
        let mut less = right.clone();
        less.remove(&id);
        assert_eq!(list.judge(&less).missing.len(), 1);
        let mut twice = right.clone();
        *twice.get_mut(&id).unwrap() += 1;
        assert_eq!(list.judge(&twice).wrong.len(), 1);
        let other = catalogue.products().iter().find(|product| {
            !list.wishes.iter().any(|wish| {
                matches!(&wish.answer, Answer::Bought { any_of, .. } if any_of.contains(&product.id))
            })
        });
        let mut more = right.clone();
        more.insert(other.unwrap().id.clone(), 1);
        assert_eq!(list.judge(&more).wrong.len(), 1);
    }
}

#[test]
fn a_kind_is_left_open_and_what_is_named_is_not() {
    let catalogue = Catalogue::bundled();
    let mut writer = Writer {
        catalogue: &catalogue,
        words: &HashSet::new(),
        dice: Dice::of(1, 1),
        kinds: HashSet::new(),
        wishes: Vec::new(),
    };
    let mut ids = |kind: &'static str, details: Details<'static>| -> Vec<String> {
        writer.dice.chance(1);
        writer.fitting(kind, &details).map(|product| product.id.clone()).collect()
    };
    let milk = ids("milk", Details::default());
    assert_eq!(milk.len(), 8, "{milk:?}");
    let two = Details { size: Some("2 L"), variants: vec!["2%"], ..Details::default() };
    assert_eq!(ids("milk", two), ["meadowbrook-2-milk-2-l"]);
    assert_eq!(ids("cola", Details::default()), ["fizz-cola-2-l"]);
    let diet = Details { variants: vec!["diet"], ..Details::default() };
    assert_eq!(ids("cola", diet), ["fizz-diet-cola-2-l"]);
    assert_eq!(ids("brie", Details::default()), Vec::<String>::new());
}

#[test]
fn the_bundled_list_names_products_that_are_as_it_says() {
    let catalogue = Catalogue::bundled();
    let list = bundled();
    assert_eq!(list.wishes.len(), 12);
    for wish in &list.wishes {
        if let Answer::Bought { any_of, .. } = &wish.answer {
            for id in any_of {
                assert!(catalogue.get(id).is_some_and(|product| product.in_stock), "{id}");
            }
        }
    }
    let berries = catalogue.products().iter().filter(|product| product.kind == "strawberries");
    assert!(berries.clone().count() > 0 && berries.clone().all(|product| !product.in_stock));
}
