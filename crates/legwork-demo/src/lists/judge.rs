//! Whether a cart is right for a list.

use std::collections::BTreeMap;

use super::{Answer, ShoppingList};

/// What is to be said of a cart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judgement {
    /// Items, as they are written, of which nothing that would do is in the cart.
    pub missing: Vec<String>,
    /// What is in the cart and should not be, or not so many times: in words, for people.
    pub wrong: Vec<String>,
}

impl Judgement {
    /// Whether the cart is exactly right.
    pub fn is_right(&self) -> bool {
        self.missing.is_empty() && self.wrong.is_empty()
    }
}

impl ShoppingList {
    /// Judges a cart: for every item that can be bought one product that would do, in the number that was
    /// written, and nothing else at all.
    pub fn judge(&self, cart: &BTreeMap<String, u32>) -> Judgement {
        let mut judgement = Judgement::default();
        let mut unexplained = cart.clone();
        for wish in &self.wishes {
            let Answer::Bought { any_of, quantity } = &wish.answer else {
                continue;
            };
            let mut found = any_of.iter().filter_map(|id| unexplained.remove_entry(id));
            let first = found.next();
            let more: Vec<_> = found.collect();
            let written = &wish.written;
            match first {
                None => judgement.missing.push(written.clone()),
                Some((id, many)) if many != *quantity => {
                    judgement.wrong.push(format!("{many} of {id} for {written:?}"));
                }
                Some(_) => {}
            }
            for (id, many) in more {
                judgement.wrong.push(format!("{many} of {id} as well for {written:?}"));
            }
        }
        let rest = unexplained.iter().map(|(id, many)| format!("{many} of {id} for nothing"));
        judgement.wrong.extend(rest);
        judgement
    }
}
