use super::add::{add_modulo, complement};
use super::compare::any;
use super::select::{absolute, negate_if, select};
use super::shallow;
use super::significant;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// Quotient and remainder of unsigned words; all ones and the dividend if the divisor is zero.
///
/// Restoring division while the partial remainder is short, then non-restoring division, which needs no multiplexer.
/// Cost at 32 bits: 829 ANDs for the quotient, 63 more for the remainder; constants and narrow words cost less.
pub fn divide_unsigned(builder: &mut CircuitBuilder, a: &[Lit], d: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let n = a.len();
    // Zeros below the divisor: the low bits of the dividend go to the remainder unchanged.
    let low = d.iter().position(|lit| *lit != Lit::FALSE).unwrap_or(0);
    let (dividend, divisor) = (&a[low..low.max(significant(a))], &d[low..low.max(significant(d))]);
    let zero = is_zero(builder, divisor);
    let (mut quotient, mut remainder) = match divisor {
        [] => (vec![Lit::TRUE; dividend.len()], dividend.to_vec()),
        [bit] => (
            dividend.iter().map(|lit| builder.or(*lit, !*bit)).collect(),
            dividend.iter().map(|lit| builder.and(*lit, !*bit)).collect(),
        ),
        _ if builder.is_shallow() => shallow::divide_trimmed(builder, dividend, divisor, zero),
        _ => divide_trimmed(builder, dividend, divisor, zero),
    };
    quotient.resize(n, zero);
    remainder.splice(0..0, a[..low].iter().copied());
    remainder.resize(n, Lit::FALSE);
    (quotient, remainder)
}

/// Quotient and remainder of signed words, rounded towards zero; -1 and the dividend if the divisor is zero,
/// the minimum and 0 for the minimum divided by -1. Cost at 32 bits: 924 ANDs for the quotient.
pub fn divide_signed(builder: &mut CircuitBuilder, a: &[Lit], d: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let (Some(sign_a), Some(sign_d)) = (a.last(), d.last()) else { return (Vec::new(), Vec::new()) };
    let (size_a, size_d) = (absolute(builder, a), absolute(builder, d));
    let (quotient, remainder) = divide_unsigned(builder, &size_a, &size_d);
    let zero = is_zero(builder, &size_d[..significant(&size_d)]);
    let differ = builder.xor(*sign_a, *sign_d);
    let negative = builder.and(differ, !zero);
    (negate_if(builder, negative, &quotient), negate_if(builder, *sign_a, &remainder))
}

/// For each place, whether the bits from there up contain a one, as a chain from the top.
fn ones_from(builder: &mut CircuitBuilder, word: &[Lit]) -> Vec<Lit> {
    let mut found = Lit::FALSE;
    let mut result: Vec<Lit> = word
        .iter()
        .rev()
        .map(|lit| {
            found = builder.or(found, *lit);
            found
        })
        .collect();
    result.reverse();
    result
}

fn is_zero(builder: &mut CircuitBuilder, word: &[Lit]) -> Lit {
    match word.contains(&Lit::TRUE) {
        true => Lit::FALSE,
        false if builder.is_shallow() => !any(builder, word),
        false => ones_from(builder, word).first().map_or(Lit::TRUE, |any| !*any),
    }
}

/// Division by a divisor of at least two bits whose top bit is not known to be zero.
fn divide_trimmed(builder: &mut CircuitBuilder, a: &[Lit], d: &[Lit], zero: Lit) -> (Vec<Lit>, Vec<Lit>) {
    let width = d.len();
    let mut beyond = ones_from(builder, d);
    beyond.push(Lit::FALSE);
    let mut quotient = vec![Lit::FALSE; a.len()];
    // Never negative, with as many bits as were taken from the dividend.
    let mut remainder: Vec<Lit> = Vec::with_capacity(width + 1);
    let restoring = |taken: usize| taken < width && (beyond[taken] == Lit::TRUE || 2 * taken < width);
    let short = (1..=a.len()).take_while(|taken| restoring(*taken)).count();
    for taken in 1..=short {
        let place = a.len() - taken;
        remainder.insert(0, a[place]);
        quotient[place] = restore(builder, &mut remainder, &d[..taken], beyond[taken]);
    }
    if short == a.len() {
        remainder.resize(a.len(), Lit::FALSE);
        return (quotient, remainder);
    }
    remainder.resize(width + 1, Lit::FALSE);
    for place in (0..a.len() - short).rev() {
        quotient[place] = step(builder, &mut remainder, d, a[place]);
    }
    let mut remainder = correct(builder, &remainder, d);
    remainder.resize(a.len(), Lit::FALSE);
    if width < a.len() {
        // With a zero divisor, the remainder has outgrown its bits.
        quotient.iter_mut().for_each(|bit| *bit = builder.or(*bit, zero));
        remainder = select(builder, zero, a, &remainder);
    }
    (quotient, remainder)
}

/// Subtracts the divisor's low bits if there is no borrow and no higher bits of the divisor are set. Returns
/// the quotient bit.
fn restore(builder: &mut CircuitBuilder, remainder: &mut Vec<Lit>, d: &[Lit], beyond: Lit) -> Lit {
    if beyond == Lit::TRUE {
        return Lit::FALSE;
    }
    let mut difference = super::add_with_carry(builder, remainder, &complement(d), Lit::TRUE);
    let enough = difference.pop().unwrap_or(Lit::TRUE);
    let taken = builder.and(enough, !beyond);
    *remainder = select(builder, taken, &difference, remainder);
    taken
}

/// Doubles the signed remainder, appends a bit of the dividend, and adds or subtracts the divisor, towards
/// zero.
fn step(builder: &mut CircuitBuilder, remainder: &mut Vec<Lit>, d: &[Lit], bit: Lit) -> Lit {
    let subtract = !remainder.pop().unwrap_or(Lit::FALSE);
    remainder.insert(0, bit);
    let mut addend: Vec<Lit> = d.iter().map(|lit| builder.xor(*lit, subtract)).collect();
    addend.push(subtract);
    *remainder = add_modulo(builder, remainder, &addend, subtract);
    !remainder[d.len()]
}

/// The remainder, corrected to be at least zero and below the divisor.
fn correct(builder: &mut CircuitBuilder, remainder: &[Lit], d: &[Lit]) -> Vec<Lit> {
    let negative = remainder[d.len()];
    let addend: Vec<Lit> = d.iter().map(|lit| builder.and(*lit, negative)).collect();
    add_modulo(builder, &remainder[..d.len()], &addend, Lit::FALSE)
}
