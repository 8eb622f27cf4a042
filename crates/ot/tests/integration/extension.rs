//! Extension, hashing and correction over a channel: results at both parties, and costs.

use crate::tap;
use crate::tap::{Edit, Trace};
use proptest::prelude::*;
use std::collections::HashSet;
use std::time::Duration;
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_ot::softspoken::Params;
use tacit_ot::{chosen, rot, softspoken};

const LIMIT: Duration = Duration::from_secs(30);
const SESSION: [u8; 32] = [5; 32];

fn prg(seed: u128) -> Prg {
    Prg::new(Block(seed))
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

struct Correlated {
    delta: Block,
    sent: Vec<Block>,
    choices: Bits,
    received: Vec<Block>,
    trace: Trace,
}

/// Correlated OTs in calls of these sizes at sender and receiver.
async fn correlated(params: Params, seeds: [u128; 2], sent: &[usize], received: &[usize]) -> Correlated {
    let sender = async |mut end: tap::End| {
        let mut ots =
            softspoken::Sender::setup(&mut end.channel, params, &SESSION, &mut prg(seeds[0])).await.unwrap();
        let mut all = Vec::new();
        for &count in sent {
            let mut out = vec![Block::ZERO; count];
            ots.extend(&mut end.channel, &mut out).await.unwrap();
            all.extend(out);
        }
        assert_eq!(ots.count(), all.len() as u64);
        end.channel.finish().await.unwrap();
        (ots.delta(), ots.salt(), all)
    };
    let receiver = async |mut end: tap::End| {
        let mut ots = softspoken::Receiver::setup(&mut end.channel, params, &SESSION, &mut prg(seeds[1]))
            .await
            .unwrap();
        let (mut choices, mut all) = (Bits::default(), Vec::new());
        for &count in received {
            let mut out = vec![Block::ZERO; count];
            choices.extend_bits(&ots.extend(&mut end.channel, &mut out).await.unwrap());
            all.extend(out);
        }
        end.channel.finish().await.unwrap();
        (choices, ots.salt(), all)
    };
    let ((delta, salt, sent), (choices, other_salt, received), trace) =
        tap::run([Edit::None; 2], LIMIT, sender, receiver).await;
    assert_eq!(salt, other_salt);
    Correlated { delta, sent, choices, received, trace }
}

fn check_correlation(ots: &Correlated) {
    assert_eq!(ots.sent.len(), ots.received.len());
    assert_eq!(ots.sent.len(), ots.choices.len());
    for ((q, t), c) in ots.sent.iter().zip(&ots.received).zip(ots.choices.iter()) {
        assert_eq!(*q ^ *t, ots.delta & Block::mask(c));
    }
}

#[test]
fn blocks_are_correlated_for_every_parameter() {
    for params in Params::ALL {
        block_on(async {
            for count in [0, 1, 127, 128, 129, 2048, 2049, 5000] {
                check_correlation(&correlated(params, [1, 2], &[count], &[count]).await);
            }
        });
    }
}

#[test]
fn parties_may_split_calls_differently() {
    for params in [Params::K1, Params::K4] {
        block_on(async {
            let one = correlated(params, [1, 2], &[5000], &[1, 2, 4000, 0, 997]).await;
            let other = correlated(params, [1, 2], &[100, 200, 4000, 700], &[5000]).await;
            check_correlation(&one);
            check_correlation(&other);
            assert_eq!((one.sent, one.choices), (other.sent, other.choices));
        });
    }
}

#[test]
fn cost_is_exact() {
    for params in Params::ALL {
        for (count, granules) in [(0, 0), (128, 1), (2048, 16), (1 << 14, 128), (129, 2)] {
            let trace = block_on(correlated(params, [1, 2], &[count], &[count])).trace;
            let (from_sender, from_receiver) = params.setup_bytes();
            let extension = 128 / 8 * (128 / params.k() - 1) * granules;
            assert_eq!(trace[0].bytes as u64, from_sender);
            assert_eq!(trace[1].bytes as u64, from_receiver + extension as u64);
            assert_eq!(params.bytes(count as u64), extension as u64);
        }
    }
}

#[test]
fn traffic_is_pinned_under_fixed_seeds() {
    let trace = block_on(correlated(Params::K4, [1, 2], &[3000], &[3000])).trace;
    let hashes = trace.map(|seen| seen.hash.finalize().to_hex()[..16].to_owned());
    assert_eq!(hashes, ["324720677ae511ed", "600c058aaf61ca5b"]);
}

#[test]
fn choices_blocks_and_deltas_look_uniform() {
    let count = 1 << 15;
    let ots = block_on(correlated(Params::K4, [3, 4], &[count], &[count]));
    // Six standard deviations of a fair coin.
    let fair =
        |ones: usize, total: usize| (ones as f64 - total as f64 / 2.0).abs() < 3.0 * (total as f64).sqrt();
    assert!(fair(ots.choices.count_ones(), count));
    for bit in 0..128 {
        assert!(fair(ots.sent.iter().filter(|block| block.bit(bit)).count(), count));
        assert!(fair(ots.received.iter().filter(|block| block.bit(bit)).count(), count));
    }
    let other = block_on(correlated(Params::K4, [5, 6], &[128], &[128]));
    assert_ne!(ots.delta, other.delta);
    assert!(fair((ots.delta ^ other.delta).0.count_ones() as usize, 128));
}

type Random = ((Vec<Block>, Vec<Block>), (Bits, Vec<Block>));

/// Random OTs in calls of these sizes at sender and receiver.
async fn random(seeds: [u128; 2], sent: &[usize], received: &[usize]) -> Random {
    let sender = async |mut end: tap::End| {
        let mut ots =
            rot::Sender::setup(&mut end.channel, Params::K4, &SESSION, &mut prg(seeds[0])).await.unwrap();
        let (mut zeros, mut ones) = (Vec::new(), Vec::new());
        for &count in sent {
            let (mut zero, mut one) = (vec![Block::ZERO; count], vec![Block::ZERO; count]);
            ots.extend(&mut end.channel, &mut zero, &mut one).await.unwrap();
            zeros.extend(zero);
            ones.extend(one);
        }
        (zeros, ones)
    };
    let receiver = async |mut end: tap::End| {
        let mut ots =
            rot::Receiver::setup(&mut end.channel, Params::K4, &SESSION, &mut prg(seeds[1])).await.unwrap();
        let (mut choices, mut all) = (Bits::default(), Vec::new());
        for &count in received {
            let mut out = vec![Block::ZERO; count];
            choices.extend_bits(&ots.extend(&mut end.channel, &mut out).await.unwrap());
            all.extend(out);
        }
        end.channel.flush().await.unwrap();
        (choices, all)
    };
    let (sent, received, _) = tap::run([Edit::None; 2], LIMIT, sender, receiver).await;
    (sent, received)
}

fn check_random(((zeros, ones), (choices, received)): &Random) {
    assert_eq!((zeros.len(), received.len()), (choices.len(), choices.len()));
    for (i, choice) in choices.iter().enumerate() {
        assert_eq!(if choice { ones[i] } else { zeros[i] }, received[i]);
    }
}

#[test]
fn random_blocks_never_repeat_over_calls_and_sessions() {
    let mut seen = HashSet::new();
    for seeds in [[1, 2], [1, 3], [4, 5]] {
        let ots = block_on(random(seeds, &[3000, 1, 126, 5000], &[127, 8000]));
        check_random(&ots);
        let ((zeros, ones), _) = ots;
        assert!(zeros.iter().chain(&ones).all(|block| seen.insert(*block)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn random_ots_agree_however_calls_are_split(
        sent in prop::collection::vec(0..3000usize, 1..6),
        received in prop::collection::vec(0..3000usize, 1..6),
    ) {
        // The same total at both: the party that asked for fewer makes one more call.
        let (a, b) = (sent.iter().sum::<usize>(), received.iter().sum::<usize>());
        let sent = [sent, vec![b.saturating_sub(a)]].concat();
        let received = [received, vec![a.saturating_sub(b)]].concat();
        check_random(&block_on(random([7, 8], &sent, &received)));
    }

    #[test]
    fn chosen_ots_deliver_what_is_chosen(seed: u128, count in 0..300usize) {
        let mut values = prg(seed);
        let zeros: Vec<Block> = (0..count).map(|_| values.next_block()).collect();
        let ones: Vec<Block> = (0..count).map(|_| values.next_block()).collect();
        let choices = values.next_bits(count);
        let sender = async |mut end: tap::End| {
            let mut ots = rot::Sender::setup(&mut end.channel, Params::K2, &SESSION, &mut prg(1)).await.unwrap();
            chosen::send(&mut end.channel, &mut ots, &zeros, &ones).await.unwrap();
            end.channel.finish().await.unwrap();
        };
        let receiver = async |mut end: tap::End| {
            let mut ots = rot::Receiver::setup(&mut end.channel, Params::K2, &SESSION, &mut prg(2)).await.unwrap();
            let mut out = vec![Block::ZERO; count];
            chosen::receive(&mut end.channel, &mut ots, &choices, &mut out).await.unwrap();
            end.channel.finish().await.unwrap();
            out
        };
        let (_, out, _) = block_on(tap::run([Edit::None; 2], LIMIT, sender, receiver));
        for (i, choice) in choices.iter().enumerate() {
            prop_assert_eq!(out[i], if choice { ones[i] } else { zeros[i] });
        }
    }
}
