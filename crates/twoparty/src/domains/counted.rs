use tacit_circuit::Executable;

use crate::arith::{ComparisonShape, Resize, compare_cost, resize_cost};
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
}

impl CountedLayer<'_> {
    /// What the comparisons and the shifts take.
    ///
    /// # Errors
    /// Where a shift is of a width that there is not.
    pub fn dialogues(&self) -> Result<[Cost; 2], ShareError> {
        Ok([compare_cost(&self.comparisons), resize_cost(&self.shifts)?])
    }
}
