//! Invalid inputs and messages end a comparison with an error that names them, and nobody waits forever.

use std::time::Duration;

use tacit_compare::{Assistant, CompareError, Cost, Form, Half, Inputs, Relation, Results, Server, seal};
use tacit_he::{HeError, Threads};
use tacit_net::NetError;

use crate::pair::{Pair, channels, toy};
use crate::tap::{self, Edit, End};

const BITS: u32 = 4;

async fn pair() -> (Pair, [Vec<Half>; 2]) {
    let mut pair = Pair::new(toy(BITS, Results::Revealed)).await;
    pair.prepare();
    let halves = pair.seal(&[3, 12]);
    (pair, halves)
}

type Outcome = (Result<Vec<bool>, CompareError>, Result<(), CompareError>);

/// Both ends of one call, each with its own relation and prices.
async fn both(
    pair: &mut Pair,
    halves: &[Vec<Half>; 2],
    relations: [Relation; 2],
    prices: [&[u64]; 2],
    edits: [Edit; 2],
    limit: Duration,
) -> Outcome {
    let inputs = |i: usize| Inputs::Prices { bids: &halves[i][..prices[i].len()], prices: prices[i] };
    let (server, assistant) = (&mut pair.server, &mut pair.assistant);
    let (a, b) = (inputs(0), inputs(1));
    let first = |mut end: End| async move { server.reveal(&mut end.channel, relations[0], a).await };
    let second = |mut end: End| async move { assistant.reveal(&mut end.channel, relations[1], b).await };
    let (found, done, _) = tap::run(edits, limit, first, second).await;
    (found, done)
}

const PRICES: &[u64] = &[5, 5];
const GREATER: [Relation; 2] = [Relation::Greater; 2];
const SECONDS: Duration = Duration::from_secs(30);

#[tokio::test]
async fn servers_that_compare_different_things_stop() {
    let (mut pair, halves) = pair().await;
    let cases = [
        ([Relation::Greater, Relation::Less], [PRICES, PRICES]),
        (GREATER, [PRICES, &[5, 6]]),
        (GREATER, [PRICES, &[5]]),
    ];
    for (relations, prices) in cases {
        let (found, done) = both(&mut pair, &halves, relations, prices, [Edit::None; 2], SECONDS).await;
        assert!(matches!(&done, Err(CompareError::Disagree { peer }) if peer == "first"), "{done:?}");
        assert!(matches!(&found, Err(CompareError::Disagree { peer }) if peer == "second"), "{found:?}");
    }
    let mixed = [halves[0].clone(), halves[1].iter().rev().cloned().collect()];
    let (_, done) = both(&mut pair, &mixed, GREATER, [PRICES; 2], [Edit::None; 2], SECONDS).await;
    assert!(matches!(done, Err(CompareError::Disagree { .. })), "{done:?}");
    let (found, done) = both(&mut pair, &halves, GREATER, [PRICES; 2], [Edit::None; 2], SECONDS).await;
    assert_eq!(found.unwrap(), [false, true]);
    done.unwrap();
}

#[tokio::test]
async fn a_key_of_another_run_is_noticed() {
    let (mut pair, halves) = pair().await;
    pair.server = Server::generate(pair.parameters, Threads::ONE).unwrap();
    pair.prepare();
    let (found, done) = both(&mut pair, &halves, GREATER, [PRICES; 2], [Edit::None; 2], SECONDS).await;
    assert!(matches!(done, Err(CompareError::Disagree { .. })));
    assert!(matches!(found, Err(CompareError::Disagree { .. })));
}

#[tokio::test]
async fn flipped_cut_and_stalled_messages_end_with_errors() {
    let (mut pair, halves) = pair().await;
    let cost = Cost::compare(&pair.parameters, Form::Prices, Relation::Greater, Results::Revealed, 2);
    let brief = Duration::from_millis(200);
    for at in [0, 15, 16, 17, cost.request_bytes - 1] {
        for edit in [Edit::Cut(at), Edit::Stall(at)] {
            pair.prepare();
            let request = both(&mut pair, &halves, GREATER, [PRICES; 2], [edit, Edit::None], brief).await;
            assert!(matches!(request, (Err(CompareError::Net(_)), Err(CompareError::Net(_)))), "{request:?}");
            let reply = both(&mut pair, &halves, GREATER, [PRICES; 2], [Edit::None, edit], brief).await;
            assert!(matches!(reply.0, Err(CompareError::Net(_))), "{reply:?}");
        }
    }
    let flip = [Edit::Flip(3), Edit::None];
    let (_, done) = both(&mut pair, &halves, GREATER, [PRICES; 2], flip, SECONDS).await;
    assert!(matches!(done, Err(CompareError::Disagree { .. })));
    let flip = [Edit::None, Edit::Flip(3)];
    let (found, _) = both(&mut pair, &halves, GREATER, [PRICES; 2], flip, SECONDS).await;
    assert!(matches!(found, Err(CompareError::Disagree { .. })));
}

