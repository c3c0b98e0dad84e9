//! What goes wrong in a run, and when: every kind of fault at every step of a trip, alone and with two lanes.

use std::fmt;

use legwork_demo::{Effect, Faults, Harm};

/// A run with one fault.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub kind: Kind,
    pub lanes: usize,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// The shop harms a request.
    Shop(Step, Harm),
    /// The browser is killed while the shop has a request.
    Browser(Step, Effect),
    /// The program is killed while the shop has a request.
    Program(Step, Effect),
    /// The list cannot take the mark of this number, nor the one after it.
    Mark(u32),
    /// There is no space left where the list is.
    DiskFull,
}

/// A request, by its method, its path, and which of these it is.
#[derive(Debug, Clone, Copy)]
pub struct Step(pub &'static str, pub &'static str, pub u32);

const SIGN_IN: &str = "/sign-in";

impl Step {
    /// What the shop is told to do to it. A second sign-in comes about only where the first has expired.
    pub fn faults(self, harm: Harm) -> Faults {
        let Step(method, path, nth) = self;
        let faults = Faults::one(method, path, nth, harm);
        match (path, nth) {
            (SIGN_IN, 2..) => faults.and("POST", "/cart/add", 2, Harm::SignedOut),
            _ => faults,
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Shop(step, harm) => write!(out, "{harm:?} at {step}")?,
            Kind::Browser(step, effect) => write!(out, "browser killed at {step}, {effect:?}")?,
            Kind::Program(step, effect) => write!(out, "program killed at {step}, {effect:?}")?,
            Kind::Mark(nth) => write!(out, "marks {nth} and {} fail", nth + 1)?,
            Kind::DiskFull => write!(out, "disk full for the list")?,
        }
        write!(out, ", {} at a time", self.lanes)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} no. {}", self.0, self.1, self.2)
    }
}

/// All of them, with their numbers, in an order in which any beginning has something of everything. Three items
/// make three searches, three products, three additions, and eight looks at the cart: before and after each
/// addition, at the beginning and at the end; all behind the first page and one sign-in, and another where that
/// has expired.
pub fn all() -> Vec<(usize, Case)> {
    let looks = [("GET", "/search", 3), ("GET", "/product/*", 3), ("GET", "/cart", 8)];
    let steps = |(method, path, most): (&'static str, &'static str, u32)| {
        (1..=most).map(move |nth| Step(method, path, nth))
    };
    let mut kinds = Vec::new();
    for step in looks.into_iter().flat_map(steps) {
        kinds.push(Kind::Shop(step, Harm::SignedOut));
        kinds.extend(broken(step, Effect::None));
    }
    for step in steps(("POST", "/cart/add", 3)) {
        kinds.extend([Harm::Fails(503), Harm::SignedOut].map(|harm| Kind::Shop(step, harm)));
        kinds.extend(broken(step, Effect::None));
        kinds.extend(broken(step, Effect::Done).into_iter().skip(1));
    }
    for step in steps(("GET", "/", 1)).chain(steps(("GET", SIGN_IN, 2))) {
        kinds.extend(broken(step, Effect::None));
    }
    for step in steps(("POST", SIGN_IN, 2)) {
        kinds.extend(broken(step, Effect::None));
        kinds.extend(broken(step, Effect::Done).into_iter().skip(1));
    }
    kinds.extend([Kind::Mark(1), Kind::Mark(2), Kind::Mark(3), Kind::DiskFull]);
    let both = |kind: &Kind| [1, 2].map(|lanes| Case { kind: *kind, lanes });
    let mut cases: Vec<_> = kinds.iter().flat_map(both).enumerate().collect();
    // A shuffle that is the same every time.
    cases.sort_by_key(|(number, _)| number * 89 % 307);
    cases
}

/// What can happen at any step; all but the first with or without an effect.
fn broken(step: Step, effect: Effect) -> [Kind; 5] {
    [
        Kind::Shop(step, Harm::Fails(500)),
        Kind::Shop(step, Harm::Hangs(effect)),
        Kind::Shop(step, Harm::Cut(effect)),
        Kind::Browser(step, effect),
        Kind::Program(step, effect),
    ]
}

/// Some of them, for every day: each kind of fault where it matters most, which is around the addition.
pub fn some() -> Vec<(usize, Case)> {
    let (add, cart) = (Step("POST", "/cart/add", 2), Step("GET", "/cart", 5));
    let (search, first) = (Step("GET", "/search", 1), Step("GET", "/cart", 1));
    let (in_first, in_again) = (Step("POST", SIGN_IN, 1), Step("POST", SIGN_IN, 2));
    let shop = |step, harm| Kind::Shop(step, harm);
    let kinds = [
        shop(add, Harm::Fails(500)),
        shop(add, Harm::Cut(Effect::None)),
        shop(add, Harm::Cut(Effect::Done)),
        shop(add, Harm::SignedOut),
        shop(cart, Harm::Fails(500)),
        shop(cart, Harm::Cut(Effect::None)),
        shop(cart, Harm::SignedOut),
        shop(search, Harm::Fails(500)),
        shop(search, Harm::SignedOut),
        shop(first, Harm::Fails(500)),
        Kind::Browser(add, Effect::None),
        Kind::Browser(add, Effect::Done),
        Kind::Program(add, Effect::None),
        Kind::Program(add, Effect::Done),
        Kind::Program(cart, Effect::None),
        shop(in_first, Harm::Fails(500)),
        shop(in_again, Harm::Cut(Effect::Done)),
        Kind::Program(in_again, Effect::None),
        Kind::Mark(1),
        Kind::Mark(2),
        Kind::DiskFull,
    ];
    let mut cases: Vec<_> = kinds.map(|kind| Case { kind, lanes: 1 }).into();
    let together = [
        shop(add, Harm::Cut(Effect::Done)),
        shop(add, Harm::SignedOut),
        shop(add, Harm::Hangs(Effect::Done)),
        shop(cart, Harm::SignedOut),
        Kind::Browser(add, Effect::Done),
        Kind::Mark(2),
    ];
    cases.extend(together.map(|kind| Case { kind, lanes: 2 }));
    cases.into_iter().enumerate().collect()
}
