//! The chain: each row seals the one before it, so that no row can be changed, taken out, put in or moved
//! without a trace. Pure; knows no database. What it cannot see is a tail that was cut off, unless the
//! hash of a later row is known, and a chain that was written anew from its first row.

use std::fmt;

use sha2::{Digest, Sha256};

/// A SHA-256 hash.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash(pub(super) [u8; 32]);

impl Hash {
    /// What the first row has instead of the hash of a row before it.
    pub(super) const NONE: Hash = Hash([0; 32]);

    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Hash {
        Hash(Sha256::digest(bytes).into())
    }

    /// Reads 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Hash> {
        let text = text.trim();
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut hash = [0; 32];
        for (at, byte) in hash.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).ok()?;
        }
        Some(Hash(hash))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self}")
    }
}

/// One row of the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// From 1, without gaps.
    pub sequence: u64,
    /// When it was written: RFC 3339, UTC.
    pub time: String,
    /// The call it belongs to, which is the sequence of the row that opened it.
    pub call: u64,
    /// What it says of the call: `opened`, `judged`, `closed` or `note`.
    pub kind: String,
    /// What there is to say, as JSON.
    pub body: String,
    /// The hash of the row before.
    pub previous: Hash,
    /// The hash of all of the above.
    pub hash: Hash,
}

impl Event {
    /// The row with the hash that belongs to it.
    pub(super) fn sealed(self) -> Event {
        Event { hash: self.seal(), ..self }
    }

    /// Every field with its length before it, so that no two rows have one encoding.
    fn seal(&self) -> Hash {
        let mut hasher = Sha256::new();
        let mut field = |bytes: &[u8]| {
            hasher.update((bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        field(b"legwork audit 1");
        field(&self.sequence.to_le_bytes());
        field(self.time.as_bytes());
        field(&self.call.to_le_bytes());
        field(self.kind.as_bytes());
        field(self.body.as_bytes());
        field(&self.previous.0);
        Hash(hasher.finalize().into())
    }
}

/// The end of a chain: its last row, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The number of the last row; 0 if there is none.
    pub sequence: u64,
    /// Its hash.
    pub hash: Hash,
}

impl Head {
    /// Of a chain without rows.
    pub(super) const EMPTY: Head = Head { sequence: 0, hash: Hash::NONE };
}

/// Why a chain is not what was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// A number is missing or out of order.
    #[error("row {expected} is missing: row {found} stands in its place")]
    Gap {
        /// The row that should be here.
        expected: u64,
        /// The row that is.
        found: u64,
    },
    /// The row is not the one that was written.
    #[error("row {0} was changed: its hash does not fit what it says")]
    Changed(u64),
    /// The row does not follow the one before it.
    #[error("row {0} does not follow row {before}: one of them was changed, moved or put in", before = .0 - 1)]
    Unlinked(u64),
    /// The chain does not reach what was known to be there.
    #[error(
        "the end is missing: the last row is {last}, and the row with the hash {known} is not there"
    )]
    Truncated {
        /// The last row there is.
        last: u64,
        /// What should be there.
        known: String,
    },
}

impl Broken {
    /// The row that it is about.
    pub fn row(&self) -> u64 {
        match self {
            Broken::Gap { expected: row, .. } | Broken::Changed(row) | Broken::Unlinked(row) => {
                *row
            }
            Broken::Truncated { last, .. } => last + 1,
        }
    }
}

/// Checks a chain row by row, in the order of the rows.
#[derive(Debug)]
pub struct Check {
    head: Head,
    /// Rows that are known to have been there, by their hashes, and were not met yet.
    known: Vec<Hash>,
}

impl Check {
    /// A check of a chain that should hold the rows with these hashes.
    pub fn new(known: impl IntoIterator<Item = Hash>) -> Check {
        let known = known.into_iter().filter(|hash| *hash != Hash::NONE).collect();
        Check { head: Head::EMPTY, known }
    }

    /// Takes the next row.
    pub fn take(&mut self, event: &Event) -> Result<(), Broken> {
        let expected = self.head.sequence + 1;
        if event.sequence != expected {
            return Err(Broken::Gap { expected, found: event.sequence });
        }
        if event.hash != event.seal() {
            return Err(Broken::Changed(expected));
        }
        if event.previous != self.head.hash {
            return Err(Broken::Unlinked(expected));
        }
        self.head = Head { sequence: expected, hash: event.hash };
        self.known.retain(|known| *known != event.hash);
        Ok(())
    }

