use super::compare::{less_signed, less_unsigned};
use super::select::select;
use super::{constant, shallow};
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

/// Whether `a < b`, with or without a sign. Cost: `n` ANDs.
pub fn less(builder: &mut CircuitBuilder, a: &[Lit], b: &[Lit], signed: bool) -> Lit {
    match signed {
        true => less_signed(builder, a, b),
        false => less_unsigned(builder, a, b),
    }
}

/// The minimum and the position of its first occurrence, in `position_width` bits. Cost: as [`first_minimum`]; the
/// positions of early rounds fold away.
pub fn argument_of_minimum(
    builder: &mut CircuitBuilder,
    values: &[&[Lit]],
    signed: bool,
    position_width: usize,
) -> (Vec<Lit>, Vec<Lit>) {
    let positions: Vec<Vec<Lit>> =
        (0..values.len()).map(|position| constant(position as u128, position_width as u32)).collect();
    let items: Vec<_> =
        values.iter().zip(&positions).map(|(value, position)| (*value, &position[..])).collect();
    first_minimum(builder, &items, signed)
}

/// A word to compare, and the word beside it.
pub(super) type Item = (Vec<Lit>, Vec<Lit>);

/// The minimum and the word that belongs to its first occurrence. Cost: one comparison and one multiplexer of
/// both words for each item after the first.
pub fn first_minimum(
    builder: &mut CircuitBuilder,
    items: &[(&[Lit], &[Lit])],
    signed: bool,
) -> (Vec<Lit>, Vec<Lit>) {
    let mut round: Vec<Item> =
        items.iter().map(|(value, beside)| (value.to_vec(), beside.to_vec())).collect();
    while round.len() > 1 {
        let group = if builder.is_shallow() { shallow::minimum::group(round.len(), items.len()) } else { 2 };
        round = round.chunks(group).map(|items| first_of(builder, items, signed)).collect();
    }
    round.pop().unwrap_or_default()
}

/// As [`first_minimum`], with all comparisons of pairs given: those of the second item with the first, of the third with the
/// first and the second, and so on, each whether the later item is less. Layers: `ceil(log2 n) + 1`. Cost: `n - 2` ANDs and a
/// multiplexer of both words for each item after the first.
pub fn first_by_pairs(
    builder: &mut CircuitBuilder,
    pairs: &[Lit],
    items: &[(&[Lit], &[Lit])],
) -> (Vec<Lit>, Vec<Lit>) {
    let items: Vec<Item> = items.iter().map(|(value, beside)| (value.to_vec(), beside.to_vec())).collect();
    let mut rest = pairs.iter().copied();
    let later: Vec<Vec<Lit>> = (0..items.len()).map(|number| rest.by_ref().take(number).collect()).collect();
    shallow::minimum::first_by_pairs(builder, &later, &items)
}

/// The first minimum of a few items.
fn first_of(builder: &mut CircuitBuilder, items: &[Item], signed: bool) -> Item {
    match items {
        [one] => one.clone(),
        [left, right] => {
            let right_wins = less(builder, &right.0, &left.0, signed);
            let value = select(builder, right_wins, &right.0, &left.0);
            (value, select(builder, right_wins, &right.1, &left.1))
        }
        _ => shallow::minimum::first_of(builder, items, signed),
    }
}
