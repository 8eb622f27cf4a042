//! Triples of matrices.
//!
//! The product of a random matrix of one party with a random matrix of the other consists of products of words
//! ([`super::gilboa`]). The random choices are the words of the factor with which fewer OTs are needed, and each is
//! multiplied with a whole row or column of the other factor.
//!
//! Source: Mohassel and Zhang, *SecureML* (S&P'17), §IV; the choice between the two factors as there.
//! Security: that of random OT.
//! Cost for matrices of rows × inner by inner × columns words: inner·min(rows, columns)·bits OTs and
//! rows·inner·columns·bits·(bits+1)/2 bits in each direction.

use super::gilboa::{PendingProducts, Shape, Strings, begin, draw, end, random_words, send};
use super::{Columns, CorrelationKind, OtKind, Ots, check_width};
use crate::pack::mask;
use crate::{Dialogue, Party, ShareError};
use tacit_net::Channel;
use tacit_schedule::{Consumed, Unit};
use zeroize::Zeroizing;

/// The shape of a matrix product modulo 2^bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MatrixShape {
    /// Width of the words, 1 to 128.
    pub bits: u32,
    /// Rows of the left matrix.
    pub rows: usize,
    /// Columns of the left and rows of the right matrix.
    pub inner: usize,
    /// Columns of the right matrix.
    pub columns: usize,
}

impl MatrixShape {
    /// Words of the left matrix.
    pub fn left(self) -> usize {
        self.rows * self.inner
    }

    /// Words of the right matrix.
    pub fn right(self) -> usize {
        self.inner * self.columns
    }

    /// Words of the product.
    pub fn product(self) -> usize {
        self.rows * self.columns
    }

    /// Whether the OTs' choices are the words of the left matrix.
    fn chooses_left(self) -> bool {
        self.rows <= self.columns
    }

    /// The shape of the products of words in each direction.
    fn words(self) -> Shape {
        let (count, span) = match self.chooses_left() {
            true => (self.left(), self.columns),
            false => (self.right(), self.rows),
        };
        Shape { bits: self.bits, count, span }
    }
}

/// Shares of random matrices a, b and c = a·b, row by row, triple after triple.
#[derive(Default)]
pub struct MatrixTriples {
    /// The left factors.
    pub a: Zeroizing<Vec<u128>>,
    /// The right factors.
    pub b: Zeroizing<Vec<u128>>,
    /// The products.
    pub c: Zeroizing<Vec<u128>>,
}

impl CorrelationKind for MatrixTriples {
    const NAME: &'static str = "matrix triples";

    type Shape = MatrixShape;

    fn check(shape: MatrixShape) -> Result<(), ShareError> {
        check_width(shape.bits)
    }

    fn consumed(kind: Consumed) -> Option<MatrixShape> {
        let Consumed::Matrix { bits, rows, inner, columns } = kind else { return None };
        let [rows, inner, columns] = [rows, inner, columns].map(|n| n as usize);
        Some(MatrixShape { bits, rows, inner, columns })
    }

    fn columns(&self, shape: MatrixShape, by: &mut impl Columns) -> MatrixTriples {
        MatrixTriples {
            a: by.words(&self.a, shape.left(), shape.bits),
            b: by.words(&self.b, shape.right(), shape.bits),
            c: by.words(&self.c, shape.product(), shape.bits),
        }
    }
}

impl OtKind for MatrixTriples {
    fn price(shape: MatrixShape, count: u64) -> Dialogue {
        let words = shape.words();
        let one = Dialogue::default().windows(words.count as u64, words.window() as u64, |count| {
            let words = Shape { count: count as usize, ..words };
            let (ots, bytes) = (words.ots() as u64, words.message_bytes());
            let (unit, each) = words.masking();
            let supplied = Dialogue::default().supply(ots, ots).transfer([ots; 2]).compute(unit, 2 * each);
            supplied.send(Party::First, bytes).send(Party::Second, bytes)
        });
        let products = (shape.left() as u64).saturating_mul(shape.columns as u64);
        Dialogue::default().repeat(count, one.compute(Unit::WordProduct, products))
    }

