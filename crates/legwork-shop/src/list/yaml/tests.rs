use std::fs;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::item::Tag;
use crate::site;

/// A list in a folder of its own.
fn list(text: &str) -> (TempDir, YamlList) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.yaml");
    fs::write(&path, text).unwrap();
    let list = YamlList::open(&path).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    (folder, list)
}

fn mark(list: &YamlList, id: &str, mark: Mark) -> Result<(), ListError> {
    list.file.change(|text| list.marked(text, &ItemId::new(id), mark))
}

fn after(text: &str, id: &str, how: Mark) -> String {
    let (_folder, list) = list(text);
    mark(&list, id, how).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    list.file.read().unwrap()
}

fn error_of(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.yaml");
    fs::write(&path, text).unwrap();
    let error = YamlList::open(&path).err().unwrap_or_else(|| panic!("it was read:\n{text}"));
    assert!(error.is_fatal());
    error.to_string().split_once("list.yaml").unwrap().1.to_owned()
}

#[test]
fn what_people_write_is_read() {
    let cases = [
        ("- milk\n- 2x eggs\n", vec!["milk", "2x eggs"]),
        ("items:\n  - milk\n  - 'oat: milk'\n", vec!["milk", "oat: milk"]),
        ("items:\n- milk\n", vec!["milk"]),
        ("items: [milk, \"eggs\"]\n", vec!["milk", "eggs"]),
        ("- name: milk\n  aisle: 3\n- eggs\n", vec!["milk", "eggs"]),
        ("items:\n  - {name: milk, id: a}\n", vec!["milk"]),
        ("- 7\n- no\n- 1.50\n", vec!["7", "no", "1.50"]),
        ("# nothing yet\n", vec![]),
        ("", vec![]),
        ("items:\n", vec![]),
        ("items: []\n", vec![]),
        ("---\n- milk\n", vec!["milk"]),
        ("- milk\r\n- eggs\r\n", vec!["milk", "eggs"]),
        ("- milk", vec!["milk"]),
        ("-\n  milk\n", vec!["milk"]),
        ("- oat\n  milk\n", vec!["oat milk"]),
        ("- |\n  milk\n- eggs\n", vec!["milk", "eggs"]),
        ("\u{feff}- milk\r\n- eggs", vec!["milk", "eggs"]),
    ];
    for (text, names) in cases {
        let (_folder, list) = list(text);
        let found: Vec<_> = list.items().unwrap().into_iter().map(|item| item.name).collect();
        assert_eq!(found, names, "{text}");
    }
}

#[test]
fn fields_say_what_is_wanted_and_what_became_of_it() {
    let text = "- {id: a, name: milk, quantity: 2}\n- name: tea\n  status: completed\n- name: rice\n  \
                tags: ['#404', failed, mine]\n- name: salt\n  tags: '#dupe'\n- 'tea #failed'\n- tea #dupe is a comment\n";
    let (_folder, list) = list(text);
    let items = list.items().unwrap();
    assert_eq!((items[0].id.as_str(), items[0].wanted.quantity), ("a", 2));
    assert_eq!(items[1].status, Status::Completed);
    assert_eq!(items[2].tags.to_string(), "#not_found #failed");
    assert_eq!(items[3].tags.to_string(), "#dupe");
    let ids: Vec<_> = items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["a", "tea", "rice", "salt", "tea~2", "tea~3"]);
    assert_eq!(
        (items[4].tags.to_string(), items[5].tags.to_string()),
        ("#failed".into(), "".into())
    );
}

#[test]
fn the_same_name_twice_has_two_ids() {
    let (_folder, list) = list("- milk\n- milk\n- {id: milk, name: oat milk}\n");
    let ids: Vec<_> = list.items().unwrap().into_iter().map(|item| item.id).collect();
    assert_eq!(ids, ["milk", "milk~2", "milk~3"].map(ItemId::new));
}

