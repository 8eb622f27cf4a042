use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// The sum modulo `2^n`. Cost: `n - 1` ANDs.
pub fn add(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    add_modulo(builder, a, b, Lit::FALSE)
}

/// The difference modulo `2^n`. Cost: `n - 1` ANDs.
pub fn subtract(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let complement: Vec<Lit> = b.iter().map(|lit| !*lit).collect();
    add_modulo(builder, a, &complement, Lit::TRUE)
}

/// The additive inverse modulo `2^n`. Cost: `n - 2` ANDs.
pub fn negate(builder: &mut CircuitBuilder, a: &[Lit]) -> Vec<Lit> {
    subtract(builder, &vec![Lit::FALSE; a.len()], a)
}

/// The sum with a carry in, and the carry out as one more bit on top. Cost: `n` ANDs.
pub fn add_with_carry(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit], carry: Lit) -> Vec<Lit> {
    let mut carry = carry;
    let mut sum = Vec::with_capacity(a.len() + 1);
    for (a, b) in a.iter().zip(b) {
        let partial = builder.xor(*a, *b);
        sum.push(builder.xor(partial, carry));
        carry = builder.majority(*a, *b, carry);
    }
    sum.push(carry);
    sum
}

/// The sum with a carry in, modulo `2^n`. Cost: `n - 1` ANDs.
pub(super) fn add_modulo(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit], carry: Lit) -> Vec<Lit> {
    let Some((top_a, low_a)) = a.split_last() else { return Vec::new() };
    let top_b = b[low_a.len()];
    let mut sum = add_with_carry(builder, low_a, &b[..low_a.len()], carry);
    let carry = sum.pop().unwrap_or(carry);
    let partial = builder.xor(*top_a, top_b);
    sum.push(builder.xor(partial, carry));
    sum
}
