//! What the store knows: who is signed in, what is in whose cart, and what was asked. Everything behind one
//! lock, which is never held while something is waited for.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::Options;
use crate::catalogue::Catalogue;
use crate::fault::{Faults, Harm, Plan};
use crate::search::Index;
use crate::third_party::Others;

/// The most of one thing that an order may have.
pub(crate) const MOST: u32 = 99;

/// A request that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its method.
    pub method: String,
    /// Its path.
    pub path: String,
    /// Its query, without the question mark; empty if there is none.
    pub query: String,
    /// Who was signed in.
    pub account: Option<String>,
}

/// The store behind its pages.
pub(crate) struct Shop {
    pub(crate) options: Options,
    pub(crate) catalogue: Catalogue,
    pub(crate) index: Index,
    pub(crate) others: Others,
    books: Mutex<Books>,
    closed: watch::Sender<bool>,
}

struct Books {
    /// By the secret of the cookie.
    sessions: HashMap<String, Session>,
    /// By account; ids of products and how many, in the order they were added.
    carts: HashMap<String, Vec<(String, u32)>>,
    log: Vec<Entry>,
    reached_checkout: bool,
    plan: Plan,
}

struct Session {
    account: String,
    requests: u32,
}

impl Shop {
    pub(crate) fn new(options: Options, others: Others) -> Shop {
        let catalogue = match options.hostile {
            true => Catalogue::hostile(options.seed),
            false => Catalogue::bundled(),
        };
        let index = Index::of(&catalogue, options.seed);
        let books = Books {
            sessions: HashMap::new(),
            carts: HashMap::new(),
            log: Vec::new(),
            reached_checkout: false,
            plan: Plan::of(options.faults.clone()),
        };
        let (books, closed) = (Mutex::new(books), watch::Sender::new(false));
        Shop { options, catalogue, index, others, books, closed }
    }

    /// A panic of another thread leaves whole books: no change is made in two steps.
    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request, and says who made it and what harm comes to it.
    pub(crate) fn came(
        &self,
        mut entry: Entry,
        cookie: Option<&str>,
    ) -> (Option<String>, Option<Harm>) {
        let mut books = self.books();
        let harm = books.plan.harm(&entry.method, &entry.path);
        if harm == Some(Harm::SignedOut) {
            books.sessions.clear();
        }
        let account =
            cookie.and_then(|cookie| books.use_session(cookie, self.options.expire_after));
        entry.account.clone_from(&account);
        books.reached_checkout |= is_checkout(&entry.path);
        books.log.push(entry);
        (account, harm)
    }

    /// Signs somebody in, and gives the secret for the cookie.
    pub(crate) fn sign_in(&self, name: &str, password: &str) -> Option<String> {
        let known = |(one, other): &&(String, String)| one == name && other == password;
        let (account, _) = self.options.accounts.iter().find(known)?;
        let secret = secret()?;
        let session = Session { account: account.clone(), requests: 0 };
        self.books().sessions.insert(secret.clone(), session);
        Some(secret)
    }

    pub(crate) fn sign_out(&self, cookie: &str) {
        self.books().sessions.remove(cookie);
    }

    /// Adds to what is in the cart already; says how many of it are there now.
    pub(crate) fn add(&self, account: &str, id: &str, quantity: u32) -> u32 {
        self.change(account, id, |old| old.saturating_add(quantity))
    }

    /// Says how many of something there shall be.
    pub(crate) fn set(&self, account: &str, id: &str, quantity: u32) -> u32 {
        self.change(account, id, |_| quantity)
    }

    fn change(&self, account: &str, id: &str, new: impl Fn(u32) -> u32) -> u32 {
        let mut books = self.books();
        let lines = books.carts.entry(account.to_owned()).or_default();
        let at = match lines.iter().position(|(line, _)| line == id) {
            Some(at) => at,
            None => {
                lines.push((id.to_owned(), 0));
                lines.len() - 1
            }
        };
        let quantity = new(lines[at].1).min(MOST);
        lines[at].1 = quantity;
        lines.retain(|(_, quantity)| *quantity > 0);
        quantity
    }

    /// The lines of a cart, oldest first.
    pub(crate) fn lines(&self, account: &str) -> Vec<(String, u32)> {
        self.books().carts.get(account).cloned().unwrap_or_default()
    }

    pub(crate) fn cart(&self, account: &str) -> BTreeMap<String, u32> {
        self.lines(account).into_iter().collect()
    }

    pub(crate) fn reset(&self) {
        let mut books = self.books();
        books.carts.clear();
        books.log.clear();
    }

    pub(crate) fn log(&self) -> Vec<Entry> {
        self.books().log.clone()
    }

    pub(crate) fn reached_checkout(&self) -> bool {
        self.books().reached_checkout
    }

    pub(crate) fn faults_done(&self) -> usize {
        self.books().plan.done
    }

    pub(crate) fn expire(&self) {
        self.books().sessions.clear();
    }

    pub(crate) fn break_down(&self, faults: Faults) {
        self.books().plan = Plan::of(faults);
    }

    /// Lets go of whoever still waits for an answer.
    pub(crate) fn close(&self) {
        self.closed.send_replace(true);
    }

    /// Waits until the store closes.
    pub(crate) async fn until_closed(&self) {
        let mut closed = self.closed.subscribe();
        // The sender lives as long as this shop, so that the only end is that it closed.
        let _ = closed.wait_for(|closed| *closed).await;
    }
}

impl Books {
    fn use_session(&mut self, cookie: &str, last: Option<u32>) -> Option<String> {
        let session = self.sessions.get_mut(cookie)?;
        session.requests += 1;
        if last.is_some_and(|last| session.requests > last) {
            self.sessions.remove(cookie);
            return None;
        }
        Some(session.account.clone())
    }
}

/// Where things are ordered and paid.
fn is_checkout(path: &str) -> bool {
    ["/checkout", "/payment", "/order"].iter().any(|part| path.starts_with(part))
}

fn secret() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