#[test]
fn a_list_that_cannot_be_understood_is_told_with_its_place() {
    let cases = [
        ("- milk\n- name: [a\n", ":"),
        ("- milk\n- {aisle: 3}\n", ":2:3: an item needs a `name`"),
        ("- name: milk\n  status: maybe\n", ":1:3: `status` is needs_action or completed"),
        ("- name: 2x milk\n  quantity: 3\n", ":1:3: name and `quantity` say different quantities"),
        ("- name: milk\n  quantity: some\n", ":1:3: `quantity` is a number from 1 to 999"),
        ("shopping:\n  - milk\n", ":1:1: there is no list under `items`"),
        ("items: milk\n", ":1:8: `items` has to be a list"),
        ("milk\n", ":1:1: it is not a list"),
        ("- [milk, eggs]\n", ":1:3: an item is a word, or a mapping with a `name`"),
        ("- name: milk\n  name: eggs\n", ":"),
        ("- ''\n", ":1:3: an item needs a name"),
    ];
    for (text, expected) in cases {
        let error = error_of(text);
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn a_mark_adds_to_its_item_and_leaves_the_rest() {
    let found = Mark::NotFound("no \"such\" thing: # really\nsorry");
    let cases = [
        (
            "- milk # 2%\n- eggs\n",
            Mark::Completed,
            "- name: milk # 2%\n  status: completed\n- eggs\n",
        ),
        ("- milk", Mark::Completed, "- name: milk\n  status: completed"),
        (
            "- milk\r\n- tea\r\n",
            Mark::Completed,
            "- name: milk\r\n  status: completed\r\n- tea\r\n",
        ),
        (
            "items: [milk, tea]\n",
            Mark::Completed,
            "items: [{name: milk, status: completed}, tea]\n",
        ),
        ("-\n  milk\n", Mark::Completed, "-\n  name: milk\n  status: completed\n"),
        ("- 'milk'\n", Mark::Completed, "- name: 'milk'\n  status: completed\n"),
        (
            "items:\n  # dairy\n  -   name: milk  # two\n      aisle: 3\n\n  # end\n",
            Mark::Completed,
            "items:\n  # dairy\n  -   name: milk  # two\n      status: completed\n      aisle: 3\n\n  # end\n",
        ),
        (
            "- {name: milk, status: needs_action} # x\n",
            Mark::Completed,
            "- {name: milk, status: completed} # x\n",
        ),
        (
            "- name: milk\n  status: # open\n  brand: x\n",
            Mark::Completed,
            "- name: milk\n  status: completed # open\n  brand: x\n",
        ),
        (
            "- aisle: 1\n  name: milk\n",
            found,
            "- aisle: 1\n  name: milk\n  tags: [\"#404\"]\n  explanation: \"no \\\"such\\\" thing: # really sorry\"\n",
        ),
        (
            "- name: milk\n  tags: [mine, \"#failed\"] # t\n  explanation: old\n",
            Mark::NotFound("new"),
            "- name: milk\n  tags: [mine, \"#failed\", \"#404\"] # t\n  explanation: \"new\"\n",
        ),
        (
            "- name: milk\n  tags:\n    - mine # m\n    # more\n  explanation: >\n    old\n    words\n  a: b\n",
            Mark::Failed("new"),
            "- name: milk\n  tags:\n    - mine # m\n    - \"#failed\"\n    # more\n  explanation: \"new\"\n  a: b\n",
        ),
        (
            "- name: milk\n  tags: mine\n",
            Mark::Duplicate("tea"),
            "- name: milk\n  explanation: \"tea\"\n  tags: [\"mine\", \"#dupe\"]\n",
        ),
        (
            "- name: milk\n  tags: []\n",
            Mark::OutOfStock("x"),
            "- name: milk\n  explanation: \"x\"\n  tags: [\"#out_of_stock\"]\n",
        ),
        (
            "- name: milk\n  tags: ['#404']\n",
            Mark::NotFound("x"),
            "- name: milk\n  explanation: \"x\"\n  tags: ['#404']\n",
        ),
    ];
    for (before, how, expected) in cases {
        assert_eq!(after(before, "milk", how), expected, "before:\n{before}");
    }
}

#[test]
fn an_item_that_is_done_loses_what_was_said_of_it_when_it_was_not() {
    let done = "- name: milk # 2%\n  status: completed\n  aisle: 3\n- tea\n";
    for how in [Mark::Failed("cut"), Mark::NotFound("none: here"), Mark::OutOfStock("")] {
        for list in ["- milk # 2%\n- tea\n", "items: [milk, tea]\n", "- milk\r\n- tea", "- milk"] {
            let failed = after(list, "milk", how);
            let expected = after(list, "milk", Mark::Completed);
            assert_eq!(after(&failed, "milk", Mark::Completed), expected, "{failed}");
        }
        let failed = after("- name: milk # 2%\n  aisle: 3\n- tea\n", "milk", how);
        assert_eq!(after(&failed, "milk", Mark::Completed), done, "{failed}");
    }
    let own = [
        ("[mine, \"#failed\"] # t\n  explanation: old\n", "[mine] # t\n"),
        ("\n    - mine # m\n    - \"#failed\"\n    # more\n", "\n    - mine # m\n    # more\n"),
        (
            "['#dupe', failed]\n  explanation: >\n    two\n    lines\n  a: b\n",
            "['#dupe']\n  a: b\n",
        ),
        ("[mine]\n  explanation: a person's\n", "[mine]\n  explanation: a person's\n"),
        // What would take a comment along stays, and the item is done all the same.
        ("['#failed'] # why?\n", "['#failed'] # why?\n"),
    ];
    for (before, expected) in own {
        let item = |tags: &str| format!("- name: milk\n  tags: {tags}");
        let expected = item(expected).replace("milk\n", "milk\n  status: completed\n");
        assert_eq!(after(&item(before), "milk", Mark::Completed), expected, "{before}");
    }
}

#[test]
fn a_tag_that_somebody_wrote_into_a_name_goes_when_the_item_is_done() {
    let cases = [
        ("- 'milk #404' # 2%\n- milk\n", "- name: \"milk\" # 2%\n  status: completed\n- milk\n"),
        (
            "- name: \"#failed milk #dupe\"  # x\n  aisle: 3\n",
            "- name: \"milk #dupe\"  # x\n  status: completed\n  aisle: 3\n",
        ),
        (
            "- {name: 'milk #out_of_stock', tags: [mine, failed]}\n",
            "- {name: \"milk\", status: completed, tags: [mine]}\n",
        ),
        ("['milk #404', tea]\n", "[{name: \"milk\", status: completed}, tea]\n"),
        ("- 'milk #1'\n", "- name: 'milk #1'\n  status: completed\n"),
    ];
    for (before, expected) in cases {
        let id = if before.contains("#1") { "milk #1" } else { "milk" };
        assert_eq!(after(before, id, Mark::Completed), expected, "before:\n{before}");
    }
    // Only what is done loses its tag, and a later item of the same name keeps its id.
    let failed = after("- 'milk #404'\n- milk\n", "milk", Mark::Failed("cut"));
    assert!(failed.starts_with("- name: 'milk #404'\n"), "{failed}");
    let done = after(&failed, "milk", Mark::Completed);
    assert!(after(&done, "milk~2", Mark::Duplicate("x")).contains("- name: milk\n"), "{done}");
}

#[test]
fn what_somebody_else_writes_meanwhile_stays() {
    let (_folder, list) = list("- milk\n- eggs\n");
    fs::write(list.file.path(), "# for Sunday\n- tea\n- eggs\n- milk # oat\n").unwrap();
    mark(&list, "milk", Mark::Completed).unwrap();
    let text = list.file.read().unwrap();
    assert_eq!(text, "# for Sunday\n- tea\n- eggs\n- name: milk # oat\n  status: completed\n");
}

#[test]
fn what_is_written_while_a_mark_is_on_its_way_stays_as_well() {
    let (_folder, list) = list("- milk\n- eggs\n");
    let begun = std::cell::Cell::new(0);
    let change = |text: &str| {
        begun.set(begun.get() + 1);
        let marked = list.marked(text, &ItemId::new("milk"), Mark::Completed);
        if begun.get() <= 2 {
            let more = format!("{}# hand {}\n", list.file.read()?, begun.get());
            fs::write(list.file.path(), more).unwrap();
        }
        marked
    };
    list.file.change(change).unwrap();
    assert_eq!(begun.get(), 3);
    let expected = "- name: milk\n  status: completed\n- eggs\n# hand 1\n# hand 2\n";
    assert_eq!(list.file.read().unwrap(), expected);
}

#[test]
fn a_file_that_never_rests_is_left_to_who_writes_it() {
    let (_folder, list) = list("- milk\n");
    let change = |text: &str| {
        fs::write(list.file.path(), format!("{text}# again\n")).unwrap();
        list.marked(text, &ItemId::new("milk"), Mark::Completed)
    };
    let error = list.file.change(change).unwrap_err();
    assert!(matches!(error, ListError::Write { .. }) && !error.is_fatal(), "{error}");
    assert!(!list.file.read().unwrap().contains("completed"));
}

#[test]
fn marks_from_several_threads_are_all_written() {
    let names: Vec<_> = (0..16).map(|number| format!("item {number}")).collect();
    let text: String = names.iter().map(|name| format!("- {name} # {name}\n")).collect();
    let (_folder, list) = list(&text);
    std::thread::scope(|scope| {
        for name in &names {
            scope.spawn(|| mark(&list, name, Mark::Completed).unwrap());
        }
    });
    assert!(list.items().unwrap().iter().all(|item| item.status == Status::Completed));
    assert_eq!(list.file.read().unwrap().matches(" # item ").count(), 16);
}

#[test]
fn an_item_that_is_gone_is_said_and_not_written_again() {
    let (_folder, list) = list("- milk\n- eggs\n");
    fs::write(list.file.path(), "- eggs\n").unwrap();
    let error = mark(&list, "milk", Mark::Completed).unwrap_err();
    assert!(matches!(error, ListError::Gone { .. }) && !error.is_fatal());
    assert_eq!(error.to_string(), "\"milk\" is no longer on the list");
    assert_eq!(list.file.read().unwrap(), "- eggs\n");
}

#[test]
fn what_cannot_be_changed_safely_is_left_alone() {
    let text = "- &m milk\n- {name: *m, id: b}\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.yaml");
    fs::write(&path, text).unwrap();
    if let Ok(list) = YamlList::open(&path) {
        let ids: Vec<_> = list.items().unwrap().into_iter().map(|item| item.id).collect();
        let error = mark(&list, ids[0].as_str(), Mark::Completed).unwrap_err();
        assert!(matches!(error, ListError::Write { .. }) && !error.is_fatal(), "{error}");
    }
    assert_eq!(fs::read_to_string(path).unwrap(), text);
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_mode_and_a_link_stays_a_link() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.yaml"), folder.path().join("list.yaml"));
    fs::write(&real, "- milk\n").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&real, &link).unwrap();
    let list = YamlList::open(&link).unwrap();
    mark(&list, "milk", Mark::Completed).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside it");
}

