//! What the store sells: one table, `data/catalogue.csv`, in which many things are near each other.

use std::collections::HashSet;

use serde::Deserialize;

use crate::hostile::{self, Trick};

const TABLE: &str = include_str!("../data/catalogue.csv");

/// Everything the store sells.
#[derive(Debug, Clone)]
pub struct Catalogue {
    products: Vec<Product>,
}

/// Something the store sells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// Names it in addresses: `meadowbrook-2-milk-1-l`.
    pub id: String,
    /// The department it is in.
    pub category: String,
    /// What people call it, whatever its brand, size and variant: `milk`, `peanut butter`.
    pub kind: String,
    /// Its name on the shelf.
    pub name: String,
    /// Who makes it.
    pub brand: String,
    /// How much is in it.
    pub size: String,
    /// What it costs, in cents.
    pub price: u64,
    /// What it cost before, in cents.
    pub was: Option<u64>,
    /// What sets it apart from others of its kind: `2%`, `unsalted`.
    pub variants: Vec<String>,
    /// Whether nobody takes it for its kind who did not ask for its variant: diet cola is no cola.
    pub special: bool,
    /// Whether it can be bought.
    pub in_stock: bool,
    /// What the page of the product says of it.
    pub description: String,
    /// What it does to whoever wants it, in a hostile store.
    pub(crate) trick: Option<Trick>,
}

/// A row of the table.
#[derive(Deserialize)]
struct Row {
    category: String,
    kind: String,
    name: String,
    brand: String,
    size: String,
    price: String,
    was: String,
    variants: String,
    stock: String,
}

impl Catalogue {
    /// The table that comes with the store.
    pub fn bundled() -> Catalogue {
        let mut reader = csv::Reader::from_reader(TABLE.as_bytes());
        let rows = reader.deserialize::<Row>();
        let products =
            rows.map(|row| product(row.expect("the table is tried by a test"))).collect();
        Catalogue { products }
    }

    /// That table with products among it that mean ill.
    pub(crate) fn hostile(seed: u64) -> Catalogue {
        let mut catalogue = Catalogue::bundled();
        hostile::arm(&mut catalogue.products, seed);
        catalogue
    }

    /// All of it, in the order of the table.
    pub fn products(&self) -> &[Product] {
        &self.products
    }

    /// A product by its id.
    pub fn get(&self, id: &str) -> Option<&Product> {
        self.products.iter().find(|product| product.id == id)
    }

    /// The departments, in the order of the table.
    pub fn categories(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.products.iter().map(|product| &*product.category).collect();
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(*name));
        names
    }
}

fn product(row: Row) -> Product {
    let Row { category, kind, name, brand, size, price, was, variants, stock } = row;
    let special = variants.starts_with('!');
    let variants = variants
        .trim_start_matches('!')
        .split(';')
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect();
    let description = format!("{name} by {brand}, {size}. {}", praise(&category));
    Product {
        id: slug(&format!("{brand} {name} {size}")),
        price: cents(&price).expect("every product has a price"),
        was: cents(&was),
        in_stock: stock != "out",
        category,
        kind,
        name,
        brand,
        size,
        variants,
        special,
        description,
        trick: None,
    }
}

/// The words of a department, which a search finds as well.
fn praise(category: &str) -> &'static str {
    match category {
        "Dairy" => "Keep refrigerated. Lovely with bread, coffee or cereal.",
        "Bakery" => "Baked this morning. Lovely with butter, jam or cheese.",
        "Produce" => "Picked ripe. Wash before use. Lovely in a salad with olive oil and salt.",
        "Meat & Fish" => "Cook thoroughly. Lovely with rice, potatoes or a pasta sauce.",
        "Breakfast" => "A good start to the day, with milk and honey.",
        "Drinks" => "Serve cold, with ice and a slice of lemon.",
        "Snacks" => "For the break, with tea or milk.",
        "Frozen" => "Keep frozen. Ready in minutes; no butter needed.",
        "Household" => "For the house. Keep away from food and children.",
        _ => "Store in a cool, dry place. See the back for a recipe with chicken and rice.",
    }
}

/// Lower-case letters and digits with dashes between them.
pub(crate) fn slug(text: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { ' ' };
    let words: String = text.to_lowercase().chars().map(plain).collect();
    words.split_whitespace().collect::<Vec<_>>().join("-")
}

/// `2.99` as cents.
pub(crate) fn cents(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.')?;
    Some(whole.parse::<u64>().ok()? * 100 + part.parse::<u64>().ok()?)
}

/// Cents as the store writes them.
pub(crate) fn dollars(cents: u64) -> String {
    format!("${}.{:02}", cents / 100, cents % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_product_has_an_id_of_its_own_and_a_kind() {
        let catalogue = Catalogue::bundled();
        let ids: HashSet<_> = catalogue.products().iter().map(|product| &product.id).collect();
        assert_eq!(ids.len(), catalogue.products().len());
        assert!(ids.len() >= 250, "{}", ids.len());
        assert!(catalogue.products().iter().all(|product| !product.kind.is_empty()));
        assert!(catalogue.get("meadowbrook-2-milk-1-l").is_some_and(|milk| milk.price == 299));
        assert_eq!(catalogue.categories().len(), 10);
    }

    #[test]
    fn some_things_are_out_of_stock() {
        let catalogue = Catalogue::bundled();
        let out = catalogue.products().iter().filter(|product| !product.in_stock).count();
        assert!((8..30).contains(&out), "{out}");
    }
}
