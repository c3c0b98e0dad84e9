//! Which part of a product's page is the product's own. It begins where the page names the product and ends
//! where something else does: what is offered from there on is another's, and its button adds another's.

use std::collections::HashSet;

use url::Url;

use crate::money::Currency;
use crate::page::{self, Card, Kind, Line, Page, Piece, said};
use crate::shopper::words::stems;
use crate::shopper::{cards, prices, size};
use crate::site::{Hints, Site};

/// Lines that are looked through for the product.
const FAR: usize = 60;

/// What the page says of the product itself; `None` if it does not name it.
pub(super) fn part(page: &Page, name: &str, url: &Url, site: &Site) -> Option<Vec<Piece>> {
    let lines = page.matter();
    let (sure, likely) = others(page, url, site);
    let wanted = stems(name);
    let names = |line: &Line| {
        let said = stems(&line.text());
        !wanted.is_empty() && wanted.iter().all(|word| said.contains(word))
    };
    let title = lines.iter().position(|line| matches!(line.kind, Kind::Heading(1)) && names(line));
    let start = title.or_else(|| {
        let own = |line: &Line| !is_way(line) && !line.pieces.iter().any(|piece| sure.has(piece));
        lines.iter().position(|line| names(line) && own(line))
    })?;
    let mut own: Vec<Piece> = Vec::new();
    let mut only_titles = true;
    for (at, line) in lines[start..].iter().take(FAR).enumerate() {
        if matches!(line.kind, Kind::Heading(_)) {
            let of_it = only_titles || names(line) || is_price(line, site.currency);
            if at > 0 && (is_settled(&own, &site.hints) || !of_it) {
                break;
            }
        } else {
            only_titles = false;
        }
        let priced = is_priced(&own, site.currency);
        let end = line
            .pieces
            .iter()
            .position(|piece| at > 0 && (sure.has(piece) || (priced && likely.has(piece))));
        own.extend(line.pieces.iter().take(end.unwrap_or(usize::MAX)).cloned());
        if end.is_some() {
            break;
        }
    }
    Some(own)
}

/// Links of other products, by their refs.
#[derive(Default)]
struct Links(HashSet<String>);

impl Links {
    fn has(&self, piece: &Piece) -> bool {
        matches!(piece, Piece::Link { reference, .. } if self.0.contains(reference))
    }

    fn add(&mut self, card: &Card) {
        let links = card.pieces.iter().filter_map(|piece| match piece {
            Piece::Link { reference, .. } => Some(reference.clone()),
            _ => None,
        });
        self.0.extend(links);
    }
}

/// The links with which other products begin: those that surely do, and those that do if the product has its
/// price before them. A brand, say, has a link as well, behind which the product's own price may stand.
fn others(page: &Page, url: &Url, site: &Site) -> (Links, Links) {
    let (mut sure, mut likely) = (Links::default(), Links::default());
    for card in cards::cut(page, site) {
        if page::belongs(&card.url, url) {
            continue;
        }
        let behind = card.pieces.iter().skip_while(|piece| !matches!(piece, Piece::Link { .. }));
        let priced = is_priced(&behind.cloned().collect::<Vec<_>>(), site.currency);
        let sold = is_settled(&card.pieces, &site.hints);
        let listed = page.lines.iter().any(|line| {
            let own = |piece| matches!(piece, &Piece::Link { .. }) && card.pieces.contains(piece);
            let entry = matches!(line.kind, Kind::Item | Kind::Row | Kind::Heading(_));
            entry && line.pieces.iter().any(own)
        });
        let named = !size::take(&card.name).1.trim().is_empty();
        let alike = named && is_alike(&card.url, url) && (sold || priced);
        if alike || (listed && sold && priced) {
            sure.add(&card);
        } else if sold && priced {
            likely.add(&card);
        }
    }
    (sure, likely)
}

/// Whether two addresses are of one sort: `/product/milk` and `/product/tea`, not `/brand/farm`.
fn is_alike(one: &Url, other: &Url) -> bool {
    let folder = |url: &Url| {
        let mut parts: Vec<String> =
            url.path_segments().into_iter().flatten().map(str::to_owned).collect();
        parts.retain(|part| !part.is_empty());
        parts.pop();
        parts.pop()
    };
    folder(one) == folder(other)
}

fn is_priced(pieces: &[Piece], here: Currency) -> bool {
    prices::paid(&said(pieces), here).is_some()
}

fn is_price(line: &Line, here: Currency) -> bool {
    is_priced(&line.pieces, here) && prices::before(&line.text(), here).is_empty()
}

/// Whether it was said by now how the product can be had, or that it cannot.
fn is_settled(pieces: &[Piece], hints: &Hints) -> bool {
    pieces.iter().any(|piece| match piece {
        Piece::Button { name, .. } => cards::is_add(name, hints),
        other => cards::says_sold_out(other, hints),
    })
}

/// Links that lead to the product, as a list of results or a breadcrumb has them.
fn is_way(line: &Line) -> bool {
    line.pieces.iter().all(|piece| matches!(piece, Piece::Link { .. }))
        && line.kind != Kind::Heading(1)
}
