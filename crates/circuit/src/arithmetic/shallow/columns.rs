use super::super::add::add_modulo;
use super::super::count::pair_up;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// As [`super::super::count::sum_columns`], layer by layer: three bits of a column become one of the same
/// column, without a layer, and a carry into the next, with one layer. So a layer about halves the tallest
/// column; each column is only reduced to that height. The two remaining words are added.
///
/// Source: Dadda, Some Schemes for Parallel Multipliers (1965). Differs: sums are used within the same layer.
pub(in super::super) fn sum_columns(
    builder: &mut CircuitBuilder,
    width: usize,
    ones: &[bool],
    mut fill: impl FnMut(&mut CircuitBuilder, usize, &mut Vec<Lit>),
) -> Vec<Lit> {
    let mut columns: Vec<Vec<Lit>> = vec![Vec::new(); width];
    for column in 0..width {
        let mut bucket = Vec::new();
        fill(builder, column, &mut bucket);
        bucket.append(&mut columns[column]);
        bucket.extend(ones.get(column).copied().filter(|one| *one).map(Lit::constant));
        let mut doubled = Vec::new();
        if pair_up(&mut bucket, &mut doubled) {
            bucket.push(Lit::TRUE);
        }
        columns[column] = bucket;
        if let Some(next) = columns.get_mut(column + 1) {
            next.append(&mut doubled);
        }
    }
    while let Some(height) = columns.iter().map(Vec::len).max().filter(|height| *height > 2) {
        columns = layer(builder, columns, lowered(height));
    }
    let row =
        |place: usize| columns.iter().map(move |column| column.get(place).copied().unwrap_or(Lit::FALSE));
    let (first, second): (Vec<Lit>, Vec<Lit>) = (row(0).collect(), row(1).collect());
    add_modulo(builder, &first, &second, Lit::FALSE)
}

/// The height to which one layer can reduce columns of a height.
fn lowered(height: usize) -> usize {
    (height + 2) / 2
}

/// The number of layers that reduce columns of a height to two words.
pub(in super::super) fn layers(height: u64) -> u64 {
    let mut height = height as usize;
    let mut layers = 0;
    while height > 2 {
        height = lowered(height);
        layers += 1;
    }
    layers
}

/// Reduces all columns to at most `height`.
fn layer(builder: &mut CircuitBuilder, columns: Vec<Vec<Lit>>, height: usize) -> Vec<Vec<Lit>> {
    let (mut carries, mut result) = (Vec::new(), Vec::with_capacity(columns.len()));
    let last = columns.len() - 1;
    for (place, mut column) in columns.into_iter().enumerate() {
        if place == last {
            column.append(&mut carries);
            result.push(vec![column.iter().fold(Lit::FALSE, |sum, bit| builder.xor(sum, *bit))]);
            break;
        }
        let mut excess = (column.len() + carries.len()).saturating_sub(height);
        let arrived = std::mem::take(&mut carries);
        // The deepest first, so that popping from the end takes the shallowest.
        column.sort_by_key(|lit| std::cmp::Reverse((builder.depth(*lit), *lit)));
        while excess > 0 && column.len() > 1 {
            let three = if excess > 1 { column.len().min(3) } else { 2 };
            let mut next = || column.pop().unwrap_or(Lit::FALSE);
            let (a, b, c) = (next(), next(), if three == 3 { next() } else { Lit::FALSE });
            let (sum, carry) = builder.full_adder(a, b, c);
            excess = excess.saturating_sub(three - 1);
            carries.push(carry);
            column.push(sum);
        }
        column.extend(arrived);
        result.push(column);
    }
    result
}
