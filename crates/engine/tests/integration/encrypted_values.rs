//! Encrypted values: both parties against the interpreter, traffic against the plan's prediction, and refusals.

use crate::loopback::pair::{Folder, site, task_with};
use crate::loopback::stores::{as_predicted, with_stores};
use crate::operations::{WIDTHS, encrypted_domains, operations, words};
use crate::several_domains::check_with;
use tacit_arbitrary::{self as arbitrary, Size};
use tacit_engine::{CancelFlag, in_process};
use tacit_ir::{
    Builder, Domain, Index, PortId, Program, ScanOp, Shape, ShiftOp, TemplateBuilder, ValueId, Words,
    interpret,
};
use tacit_net::Phase;
use tacit_plan::{DomainChoice, PlanError, PlanOptions, SecurityLevel, SecurityParams, Traffic};
use tacit_schedule::Consumed;

fn at(level: SecurityLevel) -> PlanOptions {
    PlanOptions { security: SecurityParams { level, ..SecurityParams::default() }, ..PlanOptions::default() }
}

fn toy() -> PlanOptions {
    at(SecurityLevel::Toy)
}

fn array(bits: u32, length: u32) -> Shape {
    Shape::Array { length, element: Shape::Integer { bits, signed: false }.into() }
}

/// A program over the words of both parties, pinned to encryption, whose results `write` makes.
fn program(
    bits: u32,
    lanes: u32,
    write: impl FnOnce(&mut TemplateBuilder, [ValueId; 2]) -> Vec<ValueId>,
) -> Program {
    let mut builder = Builder::new("encrypted");
    let roles = [builder.role("A"), builder.role("B")];
    let inputs = roles.map(|role| builder.input("x", role, array(bits, lanes)).unwrap());
    let mut main = builder.template("main", vec![]);
    let xy = inputs.map(|port| {
        let value = main.input(&builder, port).unwrap()[0];
        main.pin(Domain::He, value).unwrap()
    });
    for (number, value) in write(&mut main, xy).into_iter().enumerate() {
        let tacit_ir::ValueType { ty: tacit_ir::Type::Word(bits), lanes } = main.value_type(value) else {
            unreachable!("no fields here")
        };
        let output =
            builder.output(&format!("out{number}"), roles.to_vec(), array(bits, lanes as u32)).unwrap();
        main.output(&builder, output, &[value]).unwrap();
    }
    builder.finish(main).unwrap()
}

fn constant(main: &mut TemplateBuilder, bits: u32, words: &[u128]) -> ValueId {
    main.constant(Words::from_u128s(bits, words)).unwrap()
}

/// Every operation on ciphertexts, on `lanes` words, an even number.
fn taken(bits: u32, lanes: u32) -> Program {
    let top = u128::MAX >> (128 - bits);
    let factors: Vec<u128> =
        (0..u128::from(lanes)).map(|i| [3 & top, top, 0, 1, 1 << (bits - 1)][i as usize % 5]).collect();
    program(bits, lanes, |main, [x, y]| {
        let factors = constant(main, bits, &factors);
        let one = constant(main, bits, &[top - 1]);
        let copies = main.gather(one, Index::Range { start: 0, step: 0, count: lanes.into() }).unwrap();
        let negative = main.neg(y).unwrap();
        let difference = main.sub(x, y).unwrap();
        let scaled = main.mul(difference, factors).unwrap();
        let linear = main.add(scaled, negative).unwrap();
        let wide = main.zero_extend(x, (bits + 5).min(128)).unwrap();
        let odd = main.gather(linear, Index::Range { start: 1, step: 2, count: (lanes / 2).into() }).unwrap();
        let joined = main.join(&[odd, x]).unwrap();
        vec![
            main.add(x, y).unwrap(),
            difference,
            main.sub(factors, x).unwrap(),
            main.sub(x, factors).unwrap(),
            negative,
            main.mul(copies, x).unwrap(),
            linear,
            main.shift_by(ShiftOp::Left, x, bits / 2).unwrap(),
            main.segment_sum(linear, u64::from(lanes) / 2).unwrap(),
            main.scan(ScanOp::Add, scaled, u64::from(lanes) / 2).unwrap(),
            main.segment_sum(wide, lanes.into()).unwrap(),
            main.mul(joined, joined).unwrap(),
        ]
    })
}

fn both(bits: u32, lanes: u32) -> [Vec<Words>; 2] {
    [1, 2].map(|seed| vec![words(seed, bits, lanes)])
}

