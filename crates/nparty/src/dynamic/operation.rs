//! Operations by name.

use std::sync::Arc;

use tacit_math::field::Field;

use super::{AnyValue, Numbers};
use crate::PartyIndex;
use crate::protocol::order::Extreme;
use crate::runtime::{Parties, RunError, Task, Value};

/// An operation on two values, element by element; each is the method of [`Task`] of this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the methods say what they are")]
pub enum Pair {
    Add,
    Sub,
    Mul,
    Xor,
    Less,
    Equal,
}

impl Pair {
    fn apply<F: Field>(self, task: &Task<F>, a: &Value<F>, b: &Value<F>) -> Result<Value<F>, RunError> {
        match self {
            Pair::Add => task.add(a, b),
            Pair::Sub => task.sub(a, b),
            Pair::Mul => task.mul(a, b),
            Pair::Xor => task.xor(a, b),
            Pair::Less => task.less(a, b),
            Pair::Equal => task.equal(a, b),
        }
    }
}

/// An operation of a program; each is the method of [`Task`] of this name.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the methods say what they are")]
pub enum Operation<'a> {
    Constant(Numbers),
    Input {
        owner: PartyIndex,
        length: usize,
        numbers: Option<Numbers>,
    },
    Pair(Pair, &'a AnyValue, &'a AnyValue),
    Scale(&'a AnyValue, Numbers),
    Shift(&'a AnyValue, Numbers),
    Gather(&'a AnyValue, Arc<[usize]>),
    Concat(Vec<AnyValue>),
    SumRuns(&'a AnyValue, usize),
    Matmul(&'a AnyValue, &'a AnyValue, (usize, usize, usize)),
    Select(&'a AnyValue, &'a AnyValue, &'a AnyValue),
    Random(usize),
    RandomBits(usize),
    Pow(&'a AnyValue, Vec<u64>),
    Inverse(&'a AnyValue),
    Sqrt(&'a AnyValue),
    IsNegative(&'a AnyValue),
    Parity(&'a AnyValue),
    Extreme(&'a AnyValue, &'a AnyValue, Extreme),
    /// Gives the element and its position.
    ExtremeOf(&'a AnyValue, Extreme),
    Sort(&'a AnyValue),
    Bits(&'a AnyValue, usize),
    Truncate(&'a AnyValue, usize, usize),
    /// Gives quotient and remainder.
    Divide(&'a AnyValue, &'a AnyValue, usize),
    Open(&'a AnyValue),
    OpenTo(&'a AnyValue, Parties),
    Synchronise,
}

impl Operation<'_> {
    pub(super) fn apply<F: Field>(self, task: &Task<F>) -> Result<Vec<AnyValue>, RunError> {
        if let Operation::ExtremeOf(a, which) = self {
            let (element, position) = task.extreme_of(a.of()?, which)?;
            return Ok(vec![AnyValue::new(element), AnyValue::new(position)]);
        }
        if let Operation::Divide(a, b, bits) = self {
            let (quotient, remainder) = task.divide(a.of()?, b.of()?, bits)?;
            return Ok(vec![AnyValue::new(quotient), AnyValue::new(remainder)]);
        }
        Ok(vec![AnyValue::new(self.value(task)?)])
    }

    pub(super) fn value<F: Field>(self, task: &Task<F>) -> Result<Value<F>, RunError> {
        use Operation::*;
        match self {
            Constant(numbers) => task.constant(numbers.elements(task.field())?),
            Input { owner, length, numbers } => {
                let elements = numbers.map(|numbers| numbers.elements(task.field())).transpose()?;
                task.input(owner, length, elements)
            }
            Pair(pair, a, b) => pair.apply(task, a.of()?, b.of()?),
            Scale(a, factor) => task.scale(a.of()?, one(&factor, task)?),
            Shift(a, shift) => task.shift(a.of()?, one(&shift, task)?),
            Gather(a, positions) => task.gather(a.of()?, positions),
            Concat(parts) => {
                let parts: Vec<_> = parts.iter().map(AnyValue::of).collect::<Result<_, _>>()?;
                task.concat(&parts)
            }
            SumRuns(a, run) => task.sum_runs(a.of()?, run),
            Matmul(a, b, sizes) => task.matmul(a.of()?, b.of()?, sizes),
            Select(condition, a, b) => task.select(condition.of()?, a.of()?, b.of()?),
            Random(length) => task.random(length),
            RandomBits(length) => task.random_bits(length),
            Pow(a, exponent) => task.pow(a.of()?, &exponent),
            Inverse(a) => task.inverse(a.of()?),
            Sqrt(a) => task.sqrt(a.of()?),
            IsNegative(a) => task.is_negative(a.of()?),
            Parity(a) => task.parity(a.of()?),
            Extreme(a, b, which) => task.extreme(a.of()?, b.of()?, which),
            ExtremeOf(a, which) => Ok(task.extreme_of(a.of()?, which)?.0),
            Sort(a) => task.sort(a.of()?),
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
        _ => Err(RunError::Usage("one number is needed here".into())),
    }
}
