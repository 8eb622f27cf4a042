//! The group of the curve -x² + y² = 1 + d·x²·y², and multiplication in it.
//!
//! Source: Hisil, Wong, Carter and Dawson, “Twisted Edwards curves revisited” (ASIACRYPT 2008): complete formulas in extended coordinates.

use super::constants::{BASE, TWICE_D};
use super::field::Field;
use super::point::Point;
use super::word::{MAX_LANES, Word};
use crate::wipe;

/// A point (X/Z, Y/Z) with T = X·Y/Z.
#[derive(Clone, Copy)]
pub(super) struct Extended<W> {
    pub x: Field<W>,
    pub y: Field<W>,
    pub z: Field<W>,
    pub t: Field<W>,
}

/// A point without T.
#[derive(Clone, Copy)]
struct Projective<W> {
    x: Field<W>,
    y: Field<W>,
    z: Field<W>,
}

/// A point (X/Z, Y/T), as sums are.
#[derive(Clone, Copy)]
pub(super) struct Completed<W> {
    x: Field<W>,
    y: Field<W>,
    z: Field<W>,
    t: Field<W>,
}

/// A summand: Y + X, Y - X, 2·Z and 2·d·T.
#[derive(Clone, Copy)]
pub(super) struct Summand<W> {
    plus: Field<W>,
    minus: Field<W>,
    twice_z: Field<W>,
    t: Field<W>,
}

/// A summand with Z = 1.
#[derive(Clone, Copy)]
struct Affine<W> {
    plus: Field<W>,
    minus: Field<W>,
    t: Field<W>,
}

impl<W: Word> Completed<W> {
    #[inline(always)]
    fn projective(self) -> Projective<W> {
        Projective { x: self.x * self.t, y: self.y * self.z, z: self.z * self.t }
    }

    #[inline(always)]
    pub fn extended(self) -> Extended<W> {
        let Projective { x, y, z } = self.projective();
        Extended { x, y, z, t: self.x * self.y }
    }
}

impl<W: Word> Projective<W> {
    #[inline(always)]
    fn double(self) -> Completed<W> {
        let (xx, yy, zz) = (self.x.square(), self.y.square(), self.z.square());
        let (sum, difference) = (yy + xx, yy - xx);
        let x = (self.x + self.y).square() - sum;
        Completed { x, y: sum, z: difference, t: zz.double() - difference }
    }
}

impl<W: Word> Extended<W> {
    #[inline(always)]
    pub fn identity() -> Extended<W> {
        Extended { x: Field::ZERO(), y: Field::ONE(), z: Field::ONE(), t: Field::ZERO() }
    }

    /// The points at the first places.
    #[inline(always)]
    pub fn load(points: &[Point]) -> Extended<W> {
        let mut words = [[[0; MAX_LANES]; 5]; 4];
        words[1][0] = [1; MAX_LANES];
        words[2][0] = [1; MAX_LANES];
        for (lane, point) in points.iter().enumerate() {
            for (words, limbs) in words.iter_mut().zip(&point.0) {
                for (word, limb) in words.iter_mut().zip(limbs) {
                    word[lane] = *limb;
                }
            }
        }
        let [x, y, z, t] = &words;
        Extended { x: Field::load(x), y: Field::load(y), z: Field::load(z), t: Field::load(t) }
    }

    /// Puts the points of the first lanes there.
    #[inline(always)]
    pub fn store(self, points: &mut [Point]) {
        let mut words = [[[0; MAX_LANES]; 5]; 4];
        for (words, coordinate) in words.iter_mut().zip([self.x, self.y, self.z, self.t]) {
            coordinate.store(words);
        }
        for (lane, point) in points.iter_mut().enumerate() {
            for (words, limbs) in words.iter().zip(&mut point.0) {
                for (word, limb) in words.iter().zip(limbs) {
                    *limb = word[lane];
                }
            }
        }
    }

    #[inline(always)]
    fn projective(self) -> Projective<W> {
        Projective { x: self.x, y: self.y, z: self.z }
    }

    #[inline(always)]
    pub fn double(self) -> Completed<W> {
        self.projective().double()
    }

    #[inline(always)]
    pub fn summand(self) -> Summand<W> {
        let (plus, minus) = (self.y + self.x, self.y - self.x);
        Summand { plus, minus, twice_z: self.z.double(), t: self.t * Field::all(TWICE_D) }
    }

    #[inline(always)]
    pub fn add(self, other: &Summand<W>) -> Completed<W> {
        self.sum(other.plus, other.minus, self.z * other.twice_z, other.t)
    }

