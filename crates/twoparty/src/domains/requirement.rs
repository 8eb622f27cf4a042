//! What setup makes for kernels.

use tacit_schedule::Consumed;

use crate::correlations::{
    BitTriples, EdaBits, MatrixShape, MatrixTriples, NaryTriples, Requirement, SquarePairs, WordTriples,
};

/// Adds the correlated randomness that so much of one kind and shape takes. Comparisons and shifts of words take several messages, so
/// that what they need depends on which are done together; labels take oblivious transfers, and encrypted words a key.
pub fn required(requirement: &mut Requirement, kind: Consumed, count: u64) {
    match kind {
        Consumed::Ands { size } => requirement.require::<BitTriples>(size, count),
        Consumed::NaryAnd { operands } => requirement.require::<NaryTriples>(operands, count),
        Consumed::Product { bits } => requirement.require::<WordTriples>(bits, count),
        Consumed::Square { bits } => requirement.require::<SquarePairs>(bits, count),
        Consumed::Word { bits } => requirement.require::<EdaBits>(bits, count),
        Consumed::Matrix { bits, rows, inner, columns } => {
            let [rows, inner, columns] = [rows, inner, columns].map(|n| n as usize);
            requirement.require::<MatrixTriples>(MatrixShape { bits, rows, inner, columns }, count);
        }
        Consumed::Comparison { .. }
        | Consumed::Shift { .. }
        | Consumed::Label
        | Consumed::SumLabel
        | Consumed::Ciphertext => {}
    }
}
