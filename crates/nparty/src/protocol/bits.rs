//! Bits of shared numbers, remainders modulo powers of two, and what follows from them: truncation, and signs of numbers known to
//! be small.

use tacit_math::field::Field;
use tacit_math::zeros;

use crate::error::{RunError, UsageError};
use crate::program::pool::FieldMask;
use crate::program::{Task, Value, mixed};
use crate::protocol::compare::bit;
use crate::prss::Purpose;

/// The maximum bits of a set's part of a mask that are drawn at once.
pub(crate) const DRAWN_BITS: usize = 128;

/// Numbers `a` less masks, each as one of two candidates.
pub(super) struct MaskedNumber<F: Field> {
    pub(super) mask: FieldMask<F>,
    /// Public numbers from which the mask is subtracted, modulo 2^k.
    pub(super) from: Vec<Value<F>>,
    /// Selects the candidate: 1 for the second.
    choice: Option<Value<F>>,
}

impl<F: Field> Task<F> {
    /// The maximum bits of numbers, signs included, for exact truncation, bits and division in this field: as many as a mask can hide.
    pub fn number_bits(&self) -> usize {
        let by_room = self.order_bits().saturating_sub(self.statistical_bits() + 3 + self.set_bits());
        match self.mask_rows() {
            Ok(rows) => by_room.max(rows - 1),
            Err(_) => by_room,
        }
    }

    /// Bits of the field's order.
    pub(crate) fn order_bits(&self) -> usize {
        let order = self.field().order();
        64 * order.len() - order.last().map_or(64, |top| top.leading_zeros()) as usize
    }

    /// By how many bits the sum of one number of each contributor is longer than the numbers.
    pub(super) fn set_bits(&self) -> usize {
        self.contributor_count().unwrap_or(1).next_power_of_two().trailing_zeros() as usize
    }

    /// Whether numbers of this many bits leave room for a mask that hides them without wrapping around.
    ///
    /// The mask is a sum of one number for each set of parties, with `bits` plus the statistical security in bits: an adversary knows all of them except one,
    /// which hides the number.
    pub(super) fn has_room(&self, bits: usize) -> bool {
        bits + self.statistical_bits() + 2 + self.set_bits() < self.order_bits()
    }

    fn check_bits(&self, bits: usize, low: usize) -> Result<(), RunError> {
        let most = self.number_bits();
        match (1..=most).contains(&bits) && (1..=bits).contains(&low) {
            true => Ok(()),
            false => Err(UsageError::LowBits { low, bits, most, security: self.statistical_bits() }.into()),
        }
    }

    /// Opens numbers from 0 to 2^`bits` - 1 under a mask whose `low` bits are shared.
    ///
    /// If there is room, the mask is long enough to hide the number and the sum does not wrap around; else the mask covers the field, and a
    /// comparison yields whether the sum wrapped around.
    pub(super) fn masked(&self, a: &Value<F>, bits: usize, low: usize) -> Result<MaskedNumber<F>, RunError> {
        let lanes = a.len();
        if self.has_room(bits) {
            let mask = self.mask(low, lanes)?;
            let upper = self.upper_mask(lanes, bits + self.statistical_bits() - low, low)?;
            let opened = self.open(&self.add(&self.add(a, &mask.number)?, &upper)?)?;
            return Ok(MaskedNumber { mask, from: vec![self.low_bits(&opened, low, false)?], choice: None });
        }
        let rows = self.mask_rows()?;
        let mask = self.mask(rows, lanes)?;
        let opened = self.open(&self.add(a, &mask.number)?)?;
        let choice = Some(self.below(&opened, &mask, rows)?);
        let from = vec![self.low_bits(&opened, low, false)?, self.low_bits(&opened, low, true)?];
        Ok(MaskedNumber { mask, from, choice })
    }

