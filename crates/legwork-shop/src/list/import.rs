//! Lists that cannot be written back: tables, and what comes by standard input. They are kept in a YAML
//! list of our own, which is then shopped from, so that a second run goes on where the first one stopped.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use super::yaml::YamlList;
use super::{ListError, file, text};
use crate::item::{Item, ItemId, Status, Wanted};

/// What becomes of a list that was kept before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resume {
    /// What is marked there stays marked; what is new is added.
    GoOn,
    /// It is written anew.
    Afresh,
}

/// Items from somewhere that cannot be written back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    names: Vec<String>,
}

impl Import {
    /// Items from text, one a line, as in a text file; those that are checked off are left out.
    pub fn from_text(text: &str) -> Import {
        let items = text::items(text).into_iter();
        let open = items.filter(|item| item.status == Status::NeedsAction);
        Import { names: open.map(|item| item.tagged_name()).collect() }
    }

    /// Items from standard input or anything else that can be read.
    pub fn from_reader(mut from: impl Read, called: &Path) -> Result<Import, ListError> {
        let mut text = String::new();
        from.read_to_string(&mut text)
            .map_err(|error| ListError::Read { path: called.to_owned(), error })?;
        Ok(Import::from_text(&text))
    }

    /// Items from a table in a file.
    pub fn from_csv_file(path: &Path) -> Result<Import, ListError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| ListError::Read { path: path.to_owned(), error })?;
        Import::from_csv(&text, path)
    }

    /// Items from a table: with a heading, the columns called `name` (or `item`, `product`) and `quantity`
    /// (or `qty`, `count`); without one, the first column, and the second if it is a number. Columns are
    /// parted by comma, semicolon or tab.
    pub fn from_csv(text: &str, called: &Path) -> Result<Import, ListError> {
        let text = text.trim_start_matches('\u{feff}');
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .delimiter(delimiter(text))
            .from_reader(text.as_bytes());
        let mut columns = None;
        let mut names = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| unreadable(called, None, &error.to_string()))?;
            let columns = match &columns {
                Some(columns) => columns,
                None => match Columns::named(&record) {
                    Some(found) => {
                        columns = Some(found);
                        continue;
                    }
                    None => columns.insert(Columns { name: 0, quantity: Some(1), strict: false }),
                },
            };
            let line = record.position().map(|at| at.line() as usize);
            let name = columns.read(&record).map_err(|why| unreadable(called, line, &why))?;
            names.extend(name);
        }
        Ok(Import { names })
    }

    /// Keeps the items in a YAML list. Items are told apart by their names, and the second of two that are
    /// called the same by its being the second.
    pub fn kept_in(self, path: &Path, resume: Resume) -> Result<YamlList, ListError> {
        let there = path.exists() && resume == Resume::GoOn;
        let kept = if there { YamlList::open(path)?.items()? } else { Vec::new() };
        let mut left: HashMap<String, usize> = HashMap::new();
        for item in &kept {
            *left.entry(item.name.clone()).or_default() += 1;
        }
        let mut text = if there { read(path)? } else { HEADING.to_owned() };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let mut count = kept.len();
        for item in self.names.iter().filter_map(|name| item(name)) {
            match left.get_mut(&item.name).filter(|left| **left > 0) {
                Some(left) => *left -= 1,
                None => {
                    text += &format!("- {}\n", quoted(&item.tagged_name()));
                    count += 1;
                }
            }
        }
        // Somebody may have given the kept list another shape; then it is theirs.
        if !matches!(YamlList::count(path, &text), Ok(found) if found == count) {
            let why =
                "the new items do not fit what is there; move it away to begin afresh".to_owned();
            return Err(ListError::Write { path: path.to_owned(), why });
        }
        file::write(path, &text)?;
        YamlList::open(path)
    }
}

const HEADING: &str =
    "# Kept by Legwork: a list that could not be written back where it came from.\n";

fn item(name: &str) -> Option<Item> {
    Item::read(ItemId::new(name), name, Status::NeedsAction)
}

fn read(path: &Path) -> Result<String, ListError> {
    std::fs::read_to_string(path).map_err(|error| ListError::Read { path: path.to_owned(), error })
}

fn unreadable(path: &Path, line: Option<usize>, why: &str) -> ListError {
    let place = line.map(|line| (line, 1));
    ListError::Unreadable { path: path.to_owned(), place, why: why.to_owned() }
}

/// A double-quoted scalar of YAML.
fn quoted(text: &str) -> String {
    let shown: String =
        text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    format!("\"{}\"", shown.replace('\\', "\\\\").replace('"', "\\\""))
}

/// What parts the columns: whichever of the three is most frequent in the first line.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |delimiter: u8| first.bytes().filter(|byte| *byte == delimiter).count();
    [b',', b';', b'\t'].into_iter().rev().max_by_key(|delimiter| count(*delimiter)).unwrap_or(b',')
}

