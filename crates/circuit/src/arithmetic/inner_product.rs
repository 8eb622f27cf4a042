use super::coefficient::Coefficient;
use super::compare::narrow_signed;
use super::heap::Heap;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// The sum of products modulo `2^width`; all words have that width. Adding up the products is nearly free.
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

/// A signed bit, which represents `±bit · 2^place`.
#[derive(Clone, Copy)]
struct Digit {
    place: usize,
    bit: Lit,
    negative: bool,
}

/// The digits of a word that are not known to be zero; for a word that was widened by its sign, the digits of
/// the narrow word.
fn digits(word: &[Lit]) -> Vec<Digit> {
    let Some(sign) = word.last() else { return Vec::new() };
    let n = word.len();
    let narrow = narrow_signed(&word[..n - 1], *sign);
    let digit =
        |(place, bit): (usize, &Lit)| Digit { place, bit: *bit, negative: narrow < n - 1 && place == narrow };
    word[..=narrow].iter().enumerate().filter(|(_, bit)| **bit != Lit::FALSE).map(digit).collect()
}
