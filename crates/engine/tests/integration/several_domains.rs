//! Values in several domains: both parties against the interpreter, and traffic against the plan's prediction.

use std::time::Duration;

use crate::loopback::{Site, jobs_of, run_pair};
use crate::operations::{LANES, WIDTHS, all_domains, operations, words};
use tacit_arbitrary::{self as arbitrary, Size};
use tacit_engine::{BothOutcomes, RunError, in_process};
use tacit_ir::{Builder, Domain, Index, Program, Shape, ShiftOp, TemplateBuilder, ValueId, Words, interpret};
use tacit_net::Phase;
use tacit_net::session::Transport;
use tacit_net::shape::Shape as Link;
use tacit_plan::{
    DomainChoice, Link as PlannedLink, PlanError, PlanOptions, SecurityLevel, SecurityParams, TransferChoice,
    TransferExtension,
};
use tacit_schedule::Consumed;

const DOMAINS: [DomainChoice; 4] = [
    DomainChoice::In(Domain::Yao),
    DomainChoice::In(Domain::Bool),
    DomainChoice::In(Domain::Arith),
    DomainChoice::Auto,
];

fn check(program: &Program, inputs: &[Vec<Words>], domain: DomainChoice, context: &str) -> BothOutcomes {
    check_with(program, inputs, &PlanOptions { domain, ..PlanOptions::default() }, context)
}

/// A link on which rounds take no time, so that ANDs take two operands.
const NEAR: PlannedLink = PlannedLink { bits_per_second: u64::MAX, round_us: 0 };
/// A link on which rounds take nearly all the time, so that ANDs take up to four operands.
const FAR: PlannedLink = PlannedLink { bits_per_second: u64::MAX, round_us: 1_000_000_000 };

/// One of the domains and one of the links, in turn.
fn in_turn(seed: u64) -> PlanOptions {
    let link = if (seed / 4).is_multiple_of(2) { NEAR } else { FAR };
    PlanOptions { domain: DOMAINS[seed as usize % 4], link, ..PlanOptions::default() }
}

pub(crate) fn check_with(
    program: &Program,
    inputs: &[Vec<Words>],
    options: &PlanOptions,
    context: &str,
) -> BothOutcomes {
    let domain = options.domain;
    let both = in_process(program, inputs, options)
        .unwrap_or_else(|error| panic!("{context}, {domain:?}: {error}\n{}", program.to_text()));
    let expected = interpret(program, inputs, || 0).unwrap();
    assert!(both.outputs() == expected, "{context}, {domain:?}\n{}", program.to_text());
    for outcome in [&both.garbler, &both.evaluator] {
        let (report, side) = (&outcome.report, outcome.report.side);
        let phases = [(Phase::Setup, report.predicted.setup), (Phase::Online, report.predicted.online)];
        for (phase, traffic) in phases {
            let measured = report.phase(phase).unwrap();
            let sent = (measured.payload_sent, measured.payload_received);
            let predicted = (Some(traffic.bytes_sent(side)), Some(traffic.bytes_sent(side.peer())));
            assert_eq!(
                sent,
                predicted,
                "{context}, {domain:?}, {side:?}, {}\n{}",
                phase.name(),
                program.to_text()
            );
            assert_eq!(
                measured.rounds,
                traffic.rounds(side),
                "{context}, {domain:?}, {side:?}, rounds of {}\n{}",
                phase.name(),
                program.to_text()
            );
        }
    }
    both
}

fn random_programs(seeds: std::ops::Range<u64>, size: &Size) {
    for seed in seeds {
        let program = arbitrary::program(seed, size);
        let inputs = arbitrary::inputs(&program, seed);
        check_with(&program, &inputs, &in_turn(seed), &format!("seed {seed}"));
    }
}

#[test]
fn random_programs_with_pins_agree_with_the_interpreter() {
    random_programs(0..60, &Size { pins: true, ..Size::default() });
    random_programs(60..120, &Size { pins: true, bits: 12, ..Size::default() });
}

