//! Puncturable pseudorandom functions from GGM trees: one party has all 2^k leaves, the other all but a secret one.

use tacit_crypto::aes::Aes128;
use tacit_math::Block;
use zeroize::Zeroizing;

/// The sums that the party with the whole tree sends for each level below the first, masked by the base OTs.
pub(super) type Correction = [Block; 2];

/// The leaves of a tree, and the corrections that let the peer compute all of them but one.
///
/// `base[p]` are the blocks of the base OT for bit p of the leaf's number, highest bit at the root.
/// Corrections run from the second level down.
pub(super) fn full(base: &[[Block; 2]]) -> (Zeroizing<Vec<Block>>, Vec<Correction>) {
    let top = base.len() - 1;
    let mut nodes = Zeroizing::new(base[top].to_vec());
    let mut corrections = Vec::with_capacity(top);
    for masks in base[..top].iter().rev() {
        nodes = Zeroizing::new(nodes.iter().flat_map(|&node| children(node)).collect());
        let sums = parity_sums(&nodes);
        corrections.push([sums[0] ^ masks[0], sums[1] ^ masks[1]]);
    }
    (nodes, corrections)
}

/// The leaves of a tree except leaf `hole`, in whose place is zero. Leaf x is at index `x ^ hole`, so the missing
/// one is at 0, and no address depends on the hole.
///
/// `base[p]` is the block of choice `!hole[p]` of the base OT for bit p. `hole` and `base` are secret.
pub(super) fn punctured(base: &[Block], hole: &[bool], corrections: &[Correction]) -> Zeroizing<Vec<Block>> {
    let top = base.len() - 1;
    let mut nodes = Zeroizing::new(vec![Block::ZERO, base[top]]);
    for ((&key, &bit), correction) in base[..top].iter().zip(hole).rev().zip(corrections) {
        // Children, indexed by whether they leave the path to the hole at this level; those of the hole itself are unknown.
        let mut below: Vec<Block> = vec![Block::ZERO; 2];
        below.extend(nodes[1..].iter().flat_map(|&node| swapped(children(node), bit)));
        // The sum over all nodes on the other side of this level, minus the known ones, is the hole's sibling.
        let sum = swapped(*correction, bit)[1] ^ key;
        below[1] = sum ^ parity_sums(&below)[1];
        nodes = Zeroizing::new(below);
    }
    nodes
}

/// The two children of an inner node: the first two blocks of its expansion.
fn children(node: Block) -> [Block; 2] {
    let mut pair = [Block(0), Block(1)];
    Aes128::new(node).encrypt_blocks(&mut pair);
    pair
}

/// The sums of the nodes at even and at odd places.
fn parity_sums(nodes: &[Block]) -> [Block; 2] {
    nodes.chunks_exact(2).fold([Block::ZERO; 2], |sum, pair| [sum[0] ^ pair[0], sum[1] ^ pair[1]])
}

/// The pair, swapped if `bit`, without a branch.
fn swapped(pair: [Block; 2], bit: bool) -> [Block; 2] {
    let difference = (pair[0] ^ pair[1]) & Block::mask(bit);
    [pair[0] ^ difference, pair[1] ^ difference]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_crypto::Prg;

    #[test]
    fn all_leaves_but_the_hole_agree() {
        let mut prg = Prg::new(Block(3));
        for k in [1, 2, 4, 8] {
            let base: Vec<[Block; 2]> = (0..k).map(|_| [prg.next_block(), prg.next_block()]).collect();
            let (leaves, corrections) = full(&base);
            assert_eq!((leaves.len(), corrections.len()), (1 << k, k - 1));
            for hole in 0..1 << k {
                let bits: Vec<bool> = (0..k).map(|p| hole >> p & 1 == 1).collect();
                let keys: Vec<Block> = (0..k).map(|p| base[p][usize::from(!bits[p])]).collect();
                let known = punctured(&keys, &bits, &corrections);
                assert!((1..1 << k).all(|y| known[y] == leaves[y ^ hole]), "k {k} hole {hole}");
                assert!(!known.contains(&leaves[hole]));
            }
        }
    }
}
