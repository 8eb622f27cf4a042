//! Powers modulo large odd numbers, eight at a time.
//!
//! Numbers are given and returned as words of 64 bits, least significant first. Internally, eight numbers are
//! stored side by side in limbs of 52 bits, which AVX-512 IFMA multiplies in one instruction. A portable twin
//! does the same in plain Rust, but more slowly than one number after another, so check [`available`] first.
//! Everything is constant time in bases, exponents and the modulus.
//!
//! Source: Montgomery's multiplication with results below twice the modulus (Walter, “Montgomery
//! exponentiation needs no final subtractions”, Electronics Letters 35, 1999), by rows with delayed carries,
//! as in Gueron and Krasnov, “Software implementation of modular exponentiation, using advanced vector
//! instructions architectures” (WAIFI 2012).

mod portable;
#[cfg(target_arch = "x86_64")]
mod simd;

use crate::Wiped;

/// Numbers that are computed at once.
pub const LANES: usize = 8;

/// Bits of a limb.
const LIMB: usize = 52;

const MASK: u64 = (1 << LIMB) - 1;

/// Bits of a digit of exponents.
const WINDOW: u32 = 5;

/// Bits of the largest modulus: more limbs would need more carries.
pub const MAX_MODULUS_BITS: usize = 32_768;

/// A limb of eight numbers.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(C, align(64))]
struct Limb([u64; LANES]);