#[test]
fn random_programs_agree_with_the_interpreter_when_transfers_are_silent() {
    for seed in 0..12 {
        let program = arbitrary::program(seed, &Size { pins: true, bits: 40, ..Size::default() });
        let inputs = arbitrary::inputs(&program, seed);
        let domain = DOMAINS[seed as usize % 4];
        let options = PlanOptions { domain, transfers: TransferChoice::Silent, ..PlanOptions::default() };
        check_with(&program, &inputs, &options, &format!("silent, seed {seed}"));
    }
}

/// Products of as many pairs of 32-bit words, shared by sum.
fn products(count: u32) -> Program {
    let array = |length| Shape::Array { length, element: Shape::Integer { bits: 32, signed: false }.into() };
    let mut builder = Builder::new("products");
    let roles = [builder.role("A"), builder.role("B")];
    let inputs = roles.map(|role| builder.input("x", role, array(count)).unwrap());
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| {
        let value = main.input(&builder, port).unwrap()[0];
        main.pin(Domain::Arith, value).unwrap()
    });
    let product = main.mul(x, y).unwrap();
    let sum = main.segment_sum(product, count.into()).unwrap();
    let output = builder.output("sum", roles.to_vec(), array(1)).unwrap();
    main.output(&builder, output, &[sum]).unwrap();
    builder.finish(main).unwrap()
}

/// Shares of more than a million bits are opened in one message.
#[test]
fn many_outputs_are_opened_in_the_rounds_that_are_predicted() {
    const LANES: u32 = (1 << 20) / 128 + 1;
    let array =
        || Shape::Array { length: LANES, element: Shape::Integer { bits: 128, signed: false }.into() };
    let mut builder = Builder::new("sums");
    let roles = [builder.role("A"), builder.role("B")];
    let inputs = roles.map(|role| builder.input("x", role, array()).unwrap());
    let outputs = [vec![roles[0]], vec![roles[1]], roles.to_vec()];
    let outputs: Vec<_> = ["a", "b", "both"]
        .into_iter()
        .zip(outputs)
        .map(|(name, roles)| builder.output(name, roles, array()).unwrap())
        .collect();
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    let sum = main.add(x, y).unwrap();
    outputs.iter().for_each(|output| main.output(&builder, *output, &[sum]).unwrap());
    let program = builder.finish(main).unwrap();
    let inputs = [vec![words(8, 128, LANES)], vec![words(9, 128, LANES)]];
    for domain in [Domain::Arith, Domain::Bool, Domain::Yao].map(DomainChoice::In) {
        check(&program, &inputs, domain, "many outputs");
    }
}

#[test]
fn the_extension_goes_by_how_many_transfers_there_are_and_by_the_link() {
    let loopback = PlanOptions { link: PlannedLink::LOOPBACK, ..PlanOptions::default() };
    let narrow = PlannedLink { bits_per_second: 5_000_000, round_us: 10_000 };
    let narrow = PlanOptions { link: narrow, ..PlanOptions::default() };
    let silent = PlanOptions { transfers: TransferChoice::Silent, ..loopback.clone() };
    for (count, options, expected) in [
        (10, &PlanOptions::default(), TransferExtension::SoftSpoken),
        (40_000, &PlanOptions::default(), TransferExtension::SilentSmall),
        (40_000, &loopback, TransferExtension::SoftSpoken),
        (10_000, &narrow, TransferExtension::SilentSmall),
        (1_000_000, &narrow, TransferExtension::SilentLarge),
        (10, &silent, TransferExtension::SilentSmall),
    ] {
        let plan = tacit_engine::plan(&products(count), options).unwrap();
        assert_eq!(plan.transfers(), expected, "{count}");
        assert!(plan.to_string().contains(&format!("extension  {expected}")), "{plan}");
    }
    let inputs = [vec![words(8, 32, 40_000)], vec![words(9, 32, 40_000)]];
    let both = check(&products(40_000), &inputs, DomainChoice::In(Domain::Yao), "many products");
    assert_eq!(both.garbler.report.transfers, TransferExtension::SilentSmall);
    let setup = both.garbler.report.predicted.setup;
    // 132 bytes of messages for each product, 64 OTs of 2.33 bits, and the start of silent OT.
    let bytes = setup.garbler_bytes + setup.evaluator_bytes;
    assert!(bytes < 40_000 * 157, "{bytes}");
}

