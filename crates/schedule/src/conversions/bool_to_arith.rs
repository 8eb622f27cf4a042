use serde::{Deserialize, Serialize};
use tacit_circuit::Executable;
use tacit_ir::Domain;

use super::{bits, check};
use crate::consumption::Consumed;
use crate::domains::arith::widened;
use crate::kernel::{ClearOperands, KernelRules, Site};
use crate::rules::Checked;

/// Converts bits to words shared by sum, at the same width or wider.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BoolToArith {
    /// Whether widened words extend their sign.
    pub signed: bool,
}

impl KernelRules for BoolToArith {
    fn name(&self) -> &'static str {
        "bool to arith"
    }

    fn waits(&self) -> bool {
        true
    }

    fn check(&self, site: Site<'_>, _: &[Executable]) -> Checked {
        check(site, [Domain::Bool, Domain::Arith], |from, to| from.bits <= to.bits)
    }

    fn clear(&self, operands: ClearOperands<'_>, site: Site<'_>) -> Vec<Vec<u128>> {
        let from = site.inputs[0].bits;
        let words = bits::words(operands.elements[0], from);
        vec![words.map(|word| widened(word, from, self.signed)).collect()]
    }

    fn consumes(&self, site: Site<'_>) -> Option<(Consumed, u64)> {
        site.targets.first().map(|to| (Consumed::Word { bits: to.bits }, to.lanes))
    }
}
