//! Arithmetic modulo large odd numbers, over `crypto-bigint`'s constant-time Montgomery form.

use core::cmp::Ordering;

use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, ConcatenatingMul, CtEq, MontyForm, MontyMultiplier, NonZero, Odd, Resize};
use tacit_math::Wiped;
use tacit_math::powers::{self, FixedPowers, JointPowers, Powers};
use zeroize::{Zeroize, Zeroizing};

use crate::{HeError, Natural};

/// A residue in Montgomery form, reduced.
pub(crate) type Residue = BoxedMontyForm;

/// An odd modulus above 1. The values that `crypto-bigint` precomputes for it are shared by all residues and not overwritten
/// when the last one is dropped, so a secret modulus may stay in freed memory.
#[derive(Clone)]
pub(crate) struct Modulus {
    params: BoxedMontyParams,
    divisor: NonZero<BoxedUint>,
}

impl Modulus {
    /// The modulus, shortened to the limbs that it needs; `None` if it is even or below 3.
    pub fn new(value: &BoxedUint) -> Option<Modulus> {
        let bits = value.bits();
        let value = value.clone().resize_unchecked(bits.max(2));
        let odd: Odd<BoxedUint> = value.to_odd().into_option()?;
        if bits < 2 {
            return None;
        }
        let divisor = odd.as_nz_ref().clone();
        Some(Modulus { params: BoxedMontyParams::new(odd), divisor })
    }

    pub fn value(&self) -> &BoxedUint {
        self.params.modulus()
    }

    /// Bits of storage, a multiple of 64.
    pub fn precision(&self) -> u32 {
        self.params.bits_precision()
    }

    /// Whether a residue belongs to this modulus. Callers only ask this about public moduli.
    pub fn owns(&self, residue: &Residue) -> bool {
        residue.params().modulus().cmp_vartime(self.value()) == Ordering::Equal
    }

    /// Any number, reduced. Constant time in both.
    pub fn reduce(&self, number: &BoxedUint) -> BoxedUint {
        if number.bits_precision() < self.precision() {
            return number.clone().resize_unchecked(self.precision());
        }
        number.rem(&self.divisor)
    }

    /// Any number as a residue. Constant time.
    pub fn residue(&self, number: &BoxedUint) -> Residue {
        Residue::new(self.reduce(number), &self.params)
    }

    /// A number below the modulus as a residue.
    pub fn residue_below(&self, number: BoxedUint) -> Residue {
        Residue::new(number.resize_unchecked(self.precision()), &self.params)
    }

    /// The residue whose Montgomery form is this number.
    pub fn raw(&self, number: BoxedUint) -> Residue {
        Residue::from_montgomery(number.resize_unchecked(self.precision()), &self.params)
    }

    /// The memory of a secret modulus, except the copy used as a divisor: there `crypto-bigint` branches on the
    /// divisor's length, which is public.
    pub fn memory(&self) -> &[u64] {
        self.value().as_words()
    }

    pub fn one(&self) -> Residue {
        Residue::one(&self.params)
    }

    /// `a - b` of numbers below the modulus. Constant time.
    pub fn subtract(&self, a: &BoxedUint, b: &BoxedUint) -> BoxedUint {
        a.sub_mod(b, &self.divisor)
    }

    /// `base^exponent` over the lowest `bits` bits of the exponent. Constant time in both.
    pub fn power(&self, base: &Residue, exponent: &BoxedUint, bits: u32) -> Residue {
        base.pow_bounded_exp(exponent, bits)
    }

    /// The inverse, if there is one. Constant time.
    pub fn inverse(&self, number: &BoxedUint) -> Option<Residue> {
        self.residue(number).invert().into_option()
    }
}

/// Powers of one base by windows: `digits` multiplications and no squaring.
///
/// Every entry of a row is read for each digit, so memory accesses do not depend on the exponent.
///
/// Source: Brickell, Gordon, McCurley and Wilson, “Fast exponentiation with precomputation” (EUROCRYPT'92).
pub(crate) struct FixedBase {
    modulus: Modulus,
    window: u32,
    bits: u32,
    limbs: usize,
    /// Row i holds `base^(d · 2^(window·i))` for every digit d, in Montgomery form.
    entries: Wiped<u64>,
}

