//! Full products of long words: by Karatsuba's method, and by Toom's if both words are very long. Each uses
//! the other for its parts.

use super::add::{add_modulo, add_with_carry, complement};
use super::count::{sum, sum_columns};
use super::inner_product::inner_product;
use super::select::negate_if;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// From this many bits of both factors on, Karatsuba's method takes fewer ANDs for a full product; measured.
pub(crate) const KARATSUBA_BITS: usize = 28;
/// From this many bits of both factors on, Toom's method in three parts takes fewer ANDs than Karatsuba's;
/// measured: 7063 and 7130 for 96 bits, 11169 and 11485 for 128, 33530 and 35862 for 256, 3345 and 3233 for
/// 60.
pub(crate) const TOOM_BITS: usize = 96;

/// The product of unsigned words in as many bits as both have together.
///
/// Source: Karatsuba and Ofman, Multiplication of multidigit numbers on automata (1963), in the subtractive
/// form: with `a = a1 · 2^h + a0`, the same for `b`, and `d = (a1 - a0)(b1 - b0)`, the middle term is `a1·b1
/// + a0·b0 - d`.
pub(super) fn long_product(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let (least, most) = (a.len().min(b.len()), a.len().max(b.len()));
    if least >= TOOM_BITS && least > 2 * most.div_ceil(3) {
        return toom_product(builder, a, b);
    }
    let half = most.div_ceil(2);
    if least < KARATSUBA_BITS || least <= half {
        let width = a.len() + b.len();
        let widened = |word: &[Lit]| [word, &vec![Lit::FALSE; width - word.len()]].concat();
        return inner_product(builder, &[(&widened(a), &widened(b))], width);
    }
    let split = |word: &[Lit]| {
        let mut high = word[half..].to_vec();
        high.resize(half, Lit::FALSE);
        (word[..half].to_vec(), high)
    };
    let ((a0, a1), (b0, b1)) = (split(a), split(b));
    let low = long_product(builder, &a0, &b0);
    let high = long_product(builder, &a1[..a.len() - half], &b1[..b.len() - half]);
    let high = [&high[..], &vec![Lit::FALSE; 2 * half - high.len()]].concat();
    let ((size_a, sign_a), (size_b, sign_b)) = (distance(builder, &a1, &a0), distance(builder, &b1, &b0));
    let across = long_product(builder, &size_a, &size_b);
    let opposite = builder.xor(sign_a, sign_b);
    let mut product = join(builder, &low, &high, &across, !opposite);
    product.truncate(a.len() + b.len());
    product
}

/// `|x - y|`, and whether the difference is negative. Cost: `2n - 1` ANDs.
fn distance(builder: &mut CircuitBuilder, x: &[Lit], y: &[Lit]) -> (Vec<Lit>, Lit) {
    let mut difference = add_with_carry(builder, x, &complement(y), Lit::TRUE);
    let negative = !difference.pop().unwrap_or(Lit::TRUE);
    (negate_if(builder, negative, &difference), negative)
}

/// `low + 2^h (low + high ± across) + 2^2h high` in `4h` bits; all three have `2h` bits, and the sign is
/// minus if `minus` is 1. Parts that occur at two places, `low` from `h` up and `high` below `h`, are added
/// once.
fn join(builder: &mut CircuitBuilder, low: &[Lit], high: &[Lit], across: &[Lit], minus: Lit) -> Vec<Lit> {
    let half = low.len() / 2;
    let shared = add_with_carry(builder, &low[half..], &high[..half], Lit::FALSE);
    let (shared, over) = (&shared[..half], shared[half]);
    // The middle two quarters and their overflow, which in the end is 0 to 2.
    let mut columns: Vec<Vec<Lit>> = (0..2 * half)
        .map(|place| {
            let beside = if place < half { low[place] } else { high[place] };
            vec![shared[place % half], beside, builder.xor(across[place], minus)]
        })
        .collect();
    columns.extend([vec![over, minus], vec![minus]]);
    columns[0].push(minus);
    columns[half].push(over);
    let middle =
        sum_columns(builder, 2 * half + 2, &[], |_, place, bucket| bucket.append(&mut columns[place]));
    let rest = add_modulo(builder, &high[half..], &pad(&middle[2 * half..], half), Lit::FALSE);
    [&low[..half], &middle[..2 * half], &rest].concat()
}

fn pad(word: &[Lit], width: usize) -> Vec<Lit> {
    let mut word = word.to_vec();
    word.resize(width, Lit::FALSE);
    word
}

/// The product of unsigned words in as many bits as both have together, from five products of a third of the
/// bits; both words have more than two thirds of the longer one's bits.
///
/// Source: Toom, The complexity of a scheme of functional elements realizing the multiplication of integers (1963), at the points
/// 0, 1, -1, 2 and infinity.
fn toom_product(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let third = a.len().max(b.len()).div_ceil(3);
    let (x, y) = (Values::new(builder, a, third), Values::new(builder, b, third));
    // All coefficients except the first have at most three products of two thirds, one of them doubled on the
    // way.
    let width = 2 * third + 6;
    let mut times = |x: &[Lit], y: &[Lit]| pad(&long_product(builder, x, y), width);
    let (at_0, at_1, at_2) =
        (times(&x.limbs[0], &y.limbs[0]), times(&x.at_1, &y.at_1), times(&x.at_2, &y.at_2));
    let top = times(&x.limbs[2], &y.limbs[2]);
    let size = times(&x.size_at_minus_1, &y.size_at_minus_1);
    let minus = builder.xor(x.minus, y.minus);
    // The middle three coefficients c1, c2 and c3: first c1 + c3.
    let odd = add_or_subtract(builder, &at_1, &size, !minus);
    let odd = pad(&odd[1..], width);
    let c2 = combined(builder, width, &[(&at_1, true), (&odd, false), (&at_0, false), (&top, false)]);
    let thirds = add_or_subtract(builder, &at_2, &size, !minus);
    let thirds = third_of(builder, &thirds);
    let quadruple = [&[Lit::FALSE; 2][..], &top[..width - 2]].concat();
    let c3 = combined(builder, width, &[(&thirds, true), (&at_1, false), (&at_0, true), (&quadruple, false)]);
    let c3 = pad(&c3[1..], width);
    let c1 = add_modulo(builder, &odd, &complement(&c3), Lit::TRUE);
    // None of them exceeds three products of limbs.
    let coefficients =
        [&at_0[..2 * third], &c1[..2 * third + 2], &c2[..2 * third + 2], &c3[..2 * third + 2], &top];
    let bits = a.len() + b.len();
    sum_columns(builder, bits, &[], |_, column, bucket| {
        for (power, coefficient) in coefficients.iter().enumerate() {
            bucket.extend(column.checked_sub(power * third).and_then(|place| coefficient.get(place)));
        }
    })
}

