//! Silent OT over a channel: results at both parties through several stages, and costs.

use crate::tap;
use crate::tap::{Edit, End, Trace};
use proptest::prelude::*;
use std::time::Duration;
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_net::NetError;
use tacit_ot::ferret::{self, Params, Set};
use tacit_ot::{OtError, softspoken};

const LIMIT: Duration = Duration::from_secs(60);
const SESSION: [u8; 32] = [5; 32];

fn prg(seed: u128) -> Prg {
    Prg::new(Block(seed))
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// A step of a party's session.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// OTs of one call.
    Extend(usize),
    /// Offers or accepts this many.
    Ahead(usize),
    /// The parties synchronise, so that later steps are at the same place.
    Meet,
}
use Step::{Ahead, Extend, Meet};

struct Correlated {
    delta: Block,
    sent: Vec<Block>,
    choices: Bits,
    received: Vec<Block>,
    trace: Trace,
}

async fn send(
    end: &mut End,
    params: Params,
    seed: u128,
    steps: &[Step],
) -> Result<(ferret::Sender, Vec<Block>), OtError> {
    let channel = &mut end.channel;
    let mut ots = ferret::Sender::setup(channel, params, &SESSION, &mut prg(seed)).await?;
    let mut all = Vec::new();
    for &step in steps {
        match step {
            Extend(count) => {
                let mut out = vec![Block::ONES; count];
                ots.extend(channel, &mut out).await?;
                all.extend(out);
            }
            Ahead(count) => ots.offer(channel, count, count).await?,
            Meet => channel.send(b"meet").await?,
        }
    }
    assert_eq!(ots.count(), all.len() as u64);
    channel.flush().await?;
    Ok((ots, all))
}

type Received = (ferret::Receiver, Bits, Vec<Block>);

async fn receive(end: &mut End, params: Params, seed: u128, steps: &[Step]) -> Result<Received, OtError> {
    let channel = &mut end.channel;
    let mut ots = ferret::Receiver::setup(channel, params, &SESSION, &mut prg(seed)).await?;
    let (mut choices, mut all) = (Bits::default(), Vec::new());
    for &step in steps {
        match step {
            Extend(count) => {
                let mut out = vec![Block::ONES; count];
                choices.extend_bits(&ots.extend(channel, &mut out).await?);
                all.extend(out);
            }
            Ahead(count) => ots.accept(channel, count, count).await?,
            Meet => assert_eq!(channel.receive(4).await?, b"meet"),
        }
    }
    assert_eq!(ots.count(), all.len() as u64);
    Ok((ots, choices, all))
}

async fn correlated(params: Params, seeds: [u128; 2], sent: &[Step], received: &[Step]) -> Correlated {
    let sender = async |mut end: End| {
        let (ots, all) = send(&mut end, params, seeds[0], sent).await.unwrap();
        end.channel.finish().await.unwrap();
        (ots.delta(), ots.salt(), all)
    };
    let receiver = async |mut end: End| {
        let (ots, choices, all) = receive(&mut end, params, seeds[1], received).await.unwrap();
        end.channel.finish().await.unwrap();
        (choices, ots.salt(), all)
    };
    let ((delta, salt, sent), (choices, other_salt, received), trace) =
        tap::run([Edit::None; 2], LIMIT, sender, receiver).await;
    assert_eq!(salt, other_salt);
    Correlated { delta, sent, choices, received, trace }
}

fn check(ots: &Correlated) {
    assert!(ots.delta.lsb());
    assert_eq!((ots.sent.len(), ots.sent.len()), (ots.received.len(), ots.choices.len()));
    for (i, ((q, t), c)) in ots.sent.iter().zip(&ots.received).zip(ots.choices.iter()).enumerate() {
        assert_eq!(*q ^ *t, ots.delta & Block::mask(c), "OT {i}");
        assert_eq!((q.lsb(), t.lsb()), (false, c), "OT {i}");
    }
}

