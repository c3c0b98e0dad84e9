//! Reads the cart from its page. A page that is not the cart, or that cannot be understood, is a trouble, never
//! an empty cart.

use url::Url;

use super::{Contents, Line};
use crate::errand::Trouble;
use crate::lane::Lane;
use crate::page::{Field, Kind, Page, Piece, said};
use crate::shopper::{cards, says, words};
use crate::site::Site;

/// Opens the cart and reads it.
pub async fn read(lane: &Lane) -> Result<Contents, Trouble> {
    Ok(open(lane).await?.1)
}

/// Opens the cart: its page, and what it holds.
pub(crate) async fn open(lane: &Lane) -> Result<(Page, Contents), Trouble> {
    let mut page = lane.go(&lane.site().cart).await?;
    let contents = understand(&page, lane.site());
    let waits = contents.as_ref().map_or_else(Unread::may_come, |cart| cart.lines.is_empty());
    if !waits {
        return told(page, contents);
    }
    // What is drawn late is waited for: some shops say that the cart is empty until they know better.
    page = Page { status: page.status, ..lane.look_at_rest().await? };
    let contents = understand(&page, lane.site());
    told(page, contents)
}

/// The same, once the page is at rest, for when it did not show what it should.
pub(crate) async fn at_rest(lane: &Lane, page: &Page) -> Result<(Page, Contents), Trouble> {
    let page = Page { status: page.status, ..lane.look_at_rest().await? };
    let contents = understand(&page, lane.site());
    told(page, contents)
}

fn told(page: Page, contents: Result<Contents, Unread>) -> Result<(Page, Contents), Trouble> {
    match contents {
        Ok(contents) => Ok((page, contents)),
        Err(Unread::Elsewhere) => {
            Err(Trouble::Network("the shop shows another page instead of the cart".into()))
        }
        Err(Unread::Unclear(why)) => {
            Err(Trouble::Network(format!("the cart could not be read: {why}")))
        }
    }
}

/// Why a cart is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unread {
    /// Another page came.
    Elsewhere,
    /// It does not say what it holds.
    Unclear(String),
}

impl Unread {
    /// Whether it may be readable once the page is at rest.
    fn may_come(&self) -> bool {
        matches!(self, Unread::Unclear(_))
    }
}

/// A line of the cart, with what changes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) line: Line,
    /// The field that holds the quantity.
    pub(crate) field: Option<Field>,
    /// What takes over a changed quantity.
    pub(crate) update: Option<String>,
    /// What takes it out.
    pub(crate) remove: Option<String>,
    /// It can be changed or removed.
    changes: bool,
}

/// What the page of the cart says.
pub(super) fn understand(page: &Page, site: &Site) -> Result<Contents, Unread> {
    let there = Url::parse(&page.url).is_ok_and(|url| same_place(&url, &site.cart));
    if !there {
        return Err(Unread::Elsewhere);
    }
    if page.status.is_some_and(|status| status >= 400) || page.cut {
        return Err(Unread::Unclear("the page is not whole".into()));
    }
    let lines: Vec<Line> = entries(page, site)?.into_iter().map(|entry| entry.line).collect();
    let told = page.matter().iter().any(|line| says(&line.text(), &words().empty));
    match (lines.is_empty(), told) {
        (true, false) => {
            Err(Unread::Unclear("it shows no lines and does not say that it is empty".into()))
        }
        _ => Ok(Contents { lines }),
    }
}

fn same_place(url: &Url, cart: &Url) -> bool {
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    url.origin() == cart.origin() && path(url) == path(cart)
}

/// The lines of the cart: what has a quantity or can be removed, and is not only offered.
pub(crate) fn entries(page: &Page, site: &Site) -> Result<Vec<Entry>, Unread> {
    let mut out: Vec<Entry> = Vec::new();
    for card in cards::cut(page, site) {
        if let Some(entry) = entry(&card.name, Some(&card.url), &card.pieces, site)? {
            out.push(entry);
        }
    }
    for line in page.matter() {
        let unlinked = matches!(line.kind, Kind::Row | Kind::Item) && !has_page(&line.pieces, site);
        let Some(Piece::Text(name)) = line.pieces.first().filter(|_| unlinked) else { continue };
        if line
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Field(field) if is_quantity(field)))
            && let Some(entry) =
                entry(name.split(" | ").next().unwrap_or(name), None, &line.pieces, site)?
        {
            out.push(entry);
        }
    }
    // What is only shown beside the lines says numbers, too: `Cola x6`.
    if out.iter().any(|entry| entry.changes) {
        out.retain(|entry| entry.changes);
    }
    Ok(out)
}