/// One call through somebody who may change the bytes in each direction.
async fn through(
    pair: &mut Pair,
    halves: &[Vec<Half>; 2],
    direction: usize,
    change: impl Fn(&mut [u8]),
) -> Outcome {
    pair.prepare();
    let (([mut a, mut near], [a_end, near_end]), ([mut far, mut b], [far_end, b_end])) =
        (channels(), channels());
    let cost = Cost::compare(&pair.parameters, Form::Prices, Relation::Greater, Results::Revealed, 2);
    let middle = async move {
        let _ends = (near_end, far_end);
        let mut bytes = vec![0; cost.request_bytes];
        near.receive_into(&mut bytes).await?;
        if direction == 0 {
            change(&mut bytes[16..]);
        }
        far.send(&bytes).await?;
        bytes.resize(cost.reply_bytes, 0);
        far.receive_into(&mut bytes).await?;
        if direction == 1 {
            change(&mut bytes[16..]);
        }
        near.send(&bytes).await?;
        near.flush().await?;
        near.arrival().await
    };
    let inputs = |i: usize| Inputs::Prices { bids: &halves[i], prices: PRICES };
    let (server, assistant) = (&mut pair.server, &mut pair.assistant);
    let (a_inputs, b_inputs) = (inputs(0), inputs(1));
    // Each end is dropped with its party, as it would be with a process.
    let first = async move {
        let found = server.reveal(&mut a, Relation::Greater, a_inputs).await;
        drop(a_end);
        found
    };
    let second = async move {
        let done = assistant.reveal(&mut b, Relation::Greater, b_inputs).await;
        if done.is_err() {
            drop(b_end);
        } else {
            let _ = b.arrival().await;
        }
        done
    };
    let (found, done, _) = tokio::join!(first, second, middle);
    (found, done)
}

#[tokio::test]
async fn numbers_that_are_no_ciphertexts_are_refused() {
    let (mut pair, halves) = pair().await;
    let each = pair.parameters.ciphertext_bytes();
    let modulus = pair.assistant.key_bytes()[..each].to_vec();
    let zero = |bytes: &mut [u8]| bytes[each..2 * each].fill(0);
    let high = |bytes: &mut [u8]| bytes[each..2 * each].copy_from_slice(&modulus);
    let unchanged = through(&mut pair, &halves, 0, |_| ()).await;
    assert_eq!(unchanged.0.unwrap(), [false, true]);
    for direction in [0, 1] {
        for (change, zeroed) in [(&zero as &dyn Fn(&mut [u8]), true), (&high, false)] {
            let (found, done) = through(&mut pair, &halves, direction, change).await;
            let refusal = if direction == 0 { done.unwrap_err() } else { found.unwrap_err() };
            let CompareError::Malformed { what: "ciphertexts", source, .. } = refusal else {
                panic!("{refusal:?}")
            };
            match zeroed {
                true => assert!(matches!(source, HeError::NotCoprime { .. })),
                false => assert!(matches!(source, HeError::Range { .. })),
            }
        }
    }
}

#[tokio::test]
async fn halves_numbers_and_counts_that_do_not_fit_are_refused() {
    let (mut pair, halves) = pair().await;
    let parameters = pair.parameters;
    let u = parameters.plaintexts() as u8;
    assert_eq!(Half::bytes(&parameters), 20);
    let short = Half::from_bytes(&parameters, &[0; 19]);
    assert!(matches!(short, Err(CompareError::Count { given: 19, expected: 20, .. })));
    let high = Half::from_bytes(&parameters, &[&[0; 16][..], &[0, u - 1, u, 0]].concat());
    assert!(matches!(high, Err(CompareError::Share { index: 2, plaintexts }) if plaintexts == u.into()));
    assert!(matches!(seal(&parameters, 16, &mut pair.prg), Err(CompareError::Range { bits: 4, .. })));
    let [to_b, _] = &mut pair.channels;
    let mut refuse =
        async |inputs: Inputs<'_>| pair.server.reveal(to_b, Relation::Less, inputs).await.unwrap_err();
    let bids = &halves[0][..];
    let refused = refuse(Inputs::Prices { bids, prices: &[1] }).await;
    assert!(matches!(refused, CompareError::Count { what: "prices", given: 1, expected: 2 }));
    let refused = refuse(Inputs::Prices { bids, prices: &[1, 16] }).await;
    assert!(matches!(refused, CompareError::Range { what: "price", index: 1, bits: 4 }));
    let refused = refuse(Inputs::Private { numbers: &[99] }).await;
    assert!(matches!(refused, CompareError::Range { what: "private number", .. }));
    let refused = refuse(Inputs::Sealed { left: bids, right: &bids[..1] }).await;
    assert!(matches!(refused, CompareError::Count { what: "right numbers", .. }));
    let wide = toy(5, Results::Revealed);
    let other = seal(&wide, 31, &mut pair.prg).unwrap();
    let refused = refuse(Inputs::Prices { bids: &other[..1], prices: &[1] }).await;
    assert!(matches!(refused, CompareError::Count { what: "shares of a half", given: 5, expected: 4 }));
}

