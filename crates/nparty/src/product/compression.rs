//! Compresses claims about inner products to shorter claims, until a short one is opened under a mask.
//!
//! A vector is cut into pieces, which are the values of a polynomial at 0, 1, 2 and so on. The inner product of two vectors' polynomials is a polynomial whose values at the
//! pieces' points sum to the claimed inner product. At a random point, the three polynomials make a claim about vectors as long as a piece. If the first claim is wrong, so is
//! the second, except with a probability of the degree of the inner product over the order of the field.

use tacit_math::field::Field;
use tacit_math::{Wiped, zeros};

use super::vector::Vector;

/// Claims about this many products or fewer are opened next.
pub(crate) const LAST_LENGTH: usize = 32;

/// Number of pieces of vectors that then become short enough for opening, and of longer vectors, for which
/// pieces cost more than rounds.
const MOST_PIECES: usize = 32;
pub(crate) const FEW_PIECES: usize = 4;

/// Elements of each piece that are processed at once, so that they stay in the cache.
const AT_ONCE: usize = 512;

/// A party's shares of two vectors and of their claimed inner product.
pub(crate) struct Claim<F: Field> {
    pub(crate) left: Vector<F>,
    pub(crate) right: Vector<F>,
    pub(crate) value: F::Element,
}

/// The number of pieces into which vectors of this many elements are cut.
pub(crate) fn pieces_of(length: usize) -> usize {
    if length <= MOST_PIECES * LAST_LENGTH { MOST_PIECES } else { FEW_PIECES }
}

/// A claim whose vectors are cut into pieces.
pub(crate) struct Compression<F: Field> {
    field: F,
    claim: Claim<F>,
    pieces: usize,
    /// Elements of a piece. The last piece may be shorter, as if zeros followed.
    length: usize,
    /// The piece whose inner product follows from the claim: the claim is the sum over all pieces up to this
    /// one.
    tied: usize,
    /// For each piece, the inverse of the product of its differences from all others.
    weights: Vec<F::Element>,
}

impl<F: Field> Compression<F> {
    /// A claim in this many pieces, or as many as its vectors fill.
    pub(crate) fn new(field: &F, claim: Claim<F>, pieces: usize) -> Self {
        let length = claim.left.len().div_ceil(pieces);
        let pieces = claim.left.len().div_ceil(length);
        Compression {
            field: field.clone(),
            claim,
            pieces,
            length,
            tied: pieces - 1,
            weights: weights(field, pieces),
        }
    }

    /// A claim in pieces of one element, followed by a random product that hides what is opened.
    pub(crate) fn last(field: &F, claim: Claim<F>, (a, b): (F::Element, F::Element)) -> Self {
        let Claim { left, right, value } = claim;
        let (pieces, tied) = (left.len() + 1, left.len().saturating_sub(1));
        let longer = |vector: Vector<F>, mask| Vector::from([&vector.to_wiped()[..], &[mask]].concat());
        let claim = Claim { left: longer(left, a), right: longer(right, b), value };
        Compression { field: field.clone(), claim, pieces, length: 1, tied, weights: weights(field, pieces) }
    }

    /// The number of points: one more than the degree of the product.
    fn points(&self) -> usize {
        2 * self.pieces - 1
    }

    /// This party's shares of degree 2t of the inner products at all points except the tied one.
    pub(crate) fn products(&self) -> Vec<F::Element> {
        let field = &self.field;
        let beyond: Vec<_> = (self.pieces..self.points())
            .map(|point| self.coefficients(field.element(point as u64)))
            .collect();
        let mut sums = zeros(self.points());
        let mut rooms = [Room::new(self.pieces, self.length), Room::new(self.pieces, self.length)];
        for first in (0..self.length).step_by(AT_ONCE) {
            let count = AT_ONCE.min(self.length - first);
            let [left, right] = &mut rooms;
            let (left, left_sum) = left.pieces(&self.claim.left, (first, count), self.length);
            let (right, right_sum) = right.pieces(&self.claim.right, (first, count), self.length);
            for (piece, (left, right)) in left.iter().zip(&right).enumerate() {
                // The value at the tied piece follows from the others.
                if piece != self.tied {
                    sums[piece] = field.add(sums[piece], field.dot(left, right));
                }
            }
            for (sum, coefficients) in sums[self.pieces..].iter_mut().zip(&beyond) {
                field.combine(left_sum, &left, coefficients);
                field.combine(right_sum, &right, coefficients);
                *sum = field.add(*sum, field.dot(left_sum, right_sum));
            }
        }
        sums.remove(self.tied);
        sums
    }

