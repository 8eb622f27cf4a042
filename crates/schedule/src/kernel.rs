//! What a step does within one domain of words, or from one domain to another.

use tacit_circuit::Executable;

use crate::bound::Bound;
use crate::bundle::Bundle;
use crate::consumption::Consumed;
use crate::rules::Checked;

/// What is read and written where a kernel stands. Lanes are those of one instance of the body.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// What is read.
    pub inputs: &'a [Bundle],
    /// What is written.
    pub targets: &'a [Bundle],
}

impl Site<'_> {
    /// Bits of the first target, counted over its lanes; saturates.
    pub(crate) fn target_bits(&self) -> u64 {
        self.targets.first().map_or(0, |target| u64::from(target.bits).saturating_mul(target.lanes))
    }

    /// Lanes of the first target.
    pub(crate) fn target_lanes(&self) -> u64 {
        self.targets.first().map_or(0, |target| target.lanes)
    }

    /// Whether there is one bundle on each side.
    pub(crate) fn one_to_one(&self) -> Result<[Bundle; 2], &'static str> {
        match (self.inputs, self.targets) {
            ([from], [to]) => Ok([*from, *to]),
            _ => Err("a kernel has another number of operands or results"),
        }
    }
}

/// What a kernel reads in the clear: wire-major bits, or words of which the low bits count.
#[derive(Clone, Copy, Debug)]
pub struct ClearOperands<'a> {
    /// The elements of each bundle that is read, in all instances of the body.
    pub elements: &'a [&'a [u128]],
    /// Instances of the body.
    pub copies: usize,
}

/// What every kernel says of itself, however it is run and by however many parties.
pub trait KernelRules {
    /// The kernel's name.
    fn name(&self) -> &'static str;

    /// Whether parties that run it wait for one another.
    fn waits(&self) -> bool;

    /// Whether it may stand here.
    ///
    /// # Errors
    /// The rule that is broken.
    fn check(&self, site: Site<'_>, circuits: &[Executable]) -> Checked;

    /// What it gives in the clear, bundle by bundle.
    fn clear(&self, operands: ClearOperands<'_>, site: Site<'_>) -> Vec<Vec<u128>>;

    /// What setup makes for it, and how much.
    fn consumes(&self, _: Site<'_>) -> Option<(Consumed, u64)> {
        None
    }

    /// The circuit that it garbles, by number, and over how many lanes.
    fn circuit(&self) -> Option<(u32, u64)> {
        None
    }

    /// Takes in how large the numbers are that its operands stand for, where that matters to it: how large those of its result are.
    fn bound(&mut self, _: &[Bound], _: Site<'_>) -> Option<Bound> {
        None
    }

    /// The power of two that it adds where it subtracts numbers that are not reduced.
    fn lift(&self) -> Option<u32> {
        None
    }

    /// Whether it brings words from one domain to another.
    fn converts(&self) -> bool {
        true
    }

    /// Whether it gives the bits that it reads, shared in another way.
    fn keeps_bits(&self) -> bool {
        false
    }
}