#[tokio::test]
async fn too_little_preparation_and_shared_results_without_room_are_refused() {
    let mut pair = Pair::new(toy(BITS, Results::Revealed)).await;
    let [halves, _] = pair.seal(&[3]);
    let inputs = Inputs::Prices { bids: &halves, prices: &[5] };
    pair.server.prepare(3).unwrap();
    let [to_b, to_a] = &mut pair.channels;
    let refused = pair.server.reveal(to_b, Relation::Greater, inputs).await;
    assert!(matches!(refused, Err(CompareError::Unprepared { needed: 4, left: 3 })));
    let refused = pair.server.share(to_b, Relation::Greater, inputs).await;
    assert!(matches!(refused, Err(CompareError::Revealed)));
    let refused = pair.assistant.share(to_a, Relation::Greater, inputs).await;
    assert!(matches!(refused, Err(CompareError::Revealed)));
}

#[tokio::test]
async fn keys_that_are_none_and_other_parameters_are_refused() {
    let (pair, _) = pair().await;
    let meet = async |parameters, change: &dyn Fn(&mut [u8])| {
        let (([mut a, mut near], _one), ([mut far, mut b], _two)) = (channels(), channels());
        let middle = async {
            let mut bytes = vec![0; Cost::key_bytes(&pair.parameters)];
            near.receive_into(&mut bytes).await?;
            change(&mut bytes);
            far.send(&bytes).await?;
            far.flush().await
        };
        let (sent, passed, met) = tokio::join!(
            pair.server.introduce(&mut a),
            middle,
            Assistant::meet(parameters, Threads::ONE, &mut b)
        );
        sent.unwrap();
        passed.unwrap();
        met
    };
    meet(pair.parameters, &|_| ()).await.unwrap();
    let refused = meet(pair.parameters, &|bytes| bytes[16] ^= 1).await;
    assert!(matches!(refused, Err(CompareError::Malformed { what: "a public key", .. })));
    let refused = meet(toy(BITS + 1, Results::Revealed), &|_| ()).await;
    assert!(matches!(refused, Err(CompareError::Disagree { .. })));
    assert!(Assistant::with_key(pair.parameters, &[1; 7], Threads::ONE).is_err());
    assert!(Server::with_key(pair.parameters, &[1; 7], Threads::ONE).is_err());
    let stored = Server::with_key(pair.parameters, &pair.server.key_bytes(), Threads::ONE).unwrap();
    assert_eq!(stored.key_bytes(), pair.server.key_bytes());
}

#[tokio::test]
async fn a_silent_server_does_not_hold_the_assistant() {
    let (mut pair, halves) = pair().await;
    let assistant = &mut pair.assistant;
    let inputs = Inputs::Prices { bids: &halves[1], prices: PRICES };
    let second =
        |mut end: End| async move { assistant.reveal(&mut end.channel, Relation::Greater, inputs).await };
    let silent = |end: End| async move {
        tokio::time::sleep(Duration::from_millis(400)).await;
        drop(end);
    };
    let ((), done, _) = tap::run([Edit::None; 2], Duration::from_millis(100), silent, second).await;
    assert!(matches!(done, Err(CompareError::Net(NetError::Timeout { .. }))), "{done:?}");
}

#[tokio::test]
async fn a_channel_serves_on_after_servers_disagreed() {
    let (mut pair, halves) = pair().await;
    let cases: [[&[u64]; 2]; 3] = [[PRICES, &[5, 6]], [PRICES, &[5]], [&[5], PRICES]];
    for prices in cases {
        pair.prepare();
        let [a, b] =
            [0, 1].map(|i| Inputs::Prices { bids: &halves[i][..prices[i].len()], prices: prices[i] });
        let [to_b, to_a] = &mut pair.channels;
        let (found, done) = tokio::join!(
            pair.server.reveal(to_b, Relation::Greater, a),
            pair.assistant.reveal(to_a, Relation::Greater, b)
        );
        assert!(matches!(found, Err(CompareError::Disagree { .. })), "{found:?}");
        assert!(matches!(done, Err(CompareError::Disagree { .. })), "{done:?}");
    }
    pair.prepare();
    let found = pair.compare(Form::Prices, Relation::Greater, Results::Revealed, &[3, 12], PRICES).await;
    assert_eq!(found.unwrap(), [false, true]);
}

#[tokio::test]
async fn an_assistant_that_is_not_prepared_reads_nothing_and_may_call_again() {
    let mut pair = Pair::new(toy(BITS, Results::Revealed)).await;
    let [a, b] = pair.seal(&[7]);
    pair.server.prepare(4).unwrap();
    let [a, b] = [&a, &b].map(|bids| Inputs::Prices { bids, prices: &[5] });
    let [to_b, to_a] = &mut pair.channels;
    let assistant = async {
        let refused = pair.assistant.reveal(to_a, Relation::Greater, b).await;
        assert!(matches!(refused, Err(CompareError::Unprepared { needed: 4, left: 0 })), "{refused:?}");
        pair.assistant.prepare(4);
        pair.assistant.reveal(to_a, Relation::Greater, b).await
    };
    let (found, done) = tokio::join!(pair.server.reveal(to_b, Relation::Greater, a), assistant);
    done.unwrap();
    assert_eq!(found.unwrap(), [true]);
}