/// Six standard deviations of a fair coin.
fn fair(ones: usize, total: usize) -> bool {
    (ones as f64 - total as f64 / 2.0).abs() < 3.0 * (total as f64).sqrt()
}

#[test]
fn blocks_are_correlated_at_every_size() {
    for params in Params::ALL {
        let leaves = params.set().leaves();
        for count in [0, 1, leaves - 1, leaves, 3 * leaves + 7] {
            check(&block_on(correlated(params, [1, 2], &[Extend(count)], &[Extend(count)])));
        }
    }
}

#[test]
fn stages_follow_one_another() {
    // Up to just before the end of a stage, past it, and a whole stage further.
    let usable = Set::SMALL.usable();
    let sent = [usable - 1, 1, 1, usable, 2000].map(Extend);
    let ots = block_on(correlated(Params::Small, [3, 4], &sent, &[Extend(2 * usable + 2001)]));
    check(&ots);
    let mut seen = std::collections::HashSet::new();
    assert!(ots.sent.iter().all(|block| seen.insert(*block)), "a block repeats");
}

#[test]
#[ignore = "ten million OTs"]
fn large_stages_follow_one_another() {
    let usable = Set::LARGE.usable();
    check(&block_on(correlated(
        Params::Large,
        [3, 4],
        &[Extend(usable + 9000)],
        &[Extend(usable), Extend(9000)],
    )));
}

/// The same OTs, whether they are offered ahead or not.
#[test]
fn what_is_offered_ahead_within_a_stage_changes_nothing() {
    let plain = [Extend(100_000)];
    let steps =
        [Ahead(5000), Meet, Extend(3000), Ahead(97_000), Meet, Extend(96_000), Ahead(1000), Extend(1000)];
    let (one, other) = block_on(async {
        let one = correlated(Params::Small, [3, 4], &plain, &plain).await;
        (one, correlated(Params::Small, [3, 4], &steps, &steps).await)
    });
    check(&other);
    assert!(one.sent == other.sent && one.choices == other.choices);
    assert_eq!(one.trace[0].bytes + 4 * 2, other.trace[0].bytes);
}

#[test]
fn what_is_offered_ahead_is_not_sent_again() {
    let usable = Set::SMALL.usable();
    let plain = [Extend(usable + 103_000)];
    // Past the end of a stage, more than is used, and in pieces.
    let steps = [
        Ahead(5000),
        Meet,
        Extend(3000),
        Ahead(usable),
        Meet,
        Extend(usable - 3000),
        Ahead(3000),
        Extend(100_000 + 3000),
        Meet,
    ];
    let (one, other) = block_on(async {
        let one = correlated(Params::Small, [3, 4], &plain, &plain).await;
        (one, correlated(Params::Small, [3, 4], &steps, &steps).await)
    });
    // The next stage starts from other OTs: from those that are next when one of its trees is first offered.
    check(&other);
    let mut seen = std::collections::HashSet::new();
    assert!(other.sent.iter().all(|block| seen.insert(*block)), "a block repeats");
    assert_eq!(one.trace[0].bytes + 4 * 3, other.trace[0].bytes);
}

#[test]
fn no_more_than_a_stage_is_offered() {
    let sender = async |mut end: End| {
        send(&mut end, Params::Small, 1, &[Ahead(Set::SMALL.usable() + 1)]).await.map(drop)
    };
    let receiver =
        async |mut end: End| receive(&mut end, Params::Small, 2, &[Ahead(usize::MAX)]).await.map(drop);
    let (sent, received, _) = block_on(tap::run([Edit::None; 2], LIMIT, sender, receiver));
    assert!(matches!(sent, Err(OtError::Shape { .. })), "{sent:?}");
    assert!(matches!(received, Err(OtError::Shape { .. })), "{received:?}");
}

