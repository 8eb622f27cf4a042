//! What memory holds when it is freed: nothing of labels, shares, keys and inputs.
//!
//! This binary has an allocator of its own, which looks at every block as it is freed; see `witness`.

#[allow(dead_code, reason = "tests of stores use more of it")]
#[path = "../crates/nparty/tests/integration/site/mod.rs"]
mod site;
#[path = "../crates/crypto/tests/witness/mod.rs"]
mod witness;

use std::hint::black_box;

use site::Site;
use tacit_crypto::Prg;
use tacit_engine::in_process;
use tacit_ir::{Builder, Domain, Program, Shape, ShiftOp, Words, interpret};
use tacit_lower::Options;
use tacit_math::field::Mersenne61;
use tacit_math::{Bits, Block, Wiped};
use tacit_nparty::compiled::Compiled;
use tacit_plan::{DomainChoice, MatrixChoice, ModeChoice, PlanOptions, TransferChoice};
use witness::{LANES, turn, watch, watched};

/// Random numbers that no other memory holds, not even this thread's stack.
fn numbers(seed: u128, count: usize) -> Vec<u64> {
    let draw = move || {
        let mut prg = Prg::new(Block(seed));
        (0..count).map(|_| prg.next_u64() >> 3 | 1 << 60).collect()
    };
    std::thread::spawn(draw).join().expect("no panic")
}

#[test]
fn the_witness_sees_what_is_left_behind() {
    let _turn = turn();
    let secrets = numbers(1, LANES);
    let (_, found) = watched(&[], || drop(black_box(secrets.clone())));
    assert_eq!(found.values().sum::<usize>(), 1, "a vector of as many words as lanes");
    let (_, found) = watched(&secrets[..1], || drop(black_box(Box::new([0, secrets[0], 0]))));
    assert_eq!(found.values().sum::<usize>(), 1, "a number wherever it stands");
    let (_, found) = watched(&secrets, || drop(black_box(vec![0u64; LANES])));
    assert!(found.is_empty(), "{found:?}");
    // A vector that grows leaves a copy behind.
    let mut growing = Vec::with_capacity(LANES);
    growing.extend(secrets.iter().map(|number| u128::from(*number)));
    let (mut growing, found) = watched(&[], || {
        growing.push(1);
        growing
    });
    assert_eq!(found.values().sum::<usize>(), 1, "what moved");
    growing.fill(0);
}

#[test]
fn vectors_of_secrets_are_wiped() {
    let _turn = turn();
    let secrets = numbers(2, LANES);
    watch(&secrets, || {
        drop(Wiped::from(secrets.clone()));
        let mut cut = secrets.clone();
        cut.truncate(3);
        drop(Wiped::from(cut));
        drop(Words::from_u128s(64, &[7; LANES]));
        let words: Vec<u128> = secrets.iter().map(|word| (*word).into()).collect();
        drop(Words::from_u128s(64, &Wiped::from(words)));
    });
}

#[test]
fn bits_are_wiped_also_when_they_grow() {
    let _turn = turn();
    let secrets = numbers(3, LANES);
    let all = Bits::from_words(secrets.clone(), 64 * LANES);
    watch(&secrets, || {
        let (mut pushed, mut extended, mut words) = (Bits::default(), Bits::default(), Bits::default());
        for number in 0..LANES {
            let bits = all.slice(64 * number..64 * (number + 1));
            bits.iter().for_each(|bit| pushed.push(bit));
            extended.extend_bits(&bits);
            words.extend_words(bits.words(), 64);
        }
        let collected: Bits = all.iter().collect();
        assert!([&pushed, &extended, &words, &collected].into_iter().all(|bits| *bits == all));
        drop(all);
    });
}

/// A program over arrays of two parties that uses every kind of operation on shares.
fn program() -> Program {
    let array =
        || Shape::Array { length: LANES as u32, element: Shape::Integer { bits: 64, signed: false }.into() };
    let mut builder = Builder::new("operations");
    let roles = [builder.role("A"), builder.role("B")];
    let inputs = roles.map(|role| builder.input("x", role, array()).unwrap());
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    let product = main.mul(x, y).unwrap();
    let less = main.lt_u(product, y).unwrap();
    let least = main.select(less, product, x).unwrap();
    let shifted = main.shift_by(ShiftOp::RightU, least, 5).unwrap();
    let sum = main.add(shifted, y).unwrap();
    let output = builder.output("sum", roles.to_vec(), array()).unwrap();
    main.output(&builder, output, &[sum]).unwrap();
    builder.finish(main).unwrap()
}

/// The product of a row of one party and a column of the other.
fn product() -> Program {
    let array = |length| Shape::Array { length, element: Shape::Integer { bits: 64, signed: false }.into() };
    let mut builder = Builder::new("product");
    let roles = [builder.role("A"), builder.role("B")];
    let inputs = roles.map(|role| builder.input("x", role, array(LANES as u32)).unwrap());
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    let product = main.matrix_product(x, y, 1, 1, LANES as u64, 1).unwrap();
    let output = builder.output("product", roles.to_vec(), array(1)).unwrap();
    main.output(&builder, output, &[product]).unwrap();
    builder.finish(main).unwrap()
}

