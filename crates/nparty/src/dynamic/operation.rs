//! Operations by name.

use std::sync::Arc;

use tacit_math::field::{Field, Gf256};

use super::numbers::Numbers;
use super::value::AnyValue;
use crate::error::{RunError, UsageError};
use crate::parties::{Parties, PartyIndex};
use crate::program::{Task, Value};
use crate::protocol::divide::Fixed;
use crate::protocol::order::{Extreme, Rows};

/// An operation on two values, element by element; each is the method of [`Task`] with this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the methods document them")]
pub enum AnyPair {
    Add,
    Sub,
    Mul,
    Xor,
    Less,
    Equal,
}

impl AnyPair {
    fn apply<F: Field>(self, task: &Task<F>, a: &Value<F>, b: &Value<F>) -> Result<Value<F>, RunError> {
        match self {
            AnyPair::Add => task.add(a, b),
            AnyPair::Sub => task.sub(a, b),
            AnyPair::Mul => task.mul(a, b),
            AnyPair::Xor => task.xor(a, b),
            AnyPair::Less => task.less(a, b),
            AnyPair::Equal => task.equal(a, b),
        }
    }
}

/// An operation of a program; each is the method of [`Task`] with this name.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the methods document them")]
pub enum AnyOperation<'a> {
    Constant(Numbers),
    Input {
        owner: PartyIndex,
        length: usize,
        numbers: Option<Numbers>,
    },
    Pair(AnyPair, &'a AnyValue, &'a AnyValue),
    Scale(&'a AnyValue, Numbers),
    Shift(&'a AnyValue, Numbers),
    Negate(&'a AnyValue),
    Gather(&'a AnyValue, Arc<[usize]>),
    Concat(Vec<AnyValue>),
    SumRuns(&'a AnyValue, usize),
    Matmul(&'a AnyValue, &'a AnyValue, (usize, usize, usize)),
    Random(usize),
    RandomBits(usize),
    Pow(&'a AnyValue, Vec<u64>),
    Inverse(&'a AnyValue),
    Sqrt(&'a AnyValue),
    Parity(&'a AnyValue),
    /// Returns elements and their positions.
    Extremes(&'a AnyValue, Extreme, Rows),
    /// Returns as many values as it takes.
    SortRows(Vec<&'a AnyValue>, Rows),
    Declared(&'a AnyValue, u64),
    Bits(&'a AnyValue, usize),
    Truncate(&'a AnyValue, usize, usize),
    /// Returns quotient and remainder.
    Divide(&'a AnyValue, &'a AnyValue, usize),
    /// Public numbers, in the field of a value.
    ConstantLike(&'a AnyValue, Numbers),
    FromBits(&'a AnyValue, usize),
    LessWithin(&'a AnyValue, &'a AnyValue, usize),
    EqualWithin(&'a AnyValue, &'a AnyValue, usize),
    Remainder(&'a AnyValue, usize, usize),
    TruncateProbably(&'a AnyValue, usize, usize),
    FixedMul(&'a AnyValue, &'a AnyValue, Fixed),
    FixedDivide(&'a AnyValue, &'a AnyValue, Fixed),
    GreaterThanEqualToft(&'a AnyValue, &'a AnyValue, usize),
    /// Returns a value of GF(2^8).
    GreaterThanEqualInBytes(&'a AnyValue, &'a AnyValue, usize),
    /// Returns a value of GF(2^8).
    ToBytes(&'a AnyValue),
    /// Takes a value of GF(2^8).
    FromBytes(&'a AnyValue),
    /// Returns words of so many bits.
    ColumnOfBits(&'a AnyValue, u32),
    /// Takes words that are shared bit by bit.
    BitsOfColumn(&'a AnyValue),
    /// Returns nothing, like the other preparations.
    PrepareBits(usize),
    PrepareComparisons(usize),
    PrepareMasks(usize, usize),
    Open(&'a AnyValue),
    OpenTo(&'a AnyValue, Parties),
    Synchronise,
}

impl AnyOperation<'_> {
    /// The operation at one of the parties that compute for the one. Only the first has the program's inputs.
    pub(super) fn part(&self, part: usize) -> Result<AnyOperation<'_>, RunError> {
        use AnyOperation::*;
        Ok(match self {
            Input { owner, length, numbers } => {
                // The other parts only exist so that a single party can compute, and the program is at the first.
                let (owner, of_first) = (*owner, part == 0);
                if owner > 0 {
                    return Err(UsageError::NoParty { party: owner, parties: 1 }.into());
                }
                Input { owner, length: *length, numbers: numbers.clone().filter(|_| of_first) }
            }
            Constant(numbers) => Constant(numbers.clone()),
            Pair(pair, a, b) => Pair(*pair, a.part(part)?, b.part(part)?),
            Scale(a, factor) => Scale(a.part(part)?, factor.clone()),
            Shift(a, shift) => Shift(a.part(part)?, shift.clone()),
            Negate(a) => Negate(a.part(part)?),
            Gather(a, positions) => Gather(a.part(part)?, positions.clone()),
            Concat(parts) => {
                Concat(parts.iter().map(|one| one.part(part).cloned()).collect::<Result<_, _>>()?)
            }
            SumRuns(a, run) => SumRuns(a.part(part)?, *run),
            Matmul(a, b, sizes) => Matmul(a.part(part)?, b.part(part)?, *sizes),
            Random(length) => Random(*length),
            RandomBits(length) => RandomBits(*length),
            Pow(a, exponent) => Pow(a.part(part)?, exponent.clone()),
            Inverse(a) => Inverse(a.part(part)?),
            Sqrt(a) => Sqrt(a.part(part)?),
            Parity(a) => Parity(a.part(part)?),
            Extremes(a, which, rows) => Extremes(a.part(part)?, *which, *rows),
            SortRows(values, rows) => {
                SortRows(values.iter().map(|value| value.part(part)).collect::<Result<_, _>>()?, *rows)
            }
            Declared(a, what) => Declared(a.part(part)?, *what),
            Bits(a, bits) => Bits(a.part(part)?, *bits),
            Truncate(a, dropped, bits) => Truncate(a.part(part)?, *dropped, *bits),
            Divide(a, b, bits) => Divide(a.part(part)?, b.part(part)?, *bits),
            ConstantLike(a, numbers) => ConstantLike(a.part(part)?, numbers.clone()),
            FromBits(a, bits) => FromBits(a.part(part)?, *bits),
            LessWithin(a, b, bits) => LessWithin(a.part(part)?, b.part(part)?, *bits),
            EqualWithin(a, b, bits) => EqualWithin(a.part(part)?, b.part(part)?, *bits),
            Remainder(a, low, bits) => Remainder(a.part(part)?, *low, *bits),
            TruncateProbably(a, dropped, bits) => TruncateProbably(a.part(part)?, *dropped, *bits),
            FixedMul(a, b, at) => FixedMul(a.part(part)?, b.part(part)?, *at),
            FixedDivide(a, b, at) => FixedDivide(a.part(part)?, b.part(part)?, *at),
            GreaterThanEqualToft(a, b, bits) => GreaterThanEqualToft(a.part(part)?, b.part(part)?, *bits),
            GreaterThanEqualInBytes(a, b, bits) => {
                GreaterThanEqualInBytes(a.part(part)?, b.part(part)?, *bits)
            }
            ToBytes(a) => ToBytes(a.part(part)?),
            FromBytes(a) => FromBytes(a.part(part)?),
            ColumnOfBits(a, width) => ColumnOfBits(a.part(part)?, *width),
            BitsOfColumn(a) => BitsOfColumn(a.part(part)?),
            PrepareBits(count) => PrepareBits(*count),
            PrepareComparisons(count) => PrepareComparisons(*count),
            PrepareMasks(bits, count) => PrepareMasks(*bits, *count),
            Open(a) => Open(a.part(part)?),
            OpenTo(a, to) => OpenTo(a.part(part)?, *to),
            Synchronise => Synchronise,
        })
    }

    /// Whether this is an operation on values of GF(2^8) in a computation over another field.
    pub(super) fn is_on_bytes<F: Field>(&self) -> bool {
        use AnyOperation::*;
        let first = match self {
            Scale(a, _) | Shift(a, _) | Negate(a) | Gather(a, _) | SumRuns(a, _) | Matmul(a, ..) => *a,
            Pair(_, a, _) | Pow(a, _) | Inverse(a) | Open(a) | OpenTo(a, _) | ConstantLike(a, _) => *a,
            Concat(parts) => match parts.first() {
                Some(first) => first,
                None => return false,
            },
            _ => return false,
        };
        first.of::<F>().is_err() && first.of::<Gf256>().is_ok()
    }

    pub(super) fn apply<F: Field>(self, task: &Task<F>) -> Result<Vec<AnyValue>, RunError> {
        use AnyOperation::*;
        let pair = |(one, other)| vec![AnyValue::new(one), AnyValue::new(other)];
        match self {
            Extremes(a, which, rows) => task.extremes(a.of()?, which, rows).map(pair),
            Divide(a, b, bits) => task.divide(a.of()?, b.of()?, bits).map(pair),
            SortRows(values, rows) => {
                let values = values.into_iter().map(AnyValue::of).collect::<Result<Vec<_>, _>>()?;
                Ok(task.sort_rows(&values, rows)?.into_iter().map(AnyValue::new).collect())
            }
            PrepareBits(count) => task.prepare_bits(count).map(|()| Vec::new()),
            PrepareComparisons(count) => task.prepare_comparisons(count).map(|()| Vec::new()),
            PrepareMasks(bits, count) => task.prepare_masks(bits, count).map(|()| Vec::new()),
            one => Ok(vec![one.any_value(task)?]),
        }
    }

    /// The operation's value, in any field.
    pub(super) fn any_value<F: Field>(self, task: &Task<F>) -> Result<AnyValue, RunError> {
        match self {
            AnyOperation::ToBytes(a) => Ok(AnyValue::new(task.to_bytes(a.of()?)?)),
            AnyOperation::GreaterThanEqualInBytes(a, b, bits) => {
                Ok(AnyValue::new(task.greater_than_equal_in_bytes(a.of()?, b.of()?, bits)?))
            }
            AnyOperation::ColumnOfBits(a, width) => {
                let (bits, words) = (a.of()?, a.len() as u64 / u64::from(width.max(1)));
                Ok(AnyValue::of_column(task.column_of_bits(bits, width as usize)?, (width, words)))
            }
            _ => Ok(AnyValue::new(self.value(task)?)),
        }
    }

    fn value<F: Field>(self, task: &Task<F>) -> Result<Value<F>, RunError> {
        use AnyOperation::*;
        match self {
            ConstantLike(_, numbers) => task.constant(numbers.elements(task.field())?),
            FromBits(a, bits) => task.from_bits(a.of()?, bits),
            LessWithin(a, b, bits) => task.less_within(a.of()?, b.of()?, bits),
            EqualWithin(a, b, bits) => task.equal_within(a.of()?, b.of()?, bits),
            Remainder(a, low, bits) => task.remainder(a.of()?, low, bits),
            TruncateProbably(a, dropped, bits) => task.truncate_probably(a.of()?, dropped, bits),
            FixedMul(a, b, at) => task.fixed_mul(a.of()?, b.of()?, at),
            FixedDivide(a, b, at) => task.fixed_divide(a.of()?, b.of()?, at),
            GreaterThanEqualToft(a, b, bits) => task.greater_than_equal_toft(a.of()?, b.of()?, bits),
            FromBytes(a) => task.from_bytes(a.of()?),
            BitsOfColumn(a) => {
                let width = a.word_bits().ok_or(UsageError::OtherField)?;
                task.bits_of_column(a.column()?, width as usize)
            }
            ColumnOfBits(..) => Err(UsageError::OtherField.into()),
            ToBytes(_) | GreaterThanEqualInBytes(..) => Err(UsageError::InBytes.into()),
            PrepareBits(_) | PrepareComparisons(_) | PrepareMasks(..) => Err(UsageError::NoValue.into()),
            Constant(numbers) => task.constant(numbers.elements(task.field())?),
            Input { owner, length, numbers } => {
                let elements = numbers.map(|numbers| numbers.elements(task.field())).transpose()?;
                task.input(owner, length, elements)
            }
            Pair(pair, a, b) => pair.apply(task, a.of()?, b.of()?),
            Scale(a, factor) => task.scale(a.of()?, one(&factor, task)?),
            Shift(a, shift) => task.shift(a.of()?, one(&shift, task)?),
            Negate(a) => task.scale(a.of()?, task.field().neg(task.field().one())),
            Gather(a, positions) => task.gather(a.of()?, positions),
            Concat(parts) => {
                let parts: Vec<_> = parts.iter().map(AnyValue::of).collect::<Result<_, _>>()?;
                task.concat(&parts)
            }
            SumRuns(a, run) => task.sum_runs(a.of()?, run),
            Matmul(a, b, sizes) => task.matmul(a.of()?, b.of()?, sizes),
            Random(length) => task.random(length),
            RandomBits(length) => task.random_bits(length),
            Pow(a, exponent) => task.pow(a.of()?, &exponent),
            Inverse(a) => task.inverse(a.of()?),
            Sqrt(a) => task.sqrt(a.of()?),
            Parity(a) => task.parity(a.of()?),
            Extremes(a, which, rows) => Ok(task.extremes(a.of()?, which, rows)?.0),
            SortRows(values, rows) => {
                let values = values.into_iter().map(AnyValue::of).collect::<Result<Vec<_>, _>>()?;
                Ok(task.sort_rows(&values, rows)?.swap_remove(0))
            }
            Declared(a, what) => task.declared(a.of()?, what),
            Bits(a, bits) => task.bits(a.of()?, bits),
            Truncate(a, dropped, bits) => task.truncate(a.of()?, dropped, bits),
            Divide(a, b, bits) => Ok(task.divide(a.of()?, b.of()?, bits)?.0),
            Open(a) => task.open(a.of()?),
            OpenTo(a, to) => task.open_to(a.of()?, to),
            Synchronise => task.synchronise(),
        }
    }
}

/// The element of a single number.
fn one<F: Field>(numbers: &Numbers, task: &Task<F>) -> Result<F::Element, RunError> {
    match numbers.elements(task.field())?[..] {
        [one] => Ok(one),
        _ => Err(UsageError::OneNumber { given: numbers.len() }.into()),
    }
}
