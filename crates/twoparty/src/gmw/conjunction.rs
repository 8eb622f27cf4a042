//! ANDs of many operands, four at a time.

use super::layer::Layer;
use crate::ShareError;
use crate::correlations::{BitTriples, NaryTriples};
use crate::cost::Cost;
use crate::end::End;
use crate::error::found;
use tacit_math::Bits;

/// Maximum operands of one AND.
pub const MAX_OPERANDS: usize = 4;

/// Shares of the products of two to [`MAX_OPERANDS`] shared bits, position by position.
///
/// Source: *ABY2.0* (USENIX Security'21), §3.1.3; see [`crate::correlations::NaryTriples`] for the difference.
/// Security: each operand is masked by a bit that neither party knows.
/// Cost for a bit: a conjunction with this number of operands (an AND triple for two), a bit each way for each operand;
/// one round.
///
/// # Errors
/// [`ShareError::Shape`] for another number of operands or for operands of different lengths; as
/// [`super::and`].
pub async fn conjunction(end: &mut End, operands: &[&Bits]) -> Result<Bits, ShareError> {
    if !(2..=MAX_OPERANDS).contains(&operands.len()) {
        let given = operands.len() as u64;
        return Err(ShareError::Shape { what: "operands of an AND", given, expected: MAX_OPERANDS as u64 });
    }
    let mut layer = Layer::default();
    layer.conjunction(end, operands)?;
    Ok(layer.open(end).await?.swap_remove(0))
}

/// Shares of the AND of all `wires` of each lane, of which there are `lanes`.
///
/// Cost: [`all_cost`]; a round for each factor of four of the wires.
///
/// # Errors
/// [`ShareError::Shape`] if the lanes do not have equally many wires; as [`super::and`].
pub async fn all(end: &mut End, wires: &Bits, lanes: usize) -> Result<Bits, ShareError> {
    let count = wires.len() / lanes.max(1);
    crate::error::expect("wires of lanes", wires.len(), count * lanes)?;
    let mut tree =
        AndTree::new((0..count).map(|wire| wires.slice(wire * lanes..(wire + 1) * lanes)).collect());
    while !tree.is_done() {
        let mut layer = Layer::default();
        tree.gather(&mut layer, end)?;
        tree.scatter(&mut layer.open(end).await?.into_iter())?;
    }
    Ok(tree.finish(end, lanes))
}

/// The cost of [`all`] for `count` wires of `lanes` lanes.
pub fn all_cost(count: usize, lanes: u64) -> Cost {
    let mut cost = Cost::default();
    let mut left = count;
    while left > 1 {
        let mut bits = 0;
        left = level(left, lanes, &mut cost, &mut bits);
        cost.exchange([bits.div_ceil(8); 2]);
    }
    cost
}

/// One level of the tree over `count` wires: adds its material to the cost, and its bits each way; returns how many wires are left.
pub(crate) fn level(count: usize, lanes: u64, cost: &mut Cost, bits: &mut u64) -> usize {
    let rest = count % MAX_OPERANDS;
    let groups = [(MAX_OPERANDS, count / MAX_OPERANDS), (rest, usize::from(rest > 1))];
    for (operands, times) in groups {
        let made = times as u64 * lanes;
        *bits += made * operands as u64;
        match operands {
            _ if times == 0 => {}
            2 => cost.requirement.require::<BitTriples>(1, made),
            _ => cost.requirement.require::<NaryTriples>(operands as u32, made),
        }
    }
    count.div_ceil(MAX_OPERANDS)
}

/// The AND of many vectors, computed level by level.
pub(crate) struct AndTree {
    nodes: Vec<Bits>,
}

impl AndTree {
    pub(crate) fn new(nodes: Vec<Bits>) -> AndTree {
        AndTree { nodes }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.nodes.len() < 2
    }

    /// Adds the ANDs of one level.
    pub(crate) fn gather(&self, layer: &mut Layer, end: &mut End) -> Result<(), ShareError> {
        for group in self.nodes.chunks(MAX_OPERANDS).filter(|group| group.len() > 1) {
            layer.conjunction(end, &group.iter().collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// Takes the products of one level.
    pub(crate) fn scatter(&mut self, products: &mut impl Iterator<Item = Bits>) -> Result<(), ShareError> {
        let single = match self.nodes.len() % MAX_OPERANDS {
            1 => self.nodes.pop(),
            _ => None,
        };
        let groups = self.nodes.len().div_ceil(MAX_OPERANDS);
        let mut product = || found("products of a layer of ANDs", products.next());
        let mut nodes = (0..groups).map(|_| product()).collect::<Result<Vec<Bits>, _>>()?;
        nodes.extend(single);
        self.nodes = nodes;
        Ok(())
    }

    /// The AND of all vectors; ones if there are none.
    pub(crate) fn finish(mut self, end: &End, lanes: usize) -> Bits {
        let ones = || Bits::from_words(vec![u64::MAX; lanes.div_ceil(64)], lanes);
        self.nodes.pop().unwrap_or_else(|| super::constant(end.party, &ones()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_product_is_an_error() {
        let mut tree = AndTree::new(vec![Bits::zeros(3); 6]);
        let error = tree.scatter(&mut [Bits::zeros(3)].into_iter()).unwrap_err();
        assert!(matches!(error, ShareError::Missing { .. }), "{error}");
    }
}