/// Whether this processor has the instructions that make batches worthwhile.
pub fn available() -> bool {
    #[cfg(target_arch = "x86_64")]
    return simd::available();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// An odd modulus. It may be secret, and is overwritten when dropped.
#[derive(Clone)]
pub struct Powers {
    words: Wiped<u64>,
    /// The modulus in limbs, enough for four times itself.
    modulus: Wiped<u64>,
    /// `-1 / modulus` modulo 2^52.
    inverse: u64,
    /// `R²` modulo the modulus, with `R = 2^(52·limbs)`, which takes numbers to Montgomery form.
    square: Wiped<u64>,
}

crate::redacted!(Powers, FixedPowers, JointPowers);

/// Tables of the powers of one base.
pub struct FixedPowers {
    bits: u32,
    /// Row i holds `base^(d · 2^(WINDOW·i))` for each digit d, in limbs in Montgomery form.
    entries: Wiped<u64>,
}

/// Tables of the powers of several bases, whose products share squarings.
pub struct JointPowers {
    /// Row i holds `base_i^d` for each digit d, in limbs in Montgomery form.
    entries: Wiped<u64>,
}

/// Runs the kernel on vectors where the processor has them.
macro_rules! dispatch {
    ($kernel:ident($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        if simd::available() {
            return simd::$kernel($($argument),*);
        }
        portable::$kernel($($argument),*)
    }};
}

impl Powers {
    /// None for an even number, one below 3, and one of more than [`MAX_MODULUS_BITS`] bits.
    pub fn new(modulus: &[u64]) -> Option<Powers> {
        let used = modulus.len() - modulus.iter().rev().take_while(|word| **word == 0).count();
        let words = &modulus[..used];
        let bits = 64 * used - words.last()?.leading_zeros() as usize;
        if words[0] & 1 == 0 || !(2..=MAX_MODULUS_BITS).contains(&bits) {
            return None;
        }
        let mut inverse = words[0];
        // Newton's iteration doubles the number of correct bits, which is 3 at first.
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(words[0].wrapping_mul(inverse)));
        }
        let count = (bits + 2).div_ceil(LIMB);
        let limbs = limbs(words, count);
        let square = doubled_one(&limbs, 2 * LIMB * count);
        Some(Powers {
            words: Wiped::from(words.to_vec()),
            modulus: limbs,
            inverse: inverse.wrapping_neg() & MASK,
            square,
        })
    }

    /// Each base to the power of the exponent at its index; only the lowest `bits` bits of exponents count.
    /// `bits` and all lengths are public.
    ///
    /// Cost for up to eight: six multiplications for every five bits.
    ///
    /// # Panics
    /// If there are more than eight bases, the number of exponents differs, or a base is not below the
    /// modulus.
    pub fn powers(&self, bases: &[&[u64]], exponents: &[&[u64]], bits: u32) -> Vec<Wiped<u64>> {
        assert!(bases.len() <= LANES && bases.len() == exponents.len(), "eight lanes, each with an exponent");
        let mut base = self.gather(bases);
        let square = self.broadcast(&self.square);
        base = self.multiplied(&base, &square);
        // base^0 to base^31.
        let mut entry = self.one();
        let mut entries = Vec::with_capacity(base.len() << WINDOW);
        for _ in 0..1 << WINDOW {
            entries.extend_from_slice(&entry);
            entry = self.multiplied(&entry, &base);
        }
        let table = Wiped::from(entries);
        let mut power = self.one();
        let mut chosen = self.zeros();
        for window in (0..bits.div_ceil(WINDOW)).rev() {
            for _ in 0..WINDOW {
                power = self.multiplied(&power, &power);
            }
            let at = window * WINDOW;
            let digits = digits(exponents, at, WINDOW.min(bits - at));
            select(&table, &digits, &mut chosen);
            power = self.multiplied(&power, &chosen);
        }
        self.scatter(&power, bases.len())
    }

    /// Tables for exponents of `bits` bits and a base below the modulus.
    ///
    /// Cost: `32/5 · bits` multiplications of eight, and memory for as many numbers.
    ///
    /// # Panics
    /// If the base is not below the modulus.
    pub fn fixed(&self, base: &[u64], bits: u32) -> FixedPowers {
        let rows = bits.div_ceil(WINDOW).max(1) as usize;
        let square = self.broadcast(&self.square);
        let mut step = self.multiplied(&self.gather(&[base; LANES]), &square);
        let count = self.modulus.len();
        let mut entries = Vec::with_capacity((rows << WINDOW) * count);
        for first in (0..rows).step_by(LANES) {
            // A row in each lane.
            let mut bases = self.zeros();
            for lane in 0..LANES {
                for (base, step) in bases.iter_mut().zip(step.iter()) {
                    base.0[lane] = step.0[0];
                }
                for _ in 0..WINDOW {
                    step = self.multiplied(&step, &step);
                }
            }
            let mut powers = vec![self.one()];
            for d in 1..1 << WINDOW {
                powers.push(self.multiplied(&powers[d - 1], &bases));
            }
            for lane in 0..LANES.min(rows - first) {
                entries.extend(powers.iter().flat_map(|power| power.iter().map(move |limb| limb.0[lane])));
            }
        }
        FixedPowers { bits, entries: Wiped::from(entries) }
    }

    /// The base of the tables, which must be of this modulus, to the power of each exponent.
    ///
    /// # Panics
    /// If there are more than eight exponents.
    pub fn fixed_powers(&self, tables: &FixedPowers, exponents: &[&[u64]]) -> Vec<Wiped<u64>> {
        assert!(exponents.len() <= LANES, "eight lanes");
        let mut power = self.one();
        let mut chosen = self.zeros();
        let row = self.modulus.len() << WINDOW;
        for (row, at) in tables.entries.chunks_exact(row).zip((0..).step_by(WINDOW as usize)) {
            let digits = digits(exponents, at, WINDOW.min(tables.bits - at));
            select_shared(row, &digits, &mut chosen);
            power = self.multiplied(&power, &chosen);
        }
        self.scatter(&power, exponents.len())
    }

    /// Each base to the power of `2^times`.
    ///
    /// Cost for up to eight: `times` multiplications.
    ///
    /// # Panics
    /// If there are more than eight bases, or one is not below the modulus.
    pub fn squared(&self, bases: &[&[u64]], times: u32) -> Vec<Wiped<u64>> {
        assert!(bases.len() <= LANES, "eight lanes");
        let mut power = self.multiplied(&self.gather(bases), &self.broadcast(&self.square));
        let mut next = self.zeros();
        for _ in 0..times {
            self.multiply(&power, &power, &mut next);
            core::mem::swap(&mut power, &mut next);
        }
        self.scatter(&power, bases.len())
    }

    /// Tables of bases below the modulus, for [`Powers::products`].
    ///
    /// Cost for every eight bases: 31 multiplications of eight, and memory for 256 numbers.
    ///
    /// # Panics
    /// If a base is not below the modulus.
    pub fn joint(&self, bases: &[&[u64]]) -> JointPowers {
        let square = self.broadcast(&self.square);
        let mut entries = Vec::with_capacity((bases.len() << WINDOW) * self.modulus.len());
        for bases in bases.chunks(LANES) {
            let base = self.multiplied(&self.gather(bases), &square);
            let mut powers = vec![self.one()];
            for d in 1..1 << WINDOW {
                powers.push(self.multiplied(&powers[d - 1], &base));
            }
            for lane in 0..bases.len() {
                entries.extend(powers.iter().flat_map(|power| power.iter().map(move |limb| limb.0[lane])));
            }
        }
        JointPowers { entries: Wiped::from(entries) }
    }

    /// For each list of exponents, the product of the powers of all bases of the tables, which must be of
    /// this modulus; only the lowest `bits` bits of exponents count. `bits` and all lengths are public.
    ///
    /// Cost for up to eight lists: a multiplication of eight for every base and five bits, and one for every bit.
    ///
    /// Source: Straus, “Addition chains of vectors” (American Mathematical Monthly 71, 1964).
    ///
    /// # Panics
    /// If there are more than eight lists, or a list does not have one exponent for each base.
    pub fn products(&self, tables: &JointPowers, exponents: &[&[u128]], bits: u32) -> Vec<Wiped<u64>> {
        let row = self.modulus.len() << WINDOW;
        let count = tables.entries.len() / row;
        let matches = exponents.iter().all(|list| list.len() == count);
        assert!(exponents.len() <= LANES && matches, "eight lanes, each with an exponent for every base");
        let mut product = self.one();
        let (mut chosen, mut next) = (self.zeros(), self.zeros());
        for window in (0..bits.div_ceil(WINDOW)).rev() {
            for _ in 0..WINDOW {
                self.multiply(&product, &product, &mut next);
                core::mem::swap(&mut product, &mut next);
            }
            let at = window * WINDOW;
            let mask = (1 << WINDOW.min(bits - at)) - 1;
            for (base, table) in tables.entries.chunks_exact(row).enumerate() {
                let digit =
                    |lane: usize| exponents.get(lane).map_or(0, |list| (list[base] >> at) as u64 & mask);
                select_shared(table, &core::array::from_fn(digit), &mut chosen);
                self.multiply(&product, &chosen, &mut next);
                core::mem::swap(&mut product, &mut next);
            }
        }
        self.scatter(&product, exponents.len())
    }

    fn zeros(&self) -> Wiped<Limb> {
        Wiped::from(vec![Limb::default(); self.modulus.len()])
    }

    fn broadcast(&self, limbs: &[u64]) -> Wiped<Limb> {
        Wiped::from(limbs.iter().map(|limb| Limb([*limb; LANES])).collect::<Vec<_>>())
    }

    /// One in Montgomery form.
    fn one(&self) -> Wiped<Limb> {
        let mut one = self.zeros();
        one[0] = Limb([1; LANES]);
        self.multiplied(&one, &self.broadcast(&self.square))
    }

    /// Numbers side by side; missing ones are zero.
    fn gather(&self, numbers: &[&[u64]]) -> Wiped<Limb> {
        let mut gathered = self.zeros();
        for (lane, number) in numbers.iter().enumerate() {
            assert!(below(number, &self.words), "a base is below the modulus");
            for (limb, part) in gathered.iter_mut().zip(limbs(number, self.modulus.len()).iter()) {
                limb.0[lane] = *part;
            }
        }
        gathered
    }

    /// The first numbers, taken out of Montgomery form and reduced.
    fn scatter(&self, numbers: &[Limb], count: usize) -> Vec<Wiped<u64>> {
        let mut one = self.zeros();
        one[0] = Limb([1; LANES]);
        // At most the modulus, and equal to it only if the number is a multiple of it.
        let plain = self.multiplied(numbers, &one);
        let out = |lane: usize| {
            let limbs = Wiped::from(plain.iter().map(|limb| limb.0[lane]).collect::<Vec<_>>());
            let mut words = words(&limbs, self.words.len());
            subtract_once(&mut words, &self.words);
            words
        };
        (0..count).map(out).collect()
    }

    /// `a · b / R`, below twice the modulus, of factors below twice the modulus.
    fn multiplied(&self, a: &[Limb], b: &[Limb]) -> Wiped<Limb> {
        let mut product = self.zeros();
        self.multiply(a, b, &mut product);
        product
    }

    fn multiply(&self, a: &[Limb], b: &[Limb], product: &mut [Limb]) {
        let count = self.modulus.len();
        assert!(a.len() == count && b.len() == count && product.len() == count);
        dispatch!(multiply(&self.modulus, self.inverse, a, b, product));
    }
}

