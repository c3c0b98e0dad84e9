//! Cuts a page into what it shows of one product each: the card of a result, the line of a cart. A product is
//! known by the link to its page; what stands around that link belongs to it.

use url::Url;

use super::{Kind, Line, Page, Piece, said};

/// What a page shows of one product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The product's page.
    pub url: Url,
    /// What it is called.
    pub name: String,
    /// Everything in it, in order.
    pub pieces: Vec<Piece>,
}

impl Card {
    /// The card as it reads.
    pub fn text(&self) -> String {
        said(&self.pieces)
    }
}

/// Who can say what a link is.
pub struct Shop<'a> {
    /// The address of the shop, from which links are read.
    pub home: &'a Url,
    /// Whether an address is a page of the shop.
    pub is_page: &'a dyn Fn(&Url) -> bool,
    /// Whether a link of this name only belongs to a product.
    pub is_aside: &'a dyn Fn(&str) -> bool,
    /// Whether a button of this name ends a card.
    pub is_end: &'a dyn Fn(&str) -> bool,
}

/// A card that is being put together.
struct Open {
    url: Url,
    pieces: Vec<Piece>,
    /// How many of them stand on lines before the one of its link.
    earlier: usize,
    /// The name of the link in a heading.
    title: Option<String>,
    names: Vec<String>,
    kind: Kind,
    indent: usize,
    lines: usize,
    ended: bool,
}

impl Page {
    /// The cards of the page, from the top.
    pub fn cards(&self, shop: &Shop) -> Vec<Card> {
        let mut cutter = Cutter {
            shop,
            here: Url::parse(&self.url).ok(),
            open: None,
            before: Vec::new(),
            earlier: 0,
            last: Kind::Text,
            done: Vec::new(),
        };
        self.matter().into_iter().for_each(|line| cutter.line(line));
        cutter.close();
        cutter.done
    }
}

struct Cutter<'a> {
    shop: &'a Shop<'a>,
    here: Option<Url>,
    open: Option<Open>,
    /// What stands before the link of the next card.
    before: Vec<Piece>,
    /// How many of them stand on earlier lines.
    earlier: usize,
    /// What the line before was.
    last: Kind,
    done: Vec<Card>,
}

