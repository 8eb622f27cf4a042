use super::compare::narrow_signed;
use super::count::sum_columns;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// The product modulo `2^n`. Cost: `n² - (n - 1)` ANDs … 993 at 32 bits; about half for a square, `n` for every
/// nonzero digit of a constant, and what the narrow words cost where operands were widened.
pub fn multiply(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    inner_product(builder, &[(a, b)], a.len())
}

/// The sum of products modulo `2^width`; all words have that width. Adding products up is nearly free.
pub fn inner_product(builder: &mut CircuitBuilder, pairs: &[(&[Lit], &[Lit])], width: usize) -> Vec<Lit> {
    let mut ones = vec![false; width];
    let products: Vec<Product> = pairs.iter().map(|(a, b)| Product::new(a, b, &mut ones)).collect();
    sum_columns(builder, width, &ones, |builder, column, bucket| {
        products.iter().for_each(|product| product.fill(builder, column, bucket));
    })
}

/// A bit with its sign: it stands for `±bit · 2^place`.
#[derive(Clone, Copy)]
struct Digit {
    place: usize,
    bit: Lit,
    negative: bool,
}

/// The digits of two factors that are not known to be zero.
struct Product {
    left: Vec<Digit>,
    right: Vec<Digit>,
}

impl Product {
    /// Adds to `ones` what negative partial products need: `-p · 2^k` is `¬p · 2^k - 2^k`.
    fn new(a: &[Lit], b: &[Lit], ones: &mut [bool]) -> Product {
        let (left, right) = (digits(a), digits(b));
        for x in &left {
            for y in right.iter().filter(|y| x.negative != y.negative) {
                subtract_power(ones, x.place + y.place);
            }
        }
        Product { left, right }
    }

    fn fill(&self, builder: &mut CircuitBuilder, column: usize, bucket: &mut Vec<Lit>) {
        for x in self.left.iter().take_while(|x| x.place <= column) {
            if let Ok(index) = self.right.binary_search_by_key(&(column - x.place), |y| y.place) {
                let y = self.right[index];
                bucket.push(builder.and(x.bit, y.bit).flip(x.negative != y.negative));
            }
        }
    }
}

/// The fewest digits whose sum is the word, modulo `2^n`, by place.
fn digits(word: &[Lit]) -> Vec<Digit> {
    let constants: Option<Vec<bool>> = word.iter().map(|lit| lit.as_constant()).collect();
    if let Some(bits) = constants {
        return recode(&bits);
    }
    let n = word.len();
    let sign = word[n - 1];
    let narrow = narrow_signed(&word[..n - 1], sign);
    let digit =
        |(place, bit): (usize, &Lit)| Digit { place, bit: *bit, negative: narrow < n - 1 && place == narrow };
    word[..=narrow].iter().enumerate().filter(|(_, bit)| **bit != Lit::FALSE).map(digit).collect()
}

/// A constant in binary or in non-adjacent form, whichever makes the cheaper product.
fn recode(bits: &[bool]) -> Vec<Digit> {
    let binary: Vec<(usize, bool)> =
        (0..bits.len()).filter(|place| bits[*place]).map(|place| (place, false)).collect();
    let mut adjacent_free = Vec::new();
    let mut carry = false;
    for place in 0..bits.len() {
        let (bit, next) = (bits[place], bits.get(place + 1).copied().unwrap_or(false));
        if bit != carry {
            adjacent_free.push((place, next));
            carry = next;
        }
    }
    let cost = |digits: &[(usize, bool)]| digits.iter().map(|(place, _)| bits.len() - place).sum::<usize>();
    let chosen = if cost(&adjacent_free) < cost(&binary) { adjacent_free } else { binary };
    chosen.into_iter().map(|(place, negative)| Digit { place, bit: Lit::TRUE, negative }).collect()
}

/// Subtracts `2^place` modulo `2^n`.
fn subtract_power(ones: &mut [bool], place: usize) {
    for one in ones.iter_mut().skip(place) {
        *one = !*one;
        if !*one {
            return;
        }
    }
}
