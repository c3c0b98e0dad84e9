//! What a visit could not find out, put to somebody who knows the shop. An answer that makes no description that
//! could be used is not taken.

use std::fmt;

use url::Url;

use super::{Cart, Facts, Known, Search, TRIED, hosts, template, write};
use crate::site::{Locator, Site};

/// Something that only somebody who knows the shop can say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// The address of a search; why it was not found.
    Search(String),
    /// The address of the cart; why it was not found.
    Cart(String),
    /// What is there only for who is signed in.
    SignedIn,
    /// Which of these hosts of others are reached, and what came from each.
    Hosts(Vec<(String, String)>),
}

impl Facts {
    /// What is not known, in the order of the description.
    pub fn questions(&self) -> Vec<Question> {
        let strangers = self.hosts.unknown().into_iter();
        let strangers: Vec<_> = strangers.map(|(host, served)| (host.to_owned(), served)).collect();
        let hosts = (!strangers.is_empty()).then_some(Question::Hosts(strangers));
        let search = self.search.as_ref().err().map(|why| Question::Search(write::one_line(why)));
        let cart = self.cart.as_ref().err().map(|why| Question::Cart(write::one_line(why)));
        let signed_in = self.signed_in.is_none().then_some(Question::SignedIn);
        [search, cart, hosts, signed_in].into_iter().flatten().collect()
    }

    /// Takes an answer; says what is wrong with one that cannot be taken.
    pub fn answer(&mut self, question: &Question, said: &str) -> Result<(), String> {
        let mut with = self.clone();
        match question {
            Question::Search(_) => with.search_at(said)?,
            Question::Cart(_) => with.cart_at(said)?,
            Question::SignedIn => with.signed_in = Some(mark(said)),
            Question::Hosts(strangers) => with.let_in(strangers, said)?,
        }
        Site::parse(&write::draft(&with).toml).map_err(|mistake| mistake.message)?;
        *self = with;
        Ok(())
    }

    fn search_at(&mut self, said: &str) -> Result<(), String> {
        let template = match said.contains("{query}") {
            true => said.to_owned(),
            false => template::of(&address(said)?, TRIED)
                .ok_or_else(|| format!("it says neither {TRIED} nor {{query}}, once"))?,
        };
        self.is_own(&address(&template)?);
        self.search = Ok(Search { template, known: Known::Told });
        Ok(())
    }

    fn cart_at(&mut self, said: &str) -> Result<(), String> {
        let url = self.home.join(said).map_err(|error| error.to_string())?;
        self.is_own(&url);
        self.cart = Ok(Cart { url, known: Known::Told });
        Ok(())
    }

    /// An address of whoever has the shop is on a host of the shop; another one is a mistake in the end.
    fn is_own(&mut self, url: &Url) {
        if hosts::of_one_site(&self.home, url) {
            self.hosts.own.extend(hosts::listed(url));
        }
    }

    fn let_in(&mut self, strangers: &[(String, String)], said: &str) -> Result<(), String> {
        let numbers = said.split(|letter: char| letter == ',' || letter.is_whitespace());
        for number in numbers.filter(|number| !number.is_empty()) {
            let at = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let found = at.and_then(|at| strangers.get(at));
            let (host, _) = found.ok_or_else(|| format!("{number:?} is none of the numbers"))?;
            self.hosts.let_in(host);
        }
        Ok(())
    }
}

fn address(said: &str) -> Result<Url, String> {
    Url::parse(said).map_err(|error| format!("{said:?} is no address: {error}"))
}

/// An element as people say it: by a selector where it looks like one, else by what it is called.
fn mark(said: &str) -> Locator {
    match said.strip_prefix("css=") {
        Some(selector) => Locator::Selector(selector.to_owned()),
        None if said.starts_with(['#', '.', '[']) => Locator::Selector(said.to_owned()),
        None => Locator::Label(said.to_owned()),
    }
}

impl fmt::Display for Question {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Search(why) => write!(
                to,
                "The search was not found: {why}.\nSearch for {TRIED} in the shop yourself; the address you \
                 get to:"
            ),
            Question::Cart(why) => {
                write!(to, "The cart was not found: {why}.\nIts address, such as /cart:")
            }
            Question::SignedIn => write!(
                to,
                "What is on the pages of the shop only for who is signed in? What it is called, such as My \
                 account,\nor a CSS selector, such as #account; nothing if nobody signs in there:"
            ),
            Question::Hosts(strangers) => {
                writeln!(to, "The pages load from hosts whose owner is not known:")?;
                for (at, (host, served)) in strangers.iter().enumerate() {
                    writeln!(to, "  {}. {host} ({served})", at + 1)?;
                }
                write!(
                    to,
                    "Without which does the shop not work? Numbers, such as 1 3; nothing for none:"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests;
