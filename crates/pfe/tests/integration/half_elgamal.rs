//! Half-ElGamal: results, bytes, reuse.

use tacit_circuit::{CircuitBuilder, Lit, arithmetic, library};
use tacit_pfe::{Bytes, PfeError, PrivateFunction, half_elgamal};

use crate::parties::{LIMIT, bits, block_on, open, pair, prg, private, random_circuit, run};

fn check_bytes(bytes: Bytes, [holder, owner]: [u64; 2], [holder_end, owner_end]: [u64; 2]) {
    assert_eq!(bytes.introduction.holder + bytes.setup.holder, holder);
    assert_eq!(bytes.introduction.owner + bytes.setup.owner, owner);
    assert_eq!(bytes.online.holder, holder_end - holder);
    assert_eq!(bytes.online.owner, owner_end - owner);
}

#[test]
fn random_circuits_on_all_inputs() {
    for (seed, widths) in [(1, [1, 2]), (2, [0, 3]), (3, [3, 0]), (4, [2, 2])] {
        let circuit = random_circuit(seed, widths, 12, 3);
        for value in 0..1u128 << (widths[0] + widths[1]) {
            let (holder, owner) = (bits(value, widths[0]), bits(value >> widths[0], widths[1]));
            let function = private(&circuit, Some(70));
            let bytes = half_elgamal::bytes(function.size());
            let (result, setup, end) = block_on(run(function, &holder, &owner));
            assert_eq!(result, circuit.evaluate(&[holder, owner].concat()).unwrap());
            check_bytes(bytes, setup, end);
        }
    }
}

#[test]
fn unused_inputs_and_outputs_that_are_inputs_or_constants() {
    let mut builder = CircuitBuilder::new();
    let (a, b) = (builder.input(2), builder.input(2));
    let circuit = builder.finish(vec![vec![a[0], !b[1], Lit::TRUE, Lit::FALSE, b[1], a[0]]]).unwrap();
    for value in 0..16 {
        let all = bits(value, 4);
        let (result, ..) = block_on(run(private(&circuit, None), &all[..2], &all[2..]));
        assert_eq!(result, circuit.evaluate(&all).unwrap());
    }
}

#[test]
fn more_gates_than_a_few_windows() {
    let mut builder = CircuitBuilder::new();
    let (a, b) = (builder.input(32), builder.input(32));
    let less = arithmetic::less_unsigned(&mut builder, &a, &b);
    let circuit = builder.finish(vec![vec![less]]).unwrap();
    for (x, y) in [(7, 9), (9, 7)] {
        let function = private(&circuit, Some(5000));
        let bytes = half_elgamal::bytes(function.size());
        let (result, setup, end) = block_on(run(function, &bits(x, 32), &bits(y, 32)));
        assert_eq!(result, [x < y]);
        check_bytes(bytes, setup, end);
    }
}

#[test]
#[ignore = "many gates: minutes"]
fn aes_and_sha() {
    let function = private(&library::aes128().unwrap(), None);
    let key = bits(0x000102030405060708090a0b0c0d0e0f, 128);
    let plaintext = bits(0x00112233445566778899aabbccddeeff, 128);
    let bytes = half_elgamal::bytes(function.size());
    let (result, setup, end) = block_on(run(function, &key, &plaintext));
    assert_eq!(result, bits(0x69c4e0d86a7b0430d8cdb78070b4c55a, 128));
    check_bytes(bytes, setup, end);
    let circuit = library::sha256_compression().unwrap();
    let widths = circuit.inputs().to_vec();
    let all: Vec<bool> = (0..circuit.input_bits()).map(|i| i % 3 == 0).collect();
    assert_eq!(widths.len(), 2);
    let (holder, owner) = all.split_at(widths[0] as usize);
    let (result, ..) = block_on(run(private(&circuit, None), holder, owner));
    assert_eq!(result, circuit.evaluate(&all).unwrap());
}