impl Cutter<'_> {
    fn line(&mut self, line: &Line) {
        if self.is_boundary(line) {
            self.close();
            self.before.clear();
        }
        // What an item or a row says is its own.
        if self.open.is_none() && matches!(self.last, Kind::Item | Kind::Row) {
            self.before.clear();
        }
        self.last = line.kind;
        if let Some(open) = &mut self.open {
            open.lines += 1;
        }
        self.earlier = self.before.len();
        for piece in &line.pieces {
            match self.product(piece) {
                Some(url) => self.link(url, piece, line),
                None => self.other(piece),
            }
        }
    }

    fn is_boundary(&self, line: &Line) -> bool {
        let linked = line.pieces.iter().any(|piece| self.product(piece).is_some());
        match line.kind {
            Kind::Item | Kind::Row | Kind::Part => return true,
            Kind::Heading(_) if !linked => return true,
            _ => {}
        }
        let Some(open) = &self.open else { return false };
        let below = line.indent > open.indent;
        // What stood on one line whole is over with it. What belongs to a heading stands below it.
        let whole = open.lines == 1
            && match open.kind {
                Kind::Heading(_) => false,
                Kind::Text => open.says_a_number(),
                _ => true,
            };
        (open.ended && !linked && line.indent < open.indent) || (whole && !below)
    }

    /// The product's page that a link leads to.
    fn product(&self, piece: &Piece) -> Option<Url> {
        let Piece::Link { name, href, .. } = piece else { return None };
        if href.is_empty() || href.starts_with('#') || (self.shop.is_aside)(name) {
            return None;
        }
        let url = self.shop.home.join(href).ok()?;
        let elsewhere = self.here.as_ref().is_none_or(|here| here.path() != url.path());
        ((self.shop.is_page)(&url) && elsewhere && url.path() != "/").then_some(url)
    }

    fn link(&mut self, url: Url, piece: &Piece, line: &Line) {
        let same = self.open.as_ref().is_some_and(|open| belongs(&url, &open.url));
        if !same {
            let pieces = std::mem::take(&mut self.before);
            self.close();
            let (kind, indent) = (line.kind, line.indent);
            let earlier = std::mem::take(&mut self.earlier);
            self.open = Some(Open {
                url: url.clone(),
                pieces,
                earlier,
                title: None,
                names: Vec::new(),
                kind,
                indent,
                lines: 1,
                ended: false,
            });
        }
        let Some(open) = &mut self.open else { return };
        let name = piece.words();
        // A page below the product's, such as its reviews, does not name it.
        if !name.is_empty() && open.url.path() == url.path() {
            open.names.push(name.to_owned());
            if matches!(line.kind, Kind::Heading(_)) && open.title.is_none() {
                open.title = Some(name.to_owned());
            }
        }
        open.pieces.push(piece.clone());
    }

    fn other(&mut self, piece: &Piece) {
        match &mut self.open {
            Some(open) if !open.ended || !matches!(piece, Piece::Text(_)) => {
                open.ended |=
                    matches!(piece, Piece::Button { name, .. } if (self.shop.is_end)(name));
                open.pieces.push(piece.clone());
            }
            _ => self.before.push(piece.clone()),
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let name = open.title.clone().or_else(|| open.names.last().cloned()).unwrap_or_default();
        let name = once(name.trim()).to_owned();
        if !name.is_empty() {
            self.done.push(Card { url: open.url, name, pieces: open.pieces });
        }
    }
}

impl Open {
    /// Whether there is a price or a quantity on the line of its link. A number in the name is none.
    fn says_a_number(&self) -> bool {
        let own = self.pieces.iter().skip(self.earlier);
        let digits = |words: &str| words.contains(|letter: char| letter.is_ascii_digit());
        own.into_iter().any(|piece| !matches!(piece, Piece::Link { .. }) && digits(piece.words()))
    }
}

/// Whether a link leads to the product or below it.
pub(crate) fn belongs(url: &Url, product: &Url) -> bool {
    let (path, base) = (url.path(), product.path());
    path == base
        || (base.len() > 1
            && path
                .strip_prefix(base)
                .is_some_and(|rest| base.ends_with('/') || rest.starts_with('/')))
}

/// A name that a picture and a heading say in one link stands there twice.
fn once(name: &str) -> &str {
    let half = name.len() / 2;
    match name.split_at_checked(half) {
        Some((first, second)) if !first.is_empty() && first.trim() == second.trim() => first.trim(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_basket_are_cut_alike_on_one_line_and_over_several() {
        let text = include_str!("../../tests/pages/oscar/basket-signed-in.txt");
        let page = Page::read("http://127.0.0.1:8000/basket/", "", text);
        let home = Url::parse("http://127.0.0.1:8000/").unwrap();
        let shop = Shop {
            home: &home,
            is_page: &|url| url.path().starts_with("/catalogue/"),
            is_aside: &|name| ["Remove", "Save for later"].contains(&name),
            is_end: &|_| false,
        };
        let cards = page.cards(&shop);
        let lines = cards.iter().filter_map(|card| {
            let fields = card.pieces.iter().filter(|piece| matches!(piece, Piece::Field(_)));
            let price = card.text().contains('£');
            (fields.count() > 0).then(|| (card.name.clone(), price))
        });
        let names = [
            "Meadowlark Oat Milk 1 L",
            "Carrots 1 kg",
            "Red Onions 1 kg",
            "Milbrook Semi-Skimmed Milk 2 L",
            "Carrow Mozzarella 125 g",
        ];
        assert_eq!(lines.collect::<Vec<_>>(), names.map(|name| (name.to_owned(), true)));
    }
}