#[test]
#[ignore = "minutes: thousands of programs"]
fn many_random_programs_with_pins_agree_with_the_interpreter() {
    random_programs(1000..2500, &Size { pins: true, ..Size::default() });
    random_programs(2500..4000, &Size { pins: true, bits: 9, lanes: 90, ..Size::default() });
}

fn check_operations(bits: u32, lanes: u32, domains: [Domain; 3]) {
    let inputs = [vec![words(1, bits, lanes)], vec![words(2, bits, lanes)]];
    let context = format!("{bits} bits, {lanes} lanes, {domains:?}");
    check_near_and_far(&operations(bits, lanes, domains), &inputs, &context);
}

fn check_near_and_far(program: &Program, inputs: &[Vec<Words>], context: &str) {
    for link in [NEAR, FAR] {
        let options = PlanOptions { link, ..PlanOptions::default() };
        check_with(program, inputs, &options, &format!("{context}, {link:?}"));
    }
}

#[test]
fn every_operation_in_every_domain() {
    for (i, domains) in all_domains().enumerate() {
        check_operations(WIDTHS[i % 9], LANES[i % 3], domains);
    }
}

#[test]
#[ignore = "many minutes: every operation, domain, conversion, width and number of lanes"]
fn every_operation_in_every_domain_at_every_size() {
    for domains in all_domains() {
        for bits in WIDTHS {
            LANES.iter().for_each(|lanes| check_operations(bits, *lanes, domains));
        }
    }
}

/// All values of both operands, lane by lane.
fn exhaustive(bits: u32) -> [Vec<Words>; 2] {
    let all = 1u128 << bits;
    let pairs = || (0..all).flat_map(|x| (0..all).map(move |y| (x, y)));
    let words = |of: fn((u128, u128)) -> u128| Words::from_u128s(bits, &pairs().map(of).collect::<Vec<_>>());
    [vec![words(|(x, _)| x)], vec![words(|(_, y)| y)]]
}

fn check_exhaustively(widths: std::ops::RangeInclusive<u32>, domains: impl Iterator<Item = [Domain; 3]>) {
    for domains in domains {
        for bits in widths.clone() {
            let program = operations(bits, 1 << (2 * bits), domains);
            let context = format!("all of {bits} bits, {domains:?}");
            check_near_and_far(&program, &exhaustive(bits), &context);
        }
    }
}

#[test]
fn every_operation_on_every_value_of_few_bits() {
    check_exhaustively(1..=3, all_domains().step_by(4));
}

#[test]
#[ignore = "minutes: every operation on every value of up to 6 bits in every combination of domains"]
fn every_operation_on_every_value_of_up_to_six_bits() {
    check_exhaustively(1..=6, all_domains());
}

/// Comparisons of sums without conversion: of inputs whose difference is known to fit, of products about which nothing is
/// known, and with constants; a result selects, becomes a sum, and is output.
fn comparisons(bits: u32, lanes: u32) -> Program {
    let shape = |bits| Shape::Array { length: lanes, element: Shape::Integer { bits, signed: false }.into() };
    let mut builder = Builder::new("comparisons");
    let roles = [builder.role("A"), builder.role("B")];
    let inputs = roles.map(|role| builder.input("x", role, shape(bits)).unwrap());
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| {
        let value = main.input(&builder, port).unwrap()[0];
        main.pin(Domain::Arith, value).unwrap()
    });
    let product = main.mul(x, y).unwrap();
    let large =
        main.constant(Words::from_u128s(bits, &vec![u128::MAX >> (128 - bits); lanes as usize])).unwrap();
    let small = main.constant(Words::from_u128s(bits, &vec![1; lanes as usize])).unwrap();
    let mut given = Vec::new();
    for (a, b) in [(x, y), (product, y), (x, large), (small, product), (x, small), (x, x)] {
        for compare in [TemplateBuilder::lt_u, TemplateBuilder::lt_s, TemplateBuilder::eq] {
            given.push(compare(&mut main, a, b).unwrap());
        }
    }
    let (less, equal) = (given[0], given[5]);
    given.push(main.select(less, x, y).unwrap());
    let number = main.zero_extend(equal, (bits + 1).min(128)).unwrap();
    let number = main.pin(Domain::Arith, number).unwrap();
    given.push(main.segment_sum(number, u64::from(lanes)).unwrap());
    let some = Index::Range { start: 0, step: 1, count: 1 };
    let some = main.gather(less, some).unwrap();
    given.push(main.not(some).unwrap());
    for (i, value) in given.into_iter().enumerate() {
        let tacit_ir::ValueType { ty: tacit_ir::Type::Word(width), lanes } = main.value_type(value) else {
            unreachable!()
        };
        let shape = Shape::Array {
            length: lanes as u32,
            element: Shape::Integer { bits: width, signed: false }.into(),
        };
        let output = builder.output(&format!("given{i}"), roles.to_vec(), shape).unwrap();
        main.output(&builder, output, &[value]).unwrap();
    }
    builder.finish(main).unwrap()
}

