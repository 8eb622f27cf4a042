//! Shared numbers with known ranges: the kinds of results, and the form of each operation that these ranges
//! permit.
//!
//! Widths grow by the rules of [`Number`], as in traced programs. Elements of the field without a kind are
//! computed modulo p.

use num_bigint::BigInt;
use pyo3::prelude::*;
use tacit_nparty::dynamic::{AnyOperation, AnyPair, Numbers};

use super::computation::Core;
use super::errors::KindError;
use super::numbers::gathered;
use super::share::Share;
use crate::language::error::Traced;
use crate::language::kind::{Kind, Number};
use crate::language::literal::{Elements, Literal};

/// The kinds of two operands; none if neither has one.
///
/// Errors: only one of them has.
pub fn kinds<'a>(name: &str, a: &'a Share, b: &'a Share) -> PyResult<Option<(&'a Kind, &'a Kind)>> {
    match (&a.kind, &b.kind) {
        (None, None) => Ok(None),
        (Some(a), Some(b)) => Ok(Some((a, b))),
        (Some(known), None) | (None, Some(known)) => Err(KindError::new_err(format!(
            "{name} of {known} and an element of the field, whose range is not known: promise its range with \
             x.within(bits), or give up that of {known} with x.astype(t.field(s.modulus))"
        ))),
    }
}

/// The number kind of elements of a kind.
pub fn number(kind: &Kind, name: &str) -> PyResult<Number> {
    kind.number().ok_or_else(|| no_meaning(name, kind))
}

/// As [`number`], for integers.
pub fn integer(kind: &Kind, name: &str) -> PyResult<Number> {
    number(kind, name).and_then(|number| match number.point {
        None => Ok(number),
        Some(_) => Err(no_meaning(name, kind)),
    })
}

fn no_meaning(name: &str, kind: &Kind) -> PyErr {
    KindError::new_err(format!("{name} is not defined for {kind}"))
}

pub fn of_two(name: &str, a: &Kind, b: &Kind) -> String {
    format!("{name} of {a} and {b}")
}

pub fn of_one(name: &str, kind: &Kind) -> String {
    format!("{name} of {kind}")
}

impl Share {
    /// The same numbers, with this kind.
    pub fn of(self, kind: Option<Kind>) -> Share {
        Share { kind, ..self }
    }

    /// As [`Share::of`], for the results of an operation.
    pub fn grown(self, operation: impl FnOnce() -> String, number: Number) -> PyResult<Share> {
        let kind = self.core.room()?.kind(operation, number)?;
        Ok(self.of(Some(kind)))
    }

    /// The words of numbers, rescaled to the fraction of another number kind.
    pub fn scaled(&self, py: Python<'_>, from: Number, to: Number) -> PyResult<Share> {
        match to.point.unwrap_or(0) - from.point.unwrap_or(0) {
            0 => Ok(self.clone()),
            more => self.by_power(py, more),
        }
    }

    /// The words times a power of two.
    pub fn by_power(&self, py: Python<'_>, power: u32) -> PyResult<Share> {
        let factor = gathered(vec![BigInt::from(1u8) << power]);
        self.each(py, |value| AnyOperation::Scale(value, factor))
    }

    pub fn plus(&self, py: Python<'_>, number: BigInt) -> PyResult<Share> {
        self.each(py, |value| AnyOperation::Shift(value, gathered(vec![number])))
    }

    /// Public numbers of a kind, to combine with these.
    pub fn literal(&self, py: Python<'_>, literal: &Literal, kind: Kind) -> PyResult<Share> {
        let number = number(&kind, "a public number")?;
        let kind = self.core.room()?.kind(|| of_one("a public number", &kind), number)?;
        let numbers = gathered(literal.integers(&kind)?);
        let value = self.core.value(py, AnyOperation::ConstantLike(&self.value, numbers))?;
        Ok(Share::new(value, literal.shape.clone(), &self.core).of(Some(kind)))
    }

    /// `a + b`.
    pub fn add(&self, py: Python<'_>, other: &Share) -> PyResult<Share> {
        self.alike(py, other, AnyPair::Add, ("+", Number::add))
    }

    /// `a - b`.
    pub fn sub(&self, py: Python<'_>, other: &Share) -> PyResult<Share> {
        self.alike(py, other, AnyPair::Sub, ("-", Number::sub))
    }

