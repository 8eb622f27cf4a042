use serde::{Deserialize, Serialize};
use tacit_circuit::Executable;
use tacit_ir::Domain;

use super::bits;
use crate::kernel::{ClearOperands, KernelRules, Site};
use crate::rules::{Checked, require};

/// Converts words shared by sum to two addends in bits, each known to one party, at the same width or
/// narrower. A circuit then adds them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ArithToBool;

impl KernelRules for ArithToBool {
    fn name(&self) -> &'static str {
        "arith to bool"
    }

    fn waits(&self) -> bool {
        false
    }

    fn check(&self, site: Site<'_>, _: &[Executable]) -> Checked {
        let ([source], [first, second]) = (site.inputs, site.targets) else {
            return Err("addends are two, of one bundle");
        };
        let fits = first == second && first.lanes == source.lanes && first.bits <= source.bits;
        let domains = source.domain == Domain::Arith && first.domain == Domain::Bool;
        require(fits && domains, "addends have another type")
    }

    fn clear(&self, operands: ClearOperands<'_>, site: Site<'_>) -> Vec<Vec<u128>> {
        let first = bits::low_bits(operands.elements[0], site.targets[0].bits);
        let second = vec![0; first.len()];
        vec![first, second]
    }
}
