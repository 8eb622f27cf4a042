//! ANDs of one layer that share an operand.

use std::collections::HashMap;
use std::ops::Range;

use super::Layer;
use crate::lit::Lit;

/// ANDs of a group at most: one random block serves all of them.
pub const MAX_GROUP: usize = 128;

/// Puts ANDs with a common operand side by side, that operand first: each AND goes with whichever of its operands
/// more of the layer have.
pub(super) fn group(ands: &mut [(u32, [Lit; 2])]) {
    let mut uses: HashMap<u32, u32> = HashMap::new();
    for operand in ands.iter().flat_map(|(_, operands)| operands) {
        *uses.entry(operand.node()).or_default() += 1;
    }
    for (_, [a, b]) in ands.iter_mut() {
        let rank = |operand: &Lit| (uses[&operand.node()], std::cmp::Reverse(operand.node()));
        if rank(b) > rank(a) {
            std::mem::swap(a, b);
        }
    }
    ands.sort_by_key(|(node, [a, _])| (a.node(), *node));
}

impl<'a> Layer<'a> {
    /// The layer's ANDs in groups of at most [`MAX_GROUP`] with the same first operand, in order.
    pub fn groups(&self) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let (operands, mut end) = (self.and_a, 0);
        std::iter::from_fn(move || {
            let start = end;
            let first = operands.get(start)?;
            end += operands[start..].iter().take(MAX_GROUP).take_while(|operand| *operand == first).count();
            Some(start..end)
        })
    }
}