    /// The masks of numbers above their `low` bits: sums of one number of `part` bits for each set of parties, times 2^`low`.
    pub(super) fn upper_mask(&self, lanes: usize, part: usize, low: usize) -> Result<Value<F>, RunError> {
        let some = part.min(DRAWN_BITS);
        let first = self.draw(lanes);
        let upper = self.contributed(first, (lanes, mixed(0x75, some as u64)), move |prss| {
            let mut shares = zeros(lanes);
            prss.bounded(Purpose::BOUNDED, first, some as u32, &mut shares);
            shares
        })?;
        let upper = self.scale(&upper, power_of_two(self.field(), low))?;
        match part - some {
            0 => Ok(upper),
            more => self.add(&upper, &self.upper_mask(lanes, more, low + some)?),
        }
    }

    /// Public numbers, with or without the field's order added, modulo 2^`low`.
    pub(super) fn low_bits(
        &self,
        opened: &Value<F>,
        low: usize,
        wrapped: bool,
    ) -> Result<Value<F>, RunError> {
        let field = self.field().clone();
        let hash = mixed(0x77, 2 * low as u64 + u64::from(wrapped));
        self.local(opened.len(), true, hash, &[opened], move |_, given| {
            let order: Vec<u8> = field.order().iter().flat_map(|limb| limb.to_le_bytes()).collect();
            let mut bytes = vec![0; field.bytes()];
            let mut reduced = |element: &F::Element| {
                field.encode(*element, &mut bytes);
                let mut carry = 0;
                for (byte, order) in bytes.iter_mut().zip(&order) {
                    let sum = u16::from(*byte) + carry + if wrapped { u16::from(*order) } else { 0 };
                    (*byte, carry) = (sum as u8, sum >> 8);
                }
                for (number, byte) in bytes.iter_mut().enumerate() {
                    let kept = low.saturating_sub(8 * number).min(8);
                    *byte &= (0xff_u16 >> (8 - kept)) as u8;
                }
                // Below 2^low, which is below the order.
                field.decode(&bytes).unwrap_or_default()
            };
            given[0].iter().map(&mut reduced).collect()
        })
    }

    /// The first of two values, or the second where `choice` is 1.
    fn chosen(&self, mut of: Vec<Value<F>>, choice: Option<&Value<F>>) -> Result<Value<F>, RunError> {
        match (of.pop(), of.pop(), choice) {
            (Some(second), Some(first), Some(choice)) => self.select(choice, &second, &first),
            (Some(one), _, _) => Ok(one),
            _ => Err(RunError::Over),
        }
    }

    /// `a` modulo 2^`low`, for numbers from 0 to 2^`bits` - 1.
    ///
    /// Source: Catrina and de Hoogh (SCN 2010), protocol 3.2, with a tree for the comparison; without room in the field as
    /// [`Task::is_negative`].
    /// Security: statistical, [`Task::statistical_bits`], for numbers in that range. For other numbers, the opening reveals something, and the result may be wrong: the
    /// program must guarantee the range, here and for each operation with a number of bits as an argument.
    /// Cost: with room, `low` random bits and about 1.5 · `low` products, or for many numbers, where that sends less, as [`Task::is_negative_by_bits`] with masks of
    /// `low` bits; without room, that of [`Task::is_negative`] and 3 · `low` more.
    ///
    /// Errors: the field has no room for such numbers, or the computation has ended.
    pub fn remainder(&self, a: &Value<F>, low: usize, bits: usize) -> Result<Value<F>, RunError> {
        self.check_bits(bits, low)?;
        self.by_lanes(a, |a| {
            if self.low_by_bits(a.len(), bits, low) {
                return self.remainder_by_bits(a, low, bits);
            }
            let MaskedNumber { mask, from, choice } = self.masked(a, bits, low)?;
            let mask_low = self.low_number(&mask, low)?;
            let step = power_of_two(self.field(), low);
            let difference = |from: &Value<F>| {
                let borrowed = self.scale(&self.below(from, &mask, low)?, step)?;
                self.add(&self.sub(from, &mask_low)?, &borrowed)
            };
            let all = from.iter().map(difference).collect::<Result<_, _>>()?;
            self.chosen(all, choice.as_ref())
        })
    }

