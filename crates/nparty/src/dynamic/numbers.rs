//! Numbers from a user, and elements of fields.

use std::fmt;

use num_bigint::{BigInt, BigUint, Sign};
use tacit_math::Wiped;
use tacit_math::field::Field;

use crate::error::{RunError, UsageError};

/// Numbers, small ones in words. An element of a prime field is the number between -p/2 and p/2; an element of GF(2^8) is the number
/// whose bits are its coefficients.
///
/// They may be inputs, so `Debug` only prints how many there are. The small ones are overwritten when dropped; the large ones are not, since `num-bigint`
/// gives no access to their digits.
#[derive(Clone, PartialEq, Eq)]
pub enum Numbers {
    /// All below 2^63 in magnitude.
    Small(Wiped<i64>),
    /// Of any size.
    Large(Vec<BigInt>),
}

impl fmt::Debug for Numbers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Numbers({})", self.len())
    }
}

impl From<Vec<i64>> for Numbers {
    fn from(numbers: Vec<i64>) -> Numbers {
        Numbers::Small(Wiped::from(numbers))
    }
}

impl Numbers {
    /// The number of numbers.
    pub fn len(&self) -> usize {
        match self {
            Numbers::Small(numbers) => numbers.len(),
            Numbers::Large(numbers) => numbers.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements that represent them.
    ///
    /// Errors: a number is not in the field.
    pub(super) fn elements<F: Field>(&self, field: &F) -> Result<Vec<F::Element>, RunError> {
        match self {
            Numbers::Small(numbers) => numbers.iter().map(|number| small(field, *number)).collect(),
            Numbers::Large(numbers) => numbers.iter().map(|number| element(field, number)).collect(),
        }
    }

    /// The numbers that elements represent.
    pub(super) fn of_elements<F: Field>(field: &F, elements: &[F::Element]) -> Numbers {
        let order = field.order();
        match order[..] {
            [order] if order < 1 << 63 => {
                let centred = |element: &F::Element| {
                    let mut bytes = [0; 8];
                    field.encode(*element, &mut bytes[..field.bytes()]);
                    let number = u64::from_le_bytes(bytes);
                    match number > order / 2 && order & 1 == 1 {
                        true => -((order - number) as i64),
                        false => number as i64,
                    }
                };
                Numbers::from(elements.iter().map(centred).collect::<Vec<_>>())
            }
            _ => {
                let (order, half) = (integer(&order), integer(&order) / 2u8);
                let mut bytes = vec![0; field.bytes()];
                let centred = |element: &F::Element| {
                    field.encode(*element, &mut bytes);
                    let number = BigInt::from_bytes_le(Sign::Plus, &bytes);
                    if number > half { number - &order } else { number }
                };
                Numbers::Large(elements.iter().map(centred).collect())
            }
        }
    }
}

fn integer(limbs: &[u64]) -> BigInt {
    let bytes: Vec<_> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    BigInt::from_bytes_le(Sign::Plus, &bytes)
}

fn small<F: Field>(field: &F, number: i64) -> Result<F::Element, RunError> {
    let order = field.order();
    let size = number.unsigned_abs();
    let fits = match order[..] {
        [order] if order & 1 == 0 => number >= 0 && size < order,
        [order] => size <= order / 2,
        _ => true,
    };
    let element = field.element(size);
    match fits {
        true if number < 0 => Ok(field.neg(element)),
        true => Ok(element),
        false => Err(outside(&BigInt::from(number), &order)),
    }
}

fn outside(number: &BigInt, order: &[u64]) -> RunError {
    let order = integer(order);
    let (least, most) = match order.bit(0) {
        true => (-(&order / 2u8), &order / 2u8),
        false => (BigInt::ZERO, order - 1u8),
    };
    UsageError::OutsideField { number: number.clone(), least, most }.into()
}

fn element<F: Field>(field: &F, number: &BigInt) -> Result<F::Element, RunError> {
    if let Ok(number) = i64::try_from(number) {
        return small(field, number);
    }
    let order = field.order();
    let refuse = || outside(number, &order);
    if number.magnitude() > (integer(&order) / 2u8).magnitude() {
        return Err(refuse());
    }
    let mut bytes = number.magnitude().to_bytes_le();
    bytes.resize(field.bytes(), 0);
    let element = field.decode(&bytes).ok_or_else(refuse)?;
    Ok(if number.sign() == Sign::Minus { field.neg(element) } else { element })
}

/// Whether a number is an odd prime, by the Miller–Rabin test to the first 40 prime bases. It is certain below 2^81; above, it can only accept composites that
/// were constructed to pass. All users choose the modulus themselves.
pub(super) fn is_odd_prime(number: &BigUint) -> bool {
    let (one, two) = (BigUint::from(1u8), BigUint::from(2u8));
    if *number <= two || !number.bit(0) {
        return false;
    }
    let less = number - &one;
    // It is not zero, since the number is at least 3.
    let twos = less.trailing_zeros().unwrap_or(0);
    let odd = &less >> twos;
    let small_primes = (2u32..).filter(|n| (2..*n).all(|d| n % d != 0)).take(40);
    small_primes.map(BigUint::from).take_while(|base| base < number).all(|base| {
        let mut power = base.modpow(&odd, number);
        if power == one || power == less {
            return true;
        }
        (1..twos).any(|_| {
            power = power.modpow(&two, number);
            power == less
        })
    })
}

#[cfg(test)]
mod tests {
    use tacit_math::field::{Gf256, Mersenne61, Montgomery};

    use super::*;

    fn returns<F: Field>(field: &F, numbers: Numbers) {
        assert_eq!(Numbers::of_elements(field, &numbers.elements(field).expect("in the field")), numbers);
    }

    #[test]
    fn numbers_come_back() {
        let half = (1i64 << 60) - 1;
        returns(&Mersenne61, Numbers::from(vec![0, 1, -1, half, -half]));
        returns(&Gf256, Numbers::from(vec![0, 1, 255]));
        let field = Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd");
        let large: BigInt = BigInt::from(1u8) << 126u32;
        returns(
            &field,
            Numbers::Large(vec![BigInt::from(-5), large.clone() - 1u8, BigInt::from(1u8) - large]),
        );
    }

    #[test]
    fn numbers_outside_the_field_are_refused() {
        for number in [1i64 << 60, -(1 << 60), i64::MIN, i64::MAX] {
            let error = Numbers::from(vec![number]).elements(&Mersenne61).expect_err("too large").to_string();
            assert!(error.contains("1152921504606846975"), "{error}");
            assert!(Numbers::Large(vec![BigInt::from(number)]).elements(&Mersenne61).is_err());
        }
        assert!(Numbers::from(vec![256]).elements(&Gf256).is_err());
        assert!(Numbers::from(vec![-1]).elements(&Gf256).is_err());
        assert!(Numbers::Large(vec![BigInt::from(1u8) << 64u32]).elements(&Mersenne61).is_err());
    }

    #[test]
    fn primes_are_told_from_other_numbers() {
        let primes: Vec<u32> = (0..200).filter(|n| is_odd_prime(&BigUint::from(*n))).collect();
        let plain: Vec<u32> = (3..200).filter(|n| (2..*n).all(|d| n % d != 0)).collect();
        assert_eq!(primes, plain);
        assert!(is_odd_prime(&((BigUint::from(1u8) << 127) - 1u8)));
        assert!(!is_odd_prime(&((BigUint::from(1u8) << 67) - 1u8)));
        // A strong pseudoprime to the bases 2 to 37.
        assert!(!is_odd_prime(&"318665857834031151167461".parse().expect("a number")));
    }
}
