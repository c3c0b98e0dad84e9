//! What goes wrong in the store, planned beforehand: the n-th request for a path is harmed in one way. A plan
//! is the same every time, so that what it did to the shopper can be done again.

/// A plan of faults.
#[derive(Debug, Clone, Default)]
pub struct Faults(pub Vec<Fault>);

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Requests of this method; of any, if there is none.
    pub method: Option<String>,
    /// Requests for this path; one that ends in `*` stands for all that begin so.
    pub path: String,
    /// Which of these requests, from 1. Requests that another fault harmed count as well.
    pub nth: u32,
    /// What happens to it.
    pub harm: Harm,
}

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Harm {
    /// It is answered with this status, and has no effect.
    Fails(u16),
    /// It is never answered.
    Hangs(Effect),
    /// Its connection ends before a byte of an answer.
    Cut(Effect),
    /// Nobody is signed in any more when it comes.
    SignedOut,
}

/// Whether a request took effect all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It did not.
    None,
    /// It did.
    Done,
}

impl Faults {
    /// A single fault.
    pub fn one(method: &str, path: &str, nth: u32, harm: Harm) -> Faults {
        Faults::default().and(method, path, nth, harm)
    }

    /// These and one more.
    pub fn and(mut self, method: &str, path: &str, nth: u32, harm: Harm) -> Faults {
        self.0.push(Fault { method: Some(method.into()), path: path.into(), nth, harm });
        self
    }
}

/// A plan that is being carried out.
#[derive(Debug)]
pub(crate) struct Plan {
    faults: Vec<(Fault, u32)>,
    pub(crate) done: usize,
}

impl Plan {
    pub(crate) fn of(faults: Faults) -> Plan {
        Plan { faults: faults.0.into_iter().map(|fault| (fault, 0)).collect(), done: 0 }
    }

    /// What happens to this request; it is counted.
    pub(crate) fn harm(&mut self, method: &str, path: &str) -> Option<Harm> {
        let mut harm = None;
        for (fault, seen) in &mut self.faults {
            if !fault.is_for(method, path) {
                continue;
            }
            *seen += 1;
            if *seen == fault.nth && harm.is_none() {
                harm = Some(fault.harm);
                self.done += 1;
            }
        }
        harm
    }
}

impl Fault {
    fn is_for(&self, method: &str, path: &str) -> bool {
        let on_path = match self.path.strip_suffix('*') {
            Some(beginning) => path.starts_with(beginning),
            None => path == self.path,
        };
        on_path && self.method.as_deref().is_none_or(|wanted| wanted == method)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_request_that_was_meant_is_harmed() {
        let faults = Faults::one("POST", "/cart/*", 2, Harm::Fails(500));
        let mut plan = Plan::of(faults.and("GET", "/cart", 1, Harm::SignedOut));
        let asked = [
            ("GET", "/search", None),
            ("POST", "/cart/add", None),
            ("GET", "/cart", Some(Harm::SignedOut)),
            ("POST", "/cart/update", Some(Harm::Fails(500))),
            ("POST", "/cart/add", None),
            ("GET", "/cart", None),
        ];
        for (method, path, harm) in asked {
            assert_eq!(plan.harm(method, path), harm, "{method} {path}");
        }
        assert_eq!(plan.done, 2);
    }
}
