//! Public coefficients of the sum over all elements of a verification.

use tacit_crypto::Prg;
use tacit_math::field::Field;
use tacit_math::zeros;

/// Elements for each coefficient of a block: few enough that the coefficients of places in a block stay in the cache.
pub(crate) const BLOCK: usize = 1 << 11;

/// Coefficients from a coin, one for each element: the product of one for its block and one for its place in the block. If any elements are wrong, the error of their sum is
/// a polynomial of degree 2 in the coin's elements, and zero with a probability of at most 2 over the order of the field.
///
/// They are returned in order.
pub(crate) struct Coefficients<F: Field> {
    field: F,
    places: Vec<F::Element>,
    blocks: Vec<F::Element>,
    at: usize,
    /// The coefficients that were returned last.
    given: Vec<F::Element>,
}

impl<F: Field> Coefficients<F> {
    /// Coefficients for this many elements.
    pub(crate) fn new(field: &F, coin: &mut Prg, count: usize) -> Self {
        let places = uniform(field, coin, BLOCK.min(count));
        let blocks = uniform(field, coin, count.div_ceil(BLOCK));
        let given = zeros(places.len());
        Coefficients { field: field.clone(), places, blocks, at: 0, given }
    }

    /// The next coefficients, at most `most` and at most as many as are left in a block.
    pub(crate) fn next(&mut self, most: usize) -> &[F::Element] {
        let (block, place) = (self.at / BLOCK, self.at % BLOCK);
        let count = most.min(self.places.len() - place);
        self.at += count;
        let given = &mut self.given[..count];
        self.field.combine(given, &[&self.places[place..][..count]], &self.blocks[block..][..1]);
        given
    }

    /// The next `count` coefficients.
    pub(crate) fn take(&mut self, count: usize) -> Vec<F::Element> {
        let mut all = Vec::with_capacity(count);
        while all.len() < count {
            let next = self.next(count - all.len());
            all.extend_from_slice(next);
        }
        all
    }
}

/// Public elements from a coin.
pub(crate) fn uniform<F: Field>(field: &F, coin: &mut Prg, count: usize) -> Vec<F::Element> {
    let mut elements = zeros(count);
    let mut bytes = vec![0; field.uniform_bytes() * count];
    coin.fill_bytes(&mut bytes);
    field.uniform_all(&bytes, &mut elements);
    elements
}

#[cfg(test)]
mod tests {
    use tacit_math::Block;
    use tacit_math::field::Mersenne61;

    use super::*;

    #[test]
    fn coefficients_are_products_of_what_is_drawn_in_order() {
        for count in [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5] {
            let mut drawn = Prg::new(Block(4));
            let places = uniform(&Mersenne61, &mut drawn, BLOCK.min(count));
            let blocks = uniform(&Mersenne61, &mut drawn, count.div_ceil(BLOCK));
            let mut coefficients = Coefficients::new(&Mersenne61, &mut Prg::new(Block(4)), count);
            let first = coefficients.next(1).to_vec();
            let all = [first, coefficients.take(count - 1)].concat();
            let expected = (0..count).map(|at| Mersenne61.mul(blocks[at / BLOCK], places[at % BLOCK]));
            assert_eq!(all, expected.collect::<Vec<_>>(), "{count}");
        }
    }
}