#[test]
fn what_ciphertexts_take_agrees_with_the_interpreter() {
    for bits in WIDTHS {
        for lanes in [2, 6] {
            let context = format!("{bits} bits, {lanes} lanes");
            let both = check_with(&taken(bits, lanes), &both(bits, lanes), &toy(), &context);
            assert!(both.garbler.report.domains.iter().any(|work| work.domain == "he"), "{context}");
        }
    }
}

#[test]
fn two_encrypted_words_are_multiplied_as_sums() {
    let squares = program(32, 5, |main, [x, y]| {
        let sum = main.add(x, y).unwrap();
        vec![main.mul(sum, y).unwrap(), main.mul(y, y).unwrap()]
    });
    let both = check_with(&squares, &both(32, 5), &toy(), "products");
    let plan = tacit_engine::plan(&squares, &toy()).unwrap();
    let kinds: Vec<Consumed> = plan.material().iter().map(|(kind, _)| kind).collect();
    assert!(
        kinds.contains(&Consumed::Product { bits: 32 }) && kinds.contains(&Consumed::Square { bits: 32 })
    );
    assert_eq!(both.garbler.report.domains.iter().map(|work| work.and_count).sum::<u64>(), 0);
}

#[test]
fn matrices_multiply_encrypted_ones() {
    for (batch, rows, inner, columns) in [(1, 1, 4, 3), (2, 3, 2, 1), (3, 2, 2, 2)] {
        let mut builder = Builder::new("matrices");
        let roles = [builder.role("A"), builder.role("B")];
        let [left, right] = [batch * rows * inner, batch * inner * columns];
        let x = builder.input("x", roles[0], array(16, left)).unwrap();
        let y = builder.input("y", roles[1], array(16, right)).unwrap();
        let out = ["by", "times"]
            .map(|name| builder.output(name, roles.to_vec(), array(16, batch * rows * columns)).unwrap());
        let mut main = builder.template("main", vec![]);
        let [x, y] = [x, y].map(|port| {
            let value = main.input(&builder, port).unwrap()[0];
            main.pin(Domain::He, value).unwrap()
        });
        let weights =
            |count: u32| -> Vec<u128> { (0..u128::from(count)).map(|i| (i * 40503) & 0xffff).collect() };
        let [a, b] = [(left, weights(left)), (right, weights(right))]
            .map(|(_, weights)| constant(&mut main, 16, &weights));
        let shape = [batch, rows, inner, columns].map(u64::from);
        let [batch, rows, inner, columns] = shape;
        let products = [(x, b), (a, y)].map(|(left, right)| {
            let op = tacit_ir::Op::MatrixProduct { left, right, batch, rows, inner, columns };
            main.push(&builder, op).unwrap()[0]
        });
        out.iter().zip(products).for_each(|(out, product)| main.output(&builder, *out, &[product]).unwrap());
        let program = builder.finish(main).unwrap();
        let inputs = [vec![words(5, 16, left)], vec![words(6, 16, right)]];
        check_with(&program, &inputs, &toy(), &format!("{shape:?}"));
    }
}

#[test]
fn every_operation_meets_encrypted_operands_and_gives_encrypted_results() {
    for (i, domains) in encrypted_domains().enumerate() {
        let (bits, lanes) = (WIDTHS[i % 9], [1, 3][i % 2]);
        let context = format!("{bits} bits, {lanes} lanes, {domains:?}");
        check_with(&operations(bits, lanes, domains), &both(bits, lanes), &toy(), &context);
    }
}

#[test]
fn random_programs_that_encrypt_agree_with_the_interpreter() {
    random_programs(0..40, 24);
}

#[test]
#[ignore = "minutes: hundreds of programs"]
fn many_random_programs_that_encrypt_agree_with_the_interpreter() {
    random_programs(1000..1600, 130);
}

fn random_programs(seeds: std::ops::Range<u64>, bits: u32) {
    let domains = [Domain::Yao, Domain::He, Domain::Bool, Domain::Arith].map(DomainChoice::In);
    for seed in seeds {
        let size = Size { pins: true, encrypted: true, bits, lanes: 8, ..Size::default() };
        let program = arbitrary::program(seed, &size);
        let inputs = arbitrary::inputs(&program, seed);
        let options = PlanOptions { domain: domains[seed as usize % 4], ..toy() };
        check_with(&program, &inputs, &options, &format!("seed {seed}"));
    }
}

#[test]
fn keys_of_both_levels_work() {
    for level in [SecurityLevel::Medium, SecurityLevel::Long] {
        check_with(&taken(32, 4), &both(32, 4), &at(level), &format!("{level}"));
    }
}