#[test]
fn cost_is_exact() {
    for (params, counts) in [
        (Params::Small, &[0, 1, 511, 512, 513, 1024, 100_000, 449_536, 449_537, 700_000][..]),
        (Params::Large, &[0, 1, 8192, 8193, 300_000][..]),
    ] {
        for &count in counts {
            let trace = block_on(correlated(params, [1, 2], &[Extend(count)], &[Extend(count)])).trace;
            let (from_sender, from_receiver) = params.setup_bytes();
            assert_eq!(trace[1].bytes as u64, from_receiver);
            assert_eq!(
                trace[0].bytes as u64,
                from_sender + params.bytes(count as u64),
                "{params:?}, {count} OTs"
            );
        }
    }
    assert_eq!(Params::Small.setup_bytes(), (64_256, 42_272));
}

#[test]
fn ten_million_cost_at_most_two_fifths_of_a_bit_each() {
    let count = 10_000_000;
    let (from_sender, from_receiver) = Params::Large.setup_bytes();
    let bits = 8 * (from_sender + from_receiver + Params::Large.bytes(count));
    assert!(bits <= 4 * count / 10, "{bits} bits for {count} OTs");
}

#[test]
fn traffic_is_pinned_under_fixed_seeds() {
    let trace = block_on(correlated(Params::Small, [1, 2], &[Extend(3000)], &[Extend(3000)])).trace;
    let hashes = trace.map(|seen| seen.hash.finalize().to_hex()[..16].to_owned());
    assert_eq!(hashes, ["9a32f202684a46b1", "9f0f2b5623561ba0"]);
}

#[test]
fn choices_blocks_and_deltas_look_uniform() {
    let count = 1 << 16;
    let ots = block_on(correlated(Params::Large, [3, 4], &[Extend(count)], &[Extend(count)]));
    assert!(fair(ots.choices.count_ones(), count));
    for bit in 1..128 {
        assert!(fair(ots.sent.iter().filter(|block| block.bit(bit)).count(), count));
        assert!(fair(ots.received.iter().filter(|block| block.bit(bit)).count(), count));
    }
    for distance in 1..64 {
        let equal =
            (distance..count).filter(|&i| ots.choices.get(i) == ots.choices.get(i - distance)).count();
        assert!(fair(equal, count - distance), "choices {distance} apart");
    }
    let other = block_on(correlated(Params::Small, [5, 6], &[], &[]));
    assert!(fair((ots.delta ^ other.delta).0.count_ones() as usize, 127));
}

#[test]
fn a_session_that_has_served_can_start_silent_ots() {
    let sender = async |mut end: End| {
        let channel = &mut end.channel;
        let params = softspoken::Params::K4;
        let mut cot = softspoken::Sender::setup(channel, params, &SESSION, &mut prg(1)).await.unwrap();
        let mut out = vec![Block::ZERO; 1000];
        cot.extend(channel, &mut out).await.unwrap();
        let (delta, salt) = (cot.delta(), cot.salt());
        let mut ots = ferret::Sender::bootstrap(channel, Params::Small, cot).await.unwrap();
        assert_eq!(ots.delta(), delta.with_lsb());
        assert_ne!(ots.salt(), salt);
        ots.extend(channel, &mut out).await.unwrap();
        let delta = ots.delta();
        end.channel.finish().await.unwrap();
        (delta, out)
    };
    let receiver = async |mut end: End| {
        let channel = &mut end.channel;
        let params = softspoken::Params::K4;
        let mut cot = softspoken::Receiver::setup(channel, params, &SESSION, &mut prg(2)).await.unwrap();
        let mut out = vec![Block::ZERO; 1000];
        cot.extend(channel, &mut out).await.unwrap();
        let mut ots = ferret::Receiver::bootstrap(channel, Params::Small, cot).await.unwrap();
        let choices = ots.extend(channel, &mut out).await.unwrap();
        end.channel.finish().await.unwrap();
        (choices, out)
    };
    let ((delta, sent), (choices, received), trace) =
        block_on(tap::run([Edit::None; 2], LIMIT, sender, receiver));
    check(&Correlated { delta, sent, choices, received, trace });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn parties_may_split_calls_differently(
        sent in prop::collection::vec(0..9000usize, 1..6),
        received in prop::collection::vec(0..9000usize, 1..6),
    ) {
        // The same total at both: the party that asked for fewer makes one more call.
        let (a, b) = (sent.iter().sum::<usize>(), received.iter().sum::<usize>());
        let steps = |calls: Vec<usize>, missing: usize| -> Vec<Step> {
            calls.into_iter().chain([missing]).map(Extend).collect()
        };
        let (sent, received) = (steps(sent, b.saturating_sub(a)), steps(received, a.saturating_sub(b)));
        check(&block_on(correlated(Params::Small, [7, 8], &sent, &received)));
    }
}

