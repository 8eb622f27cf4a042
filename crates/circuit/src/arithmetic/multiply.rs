use super::add::add_modulo;
use super::compare::narrow_signed;
use super::inner_product::inner_product;
use super::long_product::{KARATSUBA_BITS, long_product};
use super::select::absolute;
use super::significant;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// From this many bits on, the low half of a product is cheaper from three smaller ones; measured.
pub(crate) const SPLIT_BITS: usize = 96;

/// The product modulo `2^n`. Cost: about `n² / 2` ANDs, or `n²` if all bits of the result are wanted, and
/// less by Karatsuba's and Toom's methods for long words; about half for a square, `n` for every nonzero
/// digit of a constant, and the cost of the narrow words if operands were widened.
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

/// The magnitude of a word that was widened by its sign: it has fewer bits to multiply than a replicated
/// sign.
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

/// The low half of the product of two words of the same width: the full product of the low halves, and the
/// low part of the two cross products.
fn low_product(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let (n, half) = (a.len(), a.len().div_ceil(2));
    let mut low = long_product(builder, &a[..half], &b[..half]);
    low.resize(n, Lit::FALSE);
    let width = n - half;
    let across = inner_product(builder, &[(&a[half..], &b[..width]), (&a[..width], &b[half..])], width);
    let high = add_modulo(builder, &low[half..], &across, Lit::FALSE);
    [&low[..half], &high].concat()
}