impl FixedBase {
    /// Tables for exponents of `bits` bits. Cost: `2^window · bits / window` multiplications, and as many residues of memory.
    pub fn new(modulus: &Modulus, base: &Residue, bits: u32, window: u32) -> FixedBase {
        let rows = bits.div_ceil(window).max(1) as usize;
        let limbs = (modulus.precision() / 64) as usize;
        let mut entries = Vec::with_capacity((rows << window) * limbs);
        let mut step = base.clone();
        for _ in 0..rows {
            let mut entry = modulus.one();
            for _ in 0..1 << window {
                entries.extend_from_slice(entry.as_montgomery().as_words());
                entry = entry.mul(&step);
            }
            step.zeroize();
            step = entry;
        }
        FixedBase { modulus: modulus.clone(), window, bits, limbs, entries: Wiped::from(entries) }
    }

    /// `base^exponent`, constant time. Only the lowest bits of the exponent count, as many as the tables were made
    /// for.
    pub fn power(&self, exponent: &BoxedUint) -> Residue {
        let words = exponent.as_words();
        let mut entry = Zeroizing::new(vec![0u64; self.limbs]);
        let row = self.limbs << self.window;
        let mut multiplier = <Residue as MontyForm>::Multiplier::from(&self.modulus.params);
        let mut power: Option<Residue> = None;
        for (i, row) in self.entries.chunks_exact(row).enumerate() {
            let at = i as u32 * self.window;
            let digit = digit(words, at, self.window.min(self.bits - at));
            select(&mut entry, row, digit);
            let mut factor = self.modulus.raw(BoxedUint::from_words(entry.iter().copied()));
            match &mut power {
                None => power = Some(factor),
                Some(power) => {
                    multiplier.mul_assign(power, &factor);
                    factor.zeroize();
                }
            }
        }
        power.unwrap_or_else(|| self.modulus.one())
    }
}

/// The product of all residues, each to the power of its factor, of which the lowest `bits` bits count: one squaring for each bit, whatever
/// the number of residues. Constant time in the factors.
///
/// Source: Straus, “Addition chains of vectors” (American Mathematical Monthly 71, 1964).
pub(crate) struct Joint {
    modulus: Modulus,
    limbs: usize,
    /// Row i holds the powers of residue i for each digit, in Montgomery form.
    entries: Wiped<u64>,
}

impl Joint {
    /// Bits of a digit.
    const WINDOW: u32 = 4;

    pub fn new(modulus: &Modulus, residues: &[&Residue]) -> Joint {
        let limbs = (modulus.precision() / 64) as usize;
        let mut entries = Vec::with_capacity((residues.len() << Self::WINDOW) * limbs);
        for residue in residues {
            let mut entry = modulus.one();
            for _ in 0..1 << Self::WINDOW {
                entries.extend_from_slice(entry.as_montgomery().as_words());
                entry = entry.mul(residue);
            }
        }
        Joint { modulus: modulus.clone(), limbs, entries: Wiped::from(entries) }
    }

    pub fn product(&self, factors: &[u128], bits: u32) -> Residue {
        let mut entry = Zeroizing::new(vec![0u64; self.limbs]);
        let mut product = self.modulus.one();
        for window in (0..bits.div_ceil(Self::WINDOW)).rev() {
            for _ in 0..Self::WINDOW {
                product = product.square();
            }
            let at = window * Self::WINDOW;
            let mask = (1 << Self::WINDOW.min(bits - at)) - 1;
            for (row, factor) in self.entries.chunks_exact(self.limbs << Self::WINDOW).zip(factors) {
                select(&mut entry, row, (factor >> at) as u64 & mask);
                product = product.mul(&self.modulus.raw(BoxedUint::from_words(entry.iter().copied())));
            }
        }
        product
    }
}

/// `bits` bits of a number from bit `at` on.
fn digit(words: &[u64], at: u32, bits: u32) -> u64 {
    let (word, shift) = ((at / 64) as usize, at % 64);
    let limb = |i: usize| u128::from(words.get(i).copied().unwrap_or(0));
    ((limb(word) | limb(word + 1) << 64) >> shift) as u64 & ((1 << bits) - 1)
}

/// Copies entry number `index` of a table, reading all of it.
pub(crate) fn select(entry: &mut [u64], table: &[u64], index: u64) {
    entry.fill(0);
    for (i, candidate) in table.chunks_exact(entry.len()).enumerate() {
        let mask = equal_mask(i as u64, index);
        for (word, candidate) in entry.iter_mut().zip(candidate) {
            *word |= candidate & mask;
        }
    }
}

/// All ones if both are equal, else zero. The barrier keeps the compiler from turning it into a branch.
pub(crate) fn equal_mask(a: u64, b: u64) -> u64 {
    let difference = a ^ b;
    let differ = (difference | difference.wrapping_neg()) >> 63;
    core::hint::black_box(differ).wrapping_sub(1)
}