/// A value that is multiplied by `factor` this many times, within words whose width does not show it.
fn powers(times: u32) -> Program {
    program(32, 1, |main, [_, y]| {
        let factor = constant(main, 32, &[0x7654_3210]);
        vec![(0..times).fold(y, |power, _| main.mul(power, factor).unwrap())]
    })
}

#[test]
fn numbers_that_outgrow_the_key_are_refused_when_the_program_is_planned() {
    // 33 bits at first, then 32 more for each product, besides a mask of 40 bits and a carry.
    check_with(&powers(13), &both(32, 1), &toy(), "thirteen products");
    let error = tacit_engine::plan(&powers(14), &toy()).unwrap_err();
    let PlanError::Plaintext { needed, limit, level } = error else { panic!("{error}") };
    assert_eq!((needed, limit, level), (481, 470, "toy"));
    assert!(error.to_string().contains("481 bits"), "{error}");
    assert!(tacit_engine::plan(&powers(14), &at(SecurityLevel::Medium)).is_ok());
}

#[test]
fn numbers_that_nobody_reads_are_not_computed() {
    let unread = program(32, 1, |main, [x, y]| {
        let factor = constant(main, 32, &[0x7654_3210]);
        let _ = (0..14).fold(x, |power, _| main.mul(power, factor).unwrap());
        vec![main.add(x, y).unwrap()]
    });
    check_with(&unread, &both(32, 1), &toy(), "fourteen products that nobody reads");
}

#[test]
fn words_of_more_than_128_bits_are_not_encrypted() {
    let wide = program_of_width(129);
    let error = tacit_engine::plan(&wide, &toy()).unwrap_err().to_string();
    assert!(error.contains("takes words of at most 128 bits"), "{error}");
}

fn program_of_width(bits: u32) -> Program {
    program(bits, 1, |main, [x, y]| vec![main.add(x, y).unwrap()])
}

#[test]
fn the_key_is_sent_once_a_session_and_prepared_runs_have_keys_of_their_own() {
    let program = taken(16, 4);
    let task = task_with(&program, &PlanOptions::default());
    let inputs = both(16, 4);
    let expected = interpret(&program, &inputs, || 0).unwrap();
    let (site, folder) = (site(), Folder::new());
    let own = |index: usize| vec![(PortId(index as u32), inputs[index].clone())];
    let key_bytes = 768;
    with_stores(&site, [&folder; 2], |index, session, store| {
        let prepared = session.prepare(&task, store, 1, &CancelFlag::new()).unwrap();
        as_predicted(&prepared.report, "preparing");
        let mut setups = Vec::new();
        for run in 0..3 {
            let outcome = session.run(&task, &own(index), &CancelFlag::new()).unwrap();
            as_predicted(&outcome.report, &format!("run {run}"));
            assert_eq!(outcome.outputs, expected);
            setups.push(outcome.report.predicted.setup.evaluator_bytes);
        }
        // Transfers were set up by preparing.
        assert!(setups[0] >= setups[1] + key_bytes, "{setups:?}");
    });
    with_stores(&site, [&folder; 2], |index, session, store| {
        let outcome = session.run_prepared(&task, &own(index), store, &CancelFlag::new()).unwrap();
        as_predicted(&outcome.report, "spending");
        assert_eq!(outcome.outputs, expected);
        assert_eq!(outcome.report.predicted.setup, Traffic::default(), "the entry has key and randomness");
    });
}

#[test]
fn comparisons_under_encryption_are_prepared_and_spent() {
    let program = comparisons(8, 2, false);
    let task = task_with(&program, &PlanOptions::default());
    let inputs = both(8, 2);
    let expected = interpret(&program, &inputs, || 0).unwrap();
    let (site, folder) = (site(), Folder::new());
    with_stores(&site, [&folder; 2], |_, session, store| {
        let prepared = session.prepare(&task, store, 3, &CancelFlag::new()).unwrap();
        as_predicted(&prepared.report, "preparing");
    });
    with_stores(&site, [&folder; 2], |index, session, store| {
        let own = [(PortId(index as u32), inputs[index].clone())];
        for entry in 0..3 {
            let outcome = session.run_prepared(&task, &own, store, &CancelFlag::new()).unwrap();
            as_predicted(&outcome.report, "spending");
            assert_eq!((outcome.outputs, outcome.report.store_entry), (expected.clone(), Some(entry)));
            assert_eq!(outcome.report.predicted.setup, Traffic::default());
        }
    });
}