#[tokio::test]
async fn the_five_methods_do_what_they_say() {
    let (folder, list) = list("- milk\n- eggs\n- tea\n- salt\n");
    let list: &dyn ShoppingListProvider = &list;
    let ids: Vec<_> =
        list.get_uncompleted_items().await.unwrap().into_iter().map(|i| i.id).collect();
    list.mark_completed(&ids[0]).await.unwrap();
    list.mark_not_found(&ids[1], "none").await.unwrap();
    list.mark_failed(&ids[2], "time-out").await.unwrap();
    let left = list.get_uncompleted_items().await.unwrap();
    let left: Vec<_> = left.iter().map(Item::tagged_name).collect();
    assert_eq!(left, ["eggs #not_found", "tea #failed", "salt"]);
    list.send_summary(&Summary::of(&site::metro())).await.unwrap();
    let summary = fs::read_to_string(folder.path().join("last_shopping_summary.txt")).unwrap();
    assert!(summary.starts_with("# Shopping at metro.ca"));
}

/// Lists as people might write them, in all the shapes that are known.
fn any_item(number: usize) -> impl Strategy<Value = String> {
    let name = "[a-z]{1,6}( [a-z]{1,5}){0,2}";
    let shape = 0..9_usize;
    (name, shape, "[a-z ]{0,8}").prop_map(move |(name, shape, note)| {
        let name = format!("{name} n{number}");
        match shape {
            0 => format!("- {name}\n"),
            1 => format!("- {name}  # {note}\n"),
            2 => format!("- '{name}' # {note}\n\n"),
            3 => format!("# {note}\n- name: {name}\n  own: {note}x # {note}\n"),
            4 => format!("- {{name: \"{name}\", own: [1, two]}} # {note}\n"),
            5 => format!("- own:\n    deep: {number} # {note}\n  name: {name}\n  tags:\n  - mine\n  # {note}\n"),
            6 => format!("-\n  name: {name}\n\n  status: needs_action\n  tags: [mine]\n"),
            7 => format!("- id: i{number}\n  name: {name}\n  explanation: |\n    own {note}\n    words\n  tags:\n"),
            _ => format!("- name: {name} # {note}\n  list: [{{a: 1}}, b]\n  status:\n"),
        }
    })
}

