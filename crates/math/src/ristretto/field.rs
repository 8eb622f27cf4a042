//! The field of 2^255 - 19 elements, in five limbs of 51 bits.
//!
//! Limbs of inputs are below 2^52, and limbs of outputs below 2^51 + 2^15: a carry moves by only one limb.

use core::ops::{Add, Mul, Neg, Sub};

use super::constants::SQRT_MINUS_ONE;
use super::point::Encoding;
use super::word::{MAX_LANES, Word};

/// Bits of a limb.
pub(super) const LIMB: usize = 51;

pub(super) const MASK: u64 = (1 << LIMB) - 1;

/// Four times the modulus, in limbs above all that are subtracted from it.
const FOUR_TIMES: [u64; 5] = [4 * (MASK - 18), 4 * MASK, 4 * MASK, 4 * MASK, 4 * MASK];

/// One element in each lane.
#[derive(Clone, Copy)]
pub(super) struct Field<W>(pub [W; 5]);

impl<W: Word> Add for Field<W> {
    type Output = Field<W>;

    #[inline(always)]
    fn add(self, other: Field<W>) -> Field<W> {
        let mut sums = self.0;
        for (sum, limb) in sums.iter_mut().zip(other.0) {
            *sum = sum.add(limb);
        }
        Field::carried(sums)
    }
}

impl<W: Word> Sub for Field<W> {
    type Output = Field<W>;

    #[inline(always)]
    fn sub(self, other: Field<W>) -> Field<W> {
        let mut differences = self.0;
        for k in 0..5 {
            differences[k] = differences[k].add(W::all(FOUR_TIMES[k])).sub(other.0[k]);
        }
        Field::carried(differences)
    }
}

impl<W: Word> Neg for Field<W> {
    type Output = Field<W>;

    #[inline(always)]
    fn neg(self) -> Field<W> {
        Field::ZERO() - self
    }
}

impl<W: Word> Mul for Field<W> {
    type Output = Field<W>;

    #[inline(always)]
    fn mul(self, other: Field<W>) -> Field<W> {
        Field(W::multiply(&self.0, &other.0))
    }
}

impl<W: Word> Field<W> {
    #[inline(always)]
    #[allow(non_snake_case, reason = "a constant of any word")]
    pub fn ZERO() -> Field<W> {
        Field::all([0; 5])
    }

    #[inline(always)]
    #[allow(non_snake_case, reason = "a constant of any word")]
    pub fn ONE() -> Field<W> {
        Field::all([1, 0, 0, 0, 0])
    }

    /// The same element in all lanes.
    #[inline(always)]
    pub fn all(limbs: [u64; 5]) -> Field<W> {
        let mut all = [W::all(limbs[0]); 5];
        for k in 1..5 {
            all[k] = W::all(limbs[k]);
        }
        Field(all)
    }

    /// One carry from each limb to the next.
    #[inline(always)]
    fn carried(sums: [W; 5]) -> Field<W> {
        let mask = W::all(MASK);
        let mut limbs = [sums[0].and(mask).add_19(sums[4].right::<51>()); 5];
        for k in 1..5 {
            limbs[k] = sums[k].and(mask).add(sums[k - 1].right::<51>());
        }
        Field(limbs)
    }

    #[inline(always)]
    pub fn square(self) -> Field<W> {
        Field(W::square(&self.0))
    }

    #[inline(always)]
    pub fn double(self) -> Field<W> {
        self + self
    }

    /// Squared `times` times.
    #[inline(always)]
    fn squared(self, times: usize) -> Field<W> {
        let mut power = self;
        for _ in 0..times {
            power = power.square();
        }
        power
    }

    /// Its powers to 11 and to 2^250 - 1.
    #[inline(always)]
    fn long_powers(self) -> [Field<W>; 2] {
        let two = self.square();
        let nine = two.squared(2) * self;
        let eleven = nine * two;
        let ones_5 = eleven.square() * nine;
        let ones_10 = ones_5.squared(5) * ones_5;
        let ones_20 = ones_10.squared(10) * ones_10;
        let ones_40 = ones_20.squared(20) * ones_20;
        let ones_50 = ones_40.squared(10) * ones_10;
        let ones_100 = ones_50.squared(50) * ones_50;
        let ones_200 = ones_100.squared(100) * ones_100;
        [eleven, ones_200.squared(50) * ones_50]
    }

    /// Its inverse, and 0 for 0.
    #[inline(always)]
    pub fn inverse(self) -> Field<W> {
        let [eleven, ones_250] = self.long_powers();
        ones_250.squared(5) * eleven
    }

    /// Whether u/v is a square, and its nonnegative root, or else that of `√-1·u/v`. For v = 0 the root is 0,
    /// and u/v counts as a square if u is 0.
    ///
    /// Source: RFC 9496, section 4.2.
    #[inline(always)]
    pub fn root_of_ratio(u: Field<W>, v: Field<W>) -> (W, Field<W>) {
        let cube = v.square() * v;
        let seventh = cube.square() * v;
        let base = u * seventh;
        let [_, ones_250] = base.long_powers();
        let mut root = u * cube * (ones_250.squared(2) * base);
        let check = v * root.square();
        let i = Field::all(SQRT_MINUS_ONE);
        let [right, minus, minus_i] = [u, -u, -(u * i)].map(|value| check.equals(value));
        root = Field::select(minus.or(minus_i), root * i, root);
        (right.or(minus), root.absolute())
    }