/// A session whose link has a cut, a stall or a flipped bit.
async fn disturbed(edits: [Edit; 2]) -> [Result<(), OtError>; 2] {
    let steps = [Extend(3000), Ahead(3000), Extend(3000)];
    let sender = async |mut end: End| {
        send(&mut end, Params::Small, 1, &steps).await?;
        Ok(end.channel.finish().await?)
    };
    let receiver = async |mut end: End| {
        receive(&mut end, Params::Small, 2, &steps).await?;
        Ok(end.channel.finish().await?)
    };
    let (a, b, _) = tap::run(edits, Duration::from_millis(1500), sender, receiver).await;
    [a, b]
}

/// Bytes that each party sends in [`disturbed`].
fn sizes() -> [usize; 2] {
    let (from_sender, from_receiver) = Params::Small.setup_bytes();
    [from_sender + Params::Small.bytes(6000), from_receiver].map(|bytes| bytes as usize)
}

#[test]
fn a_cut_anywhere_is_an_error_at_both() {
    for (party, size) in sizes().into_iter().enumerate() {
        for at in [0, size / 5, size / 2, size - 1] {
            let mut edits = [Edit::None; 2];
            edits[party] = Edit::Cut(at);
            for ended in block_on(disturbed(edits)) {
                assert!(matches!(ended, Err(OtError::Net(_))), "party {party}, byte {at}: {ended:?}");
            }
        }
    }
}

#[test]
fn a_silent_peer_is_a_timeout() {
    for (party, size) in sizes().into_iter().enumerate() {
        let mut edits = [Edit::None; 2];
        edits[party] = Edit::Stall(size - 1);
        let ended = block_on(disturbed(edits));
        let waiting = &ended[1 - party];
        let timeout =
            matches!(waiting, Err(OtError::Net(NetError::Timeout { .. } | NetError::Closed { .. })));
        assert!(timeout, "party {party}: {waiting:?}");
    }
}

#[test]
fn a_flipped_bit_never_panics_or_hangs() {
    for (party, size) in sizes().into_iter().enumerate() {
        // All bytes after the points of the base OTs are masked by randomness, so a semi-honest peer cannot notice a flip.
        for at in [size / 2, size * 3 / 4, size - 1] {
            let mut edits = [Edit::None; 2];
            edits[party] = Edit::Flip(at);
            drop(block_on(disturbed(edits)));
        }
    }
}

#[tokio::test]
async fn a_peer_that_sends_too_much_or_too_little_is_an_error() {
    let more = [Extend(3000), Extend(3000)];
    let less = [Extend(3000)];
    for (sent, received) in [(&more[..], &less[..]), (&less[..], &more[..])] {
        let sender = async |mut end: End| {
            send(&mut end, Params::Small, 1, sent).await?;
            Ok::<_, OtError>(end.channel.finish().await?)
        };
        let receiver = async |mut end: End| {
            receive(&mut end, Params::Small, 2, received).await?;
            Ok::<_, OtError>(end.channel.finish().await?)
        };
        let (_, ended, _) = tap::run([Edit::None; 2], Duration::from_millis(1500), sender, receiver).await;
        assert!(matches!(ended, Err(OtError::Net(_))), "{ended:?}");
    }
}