fn as_they_are(domain: DomainChoice) -> PlanOptions {
    let lowering =
        tacit_lower::Options { direct_comparisons: true, direct_shifts: true, ..Default::default() };
    PlanOptions { lowering, domain, ..PlanOptions::default() }
}

#[test]
fn sums_are_compared_as_they_are() {
    for (i, bits) in WIDTHS.into_iter().enumerate() {
        let lanes = LANES[i % 3];
        let inputs = [vec![words(1, bits, lanes)], vec![words(2, bits, lanes)]];
        for domain in [DomainChoice::In(Domain::Yao), DomainChoice::In(Domain::Bool)] {
            let context = format!("{bits} bits, {lanes} lanes, {domain:?}");
            let both = check_with(&comparisons(bits, lanes), &inputs, &as_they_are(domain), &context);
            assert!(both.garbler.report.domains.iter().any(|work| work.domain == "arith"));
        }
    }
    for bits in 1..=3 {
        let context = format!("all of {bits} bits");
        let program = comparisons(bits, 1 << (2 * bits));
        check_with(&program, &exhaustive(bits), &as_they_are(DomainChoice::In(Domain::Yao)), &context);
    }
}

/// Sums of two parties' words, shifted right by `by` bits in both ways, without conversion and added to others, within wider words.
fn shifts(bits: u32, lanes: u32, by: u32) -> Program {
    let array = |bits| Shape::Array { length: lanes, element: Shape::Integer { bits, signed: false }.into() };
    let mut builder = Builder::new("shifts");
    let roles = [builder.role("A"), builder.role("B")];
    let inputs = roles.map(|role| builder.input("x", role, array(bits)).unwrap());
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| {
        let value = main.input(&builder, port).unwrap()[0];
        main.pin(Domain::Arith, value).unwrap()
    });
    let sum = main.add(x, y).unwrap();
    let logical = main.shift_by(ShiftOp::RightU, sum, by).unwrap();
    let arithmetic = main.shift_by(ShiftOp::RightS, sum, by).unwrap();
    let product = main.mul(logical, x).unwrap();
    let less = main.lt_u(logical, arithmetic).unwrap();
    let wide = main.sign_extend(arithmetic, bits + 9).unwrap();
    let shifted = main.shift_by(ShiftOp::RightS, wide, by).unwrap();
    let all = [
        (logical, bits),
        (arithmetic, bits),
        (product, bits),
        (less, 1),
        (wide, bits + 9),
        (shifted, bits + 9),
    ];
    for (i, (value, bits)) in all.into_iter().enumerate() {
        let output = builder.output(&format!("out{i}"), roles.to_vec(), array(bits)).unwrap();
        main.output(&builder, output, &[value]).unwrap();
    }
    builder.finish(main).unwrap()
}

