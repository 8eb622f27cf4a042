//! Prepared randomness: powers of h, each of which is used once.

use tacit_he::dgk::Randomness;

use crate::CompareError;

/// The pieces of randomness left. They are moved out and cannot be copied, so none serves twice.
#[derive(Debug, Default)]
pub(crate) struct Pool(Vec<Randomness>);

impl Pool {
    pub fn add(&mut self, more: Vec<Randomness>) {
        self.0.extend(more);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Checks that there are enough pieces.
    pub fn check(&self, needed: usize) -> Result<(), CompareError> {
        let left = self.0.len();
        if needed <= left { Ok(()) } else { Err(CompareError::Unprepared { needed, left }) }
    }

    /// Takes all pieces.
    pub fn take_all(&mut self) -> Vec<Randomness> {
        std::mem::take(&mut self.0)
    }

    /// Takes pieces out. They are used up even if the call fails later.
    pub fn take(&mut self, needed: usize) -> Result<Vec<Randomness>, CompareError> {
        self.check(needed)?;
        Ok(self.0.split_off(self.0.len() - needed))
    }
}