#[test]
fn an_encrypted_sum_costs_a_ciphertext_a_word_of_the_owner_and_one_for_many_outputs() {
    let lanes = 40;
    let sums = program(32, lanes, |main, [x, y]| vec![main.add(x, y).unwrap()]);
    let both = in_process(&sums, &both(32, lanes), &at(SecurityLevel::Medium)).unwrap();
    let report = &both.garbler.report;
    let online = report.phase(Phase::Online).unwrap();
    // Slots of 34 bits, a mask of 40 and a carry: 27 in 2047 bits.
    // Words of the holder are not encrypted.
    let (encrypted, replies, outputs) = (u64::from(lanes) * 512, 2 * 512, u64::from(lanes) * 4);
    assert_eq!(online.payload_received, Some(encrypted + outputs), "{online:?}");
    assert_eq!(online.payload_sent, Some(replies + outputs), "{online:?}");
}

/// Both parties' words pinned to encryption, and the results of `write`, pinned there too before they are output.
fn pinned(
    bits: u32,
    lanes: u32,
    write: impl FnOnce(&mut TemplateBuilder, [ValueId; 2]) -> Vec<ValueId>,
) -> Program {
    program(bits, lanes, |main, xy| {
        write(main, xy).into_iter().map(|value| main.pin(Domain::He, value).unwrap()).collect()
    })
}

/// Correlated randomness of a plan.
fn kinds(program: &Program, options: &PlanOptions) -> Vec<Consumed> {
    tacit_engine::plan(program, options).unwrap().material().iter().map(|(kind, _)| kind).collect()
}

#[test]
fn products_by_words_of_the_holder_take_no_message() {
    for (bits, lanes) in [(8, 1), (32, 6), (64, 3), (100, 2)] {
        let products = program(bits, lanes, |main, [x, y]| {
            let doubled = main.add(x, x).unwrap();
            let negative = main.neg(x).unwrap();
            let factor = main.mul(doubled, negative).unwrap();
            vec![main.mul(x, y).unwrap(), main.mul(y, factor).unwrap(), main.mul(x, x).unwrap()]
        });
        let medium = check_with(&products, &both(bits, lanes), &at(SecurityLevel::Medium), "by the holder");
        assert_eq!(kinds(&products, &toy()), [Consumed::Ciphertext]);
        let report = &medium.garbler.report;
        let online = report.phase(Phase::Online).unwrap();
        // One of the owner for each word, one of the holder for each output, and the opening of these.
        let outputs = 3 * (u64::from(bits) * u64::from(lanes)).div_ceil(8);
        let received = online.payload_received.unwrap();
        assert!(received.abs_diff(512 * u64::from(lanes) + outputs) < 3, "{received}");
    }
}

#[test]
fn products_that_are_pinned_are_blinded_and_take_one_round() {
    for (bits, lanes) in [(1, 3), (8, 1), (32, 5), (64, 2)] {
        let products = pinned(bits, lanes, |main, [x, y]| {
            let sum = main.add(x, y).unwrap();
            let product = main.mul(sum, y).unwrap();
            let product = main.pin(Domain::He, product).unwrap();
            vec![product, main.mul(y, y).unwrap()]
        });
        check_with(&products, &both(bits, lanes), &toy(), &format!("{bits} bits, {lanes} lanes"));
        assert_eq!(kinds(&products, &toy()), [Consumed::Ciphertext]);
    }
    let one = pinned(32, 4, |main, [_, y]| vec![main.mul(y, y).unwrap()]);
    let both = check_with(&one, &both(32, 4), &at(SecurityLevel::Medium), "squares");
    let online = both.garbler.report.phase(Phase::Online).unwrap();
    // Words, products, opened shares; eight factors under masks, products under others, opened shares.
    assert_eq!(online.payload_received, Some(4 * 512 + 4 * 512 + 16));
    assert_eq!(online.payload_sent, Some(512 + 512 + 16));
}