fn any_list() -> impl Strategy<Value = Vec<String>> {
    (1..7_usize).prop_flat_map(|count| (0..count).map(any_item).collect::<Vec<_>>())
}

fn any_mark() -> impl Strategy<Value = (usize, u8, String, bool)> {
    (0..7_usize, 0..4_u8, "\\PC{0,12}", any::<bool>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    // Of the text alone: waiting for the disk a thousand times would prove nothing more.
    #[test]
    fn marks_and_edits_of_others_lose_nothing(
        items in any_list(),
        under in any::<bool>(),
        crlf in any::<bool>(),
        marks in proptest::collection::vec(any_mark(), 1..8),
    ) {
        let newline = if crlf { "\r\n" } else { "\n" };
        let mut text = items.concat();
        if under {
            text = format!("# mine\nshop: metro # s\nitems:\n{text}\n# end\n");
        }
        text = text.replace('\n', newline);
        let (_folder, list) = list("");
        for (step, (at, how, why, foreign)) in marks.into_iter().enumerate() {
            let all = items_of(&list, &text);
            let item = &all[at % all.len()];
            let how = match how {
                0 => Mark::Completed,
                1 => Mark::NotFound(&why),
                2 => Mark::Failed(&why),
                _ => Mark::Duplicate(&why),
            };
            let after = list.marked(&text, &item.id, how).unwrap();
            let now = items_of(&list, &after);
            prop_assert_eq!(now.len(), all.len());
            for (old, new) in all.iter().zip(&now) {
                prop_assert_eq!(&old.name, &new.name);
                if old.id != item.id {
                    prop_assert_eq!(old, new);
                }
            }
            let changed = now.iter().find(|now| now.id == item.id).unwrap();
            match how.tag() {
                None => {
                    prop_assert_eq!(changed.status, Status::Completed);
                    prop_assert!(!changed.tags.has(Tag::NotFound) && !changed.tags.has(Tag::Failed));
                }
                Some((tag, _)) => prop_assert!(changed.tags.has(tag)),
            }
            kept(&text, &after, how)?;
            text = after;
            if foreign {
                let added = format!("# note {step}{newline}- added {step} # by hand{newline}");
                let at = text.find("items:").map_or(0, |at| at + "items:".len() + newline.len());
                text.insert_str(at, &added);
            }
        }
    }
}

fn items_of(list: &YamlList, text: &str) -> Vec<Item> {
    let document = list.document(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    document.entries.into_iter().map(|entry| entry.item).collect()
}

/// Every comment, field and word of a text is in a later one, in its order; only the values that a mark
/// sets (a status, an explanation) may differ, and one that says done takes away what said that it was not.
fn kept(before: &str, after: &str, how: Mark) -> Result<(), TestCaseError> {
    let outdated: &[&str] = match how {
        Mark::Completed => &["tags:", "\"#404\"", "\"#failed\"", "explanation"],
        _ => &[],
    };
    let later = words(after);
    let mut later = later.iter();
    // A tag in a list of lines goes with its dash.
    let before = match how {
        Mark::Completed => &before.replace("- \"#404\"", "").replace("- \"#failed\"", ""),
        _ => before,
    };
    for word in words(before).into_iter().filter(|word| !outdated.contains(&word.as_str())) {
        prop_assert!(
            later.any(|other| *other == word),
            "{word:?} is lost:\n{before}\nbecame\n{after}"
        );
    }
    Ok(())
}

fn words(text: &str) -> Vec<String> {
    let mut rest = text.to_owned();
    while let Some(start) = rest.find("explanation: ") {
        let value = start + "explanation: ".len();
        let end = if rest[value..].starts_with('|') {
            rest[value..].find("words").unwrap() + "words".len()
        } else {
            let quoted = rest[value + 1..].replace("\\\\", "__").replace("\\\"", "__");
            quoted.find('"').unwrap() + 2
        };
        rest.replace_range(start..value + end, "explanation ");
    }
    let rest = rest.replace(['{', '}', '[', ']', ','], " ");
    let ours = |word: &&str| !["needs_action", "completed"].contains(word);
    rest.split_whitespace().filter(ours).map(str::to_owned).collect()
}

#[test]
fn the_example_in_the_documents_is_a_list() {
    let page = include_str!("../../../../../docs/home-assistant.md");
    let example = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let (_folder, list) = list(example);
    let found: Vec<_> =
        list.items().unwrap().into_iter().map(|item| item.wanted.to_string()).collect();
    assert_eq!(found, ["2x milk", "2x flour", "tea"]);
}

#[test]
fn a_list_is_replaced_whole_and_its_old_text_is_never_written_over() {
    const TEXT: &str = "# mine\n- milk\n- eggs\n";
    let (folder, list) = list(TEXT);
    let before = folder.path().join("before.yaml");
    fs::hard_link(list.file.path(), &before).unwrap();
    mark(&list, "milk", Mark::Completed).unwrap();
    // Whoever had the file open, or lost power meanwhile, has all of what it said.
    assert_eq!(fs::read_to_string(&before).unwrap(), TEXT);
    assert_ne!(list.file.read().unwrap(), TEXT);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left beside it");
}
