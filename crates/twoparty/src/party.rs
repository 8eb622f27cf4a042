//! Which of the two parties this is.

/// One of the two computing parties. Where protocols on shares are not symmetric the two differ in this alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Party {
    /// The garbler of [`crate::yao`].
    First,
    /// The evaluator of [`crate::yao`].
    Second,
}

impl Party {
    /// The other one.
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