/// Declassifies a bit that comes from secrets: whether a check holds, or the answer of a call. Branches may depend on it.
///
/// The bit is read from a table with public entries, so a tool that tracks secrets through the program reports only this
/// read. All declassified bits pass through here.
#[inline(never)]
pub(crate) fn told(bit: bool) -> bool {
    core::hint::black_box(&[false, true])[usize::from(bit)]
}

/// Whether two residues of one modulus are equal. Constant time; the answer is public.
pub(crate) fn equal(a: &Residue, b: &Residue) -> bool {
    told(a.as_montgomery().ct_eq(b.as_montgomery()).to_bool())
}

/// Powers modulo one number, eight at a time, on processors with AVX-512 IFMA.
pub(crate) struct Eights {
    powers: Powers,
    precision: u32,
}

impl Eights {
    /// How many at a time.
    pub const LANES: usize = powers::LANES;

    /// `None` where single powers are faster.
    pub fn new(modulus: &Modulus) -> Option<Eights> {
        let words = modulus.value().as_words();
        let powers = powers::available().then(|| Powers::new(words)).flatten()?;
        Some(Eights { powers, precision: modulus.precision() })
    }

    /// Each number below the modulus to the exponent at its place, over the lowest `bits` bits. Constant time.
    pub fn powers(
        &self,
        bases: &[Zeroizing<BoxedUint>],
        exponents: &[&BoxedUint],
        bits: u32,
    ) -> Vec<Zeroizing<BoxedUint>> {
        let bases: Vec<&[u64]> = bases.iter().map(|base| base.as_words()).collect();
        let exponents: Vec<&[u64]> = exponents.iter().map(|exponent| exponent.as_words()).collect();
        self.numbers(self.powers.powers(&bases, &exponents, bits))
    }

    /// Each residue to the power of the factor at its place. Constant time except for the factors' capacities.
    pub fn multiply(&self, modulus: &Modulus, residues: &[&Residue], factors: &[Natural]) -> Vec<Residue> {
        let bits = factors.iter().map(Natural::capacity_bits).max().unwrap_or(0);
        let exponents: Vec<&BoxedUint> = factors.iter().map(Natural::uint).collect();
        let bases: Vec<_> = residues.iter().map(|residue| Zeroizing::new(residue.retrieve())).collect();
        let powers = self.powers(&bases, &exponents, bits);
        powers.iter().map(|power| modulus.residue_below((**power).clone())).collect()
    }

    /// Each residue to the power of `2^times`.
    pub fn squared(&self, modulus: &Modulus, residues: &[&Residue], times: u32) -> Vec<Residue> {
        let bases: Vec<_> = residues.iter().map(|residue| Zeroizing::new(residue.retrieve())).collect();
        let bases: Vec<&[u64]> = bases.iter().map(|base| base.as_words()).collect();
        let powers = self.numbers(self.powers.squared(&bases, times));
        powers.iter().map(|power| modulus.residue_below((**power).clone())).collect()
    }

    /// For each list of factors, the product of all residues, each to the power of its factor, of which the lowest `bits` bits count.
    pub fn products(
        &self,
        modulus: &Modulus,
        tables: &JointPowers,
        factors: &[&[u128]],
        bits: u32,
    ) -> Vec<Residue> {
        let products = self.numbers(self.powers.products(tables, factors, bits));
        products.iter().map(|product| modulus.residue_below((**product).clone())).collect()
    }

    /// Tables of residues, for [`Eights::products`].
    pub fn joint(&self, residues: &[&Residue]) -> JointPowers {
        let bases: Vec<_> = residues.iter().map(|residue| Zeroizing::new(residue.retrieve())).collect();
        self.powers.joint(&bases.iter().map(|base| base.as_words()).collect::<Vec<_>>())
    }

    /// Tables of a base below the modulus.
    pub fn fixed(&self, base: &BoxedUint, bits: u32) -> FixedPowers {
        self.powers.fixed(base.as_words(), bits)
    }

    /// The base that the tables were made for, to the power of each exponent. Constant time.
    pub fn fixed_powers(&self, tables: &FixedPowers, exponents: &[Natural]) -> Vec<Zeroizing<BoxedUint>> {
        let exponents: Vec<&[u64]> = exponents.iter().map(|exponent| exponent.uint().as_words()).collect();
        self.numbers(self.powers.fixed_powers(tables, &exponents))
    }

    fn numbers(&self, words: Vec<Wiped<u64>>) -> Vec<Zeroizing<BoxedUint>> {
        let number =
            |words: &Wiped<u64>| BoxedUint::from_words_with_precision(words.iter().copied(), self.precision);
        words.iter().map(|words| Zeroizing::new(number(words))).collect()
    }
}

