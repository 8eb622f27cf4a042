//! Operations on encrypted words: which exist, which operands fit, and what they compute.

use serde::{Deserialize, Serialize};
use tacit_circuit::Executable;
use tacit_ir::Domain;

use crate::bound::Bound;
use crate::bundle::Bundle;
use crate::consumption::Consumed;
use crate::domains::arith::{ArithOp, Relation};
use crate::kernel::{ClearOperands, KernelRules, Site};
use crate::rules::{Checked, require};

/// An operation on encrypted words, modulo 2^bits. Lanes are those of one instance of the body. No party
/// waits for the other, except where two encrypted words are multiplied or compared.
///
/// Subtractions add `lift`, a power of two: at least the word's width and the bits of the subtrahend.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HeOp {
    /// The sum of two words.
    Add,
    /// The difference of two words.
    Sub {
        /// See [`HeOp`].
        lift: u32,
    },
    /// The additive inverse.
    Neg {
        /// See [`HeOp`].
        lift: u32,
    },
    /// The product of two words, one of which the holder knows.
    Mul {
        /// See [`HeOp`].
        lift: u32,
    },
    /// The product with 2^by.
    ShiftLeft(u32),
    /// The low bits.
    Truncate,
    /// The sum of each run of this many consecutive lanes.
    SegmentSum(u64),
    /// The running sum of each run of this many consecutive lanes.
    Scan(u64),
    /// Products of matrices of encrypted words, in one round: the key's owner multiplies matrices that the
    /// holder has blinded.
    BlindedProduct {
        /// Number of products.
        batch: u64,
        /// Rows of the left matrix.
        rows: u64,
        /// Columns of the left, rows of the right matrix.
        inner: u64,
        /// Columns of the right matrix.
        columns: u64,
        /// Bits of the factors: as many as fit in a slot beside the mask.
        factor_bits: u32,
    },
    /// `batch` products of a `rows x inner` by an `inner x columns` matrix, row-major, one of which the
    /// holder knows.
    MatrixProduct {
        /// Number of products.
        batch: u64,
        /// Rows of the left matrix.
        rows: u64,
        /// Columns of the left, rows of the right matrix.
        inner: u64,
        /// Columns of the right matrix.
        columns: u64,
        /// See [`HeOp`].
        lift: u32,
        /// Bits of the words of the left and right matrix that the holder knows.
        known_bits: [u32; 2],
    },
    /// A comparison of two words, whose result is a word that is zero or one. The key's owner helps, by a
    /// comparison of its bits of the masked difference with the holder's.
    Compare {
        /// The relation: [`Relation::LessWithin`] or [`Relation::Equal`].
        relation: Relation,
        /// See [`HeOp`].
        lift: u32,
        /// Bits of the difference: as many as fit in a slot beside the mask.
        value_bits: u32,
    },
    /// One minus the word, which is a bit.
    Flip {
        /// See [`HeOp`].
        lift: u32,
    },
}

/// The widest words that can be compared.
pub const MAX_COMPARED_BITS: u32 = 64;

impl HeOp {
    fn arity(&self) -> usize {
        match self {
            HeOp::Add
            | HeOp::Sub { .. }
            | HeOp::Mul { .. }
            | HeOp::BlindedProduct { .. }
            | HeOp::Compare { .. }
            | HeOp::MatrixProduct { .. } => 2,
            _ => 1,
        }
    }

    /// The operation on words shared by sum with the same meaning.
    fn on_sums(&self) -> Option<ArithOp> {
        Some(match *self {
            HeOp::Add => ArithOp::Add,
            HeOp::Sub { .. } => ArithOp::Sub,
            HeOp::Neg { .. } => ArithOp::Neg,
            HeOp::Mul { .. } => ArithOp::Mul,
            HeOp::Truncate => ArithOp::Truncate,
            HeOp::SegmentSum(length) => ArithOp::SegmentSum(length),
            HeOp::Scan(length) => ArithOp::Scan(length),
            HeOp::BlindedProduct { batch, rows, inner, columns, .. }
            | HeOp::MatrixProduct { batch, rows, inner, columns, .. } => {
                ArithOp::MatrixProduct { batch, rows, inner, columns }
            }
            HeOp::Compare { relation, .. } => ArithOp::Compare(relation),
            HeOp::ShiftLeft(_) | HeOp::Flip { .. } => return None,
        })
    }

    fn fits(&self, inputs: &[Bundle], target: Bundle) -> bool {
        let lanes = |expected: u64| inputs.iter().all(|input| input.lanes == expected);
        match self {
            HeOp::SegmentSum(length) => {
                *length > 0 && Some(inputs[0].lanes) == target.lanes.checked_mul(*length)
            }
            HeOp::Scan(length) => *length > 0 && lanes(target.lanes) && target.lanes.is_multiple_of(*length),
            HeOp::BlindedProduct { batch, rows, inner, columns, .. }
            | HeOp::MatrixProduct { batch, rows, inner, columns, .. } => {
                let size = |a: &u64, b: &u64| batch.checked_mul(*a).and_then(|lanes| lanes.checked_mul(*b));
                Some(inputs[0].lanes) == size(rows, inner)
                    && Some(inputs[1].lanes) == size(inner, columns)
                    && Some(target.lanes) == size(rows, columns)
            }
            HeOp::ShiftLeft(by) => *by < target.bits && lanes(target.lanes),
            _ => lanes(target.lanes),
        }
    }
}

/// The bits that a sum of this many numbers has beyond theirs.
fn log(count: u64) -> u32 {
    count.checked_next_power_of_two().map_or(u64::BITS, u64::trailing_zeros)
}