    async fn make(
        ots: &mut Ots,
        channel: &mut Channel,
        shape: MatrixShape,
        count: usize,
    ) -> Result<MatrixTriples, ShareError> {
        let words = |each: usize| Zeroizing::new(Vec::with_capacity(count * each));
        let mut all =
            MatrixTriples { a: words(shape.left()), b: words(shape.right()), c: words(shape.product()) };
        for _ in 0..count {
            let mut one = MatrixTriples {
                a: random_words(&mut ots.own, shape.bits, shape.left()),
                b: random_words(&mut ots.own, shape.bits, shape.right()),
                c: Zeroizing::new(vec![0; shape.product()]),
            };
            let whole = shape.words();
            for start in (0..whole.count).step_by(whole.window()) {
                let size = whole.window().min(whole.count - start);
                window(ots, channel, (shape, Shape { count: size, ..whole }, start), &mut one).await?;
            }
            let MatrixTriples { a, b, c } = &mut one;
            accumulate(shape, a, b, c);
            c.iter_mut().for_each(|c| *c &= mask(shape.bits));
            all.a.append(a);
            all.b.append(b);
            all.c.append(c);
        }
        Ok(all)
    }
}

/// Multiplies some words of the choosing factor, from the `start`-th on. One party sends after the other, since a message may
/// exceed a channel's credit.
async fn window(
    ots: &mut Ots,
    channel: &mut Channel,
    (shape, words, start): (MatrixShape, Shape, usize),
    one: &mut MatrixTriples,
) -> Result<(), ShareError> {
    ots.supply(channel, words.ots(), words.ots()).await?;
    let pending = begin(channel, &mut ots.receiver, words).await?;
    let strings = draw(channel, &mut ots.sender, words).await?;
    match ots.party {
        Party::First => {
            give(channel, strings, (shape, words, start), one).await?;
            take(channel, pending, (shape, words, start), one).await
        }
        Party::Second => {
            take(channel, pending, (shape, words, start), one).await?;
            give(channel, strings, (shape, words, start), one).await
        }
    }
}

/// The place in the product of word t of the choosing factor with word s of the other.
fn place(shape: MatrixShape, t: usize, s: usize) -> usize {
    match shape.chooses_left() {
        true => t / shape.inner * shape.columns + s,
        false => s * shape.columns + t % shape.columns,
    }
}

async fn give(
    channel: &mut Channel,
    strings: Strings,
    (shape, words, start): (MatrixShape, Shape, usize),
    one: &mut MatrixTriples,
) -> Result<(), ShareError> {
    let MatrixTriples { a, b, c } = one;
    let value = |t: usize, s: usize| match shape.chooses_left() {
        true => b[(start + t) % shape.inner * shape.columns + s],
        false => a[s * shape.inner + (start + t) / shape.columns],
    };
    let add = |t: usize, s: usize, share: u128| {
        let place = place(shape, start + t, s);
        c[place] = c[place].wrapping_add(share);
    };
    send(channel, strings, words, value, add).await
}

async fn take(
    channel: &mut Channel,
    pending: PendingProducts,
    (shape, words, start): (MatrixShape, Shape, usize),
    one: &mut MatrixTriples,
) -> Result<(), ShareError> {
    let MatrixTriples { a, b, c } = one;
    let factor = if shape.chooses_left() { a } else { b };
    let add = |t: usize, s: usize, share: u128| {
        let place = place(shape, start + t, s);
        c[place] = c[place].wrapping_add(share);
    };
    end(channel, pending, words, |t, word| factor[start + t] = word, add).await
}

/// Adds the product of two matrices to `c`, modulo 2^128.
pub(crate) fn accumulate(shape: MatrixShape, a: &[u128], b: &[u128], c: &mut [u128]) {
    let (inner, columns) = (shape.inner.max(1), shape.columns.max(1));
    for (a, c) in a.chunks_exact(inner).zip(c.chunks_exact_mut(columns)) {
        for (a, b) in a.iter().zip(b.chunks_exact(columns)) {
            c.iter_mut().zip(b).for_each(|(c, b)| *c = c.wrapping_add(a.wrapping_mul(*b)));
        }
    }
}
