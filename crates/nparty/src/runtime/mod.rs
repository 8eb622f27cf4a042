//! The runtime: programs of any number of tasks, whose operations run as their operands arrive.

pub(crate) mod beside;
mod error;
mod flight;
mod history;
mod inbox;
mod land;
pub(crate) mod mesh;
mod operation;
pub(crate) mod party;
mod program;
mod reactor;
mod receive;
mod shared;
#[cfg(test)]
pub(crate) mod simulation;
pub(crate) mod synchronise;
mod value;
pub(crate) mod wire;

pub use error::RunError;
pub use operation::Place;
pub use party::{Party, Terms};
pub use program::{MAX_LENGTH, Task, Value};
pub(crate) use program::{mixed, tag};

use crate::PartyIndex;

/// Identity of a task, the same at all parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(pub u64);

/// Some of the parties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Parties(u64);

impl Parties {
    /// Most parties.
    pub const MAX: usize = 64;

    /// The first `count` parties, of which there are at most [`Parties::MAX`].
    pub fn first(count: usize) -> Parties {
        (0..count).collect()
    }

    /// Whether a party is one of them.
    pub fn contains(self, party: PartyIndex) -> bool {
        party < Self::MAX && self.0 >> party & 1 == 1
    }

    /// Whether the first `count` parties are among them.
    pub fn all(self, count: usize) -> bool {
        (0..count).all(|party| self.contains(party))
    }
}

impl FromIterator<PartyIndex> for Parties {
    fn from_iter<I: IntoIterator<Item = PartyIndex>>(parties: I) -> Parties {
        Parties(parties.into_iter().filter(|party| *party < Self::MAX).fold(0, |all, party| all | 1 << party))
    }
}
