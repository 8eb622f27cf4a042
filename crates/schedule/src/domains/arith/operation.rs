//! Operations on words shared by sum: which exist, which operands fit, and what they compute.

use serde::{Deserialize, Serialize};
use tacit_circuit::Executable;
use tacit_ir::{Domain, Words};

use crate::bundle::Bundle;
use crate::consumption::Consumed;
use crate::kernel::{ClearOperands, KernelRules, Site};
use crate::rules::{Checked, require};

/// An operation on words shared by sum, modulo 2^bits. Lanes are those of one instance of the body.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ArithOp {
    /// The sum of two words.
    Add,
    /// The difference of two words.
    Sub,
    /// The additive inverse.
    Neg,
    /// The product with a public word for each lane.
    Scale(Words),
    /// The low bits.
    Truncate,
    /// The sum of each run of this many consecutive lanes.
    SegmentSum(u64),
    /// The running sum of each run of this many consecutive lanes.
    Scan(u64),
    /// The product of two words.
    Mul,
    /// The square of a word.
    Square,
    /// `batch` products of a `rows x inner` by an `inner x columns` matrix, row-major.
    MatrixProduct {
        /// Number of products.
        batch: u64,
        /// Rows of the left matrix.
        rows: u64,
        /// Columns of the left, rows of the right matrix.
        inner: u64,
        /// Columns of the right matrix.
        columns: u64,
    },
    /// A comparison of two words, whose result is a bit in [`Domain::Bool`].
    Compare(Relation),
    /// The words without their lowest bits, shifted in zeros or the sign; bits of the result beyond the
    /// operand's width are meaningless.
    ShiftRight {
        /// The number of bits, less than the width of the words.
        by: u32,
        /// Whether the sign is shifted in.
        signed: bool,
    },
    /// The least of each run of this many consecutive lanes, the first of several, and its place in its run. The
    /// place has a width of its own.
    ArgMin {
        /// The number of lanes, at least two.
        length: u64,
        /// Differences of any two words of a run are known to fit a signed word of so many bits, at most their
        /// width. Wrong if they do not fit.
        difference: u32,
    },
}

/// How words shared by sum are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Relation {
    /// The first is less, as unsigned words.
    LessUnsigned,
    /// The first is less, in two's complement.
    LessSigned,
    /// The first is less, where the difference is known to fit a signed word of their width: its most
    /// significant bit. Wrong if it does not fit.
    LessWithin,
    /// Both are equal.
    Equal,
}

impl ArithOp {
    /// The number of operands.
    pub fn arity(&self) -> usize {
        match self {
            ArithOp::Add
            | ArithOp::Sub
            | ArithOp::Mul
            | ArithOp::MatrixProduct { .. }
            | ArithOp::Compare(_) => 2,
            _ => 1,
        }
    }

    /// The number of results.
    fn results(&self) -> usize {
        if let ArithOp::ArgMin { .. } = self { 2 } else { 1 }
    }

    /// The width at which it works: that of the operands if their higher bits matter, else that of the
    /// result.
    fn width(&self, operand: u32, result: u32) -> u32 {
        match self {
            ArithOp::Compare(_) | ArithOp::ShiftRight { .. } => operand,
            _ => result,
        }
    }

    /// The width at which it works at this site.
    pub fn width_at(&self, site: Site<'_>) -> u32 {
        let bits = |bundles: &[Bundle]| bundles.first().map_or(0, |bundle| bundle.bits);
        self.width(bits(site.inputs), bits(site.targets))
    }

    /// Its result in the clear, if it has one, over all lanes of `copies` instances, for words of the width at which it
    /// works. Only the low bits of operands and results count; higher bits are meaningless.
    pub fn compute(&self, operands: &[&[u128]], bits: u32, copies: usize) -> Vec<u128> {
        match *self {
            ArithOp::Compare(relation) => compare(relation, operands[0], operands[1], bits),
            ArithOp::ShiftRight { by, signed } => shift_right(operands[0], (by, signed), bits),
            _ => apply(self, operands, copies),
        }
    }
}

impl ArithOp {
    /// The number of lanes in each run whose sum it gives, if it does.
    pub(crate) fn summed_run(&self) -> Option<u64> {
        if let ArithOp::SegmentSum(length) = *self { Some(length) } else { None }
    }

    /// If it gives products in so many lanes, the operation on its two operands that gives the sum of each run of `length` of them. A square has its operand
    /// twice.
    pub(crate) fn summed(&self, length: u64, lanes: u64) -> Option<ArithOp> {
        let product = ArithOp::MatrixProduct { batch: lanes / length, rows: 1, inner: length, columns: 1 };
        matches!(self, ArithOp::Mul | ArithOp::Square).then_some(product)
    }
}