    /// The limbs of the representative below the modulus.
    #[inline(always)]
    fn canonical(self) -> [W; 5] {
        let mut limbs = self.0;
        carry_through(&mut limbs);
        // One if the number is at least the modulus.
        let mut above = limbs[0].add(W::all(19)).right::<51>();
        for limb in &limbs[1..] {
            above = limb.add(above).right::<51>();
        }
        limbs[0] = limbs[0].add_19(above);
        let mask = W::all(MASK);
        for k in 0..4 {
            limbs[k + 1] = limbs[k + 1].add(limbs[k].right::<51>());
            limbs[k] = limbs[k].and(mask);
        }
        limbs[4] = limbs[4].and(mask);
        limbs
    }

    /// Ones where the element is 0.
    #[inline(always)]
    pub fn is_zero(self) -> W {
        let limbs = self.canonical();
        limbs[0].or(limbs[1]).or(limbs[2]).or(limbs[3].or(limbs[4])).is_zero()
    }

    #[inline(always)]
    pub fn equals(self, other: Field<W>) -> W {
        (self - other).is_zero()
    }

    /// Ones where the representative below the modulus is odd, which is called negative.
    #[inline(always)]
    pub fn is_negative(self) -> W {
        self.canonical()[0].is_odd()
    }

    #[inline(always)]
    pub fn select(mask: W, set: Field<W>, clear: Field<W>) -> Field<W> {
        let mut selected = clear.0;
        for (limb, set) in selected.iter_mut().zip(set.0) {
            *limb = W::select(mask, set, *limb);
        }
        Field(selected)
    }

    #[inline(always)]
    pub fn negate_if(self, mask: W) -> Field<W> {
        Field::select(mask, -self, self)
    }

    /// The element or its negative, whichever is not negative.
    #[inline(always)]
    pub fn absolute(self) -> Field<W> {
        self.negate_if(self.is_negative())
    }

    /// The numbers of these encodings, of which the last bit is left out, and where that bit was 0 and the number below the modulus.
    #[inline(always)]
    pub fn decode(encodings: &[Encoding]) -> (W, Field<W>) {
        let mut limbs = [[0; MAX_LANES]; 5];
        let mut tops = [0; MAX_LANES];
        for (lane, encoding) in encodings.iter().enumerate() {
            let mut words = [0; 4];
            for (word, bytes) in words.iter_mut().zip(encoding.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            limbs[0][lane] = words[0] & MASK;
            limbs[1][lane] = (words[0] >> 51 | words[1] << 13) & MASK;
            limbs[2][lane] = (words[1] >> 38 | words[2] << 26) & MASK;
            limbs[3][lane] = (words[2] >> 25 | words[3] << 39) & MASK;
            limbs[4][lane] = words[3] >> 12 & MASK;
            tops[lane] = words[3] >> 63;
        }
        let element = Field::<W>::load(&limbs);
        let canonical = element.canonical();
        let mut different = W::load(&tops);
        for (limb, given) in canonical.into_iter().zip(element.0) {
            different = different.or(limb.xor(given));
        }
        (different.is_zero(), element)
    }

    /// Their encodings, as many as asked for.
    #[inline(always)]
    pub fn encode(self, encodings: &mut [Encoding]) {
        let mut limbs = [[0; MAX_LANES]; 5];
        Field(self.canonical()).store(&mut limbs);
        for (lane, encoding) in encodings.iter_mut().enumerate() {
            let limb = |k: usize| limbs[k][lane];
            let words = [
                limb(0) | limb(1) << 51,
                limb(1) >> 13 | limb(2) << 38,
                limb(2) >> 26 | limb(3) << 25,
                limb(3) >> 39 | limb(4) << 12,
            ];
            for (bytes, word) in encoding.as_chunks_mut().0.iter_mut().zip(words) {
                *bytes = word.to_le_bytes();
            }
        }
    }

    #[inline(always)]
    pub fn load(limbs: &[[u64; MAX_LANES]; 5]) -> Field<W> {
        let mut loaded = [W::all(0); 5];
        for k in 0..5 {
            loaded[k] = W::load(&limbs[k]);
        }
        Field(loaded)
    }

    #[inline(always)]
    pub fn store(self, limbs: &mut [[u64; MAX_LANES]; 5]) {
        for (limb, place) in self.0.into_iter().zip(limbs) {
            limb.store(place);
        }
    }
}

/// Carries from the first limb to the last, and the overflow to the first.
#[inline(always)]
fn carry_through<W: Word>(limbs: &mut [W; 5]) {
    let mask = W::all(MASK);
    for k in 0..4 {
        limbs[k + 1] = limbs[k + 1].add(limbs[k].right::<51>());
        limbs[k] = limbs[k].and(mask);
    }
    limbs[0] = limbs[0].add_19(limbs[4].right::<51>());
    limbs[4] = limbs[4].and(mask);
}
