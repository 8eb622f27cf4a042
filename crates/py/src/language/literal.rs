//! Public numbers that are combined with secret ones.

use num_bigint::{BigInt, BigUint, Sign};
use tacit_ir::Words;

use super::error::{Traced, kind};
use super::kind::{Kind, Number};

/// The most digits of a number that an error repeats.
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
    /// Numerators and denominators; denominators are positive, except for values that only floats have: ±1/0
    /// are the infinities, 0/0 is a NaN and 0/-1 the negative zero.
    Ratios(Vec<(BigInt, BigInt)>),
}

impl Literal {
    /// The smallest kind that holds it when combined with kind `partner`; fractions are rounded to those of
    /// the partner.
    pub fn kind_beside(&self, partner: &Kind) -> Traced<Kind> {
        match (&self.elements, partner) {
            (_, Kind::Field(_) | Kind::Float(_)) => Ok(partner.clone()),
            (Elements::Bools(_), _) => Ok(Kind::Bool),
            (Elements::Integers(integers), _) => Kind::of(smallest(integers)),
            (Elements::Ratios(_), Kind::Fixed { fraction, .. }) => {
                self.finite()?;
                let bits = smallest(&self.scaled(*fraction)).to_signed().bits;
                Kind::of(Number { bits: bits.max(fraction + 1), signed: true, point: Some(*fraction) })
            }
            (Elements::Ratios(_), _) => {
                self.finite()?;
                kind(format!(
                    "a number with a fraction cannot be combined with {partner}; convert the array with \
                     x.astype(t.fixed(i, f))"
                ))
            }
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

    /// Its elements as integers of a kind, times `2^fraction` if it has a binary point; for floats, their
    /// words.
    ///
    /// Errors: an element that the kind does not hold.
    pub fn integers(&self, kind: &Kind) -> Traced<Vec<BigInt>> {
        let raw = match kind {
            Kind::Float(bits) => return self.floats(*bits),
            Kind::Field(modulus) => self.residues(modulus)?,
            _ => {
                self.finite()?;
                self.scaled(kind.fraction())
            }
        };
        match raw.iter().position(|value| !fits(value, kind.bits(), kind.signed())) {
            Some(position) => self::kind(format!("{} does not fit in {kind}", self.shown(position))),
            None => Ok(raw),
        }
    }

    /// Its value, if it is a single integer.
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
            Elements::Ratios(ratios) => ratios.iter().any(|(n, d)| is_zero(n) && !is_zero(d)),
        }
    }

    /// One public integer.
    pub fn integer_of(number: u32) -> Literal {
        Literal { elements: Elements::Integers(vec![number.into()]), shape: vec![] }
    }

    /// Errors: an infinity or a NaN.
    fn finite(&self) -> Traced<()> {
        let Elements::Ratios(ratios) = &self.elements else { return Ok(()) };
        match ratios.iter().position(|(_, denominator)| is_zero(denominator)) {
            Some(position) => kind(format!("{} is not a number to compute with", self.shown(position))),
            None => Ok(()),
        }
    }

    /// Its elements as words of floats of this many bits, rounded to the nearest.
    fn floats(&self, bits: u32) -> Traced<Vec<BigInt>> {
        let one = BigInt::from(1u8);
        let word = |position: usize| match &self.elements {
            Elements::Bools(bools) => float_word(&u8::from(bools[position]).into(), &one, bits),
            Elements::Integers(integers) => float_word(&integers[position], &one, bits),
            Elements::Ratios(ratios) => float_word(&ratios[position].0, &ratios[position].1, bits),
        };
        let words = (0..self.count()).map(|position| match word(position) {
            Some(word) => Ok(word.into()),
            None => kind(format!("{} does not fit in float{bits}", self.shown(position))),
        });
        words.collect()
    }

    fn count(&self) -> usize {
        match &self.elements {
            Elements::Bools(bools) => bools.len(),
            Elements::Integers(integers) => integers.len(),
            Elements::Ratios(ratios) => ratios.len(),
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
            return kind("a number with a fraction is not an element of a field");
        }
        let modulus = BigInt::from(modulus.clone());
        Ok(self.scaled(0).into_iter().map(|integer| ((integer % &modulus) + &modulus) % &modulus).collect())
    }

    fn shown(&self, position: usize) -> String {
        let mut text = match &self.elements {
            Elements::Bools(bools) => u8::from(bools[position]).to_string(),
            Elements::Integers(integers) => integers[position].to_string(),
            Elements::Ratios(ratios) => match &ratios[position] {
                (n, d) if is_zero(d) => match n.sign() {
                    Sign::Minus => "-inf".to_owned(),
                    Sign::NoSign => "nan".to_owned(),
                    Sign::Plus => "inf".to_owned(),
                },
                (n, d) if d.sign() == Sign::Minus => format!("-{n}"),
                (n, d) => format!("{n}/{d}"),
            },
        };
        if text.len() > SHOWN {
            text.truncate(SHOWN);
            text.push('…');
        }
        text
    }
}

fn is_zero(number: &BigInt) -> bool {
    number.sign() == Sign::NoSign
}

/// `numerator / denominator`, in the form of [`Elements::Ratios`], as a word of 32 or 64 bits of IEEE 754,
/// rounded to the nearest, ties to even; none if the number is too large.
fn float_word(numerator: &BigInt, denominator: &BigInt, bits: u32) -> Option<u64> {
    let (exponent_bits, fraction) = if bits == 32 { (8, 23) } else { (11, 52) };
    let special = (1i64 << exponent_bits) - 1;
    let negative = numerator.sign() == Sign::Minus || denominator.sign() == Sign::Minus;
    let sign = u64::from(negative) << (bits - 1);
    let word = |field: i64, rest: u64| sign | (field as u64) << fraction | rest;
    if is_zero(denominator) {
        return Some(word(special, u64::from(is_zero(numerator)) << (fraction - 1)));
    }
    if is_zero(numerator) {
        return Some(sign);
    }
    let (n, d) = (BigInt::from(numerator.magnitude().clone()), denominator);
    // n / d is below 2^above and at least 2^(above - 2); the exponent of the last bit of the significand follows.
    let above = n.bits() as i64 - d.bits() as i64 + 1;
    let least = 2 - (1i64 << (exponent_bits - 1)) - fraction;
    let significand = |last: i64| match last {
        0.. => rounded(&n, &(d << last)),
        _ => rounded(&(&n << -last), d),
    };
    let mut last = (above - 2 - fraction).max(least);
    // One bit more means that the number is at least 2^(above - 1).
    if significand(last).bits() as i64 > fraction + 1 {
        last += 1;
    }
    if last - least >= special {
        return None;
    }
    let significand = u64::try_from(significand(last)).ok()?;
    // The leading bit of the significand adds one to the exponent field, which is zero for subnormal numbers.
    let magnitude = ((last - least) as u64) << fraction;
    let magnitude = magnitude.checked_add(significand)?;
    (magnitude < (special as u64) << fraction).then_some(sign | magnitude)
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