/// Runs the program of all operations between two parties in this process.
fn run(options: &PlanOptions) {
    run_program(&program(), options);
}

fn run_program(program: &Program, options: &PlanOptions) {
    let secrets = [4, 5].map(|seed| numbers(seed, LANES));
    let column = |words: &Vec<u64>| vec![Words::from_limbs(64, LANES as u64, words.clone()).unwrap()];
    let inputs: Vec<Vec<Words>> = secrets.iter().map(column).collect();
    let expected = interpret(program, &inputs, || 0).unwrap();
    watch(&secrets.concat(), || {
        let both = in_process(program, &inputs, options).unwrap();
        assert!(both.outputs() == expected);
        drop(inputs);
    });
}

#[test]
fn labels_are_wiped() {
    let _turn = turn();
    for mode in [ModeChoice::Streamed, ModeChoice::Precomputed] {
        run(&PlanOptions { domain: DomainChoice::In(Domain::Yao), mode, ..PlanOptions::default() });
    }
}

#[test]
fn shares_of_bits_are_wiped() {
    let _turn = turn();
    run(&PlanOptions { domain: DomainChoice::In(Domain::Bool), ..PlanOptions::default() });
}

#[test]
fn shares_of_words_are_wiped() {
    let _turn = turn();
    run(&PlanOptions { domain: DomainChoice::In(Domain::Arith), ..PlanOptions::default() });
    run(&PlanOptions { domain: DomainChoice::Auto, ..PlanOptions::default() });
}

#[test]
fn silent_transfers_are_wiped() {
    let _turn = turn();
    let transfers = TransferChoice::Silent;
    run(&PlanOptions { domain: DomainChoice::In(Domain::Arith), transfers, ..PlanOptions::default() });
}

#[test]
fn what_lattices_make_is_wiped() {
    let _turn = turn();
    for matrices in [MatrixChoice::Lattice, MatrixChoice::Ot] {
        let options =
            PlanOptions { domain: DomainChoice::In(Domain::Arith), matrices, ..PlanOptions::default() };
        run_program(&product(), &options);
    }
}

#[test]
fn shares_of_n_parties_are_wiped() {
    let _turn = turn();
    let secrets = numbers(6, LANES);
    for (parties, threshold) in [(3, 1), (5, 2)] {
        let site = Site::new(parties, threshold);
        watch(&secrets, || {
            let results = site.run_in(
                &Mersenne61,
                |_| None,
                |task| {
                    let own = (task.me() == 0).then(|| secrets.clone());
                    let x = task.input(0, LANES, own)?;
                    let product = task.mul(&task.mul(&x, &x)?, &x)?;
                    let sum = task.add(&product, &task.random(LANES)?)?;
                    // What is opened is public, and this test's.
                    let opened = Wiped::from(task.wait(&task.open(&sum)?)?);
                    Ok(opened.len())
                },
            );
            results.into_iter().for_each(|result| assert_eq!(result.unwrap(), LANES));
        });
    }
}

/// A comparison of two parties' products of `LANES` words.
fn compared_products() -> Program {
    let array = |bits: u32| Shape::Array {
        length: LANES as u32,
        element: Box::new(Shape::Integer { bits, signed: false }),
    };
    let mut builder = Builder::new("compared products");
    let roles = ["A", "B"].map(|role| builder.role(role));
    let ports = roles.map(|role| builder.input("x", role, array(64)).unwrap());
    let less = builder.output("less", roles.to_vec(), array(1)).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = ports.map(|port| main.input(&builder, port).unwrap()[0]);
    let product = main.mul(x, y).unwrap();
    let found = main.lt_u(product, y).unwrap();
    main.output(&builder, less, &[found]).unwrap();
    builder.finish(main).unwrap()
}

#[test]
fn labels_of_three_parties_are_wiped() {
    let _turn = turn();
    let secrets = numbers(8, LANES);
    for domain in [Domain::Yao, Domain::Arith] {
        let options = Options { domain, bits: Domain::Yao, effort: 0, ..Compiled::bit_options() };
        let compiled = Compiled::lowered(&compared_products(), &options, &[0, 1]).unwrap();
        let site = Site::new(3, 1);
        watch(&secrets, || {
            let results = site.run_in(
                &Mersenne61,
                |_| None,
                |task| {
                    let words: Vec<u128> = secrets.iter().map(|word| (*word).into()).collect();
                    let words = Words::from_u128s(64, &Wiped::from(words));
                    let mut given = vec![Vec::new(), Vec::new()];
                    if let Some(given) = given.get_mut(task.me()) {
                        given.push(words);
                    }
                    Ok(compiled.run(task, &given).expect("runs").len())
                },
            );
            results.into_iter().for_each(|result| assert_eq!(result.unwrap(), 1));
        });
    }
}