    /// The claim at a point, from this party's shares of degree t of [`Compression::products`].
    pub(crate) fn at(mut self, point: F::Element, products: &[F::Element]) -> Claim<F> {
        let field = self.field.clone();
        let mut values = products.to_vec();
        let before = values[..self.tied].iter().fold(F::Element::default(), |sum, one| field.add(sum, *one));
        values.insert(self.tied, field.sub(self.claim.value, before));
        let values = Wiped::from(values);
        let coefficients = self.coefficients(point);
        let left = self.folded(&self.claim.left, &coefficients);
        let right = self.folded(&self.claim.right, &coefficients);
        let count = self.points();
        self.weights = weights(&field, count);
        let value = field.dot(&values, &self.coefficients(point));
        Claim { left, right, value }
    }

    fn folded(&self, vector: &Vector<F>, coefficients: &[F::Element]) -> Vector<F> {
        let mut folded = zeros(self.length);
        let mut room = Room::new(self.pieces, self.length);
        for (first, folded) in (0..).step_by(AT_ONCE).zip(folded.chunks_mut(AT_ONCE)) {
            let (pieces, _) = room.pieces(vector, (first, folded.len()), self.length);
            self.field.combine(folded, &pieces, coefficients);
        }
        folded.into()
    }

    /// Coefficients of the values at 0, 1 and so on, whose sum is the value at a point; there are as many points as
    /// weights.
    fn coefficients(&self, at: F::Element) -> Vec<F::Element> {
        let (field, count) = (&self.field, self.weights.len());
        let differences: Vec<_> = (0..count as u64).map(|i| field.sub(at, field.element(i))).collect();
        let mut coefficients = self.weights.clone();
        let (mut before, mut behind) = (field.one(), field.one());
        for i in 0..count {
            coefficients[i] = field.mul(coefficients[i], before);
            before = field.mul(before, differences[i]);
            let last = count - 1 - i;
            coefficients[last] = field.mul(coefficients[last], behind);
            behind = field.mul(behind, differences[last]);
        }
        coefficients
    }
}

/// Buffers for some elements of all pieces, and of one more.
struct Room<F: Field> {
    pieces: Vec<Wiped<F::Element>>,
    sum: Wiped<F::Element>,
}

impl<F: Field> Room<F> {
    fn new(pieces: usize, length: usize) -> Self {
        let buffer = || Wiped::from(zeros(AT_ONCE.min(length)));
        Room { pieces: (0..pieces).map(|_| buffer()).collect(), sum: buffer() }
    }

    /// A range of elements of each piece of a vector, and a buffer for as many.
    fn pieces<'a>(
        &'a mut self,
        vector: &'a Vector<F>,
        (first, count): (usize, usize),
        length: usize,
    ) -> (Vec<&'a [F::Element]>, &'a mut [F::Element]) {
        let read = |(piece, room): (usize, &'a mut Wiped<F::Element>)| {
            vector.read(piece * length + first, &mut room[..count])
        };
        (self.pieces.iter_mut().enumerate().map(read).collect(), &mut self.sum[..count])
    }
}

/// For each of the points 0, 1 and so on, the inverse of the product of its differences from all others.
fn weights<F: Field>(field: &F, count: usize) -> Vec<F::Element> {
    let difference = |a: usize, b: usize| field.sub(field.element(a as u64), field.element(b as u64));
    let product = |point: usize| {
        let others = (0..count).filter(|other| *other != point);
        others.fold(field.one(), |product, other| field.mul(product, difference(point, other)))
    };
    inverses(field, &(0..count).map(product).collect::<Vec<_>>())
}

/// The inverses of nonzero public elements, with one inversion.
fn inverses<F: Field>(field: &F, elements: &[F::Element]) -> Vec<F::Element> {
    let mut products = Vec::with_capacity(elements.len());
    let mut product = field.one();
    for element in elements {
        products.push(product);
        product = field.mul(product, *element);
    }
    let mut inverse = field.inverse(product);
    for (made, element) in products.iter_mut().zip(elements).rev() {
        *made = field.mul(*made, inverse);
        inverse = field.mul(inverse, *element);
    }
    products
}