#[test]
fn sums_are_shifted_as_they_are() {
    for (i, bits) in [2, 7, 8, 16, 31, 32, 63, 64, 119].into_iter().enumerate() {
        for by in [1, bits / 2, bits - 1] {
            let lanes = LANES[i % 3];
            let inputs = [vec![words(1, bits, lanes)], vec![words(2, bits, lanes)]];
            for domain in [
                DomainChoice::In(Domain::Yao),
                DomainChoice::In(Domain::Bool),
                DomainChoice::In(Domain::Arith),
            ] {
                let context = format!("{bits} bits, {lanes} lanes, by {by}, {domain:?}");
                let both = check_with(&shifts(bits, lanes, by), &inputs, &as_they_are(domain), &context);
                assert!(both.garbler.report.domains.iter().any(|work| work.domain == "arith"));
            }
        }
    }
    for (bits, by) in [(2, 1), (3, 1), (3, 2), (4, 3)] {
        let program = shifts(bits, 1 << (2 * bits), by);
        check_with(
            &program,
            &exhaustive(bits),
            &as_they_are(DomainChoice::In(Domain::Arith)),
            &format!("all of {bits} bits"),
        );
    }
}

#[test]
fn random_programs_agree_with_the_interpreter_when_sums_stay_sums() {
    for seed in 120..180 {
        let program = arbitrary::program(seed, &Size { pins: true, bits: 30, ..Size::default() });
        let inputs = arbitrary::inputs(&program, seed);
        check_with(&program, &inputs, &as_they_are(DOMAINS[seed as usize % 4]), &format!("seed {seed}"));
    }
}

#[test]
#[ignore = "minutes: every value of up to 6 bits"]
fn sums_of_up_to_six_bits_are_compared_as_they_are() {
    for bits in 4..=6 {
        let program = comparisons(bits, 1 << (2 * bits));
        check_with(&program, &exhaustive(bits), &as_they_are(DomainChoice::In(Domain::Bool)), "six bits");
    }
}

#[test]
fn many_sums_are_compared_as_they_are_and_few_as_bits() {
    let compared = |lanes| {
        let plan = tacit_engine::plan(&comparisons(32, lanes), &PlanOptions::default()).unwrap();
        let of_width = |(kind, _): (Consumed, u64)| match kind {
            Consumed::Comparison { bits } => Some(bits),
            _ => None,
        };
        plan.material().iter().filter_map(of_width).collect::<Vec<u32>>()
    };
    assert!(compared(1).is_empty());
    // Inputs are known to differ by less than 2^32, products are not.
    let many = compared(2000);
    assert!(many.contains(&33) && many.contains(&32), "{many:?}");
}

/// Quotients and remainders of values of few bits, zero among the divisors.
#[test]
fn division_by_a_secret_zero_is_what_is_documented() {
    let shape = Shape::Array { length: 256, element: Shape::Integer { bits: 4, signed: false }.into() };
    for domain in Domain::ALL {
        let mut builder = Builder::new("division");
        let roles = [builder.role("A"), builder.role("B")];
        let inputs = roles.map(|role| builder.input("x", role, shape.clone()).unwrap());
        let mut main = builder.template("main", vec![]);
        let [x, y] = inputs.map(|port| {
            let value = main.input(&builder, port).unwrap()[0];
            main.pin(*domain, value).unwrap()
        });
        let results = [main.div_u(x, y).unwrap(), main.rem_u(x, y).unwrap()];
        for (name, result) in ["quotient", "remainder"].into_iter().zip(results) {
            let output = builder.output(name, roles.to_vec(), shape.clone()).unwrap();
            main.output(&builder, output, &[result]).unwrap();
        }
        let program = builder.finish(main).unwrap();
        let level = if *domain == Domain::He { SecurityLevel::Toy } else { SecurityLevel::Long };
        let security = SecurityParams { level, ..SecurityParams::default() };
        let options = PlanOptions { security, ..PlanOptions::default() };
        let both = check_with(&program, &exhaustive(4), &options, "division");
        let outputs = both.outputs();
        for x in 0..16 {
            let by_zero = |output: &Vec<Words>| output[0].low_u128(16 * x);
            assert_eq!((by_zero(&outputs[0]), by_zero(&outputs[1])), (15, u128::from(x)));
        }
    }
}

