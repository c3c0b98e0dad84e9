//! What a line of the cart asks for one of a product, held against what the shop said of it before and against
//! what it may cost.

use super::Line;
use super::change::take_back;
use crate::errand::{Errand, Floor, Stage, Trouble};
use crate::money::{Currency, Price, Terms};
use crate::preferences;
use crate::shopper::prices;
use crate::summary::Added;

/// What the cart asks for one.
#[derive(Debug, Clone, PartialEq)]
enum Asks {
    /// What was said before, or nothing that could be compared with it.
    TheSame,
    /// Another price, as the line writes it.
    Another(String, Price),
    /// Another price, and it cannot be told for how many. The line in the cart's own words.
    Unclear(String),
}

/// What follows from what the cart asks.
enum Held {
    /// Nothing.
    TheSame,
    /// It is told.
    Noted(String),
    /// It may not be bought at that price, and this is why.
    Over(String),
}

/// What the cart shows of something that was added.
pub(crate) struct Shown<'l> {
    pub(crate) lines: Vec<&'l Line>,
    /// How many were there before, if anything was added at all.
    pub(crate) had: Option<u32>,
    /// Where another price was said before: `on its page`.
    pub(crate) said: &'static str,
}

impl Shown<'_> {
    /// Takes over what the cart asks. Where one may not cost that, it is taken out again, and the answer says why.
    pub(crate) async fn hold(
        self,
        errand: &Errand,
        floor: &Floor<'_>,
        added: &mut Added,
    ) -> Result<Option<String>, Trouble> {
        let here = floor.lane.site().currency;
        let asks = asks(self.lines, &added.price, here);
        match asks.hold(added, errand.ceiling(), here, self.said) {
            Held::TheSame => Ok(None),
            Held::Noted(text) => {
                (floor.told)(Stage::Noted(format!("{}: {text}", added.product)));
                Ok(None)
            }
            Held::Over(why) => {
                let product = (added.product.as_str(), &added.url);
                take_back(floor, &errand.item.id, product, self.had, &why).await.map(Some)
            }
        }
    }
}

impl Asks {
    fn hold(self, added: &mut Added, ceiling: Option<&str>, here: Currency, said: &str) -> Held {
        let before = added.price.each();
        match self {
            Asks::TheSame => Held::TheSame,
            Asks::Unclear(line) => {
                let text =
                    format!("it costs {before} {said} and something else in the cart: {line}");
                if ceiling.is_some() { Held::Over(text) } else { Held::Noted(text) }
            }
            Asks::Another(price_text, price) => {
                if let Some(why) = preferences::over(ceiling, &price, here) {
                    return Held::Over(format!("{why}, in the cart; it was {before} {said}"));
                }
                let text = format!("it costs {before} {said} and {} in the cart", price.each());
                if price.shown.currency == here {
                    (added.price_text, added.price) = (price_text, price);
                }
                Held::Noted(text)
            }
        }
    }
}

/// What these lines ask for a product for which this was said before: the first that asks for something else.
fn asks<'l>(lines: impl IntoIterator<Item = &'l Line>, said: &Price, here: Currency) -> Asks {
    let mut asked = lines.into_iter().map(|line| line.asks(said, here));
    asked.find(|asks| *asks != Asks::TheSame).unwrap_or(Asks::TheSame)
}

impl Line {
    /// A line says what one costs, what all of them do, or both.
    fn asks(&self, said: &Price, here: Currency) -> Asks {
        let all = prices::by_piece(&self.text, here);
        let is_said = |price: &Price| {
            price.each() == said.each() || Some(price.shown) == said.of(self.quantity)
        };
        // What is sold by weight costs what it weighs.
        let by_weight = matches!(said.terms, Terms::Per(_));
        if by_weight || all.is_empty() || all.iter().any(|(_, price)| is_said(price)) {
            return Asks::TheSame;
        }
        let one = match self.quantity {
            1 => prices::paid(&self.text, here),
            count => {
                let together = |price: &Price| {
                    all.iter().any(|(_, other)| price.of(count) == Some(other.shown))
                };
                all.iter().find(|(_, price)| together(price)).cloned()
            }
        };
        match one {
            Some((text, price)) => Asks::Another(text, price),
            None => Asks::Unclear(self.text.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_cart_is_held_against_the_price_that_was_said() {
        let cases = [
            ("$2.99", 1, "Milk 1 L $2.99 1 $2.99", "the same"),
            ("$2.99", 3, "Milk $2.99 3 $8.97", "the same"),
            ("$2.99", 3, "Milk 3 $8.97", "the same"),
            ("2 for $5", 2, "Milk 2 $5.00", "the same"),
            ("$2.99", 1, "Milk", "the same"),
            ("$4.39 /kg", 1, "Apples about $1.10", "the same"),
            ("$2.99", 1, "Milk $3.49", "$3.49"),
            ("$2.99", 3, "Milk $3.49 3 $10.47", "$3.49"),
            ("$2.99", 3, "Milk 3 $10.47", "unclear"),
            ("$2.99", 1, "Milk was $2.99 $3.49", "$3.49"),
        ];
        for (said, quantity, text, expected) in cases {
            let line = Line { product: "Milk".into(), url: None, quantity, text: text.into() };
            let said = Price::read(said, Currency::Cad).unwrap();
            let told = match asks([&line], &said, Currency::Cad) {
                Asks::TheSame => "the same".to_owned(),
                Asks::Another(text, _) => text,
                Asks::Unclear(_) => "unclear".to_owned(),
            };
            assert_eq!(told, expected, "{said:?} {text}");
        }
    }
}
