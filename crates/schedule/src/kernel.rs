//! The work of a step within one domain of words, or between two domains.

use tacit_circuit::Executable;

use crate::bound::Bound;
use crate::bundle::Bundle;
use crate::consumption::Consumed;
use crate::rules::Checked;

/// The bundles that a kernel reads and writes. Lanes are those of one instance of the body.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The operands.
    pub inputs: &'a [Bundle],
    /// The results.
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

/// The operands of a kernel in the clear: wire-major bits, or words of which only the low bits count.
#[derive(Clone, Copy, Debug)]
pub struct ClearOperands<'a> {
    /// The elements of each operand, in all instances of the body.
    pub elements: &'a [&'a [u128]],
    /// Instances of the body.
    pub copies: usize,
}

/// The properties of every kernel, for any number of parties.
pub trait KernelRules {
    /// The kernel's name.
    fn name(&self) -> &'static str;

    /// Whether parties that run it wait for one another.
    fn waits(&self) -> bool;

    /// Checks that the kernel fits its site.
    ///
    /// # Errors
    /// The rule that is violated.
    fn check(&self, site: Site<'_>, circuits: &[Executable]) -> Checked;

    /// Its results in the clear, bundle by bundle.
    fn clear(&self, operands: ClearOperands<'_>, site: Site<'_>) -> Vec<Vec<u128>>;

    /// The material that it consumes, and how much.
    fn consumes(&self, _: Site<'_>) -> Option<(Consumed, u64)> {
        None
    }

    /// The circuit that it garbles, by number, and over how many lanes.
    fn circuit(&self) -> Option<(u32, u64)> {
        None
    }

    /// Takes bounds on the operands, if they matter to the kernel, and returns a bound on the result.
    fn bound(&mut self, _: &[Bound], _: Site<'_>) -> Option<Bound> {
        None
    }

    /// The power of two that it adds when it subtracts numbers that are not reduced.
    fn lift(&self) -> Option<u32> {
        None
    }

    /// Whether it converts words from one domain to another.
    fn converts(&self) -> bool {
        true
    }

    /// Whether it keeps the bits that it reads, and only shares them in another way.
    fn keeps_bits(&self) -> bool {
        false
    }
}
