use super::compare::any;
use super::shallow;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// Shifts towards the most significant bit by a word of any width; zeros enter. Cost: `n · ceil(log2 n)`
/// ANDs, and `n` more if the amount may reach the next power of two.
pub fn shift_left(builder: &mut CircuitBuilder, a: &[Lit], amount: &[Lit]) -> Vec<Lit> {
    let mirrored: Vec<Lit> = a.iter().rev().copied().collect();
    let mut result = shift_right(builder, &mirrored, amount, Lit::FALSE);
    result.reverse();
    result
}

/// Shifts towards the least significant bit by a word of any width; zeros enter. Cost: as [`shift_left`].
pub fn shift_right_unsigned(builder: &mut CircuitBuilder, a: &[Lit], amount: &[Lit]) -> Vec<Lit> {
    shift_right(builder, a, amount, Lit::FALSE)
}

/// Shifts towards the least significant bit by a word of any width; the sign enters. Cost: as [`shift_left`].
pub fn shift_right_signed(builder: &mut CircuitBuilder, a: &[Lit], amount: &[Lit]) -> Vec<Lit> {
    a.last().map_or(Vec::new(), |sign| shift_right(builder, a, amount, *sign))
}

fn shift_right(builder: &mut CircuitBuilder, a: &[Lit], amount: &[Lit], fill: Lit) -> Vec<Lit> {
    if builder.is_shallow() {
        return shallow::shift_right(builder, a, amount, fill);
    }
    let stages = a.len().next_power_of_two().trailing_zeros() as usize;
    let (low, high) = amount.split_at(stages.min(amount.len()));
    let mut word = a.to_vec();
    for (stage, condition) in low.iter().enumerate() {
        for bit in 0..word.len() {
            let from = word.get(bit + (1 << stage)).copied().unwrap_or(fill);
            word[bit] = builder.mux(*condition, from, word[bit]);
        }
    }
    let beyond = any(builder, high);
    word.iter().map(|bit| builder.mux(beyond, fill, *bit)).collect()
}