/// Sums of `count` products, each of an input of its own, and as many comparisons that become sums again.
fn side_by_side(count: u32) -> Program {
    let word = Shape::Integer { bits: 32, signed: false };
    let mut builder = Builder::new("side by side");
    let (a, b) = (builder.role("A"), builder.role("B"));
    let ports: Vec<_> = (0..2 * count)
        .map(|i| builder.input(&format!("x{i}"), [a, b][i as usize % 2], word.clone()).unwrap())
        .collect();
    let output = builder.output("sum", vec![a, b], word).unwrap();
    let mut main = builder.template("main", vec![]);
    let mut sum = None;
    for ports in ports.chunks(2) {
        let [x, y] = [ports[0], ports[1]].map(|port| main.input(&builder, port).unwrap()[0]);
        let (x_sum, y_sum) = (main.pin(Domain::Arith, x).unwrap(), main.pin(Domain::Arith, y).unwrap());
        let product = main.mul(x_sum, y_sum).unwrap();
        let (x_bits, y_bits) = (main.pin(Domain::Bool, x).unwrap(), main.pin(Domain::Bool, y).unwrap());
        let less = main.lt_u(x_bits, y_bits).unwrap();
        let less = main.zero_extend(less, 32).unwrap();
        let less = main.pin(Domain::Arith, less).unwrap();
        let both = main.add(product, less).unwrap();
        sum = Some(match sum {
            Some(sum) => main.add(sum, both).unwrap(),
            None => both,
        });
    }
    main.output(&builder, output, &[sum.unwrap()]).unwrap();
    builder.finish(main).unwrap()
}

/// A word of A under two names, the second made by `name`, both shared by sum: one is widened with zeros, the other with its sign.
fn widened_in_two_ways(name: fn(&mut TemplateBuilder, ValueId) -> ValueId) -> Program {
    let wide = |length| Shape::Array { length, element: Shape::Integer { bits: 32, signed: true }.into() };
    let mut builder = Builder::new("widened");
    let (a, b) = (builder.role("A"), builder.role("B"));
    let port = builder.input("x", a, Shape::Integer { bits: 4, signed: false }).unwrap();
    let mut main = builder.template("main", vec![]);
    let x = main.input(&builder, port).unwrap()[0];
    let x = main.pin(Domain::Yao, x).unwrap();
    let other = name(&mut main, x);
    let sums = [other, x].map(|value| main.pin(Domain::Arith, value).unwrap());
    let unsigned = main.zero_extend(sums[0], 32).unwrap();
    let lanes = main.value_type(unsigned).lanes;
    let signed = main.sign_extend(sums[1], 32).unwrap();
    for (name, value, lanes) in [("unsigned", unsigned, lanes), ("signed", signed, 1)] {
        let output = builder.output(name, vec![a, b], wide(lanes as u32)).unwrap();
        main.output(&builder, output, &[value]).unwrap();
    }
    builder.finish(main).unwrap()
}

#[test]
fn names_of_one_value_are_widened_each_in_its_way() {
    let names: [fn(&mut TemplateBuilder, ValueId) -> ValueId; 2] = [
        |main, x| main.pin(Domain::Yao, x).unwrap(),
        |main, x| main.gather(x, Index::Repeat { each: 3, tiles: 1 }).unwrap(),
    ];
    for program in names.map(widened_in_two_ways) {
        for x in [0, 7, 8, 15] {
            let inputs = [vec![Words::from_u128s(4, &[x])]];
            DOMAINS.iter().for_each(|domain| {
                check(&program, &inputs, *domain, &format!("{x}"));
            });
        }
    }
}

#[test]
fn operations_of_a_layer_share_their_messages() {
    let online = |count: u32| {
        let inputs: Vec<_> = (0..2 * count).map(|i| vec![words(u64::from(i), 32, 1)]).collect();
        let both = check(&side_by_side(count), &inputs, DomainChoice::In(Domain::Yao), "side by side");
        let report = both.garbler.report;
        let online = report.phase(Phase::Online).unwrap();
        (online.rounds, report.predicted.online.garbler_rounds)
    };
    assert_eq!(online(1), online(25));
}

