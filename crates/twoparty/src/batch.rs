//! Independent operations, whose openings share one message.

use crate::arith::{self, Factors};
use crate::correlations::MatrixShape;
use crate::end::End;
use crate::masked::{self, Masked};
use crate::{ShareError, convert, gmw};
use tacit_math::Bits;

/// An operation that opens something and whose result is shared words.
#[derive(Clone, Copy)]
pub enum WordOperation<'a> {
    /// [`arith::multiply`].
    Multiply(Factors<'a>),
    /// [`arith::square`].
    Square {
        /// The words.
        x: &'a [u128],
        /// Their width.
        bits: u32,
    },
    /// [`arith::matrix_product`].
    MatrixProduct {
        /// The shape of every product.
        shape: MatrixShape,
        /// The left matrices.
        x: &'a [u128],
        /// The right matrices, as many.
        y: &'a [u128],
    },
    /// [`convert::b2a`].
    BoolToArith {
        /// `bits` wires of `lanes` lanes.
        shares: &'a Bits,
        /// Width of the words.
        bits: u32,
        /// How many words.
        lanes: usize,
    },
}

tacit_math::redacted!(WordOperation<'_>);

impl WordOperation<'_> {
    /// Takes its material and masks its operands.
    fn mask(self, end: &mut End) -> Result<Masked, ShareError> {
        match self {
            WordOperation::Multiply(factors) => arith::mask_products(end, factors),
            WordOperation::Square { x, bits } => arith::mask_squares(end, x, bits),
            WordOperation::MatrixProduct { shape, x, y } => arith::mask_matrices(end, shape, x, y),
            WordOperation::BoolToArith { shares, bits, lanes } => convert::mask_b2a(end, shares, bits, lanes),
        }
    }
}

/// Runs operations, and circuits on shared bits in the same messages; returns shares of the operations' results, in
/// order.
///
/// Cost: the sum of all costs, in as many rounds as the circuit with the most layers takes, at least one.
///
/// # Errors
/// Those of the operations and of [`gmw::run`].
pub async fn run(
    end: &mut End,
    operations: &[WordOperation<'_>],
    regions: &mut [gmw::BitRegion<'_>],
) -> Result<Vec<Vec<u128>>, ShareError> {
    let masked = operations.iter().map(|operation| operation.mask(end)).collect::<Result<_, _>>()?;
    masked::open(end, masked, regions).await
}