/// Which column says what.
struct Columns {
    name: usize,
    quantity: Option<usize>,
    /// Whether a quantity that is no number is a mistake: where a heading calls it one.
    strict: bool,
}

impl Columns {
    /// The columns that a heading names; `None` if the record is no heading.
    fn named(record: &csv::StringRecord) -> Option<Columns> {
        let find = |names: &[&str]| {
            record.iter().position(|cell| names.contains(&cell.to_lowercase().as_str()))
        };
        let name = find(&["name", "item", "items", "product", "article", "produit"])?;
        let quantity = find(&["quantity", "qty", "count", "amount", "quantité", "quantite"]);
        Some(Columns { name, quantity, strict: true })
    }

    /// What a record asks for; nothing if it has no name.
    fn read(&self, record: &csv::StringRecord) -> Result<Option<String>, String> {
        let name = record.get(self.name).unwrap_or_default();
        let Some(item) = item(name) else { return Ok(None) };
        let cell = self.quantity.and_then(|at| record.get(at)).filter(|cell| !cell.is_empty());
        let Some(cell) = cell else { return Ok(Some(name.to_owned())) };
        match cell.parse::<u32>() {
            Ok(1) => Ok(Some(name.to_owned())),
            Ok(quantity) if quantity > 0 && item.wanted.quantity == 1 => {
                Ok(Some(Wanted { quantity, what: item.tagged_name() }.to_string()))
            }
            Ok(quantity) if quantity == item.wanted.quantity => Ok(Some(name.to_owned())),
            _ if !self.strict => Ok(Some(name.to_owned())),
            _ => Err(format!("the quantity of {name:?} is {cell:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::{Mark, ShoppingListProvider};

    fn csv(text: &str) -> Result<Vec<String>, String> {
        let import = Import::from_csv(text, Path::new("list.csv"));
        import.map(|import| import.names).map_err(|error| error.to_string())
    }

    #[test]
    fn tables_are_read_with_and_without_a_heading() {
        let cases: [(&str, &[&str]); 9] = [
            (
                "name,quantity\nmilk,2\neggs,\n\"bread, white\",1\n",
                &["2x milk", "eggs", "bread, white"],
            ),
            ("Item;Qty;Aisle\nlait;3;A\n", &["3x lait"]),
            ("aisle\tproduct\n4\ttea\n", &["tea"]),
            ("milk,2\neggs\n", &["2x milk", "eggs"]),
            ("milk,cold\n", &["milk"]),
            ("milk\n\n2x eggs\n", &["milk", "2x eggs"]),
            ("\u{feff}name\nmilk\n", &["milk"]),
            ("name,qty\n2x milk,2\n1.5 kg flour,2\n", &["2x milk", "2x 1.5 kg flour"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(csv(text).unwrap(), expected, "{text}");
        }
        let error = csv("name,qty\nmilk,2\ntea,some\n").unwrap_err();
        assert_eq!(error, "list.csv:3:1: the quantity of \"tea\" is \"some\"");
        assert!(csv("name,qty\n2x milk,3\n").is_err());
    }

    #[tokio::test]
    async fn a_second_run_goes_on_where_the_first_one_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.yaml");
        let import = Import::from_text("milk\n- [x] salt\n\"tea\" \\ 2\nmilk\n");
        let list = import.clone().kept_in(&path, Resume::GoOn).unwrap();
        let names = async |list: &YamlList| -> Vec<String> {
            let items = list.get_uncompleted_items().await.unwrap();
            items.iter().map(Item::tagged_name).collect()
        };
        assert_eq!(names(&list).await, ["milk", "\"tea\" \\ 2", "milk"]);
        list.mark(&ItemId::new("milk"), Mark::Completed).await.unwrap();
        let more = Import::from_text("milk\nmilk\n\"tea\" \\ 2\noil\n");
        let list = more.kept_in(&path, Resume::GoOn).unwrap();
        assert_eq!(names(&list).await, ["\"tea\" \\ 2", "milk", "oil"]);
        let list = import.kept_in(&path, Resume::Afresh).unwrap();
        assert_eq!(names(&list).await.len(), 3);
    }

    #[test]
    fn a_kept_list_of_another_shape_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.yaml");
        let theirs = "items:\n  - milk\nshop: metro\n";
        std::fs::write(&path, theirs).unwrap();
        let error = Import::from_text("tea\n").kept_in(&path, Resume::GoOn).err().unwrap();
        assert!(matches!(error, ListError::Write { .. }), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), theirs);
        assert!(Import::from_text("milk\n").kept_in(&path, Resume::GoOn).is_ok());
    }

    #[test]
    fn an_empty_import_is_an_empty_list() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.yaml");
        let list = Import::from_text("\n# nothing\n").kept_in(&path, Resume::GoOn).unwrap();
        assert_eq!(list.items().unwrap(), []);
    }
}