    /// An operation on words rescaled to the same fraction.
    fn alike(
        &self,
        py: Python<'_>,
        other: &Share,
        pair: AnyPair,
        (name, grow): (&str, fn(Number, Number) -> Number),
    ) -> PyResult<Share> {
        let Some((a, b)) = kinds(name, self, other)? else { return self.pair(py, other, pair) };
        let (x, y) = (number(a, name)?, number(b, name)?);
        let grown = grow(x, y);
        let kind = self.core.room()?.kind(|| of_two(name, a, b), grown)?;
        let made = self.scaled(py, x, grown)?.pair(py, &other.scaled(py, y, grown)?, pair)?;
        Ok(made.of(Some(kind)))
    }

    /// `a * b`; with a binary point rounded down to the fraction of the finer factor.
    pub fn times(&self, py: Python<'_>, other: &Share) -> PyResult<Share> {
        let Some((a, b)) = kinds("*", self, other)? else { return self.pair(py, other, AnyPair::Mul) };
        let (x, y) = (number(a, "*")?, number(b, "*")?);
        let whole = a.product(b).unwrap_or_else(|| x.product(y));
        self.rounded(py, (|| of_two("*", a, b), whole, whole.rescaled(x, y)), |share| {
            share.pair(py, other, AnyPair::Mul)
        })
    }

    /// Computes `work` as `whole` and rounds it down to `result`; `work` is called only if the field has
    /// room.
    fn rounded(
        &self,
        py: Python<'_>,
        (operation, whole, result): (impl Fn() -> String, Number, Number),
        work: impl FnOnce(&Share) -> PyResult<Share>,
    ) -> PyResult<Share> {
        let room = self.core.room()?;
        let kind = room.kind(&operation, result)?;
        let dropped = whole.point.unwrap_or(0) - result.point.unwrap_or(0);
        if dropped == 0 {
            return Ok(work(self)?.of(Some(kind)));
        }
        let bits = room.masked(operation, whole.bits)?;
        let cut = work(self)?.each(py, |value| AnyOperation::Truncate(value, dropped as usize, bits))?;
        Ok(cut.of(Some(kind)))
    }

    /// The product of matrices, rounded only once, at the end.
    pub fn matrix_product(&self, py: Python<'_>, other: &Share) -> PyResult<Share> {
        let Some((a, b)) = kinds("@", self, other)? else { return self.matmul(py, other) };
        let (x, y) = (number(a, "@")?, number(b, "@")?);
        let vectors =
            self.shape.len() == 1 || other.shape.len() == 1 || self.shape[0] == 1 || other.shape[1] == 1;
        let product = a.product(b).filter(|_| vectors).unwrap_or_else(|| x.product(y));
        let whole = product.sum_of(self.shape.last().copied().unwrap_or(1));
        self.rounded(py, (|| of_two("@", a, b), whole, whole.rescaled(x, y)), |share| share.matmul(py, other))
    }

    /// `a ** exponent`, for numbers with a kind.
    pub fn power(&self, py: Python<'_>, kind: &Kind, exponent: u32) -> PyResult<Share> {
        match exponent {
            0 => {
                let fraction = kind.fraction();
                let one = gathered(vec![BigInt::from(1u8) << fraction; self.value.len()]);
                let kind = match number(kind, "**")?.point {
                    Some(_) => Kind::Fixed { integer: 2, fraction },
                    None => Kind::Uint(1),
                };
                Ok(self.each(py, |value| AnyOperation::ConstantLike(value, one))?.of(Some(kind)))
            }
            1 => match kind {
                Kind::Bool => Ok(self.clone().of(Some(Kind::Uint(1)))),
                _ => Ok(self.clone()),
            },
            _ if exponent.is_multiple_of(2) => self.power(py, kind, exponent / 2)?.square(py),
            _ => self.power(py, kind, exponent - 1)?.times(py, self),
        }
    }

    /// The square, which is never negative.
    fn square(&self, py: Python<'_>) -> PyResult<Share> {
        match &self.kind {
            Some(kind) if number(kind, "**")?.point.is_none() => {
                let kind = self.core.room()?.kind(|| of_one("**", kind), number(kind, "**")?.square())?;
                Ok(self.pair(py, self, AnyPair::Mul)?.of(Some(kind)))
            }
            _ => self.times(py, self),
        }
    }