    #[inline(always)]
    fn add_affine(self, other: &Affine<W>) -> Completed<W> {
        self.sum(other.plus, other.minus, self.z.double(), other.t)
    }

    #[inline(always)]
    fn sum(self, plus: Field<W>, minus: Field<W>, twice_zz: Field<W>, t: Field<W>) -> Completed<W> {
        let plus = (self.y + self.x) * plus;
        let minus = (self.y - self.x) * minus;
        let tt = self.t * t;
        Completed { x: plus - minus, y: plus + minus, z: twice_zz + tt, t: twice_zz - tt }
    }
}

impl<W: Word> Summand<W> {
    #[inline(always)]
    fn identity() -> Summand<W> {
        Summand { plus: Field::ONE(), minus: Field::ONE(), twice_z: Field::ONE().double(), t: Field::ZERO() }
    }

    #[inline(always)]
    fn select(mask: W, set: &Summand<W>, clear: &Summand<W>) -> Summand<W> {
        Summand {
            plus: Field::select(mask, set.plus, clear.plus),
            minus: Field::select(mask, set.minus, clear.minus),
            twice_z: Field::select(mask, set.twice_z, clear.twice_z),
            t: Field::select(mask, set.t, clear.t),
        }
    }

    #[inline(always)]
    pub fn negate_if(self, mask: W) -> Summand<W> {
        Summand {
            plus: Field::select(mask, self.minus, self.plus),
            minus: Field::select(mask, self.plus, self.minus),
            twice_z: self.twice_z,
            t: self.t.negate_if(mask),
        }
    }
}

/// Bits of a digit for multiplying different points, and the number of digits of a scalar of 256 bits.
const WINDOW: usize = 4;
const DIGITS: usize = 65;

/// The same for multiples of one fixed point.
const FIXED_WINDOW: usize = 5;
const FIXED_DIGITS: usize = 52;

/// The digits of several scalars, from `-2^(bits - 1)` to `2^(bits - 1)` each, least significant first; those
/// of missing scalars are 0.
struct Digits<const COUNT: usize>([[u64; MAX_LANES]; COUNT]);

impl<const COUNT: usize> Drop for Digits<COUNT> {
    fn drop(&mut self) {
        wipe(self.0.as_flattened_mut());
    }
}

impl<const COUNT: usize> Digits<COUNT> {
    #[inline(always)]
    fn new(scalars: &[[u8; 32]], bits: usize) -> Digits<COUNT> {
        let mut digits = Digits([[0; MAX_LANES]; COUNT]);
        for (lane, scalar) in scalars.iter().enumerate() {
            let mut words = [0; 6];
            for (word, bytes) in words.iter_mut().zip(scalar.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            let mut carry = 0;
            for (place, digits) in digits.0.iter_mut().enumerate() {
                let at = place * bits;
                let pair = u128::from(words[at / 64]) | u128::from(words[at / 64 + 1]) << 64;
                let raw = ((pair >> (at % 64)) as u64 & ((1 << bits) - 1)) + carry;
                carry = (raw + (1 << (bits - 1))) >> bits;
                digits[lane] = raw.wrapping_sub(carry << bits);
            }
            wipe(&mut words);
        }
        digits
    }

    /// The digits' magnitudes at an index, and ones where they are negative.
    #[inline(always)]
    fn at<W: Word>(&self, place: usize) -> (W, W) {
        let digits = W::load(&self.0[place]);
        let negative = digits.right::<63>().is_odd();
        (digits.xor(negative).sub(negative), negative)
    }
}

/// The multiples by 1 to 8 of a point in each lane.
struct Multiples<W>([Summand<W>; 8]);

impl<W: Word> Multiples<W> {
    #[inline(always)]
    fn new(point: Extended<W>) -> Multiples<W> {
        let one = point.summand();
        let (mut multiples, mut last) = ([one; 8], point);
        for multiple in &mut multiples[1..] {
            last = last.add(&one).extended();
            *multiple = last.summand();
        }
        Multiples(multiples)
    }

