use serde::{Deserialize, Serialize};
use tacit_circuit::Executable;
use tacit_ir::Domain;

use super::{bits, check};
use crate::consumption::Consumed;
use crate::kernel::{ClearOperands, KernelRules, Site};
use crate::rules::{Checked, require};

/// Converts words shared by sum to labels, at the same width or narrower: both parties' shares enter a
/// circuit that adds them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ArithToYao {
    /// Index into [`Schedule::circuits`](crate::Schedule::circuits): the sum of two words as wide as the target.
    pub circuit: u32,
    /// Lanes of the words, each an instance of the circuit.
    pub lanes: u64,
}

impl KernelRules for ArithToYao {
    fn name(&self) -> &'static str {
        "arith to yao"
    }

    fn waits(&self) -> bool {
        true
    }

    fn check(&self, site: Site<'_>, circuits: &[Executable]) -> Checked {
        let fits = |lanes: u64| lanes == self.lanes;
        check(site, [Domain::Arith, Domain::Yao], |from, to| to.bits <= from.bits && fits(from.lanes))?;
        let circuit = circuits.get(self.circuit as usize).ok_or("there is no such circuit")?;
        let bits = site.targets[0].bits as usize;
        let ports = (circuit.inputs.len(), circuit.outputs.len());
        require(ports == (2 * bits, bits), "a circuit that adds has other inputs or outputs")?;
        require(
            circuit.conjunctions().is_empty(),
            "a circuit that is garbled has ANDs of more than two operands",
        )
    }

    fn clear(&self, operands: ClearOperands<'_>, site: Site<'_>) -> Vec<Vec<u128>> {
        vec![bits::low_bits(operands.elements[0], site.targets[0].bits)]
    }

    fn consumes(&self, site: Site<'_>) -> Option<(Consumed, u64)> {
        Some((Consumed::SumLabel, site.target_bits()))
    }

    fn circuit(&self) -> Option<(u32, u64)> {
        Some((self.circuit, self.lanes))
    }
}