    /// `-a`.
    pub fn negative(&self, py: Python<'_>) -> PyResult<Share> {
        let Some(kind) = &self.kind else { return self.negated(py) };
        let kind = self.core.room()?.kind(|| of_one("-", kind), number(kind, "-")?.neg())?;
        Ok(self.negated(py)?.of(Some(kind)))
    }

    /// The magnitude of numbers with a kind.
    pub fn magnitude(&self, py: Python<'_>, kind: &Kind) -> PyResult<Share> {
        let (number, room) = (number(kind, "abs")?, self.core.room()?);
        let grown = room.kind(|| of_one("abs", kind), number.abs())?;
        if !number.signed {
            return Ok(self.clone().of(Some(grown)));
        }
        let bits = room.masked(|| of_one("abs", kind), number.bits)?;
        let zero = self.core.value(py, AnyOperation::ConstantLike(&self.value, Numbers::from(vec![0])))?;
        let negative = self.each(py, |value| AnyOperation::LessWithin(value, &zero, bits))?;
        let twice = negative.pair(py, self, AnyPair::Mul)?.by_power(py, 1)?;
        Ok(self.pair(py, &twice, AnyPair::Sub)?.of(Some(grown)))
    }

    /// The square root: in the field for its elements, else rounded down.
    pub fn square_root(&self, py: Python<'_>) -> PyResult<Share> {
        match &self.kind {
            None => self.each(py, AnyOperation::Sqrt),
            Some(kind) => self.rounded_root(py, kind),
        }
    }

    /// `~a`: the complement of every bit.
    pub fn inverted(&self, py: Python<'_>) -> PyResult<Share> {
        let Some(kind) = &self.kind else { return self.not(py) };
        let (least, greatest) = integer(kind, "~")?.bounds();
        Ok(self.negated(py)?.plus(py, least + greatest)?.of(Some(kind.clone())))
    }

    /// `a & b`, `a | b` or `a ^ b`: for elements without a kind, as the field defines it, and for bool.
    pub fn bitwise(
        &self,
        py: Python<'_>,
        other: &Share,
        name: &str,
        work: impl FnOnce(&Share) -> PyResult<Share>,
    ) -> PyResult<Share> {
        match kinds(name, self, other)? {
            None => work(self),
            Some((Kind::Bool, Kind::Bool)) if name == "^" => {
                let twice = self.pair(py, other, AnyPair::Mul)?.by_power(py, 1)?;
                let either = self.pair(py, other, AnyPair::Add)?;
                Ok(either.pair(py, &twice, AnyPair::Sub)?.of(Some(Kind::Bool)))
            }
            Some((Kind::Bool, Kind::Bool)) => Ok(work(self)?.of(Some(Kind::Bool))),
            Some((a, b)) => Err(KindError::new_err(format!(
                "{} that parties share; {name} takes bool: take the bits with x.bits()",
                of_two(name, a, b)
            ))),
        }
    }

    /// Whether `a` is less than `b`, or equal to it, by the narrowest form that their ranges permit.
    pub fn compared(&self, py: Python<'_>, other: &Share, equal: bool) -> PyResult<Share> {
        let name = if equal { "==" } else { "<" };
        let Some((a, b)) = kinds(name, self, other)? else {
            return self.pair(py, other, if equal { AnyPair::Equal } else { AnyPair::Less });
        };
        let (x, y) = (number(a, name)?, number(b, name)?);
        let difference = x.sub(y);
        let bits = self.core.room()?.masked(|| of_two(name, a, b), difference.bits)?;
        let (x, y) = (self.scaled(py, x, difference)?, other.scaled(py, y, difference)?);
        let (x, y, shape) = x.together(py, &y)?;
        let operation = match equal {
            true => AnyOperation::EqualWithin(&x, &y, bits),
            false => AnyOperation::LessWithin(&x, &y, bits),
        };
        Ok(self.made(py, operation, shape)?.of(Some(Kind::Bool)))
    }

