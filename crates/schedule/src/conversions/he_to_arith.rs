use serde::{Deserialize, Serialize};
use tacit_circuit::Executable;
use tacit_ir::Domain;

use super::check;
use crate::bound::Bound;
use crate::consumption::Consumed;
use crate::kernel::{ClearOperands, KernelRules, Site};
use crate::rules::Checked;

/// Converts encrypted words to words shared by sum, at the same width: they are masked, packed and decrypted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HeToArith {
    /// Bits of the encrypted numbers: as many as fit in a slot beside the mask.
    pub value_bits: u32,
}

impl KernelRules for HeToArith {
    fn name(&self) -> &'static str {
        "he to arith"
    }

    fn waits(&self) -> bool {
        true
    }

    fn check(&self, site: Site<'_>, _: &[Executable]) -> Checked {
        check(site, [Domain::He, Domain::Arith], |from, to| {
            from.bits == to.bits && from.bits <= self.value_bits
        })
    }

    fn clear(&self, operands: ClearOperands<'_>, _: Site<'_>) -> Vec<Vec<u128>> {
        vec![operands.elements[0].to_vec()]
    }

    fn consumes(&self, site: Site<'_>) -> Option<(Consumed, u64)> {
        Some((Consumed::Ciphertext, site.target_lanes()))
    }

    fn bound(&mut self, operands: &[Bound], site: Site<'_>) -> Option<Bound> {
        let from = site.inputs.first()?.bits;
        self.value_bits = operands.first()?.bits.max(from);
        None
    }
}
