use crate::int::{Int, IntOp, mask, sign_extend};

/// What is known of a word of up to 64 bits for all values of the secrets; nothing is known of wider words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Bits that are always 0.
    pub zeros: u64,
    /// Bits that are always 1.
    pub ones: u64,
    /// Least value, as a signed number.
    pub min: i64,
    /// Greatest value, as a signed number.
    pub max: i64,
}

impl Facts {
    pub(crate) fn unknown(bits: u32) -> Self {
        let bits = bits.min(64);
        let min = sign_extend(1 << (bits - 1), bits) as i64;
        Facts { zeros: 0, ones: 0, min, max: !min }
    }

    pub(crate) fn of_constant(value: &Int) -> Self {
        match value.bits() {
            0..=64 => {
                let (ones, all) = (value.low_u128() as u64, mask(value.bits()) as u64);
                let signed = value.to_i128().unwrap_or(0) as i64;
                Facts { zeros: !ones & all, ones, min: signed, max: signed }
            }
            bits => Facts::unknown(bits),
        }
    }

    /// Facts of a value between two signed bounds.
    pub(crate) fn between(bits: u32, min: i128, max: i128) -> Self {
        let mut facts = Facts::unknown(bits);
        if bits <= 64 && min >= i128::from(facts.min) && max <= i128::from(facts.max) {
            (facts.min, facts.max) = (min as i64, max as i64);
        }
        facts.tightened(bits)
    }

    /// Facts of a value with these bits known.
    pub(crate) fn with_bits(bits: u32, zeros: u64, ones: u64) -> Self {
        let all = mask(bits.min(64)) as u64;
        Facts { zeros: zeros & all, ones: ones & all, ..Facts::unknown(bits) }.tightened(bits)
    }

    /// The only possible value, if there is just one.
    pub(crate) fn constant(&self, bits: u32) -> Option<Int> {
        if bits > 64 {
            return None;
        }
        let known = (self.zeros | self.ones) == mask(bits) as u64;
        if known {
            return Some(Int::new(bits, self.ones.into()));
        }
        (self.min == self.max).then(|| Int::signed(bits, self.min.into()))
    }

    /// Whether a signed number agrees with the bits that are known.
    pub(crate) fn allow(&self, value: i64) -> bool {
        let value = value as u64;
        value & self.zeros == 0 && value & self.ones == self.ones
    }

    /// The greatest signed number of `bits` bits.
    pub(crate) fn positive(bits: u32) -> i128 {
        i128::from(Facts::unknown(bits).max)
    }

    /// Least value, unsigned.
    pub(crate) fn least(&self) -> u64 {
        if self.min >= 0 { self.ones.max(self.min as u64) } else { self.ones }
    }

    /// Greatest value, unsigned, of a word of `bits` bits.
    pub(crate) fn greatest(&self, bits: u32) -> u64 {
        let by_bits = !self.zeros & mask(bits.min(64)) as u64;
        if bits <= 64 && self.min >= 0 { by_bits.min(self.max as u64) } else { by_bits }
    }

    /// Bits needed for every possible value, read as unsigned.
    pub(crate) fn significant(&self, bits: u32) -> u32 {
        if bits > 64 { bits } else { 64 - self.greatest(bits).leading_zeros() }
    }

    /// Bits needed for every possible value as two's complement.
    pub(crate) fn significant_signed(&self, bits: u32) -> u32 {
        if bits > 64 {
            return bits;
        }
        let magnitude = |value: i64| if value < 0 { !value } else { value };
        65 - magnitude(self.min).leading_zeros().min(magnitude(self.max).leading_zeros())
    }

