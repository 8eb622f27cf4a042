use tacit_circuit::Executable;

use crate::arith::{ComparisonShape, Resize, compare_cost, resize_cost};
use crate::he::{CiphertextCount, HeParameters};
use crate::{Cost, ShareError, yao};

/// What operations that are done together open.
#[derive(Default)]
pub struct CountedLayer<'s> {
    /// Sums that become labels.
    pub sums: Vec<yao::Region<'s>>,
    /// Labels of bits that the evaluator gets by oblivious transfer.
    pub labels: u64,
    /// Bits that operations on words open.
    pub words: u64,
    /// Circuits on shared bits.
    pub circuits: Vec<(&'s Executable, u64)>,
    /// Comparisons of words.
    pub(super) comparisons: Vec<ComparisonShape>,
    /// Shifts of words to the right, their width and number.
    pub(super) shifts: Vec<(Resize, u32, u64)>,
    /// Words that are encrypted.
    pub(super) encrypted: u64,
    /// Encrypted words that become shares: bits of their numbers, and how many.
    pub(super) replied: Vec<(u32, u64)>,
}

impl CountedLayer<'_> {
    /// What the comparisons and the shifts take.
    ///
    /// # Errors
    /// Where a shift is of a width that there is not.
    pub fn dialogues(&self) -> Result<[Cost; 2], ShareError> {
        Ok([compare_cost(&self.comparisons), resize_cost(&self.shifts)?])
    }

    /// The widest numbers that are decrypted.
    pub fn widest_plaintext(&self) -> u32 {
        self.replied.iter().map(|(bits, _)| *bits).max().unwrap_or(0)
    }

    /// The ciphertexts that are sent.
    ///
    /// # Errors
    /// Where a number does not fit a plaintext.
    pub fn ciphertexts(&self, parameters: &HeParameters) -> Result<CiphertextCount, ShareError> {
        let mut count = CiphertextCount { encrypted: self.encrypted, replies: 0 };
        for (bits, lanes) in &self.replied {
            count.replies += lanes.div_ceil(parameters.slots(*bits)?.count() as u64);
        }
        Ok(count)
    }
}
