use super::super::add::{add_modulo, complement};
use super::super::select::select;
use super::add_with_carry;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// Bits of the quotient that are computed at a time.
pub(crate) const DIGIT_BITS: usize = 2;

/// As the division in few ANDs, but with a few bits of the quotient at a time: all multiples of the divisor
/// are subtracted from the remainder in parallel, and the least difference that is not negative is kept.
/// Layers: `ceil(log2 n) + 2` for each digit.
pub(in super::super) fn divide_trimmed(
    builder: &mut CircuitBuilder,
    a: &[Lit],
    d: &[Lit],
    zero: Lit,
) -> (Vec<Lit>, Vec<Lit>) {
    let width = d.len() + DIGIT_BITS;
    let multiples = multiples(builder, d, width);
    let mut quotient = vec![Lit::FALSE; a.len()];
    let mut remainder: Vec<Lit> = Vec::new();
    let mut place = a.len();
    while place > 0 {
        let taken = match place % DIGIT_BITS {
            0 => DIGIT_BITS,
            first => first,
        };
        place -= taken;
        remainder.splice(0..0, a[place..place + taken].iter().copied());
        let digit = digit(builder, &mut remainder, &multiples[..(1 << taken) - 1]);
        quotient[place..place + taken].copy_from_slice(&digit[..taken]);
        remainder.truncate(d.len());
    }
    remainder.resize(a.len(), Lit::FALSE);
    if d.len() < a.len() {
        // With a zero divisor, the remainder has outgrown its bits.
        remainder = select(builder, zero, a, &remainder);
    }
    (quotient, remainder)
}

/// The divisor times 1, 2 and so on.
fn multiples(builder: &mut CircuitBuilder, d: &[Lit], width: usize) -> Vec<Vec<Lit>> {
    let mut all: Vec<Vec<Lit>> = Vec::new();
    for factor in 1usize..1 << DIGIT_BITS {
        let mut shifted = vec![Lit::FALSE; factor.trailing_zeros() as usize];
        shifted.extend_from_slice(d);
        shifted.resize(width, Lit::FALSE);
        let odd = factor >> factor.trailing_zeros();
        all.push(match odd {
            1 => shifted,
            _ if odd == factor => add_modulo(builder, &all[factor - 2], &all[0], Lit::FALSE),
            _ => [&[Lit::FALSE][..], &all[factor / 2 - 1][..width - 1]].concat(),
        });
    }
    all
}

/// The largest multiple that fits in the remainder, in binary, and the remainder without it.
fn digit(
    builder: &mut CircuitBuilder,
    remainder: &mut Vec<Lit>,
    multiples: &[Vec<Lit>],
) -> [Lit; DIGIT_BITS] {
    remainder.resize(multiples[0].len(), Lit::FALSE);
    let mut digit = [Lit::FALSE; DIGIT_BITS];
    let (mut last, mut result) = (remainder.clone(), remainder.clone());
    for (factor, multiple) in (1usize..).zip(multiples) {
        let mut difference = add_with_carry(builder, remainder, &complement(multiple), Lit::TRUE);
        let holds = difference.pop().unwrap_or(Lit::TRUE);
        // If a multiple fits, all smaller ones do, so each one advances the result from the previous one.
        for (bit, (last, difference)) in last.iter().zip(&difference).enumerate() {
            let step = builder.xor(*last, *difference);
            let change = builder.and(holds, step);
            result[bit] = builder.xor(result[bit], change);
        }
        for (bit, sum) in digit.iter_mut().enumerate() {
            // Counting up by one from `factor - 1` flips the bits that differ.
            if (factor ^ (factor - 1)) >> bit & 1 == 1 {
                *sum = builder.xor(*sum, holds);
            }
        }
        last = difference;
    }
    *remainder = result;
    digit
}
