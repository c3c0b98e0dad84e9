//! Runs the table in one browser: most cases in frames of a few pages, at once; those that are about the
//! whole tab one after the other, in a few tabs.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use legwork_engine::Page;
use tokio::time::Instant;

use crate::browser::Started;
use crate::cases::{Case, Chrome, Place, UNASKED, cases};
use crate::forbidden::{Counting, Forbidden};
use crate::support::Site;
use crate::{home, paths, tls};

/// What guards, if anything does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Unguarded,
    Proxy,
    Attached,
    /// Nothing, in a shop over TLS.
    UnguardedShop,
    /// The proxy and interception, in a shop over TLS of which a path is forbidden.
    Shop,
    /// Interception alone, in that shop: the browser is somebody else's.
    AttachedShop,
}

impl Mode {
    pub fn is_guarded(self) -> bool {
        !matches!(self, Mode::Unguarded | Mode::UnguardedShop)
    }

    pub fn is_attached(self) -> bool {
        matches!(self, Mode::Attached | Mode::AttachedShop)
    }

    fn is_shop(self) -> bool {
        matches!(self, Mode::Shop | Mode::UnguardedShop | Mode::AttachedShop)
    }

    fn cases(self) -> Vec<Case> {
        if self.is_shop() { paths::cases() } else { cases() }
    }

    /// What never gets as far as the guard.
    fn unasked(self) -> &'static [&'static str] {
        match self {
            Mode::Proxy => UNASKED,
            Mode::Shop => paths::UNASKED,
            _ => &[],
        }
    }
}

/// How a case ended.
#[derive(Debug)]
pub struct Seen {
    pub name: String,
    pub connections: usize,
    pub asked: usize,
}

/// How many cases share a page.
const TO_A_PAGE: usize = 16;

/// How long a case may take to reach its server or the guard, and one that is to reach neither.
const PATIENCE: Duration = Duration::from_secs(8);
const SILENCE: Duration = Duration::from_secs(2);

/// A tab that closes may be gone before what it does then: such a case may be tried so often.
const CHANCES: usize = 5;

/// Runs every case that there is a browser for in that mode.
pub async fn run(mode: Mode) -> Vec<Seen> {
    let mut seen = Vec::new();
    for chrome in [Chrome::Shell, Chrome::Full, Chrome::Profile] {
        // Somebody else's browser gives us a private context.
        if !mode.is_attached() || chrome != Chrome::Profile {
            let some = mode.cases().into_iter().filter(|case| case.chrome == chrome).collect();
            seen.extend(Run::start(mode, chrome, some).await.all().await);
        }
    }
    seen
}

/// The allowed server. It ends with this.
#[expect(dead_code, reason = "held, not read")]
enum Home {
    Site(Site),
    Shop(tls::Server),
}

struct Run {
    mode: Mode,
    cases: Arc<Vec<Case>>,
    forbidden: Forbidden,
    home: String,
    _servers: Home,
    browser: Started,
}

impl Run {
    async fn start(mode: Mode, chrome: Chrome, cases: Vec<Case>) -> Run {
        let cases = Arc::new(cases);
        if mode.is_shop() {
            let forbidden = Forbidden::paths(cases.len());
            let shop = paths::serve(cases.clone(), &forbidden).await;
            let rules = Counting::paths(&forbidden, shop.port);
            let browser = Started::new(mode, chrome, Arc::new(rules)).await;
            let (home, _servers) = (shop.url(""), Home::Shop(shop));
            return Run { mode, cases, forbidden, home, _servers, browser };
        }
        let forbidden = Forbidden::start(cases.len()).await;
        let site = home::serve(cases.clone(), forbidden.ports.clone()).await;
        let rules = Counting::hosts(&forbidden, site.port);
        let browser = Started::new(mode, chrome, Arc::new(rules)).await;
        let (home, _servers) = (site.url(""), Home::Site(site));
        Run { mode, cases, forbidden, home, _servers, browser }
    }

    async fn all(self) -> Vec<Seen> {
        let (framed, alone): (Vec<usize>, Vec<usize>) =
            (0..self.cases.len()).partition(|&case| self.cases[case].place == Place::Frame);
        let batches = framed.chunks(TO_A_PAGE).map(<[usize]>::to_vec);
        let batches: Vec<Vec<usize>> =
            batches.chain(alone.into_iter().map(|case| vec![case])).collect();
        let queue = Mutex::new(batches.into_iter());
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = async || {
            while let Some(batch) = next() {
                let closes = self.cases[batch[0]].place == Place::Closed;
                for _ in 0..if closes { CHANCES } else { 1 } {
                    // Whatever the cases do to their tab stays with it.
                    let page = self.browser.session.new_tab().await.unwrap();
                    self.attempt(&page, &batch).await;
                    let _ = page.close().await;
                    if batch.iter().all(|&case| self.is_over(case)) {
                        break;
                    }
                }
            }
        };
        tokio::join!(work(), work(), work());
        self.browser.end().await;
        let told = |(case, port): (&Case, &u16)| {
            let count = &self.forbidden.counts[port];
            let (connections, asked) = (&count.connections, &count.asked);
            let (connections, asked) =
                (connections.load(Ordering::SeqCst), asked.load(Ordering::SeqCst));
            Seen { name: case.name.clone(), connections, asked }
        };
        self.cases.iter().zip(&self.forbidden.ports).map(told).collect()
    }

    /// Loads a page of cases and waits until each of them has reached its server or the guard.
    async fn attempt(&self, page: &Page, batch: &[usize]) {
        let place = self.cases[batch[0]].place;
        let numbers: Vec<String> = batch.iter().map(usize::to_string).collect();
        let folder = if place == Place::Frame { "frames" } else { "case" };
        let url = format!("{}{folder}/{}", self.home, numbers.join("-"));
        let loaded = async {
            let _ = page.navigate(&url, PATIENCE).await;
            if place == Place::Closed {
                let _ = page.close().await;
            }
        };
        let began = Instant::now();
        let ended = async {
            for &case in batch {
                self.ended(case, began).await;
            }
        };
        tokio::join!(loaded, ended);
    }

    /// Whether the case has reached its server or the guard.
    fn is_over(&self, case: usize) -> bool {
        let count = &self.forbidden.counts[&self.forbidden.ports[case]];
        let reached = count.connections.load(Ordering::SeqCst) > 0;
        reached || self.mode.is_guarded() && count.asked.load(Ordering::SeqCst) > 0
    }

    async fn ended(&self, case: usize, began: Instant) {
        let Case { name, place, .. } = &self.cases[case];
        let silent = *place == Place::Closed || self.mode.unasked().contains(&&**name);
        let deadline = began + if silent { SILENCE } else { PATIENCE };
        loop {
            let changed = self.forbidden.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.is_over(case) {
                return;
            }
            if tokio::time::timeout_at(deadline, changed).await.is_err() {
                return;
            }
        }
    }
}
