//! The kinds of elements, and how widths grow so that nothing overflows.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use num_bigint::{BigInt, BigUint};

use super::error::{Traced, kind};

/// The widest element, in bits: wider ones are usually mistakes.
pub const MAX_BITS: u32 = 4096;

/// The kind of an element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A truth value; counts as an unsigned integer of one bit in arithmetic.
    Bool,
    /// An unsigned integer of this many bits.
    Uint(u32),
    /// A signed integer of this many bits, two's complement.
    Int(u32),
    /// A signed number with `integer` bits before the binary point, including its sign, and `fraction` after
    /// it.
    Fixed {
        /// Bits before the point.
        integer: u32,
        /// Bits after the point.
        fraction: u32,
    },
    /// An integer modulo a prime.
    Field(Arc<BigUint>),
    /// A floating-point number of 32 or 64 bits, which only C computes with.
    Float(u32),
}

/// An integer kind, possibly with a binary point; the width rules apply to these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// Width.
    pub bits: u32,
    /// Whether there is a sign.
    pub signed: bool,
    /// Bits after the binary point, if there is one.
    pub point: Option<u32>,
}

impl Kind {
    /// The kind of a number, if it is not too wide.
    pub fn of(number: Number) -> Traced<Kind> {
        let Number { bits, signed, point } = number;
        if bits > MAX_BITS {
            return kind(format!(
                "the result would be {bits} bits wide, more than {MAX_BITS}; narrow its operands with .astype(…), or \
                 compute modulo a power of two with t.wrapping(…)"
            ));
        }
        Ok(match (point, signed) {
            (Some(fraction), _) => Kind::Fixed { integer: bits.saturating_sub(fraction).max(1), fraction },
            (None, true) => Kind::Int(bits),
            (None, false) => Kind::Uint(bits),
        })
    }

    /// The number kind; none for elements of fields and floats.
    pub fn number(&self) -> Option<Number> {
        let number = |bits, signed, point| Some(Number { bits, signed, point });
        match self {
            Kind::Bool => number(1, false, None),
            Kind::Uint(bits) => number(*bits, false, None),
            Kind::Int(bits) => number(*bits, true, None),
            Kind::Fixed { integer, fraction } => number(integer + fraction, true, Some(*fraction)),
            Kind::Field(_) | Kind::Float(_) => None,
        }
    }

    /// Width of the word that holds an element.
    pub fn bits(&self) -> u32 {
        match self {
            Kind::Field(modulus) => modulus.bits() as u32,
            Kind::Float(bits) => *bits,
            _ => self.number().map_or(1, |number| number.bits),
        }
    }

    /// Whether the word that holds an element has a sign.
    pub fn signed(&self) -> bool {
        self.number().is_some_and(|number| number.signed)
    }

    /// Bits after the binary point.
    pub fn fraction(&self) -> u32 {
        self.number().and_then(|number| number.point).unwrap_or(0)
    }

    /// The whole product of elements of two number kinds; a truth value selects the other factor or 0.
    pub fn product(&self, other: &Kind) -> Option<Number> {
        let (x, y) = (self.number()?, other.number()?);
        Some(match (self, other) {
            (Kind::Bool, Kind::Bool) => Number::uint(1),
            (Kind::Bool, _) => y,
            (_, Kind::Bool) => x,
            _ => x.product(y),
        })
    }

    /// A kind that holds the elements of both.
    pub fn join(&self, other: &Kind) -> Traced<Kind> {
        match (self.number(), other.number()) {
            _ if self == other => Ok(self.clone()),
            (Some(a), Some(b)) => Kind::of(a.align(b)),
            _ => kind(format!(
                "{self} and {other} cannot be combined; convert one of them with x.astype(kind)"
            )),
        }
    }
}

impl Number {
    /// An unsigned integer.
    pub fn uint(bits: u32) -> Number {
        Number { bits, signed: false, point: None }
    }

    /// The same number with room for a sign.
    pub fn to_signed(self) -> Number {
        Number { bits: self.bits + u32::from(!self.signed), signed: true, ..self }
    }

    /// The number kind that holds the numbers of both.
    pub fn align(self, other: Number) -> Number {
        let point = self.point.max(other.point);
        let signed = self.signed || other.signed || point.is_some();
        let fraction = point.unwrap_or(0);
        let room = |number: Number| {
            let number = if signed { number.to_signed() } else { number };
            number.bits + (fraction - number.point.unwrap_or(0))
        };
        Number { bits: room(self).max(room(other)), signed, point }
    }

    /// One kind wide enough for a sum.
    pub fn add(self, other: Number) -> Number {
        let both = self.align(other);
        Number { bits: both.bits + 1, ..both }
    }

    /// One kind wide enough for a difference.
    pub fn sub(self, other: Number) -> Number {
        Number { signed: true, ..self.add(other) }
    }

