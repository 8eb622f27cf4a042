//! Products of matrices that lattices compute online from the operands' shares, without triples and openings.

use std::collections::BTreeSet;

use tacit_crypto::Prg;
use tacit_net::Channel;
use zeroize::Zeroizing;

use super::products::{key_size, products};
use super::tiles::Tiles;
use crate::correlations::{CorrelationKind, MatrixShape, MatrixTriples};
use crate::lattice_keys::LatticeKeys;
use crate::pack::mask;
use crate::{Dialogue, ShareError};

/// The matrix products that a run computes in this way, and the session's keys.
///
/// For these products, setup only makes keys, and their factors are not opened online. A product sends what making its triple would
/// send ([`super::LatticeMatrices`]), in two messages of each party instead of one that opens factors.
#[derive(Default)]
pub struct OnlineMatrices {
    shapes: BTreeSet<MatrixShape>,
    keys: LatticeKeys,
}

impl OnlineMatrices {
    /// Products of these shapes, under the keys of a session.
    pub fn new(shapes: BTreeSet<MatrixShape>, keys: LatticeKeys) -> OnlineMatrices {
        OnlineMatrices { shapes, keys }
    }

    /// Makes the missing keys, in setup. `prg` is secret and fresh.
    ///
    /// Cost: [`OnlineMatrices::meeting`].
    ///
    /// # Errors
    /// [`ShareError::He`] for an invalid public key; failures of the channel.
    pub async fn meet(&mut self, channel: &mut Channel, prg: &mut Prg) -> Result<(), ShareError> {
        for size in self.shapes.iter().copied().filter_map(key_size) {
            self.keys.make(channel, size, prg).await?;
        }
        Ok(())
    }

    /// What making the keys for these shapes sends in setup, unless they exist.
    pub fn meeting(shapes: &BTreeSet<MatrixShape>) -> Dialogue {
        let sizes = shapes.iter().copied().filter_map(key_size);
        sizes.map(|size| Dialogue::default().key(size)).sum()
    }

    /// What `count` products of a shape send and compute online; `None` if lattices do not support the shape.
    pub fn price(shape: MatrixShape, count: u64) -> Option<Dialogue> {
        Some(Tiles::of(shape)?.price(count))
    }

    /// Whether products of this shape are computed here.
    pub(crate) fn serve(&self, shape: MatrixShape) -> bool {
        self.shapes.contains(&shape)
    }

    /// Shares of the products of shared matrices, one for each pair of factors, one after the other. The peer does the
    /// same.
    ///
    /// Security: as for triples; shares of factors are hidden, even if they are not uniform.
    /// Cost: [`OnlineMatrices::price`].
    ///
    /// [`ShareError::He`] for invalid ciphertexts and replies; [`ShareError::Length`] if factors are missing; failures of the
    /// channel.
    pub(crate) async fn multiply(
        &mut self,
        prg: &mut Prg,
        channel: &mut Channel,
        shape: MatrixShape,
        [x, y]: [&[u128]; 2],
    ) -> Result<Zeroizing<Vec<u128>>, ShareError> {
        MatrixTriples::check(shape)?;
        let reduced = |words: &[u128]| {
            Zeroizing::new(words.iter().map(|word| word & mask(shape.bits)).collect::<Vec<u128>>())
        };
        let factors = MatrixTriples { a: reduced(x), b: reduced(y), c: Zeroizing::default() };
        let MatrixTriples { c, .. } = products(prg, &mut self.keys, channel, shape, factors).await?;
        channel.flush().await?;
        Ok(c)
    }

    /// The session's keys, for later runs.
    pub fn into_keys(self) -> LatticeKeys {
        self.keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correlations::accumulate;
    use tacit_math::Block;
    use tacit_net::{Options, StreamId, memory};

    /// Both parties' shares of products of matrices with these shares.
    fn multiplied(seed: u128, shape: MatrixShape, shares: [[&[u128]; 2]; 2]) -> [Vec<u128>; 2] {
        let (one, two) = memory::pair(Options::default());
        let [a, b] = [one, two].map(|connection| connection.open(StreamId(1)).unwrap());
        let run = async |mut channel: Channel, party: usize| {
            let mut prg = Prg::new(Block(2 * seed + party as u128));
            let mut matrices = OnlineMatrices::new([shape].into(), LatticeKeys::default());
            matrices.meet(&mut channel, &mut prg).await.unwrap();
            assert!(matrices.serve(shape) && !matrices.serve(MatrixShape { rows: shape.rows + 1, ..shape }));
            let product = matrices.multiply(&mut prg, &mut channel, shape, shares[party]).await;
            product.unwrap().to_vec()
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { tokio::join!(run(a, 0), run(b, 1)) }).into()
    }

    #[test]
    fn shares_add_up_to_the_products_whatever_lies_above_the_width() {
        let shape = MatrixShape { bits: 20, rows: 2, inner: 5, columns: 3 };
        let words = |start: u128, count: usize| -> Vec<u128> {
            (0..count as u128).map(|i| (start + i).wrapping_mul(0x1234_5678_9abc_def1)).collect()
        };
        let [x0, x1] = [1, 50].map(|start| words(start, 2 * shape.left()));
        let [y0, y1] = [7, 90].map(|start| words(start, 2 * shape.right()));
        let [one, two] = multiplied(1, shape, [[&x0, &y0], [&x1, &y1]]);
        let sum = |a: &[u128], b: &[u128]| -> Vec<u128> {
            a.iter().zip(b).map(|(a, b)| a.wrapping_add(*b) & mask(shape.bits)).collect()
        };
        let (x, y, found) = (sum(&x0, &x1), sum(&y0, &y1), sum(&one, &two));
        for (at, product) in found.chunks(shape.product()).enumerate() {
            let mut expected = vec![0; shape.product()];
            let (left, right) = (at * shape.left(), at * shape.right());
            accumulate(shape, &x[left..][..shape.left()], &y[right..][..shape.right()], &mut expected);
            expected.iter_mut().for_each(|word| *word &= mask(shape.bits));
            assert_eq!(product, expected);
        }
    }

    /// Even if shares determine what they share, as a party's own inputs may, the product's shares do not
    /// depend on them.
    #[test]
    fn shares_of_a_product_are_fresh_in_every_run() {
        let shape = MatrixShape { bits: 32, rows: 8, inner: 4, columns: 2 };
        let (x, y, zeros) = (vec![1; shape.left()], vec![3; shape.right()], vec![0; 32]);
        let run = |seed| multiplied(seed, shape, [[&x, &zeros[..shape.right()]], [&zeros, &y]]);
        let (first, second) = (run(3), run(4));
        for party in [0, 1] {
            let equal = first[party].iter().zip(&second[party]).filter(|(a, b)| a == b).count();
            assert!(equal < 3, "{equal} of {} words", shape.product());
            let unmasked = first[party].iter().filter(|word| **word == 0 || **word == 12).count();
            assert!(unmasked < 3, "{unmasked} words without a mask");
        }
    }
}
