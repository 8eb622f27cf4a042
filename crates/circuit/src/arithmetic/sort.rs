use super::minimum::less;
use super::select::exchange;
use super::{constant, lookup};
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// Sorts by key, ascending and stable, and moves payloads along. The result is the keys, then the payloads.
///
/// Source: Batcher's merge exchange (Knuth, The Art of Computer Programming 3, 5.2.2 M) with positions below
/// the keys to make it stable, or, if that is cheaper, exchanges of neighbours. Cost: for each comparator,
/// one comparison and one multiplexer of everything that moves.
pub fn sort(
    builder: &mut CircuitBuilder,
    keys: &[&[Lit]],
    payloads: &[&[Lit]],
    signed: bool,
) -> (Vec<Vec<Lit>>, Vec<Vec<Lit>>) {
    let (count, width) = (keys.len(), keys.first().map_or(0, |key| key.len()));
    let payload_width = payloads.first().map_or(0, |payload| payload.len());
    let position_width =
        if payload_width == 0 { 0 } else { count.next_power_of_two().trailing_zeros() as usize };
    let network: Vec<(usize, usize)> = merge_exchange_passes(count).flatten().collect();
    let cost = |comparators: usize, position: usize| comparators * (2 * (width + position) + payload_width);
    let neighbours = !builder.is_shallow()
        && cost(count * count.saturating_sub(1) / 2, 0) <= cost(network.len(), position_width);
    let (network, position_width) = match neighbours {
        true => (neighbour_exchange(count).collect(), 0),
        false => (network, position_width),
    };
    let mut items: Vec<Item> = (0..count)
        .map(|index| Item {
            key: [constant(index as u128, position_width as u32), keys[index].to_vec()].concat(),
            payload: payloads.get(index).map_or(Vec::new(), |payload| payload.to_vec()),
        })
        .collect();
    for (low, high) in network {
        compare_exchange(builder, &mut items, (low, high), signed);
    }
    items.into_iter().map(|item| (item.key[position_width..].to_vec(), item.payload)).unzip()
}

struct Item {
    key: Vec<Lit>,
    payload: Vec<Lit>,
}

fn compare_exchange(
    builder: &mut CircuitBuilder,
    items: &mut [Item],
    (low, high): (usize, usize),
    signed: bool,
) -> Lit {
    let swap = less(builder, &items[high].key, &items[low].key, signed);
    let (first, second) = exchange(builder, swap, &items[low].key, &items[high].key);
    (items[low].key, items[high].key) = (first, second);
    let (first, second) = exchange(builder, swap, &items[low].payload, &items[high].payload);
    (items[low].payload, items[high].payload) = (first, second);
    swap
}

/// The comparators of Batcher's merge exchange for any number of items, in passes of comparators without
/// common items.
pub fn merge_exchange_passes(count: usize) -> impl Iterator<Item = Vec<(usize, usize)>> {
    let top = count.next_power_of_two() / 2;
    let powers = |from: usize| {
        std::iter::successors(Some(from), |power| Some(power / 2)).take_while(|power| *power > 0)
    };
    powers(top).flat_map(move |p| {
        // Knuth's q runs from the top power down to p; the distance is p at first, then the previous q minus
        // p.
        powers(top).take_while(move |q| *q >= p).map(move |q| {
            let (distance, residue) = if q == top { (p, 0) } else { (2 * q - p, p) };
            let low = (0..count.saturating_sub(distance)).filter(|i| i & p == residue);
            low.map(|i| (i, i + distance)).collect()
        })
    })
}

/// Comparators of neighbours only, which keep equal keys in order.
fn neighbour_exchange(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..count).flat_map(|end| (0..end).rev().map(|low| (low, low + 1)))
}

/// Result `i` is value `order[i]`; `order` is a secret permutation, each word of `ceil(log2 n)` bits, at least 1.
/// If it is not a permutation, the result depends only on the order.
///
/// The cheaper of two ways: a lookup for every result, or a network that sorts the order, run backwards on
/// the values. Cost: at most `n (n - 1)` multiplexers; for many values about `n log²(n) / 4` exchanges.
pub fn permute(builder: &mut CircuitBuilder, values: &[&[Lit]], order: &[&[Lit]]) -> Vec<Vec<Lit>> {
    let (count, width) = (values.len(), values.first().map_or(0, |value| value.len()));
    let network: Vec<(usize, usize)> = merge_exchange_passes(count).flatten().collect();
    let order_width = order.first().map_or(0, |position| position.len());
    if count * count.saturating_sub(1) * width <= network.len() * (2 * order_width + width) {
        return order.iter().map(|position| lookup(builder, values, position)).collect();
    }
    let mut items: Vec<Item> =
        order.iter().map(|position| Item { key: position.to_vec(), payload: Vec::new() }).collect();
    let swaps: Vec<Lit> =
        network.iter().map(|pair| compare_exchange(builder, &mut items, *pair, false)).collect();
    let mut result: Vec<Vec<Lit>> = values.iter().map(|value| value.to_vec()).collect();
    for ((low, high), swap) in network.into_iter().zip(swaps).rev() {
        let (first, second) = exchange(builder, swap, &result[low], &result[high]);
        (result[low], result[high]) = (first, second);
    }
    result
}