/// Comparisons of inputs, of sums, with constants and with words of the holder's, each pinned to encryption and read as a number.
fn comparisons(bits: u32, lanes: u32, signed: bool) -> Program {
    program(bits, lanes, |main, [x, y]| {
        let wide = if signed { TemplateBuilder::sign_extend } else { TemplateBuilder::zero_extend };
        let less = if signed { TemplateBuilder::lt_s } else { TemplateBuilder::lt_u };
        let [x, y] = [x, y].map(|value| wide(main, value, bits + 3).unwrap());
        let sum = main.add(x, y).unwrap();
        let twice = main.add(y, y).unwrap();
        let factor = constant(main, bits + 3, &vec![2; lanes as usize]);
        let bits = [
            less(main, x, y).unwrap(),
            less(main, y, x).unwrap(),
            less(main, sum, twice).unwrap(),
            less(main, y, factor).unwrap(),
            main.eq(x, y).unwrap(),
            main.eq(sum, twice).unwrap(),
            main.eq(y, factor).unwrap(),
        ];
        let [le, ne] = [bits[1], bits[4]].map(|bit| main.not(bit).unwrap());
        let bits = [bits[0], le, bits[2], bits[3], ne, bits[5], bits[6]];
        let chosen = bits.map(|bit| {
            let bit = main.pin(Domain::He, bit).unwrap();
            let bit = main.zero_extend(bit, 8).unwrap();
            main.add(bit, bit).unwrap()
        });
        chosen.to_vec()
    })
}

#[test]
fn comparisons_that_are_pinned_are_done_under_encryption() {
    for (bits, lanes) in [(1, 4), (3, 7), (8, 5), (16, 3), (32, 2), (60, 1)] {
        for signed in [false, true] {
            let context = format!("{bits} bits, {lanes} lanes, signed {signed}");
            let program = comparisons(bits, lanes, signed);
            let edges = u128::MAX >> (128 - bits);
            let edge =
                |at: u32| [0, edges, edges >> 1, 1, (edges >> 1) + 1, edges - 1, 2][at as usize % 7] & edges;
            let of = |shift: u32| {
                vec![Words::from_u128s(bits, &(0..lanes).map(|i| edge(i + shift)).collect::<Vec<_>>())]
            };
            for inputs in [[of(0), of(0)], [of(0), of(1)], [of(3), of(1)], both(bits, lanes)] {
                check_with(&program, &inputs, &toy(), &context);
            }
            assert_eq!(kinds(&program, &toy()), [Consumed::Ciphertext], "{context}");
        }
    }
}

#[test]
fn comparisons_under_encryption_take_a_round_and_two_messages() {
    let one = pinned_bits(|main, [x, y]| vec![main.lt_u(x, y).unwrap()]);
    let both = check_with(&one, &both(16, 4), &at(SecurityLevel::Medium), "less");
    let online = both.garbler.report.phase(Phase::Online).unwrap();
    // Words of y; bits of the masked differences with a tag; encrypted results; opened shares.
    assert_eq!(online.payload_received, Some(4 * 512 + 16 + 4 * 16 * 256 + 4 * 512 + 1));
    // Differences, packed; positions with a tag; masked results, packed; opened shares.
    assert_eq!(online.payload_sent, Some(512 + 16 + 4 * 17 * 256 + 512 + 1));
}

/// Two words of 16 bits pinned to encryption, and bits of them, pinned there too.
fn pinned_bits(write: impl FnOnce(&mut TemplateBuilder, [ValueId; 2]) -> Vec<ValueId>) -> Program {
    pinned(16, 4, write)
}

#[test]
fn more_comparisons_than_a_message_takes() {
    let lanes = 600;
    let program = pinned(4, lanes, |main, [x, y]| vec![main.eq(x, y).unwrap()]);
    check_with(&program, &both(4, lanes), &toy(), "600 lanes");
}

#[test]
fn the_key_for_comparisons_is_sent_once_a_session_and_only_where_it_is_needed() {
    let (compares, adds) = (comparisons(8, 2, false), taken(16, 4));
    let tasks = [&adds, &compares, &compares].map(|program| task_with(program, &PlanOptions::default()));
    let inputs = [both(16, 4), both(8, 2), both(8, 2)];
    let site = site();
    let folder = Folder::new();
    with_stores(&site, [&folder; 2], |index, session, _| {
        let mut setups = Vec::new();
        for (task, inputs) in tasks.iter().zip(&inputs) {
            let own = vec![(PortId(index as u32), inputs[index].clone())];
            let outcome = session.run(task, &own, &CancelFlag::new()).unwrap();
            as_predicted(&outcome.report, "a run");
            setups.push(outcome.report.predicted.setup.evaluator_bytes);
        }
        let (key, tag) = (3 * 3072 / 8, 16);
        assert!(setups[1] >= setups[2] + key + tag, "{setups:?}");
    });
}

