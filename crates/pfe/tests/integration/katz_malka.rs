//! Katz and Malka's protocol with each scheme: results, bytes, rounds, windows, further runs.

use tacit_circuit::{CircuitBuilder, Lit, arithmetic, library};
use tacit_he::paillier::ModulusSize;
use tacit_net::Connection;
use tacit_pfe::katz_malka::{self, Bfv, Djn, EcElgamal, Holder, Owner, Scheme};
use tacit_pfe::{Bytes, FunctionError, PfeError, PrivateFunction, Rounds};

use crate::parties::{LIMIT, bits, block_on, open, pair, prg, private, random_circuit, size, wide_pair};

/// DJN with a modulus that is factored in hours.
pub fn toy_djn() -> Djn {
    Djn::new(ModulusSize::TOY).unwrap()
}

/// Bytes and rounds of both parties after precomputation, after setup and at the end.
struct Counted {
    result: Vec<bool>,
    bytes: [[u64; 3]; 2],
    rounds: [[u64; 2]; 2],
}

async fn run<S: Scheme>(
    scheme: S,
    function: &PrivateFunction,
    inputs: [&[bool]; 2],
    (a, b): (Connection, Connection),
) -> Counted {
    let size = *function.size();
    let of_holder = scheme.clone();
    let holder = async {
        let (mut channel, mut prg) = (open(&a), prg(1));
        let mut holder = Holder::new(of_holder, size);
        holder.introduce(&mut channel).await?;
        let introduced = channel.bytes_sent();
        let run = holder.prepare(&mut channel, function, &mut prg).await?;
        let (setup, rounds) = (channel.bytes_sent(), channel.rounds());
        channel.begin_phase();
        run.evaluate(&mut channel, inputs[0], &mut prg).await?;
        let (sent, turns) = (channel.bytes_sent(), channel.rounds());
        channel.finish().await?;
        Ok::<_, PfeError>(([introduced, setup, sent], [rounds, turns - rounds]))
    };
    let owner = async {
        let (mut channel, mut prg) = (open(&b), prg(2));
        let mut owner = Owner::new(scheme, size, &mut prg)?;
        owner.introduce(&mut channel).await?;
        let introduced = channel.bytes_sent();
        let run = owner.prepare(&mut channel, &mut prg).await?;
        let (setup, rounds) = (channel.bytes_sent(), channel.rounds());
        channel.begin_phase();
        let result = run.evaluate(&mut channel, inputs[1], &mut prg).await?;
        let (sent, turns) = (channel.bytes_sent(), channel.rounds());
        channel.finish().await?;
        Ok((result, [introduced, setup, sent], [rounds, turns - rounds]))
    };
    let (holder, owner) = tokio::try_join!(holder, owner).unwrap();
    Counted { result: owner.0, bytes: [holder.0, owner.1], rounds: [holder.1, owner.2] }
}

fn check_counts(counted: &Counted, bytes: Bytes, rounds: Rounds) {
    let phases = [bytes.introduction, bytes.setup, bytes.online];
    let sum = |phase: usize, own: fn(&tacit_pfe::Traffic) -> u64| phases[..=phase].iter().map(own).sum();
    let expected: [[u64; 3]; 2] = [
        [0, 1, 2].map(|phase| sum(phase, |sent| sent.holder)),
        [0, 1, 2].map(|phase| sum(phase, |sent| sent.owner)),
    ];
    assert_eq!(counted.bytes, expected);
    let turns = [[rounds.setup.holder, rounds.online.holder], [rounds.setup.owner, rounds.online.owner]];
    assert_eq!(counted.rounds, turns);
}

fn check<S: Scheme>(scheme: &S, circuit: &tacit_circuit::Circuit, gates: usize, inputs: [&[bool]; 2]) {
    let function = private(circuit, Some(gates));
    let counted = block_on(run(scheme.clone(), &function, inputs, wide_pair(LIMIT)));
    assert_eq!(counted.result, circuit.evaluate(&inputs.concat()).unwrap());
    let size = function.size();
    check_counts(&counted, katz_malka::bytes(scheme, size), katz_malka::rounds(size));
}

fn random_circuits_on_all_inputs<S: Scheme>(scheme: &S, widths: &[[u32; 2]]) {
    for (seed, widths) in (1..).zip(widths.iter().copied()) {
        let circuit = random_circuit(seed, widths, 12, 3);
        for value in 0..1u128 << (widths[0] + widths[1]) {
            let (holder, owner) = (bits(value, widths[0]), bits(value >> widths[0], widths[1]));
            check(scheme, &circuit, 70, [&holder, &owner]);
        }
    }
}

#[test]
fn random_circuits_on_all_inputs_by_ec_elgamal() {
    random_circuits_on_all_inputs(&EcElgamal, &[[1, 2], [0, 3], [3, 0], [2, 2]]);
}

