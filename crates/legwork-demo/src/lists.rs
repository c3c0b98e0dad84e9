//! Shopping lists as people write them, each with its right answer. The answer comes from the catalogue's own
//! columns and never from a search or a shopper.
//!
//! What a sensible person accepts, who finds such a list on the fridge:
//!
//! - Who writes a kind leaves the rest open: for `milk` any cow's milk will do, of any brand, fat and size,
//!   but no oat milk, no chocolate milk, no milk chocolate. What is a thing of its own for most people
//!   (decaf coffee, diet cola, turkey bacon, whole wheat flour) is taken only if it is asked for.
//! - A brand, a variant (`2%`, `unsalted`) or a size (`2 L`, also as `2l`) that is written has to be there,
//!   all of them at once. Nothing else will do instead.
//! - A misspelt word is the word of the store that it is one slip away from, or that many people spell so.
//!   Only slips that leave one such word are made.
//! - A word for the packing (`jar of`, `2 cans of`) asks for nothing.
//! - What is not sold, not of this brand or not in this size, or is out of stock in every product that would
//!   do, is not in the cart, and nothing else is in its place.
//! - What is written twice in the same words and number, however the number is spelt, is bought once.
//! - A number is of packages as the store sells them. A bare `3 carrots` is not written where the store
//!   sells bags, nor `12 eggs` or `24 rolls of toilet paper`, because a person would have to ask.
//!
//! No two items of a list could be the same product, so that every line of a cart belongs to one item.

mod absent;
mod bundled;
mod dice;
mod judge;
mod phrase;
mod size;
mod slip;

use std::collections::HashSet;

use crate::catalogue::{Catalogue, Product};
use dice::Dice;
use phrase::Counted;

pub use bundled::bundled;
pub use judge::Judgement;

/// A list, and what is right for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShoppingList {
    /// Its items, from the top.
    pub wishes: Vec<Wish>,
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// What somebody wrote.
    pub written: String,
    /// What is right.
    pub answer: Answer,
}

/// What is right for an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// So many of one of these products.
    Bought {
        /// Their ids.
        any_of: Vec<String>,
        /// How many of the one.
        quantity: u32,
    },
    /// Nothing: the store does not sell it.
    NotSold,
    /// Nothing: the store has none of it now.
    OutOfStock,
    /// Nothing more: an item above says the same.
    Again,
}

/// How many items a list has.
const LENGTH: usize = 10;

/// All the lists of a seed.
pub struct Lists<'a> {
    catalogue: &'a Catalogue,
    words: HashSet<String>,
    seed: u64,
}

impl<'a> Lists<'a> {
    /// The lists of this seed, for a store that sells this.
    pub fn of(catalogue: &'a Catalogue, seed: u64) -> Lists<'a> {
        Lists { catalogue, words: slip::words_of(catalogue), seed }
    }

    /// The list of this number.
    pub fn list(&self, number: u64) -> ShoppingList {
        let mut writer = Writer {
            catalogue: self.catalogue,
            words: &self.words,
            dice: Dice::of(self.seed, number),
            kinds: HashSet::new(),
            wishes: Vec::new(),
        };
        let (absent, out, twice) =
            (writer.dice.chance(70), writer.dice.chance(50), writer.dice.chance(40));
        if absent {
            writer.not_sold();
        }
        if out {
            writer.out_of_stock();
        }
        let fresh = LENGTH - usize::from(twice);
        let misspelt = 1 + writer.dice.below(3);
        while writer.wishes.len() < fresh {
            let slip = writer.wishes.len() + misspelt >= fresh;
            writer.wanted(slip);
        }
        writer.dice.shuffle(&mut writer.wishes);
        if twice {
            writer.again();
        }
        let wishes = writer.wishes.into_iter().map(|(wish, _)| wish).collect();
        ShoppingList { wishes }
    }
}

impl ShoppingList {
    /// The list as a text file: one item to a line.
    pub fn text(&self) -> String {
        self.wishes.iter().map(|wish| format!("{}\n", wish.written)).collect()
    }
}

/// Writes a list.
struct Writer<'a> {
    catalogue: &'a Catalogue,
    /// All words of the store.
    words: &'a HashSet<String>,
    dice: Dice,
    /// The kinds that are on the list.
    kinds: HashSet<&'a str>,
    /// The items, with what they ask for before the number.
    wishes: Vec<(Wish, Option<(String, u32)>)>,
}

/// What of a product somebody names.
#[derive(Default)]
struct Details<'a> {
    brand: Option<&'a str>,
    variants: Vec<&'a str>,
    size: Option<&'a str>,
}

impl<'a> Writer<'a> {
    /// Something that is not sold at all, or not by this brand, or not in this size.
    fn not_sold(&mut self) {
        let phrase = match self.dice.below(10) {
            0..5 => (*self.dice.pick(&absent::THINGS)).to_owned(),
            5 | 6 => (*self.dice.pick(&absent::BRANDED)).to_owned(),
            7 => self.of_another_brand(),
            _ => self.in_another_size(),
        };
        let phrase = if self.dice.chance(25) { self.misspelt(&phrase) } else { phrase };
        self.nothing(phrase, Answer::NotSold);
    }

