//! When a process is killed: in which phase, at which event of it, and how far into that. By chance, but so
//! that none is left out.

use std::collections::BTreeMap;
use std::time::Duration;

/// What a run does when it is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The process has just been started.
    Start,
    /// The instruction becomes tasks: the page is looked at, the model makes a plan.
    Interpreting,
    /// The model thinks of a task.
    Thinking,
    /// A person is asked.
    Waiting,
    /// A tool is called that may be called again.
    Acting,
    /// A tool is called that sends something.
    Sending,
}

impl Phase {
    pub const ALL: [Phase; 6] = [
        Phase::Start,
        Phase::Interpreting,
        Phase::Thinking,
        Phase::Waiting,
        Phase::Acting,
        Phase::Sending,
    ];
}

/// At the nth event of a phase, this far into it.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub phase: Phase,
    pub nth: usize,
    pub when: When,
}

#[derive(Debug, Clone, Copy)]
pub enum When {
    /// When it was said and nothing was done of it.
    Sent,
    /// So long after the other side began with it.
    During(Duration),
    /// When it was done and not answered.
    Done,
    /// So long after it was answered.
    Answered(Duration),
}

/// The kinds of [`When`].
const WHENS: usize = 4;

impl When {
    fn kind(self) -> usize {
        match self {
            When::Sent => 0,
            When::During(_) => 1,
            When::Done => 2,
            When::Answered(_) => 3,
        }
    }
}

/// How many events a phase has.
pub type Counts = BTreeMap<Phase, usize>;

/// Moments by chance; the seed tells them all.
pub struct Dice {
    pub seed: u64,
    state: u64,
    hits: BTreeMap<(Phase, usize), usize>,
}

impl Dice {
    /// With the seed that the environment names, or another each time.
    pub fn new() -> Dice {
        let seed = std::env::var("LEGWORK_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = seed.unwrap_or_else(|| {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
            now.as_nanos() as u64 | 1
        });
        let each =
            Phase::ALL.into_iter().flat_map(|phase| (0..WHENS).map(move |when| (phase, when)));
        Dice { seed, state: seed, hits: each.map(|pair| (pair, 0)).collect() }
    }

    pub fn up_to(&mut self, most: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state % (most as u64)).unwrap()
    }

    /// A moment of those that were hit least.
    pub fn moment(&mut self, counts: &Counts) -> Moment {
        let least = self.least();
        let rare = self.hits.iter().filter(|(_, hits)| **hits == least);
        let rare: Vec<(Phase, usize)> = rare.map(|(pair, _)| *pair).collect();
        let (phase, kind) = rare[self.up_to(rare.len())];
        let nth = self.up_to(counts[&phase]) + 1;
        // Calls take from less than a millisecond to some tens of them.
        let time = Duration::from_micros((self.up_to(60_000) >> self.up_to(6)) as u64);
        let when = match kind {
            0 => When::Sent,
            1 => When::During(time),
            2 => When::Done,
            _ => When::Answered(time / 10),
        };
        Moment { phase, nth, when }
    }

    pub fn hit(&mut self, moment: Moment) {
        *self.hits.entry((moment.phase, moment.when.kind())).or_default() += 1;
    }

    /// How often each kind of moment of each phase was hit at the least.
    pub fn least(&self) -> usize {
        self.hits.values().copied().min().unwrap_or_default()
    }

    /// How often each phase was hit.
    pub fn hits(&self) -> Counts {
        let mut counts = Counts::new();
        for ((phase, _), hits) in &self.hits {
            *counts.entry(*phase).or_default() += hits;
        }
        counts
    }
}
