use super::shallow;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// The sum modulo `2^n`. Cost: `n - 1` ANDs.
pub fn add(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    add_modulo(builder, a, b, Lit::FALSE)
}

/// The sum modulo `2^n`, in `ceil(log2(n - 1)) + 1` layers of ANDs.
///
/// Source: Sklansky, *Conditional-Sum Addition Logic* (1960): generate and propagate bits of increasingly
/// long ranges.
/// Cost: about `n·log2(n)` ANDs.
pub fn add_shallow(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let half: Vec<Lit> = a.iter().zip(b).map(|(a, b)| builder.xor(*a, *b)).collect();
    // For each bit below the top: whether a range that ends there generates a carry, and whether it
    // propagates one.
    let carried = a.len().saturating_sub(1);
    let mut makes: Vec<Lit> = (0..carried).map(|i| builder.and(a[i], b[i])).collect();
    let mut passes = half[..carried].to_vec();
    let mut span = 1;
    while span < carried {
        for i in (0..carried).filter(|i| i / span % 2 == 1) {
            let below = i / span * span - 1;
            // Generate and propagate exclude each other, so their sum is an exclusive or.
            let carry = builder.and(passes[i], makes[below]);
            makes[i] = builder.xor(makes[i], carry);
            passes[i] = if below < span { Lit::FALSE } else { builder.and(passes[i], passes[below]) };
        }
        span *= 2;
    }
    let carries = std::iter::once(Lit::FALSE).chain(makes);
    half.into_iter().zip(carries).map(|(half, carry)| builder.xor(half, carry)).collect()
}

/// The difference modulo `2^n`. Cost: `n - 1` ANDs.
pub fn subtract(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    add_modulo(builder, a, &complement(b), Lit::TRUE)
}

/// The additive inverse modulo `2^n`. Cost: `n - 2` ANDs.
pub fn negate(builder: &mut CircuitBuilder, a: &[Lit]) -> Vec<Lit> {
    subtract(builder, &vec![Lit::FALSE; a.len()], a)
}

/// The bitwise complement; no gates.
pub(super) fn complement(word: &[Lit]) -> Vec<Lit> {
    word.iter().map(|lit| !*lit).collect()
}

/// The sum with a carry in; the carry out is an additional top bit. Cost: `n` ANDs.
pub fn add_with_carry(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit], carry: Lit) -> Vec<Lit> {
    if builder.is_shallow() {
        return shallow::add_with_carry(builder, a, b, carry);
    }
    let mut sum = Vec::with_capacity(a.len() + 1);
    let mut carries = Carries::new(carry);
    for (a, b) in a.iter().zip(b) {
        sum.push(carries.step(builder, *a, *b));
    }
    sum.push(carries.carry);
    sum
}

/// The sum with a carry in, modulo `2^n`. Cost: `n - 1` ANDs.
pub(super) fn add_modulo(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit], carry: Lit) -> Vec<Lit> {
    let (Some((top_a, low_a)), Some((top_b, low_b))) = (a.split_last(), b.split_last()) else {
        return Vec::new();
    };
    let mut sum = add_with_carry(builder, low_a, low_b, carry);
    let carry = sum.pop().unwrap_or(carry);
    let partial = builder.xor(*top_a, *top_b);
    sum.push(builder.xor(partial, carry));
    sum
}

/// The carry out of a sum. Cost: `n` ANDs.
pub(super) fn carry_out(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit], carry: Lit) -> Lit {
    if builder.is_shallow() {
        return shallow::carry_out(builder, a, b, carry);
    }
    let mut carries = Carries::new(carry);
    for (a, b) in a.iter().zip(b) {
        carries.step(builder, *a, *b);
    }
    carries.carry
}

/// A chain of carries. If two adjacent bits have the same operands, as in the upper part of words widened by
/// their signs, the carry does not change: the majority of `a`, `b` and `majority(a, b, c)` is `majority(a,
/// b, c)`.
struct Carries {
    carry: Lit,
    last: Option<(Lit, Lit)>,
}

impl Carries {
    fn new(carry: Lit) -> Self {
        Carries { carry, last: None }
    }

    /// Adds one bit of each word; returns the bit of the sum.
    fn step(&mut self, builder: &mut CircuitBuilder, a: Lit, b: Lit) -> Lit {
        if self.last == Some((a, b)) {
            let partial = builder.xor(a, b);
            return builder.xor(partial, self.carry);
        }
        self.last = Some((a, b));
        let (sum, carry) = builder.full_adder(a, b, self.carry);
        self.carry = carry;
        sum
    }
}