#[test]
fn random_circuits_on_all_inputs_by_djn() {
    random_circuits_on_all_inputs(&toy_djn(), &[[1, 2], [0, 3], [3, 0], [2, 2]]);
}

#[test]
fn random_circuits_on_all_inputs_by_bfv() {
    random_circuits_on_all_inputs(&Bfv::new().unwrap(), &[[1, 1], [0, 2], [2, 0]]);
}

#[test]
fn few_gates_under_a_real_modulus() {
    let circuit = random_circuit(7, [2, 3], 20, 3);
    let djn = Djn::new(ModulusSize::MEDIUM).unwrap();
    check(&djn, &circuit, 60, [&[true, false], &[true, true, false]]);
}

#[test]
fn unused_inputs_and_outputs_that_are_inputs_or_constants() {
    let mut builder = CircuitBuilder::new();
    let (a, b) = (builder.input(2), builder.input(2));
    let circuit = builder.finish(vec![vec![a[0], !b[1], Lit::TRUE, Lit::FALSE, b[1], a[0]]]).unwrap();
    for value in 0..16 {
        let all = bits(value, 4);
        check(&EcElgamal, &circuit, 20, [&all[..2], &all[2..]]);
    }
}

/// A comparison of two words of 16 bits.
fn comparison() -> tacit_circuit::Circuit {
    let mut builder = CircuitBuilder::new();
    let (a, b) = (builder.input(16), builder.input(16));
    let less = arithmetic::less_unsigned(&mut builder, &a, &b);
    builder.finish(vec![vec![less]]).unwrap()
}

/// Sizes near the end of one window of gates and of wires, and of several windows.
fn window_borders<S: Scheme>(scheme: &S, gates: &[usize]) {
    let circuit = comparison();
    for (gates, (x, y)) in gates.iter().zip([(7, 9), (9, 7)].into_iter().cycle()) {
        check(scheme, &circuit, *gates, [&bits(x, 16), &bits(y, 16)]);
    }
}

#[test]
fn windows_end_where_they_should() {
    window_borders(&EcElgamal, &[992, 993, 994, 1023, 1024, 1025, 2049, 15 * 1024, 15 * 1024 + 1, 17 * 1024]);
    window_borders(&toy_djn(), &[1024, 1025, 3100]);
    window_borders(&Bfv::new().unwrap(), &[993, 1025, 3100]);
}

#[test]
#[ignore = "many gates: minutes"]
fn aes_by_ec_elgamal_and_bfv() {
    let aes = library::aes128().unwrap();
    let key = bits(0x000102030405060708090a0b0c0d0e0f, 128);
    let plaintext = bits(0x00112233445566778899aabbccddeeff, 128);
    let ciphertext = bits(0x69c4e0d86a7b0430d8cdb78070b4c55a, 128);
    let function = private(&aes, None);
    let by_points = block_on(run(EcElgamal, &function, [&key, &plaintext], wide_pair(LIMIT)));
    assert_eq!(by_points.result, ciphertext);
    let by_lattices = block_on(run(Bfv::new().unwrap(), &function, [&key, &plaintext], wide_pair(LIMIT)));
    assert_eq!(by_lattices.result, ciphertext);
}

#[test]
fn bytes_stay_below_the_papers() {
    let mebibytes = |bytes: Bytes| (bytes.setup.holder + bytes.setup.owner) as f64 / 1024.0 / 1024.0;
    let djn = [ModulusSize::MEDIUM, ModulusSize::LONG].map(|size| Djn::new(size).unwrap());
    for (exponent, elgamal, paillier, lattice) in [
        (2, 0.05, 0.34, 1.22),
        (3, 0.35, 2.39, 6.91),
        (4, 3.35, 22.89, 64.02),
        (5, 33.39, 228.08, 635.55),
        (6, 333.8, 2280.29, 6351.88),
    ] {
        let gates = 10usize.pow(exponent) - 64;
        let size = size(0, 64, gates, gates.min(64));
        assert!(mebibytes(katz_malka::bytes(&EcElgamal, &size)) <= elgamal);
        assert!(djn.iter().all(|djn| mebibytes(katz_malka::bytes(djn, &size)) <= paillier));
        assert!(mebibytes(katz_malka::bytes(&Bfv::new().unwrap(), &size)) <= lattice);
    }
}

