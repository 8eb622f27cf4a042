//! Products by triples.

use crate::correlations::{MatrixShape, MatrixTriples, SquarePairs, WordTriples, accumulate, check_width};
use crate::end::End;
use crate::error::expect;
use crate::masked::Masked;
use crate::pack::{WordReader, WordWriter, mask};
use crate::{Party, ShareError};
use tacit_math::{Bits, Wiped};

/// Words to multiply, lane by lane.
#[derive(Clone, Copy)]
pub struct Factors<'a> {
    /// The first factors.
    pub x: &'a [u128],
    /// The second factors, as many.
    pub y: &'a [u128],
    /// Width of all of them.
    pub bits: u32,
}

tacit_math::redacted!(Factors<'_>);

/// Shares of the products of shared words modulo 2^bits.
///
/// Cost for a product: a triple, 2·bits bits each way, packed; one round for all.
///
/// # Errors
/// [`ShareError::Shape`], [`ShareError::Width`], [`ShareError::Exhausted`], [`ShareError::Padding`]; failures of the
/// channel.
pub async fn multiply(end: &mut End, x: &[u128], y: &[u128], bits: u32) -> Result<Vec<u128>, ShareError> {
    mask_products(end, Factors { x, y, bits })?.open(end).await
}

pub(crate) fn mask_products(
    end: &mut End,
    Factors { x, y, bits }: Factors<'_>,
) -> Result<Masked, ShareError> {
    check_width(bits)?;
    expect("second factors", y.len(), x.len())?;
    // 1. Both parties open d = x - a and e = y - b.
    let triple = end.pool.take::<WordTriples>(bits, x.len())?;
    let mut message = WordWriter::with_capacity(2 * x.len() * bits as usize);
    differences(&mut message, x, &triple.a, bits);
    differences(&mut message, y, &triple.b, bits);
    let first = end.party == Party::First;
    Ok(Masked::new(message.finish(), move |own, theirs| {
        // 2. x·y = c + d·b + e·a + d·e, the last at one party.
        let mut opened = OpenedDifferences::new(own, theirs);
        let (d, e) = (opened.take(bits, triple.a.len()), opened.take(bits, triple.b.len()));
        let product = |i: usize| {
            let a = if first { triple.a[i].wrapping_add(d[i]) } else { triple.a[i] };
            let opened = d[i].wrapping_mul(triple.b[i]).wrapping_add(e[i].wrapping_mul(a));
            triple.c[i].wrapping_add(opened) & mask(bits)
        };
        (0..d.len()).map(product).collect()
    }))
}

/// Shares of the squares of shared words modulo 2^bits.
///
/// Cost for a square: a pair, `bits` bits each way, packed; one round for all.
///
/// # Errors
/// As [`multiply`].
pub async fn square(end: &mut End, x: &[u128], bits: u32) -> Result<Vec<u128>, ShareError> {
    mask_squares(end, x, bits)?.open(end).await
}

pub(crate) fn mask_squares(end: &mut End, x: &[u128], bits: u32) -> Result<Masked, ShareError> {
    check_width(bits)?;
    let pairs = end.pool.take::<SquarePairs>(bits, x.len())?;
    let mut message = WordWriter::with_capacity(x.len() * bits as usize);
    differences(&mut message, x, &pairs.a, bits);
    let first = end.party == Party::First;
    Ok(Masked::new(message.finish(), move |own, theirs| {
        // x² = c + 2·d·a + d², the last at one party, where d = x - a.
        let d = OpenedDifferences::new(own, theirs).take(bits, pairs.a.len());
        let square = |((d, a), c): ((&u128, &u128), &u128)| {
            let twice = if first { (a << 1).wrapping_add(*d) } else { a << 1 };
            c.wrapping_add(d.wrapping_mul(twice)) & mask(bits)
        };
        d.iter().zip(pairs.a.iter()).zip(pairs.c.iter()).map(square).collect()
    }))
}

/// Shares of `count` products of shared matrices, row by row, matrix after matrix.
///
/// Cost for a product: a matrix triple, and every word of both factors each way, packed; one round for all.
///
/// # Errors
/// As [`multiply`].
pub async fn matrix_product(
    end: &mut End,
    shape: MatrixShape,
    x: &[u128],
    y: &[u128],
) -> Result<Vec<u128>, ShareError> {
    mask_matrices(end, shape, x, y)?.open(end).await
}

pub(crate) fn mask_matrices(
    end: &mut End,
    shape: MatrixShape,
    x: &[u128],
    y: &[u128],
) -> Result<Masked, ShareError> {
    check_width(shape.bits)?;
    let count = x.len() / shape.left().max(1);
    expect("words of left matrices", x.len(), count * shape.left())?;
    expect("words of right matrices", y.len(), count * shape.right())?;
    let triples = end.pool.take::<MatrixTriples>(shape, count)?;
    let mut message = WordWriter::with_capacity((x.len() + y.len()) * shape.bits as usize);
    differences(&mut message, x, &triples.a, shape.bits);
    differences(&mut message, y, &triples.b, shape.bits);
    let first = end.party == Party::First;
    Ok(Masked::new(message.finish(), move |own, theirs| {
        let mut opened = OpenedDifferences::new(own, theirs);
        let (d, e) = (opened.take(shape.bits, triples.a.len()), opened.take(shape.bits, triples.b.len()));
        // X·Y = C + D·B + A·E + D·E, the last at one party.
        let mut products = triples.c.to_vec();
        for (i, c) in products.chunks_exact_mut(shape.product().max(1)).enumerate() {
            let left = i * shape.left()..(i + 1) * shape.left();
            let right = i * shape.right()..(i + 1) * shape.right();
            accumulate(shape, &d[left.clone()], &triples.b[right.clone()], c);
            let mut a = Wiped::from(triples.a[left.clone()].to_vec());
            if first {
                a.iter_mut().zip(&d[left]).for_each(|(a, d)| *a = a.wrapping_add(*d));
            }
            accumulate(shape, &a, &e[right], c);
            c.iter_mut().for_each(|c| *c &= mask(shape.bits));
        }
        products
    }))
}

/// Appends x - a to a message.
fn differences(message: &mut WordWriter, x: &[u128], a: &[u128], bits: u32) {
    x.iter().zip(a).for_each(|(x, a)| message.push(x.wrapping_sub(*a) & mask(bits), bits));
}

/// The sums of what both parties sent.
struct OpenedDifferences<'a> {
    own: WordReader<'a>,
    theirs: WordReader<'a>,
}

impl<'a> OpenedDifferences<'a> {
    fn new(own: &'a Bits, theirs: &'a Bits) -> OpenedDifferences<'a> {
        OpenedDifferences { own: WordReader::new(own.words()), theirs: WordReader::new(theirs.words()) }
    }

    fn take(&mut self, bits: u32, count: usize) -> Wiped<u128> {
        let sum = |_| self.own.take(bits).wrapping_add(self.theirs.take(bits)) & mask(bits);
        (0..count).map(sum).collect::<Vec<u128>>().into()
    }
}