#[test]
fn a_million_gates_stay_below_the_bar() {
    let size = crate::parties::size(0, 64, 1_000_000 - 64, 64);
    assert!(half_elgamal::bytes(&size).total() <= 195_000_000);
}

/// One introduction, then a run for each input. Returns the results, and the bytes that the owner sent in each run's setup.
async fn runs(function: PrivateFunction, inputs: &[(Vec<bool>, Vec<bool>)]) -> Vec<(Vec<bool>, u64)> {
    let size = *function.size();
    let (a, b) = pair(LIMIT);
    let holder = async {
        let (mut channel, mut prg) = (open(&a), prg(1));
        let mut holder = half_elgamal::Holder::new(function, &mut prg)?;
        assert!(matches!(holder.prepare(&mut channel).await, Err(PfeError::NotIntroduced)));
        holder.introduce(&mut channel).await?;
        assert!(matches!(holder.introduce(&mut channel).await, Err(PfeError::Introduced)));
        for (own, _) in inputs {
            let run = holder.prepare(&mut channel).await?;
            run.evaluate(&mut channel, own, &mut prg).await?;
        }
        channel.finish().await?;
        Ok::<_, PfeError>(())
    };
    let owner = async {
        let (mut channel, mut prg) = (open(&b), prg(2));
        let mut owner = half_elgamal::Owner::new(size);
        assert!(matches!(owner.prepare(&mut channel, &mut prg).await, Err(PfeError::NotIntroduced)));
        owner.introduce(&mut channel).await?;
        assert!(matches!(owner.introduce(&mut channel).await, Err(PfeError::Introduced)));
        let mut results = Vec::new();
        for (_, own) in inputs {
            let before = channel.bytes_sent();
            let run = owner.prepare(&mut channel, &mut prg).await?;
            let setup = channel.bytes_sent() - before;
            results.push((run.evaluate(&mut channel, own, &mut prg).await?, setup));
        }
        channel.finish().await?;
        Ok(results)
    };
    tokio::try_join!(holder, owner).unwrap().1
}

#[test]
fn a_function_that_is_reused_gives_what_fresh_ones_give() {
    let circuit = random_circuit(9, [2, 2], 20, 4);
    let inputs: Vec<_> = (0..16).map(|value| (bits(value, 2), bits(value >> 2, 2))).collect();
    let function = private(&circuit, Some(100));
    let setup = half_elgamal::bytes(function.size()).setup.owner;
    for ((reused, bytes), (holder, owner)) in block_on(runs(function, &inputs)).iter().zip(&inputs) {
        let (fresh, ..) = block_on(run(private(&circuit, Some(100)), holder, owner));
        assert_eq!(*reused, fresh);
        assert_eq!(*bytes, setup);
    }
}

#[test]
fn a_wrong_number_of_inputs_is_refused_before_anything_is_sent() {
    let circuit = random_circuit(9, [2, 2], 20, 1);
    block_on(async {
        let (a, b) = pair(LIMIT);
        let function = private(&circuit, None);
        let size = *function.size();
        let holder = async {
            let mut channel = open(&a);
            let mut holder = half_elgamal::Holder::new(function, &mut prg(1)).unwrap();
            let run = holder.introduce_and_prepare(&mut channel).await.unwrap();
            run.evaluate(&mut channel, &[true], &mut prg(1)).await
        };
        let owner = async {
            let mut channel = open(&b);
            let mut owner = half_elgamal::Owner::new(size);
            let run = owner.introduce_and_prepare(&mut channel, &mut prg(2)).await.unwrap();
            run.evaluate(&mut channel, &[true; 3], &mut prg(2)).await
        };
        let (holder, owner) = tokio::join!(holder, owner);
        assert!(matches!(holder, Err(PfeError::Inputs { given: 1, announced: 2 })));
        assert!(matches!(owner, Err(PfeError::Inputs { given: 3, announced: 2 })));
    });
}