impl KernelRules for ArithOp {
    fn name(&self) -> &'static str {
        match self {
            ArithOp::Add => "add",
            ArithOp::Sub => "sub",
            ArithOp::Neg => "neg",
            ArithOp::Scale(_) => "scale",
            ArithOp::Truncate => "truncate",
            ArithOp::SegmentSum(_) => "segment_sum",
            ArithOp::Scan(_) => "scan_add",
            ArithOp::Mul => "mul",
            ArithOp::Square => "square",
            ArithOp::MatrixProduct { .. } => "matrix_product",
            ArithOp::Compare(Relation::Equal) => "equal",
            ArithOp::Compare(_) => "less",
            ArithOp::ShiftRight { .. } => "shift_right",
            ArithOp::ArgMin { .. } => "arg_min",
        }
    }

    fn waits(&self) -> bool {
        matches!(
            self,
            ArithOp::Mul
                | ArithOp::Square
                | ArithOp::MatrixProduct { .. }
                | ArithOp::Compare(_)
                | ArithOp::ShiftRight { .. }
                | ArithOp::ArgMin { .. }
        )
    }

    fn check(&self, Site { inputs, targets }: Site<'_>, _: &[Executable]) -> Checked {
        require(targets.len() == self.results(), "an operation has another number of results")?;
        require(inputs.len() == self.arity(), "an operation has other operands")?;
        let target = targets[0];
        if let ArithOp::Compare(_) = self {
            let [x, y] = [inputs[0], inputs[1]];
            let sums = x.is_like(y) && x.domain == Domain::Arith && x.lanes == y.lanes;
            require(sums, "a comparison of sums has other operands")?;
            let fits = (target.domain, target.bits, target.lanes) == (Domain::Bool, 1, x.lanes);
            return require(fits, "a comparison of sums has another result");
        }
        if let ArithOp::ShiftRight { by, .. } = self {
            let x = inputs[0];
            let sums = x.domain == Domain::Arith && target.domain == Domain::Arith && x.lanes == target.lanes;
            return require(
                sums && *by < x.bits && x.bits <= target.bits,
                "a shift of sums has another type",
            );
        }
        let sums = inputs.iter().chain(targets).all(|bundle| bundle.domain == Domain::Arith);
        require(sums, "an operation on sums has other operands")?;
        let same = |bits: u32| bits == target.bits || *self == ArithOp::Truncate && bits >= target.bits;
        require(inputs.iter().all(|input| same(input.bits)), "an operation on sums mixes widths")?;
        let lanes = |expected: u64| inputs.iter().all(|input| input.lanes == expected);
        let fits = match self {
            ArithOp::Add
            | ArithOp::Sub
            | ArithOp::Neg
            | ArithOp::Truncate
            | ArithOp::Mul
            | ArithOp::Square => lanes(target.lanes),
            ArithOp::Scale(words) => {
                lanes(target.lanes) && (words.bits(), words.lanes()) == (target.bits, target.lanes)
            }
            ArithOp::SegmentSum(length) => {
                *length > 0 && Some(inputs[0].lanes) == target.lanes.checked_mul(*length)
            }
            ArithOp::Scan(length) => {
                *length > 0 && lanes(target.lanes) && target.lanes.is_multiple_of(*length)
            }
            ArithOp::MatrixProduct { batch, rows, inner, columns } => {
                let size = |a: &u64, b: &u64| batch.checked_mul(*a).and_then(|lanes| lanes.checked_mul(*b));
                Some(inputs[0].lanes) == size(rows, inner)
                    && Some(inputs[1].lanes) == size(inner, columns)
                    && Some(target.lanes) == size(rows, columns)
            }
            ArithOp::ArgMin { length, difference } => {
                *length > 1
                    && (2..=target.bits).contains(difference)
                    && targets[1].lanes == target.lanes
                    && Some(inputs[0].lanes) == target.lanes.checked_mul(*length)
            }
            ArithOp::Compare(_) | ArithOp::ShiftRight { .. } => false,
        };
        require(fits, "an operation on sums has another number of lanes")
    }

    fn clear(&self, operands: ClearOperands<'_>, site: Site<'_>) -> Vec<Vec<u128>> {
        if let ArithOp::ArgMin { length, difference } = *self {
            return least(operands.elements[0], length, difference).into();
        }
        vec![self.compute(operands.elements, self.width_at(site), operands.copies)]
    }

    fn consumes(&self, site: Site<'_>) -> Option<(Consumed, u64)> {
        let (bits, lanes) = (self.width_at(site), site.target_lanes());
        Some(match *self {
            ArithOp::Compare(_) => (Consumed::Comparison { bits }, lanes),
            ArithOp::ShiftRight { .. } => (Consumed::Shift { bits }, lanes),
            ArithOp::Mul => (Consumed::Product { bits }, lanes),
            ArithOp::Square => (Consumed::Square { bits }, lanes),
            ArithOp::MatrixProduct { batch, rows, inner, columns } => {
                (Consumed::Matrix { bits, rows, inner, columns }, batch)
            }
            // Each party computes these locally.
            ArithOp::Add
            | ArithOp::Sub
            | ArithOp::Neg
            | ArithOp::Truncate
            | ArithOp::Scale(_)
            | ArithOp::SegmentSum(_)
            | ArithOp::Scan(_)
            // Only three parties find the least of words, and they consume nothing for it.
            | ArithOp::ArgMin { .. } => return None,
        })
    }

    fn converts(&self) -> bool {
        false
    }
}