/// Entries of a table, selected by a digit for each lane. The whole table is read.
fn select(table: &[Limb], digits: &[u64; LANES], chosen: &mut [Limb]) {
    dispatch!(select(table, digits, chosen));
}

/// The same with one table for all lanes.
fn select_shared(table: &[u64], digits: &[u64; LANES], chosen: &mut [Limb]) {
    dispatch!(select_shared(table, digits, chosen));
}

/// `bits` bits of every exponent from bit `at` on.
fn digits(exponents: &[&[u64]], at: u32, bits: u32) -> [u64; LANES] {
    let (word, shift) = ((at / 64) as usize, at % 64);
    core::array::from_fn(|lane| {
        let limb =
            |i: usize| u128::from(exponents.get(lane).and_then(|words| words.get(i)).copied().unwrap_or(0));
        ((limb(word) | limb(word + 1) << 64) >> shift) as u64 & ((1 << bits) - 1)
    })
}

/// Words as `count` limbs.
fn limbs(words: &[u64], count: usize) -> Wiped<u64> {
    let limb = |i: usize| {
        let (word, shift) = (i * LIMB / 64, i * LIMB % 64);
        let at = |i: usize| u128::from(words.get(i).copied().unwrap_or(0));
        ((at(word) | at(word + 1) << 64) >> shift) as u64 & MASK
    };
    Wiped::from((0..count).map(limb).collect::<Vec<_>>())
}

