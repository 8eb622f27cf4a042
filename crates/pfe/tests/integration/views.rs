//! The owner's view does not depend on the function: the distribution of messages at toy size, and their freshness.

use std::collections::HashSet;

use tacit_pfe::{PrivateFunction, half_elgamal};

use crate::parties::{LIMIT, block_on, open, pair, prg, size};

/// All bytes that a holder sends in an introduction.
async fn introduction(wiring: Vec<[u32; 2]>, seed: u128) -> Vec<u8> {
    let size = size(0, 2, wiring.len(), 1);
    let function = PrivateFunction::new(size, wiring).unwrap();
    let (a, b) = pair(LIMIT);
    let mut holder = half_elgamal::Holder::new(function, &mut prg(seed)).unwrap();
    let mut channel = open(&a);
    let mut peer = open(&b);
    let message = async {
        let fields = [0, 2, size.gates() as u64, 1].map(u64::to_le_bytes);
        peer.send(fields.as_flattened()).await.unwrap();
        let mut message = vec![0; half_elgamal::bytes(&size).introduction.holder as usize];
        peer.receive_into(&mut message).await.unwrap();
        message
    };
    let (sent, message) = tokio::join!(holder.introduce(&mut channel), message);
    sent.unwrap();
    message
}

/// Counts, over 300 introductions of each of two functions, how often each bit of each operand's point is set. Returns the largest
/// difference between the functions, in standard deviations.
fn deviation(first: &[[u32; 2]], second: &[[u32; 2]]) -> f64 {
    const RUNS: usize = 300;
    let counts = |wiring: &[[u32; 2]], from: u128| {
        let mut counts = vec![0i32; wiring.len() * 512];
        for run in 0..RUNS as u128 {
            let message = block_on(introduction(wiring.to_vec(), from + run));
            for (count, bit) in counts.iter_mut().zip(0..) {
                *count += i32::from(message[64 + bit / 8] >> (bit % 8) & 1);
            }
        }
        counts
    };
    let (first, second) = (counts(first, 1 << 20), counts(second, 1 << 40));
    let width = (RUNS as f64 / 2.0).sqrt();
    first.iter().zip(&second).map(|(a, b)| f64::from((a - b).abs()) / width).fold(0.0, f64::max)
}

#[test]
fn points_are_distributed_alike_for_two_functions() {
    let apart = [[0, 1], [2, 2], [2, 3], [3, 4]];
    let same = [[0, 0], [0, 0], [0, 0], [0, 0]];
    // Among 2048 bits, a deviation beyond 5.5 has a probability of one in ten thousand. The seeds are fixed.
    assert!(deviation(&apart, &same) < 5.5);
}

#[test]
fn operands_of_one_wire_have_points_of_their_own() {
    let message = block_on(introduction(vec![[0, 0]; 200], 5));
    let points: HashSet<&[u8]> = message[64..].chunks(32).collect();
    assert_eq!(points.len(), 400);
}

/// The bytes that the owner sends in each run's setup.
async fn setups(runs: usize) -> Vec<Vec<u8>> {
    let wiring = vec![[0, 1], [2, 2], [2, 3]];
    let size = size(0, 2, wiring.len(), 1);
    let message = introduction(wiring, 6).await;
    let (a, b) = pair(LIMIT);
    let (mut peer, mut channel, mut prg) = (open(&a), open(&b), prg(8));
    let mut owner = half_elgamal::Owner::new(size);
    let send = async {
        peer.send(&message).await.unwrap();
        peer.flush().await.unwrap();
    };
    let (introduced, ()) = tokio::join!(owner.introduce(&mut channel), send);
    introduced.unwrap();
    peer.receive(32).await.unwrap();
    let mut all = Vec::new();
    for _ in 0..runs {
        owner.prepare(&mut channel, &mut prg).await.unwrap();
        let bytes = half_elgamal::bytes(&size).setup.owner as usize;
        all.push(peer.receive(bytes).await.unwrap().to_vec());
    }
    all
}

#[test]
fn every_run_of_a_function_has_keys_of_its_own() {
    let setups = block_on(setups(20));
    // Names, public keys and rows never repeat.
    let mut seen = HashSet::new();
    for setup in &setups {
        assert!(seen.insert(setup[..32].to_vec()) && seen.insert(setup[32..64].to_vec()));
        for gate in setup[64..].chunks(130) {
            assert!(gate[2..].chunks(32).all(|row| seen.insert(row.to_vec())));
        }
    }
}
