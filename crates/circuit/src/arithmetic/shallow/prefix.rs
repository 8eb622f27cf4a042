/// For every item, the combination of it and all previous items, by an associative operation whose first
/// argument is the earlier part.
///
/// Takes `ceil(log2 n) + slack` layers of the operation; the last result takes `ceil(log2 n)`. Cost: fewer than `4n`
/// operations without slack, fewer than `3n` with one layer of it.
/// Source: Ladner and Fischer, Parallel Prefix Computation (1980).
pub(in super::super) fn prefixes<T: Clone>(
    items: &[T],
    slack: u32,
    combine: &mut impl FnMut(&T, &T) -> T,
) -> Vec<T> {
    let n = items.len();
    if n <= 1 {
        return items.to_vec();
    }
    if slack > 0 {
        return in_pairs(items, slack, combine);
    }
    let half = n.next_power_of_two() / 2;
    let (low, high) = items.split_at(half);
    let mut results = prefixes(low, 1, combine);
    let before = results[half - 1].clone();
    let high = prefixes(high, layers(half) - layers(n - half), combine);
    results.extend(high.iter().map(|one| combine(&before, one)));
    results
}

/// Neighbours first, then the prefixes of pairs, then those that end within a pair.
fn in_pairs<T: Clone>(items: &[T], slack: u32, combine: &mut impl FnMut(&T, &T) -> T) -> Vec<T> {
    let mut pairs = Vec::with_capacity(items.len().div_ceil(2));
    for pair in items.chunks(2) {
        pairs.push(match pair {
            [low, high] => combine(low, high),
            _ => pair[0].clone(),
        });
    }
    let inner = prefixes(&pairs, slack - 1, combine);
    let result = |place: usize| match (place % 2, place) {
        (0, 0) => items[0].clone(),
        (0, _) if place + 1 < items.len() => combine(&inner[place / 2 - 1], &items[place]),
        _ => inner[place / 2].clone(),
    };
    (0..items.len()).map(result).collect()
}

/// `ceil(log2 n)`.
fn layers(n: usize) -> u32 {
    n.next_power_of_two().trailing_zeros()
}
