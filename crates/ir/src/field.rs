//! Arithmetic in the fields a program declares, in the clear.

use num_bigint::BigUint;

use crate::Field;

/// Most 64-bit limbs of a modulus.
const MAX_LIMBS: usize = 64;

/// The modulus of GF(2^8) as in AES.
const AES_POLYNOMIAL: u16 = 0x11b;

/// A little-endian number as a big integer.
pub(crate) fn from_limbs(limbs: &[u64]) -> BigUint {
    BigUint::new(limbs.iter().flat_map(|limb| [*limb as u32, (limb >> 32) as u32]).collect())
}

/// Little-endian limbs, without leading zeros, from hexadecimal digits, most significant first.
pub(crate) fn to_limbs(digits: &[u8]) -> Vec<u64> {
    let limb = |digits: &[u8]| digits.iter().fold(0, |value, digit| value << 4 | u64::from(*digit));
    let mut limbs: Vec<_> = digits.rchunks(16).map(limb).collect();
    limbs.truncate(limbs.iter().rposition(|limb| *limb != 0).map_or(0, |top| top + 1));
    limbs
}

impl Field {
    /// The number of bits that hold an element.
    pub fn bits(&self) -> u32 {
        match self {
            Field::Prime(limbs) => from_limbs(limbs).bits() as u32,
            Field::Gf256 => 8,
        }
    }

    /// Whether the modulus is a prime without superfluous limbs.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            Field::Prime(limbs) if limbs.len() > MAX_LIMBS => {
                Err(format!("the modulus has more than {} bits", 64 * MAX_LIMBS))
            }
            Field::Prime(limbs) if limbs.last().is_none_or(|top| *top == 0) => {
                Err("the modulus is zero or begins with zeros".into())
            }
            Field::Prime(limbs) if !is_prime(&from_limbs(limbs)) => Err("the modulus is not a prime".into()),
            _ => Ok(()),
        }
    }

    pub(crate) fn add(&self, a: &BigUint, b: &BigUint) -> BigUint {
        match self {
            Field::Prime(limbs) => (a + b) % from_limbs(limbs),
            Field::Gf256 => a ^ b,
        }
    }

    pub(crate) fn neg(&self, a: &BigUint) -> BigUint {
        match self {
            Field::Prime(limbs) => (from_limbs(limbs) - a) % from_limbs(limbs),
            Field::Gf256 => a.clone(),
        }
    }

    pub(crate) fn mul(&self, a: &BigUint, b: &BigUint) -> BigUint {
        match self {
            Field::Prime(limbs) => a * b % from_limbs(limbs),
            Field::Gf256 => BigUint::from(multiply_gf256(byte(a), byte(b))),
        }
    }

    /// The inverse by Fermat's theorem, so that zero maps to zero.
    pub(crate) fn invert(&self, a: &BigUint) -> BigUint {
        match self {
            Field::Prime(limbs) if *limbs == [2] => a.clone(),
            Field::Prime(limbs) => a.modpow(&(from_limbs(limbs) - 2u8), &from_limbs(limbs)),
            Field::Gf256 => BigUint::from((0..254).fold(1, |power, _| multiply_gf256(power, byte(a)))),
        }
    }

    /// A uniformly random element from uniformly random limbs, by rejection.
    pub(crate) fn random(&self, draw: &mut dyn FnMut() -> u64) -> BigUint {
        let bits = self.bits();
        loop {
            let mut limbs: Vec<u64> = (0..bits.div_ceil(64)).map(|_| draw()).collect();
            if let (Some(top), 1..) = (limbs.last_mut(), bits % 64) {
                *top &= (1 << (bits % 64)) - 1;
            }
            let candidate = from_limbs(&limbs);
            match self {
                Field::Prime(modulus) if candidate >= from_limbs(modulus) => {}
                _ => return candidate,
            }
        }
    }
}

fn byte(element: &BigUint) -> u8 {
    element.iter_u32_digits().next().unwrap_or(0) as u8
}

fn multiply_gf256(a: u8, b: u8) -> u8 {
    let product = (0..8).filter(|bit| b >> bit & 1 == 1).fold(0u16, |sum, bit| sum ^ u16::from(a) << bit);
    let reduced = (0..7).rev().fold(product, |value, bit| match value >> (bit + 8) & 1 {
        1 => value ^ AES_POLYNOMIAL << bit,
        _ => value,
    });
    reduced as u8
}

/// Miller and Rabin's test with every prime base below 200: certain below 2^64; beyond, it errs only for
/// numbers constructed to deceive it.
fn is_prime(number: &BigUint) -> bool {
    let small = (2u32..200).filter(|n| (2..*n).all(|d| n % d != 0));
    let [zero, one, two] = [0u8, 1, 2].map(BigUint::from);
    if *number < two {
        return false;
    }
    let minus_one = number - &one;
    let twos = minus_one.trailing_zeros().unwrap_or(0);
    let odd = &minus_one >> twos;
    for base in small.map(BigUint::from) {
        if number == &base {
            return true;
        }
        if number % &base == zero {
            return false;
        }
        let mut power = base.modpow(&odd, number);
        let mut squarings = 0;
        while power != one && power != minus_one {
            power = &power * &power % number;
            squarings += 1;
            if squarings >= twos || power == one {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_told_from_composites() {
        let composites = [0u64, 1, 4, 561, 3215031751, 3825123056546413051, u64::MAX];
        let primes = [2u64, 3, 199, 211, 65537, (1 << 61) - 1, u64::MAX - 58];
        assert!(composites.iter().all(|n| !is_prime(&BigUint::from(*n))));
        assert!(primes.iter().all(|n| is_prime(&BigUint::from(*n))), "{primes:?}");
        assert!(is_prime(&((BigUint::from(1u8) << 127u8) - 1u8)));
        assert!(!is_prime(&((BigUint::from(1u8) << 129u8) - 1u8)));
    }

    #[test]
    fn inverses_multiply_to_one() {
        for field in [Field::Prime(vec![2]), Field::Prime(vec![65537]), Field::Gf256] {
            let elements = 1u32..if field == Field::Prime(vec![2]) { 2 } else { 256 };
            for a in elements.map(BigUint::from) {
                assert_eq!(field.mul(&a, &field.invert(&a)), BigUint::from(1u8), "{field:?} {a}");
            }
            assert_eq!(field.invert(&BigUint::from(0u8)), BigUint::from(0u8));
        }
        assert_eq!(multiply_gf256(0x57, 0x83), 0xc1);
    }

    #[test]
    fn moduli_are_checked() {
        assert!(Field::Prime(vec![65537]).check().is_ok());
        for bad in [vec![], vec![0], vec![65537, 0], vec![15], vec![u64::MAX; 65]] {
            assert!(Field::Prime(bad).check().is_err());
        }
    }
}