/// A word as a polynomial of three limbs, and its values.
struct Values {
    limbs: [Vec<Lit>; 3],
    at_1: Vec<Lit>,
    at_2: Vec<Lit>,
    size_at_minus_1: Vec<Lit>,
    minus: Lit,
}

impl Values {
    fn new(builder: &mut CircuitBuilder, word: &[Lit], third: usize) -> Self {
        let limbs = [&word[..third], &word[third..2 * third], &word[2 * third..]].map(<[Lit]>::to_vec);
        let ends = add_with_carry(builder, &limbs[0], &pad(&limbs[2], third), Lit::FALSE);
        let middle = pad(&limbs[1], third + 1);
        let at_1 = add_with_carry(builder, &ends, &middle, Lit::FALSE);
        let (size_at_minus_1, minus) = distance(builder, &ends, &middle);
        let shifted = |limb: &[Lit], by: usize| [&vec![Lit::FALSE; by], limb].concat();
        let (twice, four) = (shifted(&limbs[1], 1), shifted(&limbs[2], 2));
        let at_2 = sum(builder, &[&limbs[0], &twice, &four], third + 3);
        Values { limbs, at_1, at_2, size_at_minus_1, minus }
    }
}

/// `x + y`, or `x - y` where `minus` is 1.
fn add_or_subtract(builder: &mut CircuitBuilder, x: &[Lit], y: &[Lit], minus: Lit) -> Vec<Lit> {
    let y: Vec<Lit> = y.iter().map(|bit| builder.xor(*bit, minus)).collect();
    add_modulo(builder, x, &y, minus)
}

/// The sum of words, each with its sign, modulo `2^width`.
fn combined(builder: &mut CircuitBuilder, width: usize, words: &[(&[Lit], bool)]) -> Vec<Lit> {
    let mut total = words[0].0.to_vec();
    for (word, plus) in &words[1..] {
        let (word, carry) = if *plus { (word.to_vec(), Lit::FALSE) } else { (complement(word), Lit::TRUE) };
        total = add_modulo(builder, &total, &word[..width], carry);
    }
    total
}

/// A word that is divisible by three, divided by three: the word minus twice the quotient is the quotient,
/// from the lowest bit up.
fn third_of(builder: &mut CircuitBuilder, word: &[Lit]) -> Vec<Lit> {
    let (mut quotient, mut carry) = (Vec::with_capacity(word.len()), Lit::TRUE);
    let mut below = Lit::FALSE;
    for bit in word {
        (below, carry) = builder.full_adder(*bit, !below, carry);
        quotient.push(below);
    }
    quotient
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Circuit;

    fn circuit(n: u32, m: u32) -> Circuit {
        let mut builder = CircuitBuilder::new();
        let (a, b) = (builder.input(n), builder.input(m));
        let product = toom_product(&mut builder, &a, &b);
        builder.finish(vec![product]).expect("a small circuit")
    }

    /// The bits of a product, by long multiplication.
    fn product(x: &[u64], y: &[u64]) -> Vec<u64> {
        let mut columns = vec![0u64; x.len() + y.len() + 1];
        for (i, x) in x.iter().enumerate() {
            y.iter().enumerate().for_each(|(j, y)| columns[i + j] += x & y);
        }
        for place in 0..x.len() + y.len() {
            columns[place + 1] += columns[place] >> 1;
            columns[place] &= 1;
        }
        columns.truncate(x.len() + y.len());
        columns
    }

    #[test]
    fn products_are_those_of_long_multiplication() {
        let mut state = 3u64;
        for (n, m) in [(6, 6), (9, 8), (17, 17), (30, 28), (31, 31), (96, 96), (130, 100), (128, 128)] {
            let circuit = circuit(n, m);
            for round in 0..8 {
                let mut word = |input: u32| {
                    state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                    // All ones, runs of ones, and anything.
                    match (round, input % 11) {
                        (0, _) => u64::MAX,
                        (1, 0..7) => state | state << 7,
                        _ => state ^ state >> 29,
                    }
                };
                let inputs: Vec<u64> = (0..n + m).map(&mut word).collect();
                let output = circuit.evaluate_lanes(&inputs).expect("as many inputs as the circuit has");
                for lane in 0..64 {
                    let bits = |words: &[u64]| words.iter().map(|word| word >> lane & 1).collect::<Vec<_>>();
                    let (x, y) = inputs.split_at(n as usize);
                    assert_eq!(bits(&output), product(&bits(x), &bits(y)), "{n} by {m} bits");
                }
            }
        }
    }
}
