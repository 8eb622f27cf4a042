use super::add::{carry_out, complement};
use super::shallow;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// Whether `a < b` as unsigned integers. Cost: `n` ANDs.
pub fn less_unsigned(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]) -> Lit {
    !carry_out(builder, a, &complement(b), Lit::TRUE)
}

/// Whether `a < b` as signed integers. Cost: `n` ANDs.
pub fn less_signed(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]) -> Lit {
    // The signs swap roles: the result is the borrow of the difference with both top bits complemented, which
    // keeps copies of the signs below the top recognisable.
    let (Some((top_a, low_a)), Some((top_b, low_b))) = (a.split_last(), b.split_last()) else {
        return Lit::FALSE;
    };
    let narrow = narrow_signed(low_a, *top_a).max(narrow_signed(low_b, *top_b));
    if builder.is_shallow() {
        let (a, b) = ([&low_a[..narrow], &[!*top_a]].concat(), [&low_b[..narrow], &[!*top_b]].concat());
        return less_unsigned(builder, &a, &b);
    }
    let carry = carry_out(builder, &low_a[..narrow], &complement(&low_b[..narrow]), Lit::TRUE);
    !builder.majority(!*top_a, *top_b, carry)
}

/// The number of bits of a word below the copies of its sign, not counting the sign itself.
pub(super) fn narrow_signed(low: &[Lit], sign: Lit) -> usize {
    low.iter().rposition(|lit| *lit != sign).map_or(0, |top| top + 1)
}

/// Whether two words are equal. Cost: `n - 1` ANDs.
pub fn equal(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]) -> Lit {
    let same: Vec<Lit> = a.iter().zip(b).map(|(a, b)| !builder.xor(*a, *b)).collect();
    all(builder, &same)
}

/// Whether all bits are 1, as a balanced tree. Cost: one AND less than the number of different bits.
pub fn all(builder: &mut CircuitBuilder, bits: &[Lit]) -> Lit {
    let mut level = bits.to_vec();
    level.sort_unstable();
    level.dedup();
    if builder.is_shallow() {
        return shallow::all(builder, &level);
    }
    while level.len() > 1 {
        level = level.chunks(2).map(|pair| pair.iter().fold(Lit::TRUE, |a, b| builder.and(a, *b))).collect();
    }
    level.first().copied().unwrap_or(Lit::TRUE)
}

/// Whether any bit is 1. Cost: one AND less than the number of different bits.
pub fn any(builder: &mut CircuitBuilder, bits: &[Lit]) -> Lit {
    !all(builder, &complement(bits))
}
