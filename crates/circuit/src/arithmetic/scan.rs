use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// The inclusive scan of `values` under `combine`, one after the other, which takes the fewest gates.
pub fn scan(
    builder: &mut CircuitBuilder,
    values: &[&[Lit]],
    mut combine: impl FnMut(&mut CircuitBuilder, &[Lit], &[Lit]) -> Vec<Lit>,
) -> Vec<Vec<Lit>> {
    let mut result: Vec<Vec<Lit>> = Vec::with_capacity(values.len());
    for value in values {
        let next = match result.last() {
            Some(before) => combine(builder, before, value),
            None => value.to_vec(),
        };
        result.push(next);
    }
    result
}
