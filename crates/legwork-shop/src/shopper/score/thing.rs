//! A product, taken apart into the words and sizes that it says.

use crate::errand::Product;
use crate::shopper::size::{self, Size};
use crate::shopper::words;

/// A product, taken apart.
pub(in crate::shopper) struct Thing {
    /// The words of its name, without sizes.
    pub(super) words: Vec<String>,
    /// Where what it comes with begins.
    pub(super) core: usize,
    /// The words beside its name.
    pub(super) beside: Vec<String>,
    /// How much of it.
    pub(in crate::shopper) sizes: Vec<Size>,
    /// It is sold by something that is no measure: `1 bunch`.
    pub(super) otherwise: bool,
}

impl Thing {
    /// Takes a product apart.
    pub(in crate::shopper) fn read(product: &Product) -> Thing {
        let (mut sizes, name) = size::take(&product.name);
        let said = product.size.as_deref().unwrap_or_default();
        sizes.extend(size::take(said).0);
        let all = words::stems(&name);
        let first = name.split([',', '(', '|', '–']).next().unwrap_or_default();
        let first = first.split(" - ").next().unwrap_or_default();
        let parted = words::stems(first).len().max(1).min(all.len());
        let connected = all.iter().position(|word| words::is_connective(word)).filter(|at| *at > 0);
        let core = connected.unwrap_or(all.len()).min(parted);
        let words: Vec<String> =
            all.iter().filter(|word| !words::is_connective(word)).cloned().collect();
        let beside = product.brand.as_deref().map(words::stems).unwrap_or_default();
        let by_piece = [&beside, &words::stems(said)].iter().any(|words| is_by_piece(words));
        let otherwise = by_piece && sizes.is_empty();
        Thing { core: core.min(words.len()), words, beside, sizes, otherwise }
    }

    /// Every word it says.
    pub(in crate::shopper) fn vocabulary(&self) -> impl Iterator<Item = &String> {
        self.words.iter().chain(&self.beside)
    }
}

/// Whether it says `1 bunch`.
fn is_by_piece(words: &[String]) -> bool {
    words.windows(2).any(|pair| words::is_number(&pair[0]) && words::is_container(&pair[1]))
}