#[test]
fn ands_take_more_operands_where_turns_take_long() {
    // The lesser of each of a thousand pairs of numbers.
    let shape = Shape::Array { length: 1000, element: Shape::Integer { bits: 32, signed: false }.into() };
    let mut builder = Builder::new("lesser");
    let roles = [builder.role("A"), builder.role("B")];
    let inputs = roles.map(|role| builder.input("x", role, shape.clone()).unwrap());
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    let less = main.lt_u(x, y).unwrap();
    let lesser = main.select(less, x, y).unwrap();
    let output = builder.output("lesser", roles.to_vec(), shape).unwrap();
    main.output(&builder, output, &[lesser]).unwrap();
    let program = builder.finish(main).unwrap();
    let inputs = [vec![words(1, 32, 1000)], vec![words(2, 32, 1000)]];
    let planned = |link| {
        let options = PlanOptions { link, domain: DomainChoice::In(Domain::Bool), ..PlanOptions::default() };
        let report = check_with(&program, &inputs, &options, "lesser").garbler.report;
        let plan = tacit_engine::plan(&program, &options).unwrap();
        let online = report.predicted.online;
        let nary = |(kind, count): (Consumed, u64)| match kind {
            Consumed::NaryAnd { operands } => Some((operands, count)),
            _ => None,
        };
        let nary: Vec<(u32, u64)> = plan.material().iter().filter_map(nary).collect();
        (nary, online.garbler_rounds, online.garbler_bytes)
    };
    // Comparison, choice and output, in 7 layers and a round for the output.
    assert_eq!(planned(NEAR), (vec![], 8, 189 * 1000 / 8));
    let cloud = PlannedLink { bits_per_second: 70_000_000, round_us: 170_000 };
    assert_eq!(planned(cloud), (vec![(3, 32_000), (4, 8000)], 5, 305 * 1000 / 8));
}

/// Both parties of a program over TCP, on a link with latency.
fn over_a_slow_link(seeds: std::ops::Range<u64>, size: &Size) {
    for seed in seeds {
        let program = arbitrary::program(seed, size);
        if program.roles.len() != 2 {
            continue;
        }
        let all = arbitrary::inputs(&program, seed);
        let of = |party: &str| -> Vec<Vec<Words>> {
            let ports = program.inputs.iter().zip(&all);
            ports
                .filter(|(port, _)| program.roles[port.role.index()] == party)
                .map(|(_, x)| x.clone())
                .collect()
        };
        let inputs = [of(&program.roles[0]), of(&program.roles[1])];
        let mut site = Site::new(Transport::Plain, Duration::from_secs(60));
        for config in &mut site.configs {
            let latency = Duration::from_millis(seed % 3);
            config.shape = Some(Link { bandwidth_bits_per_s: 1_000_000_000, latency });
        }
        let options = in_turn(seed);
        let jobs = jobs_of(&program, inputs, site, &options);
        let [first, second] = run_pair(&jobs).map(|outcome| outcome.unwrap());
        let expected = interpret(&program, &all, || 0).unwrap();
        for (i, expected) in expected.iter().enumerate() {
            let found = [&first.outputs[i], &second.outputs[i]];
            assert!(found.iter().any(|columns| !columns.is_empty()), "seed {seed}");
            assert!(found.iter().all(|columns| columns.is_empty() || *columns == expected), "seed {seed}");
        }
    }
}

#[test]
fn random_programs_over_tcp_with_delays() {
    over_a_slow_link(0..8, &Size { pins: true, bits: 12, ..Size::default() });
}

#[test]
#[ignore = "minutes: hundreds of programs over slow links"]
fn many_random_programs_over_tcp_with_delays() {
    over_a_slow_link(100..500, &Size { pins: true, ..Size::default() });
}

