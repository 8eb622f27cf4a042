//! Randomness made ahead: powers of h, each of which is spent once.

use tacit_he::dgk::Randomness;

use crate::CompareError;

/// What is left of it. Pieces leave by value and cannot be copied, so none serves twice.
#[derive(Debug, Default)]
pub(crate) struct Pool(Vec<Randomness>);

impl Pool {
    pub fn add(&mut self, more: Vec<Randomness>) {
        self.0.extend(more);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// That there are enough.
    pub fn check(&self, needed: usize) -> Result<(), CompareError> {
        let left = self.0.len();
        if needed <= left { Ok(()) } else { Err(CompareError::Unprepared { needed, left }) }
    }

    /// Takes all that is left.
    pub fn take_all(&mut self) -> Vec<Randomness> {
        std::mem::take(&mut self.0)
    }

    /// Takes pieces out, also if what they are for fails later.
    pub fn take(&mut self, needed: usize) -> Result<Vec<Randomness>, CompareError> {
        self.check(needed)?;
        Ok(self.0.split_off(self.0.len() - needed))
    }
}