fn has_page(pieces: &[Piece], site: &Site) -> bool {
    pieces.iter().any(|piece| match piece {
        Piece::Link { href, .. } => {
            site.home.join(href).is_ok_and(|url| url.path() != site.cart.path())
        }
        _ => false,
    })
}

fn entry(
    name: &str,
    url: Option<&Url>,
    pieces: &[Piece],
    site: &Site,
) -> Result<Option<Entry>, Unread> {
    let fields = pieces.iter().filter_map(|piece| match piece {
        Piece::Field(field) if is_quantity(field) => Some(field),
        _ => None,
    });
    let field = fields.into_iter().next().cloned();
    let remove = pieces.iter().find_map(removes);
    let removable = remove.is_some();
    let held = field
        .as_ref()
        .and_then(|field| field.value.as_deref())
        .and_then(|value| value.trim().parse().ok());
    let offered = pieces.iter().any(
        |piece| matches!(piece, Piece::Button { name, .. } if cards::is_add(name, &site.hints)),
    );
    let changes = removable || field.is_some() || stepped(pieces).is_some();
    if offered && !removable {
        return Ok(None);
    }
    let quantity = held.or_else(|| stepped(pieces)).or_else(|| in_words(pieces));
    let quantity = match (quantity, changes) {
        (Some(quantity), _) => quantity,
        (None, true) => {
            return Err(Unread::Unclear(format!("the line of {name:?} shows no quantity")));
        }
        (None, false) => return Ok(None),
    };
    let update = pieces.iter().find_map(|piece| match piece {
        Piece::Button { name, reference, enabled: true } if says(name, &words().update) => {
            Some(reference.clone())
        }
        _ => None,
    });
    let line = Line { product: name.to_owned(), url: url.cloned(), quantity, text: said(pieces) };
    Ok(Some(Entry { line, field, update, remove, changes }))
}

/// The ref of what takes a line out.
fn removes(piece: &Piece) -> Option<String> {
    let (Piece::Link { name, reference, .. } | Piece::Button { name, reference, .. }) = piece
    else {
        return None;
    };
    let name = name.trim().to_lowercase();
    let says = |word: &String| name == *word || name.starts_with(&format!("{word} "));
    words().remove.iter().any(says).then(|| reference.clone())
}

/// A field that holds how many.
pub(crate) fn is_quantity(field: &Field) -> bool {
    let counts = ["spinbutton", "combobox", "textbox"].contains(&field.role.as_str());
    let number = field.value.as_deref().is_some_and(|value| value.trim().parse::<u32>().is_ok());
    let named = says(&field.name, &words().quantity);
    counts && (named || (number && field.role == "spinbutton") || (number && field.name.is_empty()))
}

/// A number between a minus and a plus.
fn stepped(pieces: &[Piece]) -> Option<u32> {
    let button = |piece: Option<&Piece>| matches!(piece, Some(Piece::Button { .. }));
    pieces.iter().enumerate().find_map(|(at, piece)| match piece {
        Piece::Text(text) if at > 0 && button(pieces.get(at - 1)) && button(pieces.get(at + 1)) => {
            text.trim().parse().ok()
        }
        _ => None,
    })
}

/// A quantity in words: `Qty: 2` wherever that is, else `2 ×` or `x2`.
fn in_words(pieces: &[Piece]) -> Option<u32> {
    let texts = || {
        pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.to_lowercase()),
            _ => None,
        })
    };
    texts().find_map(|text| called(&text)).or_else(|| texts().find_map(|text| times(&text)))
}

fn number(token: &str) -> Option<u32> {
    token.trim_matches([':', ',', '(', ')']).parse().ok()
}

/// `qty: 2`, `quantity 2`.
fn called(text: &str) -> Option<u32> {
    let tokens: Vec<&str> = text.split_whitespace().collect();
    tokens.iter().enumerate().find_map(|(at, token)| {
        let is = |name: &str| words().quantity.iter().any(|word| word == name);
        let (name, tail) = token.split_once(':').unwrap_or_default();
        match is(token.trim_end_matches([':', '.'])) {
            true => number(tokens.get(at + 1)?),
            false if is(name) => number(tail),
            false => None,
        }
    })
}

