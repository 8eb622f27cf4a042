//! Peers that violate the protocol: every party ends with an error.

use std::time::Duration;

use tacit_net::Channel;
use tacit_pfe::{PfeError, PrivateFunction, Size, half_elgamal};

use crate::parties::{block_on, open, pair, prg, private, random_circuit, size};

/// How long a party waits for bytes that do not arrive.
const LIMIT: Duration = Duration::from_millis(500);

const IDENTITY: [u8; 32] = [0; 32];
const NON_CANONICAL: [u8; 32] = [0xff; 32];

/// A valid encoding: the base point's.
const POINT: [u8; 32] = [
    0xe2, 0xf2, 0xae, 0x0a, 0x6a, 0xbc, 0x4e, 0x71, 0xa8, 0x84, 0xa9, 0x61, 0xc5, 0x00, 0x51, 0x5f, 0x58,
    0xe3, 0x0b, 0x6a, 0xa5, 0x82, 0xdd, 0x8d, 0xb6, 0xa6, 0x59, 0x45, 0xe0, 0x8d, 0x2d, 0x76,
];

fn function() -> PrivateFunction {
    private(&random_circuit(5, [2, 2], 9, 2), Some(30))
}

/// A size as parties announce it.
fn announced(size: &Size) -> Vec<u8> {
    let fields = [size.holder_inputs(), size.owner_inputs(), size.gates(), size.outputs()];
    fields.into_iter().flat_map(|field| (field as u64).to_le_bytes()).collect()
}

/// Runs the holder against a peer that sends these bytes and then waits.
async fn holder_against(bytes: Vec<u8>, inputs: &[bool]) -> PfeError {
    let (a, b) = pair(LIMIT);
    let mut peer = open(&b);
    let holder = async {
        let mut channel = open(&a);
        let mut holder = half_elgamal::Holder::new(function(), &mut prg(1))?;
        let run = holder.introduce_and_prepare(&mut channel).await?;
        run.evaluate(&mut channel, inputs, &mut prg(2)).await
    };
    let (result, ()) = tokio::join!(holder, send(&mut peer, &bytes));
    result.unwrap_err()
}

/// Runs the owner against a peer that sends these bytes and then waits.
async fn owner_against(bytes: Vec<u8>) -> PfeError {
    let (a, b) = pair(LIMIT);
    let mut peer = open(&a);
    let owner = async {
        let mut channel = open(&b);
        let mut owner = half_elgamal::Owner::new(*function().size());
        let run = owner.introduce_and_prepare(&mut channel, &mut prg(1)).await?;
        run.evaluate(&mut channel, &[true; 2], &mut prg(2)).await
    };
    let (result, ()) = tokio::join!(owner, send(&mut peer, &bytes));
    result.unwrap_err()
}

async fn send(peer: &mut Channel, bytes: &[u8]) {
    peer.send(bytes).await.unwrap();
    peer.flush().await.unwrap();
}

#[test]
fn sizes_that_differ_are_errors_at_both() {
    let function = function();
    let ours = *function.size();
    let other = size(2, 2, 31, 2);
    block_on(async {
        let (a, b) = pair(LIMIT);
        let holder = async {
            let mut holder = half_elgamal::Holder::new(function, &mut prg(1)).unwrap();
            holder.introduce(&mut open(&a)).await.unwrap_err()
        };
        let owner = async { half_elgamal::Owner::new(other).introduce(&mut open(&b)).await.unwrap_err() };
        let (holder, owner) = tokio::join!(holder, owner);
        let gates = ours.gates() as u64;
        assert!(matches!(holder, PfeError::Size { what: "gates", ours, theirs: 31 } if ours == gates));
        assert!(matches!(owner, PfeError::Size { what: "gates", ours: 31, theirs } if theirs == gates));
    });
}

#[test]
fn points_of_the_holder_are_checked() {
    let size = *function().size();
    for bad in [IDENTITY, NON_CANONICAL] {
        for index in [0, 1, 59] {
            let mut points = vec![POINT; 60];
            points[index] = bad;
            let bytes = [announced(&size), vec![7; 32], points.concat()].concat();
            let error = block_on(owner_against(bytes));
            assert!(
                matches!(error, PfeError::Point { what: "operand", index: at } if at == index),
                "{error}"
            );
        }
    }
}

#[test]
fn points_of_the_owner_are_checked() {
    let size = *function().size();
    for bad in [IDENTITY, NON_CANONICAL] {
        let bytes = [announced(&size), vec![7; 32], bad.to_vec()].concat();
        let error = block_on(holder_against(bytes, &[true; 2]));
        assert!(matches!(error, PfeError::Point { what: "public key", .. }), "{error}");
        let garbled = vec![3; 130 * 30];
        let start = [announced(&size), vec![7; 32], POINT.to_vec(), garbled].concat();
        // Keys of the owner's inputs, the transfers' message, the holder's keys.
        let keys = [bad, POINT, POINT].concat();
        let bytes = [start, keys, vec![5; 128]].concat();
        let error = block_on(holder_against(bytes, &[true; 2]));
        assert!(matches!(error, PfeError::Point { what: "key of input", .. }), "{error}");
    }
}