/// One introduction and a setup for each input, which both parties keep as bytes; then the online phases over another link.
async fn runs_from_entries(function: PrivateFunction, inputs: &[(Vec<bool>, Vec<bool>)]) -> Vec<Vec<bool>> {
    let (size, again) =
        (*function.size(), PrivateFunction::new(*function.size(), function.wiring().to_vec()));
    let [holder_bytes, owner_bytes] = half_elgamal::entry_bytes(&size);
    let (a, b) = pair(LIMIT);
    let holder = async {
        let (mut channel, mut entries) = (open(&a), Vec::new());
        let mut holder = half_elgamal::Holder::new(function, &mut prg(1))?;
        assert!(matches!(holder.prepare_entry(&mut channel).await, Err(PfeError::NotIntroduced)));
        holder.introduce(&mut channel).await?;
        for _ in inputs {
            entries.push(holder.prepare_entry(&mut channel).await?);
        }
        channel.finish().await?;
        Ok::<_, PfeError>(entries)
    };
    let owner = async {
        let (mut channel, mut prg, mut entries) = (open(&b), prg(2), Vec::new());
        let mut owner = half_elgamal::Owner::new(size);
        owner.introduce(&mut channel).await?;
        for _ in inputs {
            entries.push(owner.prepare(&mut channel, &mut prg).await?.to_entry());
        }
        channel.finish().await?;
        Ok(entries)
    };
    let (held, owned) = tokio::try_join!(holder, owner).unwrap();
    let (a, b) = pair(LIMIT);
    let (mut ours, mut theirs, mut results) = (open(&a), open(&b), Vec::new());
    let function = again.unwrap();
    for ((holder, owner), (held, owned)) in inputs.iter().zip(held.iter().zip(&owned)) {
        assert_eq!((held.len(), owned.len()), (holder_bytes, owner_bytes));
        let run = half_elgamal::HolderRun::from_entry(&function, held).unwrap();
        let own = half_elgamal::OwnerRun::from_entry(size, owned).unwrap();
        let (mut first, mut second) = (prg(3), prg(4));
        let online = tokio::try_join!(
            run.evaluate(&mut ours, holder, &mut first),
            own.evaluate(&mut theirs, owner, &mut second)
        );
        results.push(online.unwrap().1);
    }
    results
}

#[test]
fn setups_that_were_kept_give_what_others_give() {
    let circuit = random_circuit(9, [2, 2], 20, 4);
    let inputs: Vec<_> = (0..16).map(|value| (bits(value, 2), bits(value >> 2, 2))).collect();
    for gates in [None, Some(100), Some(1024 + 70)] {
        let results = block_on(runs_from_entries(private(&circuit, gates), &inputs));
        for (result, (holder, owner)) in results.iter().zip(&inputs) {
            assert_eq!(*result, circuit.evaluate(&[&holder[..], owner].concat()).unwrap());
        }
    }
}

#[test]
fn entries_of_another_size_or_with_other_contents_are_refused() {
    let function = private(&random_circuit(9, [2, 2], 20, 4), Some(100));
    let [held, owned] = half_elgamal::entry_bytes(function.size());
    let holder = |entry: &[u8]| half_elgamal::HolderRun::from_entry(&function, entry).err().unwrap();
    let owner = |entry: &[u8]| half_elgamal::OwnerRun::from_entry(*function.size(), entry).err().unwrap();
    for given in [0, held - 1, held + 1] {
        let error = holder(&vec![0; given]);
        assert!(
            matches!(error, PfeError::Entry { given: found, expected } if (found, expected) == (given, held))
        );
    }
    for given in [0, owned - 1, owned + 1] {
        assert!(matches!(owner(&vec![0; given]), PfeError::Entry { expected, .. } if expected == owned));
    }
    assert!(matches!(holder(&vec![0; held]), PfeError::Shift { gate: 0 }));
}
