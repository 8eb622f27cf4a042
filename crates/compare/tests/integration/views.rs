//! Each server's view, compared with what the server may see.

use std::collections::BTreeSet;
use std::time::Duration;

use tacit_compare::{Inputs, Relation, Results, seal};
use tacit_he::dgk::{Ciphertext, SecretKey};
use tacit_he::{Natural, PublicKey as _, SecretKey as _, Threads};

use crate::pair::{Pair, toy};
use crate::tap::{self, Edit};

/// Bytes before the ciphertexts of a message, and before the shares of a half.
const TAG: usize = 16;

const LIMIT: Duration = Duration::from_secs(30);

fn key(pair: &Pair) -> SecretKey {
    SecretKey::from_bytes(&pair.parameters.key(), &pair.server.key_bytes()).unwrap()
}

/// The ciphertexts sent in each direction when one bid is compared with one price, `count` times.
async fn traffic(
    pair: &mut Pair,
    key: &SecretKey,
    results: Results,
    bid: u64,
    price: u64,
    count: usize,
) -> [Vec<Ciphertext>; 2] {
    pair.prepare();
    let [a, b] = pair.seal(&vec![bid; count]);
    let prices = vec![price; count];
    let [a, b] = [&a, &b].map(|bids| Inputs::Prices { bids, prices: &prices });
    let (server, assistant) = (&mut pair.server, &mut pair.assistant);
    let first = |mut end: tap::End| async move {
        match results {
            Results::Revealed => server.reveal(&mut end.channel, Relation::Greater, a).await.unwrap(),
            Results::Shared => server.share(&mut end.channel, Relation::Greater, a).await.unwrap().to_vec(),
        };
        end
    };
    let second = |mut end: tap::End| async move {
        match results {
            Results::Revealed => assistant.reveal(&mut end.channel, Relation::Greater, b).await.unwrap(),
            Results::Shared => {
                assistant.share(&mut end.channel, Relation::Greater, b).await.map(drop).unwrap()
            }
        }
        end
    };
    let (_, _, trace) = tap::run([Edit::None; 2], LIMIT, first, second).await;
    trace.map(|seen| {
        let bytes = &seen.content[TAG..];
        key.public().decode(bytes.len() / key.public().ciphertext_bytes(), bytes).unwrap()
    })
}

/// How often each number is at each place of a reply that the server decrypts.
async fn histogram(pair: &mut Pair, results: Results, bid: u64, price: u64, places: usize) -> Vec<Vec<u32>> {
    let key = key(pair);
    let mut counts = vec![vec![0; pair.parameters.plaintexts() as usize]; places];
    for _ in 0..6 {
        let [_, reply] = traffic(pair, &key, results, bid, price, 500).await;
        let plains = key.decrypt_all(&reply, Threads::ONE).unwrap();
        for (i, plain) in plains.iter().enumerate() {
            counts[i % places][plain.to_u64().unwrap() as usize] += 1;
        }
    }
    counts
}

/// Within six standard deviations of what a binomial distribution expects.
fn likely(count: u32, trials: f64, probability: f64) -> bool {
    let (mean, deviation) = (trials * probability, (trials * probability * (1.0 - probability)).sqrt());
    (f64::from(count) - mean).abs() <= 6.0 * deviation + 1e-9
}

#[tokio::test]
async fn the_server_decrypts_uniform_numbers_and_a_zero_at_a_uniform_place() {
    let mut pair = Pair::new(toy(4, Results::Revealed)).await;
    let u = pair.parameters.plaintexts() as usize;
    // Decided at the highest bit, at the lowest, equal, less.
    for (bid, price, zeros) in [(15, 0, 0.25), (9, 8, 0.25), (6, 6, 0.0), (0, 15, 0.0), (5, 6, 0.0)] {
        let counts = histogram(&mut pair, Results::Revealed, bid, price, 4).await;
        for place in &counts {
            assert!(likely(place[0], 3000.0, zeros), "{bid} {price} {counts:?}");
            let other = (1.0 - zeros) / (u - 1) as f64;
            assert!(place[1..].iter().all(|count| likely(*count, 3000.0, other)), "{bid} {price} {counts:?}");
        }
    }
}

#[tokio::test]
async fn of_a_shared_result_the_server_decrypts_the_same_whatever_it_is() {
    let mut pair = Pair::new(toy(3, Results::Shared)).await;
    let u = pair.parameters.plaintexts() as usize;
    for (bid, price) in [(7, 0), (5, 4), (4, 4), (0, 7)] {
        let counts = histogram(&mut pair, Results::Shared, bid, price, 4).await;
        for place in &counts {
            assert!(likely(place[0], 3000.0, 0.125), "{bid} {price} {counts:?}");
            let other = 0.875 / (u - 1) as f64;
            assert!(place[1..].iter().all(|count| likely(*count, 3000.0, other)), "{bid} {price} {counts:?}");
        }
    }
}

/// With one power of h for two ciphertexts, their u-th powers would be equal.
#[tokio::test]
async fn what_was_prepared_is_spent_once_and_the_assistant_sees_fresh_ciphertexts() {
    let mut pair = Pair::new(toy(4, Results::Revealed)).await;
    let key = key(&pair);
    let u = Natural::from(u64::from(pair.parameters.plaintexts()));
    let mut seen = BTreeSet::new();
    let mut total = 0;
    for _ in 0..3 {
        for ciphertexts in traffic(&mut pair, &key, Results::Revealed, 9, 8, 50).await {
            total += ciphertexts.len();
            for ciphertext in &ciphertexts {
                let power = key.public().multiply(ciphertext, &u).unwrap();
                seen.insert(key.public().encode(&[power]).unwrap());
            }
        }
    }
    assert_eq!((total, seen.len()), (3 * 2 * 50 * 4, total));
}

#[tokio::test]
async fn each_half_of_a_sealed_number_is_uniform() {
    let mut pair = Pair::new(toy(2, Results::Revealed)).await;
    let u = pair.parameters.plaintexts() as usize;
    for number in 0..4 {
        let mut counts = vec![[0u32; 4]; u];
        for _ in 0..4000 {
            let halves = seal(&pair.parameters, number, &mut pair.prg).unwrap();
            for (i, half) in halves.iter().enumerate() {
                let bytes = half.to_bytes();
                (0..2).for_each(|bit| counts[usize::from(bytes[TAG + bit])][2 * i + bit] += 1);
            }
        }
        assert!(counts.iter().flatten().all(|count| likely(*count, 4000.0, 1.0 / u as f64)), "{counts:?}");
    }
}
