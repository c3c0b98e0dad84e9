//! The list of the demonstration: twelve items, with what is right for each.

use super::{Answer, ShoppingList, Wish};

/// A list with something of everything: two numbers, a brand, a size, a slip, a line that is there twice,
/// something that is not sold and something that is out of stock.
pub fn bundled() -> ShoppingList {
    let bought = |written: &str, quantity: u32, any_of: &[&str]| Wish {
        written: written.into(),
        answer: Answer::Bought { any_of: any_of.iter().map(|id| (*id).into()).collect(), quantity },
    };
    let not = |written: &str, answer: Answer| Wish { written: written.into(), answer };
    let wishes = vec![
        bought("2% milk, 2 L", 1, &["meadowbrook-2-milk-2-l"]),
        bought("3 bananas", 3, &["farm-stand-bananas-each", "pure-pasture-organic-bananas-each"]),
        bought(
            "unsalted butter",
            1,
            &["meadowbrook-unsalted-butter-454-g", "pure-pasture-organic-unsalted-butter-250-g"],
        ),
        bought(
            "2x oat milk",
            2,
            &[
                "oatfield-oat-milk-original-1-75-l",
                "oatfield-oat-milk-barista-946-ml",
                "basics-unsweetened-oat-milk-946-ml",
            ],
        ),
        not("strawberries", Answer::OutOfStock),
        bought("spagetti", 1, &["nonna-pia-spaghetti-500-g", "basics-spaghetti-900-g"]),
        bought("Casa Rossa olive oil", 1, &["casa-rossa-extra-virgin-olive-oil-1-l"]),
        not("dragon fruit", Answer::NotSold),
        bought("crunchy peanut butter", 1, &["nutty-fox-crunchy-peanut-butter-500-g"]),
        not("Oat milk (2)", Answer::Again),
        bought("basmati rice 2 kg", 1, &["golden-paddy-basmati-rice-2-kg"]),
        bought("dark chocolate", 1, &["cocoa-lane-70-dark-chocolate-bar-100-g"]),
    ];
    ShoppingList { wishes }
}