/// The Chinese remainder theorem for two coprime moduli, with checked results.
pub(crate) struct Crt {
    p: Modulus,
    q: Modulus,
    /// `1 / q` modulo p.
    inverse: Residue,
}

impl Crt {
    /// `None` if the moduli have a common factor.
    pub fn new(p: &Modulus, q: &Modulus) -> Option<Crt> {
        let inverse = p.inverse(q.value())?;
        Some(Crt { p: p.clone(), q: q.clone(), inverse })
    }

    /// The memory of the secret inverse.
    pub fn memory(&self) -> &[u64] {
        self.inverse.as_montgomery().as_words()
    }

    /// The number below `p · q` that has both residues. Constant time.
    ///
    /// # Errors
    /// [`HeError::Fault`] if the number does not have both residues.
    pub fn combine(&self, of_p: &BoxedUint, of_q: &BoxedUint) -> Result<BoxedUint, HeError> {
        let difference = Zeroizing::new(self.p.subtract(of_p, &self.p.reduce(of_q)));
        let mut factor = self.p.residue_below((*difference).clone()).mul(&self.inverse);
        let lifted = Zeroizing::new(factor.retrieve().concatenating_mul(self.q.value()));
        factor.zeroize();
        let number = lifted.wrapping_add(of_q);
        let holds = self.p.reduce(&number).ct_eq(of_p) & self.q.reduce(&number).ct_eq(of_q);
        if told(holds.to_bool()) { Ok(number) } else { Err(HeError::Fault) }
    }
}

impl Drop for Crt {
    fn drop(&mut self) {
        self.inverse.zeroize();
    }
}

/// The number with these little-endian bytes, in `bits` bits of storage.
pub(crate) fn from_bytes(bytes: &[u8], bits: u32) -> BoxedUint {
    BoxedUint::from_le_slice_truncated(bytes, bits)
}

/// The lowest `count` little-endian bytes of a number.
pub(crate) fn push_bytes(number: &BoxedUint, count: usize, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&Zeroizing::new(number.to_le_bytes())[..count]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn modulus(words: &[u64]) -> Modulus {
        Modulus::new(&BoxedUint::from_words(words.iter().copied())).unwrap()
    }

    #[test]
    fn even_and_tiny_moduli_are_refused() {
        for value in [0u64, 1, 2, 4] {
            assert!(Modulus::new(&BoxedUint::from(value)).is_none(), "{value}");
        }
    }

    #[test]
    fn a_wrong_residue_is_noticed() {
        let (p, q) = (modulus(&[101]), modulus(&[103]));
        let crt = Crt::new(&p, &q).unwrap();
        let small = |value: u64| BoxedUint::from(value);
        assert_eq!(
            crt.combine(&small(5), &small(7)).unwrap(),
            small((0..101 * 103).find(|x| x % 101 == 5 && x % 103 == 7).unwrap()).resize(128)
        );
        let mut faulty = Crt::new(&p, &q).unwrap();
        faulty.inverse = p.residue(&small(3));
        assert_eq!(faulty.combine(&small(5), &small(7)), Err(HeError::Fault));
        assert!(Crt::new(&modulus(&[15]), &modulus(&[21])).is_none());
    }

    proptest! {
        #[test]
        fn fixed_bases_agree_with_powers(base: [u64; 3], exponent: [u64; 2], window in 1u32..7, bits in 1u32..129) {
            let modulus = modulus(&[0x1234_5678_9abc_def1, 3, 9]);
            let base = modulus.residue(&BoxedUint::from_words(base));
            let exponent = BoxedUint::from_words(exponent);
            let table = FixedBase::new(&modulus, &base, bits, window);
            prop_assert_eq!(table.power(&exponent), modulus.power(&base, &exponent, bits));
        }

        #[test]
        fn joint_powers_agree_with_powers(bases: [[u64; 3]; 3], factors: [u128; 3], bits in 0u32..129) {
            let modulus = modulus(&[0x1234_5678_9abc_def1, 3, 9]);
            let residues = bases.map(|base| modulus.residue(&BoxedUint::from_words(base)));
            let found = Joint::new(&modulus, &residues.each_ref()).product(&factors, bits);
            let power = |(base, factor): (&Residue, &u128)| modulus.power(base, &BoxedUint::from(*factor), bits);
            let expected = residues.iter().zip(&factors).map(power).fold(modulus.one(), |x, y| x.mul(&y));
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn masks_are_of_equality(a in 0u64..8, b in 0u64..8) {
            prop_assert_eq!(equal_mask(a, b), if a == b { u64::MAX } else { 0 });
        }
    }
}