/// The power of two that is added before a number of `subtracted` bits is subtracted, and the bits of the
/// difference.
fn lifted(subtracted: u32, word: u32, from: u32) -> (u32, u32) {
    let lift = subtracted.max(word);
    (lift, from.max(lift).saturating_add(1))
}

impl KernelRules for HeOp {
    fn lift(&self) -> Option<u32> {
        match self {
            HeOp::Sub { lift }
            | HeOp::Neg { lift }
            | HeOp::Flip { lift }
            | HeOp::Mul { lift }
            | HeOp::Compare { lift, .. }
            | HeOp::MatrixProduct { lift, .. } => Some(*lift),
            _ => None,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            HeOp::Add => "add",
            HeOp::Sub { .. } => "sub",
            HeOp::Neg { .. } => "neg",
            HeOp::Flip { .. } => "flip",
            HeOp::Mul { .. } => "mul",
            HeOp::ShiftLeft(_) => "shift_left",
            HeOp::Truncate => "truncate",
            HeOp::SegmentSum(_) => "segment_sum",
            HeOp::Scan(_) => "scan_add",
            HeOp::BlindedProduct { .. } => "blinded_product",
            HeOp::MatrixProduct { .. } => "matrix_product",
            HeOp::Compare { relation: Relation::Equal, .. } => "equal",
            HeOp::Compare { .. } => "less",
        }
    }

    fn waits(&self) -> bool {
        matches!(self, HeOp::BlindedProduct { .. } | HeOp::Compare { .. })
    }

    fn consumes(&self, site: Site<'_>) -> Option<(Consumed, u64)> {
        self.waits().then(|| (Consumed::Ciphertext, site.target_lanes()))
    }

    fn check(&self, Site { inputs, targets }: Site<'_>, _: &[Executable]) -> Checked {
        let [target] = *targets else { return Err("an operation has one result") };
        require(inputs.len() == self.arity(), "an operation has other operands")?;
        let encrypted = inputs.iter().chain([&target]).all(|bundle| bundle.domain == Domain::He);
        require(encrypted, "an operation on encrypted words has other operands")?;
        let word = match self {
            HeOp::Compare { relation, .. } => {
                let known = matches!(relation, Relation::LessWithin | Relation::Equal);
                require(known, "encrypted words are compared in a way that there is not")?;
                let bits = inputs[0].bits;
                require(bits <= MAX_COMPARED_BITS, "encrypted words that are compared are too wide")?;
                require(inputs[1].bits == bits, "an operation on encrypted words mixes widths")?;
                bits
            }
            _ => target.bits,
        };
        let same = |bits: u32| bits == word || *self == HeOp::Truncate && bits >= target.bits;
        require(inputs.iter().all(|input| same(input.bits)), "an operation on encrypted words mixes widths")?;
        let lifts = self.lift().is_none_or(|lift| lift >= word);
        require(lifts, "a difference of encrypted words is lifted by too little")?;
        require(self.fits(inputs, target), "an operation on encrypted words has another number of lanes")
    }

    fn clear(&self, operands: ClearOperands<'_>, site: Site<'_>) -> Vec<Vec<u128>> {
        let bundles = if let HeOp::Compare { .. } = self { site.inputs } else { site.targets };
        let bits = bundles.first().map_or(0, |bundle| bundle.bits);
        vec![match (self, self.on_sums()) {
            (_, Some(op)) => op.compute(operands.elements, bits, operands.copies),
            (HeOp::ShiftLeft(by), _) => {
                operands.elements[0].iter().map(|x| x.checked_shl(*by).unwrap_or(0)).collect()
            }
            (HeOp::Flip { .. }, _) => operands.elements[0].iter().map(|x| 1u128.wrapping_sub(*x)).collect(),
            _ => Vec::new(),
        }]
    }

    fn bound(&mut self, operands: &[Bound], site: Site<'_>) -> Option<Bound> {
        let word = site.targets.first()?.bits;
        let x = *operands.first()?;
        let y = operands.get(1).copied().unwrap_or(x);
        let bits = match self {
            HeOp::Add => x.bits.max(y.bits).saturating_add(1),
            HeOp::Sub { lift } => {
                let (least, bits) = lifted(y.bits, word, x.bits);
                *lift = least;
                bits
            }
            HeOp::Neg { lift } | HeOp::Flip { lift } => {
                let (least, bits) = lifted(x.bits, word, 0);
                *lift = least;
                bits
            }
            HeOp::Mul { lift } => {
                let (least, bits) = lifted(x.product(y), word, 0);
                *lift = least;
                bits
            }
            HeOp::BlindedProduct { factor_bits, inner, .. } => {
                *factor_bits = x.bits.max(y.bits);
                x.bits.saturating_add(y.bits).saturating_add(log(*inner))
            }
            HeOp::MatrixProduct { lift, inner, known_bits, .. } => {
                let (least, bits) = lifted(x.product(y), word, 0);
                *lift = least;
                *known_bits = [x, y].map(|side| side.bits.min(word));
                bits.saturating_add(log(*inner))
            }
            HeOp::Compare { lift, value_bits, .. } => {
                (*lift, *value_bits) = lifted(y.bits, site.inputs.first()?.bits, x.bits);
                1
            }
            HeOp::ShiftLeft(by) => x.bits.saturating_add(*by),
            HeOp::Truncate => x.bits,
            HeOp::SegmentSum(length) | HeOp::Scan(length) => x.bits.saturating_add(log(*length)),
        };
        Some(Bound::secret(bits))
    }

    fn converts(&self) -> bool {
        false
    }
}
