//! Comparisons of words with constants, which conditions consist of.

use tacit_ir::CompareOp;

use crate::graph::{Graph, Node, Word};

/// A comparison of a word with a constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison {
    pub(super) of: Word,
    pub(super) relation: Relation,
    pub(super) value: i128,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Relation {
    /// The word equals the value, which is signed.
    Equals,
    /// The word is greater.
    Exceeds { signed: bool },
    /// The word is less than zero, which only its sign decides.
    IsNegative,
}

impl Comparison {
    /// The comparison that a flag represents, if any.
    pub(super) fn of(graph: &Graph, word: Word) -> Option<Self> {
        let (relation, of, constant, signed) = match *graph.node(word) {
            Node::Compare(CompareOp::Eq, of, value) => (Relation::Equals, of, value, true),
            Node::Compare(op, limit, of) => {
                let signed = op == CompareOp::LtS;
                (Relation::Exceeds { signed }, of, limit, signed)
            }
            Node::Slice { value: of, low, bits: 1 } if low + 1 == graph.bits(of) => {
                return Some(Comparison { of, relation: Relation::IsNegative, value: 0 });
            }
            _ => return None,
        };
        let value = graph.value(constant)?;
        let value = if signed { value.to_i128()? } else { value.to_u64()?.into() };
        Some(Comparison { of, relation, value })
    }
}
