use serde::{Deserialize, Serialize};
use tacit_circuit::Executable;
use tacit_ir::Domain;

use super::check;
use crate::consumption::Consumed;
use crate::kernel::{ClearOperands, KernelRules, Site};
use crate::rules::Checked;

/// Converts bits to labels: both parties' shares become inputs whose exclusive or is the value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BoolToYao;

impl KernelRules for BoolToYao {
    fn name(&self) -> &'static str {
        "bool to yao"
    }

    fn waits(&self) -> bool {
        true
    }

    fn check(&self, site: Site<'_>, _: &[Executable]) -> Checked {
        check(site, [Domain::Bool, Domain::Yao], |from, to| from.bits == to.bits)
    }

    fn clear(&self, operands: ClearOperands<'_>, _: Site<'_>) -> Vec<Vec<u128>> {
        vec![operands.elements[0].to_vec()]
    }

    fn consumes(&self, site: Site<'_>) -> Option<(Consumed, u64)> {
        Some((Consumed::Label, site.target_bits()))
    }

    fn keeps_bits(&self) -> bool {
        true
    }
}