    /// The mask modulo a power of two.
    fn low_number(&self, mask: &FieldMask<F>, low: usize) -> Result<Value<F>, RunError> {
        let (lanes, field) = (mask.lanes, self.field().clone());
        self.local(lanes, false, mixed(0x6f, low as u64), &[&mask.bits], move |_, given| {
            let mut number = zeros(lanes);
            for row in given[0].chunks(lanes).take(low).rev() {
                for (number, bit) in number.iter_mut().zip(row) {
                    *number = field.add(field.add(*number, *number), *bit);
                }
            }
            number
        })
    }

    /// `a / 2^dropped`, rounded down, for numbers from -2^(`bits` - 1) to 2^(`bits` - 1) - 1.
    ///
    /// Security and cost: as [`Task::remainder`].
    ///
    /// Errors: as [`Task::remainder`].
    pub fn truncate(&self, a: &Value<F>, dropped: usize, bits: usize) -> Result<Value<F>, RunError> {
        if dropped == 0 {
            self.check_bits(bits, 1)?;
            return self.scale(a, self.field().one());
        }
        // Then the offset is a multiple of 2^dropped.
        self.check_bits(bits, dropped + 1)?;
        let field = self.field().clone();
        let offset = power_of_two(&field, bits - 1);
        let low = self.remainder(&self.shift(a, offset)?, dropped, bits)?;
        self.scale(&self.sub(a, &low)?, field.inverse(power_of_two(&field, dropped)))
    }

    /// `a / 2^dropped`, rounded up with the dropped fraction as the probability, else down, for numbers from -2^(`bits` - 1) to 2^(`bits` -
    /// 1) - 1.
    ///
    /// Source: Catrina and de Hoogh (SCN 2010), protocol 3.1. Differs: the upper part of the mask is a sum of numbers that sets of
    /// parties know.
    /// Security: as [`Task::remainder`].
    /// Cost: `dropped` random bits and one opening, one round after the bits'.
    ///
    /// Errors: the field has no room for such numbers and a mask, or the computation has ended.
    pub fn truncate_probably(&self, a: &Value<F>, dropped: usize, bits: usize) -> Result<Value<F>, RunError> {
        if !self.has_room(bits) || !(1..bits).contains(&dropped) {
            let security = self.statistical_bits();
            return Err(UsageError::Truncation { bits, dropped, security }.into());
        }
        let field = self.field().clone();
        self.by_lanes(a, |a| {
            let offset = self.shift(a, power_of_two(&field, bits - 1))?;
            let lost = if self.low_by_bits(a.len(), bits, dropped) {
                let masked = self.low_masked(&offset, bits, dropped)?;
                self.sub(&masked.from, &masked.number)?
            } else {
                let MaskedNumber { mask, from, .. } = self.masked(&offset, bits, dropped)?;
                self.sub(&from[0], &mask.number)?
            };
            self.scale(&self.sub(a, &lost)?, field.inverse(power_of_two(&field, dropped)))
        })
    }

    /// 1 where the number, from -2^(`bits` - 1) to 2^(`bits` - 1) - 1, is negative, and 0 elsewhere.
    ///
    /// Security: as [`Task::remainder`].
    /// Cost: with room as [`Task::remainder`] of all bits but one. Else as [`Task::is_negative`]; for 16 numbers or more modulo 2^61 - 1 or another
    /// Mersenne prime, unless comparisons are prepared, with as many bits of a mask as numbers have: for 33 bits among 3 parties about a sixth less.
    ///
    /// Errors: as [`Task::remainder`].
    pub fn is_negative_within(&self, a: &Value<F>, bits: usize) -> Result<Value<F>, RunError> {
        if self.mask_rows().is_ok() && (!self.has_room(bits) || self.order_bits() <= 2 * bits) {
            self.check_bits(bits, 1)?;
            return self.by_lanes(a, |a| match self.by_some_bits(bits, a.len()) {
                true => self.is_negative_by_some_bits(a, bits),
                false => self.is_negative(a),
            });
        }
        let sign = self.truncate(a, bits.saturating_sub(1), bits)?;
        self.scale(&sign, self.field().neg(self.field().one()))
    }