    /// Facts that hold for a word that satisfies either.
    pub(crate) fn union(&self, other: &Facts) -> Self {
        Facts {
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Facts of the low `bits` bits of a word whose value fits in them with its sign.
    pub(crate) fn truncated(&self, bits: u32) -> Self {
        let all = mask(bits) as u64;
        Facts { zeros: self.zeros & all, ones: self.ones & all, ..*self }
    }

    /// Facts of a word that satisfies both.
    pub(crate) fn both(&self, other: &Facts) -> Self {
        Facts {
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
            min: self.min.max(other.min),
            max: self.max.min(other.max),
        }
    }

    /// Tightens bounds by known bits, and known bits by bounds.
    pub(crate) fn tightened(mut self, bits: u32) -> Self {
        if bits > 64 {
            return self;
        }
        let (all, sign) = (mask(bits) as u64, 1u64 << (bits - 1));
        let (low_ones, high_zeros) = (self.ones, !self.zeros & all);
        if self.zeros & sign != 0 {
            self.min = self.min.max(low_ones as i64);
            self.max = self.max.min(high_zeros as i64);
        }
        if self.min >= 0 && self.max >= 0 {
            let unused = (self.max as u64).leading_zeros();
            self.zeros |= all & !u64::MAX.checked_shr(unused).unwrap_or(0);
        }
        self
    }

    /// Facts of the result of an operation on words of `bits` bits.
    pub(crate) fn of_binary(op: IntOp, bits: u32, a: &Facts, b: &Facts) -> Self {
        if bits > 64 {
            return Facts::unknown(bits);
        }
        let wide = |value: i64| i128::from(value);
        match op {
            IntOp::And => {
                let mut facts = Facts::with_bits(bits, a.zeros | b.zeros, a.ones & b.ones);
                for operand in [a, b].into_iter().filter(|operand| operand.min >= 0) {
                    facts.max = facts.max.min(operand.max);
                }
                facts.tightened(bits)
            }
            IntOp::Or => Facts::with_bits(bits, a.zeros & b.zeros, a.ones | b.ones),
            IntOp::Xor => {
                let zeros = a.zeros & b.zeros | a.ones & b.ones;
                Facts::with_bits(bits, zeros, a.zeros & b.ones | a.ones & b.zeros)
            }
            IntOp::Add => {
                let mut facts = Facts::between(bits, wide(a.min) + wide(b.min), wide(a.max) + wide(b.max));
                facts.zeros |= low_zeros(a.zeros & b.zeros);
                facts
            }
            IntOp::Sub => {
                let mut facts = Facts::between(bits, wide(a.min) - wide(b.max), wide(a.max) - wide(b.min));
                facts.zeros |= low_zeros(a.zeros & b.zeros);
                facts
            }
            IntOp::Mul => {
                let corners = [a.min, a.max].map(|x| [b.min, b.max].map(|y| wide(x) * wide(y)));
                let corners = corners.as_flattened();
                let bounds = corners.iter().min().zip(corners.iter().max());
                let mut facts =
                    bounds.map_or(Facts::unknown(bits), |(min, max)| Facts::between(bits, *min, *max));
                let trailing = a.zeros.trailing_ones() + b.zeros.trailing_ones();
                facts.zeros |= mask(trailing.min(bits)) as u64;
                facts
            }
            IntOp::DivU if b.least() > 0 => Facts::between(
                bits,
                wide_unsigned(a.least() / b.greatest(bits).max(1)),
                wide_unsigned(a.greatest(bits) / b.least()),
            ),
            IntOp::RemU if b.least() > 0 => {
                Facts::between(bits, 0, wide_unsigned(a.greatest(bits).min(b.greatest(bits) - 1)))
            }
            IntOp::RemS if b.min > 0 => {
                let limit = wide(b.max) - 1;
                Facts::between(bits, wide(a.min).min(0).max(-limit), wide(a.max).max(0).min(limit))
            }
            _ => Facts::unknown(bits),
        }
    }
}

fn wide_unsigned(value: u64) -> i128 {
    i128::from(value)
}

/// The lowest bits up to the first that is not known to be zero.
fn low_zeros(zeros: u64) -> u64 {
    mask(zeros.trailing_ones()) as u64
}