    /// A kind with a brand of the store that does not make it.
    fn of_another_brand(&mut self) -> String {
        let all = self.catalogue.products();
        let (kind, brand) = (&self.dice.pick(all).kind, &self.dice.pick(all).brand);
        match all.iter().any(|product| product.kind == *kind && product.brand == *brand) {
            true => self.of_another_brand(),
            false => format!("{brand} {kind}"),
        }
    }

    /// A kind with a size that is sold of something else only.
    fn in_another_size(&mut self) -> String {
        let all = self.catalogue.products();
        let (kind, size) = (&self.dice.pick(all).kind, &self.dice.pick(all).size);
        let measure = |size: &str| size.rsplit(' ').next().map(str::to_lowercase);
        let mut own = all.iter().filter(|product| product.kind == *kind);
        let alike = own.clone().any(|product| measure(&product.size) == measure(size));
        let there = own.any(|product| size::is_near(&product.size, size));
        match alike && !there && size::is_written(size) {
            true => phrase::sized(&mut self.dice, kind, kind, size),
            false => self.in_another_size(),
        }
    }

    /// Something of which every product that would do is out of stock.
    fn out_of_stock(&mut self) {
        let out: Vec<&Product> =
            self.catalogue.products().iter().filter(|product| !product.in_stock).collect();
        let product = *self.dice.pick(&out);
        let mut details = self.details(product);
        if self.fitting(&product.kind, &details).next().is_some() {
            // Others of its kind are there; only all of its own words together name this one.
            details.brand = Some(&product.brand);
            details.variants = product.variants.iter().map(String::as_str).collect();
        }
        if self.fitting(&product.kind, &details).next().is_some() {
            return;
        }
        self.kinds.insert(&product.kind);
        let slip = self.dice.chance(20);
        let phrase = self.phrase(product, &details, slip);
        self.nothing(phrase, Answer::OutOfStock);
    }

    /// Writes down what there is nothing of, at times with a number.
    fn nothing(&mut self, phrase: String, answer: Answer) {
        let quantity = if self.dice.chance(70) { 1 } else { 2 + self.dice.below(3) as u32 };
        let phrase = phrase::cased(&mut self.dice, phrase);
        let written = phrase::spelt(&mut self.dice, &phrase, quantity);
        self.wishes.push((Wish { written, answer }, None));
    }

    /// Something that can be bought.
    fn wanted(&mut self, slip: bool) {
        let all = self.catalogue.products();
        let product = self.dice.pick(all);
        if !product.in_stock || self.kinds.contains(&*product.kind) {
            return;
        }
        let details = self.details(product);
        let fitting: Vec<&Product> = self.fitting(&product.kind, &details).collect();
        let any_of: Vec<String> = fitting.iter().map(|product| product.id.clone()).collect();
        if any_of.is_empty() {
            return;
        }
        let phrase = self.phrase(product, &details, slip);
        let counted = phrase::counted(&mut self.dice, phrase, &details, &fitting);
        let Counted { written, phrase, quantity } = counted;
        self.kinds.insert(&product.kind);
        let answer = Answer::Bought { any_of, quantity };
        self.wishes.push((Wish { written, answer }, Some((phrase, quantity))));
    }

    /// One of the items once more, its number spelt in another way.
    fn again(&mut self) {
        let bought: Vec<(String, u32)> =
            self.wishes.iter().filter_map(|(_, phrase)| phrase.clone()).collect();
        let (phrase, quantity) = self.dice.pick(&bought).clone();
        let phrase = if self.dice.chance(50) { phrase.to_uppercase() } else { phrase };
        let written = phrase::spelt(&mut self.dice, &phrase, quantity);
        self.wishes.push((Wish { written, answer: Answer::Again }, None));
    }

    /// What somebody names of a product; a special one is named by what makes it so.
    fn details(&mut self, product: &'a Product) -> Details<'a> {
        let mut details = Details::default();
        if self.dice.chance(25) {
            details.brand = Some(&product.brand);
        }
        if product.special {
            details.variants = product.variants.iter().map(String::as_str).collect();
        } else if !product.variants.is_empty() && self.dice.chance(45) {
            let one = self.dice.pick(&product.variants);
            details.variants = vec![one.as_str()];
        }
        if size::is_written(&product.size) && self.dice.chance(25) {
            details.size = Some(&product.size);
        }
        details
    }

    /// What can be bought and has all that was named.
    fn fitting<'s>(
        &'s self,
        kind: &'s str,
        details: &'s Details<'a>,
    ) -> impl Iterator<Item = &'a Product> + 's {
        self.catalogue.products().iter().filter(move |product| {
            let named = |variant: &&str| product.variants.iter().any(|own| own == variant);
            product.in_stock
                && product.kind == kind
                && details.brand.is_none_or(|brand| brand == product.brand)
                && details.size.is_none_or(|size| size == product.size)
                && details.variants.iter().all(named)
                && (!product.special
                    || product.variants.iter().all(|own| details.variants.contains(&own.as_str())))
        })
    }

    fn phrase(&mut self, product: &Product, details: &Details, slip: bool) -> String {
        let phrase = phrase::of(&mut self.dice, product, details);
        let phrase = if slip { self.misspelt(&phrase) } else { phrase };
        phrase::cased(&mut self.dice, phrase)
    }

    fn misspelt(&mut self, phrase: &str) -> String {
        slip::misspelt(&mut self.dice, phrase, self.words)
    }
}

#[cfg(test)]
mod tests;
