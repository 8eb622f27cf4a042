//! The re-executable protocol: results, bytes, further runs.

use std::collections::HashSet;

use tacit_pfe::{PfeError, re_executable};

use crate::parties::{LIMIT, bits, block_on, open, pair, prg, private, random_circuit, run_re_executable};

#[test]
fn random_circuits_on_all_inputs() {
    for (seed, widths) in [(1, [1, 2]), (2, [0, 3]), (3, [3, 0])] {
        let circuit = random_circuit(seed, widths, 12, 3);
        for value in 0..1u128 << (widths[0] + widths[1]) {
            let (holder, owner) = (bits(value, widths[0]), bits(value >> widths[0], widths[1]));
            let function = private(&circuit, Some(70));
            let bytes = re_executable::bytes(function.size());
            let (result, setup, end) = block_on(run_re_executable(function, &holder, &owner));
            assert_eq!(result, circuit.evaluate(&[holder, owner].concat()).unwrap());
            assert_eq!([bytes.introduction.holder, bytes.introduction.owner + bytes.setup.owner], setup);
            assert_eq!([bytes.online.holder, bytes.online.owner], [end[0] - setup[0], end[1] - setup[1]]);
        }
    }
}

/// A function is introduced once. Runs give its results, and the owner's messages have nothing in common.
#[test]
fn runs_after_one_introduction_have_keys_of_their_own() {
    let circuit = random_circuit(9, [2, 2], 20, 4);
    let function = private(&circuit, Some(100));
    let size = *function.size();
    let (a, b) = pair(LIMIT);
    let holder = async {
        let (mut channel, mut prg) = (open(&a), prg(1));
        let mut holder = re_executable::Holder::new(function, &mut prg)?;
        holder.introduce(&mut channel).await?;
        for value in 0..16 {
            let run = holder.prepare(&mut channel).await?;
            run.evaluate(&mut channel, &bits(value, 2), &mut prg).await?;
        }
        channel.finish().await?;
        Ok::<_, PfeError>(())
    };
    let owner = async {
        let (mut channel, mut prg) = (open(&b), prg(2));
        let mut owner = re_executable::Owner::new(size);
        owner.introduce(&mut channel).await?;
        let mut results = Vec::new();
        for value in 0..16 {
            let run = owner.prepare(&mut channel, &mut prg).await?;
            results.push(run.evaluate(&mut channel, &bits(value >> 2, 2), &mut prg).await?);
        }
        channel.finish().await?;
        Ok(results)
    };
    let ((), results) = block_on(async { tokio::try_join!(holder, owner) }).unwrap();
    for (value, result) in (0..16).zip(results) {
        let clear = circuit.evaluate(&[bits(value, 2), bits(value >> 2, 2)].concat()).unwrap();
        assert_eq!(result, clear);
    }
}

/// The bytes that the owner sends in the setups of two runs.
#[test]
fn setups_never_repeat_a_row() {
    let circuit = random_circuit(4, [0, 2], 6, 1);
    let size = *private(&circuit, Some(40)).size();
    let mut seen = HashSet::new();
    block_on(async {
        let (a, b) = pair(LIMIT);
        let (mut peer, mut channel, mut own, mut theirs) = (open(&a), open(&b), prg(1), prg(2));
        let mut holder = re_executable::Holder::new(private(&circuit, Some(40)), &mut own).unwrap();
        let mut owner = re_executable::Owner::new(size);
        let (introduced, received) = tokio::join!(holder.introduce(&mut peer), owner.introduce(&mut channel));
        introduced.and(received).unwrap();
        for _ in 0..10 {
            owner.prepare(&mut channel, &mut theirs).await.unwrap();
            let setup =
                peer.receive(re_executable::bytes(&size).setup.owner as usize).await.unwrap().to_vec();
            assert!(seen.insert(setup[..32].to_vec()));
            for gate in setup[32..].chunks(130) {
                assert!(gate[2..].chunks(32).all(|row| seen.insert(row.to_vec())));
            }
        }
    });
}