    /// `x` where this is 1, `y` where it is 0.
    pub fn chosen(&self, py: Python<'_>, x: &Share, y: &Share) -> PyResult<Share> {
        match (&self.kind, kinds("where", x, y)?) {
            (None | Some(Kind::Bool), None) => self.select(py, x, y),
            (Some(Kind::Bool), Some((a, b))) => {
                let kind = joined(&self.core, &[a, b], "where")?;
                let to = number(&kind, "where")?;
                let (x, y) = (x.scaled(py, number(a, "where")?, to)?, y.scaled(py, number(b, "where")?, to)?);
                Ok(self.select(py, &x, &y)?.of(Some(kind)))
            }
            (None, Some((a, b))) => Err(KindError::new_err(format!(
                "{} by an element of the field; where takes bool: compare numbers that have a kind, or promise that it is 0 or 1 \
                 with condition.within(t.bool)",
                of_two("where", a, b)
            ))),
            (Some(kind), _) => {
                Err(KindError::new_err(format!("where takes bool, not {kind}; compare first, as in x != 0")))
            }
        }
    }

    /// The smaller of this and another, or the larger.
    pub fn picked(&self, py: Python<'_>, other: &Share, largest: bool) -> PyResult<Share> {
        let less = other.compared(py, self, false)?;
        if largest { less.chosen(py, self, other) } else { less.chosen(py, other, self) }
    }

    /// The sum, of all elements or along an axis.
    pub fn total(&self, py: Python<'_>, axis: Option<usize>) -> PyResult<Share> {
        let Some(kind) = &self.kind else { return self.sum(py, axis) };
        let count = axis.map_or(self.value.len() as u64, |axis| self.shape[axis]);
        let kind = self.core.room()?.kind(|| of_one("sum", kind), number(kind, "sum")?.sum_of(count))?;
        Ok(self.sum(py, axis)?.of(Some(kind)))
    }

    /// `a << amount` or `a >> amount`, the latter rounded down, for numbers with a kind.
    pub fn shifted(&self, py: Python<'_>, kind: &Kind, amount: u32, left: bool) -> PyResult<Share> {
        let name = if left { "<<" } else { ">>" };
        let (number, room) = (number(kind, name)?, self.core.room()?);
        if left {
            let kind = room.kind(|| of_one(name, kind), number.shifted_left(amount))?;
            return Ok(self.by_power(py, amount)?.of(Some(kind)));
        }
        let signed = number.to_signed().bits;
        let dropped = amount.min(signed - 1) as usize;
        if dropped == 0 {
            return Ok(self.clone());
        }
        let bits = room.masked(|| of_one(name, kind), signed)?;
        let cut = self.each(py, |value| AnyOperation::Truncate(value, dropped, bits))?;
        Ok(cut.of(Some(Kind::of(number)?)))
    }

    /// All bits of numbers with a kind, least significant first, along a new last axis; in two's complement
    /// if signed.
    pub fn all_bits(&self, py: Python<'_>, kind: &Kind) -> PyResult<Share> {
        let number = number(kind, "bits")?;
        let bits = self.core.room()?.masked(|| of_one("bits", kind), number.bits)?;
        let (least, _) = number.bounds();
        let found = self.plus(py, -least)?.bits(py, bits)?;
        if !number.signed {
            return Ok(found.of(Some(Kind::Bool)));
        }
        // The offset has inverted the last bit.
        let ends = |rest: i64, last: i64| {
            let mut row = vec![rest; bits];
            row[bits - 1] = last;
            AnyOperation::ConstantLike(&self.value, Numbers::from(row))
        };
        let row = |operation| found.made(py, operation, vec![bits as u64]);
        let (signs, shifts) = (row(ends(1, -1))?, row(ends(0, 1))?);
        let turned = found.pair(py, &signs, AnyPair::Mul)?.pair(py, &shifts, AnyPair::Add)?;
        Ok(turned.of(Some(Kind::Bool)))
    }

    /// The numbers with these bits, along the last axis, least significant first.
    pub fn numbers_of_bits(&self, py: Python<'_>) -> PyResult<Share> {
        match &self.kind {
            None => self.joined_bits(py),
            Some(Kind::Bool) => {
                let bits = u32::try_from(self.shape.last().copied().unwrap_or(1)).unwrap_or(u32::MAX);
                let kind = self.core.room()?.kind(|| "from_bits".into(), Number::uint(bits))?;
                Ok(self.joined_bits(py)?.of(Some(kind)))
            }
            Some(kind) => Err(KindError::new_err(format!("from_bits takes bool, not {kind}; compare first"))),
        }
    }