/// An operation that does not depend on the words' width, over all lanes of `copies` instances, modulo 2^128.
fn apply(op: &ArithOp, operands: &[&[u128]], copies: usize) -> Vec<u128> {
    let x = operands[0];
    let each = |with: fn(u128, u128) -> u128| x.iter().zip(operands[1]).map(|(x, y)| with(*x, *y)).collect();
    match op {
        ArithOp::Add => each(u128::wrapping_add),
        ArithOp::Sub => each(u128::wrapping_sub),
        ArithOp::Mul => each(u128::wrapping_mul),
        ArithOp::Neg => x.iter().map(|x| x.wrapping_neg()).collect(),
        ArithOp::Square => x.iter().map(|x| x.wrapping_mul(*x)).collect(),
        ArithOp::Truncate => x.to_vec(),
        ArithOp::Scale(words) => {
            let factors: Vec<u128> = (0..words.lanes()).map(|lane| words.low_u128(lane)).collect();
            x.iter().zip(factors.iter().cycle()).map(|(x, by)| x.wrapping_mul(*by)).collect()
        }
        ArithOp::SegmentSum(length) => x.chunks(*length as usize).map(total).collect(),
        ArithOp::Scan(length) => x
            .chunks(*length as usize)
            .flat_map(|segment| {
                segment.iter().scan(0u128, |sum, x| {
                    *sum = sum.wrapping_add(*x);
                    Some(*sum)
                })
            })
            .collect(),
        ArithOp::MatrixProduct { batch, rows, inner, columns } => {
            let [rows, inner, columns] = [rows, inner, columns].map(|n| *n as usize);
            let y = operands[1];
            let place = |place: usize| {
                let (matrix, i, j) = (place / (rows * columns), place / columns % rows, place % columns);
                (0..inner).fold(0u128, |sum, k| {
                    let (x, y) = (x[(matrix * rows + i) * inner + k], y[(matrix * inner + k) * columns + j]);
                    sum.wrapping_add(x.wrapping_mul(y))
                })
            };
            (0..*batch as usize * copies * rows * columns).map(place).collect()
        }
        ArithOp::Compare(_) | ArithOp::ShiftRight { .. } | ArithOp::ArgMin { .. } => Vec::new(),
    }
}

/// The first least of each run of words, and its place, where the sign of a difference is its bit below `difference`.
fn least(x: &[u128], length: u64, difference: u32) -> [Vec<u128>; 2] {
    let sign = 1u128 << (difference - 1);
    let first = |run: &[u128]| {
        let less = |place: &usize, least: usize| run[*place].wrapping_sub(run[least]) & sign != 0;
        let place = (1..run.len()).fold(0, |least, place| if less(&place, least) { place } else { least });
        (run[place], place as u128)
    };
    let (least, places) = x.chunks(length as usize).map(first).unzip();
    [least, places]
}

/// Whether words of `bits` bits are in a relation, lane by lane.
fn compare(relation: Relation, x: &[u128], y: &[u128], bits: u32) -> Vec<u128> {
    let top = 1u128 << (bits - 1);
    let holds = |(x, y): (&u128, &u128)| {
        let (x, y, difference) = (x & mask(bits), y & mask(bits), x.wrapping_sub(*y));
        u128::from(match relation {
            Relation::LessUnsigned => x < y,
            Relation::LessSigned => x ^ top < y ^ top,
            Relation::LessWithin => difference & top != 0,
            Relation::Equal => x == y,
        })
    };
    x.iter().zip(y).map(holds).collect()
}

/// Words of `bits` bits without the `by` lowest, with zeros or the sign shifted in.
fn shift_right(x: &[u128], (by, signed): (u32, bool), bits: u32) -> Vec<u128> {
    let shifted = |x: &u128| match signed {
        true => (widened(*x, bits, true) as i128 >> by) as u128,
        false => widened(*x, bits, false) >> by,
    };
    x.iter().map(shifted).collect()
}

/// A word of `bits` bits, widened.
pub(crate) fn widened(word: u128, bits: u32, signed: bool) -> u128 {
    let free = 128 - bits;
    if signed { ((word << free) as i128 >> free) as u128 } else { word & mask(bits) }
}

fn mask(bits: u32) -> u128 {
    u128::MAX >> (128 - bits)
}

fn total(words: &[u128]) -> u128 {
    words.iter().fold(0, |sum, word| sum.wrapping_add(*word))
}
