use serde::{Deserialize, Serialize};
use tacit_circuit::Executable;
use tacit_ir::Domain;

use super::check;
use crate::kernel::{ClearOperands, KernelRules, Site};
use crate::rules::Checked;

/// Converts labels to bits: the colours of both parties' labels already are shares.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct YaoToBool;

impl KernelRules for YaoToBool {
    fn name(&self) -> &'static str {
        "yao to bool"
    }

    fn waits(&self) -> bool {
        false
    }

    fn check(&self, site: Site<'_>, _: &[Executable]) -> Checked {
        check(site, [Domain::Yao, Domain::Bool], |from, to| from.bits == to.bits)
    }

    fn clear(&self, operands: ClearOperands<'_>, _: Site<'_>) -> Vec<Vec<u128>> {
        vec![operands.elements[0].to_vec()]
    }

    fn keeps_bits(&self) -> bool {
        true
    }
}
