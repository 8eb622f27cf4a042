//! Comparisons of numbers whose difference is masked modulo any number.

use tacit_compare::{CompareError, Cost, Results};

use crate::pair::{Pair, toy};

async fn compare(pair: &mut Pair, modulus: u128, sums: &[u128], masks: &[u128]) -> Vec<bool> {
    let [to_b, to_a] = &mut pair.channels;
    let (one, other) = tokio::join!(
        pair.server.compare_masked(to_b, modulus, sums),
        pair.assistant.compare_masked(to_a, modulus, masks)
    );
    one.unwrap().iter().zip(other.unwrap().iter()).map(|(one, other)| one ^ other).collect()
}

#[tokio::test]
async fn all_pairs_under_all_masks() {
    let (bits, modulus) = (2, 23u128);
    let mut pair = Pair::new(toy(bits, Results::Shared)).await;
    for (x, y) in (0..4u128).flat_map(|x| (0..4).map(move |y| (x, y))) {
        pair.prepare();
        let masks: Vec<u128> = (0..modulus).collect();
        let sums: Vec<u128> = masks.iter().map(|mask| (x + 4 - y + mask) % modulus).collect();
        assert_eq!(compare(&mut pair, modulus, &sums, &masks).await, vec![x >= y; 23], "{x} {y}");
    }
}

#[tokio::test]
async fn wide_moduli_and_the_announced_cost() {
    let mut pair = Pair::new(toy(32, Results::Shared)).await;
    pair.prepare();
    let modulus = u128::MAX - 158;
    let [low, high] = [5u128, modulus - 3];
    let numbers = [(7u128, 7u128), (u128::from(u32::MAX), 0), (0, u128::from(u32::MAX))];
    let cases: Vec<_> = numbers.iter().flat_map(|(x, y)| [(*x, *y, low), (*x, *y, high)]).collect();
    let sum = |(x, y, mask): &(u128, u128, u128)| {
        let difference = x + (1 << 32) - y;
        if difference >= modulus - mask { difference - (modulus - mask) } else { difference + mask }
    };
    let sums: Vec<u128> = cases.iter().map(sum).collect();
    let masks: Vec<u128> = cases.iter().map(|case| case.2).collect();
    let before = [0, 1].map(|i| pair.channels[i].bytes_sent() as usize);
    assert_eq!(compare(&mut pair, modulus, &sums, &masks).await, [true, true, true, true, false, false]);
    let sent = [0, 1].map(|i| pair.channels[i].bytes_sent() as usize - before[i]);
    let cost = Cost::masked(&pair.parameters, 6);
    assert_eq!(sent, [cost.request_bytes, cost.reply_bytes]);
}

#[tokio::test]
async fn small_moduli_and_numbers_beyond_are_refused() {
    let mut pair = Pair::new(toy(4, Results::Shared)).await;
    for (modulus, number) in [(64, 1), (67, 67), (0, 0)] {
        let refused = pair.server.compare_masked(&mut pair.channels[0], modulus, &[number]).await;
        assert!(matches!(refused, Err(CompareError::Modulus { bits: 4, .. })));
    }
    let mut pair = Pair::new(toy(4, Results::Revealed)).await;
    let refused = pair.assistant.compare_masked(&mut pair.channels[1], 101, &[1]).await;
    assert!(matches!(refused, Err(CompareError::Revealed)));
}
