//! ANDs of one layer that share an operand.

use std::ops::Range;

use super::Layer;
use crate::lit::Lit;

/// Maximum ANDs of a group, for which one random block suffices.
pub const MAX_GROUP: usize = 128;

/// Puts ANDs into groups, layer by layer.
pub(super) struct Grouping {
    /// For each node, the number of ANDs in a layer that have it as an operand; 0 between layers.
    uses: Vec<u32>,
}

impl Grouping {
    /// For gates over this many nodes.
    pub(super) fn new(nodes: usize) -> Grouping {
        Grouping { uses: vec![0; nodes] }
    }

    /// Puts ANDs with a common operand side by side, that operand first.
    pub(super) fn group(&mut self, ands: &mut [(u32, [Lit; 2])]) {
        self.turn(ands);
        ands.sort_by_key(|(node, [a, _])| (a.node(), *node));
    }

    /// Calls `count` with the size of each group of a layer's ANDs.
    pub(super) fn sizes(&mut self, ands: &mut [(u32, [Lit; 2])], mut count: impl FnMut(u32)) {
        self.turn(ands);
        ands.iter().for_each(|(_, [first, _])| self.uses[first.node() as usize] += 1);
        for (_, [first, _]) in ands.iter() {
            let mut left = std::mem::take(&mut self.uses[first.node() as usize]);
            while left > 0 {
                count(left.min(MAX_GROUP as u32));
                left = left.saturating_sub(MAX_GROUP as u32);
            }
        }
    }

    /// Puts first that operand of each AND which more ANDs of the layer share, so that the AND joins them.
    fn turn(&mut self, ands: &mut [(u32, [Lit; 2])]) {
        let uses = &mut self.uses;
        ands.iter().flat_map(|(_, both)| both).for_each(|operand| uses[operand.node() as usize] += 1);
        for (_, [a, b]) in ands.iter_mut() {
            let rank = |operand: &Lit| (uses[operand.node() as usize], std::cmp::Reverse(operand.node()));
            if rank(b) > rank(a) {
                std::mem::swap(a, b);
            }
        }
        ands.iter().flat_map(|(_, both)| both).for_each(|operand| uses[operand.node() as usize] = 0);
    }
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