#[test]
fn wide_words_and_those_whose_difference_may_wrap_are_compared_elsewhere() {
    let wraps = pinned(64, 2, |main, [x, y]| vec![main.lt_u(x, y).unwrap()]);
    check_with(&wraps, &both(64, 2), &toy(), "64 bits");
    assert_ne!(kinds(&wraps, &toy()), [Consumed::Ciphertext]);
    let equal = pinned(65, 2, |main, [x, y]| vec![main.eq(x, y).unwrap()]);
    check_with(&equal, &both(65, 2), &toy(), "65 bits");
    assert_ne!(kinds(&equal, &toy()), [Consumed::Ciphertext]);
}

#[test]
fn matrices_of_both_parties_multiply_under_encryption() {
    for (batch, rows, inner, columns) in [(1, 1, 5, 1), (1, 2, 3, 4), (2, 3, 2, 1)] {
        let mut builder = Builder::new("matrices");
        let roles = [builder.role("A"), builder.role("B")];
        let lanes = [batch * rows * inner, batch * inner * columns];
        let y = [0, 1].map(|i| builder.input(["y", "z"][i], roles[1], array(16, lanes[i])).unwrap());
        let x = builder.input("x", roles[0], array(16, lanes[0])).unwrap();
        let out = ["held", "blinded"]
            .map(|name| builder.output(name, roles.to_vec(), array(16, batch * rows * columns)).unwrap());
        let mut main = builder.template("main", vec![]);
        let [y, z, x] = [y[0], y[1], x].map(|port| {
            let value = main.input(&builder, port).unwrap()[0];
            main.pin(Domain::He, value).unwrap()
        });
        let [batch, rows, inner, columns] = [batch, rows, inner, columns].map(u64::from);
        for (out, left) in out.into_iter().zip([x, y]) {
            let op = tacit_ir::Op::MatrixProduct { left, right: z, batch, rows, inner, columns };
            let product = main.push(&builder, op).unwrap()[0];
            let product = main.pin(Domain::He, product).unwrap();
            main.output(&builder, out, &[product]).unwrap();
        }
        let program = builder.finish(main).unwrap();
        let inputs = [(6, lanes[0]), (7, lanes[1]), (5, lanes[0])];
        let inputs = inputs.map(|(seed, lanes)| vec![words(seed, 16, lanes)]);
        check_with(&program, &inputs, &toy(), &format!("{batch} {rows} {inner} {columns}"));
        assert_eq!(kinds(&program, &toy()), [Consumed::Ciphertext]);
    }
}

#[test]
fn blinded_factors_that_outgrow_the_key_are_refused_when_the_program_is_planned() {
    // Factors of twice 33 bits and more: squares of squares.
    let powers = |times: u32| {
        program(32, 1, |main, [_, y]| {
            let square = |main: &mut TemplateBuilder, y| {
                let square = main.mul(y, y).unwrap();
                main.pin(Domain::He, square).unwrap()
            };
            vec![(0..times).fold(y, |y, _| square(main, y))]
        })
    };
    check_with(&powers(3), &both(32, 1), &toy(), "three squares");
    // Shares of 32 bits, whose sum has 33, and factors of 264 bits.
    let error = tacit_engine::plan(&powers(4), &toy()).unwrap_err();
    let PlanError::Plaintext { needed, limit, level } = error else { panic!("{error}") };
    assert_eq!((needed, limit, level), (2 * 264 + 41, 470, "toy"));
    assert!(tacit_engine::plan(&powers(4), &at(SecurityLevel::Medium)).is_ok());
}

/// A product is stored with the width of its factor's widening, where bits above its own have no meaning.
#[test]
fn what_lies_wider_than_it_is_becomes_wider_by_its_bits() {
    for (from, to) in [(Domain::He, Domain::Arith), (Domain::Arith, Domain::He)] {
        for wide in [TemplateBuilder::zero_extend, TemplateBuilder::sign_extend] {
            let both_ways = program(16, 6, |main, [x, y]| {
                let [x, y] = [x, y].map(|value| main.pin(from, value).unwrap());
                let beside = main.zero_extend(x, 82).unwrap();
                let product = main.mul(x, y).unwrap();
                let product = main.pin(from, product).unwrap();
                let product = main.pin(to, product).unwrap();
                vec![wide(main, product, 45).unwrap(), main.pin(from, beside).unwrap()]
            });
            for domain in [Domain::Yao, from].map(DomainChoice::In) {
                let options = PlanOptions { domain, ..toy() };
                check_with(&both_ways, &both(16, 6), &options, &format!("{from:?} to {to:?}"));
            }
        }
    }
}