#[cfg(test)]
mod tests {
    use tacit_crypto::Prg;
    use tacit_math::Block;
    use tacit_math::field::{Mersenne61, Montgomery};

    use super::*;

    fn random<F: Field>(field: &F, count: usize, seed: u128) -> Vec<F::Element> {
        let mut bytes = vec![0; count * field.uniform_bytes()];
        Prg::new(Block(seed)).fill_bytes(&mut bytes);
        let mut elements = vec![F::Element::default(); count];
        field.uniform_all(&bytes, &mut elements);
        elements
    }

    /// Compresses a claim about numbers that one party knows, down to one product; returns whether that
    /// product is right.
    fn survives<F: Field>(field: &F, length: usize, error: u64) -> bool {
        let (left, right) = (random(field, length, 1), random(field, length, 2));
        let value = field.add(field.dot(&left, &right), field.element(error));
        let mut claim = Claim { left: left.into(), right: right.into(), value };
        for round in 3.. {
            let point = random(field, 1, round)[0];
            let last = claim.left.len() <= LAST_LENGTH;
            let compression = match last {
                true => Compression::last(field, claim, (field.element(5), field.element(7))),
                false => {
                    let pieces = pieces_of(claim.left.len());
                    Compression::new(field, claim, pieces)
                }
            };
            let products = compression.products();
            claim = compression.at(point, &products);
            if last {
                break;
            }
        }
        assert_eq!((claim.left.len(), claim.right.len()), (1, 1));
        field.mul(claim.left.to_wiped()[0], claim.right.to_wiped()[0]) == claim.value
    }

    #[test]
    fn right_claims_stay_right_and_wrong_ones_wrong() {
        let wide = Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd");
        for length in [1, 2, 31, 32, 33, 64, 1000, 1024, 1025, 5000, 70_001] {
            assert!(survives(&Mersenne61, length, 0), "{length}");
            assert!(!survives(&Mersenne61, length, 1), "{length}");
        }
        for length in [1, 40, 1500] {
            assert!(survives(&wide, length, 0), "{length}");
            assert!(!survives(&wide, length, 1), "{length}");
        }
    }

    #[test]
    fn wrong_products_make_wrong_claims() {
        let field = Mersenne61;
        for length in [3, 40] {
            let (left, right) = (random(&field, length, 1), random(&field, length, 2));
            let value = field.dot(&left, &right);
            let count = 2 * if length == 3 { 3 } else { 19 };
            for wrong in 0..count {
                let claim = Claim { left: left.clone().into(), right: right.clone().into(), value };
                let compression: Compression<Mersenne61> = match length {
                    3 => Compression::last(&field, claim, (11, 13)),
                    _ => Compression::new(&field, claim, pieces_of(length)),
                };
                let mut products = compression.products();
                assert_eq!(products.len(), count);
                products[wrong] = field.add(products[wrong], 1);
                let claim = compression.at(random(&field, 1, 9)[0], &products);
                assert_ne!(
                    field.dot(&claim.left.to_wiped(), &claim.right.to_wiped()),
                    claim.value,
                    "product {wrong}"
                );
            }
        }
    }

    #[test]
    fn what_is_opened_last_is_as_random_as_its_masks() {
        // At a point that is not a piece's, a mask that takes each value once makes the opened element take each value once.
        let field = Montgomery::<1>::new(&[101]).expect("odd");
        let e = |value| field.element(value);
        let opened = |mask: u64| {
            let claim = Claim { left: vec![e(3), e(4)].into(), right: vec![e(5), e(6)].into(), value: e(39) };
            let compression = Compression::last(&field, claim, (e(mask), e(mask + 50)));
            let products = compression.products();
            let claim = compression.at(e(77), &products);
            (claim.left.to_wiped()[0], claim.right.to_wiped()[0])
        };
        let mut all: Vec<_> = (0..101).map(opened).collect();
        for which in 0..2 {
            let mut seen = [false; 101];
            for pair in &mut all {
                let mut bytes = [0; 1];
                field.encode(if which == 0 { pair.0 } else { pair.1 }, &mut bytes);
                seen[usize::from(bytes[0])] = true;
            }
            assert!(seen.iter().all(|seen| *seen));
        }
    }
}
