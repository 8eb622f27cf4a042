use super::shallow;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// The inclusive scan of `values` under the associative `combine`: sequentially, which takes the fewest
/// gates, or in parallel if layers count.
pub fn scan(
    builder: &mut CircuitBuilder,
    values: &[&[Lit]],
    mut combine: impl FnMut(&mut CircuitBuilder, &[Lit], &[Lit]) -> Vec<Lit>,
) -> Vec<Vec<Lit>> {
    if builder.is_shallow() {
        let words: Vec<Vec<Lit>> = values.iter().map(|value| value.to_vec()).collect();
        return shallow::prefixes(&words, 0, &mut |before, value| combine(builder, before, value));
    }
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