    /// The multiple selected by a secret digit: all multiples are read.
    #[inline(always)]
    fn select(&self, (magnitude, negative): (W, W)) -> Summand<W> {
        let mut found = Summand::identity();
        for (digit, multiple) in (1..).zip(&self.0) {
            found = Summand::select(magnitude.equals(W::all(digit)), multiple, &found);
        }
        found.negate_if(negative)
    }
}

/// Each point times the scalar of its lane, or all points times a single scalar.
#[inline(always)]
pub(super) fn multiply<W: Word>(point: Extended<W>, scalars: &[[u8; 32]]) -> Extended<W> {
    let mut lanes = [[0; 32]; MAX_LANES];
    match scalars {
        [one] => lanes.fill(*one),
        several => lanes[..several.len()].copy_from_slice(several),
    }
    let digits = Digits::<DIGITS>::new(&lanes[..W::LANES], WINDOW);
    wipe(lanes.as_flattened_mut());
    let multiples = Multiples::new(point);
    let mut product = Extended::identity().add(&multiples.select(digits.at(DIGITS - 1)));
    for place in (0..DIGITS - 1).rev() {
        let mut doubled = product.projective();
        for _ in 1..WINDOW {
            doubled = doubled.double().projective();
        }
        product = doubled.double().extended().add(&multiples.select(digits.at(place)));
    }
    product.extended()
}

/// Entries of a table's row: magnitudes from 1 on.
const ENTRIES: usize = 16;

/// A table of the multiples of a public point.
pub struct Fixed {
    /// For each digit the limbs of its multiples: Y + X, Y - X and 2·d·T, where Z = 1.
    rows: Vec<[[[u64; ENTRIES]; 5]; 3]>,
}

impl Fixed {
    /// The table of a point, about 100 kB. Constant time, too.
    ///
    /// Cost: about 1000 additions.
    pub fn new(point: &Point) -> Fixed {
        let mut base = Extended::<u64>::load(core::slice::from_ref(point));
        let mut multiples = Vec::with_capacity(FIXED_DIGITS * ENTRIES);
        for _ in 0..FIXED_DIGITS {
            let one = base.summand();
            let mut last = base;
            multiples.push(base);
            for _ in 1..ENTRIES {
                last = last.add(&one).extended();
                multiples.push(last);
            }
            base = last.double().extended();
        }
        Fixed { rows: rows(&multiples) }
    }

    /// That of the group's base point.
    pub(super) fn base() -> Fixed {
        let [x, y, t] = BASE;
        Fixed::new(&Point([x, y, [1, 0, 0, 0, 0], t]))
    }

    /// The point times the number of each lane.
    #[inline(always)]
    pub(super) fn multiply<W: Word>(&self, scalars: &[[u8; 32]]) -> Extended<W> {
        let digits = Digits::<FIXED_DIGITS>::new(scalars, FIXED_WINDOW);
        let mut product = Extended::identity();
        for (place, row) in self.rows.iter().enumerate() {
            let (magnitude, negative) = digits.at::<W>(place);
            let index = magnitude.sub(W::all(1)).and(W::all(ENTRIES as u64 - 1));
            let zero = magnitude.is_zero();
            let [plus, minus, t] = row.each_ref().map(|limbs| look_up(limbs, index));
            let plus = Field::select(zero, Field::ONE(), plus);
            let minus = Field::select(zero, Field::ONE(), minus);
            let t = Field::select(zero, Field::ZERO(), t);
            let entry = Affine {
                plus: Field::select(negative, minus, plus),
                minus: Field::select(negative, plus, minus),
                t: t.negate_if(negative),
            };
            product = product.add_affine(&entry).extended();
        }
        product
    }
}

#[inline(always)]
fn look_up<W: Word>(limbs: &[[u64; ENTRIES]; 5], index: W) -> Field<W> {
    let mut found = [W::all(0); 5];
    for k in 0..5 {
        found[k] = W::look_up(&limbs[k], index);
    }
    Field(found)
}

/// The rows of a table, with one inversion for all.
fn rows(multiples: &[Extended<u64>]) -> Vec<[[[u64; ENTRIES]; 5]; 3]> {
    let mut products = Vec::with_capacity(multiples.len());
    let mut product = Field::<u64>::ONE();
    for point in multiples {
        products.push(product);
        product = product * point.z;
    }
    let mut inverse = product.inverse();
    let mut rows = vec![[[[0; ENTRIES]; 5]; 3]; multiples.len() / ENTRIES];
    for (index, (point, before)) in multiples.iter().zip(products).enumerate().rev() {
        let own = inverse * before;
        inverse = inverse * point.z;
        let (x, y) = (point.x * own, point.y * own);
        for (limbs, value) in
            rows[index / ENTRIES].iter_mut().zip([y + x, y - x, x * y * Field::all(TWICE_D)])
        {
            for (limb, word) in limbs.iter_mut().zip(value.0) {
                limb[index % ENTRIES] = word;
            }
        }
    }
    rows
}