/// `2 ×`, `x 2`, `x2`; the pieces of a pack, as in `6 x 330 ml`, are no quantity.
fn times(text: &str) -> Option<u32> {
    let tokens: Vec<&str> = text.split_whitespace().collect();
    let sign = |token: &str| ["×", "x"].contains(&token);
    let measured = |token: Option<&&str>| {
        token.is_some_and(|token| token.starts_with(|letter: char| letter.is_ascii_digit()))
    };
    tokens.iter().enumerate().find_map(|(at, token)| {
        let next = tokens.get(at + 1).copied().unwrap_or_default();
        if sign(next) && !measured(tokens.get(at + 2)) {
            number(token)
        } else if sign(token)
            && !at.checked_sub(1).is_some_and(|before| measured(tokens.get(before)))
        {
            number(next)
        } else {
            token.strip_prefix(['×', 'x']).or_else(|| token.strip_suffix('×')).and_then(number)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shopper::pages::{page, shop};

    fn lines(of: &str, page: &Page) -> Result<Vec<(String, u32, bool)>, Unread> {
        let contents = understand(page, &shop(of))?;
        Ok(contents
            .lines
            .into_iter()
            .map(|line| (line.product, line.quantity, line.url.is_some()))
            .collect())
    }

    #[test]
    fn carts_of_real_shops_are_read() {
        let expected = [("2% Milk".into(), 1, true), ("Salted Butter".into(), 3, true)];
        assert_eq!(lines("demo", &page("demo", "cart")).unwrap(), expected);
        let oscar = lines("oscar", &page("oscar", "basket")).unwrap();
        let names = ["Meadowlark Oat Milk 1 L", "Carrots 1 kg", "Red Onions 1 kg"];
        assert_eq!(oscar, names.map(|name| (name.to_owned(), 1, true)));
        for (of, name) in [("demo", "cart-empty"), ("oscar", "basket-empty")] {
            assert_eq!(lines(of, &page(of, name)), Ok(Vec::new()), "{of}");
        }
    }

    #[test]
    fn quantities_are_read_as_shops_write_them() {
        let text = "# Cart\n- <Choc e23 → /p/3> <Milk Bar e24 → /p/3> $2.00 [Decrease e25] 3 [Increase e26] [Remove e27]\n\
                    - <Soy drink e29 → /p/5> Qty: 5 $4.00 [x e30]\n\
                    | <Skim e20 → /p/2> | $4.49 | [combobox Qty e21 = \"4\" of 1, 2, 3, 4] | $13.47 | [Remove e22]\n\
                    | Whole Milk | $3.49 | [spinbutton Quantity e18 = 2] | $6.98\n\
                    Total: $20.45\n<Checkout e31 → /checkout>\n## You may also like\n\
                    - <Eggs e32 → /p/9> $4.00 [Add to cart e33]";
        let page = Page::read("http://127.0.0.1:8000/cart", "", text);
        let mut read = lines("demo", &page).unwrap();
        read.sort();
        let expected = [
            ("Milk Bar", 3, true),
            ("Skim", 4, true),
            ("Soy drink", 5, true),
            ("Whole Milk", 2, false),
        ];
        assert_eq!(
            read,
            expected.map(|(name, quantity, linked)| (name.to_owned(), quantity, linked))
        );
    }

    #[test]
    fn what_is_shown_beside_the_lines_is_none_of_them() {
        let read = |text: &str| {
            lines("demo", &Page::read("http://127.0.0.1:8000/cart", "", text)).unwrap()
        };
        let plain = "# Cart\n- 2 × <Oat drink e28 → /p/4> $4.00\nTotal: $8.00";
        assert_eq!(read(plain), [("Oat drink".to_owned(), 2, true)]);
        let more = "# Cart\n- <Skim e1 → /p/2> $4.49 [spinbutton Quantity e2 = 1] [Remove e3]\n\
                    ## You may also like\n- <Cola e4 → /p/7> x6 $2.00\n- <Gum e5 → /p/8> 99 x 1 g $1.00";
        assert_eq!(read(more), [("Skim".to_owned(), 1, true)]);
        let pack = "# Cart\n- <Cola e4 → /p/7> 6 x 330 ml Qty: 1 [Remove e6]";
        assert_eq!(read(pack), [("Cola".to_owned(), 1, true)]);
    }

    #[test]
    fn what_is_no_cart_is_not_an_empty_one() {
        let unclear =
            |text: &str| lines("demo", &Page::read("http://127.0.0.1:8000/cart", "", text));
        for text in
            ["", "# Something went wrong", "# Your cart\n- <Eggs e1 → /p/1> $4.00 [Remove e2]"]
        {
            assert!(matches!(unclear(text), Err(Unread::Unclear(_))), "{text}");
        }
        let form = Page::read("http://127.0.0.1:8000/sign-in", "", "# Sign in\nYour cart is empty");
        assert_eq!(lines("demo", &form), Err(Unread::Elsewhere));
        let mut broken = page("demo", "cart-empty");
        broken.status = Some(500);
        assert!(matches!(lines("demo", &broken), Err(Unread::Unclear(_))));
        let mut cut = page("demo", "cart");
        cut.cut = true;
        assert!(matches!(lines("demo", &cut), Err(Unread::Unclear(_))));
    }
}
