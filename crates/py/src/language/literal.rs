//! Public numbers beside secret ones.

use num_bigint::{BigInt, BigUint, Sign};
use tacit_ir::Words;

use super::error::{Traced, kind};
use super::kind::{Kind, Number};

/// Longest number that an error repeats, in digits.
const SHOWN: usize = 40;

/// A public array.
#[derive(Clone, Debug)]
pub struct Literal {
    /// Its elements, row-major.
    pub elements: Elements,
    /// Its shape; a number has none.
    pub shape: Vec<u64>,
}

/// The elements of a public array.
#[derive(Clone, Debug)]
pub enum Elements {
    /// Truth values.
    Bools(Vec<bool>),
    /// Integers.
    Integers(Vec<BigInt>),
    /// Numerators and denominators, the latter positive.
    Ratios(Vec<(BigInt, BigInt)>),
}

impl Literal {
    /// The smallest kind that holds it beside a value of kind `partner`; fractions are rounded to those of the partner.
    pub fn kind_beside(&self, partner: &Kind) -> Traced<Kind> {
        match (&self.elements, partner) {
            (_, Kind::Field(_)) => Ok(partner.clone()),
            (Elements::Bools(_), _) => Ok(Kind::Bool),
            (Elements::Integers(integers), _) => Kind::of(smallest(integers)),
            (Elements::Ratios(_), Kind::Fixed { fraction, .. }) => {
                let bits = smallest(&self.scaled(*fraction)).to_signed().bits;
                Kind::of(Number { bits: bits.max(fraction + 1), signed: true, point: Some(*fraction) })
            }
            (Elements::Ratios(_), _) => kind(format!(
                "a number with a fraction beside {partner}; give the other a binary point, as in .astype(t.fixed(i, f))"
            )),
        }
    }

    /// The smallest kind that holds it by itself.
    pub fn own_kind(&self) -> Traced<Kind> {
        match &self.elements {
            Elements::Ratios(_) => {
                kind("a number with a fraction needs a kind, as in t.constant(0.5, t.fixed(8, 8))")
            }
            _ => self.kind_beside(&Kind::Bool),
        }
    }

    /// Its elements as words of a kind.
    ///
    /// Errors: an element that the kind does not hold.
    pub fn words(&self, kind: &Kind) -> Traced<Words> {
        let (raw, bits) = (self.integers(kind)?, kind.bits());
        let mut limbs = Vec::with_capacity(raw.len() * bits.div_ceil(64) as usize);
        raw.iter().for_each(|value| append(&mut limbs, value, bits));
        let words = Words::from_limbs(bits, raw.len() as u64, limbs);
        words.map_or_else(|| self::kind(format!("no words of {kind}")), Ok)
    }

    /// Its elements as integers of a kind, times `2^fraction` where it has a binary point.
    ///
    /// Errors: an element that the kind does not hold.
    pub fn integers(&self, kind: &Kind) -> Traced<Vec<BigInt>> {
        let raw = match kind {
            Kind::Float(_) => return self::kind(format!("a public number is no {kind}; write it in C")),
            Kind::Field(modulus) => self.residues(modulus)?,
            _ => self.scaled(kind.fraction()),
        };
        match raw.iter().position(|value| !fits(value, kind.bits(), kind.signed())) {
            Some(position) => self::kind(format!("{} does not fit in {kind}", self.shown(position))),
            None => Ok(raw),
        }
    }

    /// The one integer that it is, if it is one.
    pub fn integer(&self) -> Option<BigInt> {
        match &self.elements {
            Elements::Integers(integers) if self.shape.is_empty() => integers.first().cloned(),
            Elements::Bools(bools) if self.shape.is_empty() => {
                bools.first().map(|bool| BigInt::from(u8::from(*bool)))
            }
            _ => None,
        }
    }

    /// Whether an element is zero.
    pub fn has_zero(&self) -> bool {
        match &self.elements {
            Elements::Bools(bools) => bools.contains(&false),
            Elements::Integers(integers) => integers.iter().any(|integer| integer.sign() == Sign::NoSign),
            Elements::Ratios(ratios) => ratios.iter().any(|(numerator, _)| numerator.sign() == Sign::NoSign),
        }
    }

    /// The elements times `2^fraction`, rounded to the nearest integer, ties to even.
    fn scaled(&self, fraction: u32) -> Vec<BigInt> {
        match &self.elements {
            Elements::Bools(bools) => {
                bools.iter().map(|bool| BigInt::from(u8::from(*bool)) << fraction).collect()
            }
            Elements::Integers(integers) => integers.iter().map(|integer| integer << fraction).collect(),
            Elements::Ratios(ratios) => ratios.iter().map(|(n, d)| rounded(&(n << fraction), d)).collect(),
        }
    }

    fn residues(&self, modulus: &BigUint) -> Traced<Vec<BigInt>> {
        if let Elements::Ratios(_) = self.elements {
            return kind("a number with a fraction is no element of a field");
        }
        let modulus = BigInt::from(modulus.clone());
        Ok(self.scaled(0).into_iter().map(|integer| ((integer % &modulus) + &modulus) % &modulus).collect())
    }

    fn shown(&self, position: usize) -> String {
        let mut text = match &self.elements {
            Elements::Bools(bools) => u8::from(bools[position]).to_string(),
            Elements::Integers(integers) => integers[position].to_string(),
            Elements::Ratios(ratios) => format!("{}/{}", ratios[position].0, ratios[position].1),
        };
        if text.len() > SHOWN {
            text.truncate(SHOWN);
            text.push('…');
        }
        text
    }
}

/// The smallest kind that holds all of these.
fn smallest(integers: &[BigInt]) -> Number {
    let signed = integers.iter().any(|integer| integer.sign() == Sign::Minus);
    let width = |integer: &BigInt| match integer.sign() {
        Sign::Minus => (integer + 1u8).bits() as u32 + 1,
        _ => integer.bits() as u32 + u32::from(signed),
    };
    Number { bits: integers.iter().map(width).max().unwrap_or(0).max(1), signed, point: None }
}

fn fits(value: &BigInt, bits: u32, signed: bool) -> bool {
    let own = smallest(std::slice::from_ref(value));
    match (own.signed, signed) {
        (true, false) => false,
        (false, true) => value.bits() < u64::from(bits),
        _ => own.bits <= bits,
    }
}

/// Appends a number that fits as a word, two's complement.
fn append(limbs: &mut Vec<u64>, value: &BigInt, bits: u32) {
    let end = limbs.len() + bits.div_ceil(64) as usize;
    match value.sign() {
        Sign::Minus => limbs.extend(((BigInt::from(1u8) << bits) + value).iter_u64_digits()),
        _ => limbs.extend(value.iter_u64_digits()),
    }
    limbs.resize(end, 0);
}

/// `numerator / denominator`, to the nearest integer, ties to even.
fn rounded(numerator: &BigInt, denominator: &BigInt) -> BigInt {
    let twice: BigInt = numerator * 2 + denominator;
    let double: BigInt = denominator * 2;
    let remainder = ((&twice % &double) + &double) % &double;
    let floor = (twice - &remainder) / &double;
    let tie = remainder.sign() == Sign::NoSign;
    if tie && floor.bit(0) { floor - 1 } else { floor }
}