    /// There are no more rows.
    pub fn end(self) -> Result<Head, Broken> {
        match self.known.first() {
            Some(known) => {
                let last = self.head.sequence;
                Err(Broken::Truncated { last, known: known.to_string() })
            }
            None => Ok(self.head),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A chain of rows with these times, calls, kinds and bodies.
    fn chain(rows: Vec<(String, u64, String, String)>) -> Vec<Event> {
        let mut head = Head::EMPTY;
        let mut events = Vec::new();
        for (time, call, kind, body) in rows {
            let (sequence, previous) = (head.sequence + 1, head.hash);
            let hash = Hash::NONE;
            let event = Event { sequence, time, call, kind, body, previous, hash }.sealed();
            head = Head { sequence, hash: event.hash };
            events.push(event);
        }
        events
    }

    fn check(events: &[Event], known: Option<Hash>) -> Result<Head, Broken> {
        let mut check = Check::new(known);
        events.iter().try_for_each(|event| check.take(event))?;
        check.end()
    }

    fn chains() -> impl Strategy<Value = Vec<Event>> {
        let row = (".{0,12}", 1..9u64, "opened|judged|closed|note", ".{0,40}");
        proptest::collection::vec(row, 2..12).prop_map(chain)
    }

    /// One change to one entry.
    #[derive(Debug, Clone)]
    enum Tampering {
        Sequence(u64),
        Time(String),
        Call(u64),
        Kind(String),
        Body(String),
        Previous(usize, u8),
        Hash(usize, u8),
        /// Characters moved from one field to its neighbour.
        Shift,
        Remove,
        Insert(Box<Event>),
        Repeat,
        Swap(prop::sample::Index),
        /// Another body, with a hash made to fit it.
        Resealed(String),
    }

    fn tamperings() -> impl Strategy<Value = Tampering> {
        let bit = (0..32usize, 1..=255u8);
        prop_oneof![
            any::<u64>().prop_map(Tampering::Sequence),
            ".{0,12}".prop_map(Tampering::Time),
            any::<u64>().prop_map(Tampering::Call),
            ".{0,8}".prop_map(Tampering::Kind),
            ".{0,40}".prop_map(Tampering::Body),
            bit.clone().prop_map(|(at, bits)| Tampering::Previous(at, bits)),
            bit.prop_map(|(at, bits)| Tampering::Hash(at, bits)),
            Just(Tampering::Shift),
            Just(Tampering::Remove),
            chains().prop_map(|mut other| Tampering::Insert(Box::new(other.remove(0)))),
            Just(Tampering::Repeat),
            any::<prop::sample::Index>().prop_map(Tampering::Swap),
            ".{0,40}".prop_map(Tampering::Resealed),
        ]
    }

    fn tampered(events: &[Event], at: usize, how: Tampering) -> Vec<Event> {
        let mut events = events.to_vec();
        let event = &mut events[at];
        match how {
            Tampering::Sequence(sequence) => event.sequence = sequence,
            Tampering::Time(time) => event.time = time,
            Tampering::Call(call) => event.call = call,
            Tampering::Kind(kind) => event.kind = kind,
            Tampering::Body(body) => event.body = body,
            Tampering::Previous(at, bits) => event.previous.0[at] ^= bits,
            Tampering::Hash(at, bits) => event.hash.0[at] ^= bits,
            Tampering::Shift => {
                if let Some(last) = event.kind.pop() {
                    event.body.insert(0, last);
                }
            }
            Tampering::Remove => drop(events.remove(at)),
            Tampering::Insert(other) => events.insert(at, *other),
            Tampering::Repeat => events.insert(at, events[at].clone()),
            Tampering::Swap(other) => {
                let other = other.index(events.len());
                events.swap(at, other);
            }
            Tampering::Resealed(body) => {
                *event = Event { body, ..event.clone() }.sealed();
            }
        }
        events
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_single_tampering_is_found_when_the_head_is_known(
            events in chains(), at in any::<prop::sample::Index>(), how in tamperings(),
        ) {
            let head = events.last().map(|event| event.hash);
            prop_assert!(check(&events, head).is_ok());
            let after = tampered(&events, at.index(events.len()), how);
            prop_assume!(after != events);
            prop_assert!(check(&after, head).is_err());
        }

        #[test]
        fn without_a_head_only_a_new_or_missing_last_row_goes_unseen(
            events in chains(), at in any::<prop::sample::Index>(), how in tamperings(),
        ) {
            let at = at.index(events.len());
            let after = tampered(&events, at, how);
            prop_assume!(after != events);
            if check(&after, None).is_ok() {
                let kept = events.len() - 1;
                prop_assert_eq!(&after[..kept], &events[..kept]);
            }
        }
    }

    #[test]
    fn what_is_broken_names_its_row() {
        let row = |body: &str| ("t".to_owned(), 1, "opened".to_owned(), body.to_owned());
        let events = chain(vec![row("a"), row("b"), row("c")]);
        let broken = |events: &[Event]| check(events, None).unwrap_err();
        let changed = tampered(&events, 1, Tampering::Body("x".into()));
        assert_eq!(broken(&changed), Broken::Changed(2));
        let resealed = tampered(&events, 1, Tampering::Resealed("x".into()));
        assert_eq!(broken(&resealed), Broken::Unlinked(3));
        let removed = tampered(&events, 0, Tampering::Remove);
        assert_eq!(broken(&removed), Broken::Gap { expected: 1, found: 2 });
        let cut = &events[..2];
        assert!(check(cut, None).is_ok());
        let truncated = check(cut, Some(events[2].hash)).unwrap_err();
        assert_eq!(truncated.row(), 3);
        // A head that was noted earlier stays good when more is written.
        assert!(check(&events, Some(events[0].hash)).is_ok());
    }

    #[test]
    fn hashes_are_read_as_they_are_written() {
        let hash = Hash::of(b"legwork");
        assert_eq!(Hash::parse(&hash.to_string()), Some(hash));
        assert_eq!(Hash::parse("12"), None);
        assert_eq!(Hash::parse(&"é".repeat(32)), None);
    }
}