    /// The whole product, with the fractions of both factors.
    pub fn product(self, other: Number) -> Number {
        let point = match (self.point, other.point) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0) + b.unwrap_or(0)),
        };
        Number { bits: self.bits + other.bits, signed: self.signed || other.signed, point }
    }

    /// The number kind of this full product of two numbers, reduced to the fraction of the finer factor.
    pub fn rescaled(self, a: Number, b: Number) -> Number {
        let Some(exact) = self.point else { return self };
        let point = a.point.max(b.point).unwrap_or(0);
        Number { bits: self.bits - (exact - point), point: Some(point), ..self }
    }

    /// The number kind times `2^amount`.
    pub fn shifted_left(self, amount: u32) -> Number {
        Number { bits: self.bits.saturating_add(amount), ..self }
    }

    /// The number kind of values that are also known to have at most this many bits.
    pub fn within(self, bits: u32) -> Number {
        Number { bits: self.bits.min(bits), ..self }
    }

    /// The least and the greatest number, times `2^point`.
    pub fn bounds(self) -> (BigInt, BigInt) {
        let limit = BigInt::from(1u8) << (self.bits - u32::from(self.signed));
        let least = if self.signed { -limit.clone() } else { BigInt::ZERO };
        (least, limit - 1u8)
    }

    /// A square: never negative, but signed if it has a binary point.
    pub fn square(self) -> Number {
        match self.point {
            Some(fraction) => Number { bits: 2 * self.bits, signed: true, point: Some(2 * fraction) },
            None => Number { bits: 2 * self.bits - u32::from(self.signed), signed: false, point: None },
        }
    }

    /// Its additive inverse.
    pub fn neg(self) -> Number {
        Number { bits: self.bits + 1, signed: true, ..self }
    }

    /// Its magnitude.
    pub fn abs(self) -> Number {
        match self.point {
            Some(_) => Number { bits: self.bits + 1, ..self },
            None => Number { signed: false, ..self },
        }
    }

    /// The sum of `count` such numbers.
    pub fn sum_of(self, count: u64) -> Number {
        Number { bits: self.bits + ceil_log2(count), ..self }
    }
}

/// `ceil(log2(count))`.
pub fn ceil_log2(count: u64) -> u32 {
    u64::BITS - count.saturating_sub(1).leading_zeros()
}

impl FromStr for Kind {
    type Err = UnknownKind;

    /// Parses the text form of [`Kind`].
    fn from_str(text: &str) -> Result<Kind, UnknownKind> {
        let unknown = || UnknownKind(text.to_owned());
        let (name, terms) = match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            Some((name, terms)) => (name, terms.split(", ").collect()),
            None => {
                let digits = text.find(|letter: char| letter.is_ascii_digit()).unwrap_or(text.len());
                let (name, bits) = text.split_at(digits);
                (name, if bits.is_empty() { vec![] } else { vec![bits] })
            }
        };
        let width =
            |text: &str| text.parse().ok().filter(|bits| (1..=MAX_BITS).contains(bits)).ok_or_else(unknown);
        match (name, &terms[..]) {
            ("bool", []) => Ok(Kind::Bool),
            ("u" | "uint", [bits]) => Ok(Kind::Uint(width(bits)?)),
            ("i" | "int", [bits]) => Ok(Kind::Int(width(bits)?)),
            ("float", [bits @ ("32" | "64")]) => Ok(Kind::Float(width(bits)?)),
            ("fixed", [integer, fraction]) => {
                let (integer, fraction) = (width(integer)?, fraction.parse().map_err(|_| unknown())?);
                width(&integer.saturating_add(fraction).to_string())?;
                Ok(Kind::Fixed { integer, fraction })
            }
            ("field", [modulus]) => {
                let modulus: BigUint = modulus.parse().map_err(|_| unknown())?;
                width(&modulus.bits().to_string())?;
                Ok(Kind::Field(Arc::new(modulus)))
            }
            _ => Err(unknown()),
        }
    }
}

/// A text that is not a kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a kind of numbers; write one such as u32, int(20) or fixed(8, 16)")]
pub struct UnknownKind(String);

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Bool => f.write_str("bool"),
            Kind::Uint(bits @ (8 | 16 | 32 | 64)) => write!(f, "u{bits}"),
            Kind::Int(bits @ (8 | 16 | 32 | 64)) => write!(f, "i{bits}"),
            Kind::Uint(bits) => write!(f, "uint({bits})"),
            Kind::Int(bits) => write!(f, "int({bits})"),
            Kind::Fixed { integer, fraction } => write!(f, "fixed({integer}, {fraction})"),
            Kind::Field(modulus) => write!(f, "field({modulus})"),
            Kind::Float(bits) => write!(f, "float{bits}"),
        }
    }
}
