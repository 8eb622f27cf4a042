use super::add::add_modulo;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// `t` if the condition is 1, else `f`. Cost: `n` ANDs.
pub fn select(builder: &mut CircuitBuilder, condition: Lit, t: &[Lit], f: &[Lit]) -> Vec<Lit> {
    t.iter().zip(f).map(|(t, f)| builder.mux(condition, *t, *f)).collect()
}

/// The two words, exchanged if the condition is 1. Cost: `n` ANDs for both.
pub fn exchange(builder: &mut CircuitBuilder, condition: Lit, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let pair = |(a, b): (&Lit, &Lit)| {
        let difference = builder.xor(*a, *b);
        let change = builder.and(condition, difference);
        (builder.xor(*a, change), builder.xor(*b, change))
    };
    a.iter().zip(b).map(pair).unzip()
}

/// The additive inverse if the condition is 1, else the word. Cost: `n - 1` ANDs.
pub fn negate_if(builder: &mut CircuitBuilder, condition: Lit, a: &[Lit]) -> Vec<Lit> {
    let flipped: Vec<Lit> = a.iter().map(|bit| builder.xor(*bit, condition)).collect();
    add_modulo(builder, &flipped, &vec![Lit::FALSE; a.len()], condition)
}

/// The absolute value of a signed word, as an unsigned one. Cost: `n - 1` ANDs.
pub fn absolute(builder: &mut CircuitBuilder, a: &[Lit]) -> Vec<Lit> {
    a.last().map_or(Vec::new(), |sign| negate_if(builder, *sign, a))
}