/// Limbs as `count` words.
fn words(limbs: &[u64], count: usize) -> Wiped<u64> {
    let mut words = Wiped::from(vec![0; count]);
    for (i, limb) in limbs.iter().enumerate() {
        let (word, shift) = (i * LIMB / 64, i * LIMB % 64);
        let wide = u128::from(*limb) << shift;
        for (at, part) in [(word, wide as u64), (word + 1, (wide >> 64) as u64)] {
            if let Some(word) = words.get_mut(at) {
                *word |= part;
            }
        }
    }
    words
}

/// Whether a number is below another, in constant time except for the answer and the lengths.
fn below(number: &[u64], bound: &[u64]) -> bool {
    let count = number.len().max(bound.len());
    let at = |words: &[u64], i: usize| words.get(i).copied().unwrap_or(0);
    (0..count).fold(0, |borrow, i| borrowed(at(number, i), at(bound, i), borrow).1) == 1
}

/// `a - b - borrow`, and the new borrow.
fn borrowed(a: u64, b: u64, borrow: u64) -> (u64, u64) {
    let wide = u128::from(a).wrapping_sub(u128::from(b)).wrapping_sub(u128::from(borrow));
    (wide as u64, (wide >> 64) as u64 & 1)
}

/// Subtracts the modulus if the number is not below it. No branch.
fn subtract_once(number: &mut [u64], modulus: &[u64]) {
    let borrow = number.iter().zip(modulus).fold(0, |borrow, (a, b)| borrowed(*a, *b, borrow).1);
    let keep = borrow.wrapping_neg();
    let mut borrow = 0;
    for (word, modulus) in number.iter_mut().zip(modulus) {
        (*word, borrow) = borrowed(*word, modulus & !keep, borrow);
    }
}

/// `2^times` modulo a modulus in limbs that have room for its double. No branch.
fn doubled_one(modulus: &[u64], times: usize) -> Wiped<u64> {
    let mut power = Wiped::from(vec![0; modulus.len()]);
    power[0] = 1;
    for _ in 0..times {
        let mut carry = 0;
        for limb in power.iter_mut() {
            let double = *limb << 1 | carry;
            *limb = double & MASK;
            carry = double >> LIMB;
        }
        let difference = |a: u64, b: u64, borrow: u64| {
            let difference = a.wrapping_sub(b).wrapping_sub(borrow);
            (difference & MASK, difference >> 63)
        };
        let borrow = power.iter().zip(modulus).fold(0, |borrow, (a, b)| difference(*a, *b, borrow).1);
        let keep = borrow.wrapping_neg();
        let mut borrow = 0;
        for (limb, modulus) in power.iter_mut().zip(modulus) {
            (*limb, borrow) = difference(*limb, modulus & !keep, borrow);
        }
    }
    power
}

#[cfg(test)]
mod tests;
