use serde::{Deserialize, Serialize};
use tacit_circuit::Executable;
use tacit_ir::Domain;

use super::check;
use crate::bound::Bound;
use crate::consumption::Consumed;
use crate::kernel::{ClearOperands, KernelRules, Site};
use crate::rules::Checked;

/// Encrypts words shared by sum, at the same width: the key's owner encrypts its share, and the other party
/// adds its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ArithToHe;

impl KernelRules for ArithToHe {
    fn name(&self) -> &'static str {
        "arith to he"
    }

    fn waits(&self) -> bool {
        true
    }

    fn check(&self, site: Site<'_>, _: &[Executable]) -> Checked {
        check(site, [Domain::Arith, Domain::He], |from, to| from.bits == to.bits)
    }

    fn clear(&self, operands: ClearOperands<'_>, _: Site<'_>) -> Vec<Vec<u128>> {
        vec![operands.elements[0].to_vec()]
    }

    fn consumes(&self, site: Site<'_>) -> Option<(Consumed, u64)> {
        Some((Consumed::Ciphertext, site.target_lanes()))
    }

    /// The sum of two shares is not reduced.
    fn bound(&mut self, _: &[Bound], site: Site<'_>) -> Option<Bound> {
        let bits = site.targets.first()?.bits + 1;
        Some(Bound::secret(bits))
    }
}