/// The squared distances of a point to many, with words that grow so that nothing overflows, and the least.
fn nearest(count: u32, pin: Option<Domain>) -> Program {
    let integer = |bits| Shape::Integer { bits, signed: false };
    let array = |length: u32, bits| Shape::Array { length, element: integer(bits).into() };
    let mut builder = Builder::new("nearest");
    let (a, b) = (builder.role("A"), builder.role("B"));
    let rows = builder.input("rows", a, array(4 * count, 8)).unwrap();
    let point = builder.input("point", b, array(4, 8)).unwrap();
    let least = builder.output("least", vec![a, b], integer(19)).unwrap();
    let mut main = builder.template("main", vec![]);
    let mut values = [rows, point].map(|port| main.input(&builder, port).unwrap()[0]);
    if let Some(domain) = pin {
        values = values.map(|value| main.pin(domain, value).unwrap());
    }
    let [rows, point] = values.map(|value| main.zero_extend(value, 9).unwrap());
    let tiles = main.gather(point, Index::Repeat { each: 1, tiles: count }).unwrap();
    let difference = main.sub(rows, tiles).unwrap();
    // The square of 9 bits with a sign has 17 without one.
    let difference = main.sign_extend(difference, 17).unwrap();
    let square = main.mul(difference, difference).unwrap();
    let square = main.zero_extend(square, 19).unwrap();
    let distances = main.segment_sum(square, 4).unwrap();
    let (least_value, _) = main.arg_min(distances, count.into(), false).unwrap();
    main.output(&builder, least, &[least_value]).unwrap();
    builder.finish(main).unwrap()
}

#[test]
fn growing_words_stay_sums() {
    let inputs = [vec![words(5, 8, 4 * 64)], vec![words(6, 8, 4)]];
    let program = nearest(64, Some(Domain::Arith));
    let both = check(&program, &inputs, DomainChoice::In(Domain::Yao), "nearest");
    let plan = tacit_engine::plan(&program, &PlanOptions::default()).unwrap();
    // Squares alone: no word was widened bit by bit.
    assert_eq!(plan.material().count(Consumed::Square { bits: 19 }), 4 * 64);
    let other =
        |kind| !matches!(kind, Consumed::Word { .. } | Consumed::Product { .. } | Consumed::Square { .. });
    assert!(plan.material().iter().all(|(kind, _)| kind == Consumed::Square { bits: 19 } || other(kind)));
    assert!(plan.to_string().contains("domain     arith, yao"), "{plan}");
    let report = &both.garbler.report;
    let [sums, labels] = &report.domains[..] else { panic!("{:?}", report.domains) };
    assert_eq!((&sums.domain[..], sums.product_count, sums.and_count), ("arith", 4 * 64, 0));
    assert_eq!((&labels.domain[..], labels.and_count), ("yao", report.work.and_count));
    assert_eq!(labels.converted_words, 64);
    let domain_of = |kind: &str| {
        let found = report.operations.iter().find(|operation| operation.operation.kind == kind);
        found.map(|operation| operation.domain.clone())
    };
    assert_eq!(domain_of("mul"), Some("arith".to_owned()));
    assert_eq!(domain_of("arg_min_u"), Some("yao".to_owned()));
    let yao = check(&nearest(64, None), &inputs, DomainChoice::In(Domain::Yao), "nearest in labels");
    let bytes = |both: &BothOutcomes| both.garbler.report.predicted.online.garbler_bytes;
    assert!(bytes(&both) < bytes(&yao) + yao.garbler.report.predicted.setup.garbler_bytes);
}

#[test]
fn forced_domains_hold_what_they_can() {
    let inputs = [vec![words(5, 8, 4 * 16)], vec![words(6, 8, 4)]];
    for domain in DOMAINS {
        check(&nearest(16, None), &inputs, domain, "nearest");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let mut builder = Builder::new("wide");
    let role = builder.role("A");
    let other = builder.role("B");
    let shape = Shape::Integer { bits: 129, signed: false };
    let input = builder.input("x", role, shape.clone()).unwrap();
    let output = builder.output("x", vec![other], shape).unwrap();
    let mut main = builder.template("main", vec![]);
    let x = main.input(&builder, input).unwrap()[0];
    let x = main.pin(Domain::Arith, x).unwrap();
    main.output(&builder, output, &[x]).unwrap();
    let program = builder.finish(main).unwrap();
    let error = in_process(&program, &[vec![Words::scalar(129, 5)]], &PlanOptions::default()).unwrap_err();
    assert!(matches!(error, RunError::Plan(PlanError::Lower(_))), "{error}");
    assert!(error.to_string().contains("128 bits"), "{error}");
}
