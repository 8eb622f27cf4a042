use super::compare::{less_signed, less_unsigned};
use super::select::select;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// The smaller of two words. Cost: `2n` ANDs.
pub fn minimum(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit], signed: bool) -> Vec<Lit> {
    let less = less(builder, b, a, signed);
    select(builder, less, b, a)
}

/// The larger of two words. Cost: `2n` ANDs.
pub fn maximum(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit], signed: bool) -> Vec<Lit> {
    let less = less(builder, a, b, signed);
    select(builder, less, b, a)
}

/// Whether `a < b`, with or without a sign.
pub(super) fn less(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit], signed: bool) -> Lit {
    match signed {
        true => less_signed(builder, a, b),
        false => less_unsigned(builder, a, b),
    }
}

/// The minimum and the position of its first occurrence, in `position_width` bits. Cost: one comparison and one
/// multiplexer of word and position for each value after the first; the positions of early rounds fold away.
pub fn argument_of_minimum(
    builder: &mut CircuitBuilder,
    values: &[&[Lit]],
    signed: bool,
    position_width: usize,
) -> (Vec<Lit>, Vec<Lit>) {
    let mut round: Vec<(Vec<Lit>, Vec<Lit>)> =
        values.iter().map(|value| (value.to_vec(), vec![Lit::FALSE; position_width])).collect();
    for level in 0.. {
        if round.len() <= 1 {
            break;
        }
        let play = |pair: &[(Vec<Lit>, Vec<Lit>)]| match pair {
            [(left, low), (right, high)] => {
                let right_wins = less(builder, right, left, signed);
                let mut position = select(builder, right_wins, high, low);
                if let Some(bit) = position.get_mut(level) {
                    *bit = right_wins;
                }
                (select(builder, right_wins, right, left), position)
            }
            _ => pair[0].clone(),
        };
        round = round.chunks(2).map(play).collect();
    }
    round.pop().unwrap_or_default()
}