#[test]
fn garbled_gates_that_decrypt_to_nothing_are_errors() {
    let circuit = random_circuit(5, [0, 2], 9, 2);
    let function = private(&circuit, Some(30));
    let header = [announced(function.size()), vec![7; 32], POINT.to_vec()].concat();
    let bytes = [header, vec![3; 130 * 30], [POINT; 2].concat()].concat();
    block_on(async {
        let (a, b) = pair(LIMIT);
        let mut peer = open(&b);
        let holder = async {
            let mut channel = open(&a);
            let mut holder = half_elgamal::Holder::new(function, &mut prg(1))?;
            let run = holder.introduce_and_prepare(&mut channel).await?;
            run.evaluate(&mut channel, &[], &mut prg(2)).await
        };
        let (result, ()) = tokio::join!(holder, send(&mut peer, &bytes));
        assert!(matches!(result, Err(PfeError::Row { .. })));
    });
}

#[test]
fn unknown_labels_are_errors() {
    let function = private(&random_circuit(5, [0, 2], 9, 2), Some(30));
    let size = *function.size();
    let labels = vec![9; 64];
    let bytes = [announced(&size), vec![7; 32], [POINT; 60].concat(), labels].concat();
    block_on(async {
        let (a, b) = pair(LIMIT);
        let mut peer = open(&a);
        let owner = async {
            let mut channel = open(&b);
            let mut owner = half_elgamal::Owner::new(size);
            let run = owner.introduce_and_prepare(&mut channel, &mut prg(1)).await?;
            run.evaluate(&mut channel, &[true; 2], &mut prg(2)).await
        };
        let (result, ()) = tokio::join!(owner, send(&mut peer, &bytes));
        assert!(matches!(result, Err(PfeError::Label { output: 0 })));
    });
}

#[test]
fn peers_that_stop_early_are_errors() {
    let size = *function().size();
    let holders = [announced(&size), vec![7; 32], [POINT; 60].concat()].concat();
    let owners = [announced(&size), vec![7; 32], POINT.to_vec(), vec![3; 130 * 30]].concat();
    for cut in [0, 31, 32, 63, 64, 100, holders.len()] {
        let error = block_on(owner_against(holders[..cut].to_vec()));
        assert!(matches!(error, PfeError::Net(_) | PfeError::Ot(_)), "{error}");
    }
    for cut in [0, 31, 32, 95, 96, 400, owners.len()] {
        let error = block_on(holder_against(owners[..cut].to_vec(), &[true; 2]));
        assert!(matches!(error, PfeError::Net(_)), "{error}");
    }
}

/// A holder whose introduction fails, because its peer's key is not a point.
async fn failed_holder() -> half_elgamal::Holder {
    let (a, b) = pair(LIMIT);
    let (mut channel, mut peer) = (open(&a), open(&b));
    let mut holder = half_elgamal::Holder::new(function(), &mut prg(1)).unwrap();
    let bytes = [announced(holder.function().size()), vec![7; 32], IDENTITY.to_vec()].concat();
    let (failed, ()) = tokio::join!(
        async { holder.introduce_and_prepare(&mut channel).await.map(|_| ()).unwrap_err() },
        send(&mut peer, &bytes)
    );
    assert!(matches!(failed, PfeError::Point { .. }), "{failed}");
    assert!(matches!(holder.prepare(&mut channel).await, Err(PfeError::NotIntroduced)));
    holder
}

/// An owner that has received only some of a function's points, or unusable ones.
async fn failed_owner(points: &[[u8; 32]]) -> half_elgamal::Owner {
    let (a, b) = pair(LIMIT);
    let (mut peer, mut channel) = (open(&a), open(&b));
    let size = *function().size();
    let mut owner = half_elgamal::Owner::new(size);
    let bytes = [announced(&size), vec![7; 32], points.concat()].concat();
    let mut generator = prg(2);
    let (failed, ()) = tokio::join!(
        async { owner.introduce_and_prepare(&mut channel, &mut generator).await.map(|_| ()).unwrap_err() },
        send(&mut peer, &bytes)
    );
    assert!(matches!(failed, PfeError::Net(_) | PfeError::Point { .. }), "{failed}");
    assert!(matches!(owner.prepare(&mut channel, &mut prg(2)).await, Err(PfeError::NotIntroduced)));
    owner
}

#[test]
fn introductions_that_failed_do_not_count_and_may_be_repeated() {
    let expected = random_circuit(5, [2, 2], 9, 2).evaluate(&[true, false, true, true]).unwrap();
    for points in [[POINT; 59].as_slice(), &[IDENTITY; 60]] {
        block_on(async {
            let (mut holder, mut owner) = (failed_holder().await, failed_owner(points).await);
            let (a, b) = pair(crate::parties::LIMIT);
            let holder = async {
                let mut channel = open(&a);
                holder.introduce(&mut channel).await?;
                assert!(matches!(holder.introduce(&mut channel).await, Err(PfeError::Introduced)));
                let run = holder.prepare(&mut channel).await?;
                run.evaluate(&mut channel, &[true, false], &mut prg(3)).await
            };
            let owner = async {
                let mut channel = open(&b);
                owner.introduce(&mut channel).await?;
                assert!(matches!(owner.introduce(&mut channel).await, Err(PfeError::Introduced)));
                let run = owner.prepare(&mut channel, &mut prg(4)).await?;
                run.evaluate(&mut channel, &[true; 2], &mut prg(5)).await
            };
            let ((), result) = tokio::try_join!(holder, owner).unwrap();
            assert_eq!(result, expected);
        });
    }
}
