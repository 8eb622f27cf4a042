//! The two parties.

/// One of the two computing parties. In protocols on shares that are not symmetric, the parties only differ in
/// this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Party {
    /// The garbler of [`crate::yao`].
    First,
    /// The evaluator of [`crate::yao`].
    Second,
}

impl Party {
    /// The other party.
    pub fn peer(self) -> Party {
        match self {
            Party::First => Party::Second,
            Party::Second => Party::First,
        }
    }

    /// The number 0 or 1.
    pub fn index(self) -> usize {
        self as usize
    }
}
