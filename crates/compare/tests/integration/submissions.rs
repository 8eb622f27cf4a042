//! The check of submissions: valid ones pass, invalid ones do not.

use tacit_compare::{CompareError, Cost, Half, Results};

use crate::pair::{Pair, toy};

async fn check(pair: &mut Pair, halves: &[Vec<Half>; 2]) -> Vec<bool> {
    let [to_b, to_a] = &mut pair.channels;
    let (one, other) =
        tokio::join!(pair.server.check(to_b, &halves[0]), pair.assistant.check(to_a, &halves[1]));
    let one = one.unwrap();
    assert_eq!(one, other.unwrap());
    one
}

/// Halves that decode to these numbers modulo u, one for each bit.
fn halves(pair: &mut Pair, decoded: &[u8]) -> [Half; 2] {
    let u = pair.parameters.plaintexts() as u8;
    let own: Vec<u8> = decoded.iter().map(|_| (pair.prg.next_u64() % u64::from(u)) as u8).collect();
    let other: Vec<u8> = decoded.iter().zip(&own).map(|(m, a)| (m + u - a) % u).collect();
    [own, other].map(|shares| Half::from_bytes(&pair.parameters, &[&[9; 16], &shares[..]].concat()).unwrap())
}

#[tokio::test]
async fn right_submissions_pass_and_cost_what_is_announced() {
    let mut pair = Pair::new(toy(8, Results::Revealed)).await;
    pair.prepare();
    let sealed = pair.seal(&[0, 255, 1, 128, 77, 3, 4, 5, 6]);
    let sent = [0, 1].map(|i| pair.channels[i].bytes_sent() as usize);
    assert_eq!(check(&mut pair, &sealed).await, [true; 9]);
    let sent = [0, 1].map(|i| pair.channels[i].bytes_sent() as usize - sent[i]);
    let cost = Cost::check(&pair.parameters, 9);
    assert_eq!(sent, [cost.request_bytes + cost.verdict_bytes, cost.reply_bytes]);
}

#[tokio::test]
async fn every_single_wrong_digit_is_noticed() {
    let mut pair = Pair::new(toy(3, Results::Revealed)).await;
    for place in 0..3 {
        let wrong: Vec<[Half; 2]> = (2..pair.parameters.plaintexts() as u8)
            .map(|digit| {
                let mut decoded = [1, 0, 1];
                decoded[place] = digit;
                halves(&mut pair, &decoded)
            })
            .collect();
        let right = halves(&mut pair, &[1, 0, 1]);
        let (a, b) = wrong.into_iter().chain([right]).map(|[a, b]| (a, b)).unzip();
        pair.prepare();
        assert_eq!(check(&mut pair, &[a, b]).await, [false, false, false, false, false, true]);
    }
}

#[tokio::test]
async fn several_wrong_digits_do_not_cancel() {
    let mut pair = Pair::new(toy(4, Results::Revealed)).await;
    let u = pair.parameters.plaintexts() as u8;
    let wrong = [[2, u - 1, 0, 1], [u - 1, 2, u - 1, 2], [3, 3, 3, 3], [u - 1, u - 1, u - 1, u - 1]];
    let (a, b) = wrong.map(|decoded| halves(&mut pair, &decoded)).into_iter().map(|[a, b]| (a, b)).unzip();
    pair.prepare();
    assert_eq!(check(&mut pair, &[a, b]).await, [false; 4]);
}

#[tokio::test]
async fn halves_of_different_submissions_do_not_pass() {
    let mut pair = Pair::new(toy(16, Results::Revealed)).await;
    pair.prepare();
    let [a, b] = pair.seal(&[1000, 2000]);
    let renamed = |half: &Half| {
        let mut bytes = half.to_bytes();
        bytes[..16].fill(9);
        Half::from_bytes(&pair.parameters, &bytes).unwrap()
    };
    let a = a.iter().map(renamed).collect();
    let b = b.iter().rev().map(renamed).collect();
    assert_eq!(check(&mut pair, &[a, b]).await, [false, false]);
}

#[tokio::test]
async fn servers_that_check_different_submissions_stop() {
    let mut pair = Pair::new(toy(16, Results::Revealed)).await;
    pair.prepare();
    let [_, mut b] = pair.seal(&[1000, 2000]);
    let [a, _] = pair.seal(&[1000, 2000]);
    b.reverse();
    let [to_b, to_a] = &mut pair.channels;
    let refused = tokio::select! {
        biased;
        refused = pair.assistant.check(to_a, &b) => refused,
        _ = pair.server.check(to_b, &a) => panic!("the server is answered"),
    };
    assert!(matches!(refused, Err(CompareError::Disagree { .. })));
}