    /// 1 where `a < b`, for numbers whose difference is from -2^(`bits` - 1) to 2^(`bits` - 1) - 1.
    ///
    /// Cost and errors: as [`Task::is_negative_within`]; the lengths do not fit.
    pub fn less_within(&self, a: &Value<F>, b: &Value<F>, bits: usize) -> Result<Value<F>, RunError> {
        self.is_negative_within(&self.sub(a, b)?, bits)
    }

    /// 1 where `a = b`, for numbers as in [`Task::less_within`].
    ///
    /// The difference is a multiple of 2^`bits` exactly if the masked difference and the mask have the same
    /// last bits.
    ///
    /// Security: as [`Task::remainder`].
    /// Cost: `bits` random bits and 1.5 · `bits` products; in fields without room as [`Task::equal`].
    ///
    /// Errors: as [`Task::less_within`].
    pub fn equal_within(&self, a: &Value<F>, b: &Value<F>, bits: usize) -> Result<Value<F>, RunError> {
        self.check_bits(bits, 1)?;
        if !self.has_room(bits) {
            return self.equal(a, b);
        }
        let offset = power_of_two(self.field(), bits - 1);
        let difference = self.shift(&self.sub(a, b)?, offset)?;
        self.by_lanes(&difference, |difference| {
            // The offset only changes the highest of these bits.
            let flipped = |from: &Value<F>| {
                let field = self.field().clone();
                self.local(from.len(), true, 0x6f_66, &[from], move |_, given| {
                    let mut bytes = vec![0; field.bytes()];
                    let flipped = |number: &F::Element| match bit(&field, *number, bits - 1, &mut bytes) {
                        true => field.sub(*number, offset),
                        false => field.add(*number, offset),
                    };
                    given[0].iter().map(flipped).collect()
                })
            };
            if self.low_by_bits(difference.len(), bits, bits) {
                return self.same_by_bits(difference, bits, flipped);
            }
            let MaskedNumber { mask, from, .. } = self.masked(difference, bits, bits)?;
            self.same(&flipped(&from[0])?, &mask)
        })
    }

    /// The bits of numbers from 0 to 2^`bits` - 1, least significant first: all of the first number, then those of the second, and so on.
    ///
    /// Source: Damgård, Fitzi, Kiltz, Nielsen and Toft (TCC 2006), section 4, with the subtraction of Catrina and de Hoogh where there is room.
    /// Security: as [`Task::remainder`].
    /// Cost: with room `bits` random bits and bits · (log bits + 1) products; without, twice as many products and a comparison.
    ///
    /// Errors: as [`Task::remainder`].
    pub fn bits(&self, a: &Value<F>, bits: usize) -> Result<Value<F>, RunError> {
        self.check_bits(bits, bits)?;
        self.by_lanes(a, |a| {
            let lanes = a.len();
            let rows = match self.low_by_bits(lanes, bits, bits) {
                true => self.rows_by_bits(a, bits)?,
                false => self.rows_one_by_one(a, bits)?,
            };
            self.local(bits * lanes, false, mixed(0x74_72, lanes as u64), &[&rows], move |_, given| {
                let number = |lane: usize| (0..bits).map(move |row| given[0][row * lanes + lane]);
                (0..lanes).flat_map(number).collect()
            })
        })
    }

    fn rows_one_by_one(&self, a: &Value<F>, bits: usize) -> Result<Value<F>, RunError> {
        let MaskedNumber { mask, from, choice } = self.masked(a, bits, bits)?;
        let all = from.iter().map(|from| self.difference(from, &mask, bits)).collect::<Result<_, _>>()?;
        let lanes = a.len();
        let choice = choice.map(|choice| {
            self.local(bits * lanes, false, 0x72_70, &[&choice], move |_, given| given[0].repeat(bits))
        });
        self.chosen(all, choice.transpose()?.as_ref())
    }