    /// The elements as another kind that holds all of them; as bool, everything except zero is true.
    pub fn astype(&self, py: Python<'_>, to: &Kind) -> PyResult<Share> {
        let Some(kind) = &self.kind else {
            return match *to == self.core.room()?.field() {
                true => Ok(self.clone()),
                false => Err(KindError::new_err(format!(
                    "elements of the field have no kind that may become {to}; promise their range with x.within(bits)"
                ))),
            };
        };
        match (to, number(kind, ".astype")?, to.number()) {
            _ if kind == to => Ok(self.clone()),
            (Kind::Bool, ..) => {
                let zero = Literal { elements: Elements::Integers(vec![BigInt::ZERO]), shape: vec![] };
                let zero = self.literal(py, &zero, Kind::Uint(1))?;
                self.compared(py, &zero, true)?.inverted(py)
            }
            (Kind::Field(_), Number { point: None, .. }, _) if *to == self.core.room()?.field() => {
                Ok(self.clone().of(None))
            }
            (_, from, Some(into)) if from.align(into) == into => {
                self.scaled(py, from, into)?.grown(|| of_one("another kind", to), into)
            }
            _ => Err(KindError::new_err(format!(
                "{to} does not hold all numbers of {kind}; promise that they fit with x.within(kind), and \
                 round with x >> bits"
            ))),
        }
    }

    /// The same numbers, promised by the program to be of this kind. All parties must promise the same.
    pub fn promised(&self, py: Python<'_>, to: Kind) -> PyResult<Share> {
        let name = || of_one("within", &to);
        let number = number(&to, "within")?;
        if let Some(own) = self.kind.as_ref().and_then(Kind::number)
            && own.point != number.point
        {
            return Err(KindError::new_err(format!(
                "{} cannot be promised to be {to}, which has its binary point elsewhere; convert it with \
                 x.astype(kind)",
                self.described()
            )));
        }
        self.core.room()?.kind(name, number)?;
        let value = self.core.declared(py, &self.value, &to)?;
        Ok(Share::new(value, self.shape.clone(), &self.core).of(Some(to)))
    }

    /// The kind of these numbers, if they are also known to have at most this many bits, including the sign.
    pub fn kind_within(&self, bits: u32) -> PyResult<Kind> {
        Ok(match &self.kind {
            Some(Kind::Bool) => Kind::Bool,
            Some(kind) => Kind::of(within(kind, bits)?)?,
            None => Kind::of(within(&Kind::Int(bits), bits)?)?,
        })
    }
}

/// The number kind of elements of a kind, if they are also known to have at most this many bits.
pub fn within(kind: &Kind, bits: u32) -> PyResult<Number> {
    let number = number(kind, "within")?;
    match bits > number.point.unwrap_or(0) {
        true => Ok(number.within(bits)),
        false => Err(KindError::new_err(format!(
            "{kind} needs more than {bits} bits, because {} are after the point",
            number.point.unwrap_or(0)
        ))),
    }
}

/// Arrays converted to one kind that holds the elements of all; unchanged if none has a kind.
pub fn of_one_kind(py: Python<'_>, parts: &[&Share], name: &str) -> PyResult<Option<(Vec<Share>, Kind)>> {
    let Some(first) = parts.first() else { return Ok(None) };
    for part in parts {
        kinds(name, first, part)?;
    }
    let known: Vec<&Kind> = parts.iter().filter_map(|part| part.kind.as_ref()).collect();
    if known.is_empty() {
        return Ok(None);
    }
    let kind = joined(&first.core, &known, name)?;
    let to = number(&kind, name)?;
    let scaled = parts.iter().zip(known).map(|(part, own)| part.scaled(py, number(own, name)?, to));
    Ok(Some((scaled.collect::<PyResult<_>>()?, kind)))
}

/// A kind that holds the elements of all, and that fits in the field.
fn joined(core: &Core, kinds: &[&Kind], name: &str) -> PyResult<Kind> {
    let joined: Traced<Kind> = kinds[1..].iter().try_fold(kinds[0].clone(), |joined, kind| joined.join(kind));
    let joined = joined?;
    match joined {
        Kind::Bool => Ok(joined),
        _ => Ok(core.room()?.kind(|| of_one(name, &joined), number(&joined, name)?)?),
    }
}
