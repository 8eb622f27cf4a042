use super::add::{add_modulo, add_with_carry, complement};
use super::coefficient::Coefficient;
use super::compare::narrow_signed;
use super::count::sum_columns;
use super::heap::Heap;
use super::select::{absolute, negate_if};
use super::significant;
use super::toom::toom_product;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// Bits of both factors from which on Karatsuba's method takes fewer ANDs for a product in full; measured.
pub(crate) const KARATSUBA_BITS: usize = 28;
/// Bits of both factors from which on Toom's method in three parts takes fewer ANDs than Karatsuba's; measured: 7063 and 7130 for
/// 96 bits, 11169 and 11485 for 128, 33530 and 35862 for 256, 3345 and 3233 for 60.
pub(crate) const TOOM_BITS: usize = 96;
/// Bits from which on the low half of a product is cheaper from three smaller ones; measured.
pub(crate) const SPLIT_BITS: usize = 96;

/// The product modulo `2^n`. Cost: about `n² / 2` ANDs, or `n²` where all bits of the result are wanted, and less by
/// Karatsuba's and Toom's methods for long words; about half for a square, `n` for every nonzero digit of a constant, and
/// what the narrow words cost where operands were widened.
pub fn multiply(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let n = a.len();
    let (short_a, short_b) = (&a[..significant(a)], &b[..significant(b)]);
    let (least, bits) = (short_a.len().min(short_b.len()), short_a.len() + short_b.len());
    let is_square = short_a == short_b;
    if builder.is_shallow() {
        return inner_product(builder, &[(a, b)], n);
    }
    if is_square && let Some(magnitude) = widened_magnitude(builder, a) {
        return inner_product(builder, &[(&magnitude, &magnitude)], n);
    }
    if least >= KARATSUBA_BITS && bits <= n && !is_square && !has_constants(a, b) {
        let mut product = long_product(builder, short_a, short_b);
        product.resize(n, Lit::FALSE);
        return product;
    }
    if least >= SPLIT_BITS && least == n && !is_square && !has_constants(a, b) {
        return low_product(builder, a, b);
    }
    inner_product(builder, &[(a, b)], n)
}

/// The magnitude of a word that was widened by its sign: it has fewer bits to multiply than a sign that is spread out.
fn widened_magnitude(builder: &mut CircuitBuilder, word: &[Lit]) -> Option<Vec<Lit>> {
    let (sign, low) = word.split_last()?;
    let narrow = narrow_signed(low, *sign);
    if sign.as_constant().is_some() || narrow == 0 || narrow == low.len() {
        return None;
    }
    let mut magnitude = absolute(builder, &word[..=narrow]);
    magnitude.resize(word.len(), Lit::FALSE);
    Some(magnitude)
}

/// Whether a factor is a constant.
fn has_constants(a: &[Lit], b: &[Lit]) -> bool {
    let is_constant = |word: &[Lit]| word.iter().all(|lit| lit.as_constant().is_some());
    is_constant(a) || is_constant(b)
}

/// The sum of products modulo `2^width`; all words have that width. Adding products up is nearly free.
pub fn inner_product(builder: &mut CircuitBuilder, pairs: &[(&[Lit], &[Lit])], width: usize) -> Vec<Lit> {
    let mut heap = Heap::new(width);
    pairs.iter().for_each(|(a, b)| add_product(&mut heap, a, b, width));
    heap.total(builder)
}

/// Adds the product of two words of `width` bits.
fn add_product(heap: &mut Heap, a: &[Lit], b: &[Lit], width: usize) {
    let (a, b) = if constant_of(a, width).is_some() { (b, a) } else { (a, b) };
    if let Some(constant) = constant_of(b, width) {
        for digit in digits(a) {
            let coefficient = constant.shifted(digit.place, width);
            heap.add_bit(digit.bit, &if digit.negative { coefficient.negated(width) } else { coefficient });
        }
        return;
    }
    let (left, right) = (digits(a), digits(b));
    for x in &left {
        for y in right.iter().take_while(|y| x.place + y.place < width) {
            let power = Coefficient::power(width, x.place + y.place, x.negative != y.negative);
            heap.add_product(x.bit, y.bit, &power);
        }
    }
}

fn constant_of(word: &[Lit], width: usize) -> Option<Coefficient> {
    let bits: Option<Vec<bool>> = word.iter().map(|lit| lit.as_constant()).collect();
    Some(Coefficient::of_bits(width, bits?.into_iter()))
}

/// A bit with its sign: it stands for `±bit · 2^place`.
#[derive(Clone, Copy)]
struct Digit {
    place: usize,
    bit: Lit,
    negative: bool,
}

/// The digits of a word that are not known to be zero; of one that was widened by its sign those of the narrow one.
fn digits(word: &[Lit]) -> Vec<Digit> {
    let Some(sign) = word.last() else { return Vec::new() };
    let n = word.len();
    let narrow = narrow_signed(&word[..n - 1], *sign);
    let digit =
        |(place, bit): (usize, &Lit)| Digit { place, bit: *bit, negative: narrow < n - 1 && place == narrow };
    word[..=narrow].iter().enumerate().filter(|(_, bit)| **bit != Lit::FALSE).map(digit).collect()
}

/// The product of unsigned words in as many bits as both have.
///
/// Source: Karatsuba and Ofman, Multiplication of multidigit numbers on automata (1963), in the form that subtracts:
/// with `a = a1 · 2^h + a0`, `b` alike, and `d = (a1 - a0)(b1 - b0)`, the middle term is `a1·b1 + a0·b0 - d`.
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
pub(super) fn distance(builder: &mut CircuitBuilder, x: &[Lit], y: &[Lit]) -> (Vec<Lit>, Lit) {
    let mut difference = add_with_carry(builder, x, &complement(y), Lit::TRUE);
    let negative = !difference.pop().unwrap_or(Lit::TRUE);
    (negate_if(builder, negative, &difference), negative)
}

/// `low + 2^h (low + high ± across) + 2^2h high` in `4h` bits; all three have `2h` bits, and the sign is minus where
/// `minus` is 1. What stands in two places, `low` from `h` up and `high` below `h`, is added once.
fn join(builder: &mut CircuitBuilder, low: &[Lit], high: &[Lit], across: &[Lit], minus: Lit) -> Vec<Lit> {
    let half = low.len() / 2;
    let shared = add_with_carry(builder, &low[half..], &high[..half], Lit::FALSE);
    let (shared, over) = (&shared[..half], shared[half]);
    // The middle two quarters and what goes beyond, which is from 0 to 2 in the end.
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

pub(super) fn pad(word: &[Lit], width: usize) -> Vec<Lit> {
    let mut word = word.to_vec();
    word.resize(width, Lit::FALSE);
    word
}

/// The low half of the product of two words of one width: the low halves' product in full, and what of the two products
/// across stays below.
fn low_product(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let (n, half) = (a.len(), a.len().div_ceil(2));
    let mut low = long_product(builder, &a[..half], &b[..half]);
    low.resize(n, Lit::FALSE);
    let width = n - half;
    let across = inner_product(builder, &[(&a[half..], &b[..width]), (&a[..width], &b[half..])], width);
    let high = add_modulo(builder, &low[half..], &across, Lit::FALSE);
    [&low[..half], &high].concat()
}