    /// Rows of the bits of a public number less a mask, modulo 2^`rows`.
    ///
    /// A row borrows from the row above where the mask's bit is 1 and the number's is 0; it passes a borrow on where they are equal. Borrows are combined by
    /// doubling.
    fn difference(&self, from: &Value<F>, mask: &FieldMask<F>, rows: usize) -> Result<Value<F>, RunError> {
        let (lanes, field) = (mask.lanes, self.field().clone());
        let hash = mixed(mixed(0x64, rows as u64), lanes as u64);
        let differ = self.local(rows * lanes, false, hash, &[from, &mask.bits], {
            let field = field.clone();
            move |_, given| {
                each_bit(&field, given, (rows, lanes), |one, bit| match one {
                    true => field.sub(field.one(), bit),
                    false => bit,
                })
            }
        })?;
        let mut lent = self.local(rows * lanes, false, hash + 1, &[from, &mask.bits], {
            let field = field.clone();
            move |_, given| {
                each_bit(&field, given, (rows, lanes), |one, bit| match one {
                    true => F::Element::default(),
                    false => bit,
                })
            }
        })?;
        let one = self.constant(vec![field.one()])?;
        let mut passed = self.sub(&one, &differ)?;
        let mut reach = 1;
        while reach < rows {
            let (moved, last) = ((rows - reach) * lanes, 2 * reach >= rows);
            let hash = mixed(hash, reach as u64);
            let count = if last { moved } else { 2 * moved };
            let products = self.factors(count, hash, &[&lent, &passed], move |given| {
                let (upper, lent) = (&given[1][reach * lanes..], &given[0][..moved]);
                match last {
                    true => [upper.to_vec(), lent.to_vec()],
                    false => [upper.repeat(2), [lent, &given[1][..moved]].concat()],
                }
            })?;
            let field = self.field().clone();
            lent = self.local(rows * lanes, false, hash, &[&lent, &products], move |_, given| {
                let mut lent = given[0].to_vec();
                field.add_assign(&mut lent[reach * lanes..], &given[1][..moved]);
                lent
            })?;
            if !last {
                passed = self.local(rows * lanes, false, hash, &[&passed, &products], move |_, given| {
                    [&given[0][..reach * lanes], &given[1][moved..]].concat()
                })?;
            }
            reach *= 2;
        }
        // What the rows below have lent from each.
        let borrowed = self.local(rows * lanes, false, hash + 2, &[&lent], move |_, given| {
            [&zeros(lanes), &given[0][..(rows - 1) * lanes]].concat()
        })?;
        self.xor(&differ, &borrowed)
    }

    /// The numbers with these bits, `bits` for each, least significant first.
    ///
    /// Errors: the length is not a multiple of `bits`, or the computation has ended.
    pub fn from_bits(&self, a: &Value<F>, bits: usize) -> Result<Value<F>, RunError> {
        if bits == 0 || !a.len().is_multiple_of(bits) {
            return Err(UsageError::Bits { given: a.len(), bits }.into());
        }
        let field = self.field().clone();
        self.local(a.len() / bits, a.is_public(), mixed(0x66, bits as u64), &[a], move |_, given| {
            let double = |sum, bit: &F::Element| field.add(field.add(sum, sum), *bit);
            given[0].chunks(bits).map(|bits| bits.iter().rev().fold(F::Element::default(), double)).collect()
        })
    }
}

/// 2 to the power of a number.
pub(super) fn power_of_two<F: Field>(field: &F, power: usize) -> F::Element {
    field.pow(field.element(2), &[power as u64])
}

/// Applies `f` to the bits of public numbers and rows of shared bits.
fn each_bit<F: Field>(
    field: &F,
    given: &[&[F::Element]],
    (rows, lanes): (usize, usize),
    f: impl Fn(bool, F::Element) -> F::Element,
) -> Vec<F::Element> {
    let mut bytes = vec![0; field.bytes()];
    let mut result = Vec::with_capacity(rows * lanes);
    for (row, bits) in given[1].chunks(lanes).take(rows).enumerate() {
        for (number, share) in given[0].iter().zip(bits) {
            result.push(f(bit(field, *number, row, &mut bytes), *share));
        }
    }
    result
}