#[test]
fn a_million_gates_take_the_bytes_that_are_documented() {
    let size = size(0, 64, 1_000_000 - 64, 64);
    let sent = |bytes: Bytes| bytes.setup.holder + bytes.setup.owner;
    let [medium, long] = [ModulusSize::MEDIUM, ModulusSize::LONG].map(|size| Djn::new(size).unwrap());
    let bfv = Bfv::new().unwrap();
    assert_eq!(sent(katz_malka::bytes(&EcElgamal, &size)), 321_979_424);
    assert_eq!(sent(katz_malka::bytes(&medium, &size)), 680_456_736);
    assert_eq!(sent(katz_malka::bytes(&long, &size)), 936_690_464);
    assert_eq!(sent(katz_malka::bytes(&bfv, &size)), 4_966_682_144);
}

/// One introduction, then a run of each function.
#[test]
fn channels_that_grant_little_are_enough() {
    fn by<S: Scheme>(scheme: S, gates: usize) {
        let function = private(&comparison(), Some(gates));
        let inputs = [&bits(7, 16)[..], &bits(9, 16)];
        assert_eq!(block_on(run(scheme, &function, inputs, pair(LIMIT))).result, [true]);
    }
    by(EcElgamal, 17 * 1024);
    by(toy_djn(), 4500);
    by(Bfv::new().unwrap(), 4500);
}

async fn runs<S: Scheme>(scheme: S, functions: &[PrivateFunction], inputs: [&[bool]; 2]) -> Vec<Vec<bool>> {
    let size = *functions[0].size();
    let (a, b) = pair(LIMIT);
    let of_holder = scheme.clone();
    let holder = async {
        let (mut channel, mut prg) = (open(&a), prg(1));
        let mut holder = Holder::new(of_holder, size);
        let early = holder.prepare(&mut channel, &functions[0], &mut prg).await;
        assert!(matches!(early, Err(PfeError::NotIntroduced)));
        holder.introduce(&mut channel).await?;
        assert!(matches!(holder.introduce(&mut channel).await, Err(PfeError::Introduced)));
        for function in functions {
            // The function is not needed before setupf.
            let wires = holder.setup_size(&mut channel, &mut prg).await?;
            let run = wires.setup_function(&mut channel, function, &mut prg).await?;
            run.evaluate(&mut channel, inputs[0], &mut prg).await?;
        }
        channel.finish().await?;
        Ok::<_, PfeError>(())
    };
    let owner = async {
        let (mut channel, mut prg) = (open(&b), prg(2));
        let mut owner = Owner::new(scheme, size, &mut prg)?;
        assert!(matches!(owner.prepare(&mut channel, &mut prg).await, Err(PfeError::NotIntroduced)));
        owner.introduce(&mut channel).await?;
        assert!(matches!(owner.introduce(&mut channel).await, Err(PfeError::Introduced)));
        let mut results = Vec::new();
        for _ in functions {
            let wires = owner.setup_size(&mut channel, &mut prg).await?;
            let run = wires.setup_function(&mut channel, &mut prg).await?;
            results.push(run.evaluate(&mut channel, inputs[1], &mut prg).await?);
        }
        channel.finish().await?;
        Ok(results)
    };
    tokio::try_join!(holder, owner).unwrap().1
}

#[test]
fn one_key_serves_runs_of_many_functions() {
    let circuits: Vec<_> = (0..4).map(|seed| random_circuit(seed, [2, 2], 12, 3)).collect();
    let functions: Vec<_> = circuits.iter().map(|circuit| private(circuit, Some(80))).collect();
    let (holder, owner) = ([true, false], [true, true]);
    let expected: Vec<_> =
        circuits.iter().map(|circuit| circuit.evaluate(&[holder, owner].concat()).unwrap()).collect();
    assert_eq!(block_on(runs(EcElgamal, &functions, [&holder, &owner])), expected);
    assert_eq!(block_on(runs(toy_djn(), &functions, [&holder, &owner])), expected);
    assert_eq!(block_on(runs(Bfv::new().unwrap(), &functions, [&holder, &owner])), expected);
}

#[test]
fn functions_of_another_size_are_refused_before_anything_is_sent() {
    let circuit = random_circuit(3, [2, 2], 12, 3);
    let (announced, given) = (private(&circuit, Some(80)), private(&circuit, Some(81)));
    let refused = block_on(async {
        let (a, _b) = pair(LIMIT);
        let mut channel = open(&a);
        let mut holder = Holder::new(EcElgamal, *announced.size());
        let refused =
            holder.introduce_and_prepare(&mut channel, &given, &mut prg(1)).await.map(|_| ()).unwrap_err();
        assert_eq!(channel.bytes_sent(), 0);
        refused
    });
    assert!(matches!(
        refused,
        PfeError::Function(FunctionError::Count { what: "gates", given: 81, announced: 80 })
    ));
}

#[test]
fn moduli_without_room_for_an_operand_are_refused() {
    assert!(Djn::new(ModulusSize::insecure(192).unwrap()).is_err());
    assert!(Djn::new(ModulusSize::insecure(208).unwrap()).is_ok());
}
