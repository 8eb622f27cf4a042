//! Bytes and rounds of setup and online against predictions, for programs whose correlated randomness takes several windows: in every
//! domain, with each extension of oblivious transfers and each garbling scheme.

use crate::operations::words;
use tacit_engine::in_process;
use tacit_ir::{Builder, Domain, Program, Shape, Words, interpret};
use tacit_net::Phase;
use tacit_plan::{DomainChoice, Garbling, MatrixChoice, ModeChoice, PlanOptions, TransferChoice};

const DOMAINS: [DomainChoice; 4] = [
    DomainChoice::In(Domain::Yao),
    DomainChoice::In(Domain::Bool),
    DomainChoice::In(Domain::Arith),
    DomainChoice::Auto,
];

/// Runs a program in all these ways.
fn check(program: &Program, inputs: &[Vec<Words>], domains: &[DomainChoice]) {
    let expected = interpret(program, inputs, || 0).unwrap();
    for domain in domains {
        for transfers in [TransferChoice::SoftSpoken, TransferChoice::Silent] {
            for (garbling, mode, matrices) in [
                (Garbling::HalfGates, ModeChoice::Precomputed, MatrixChoice::Auto),
                (Garbling::ThreeHalves, ModeChoice::Streamed, MatrixChoice::Online),
            ] {
                let how = PlanOptions { transfers, garbling, mode, matrices, ..PlanOptions::default() };
                let options = PlanOptions { domain: *domain, ..how };
                let both = in_process(program, inputs, &options).unwrap();
                assert!(both.outputs() == expected, "{options:?}");
                for report in [&both.garbler.report, &both.evaluator.report] {
                    let predicted = report.predicted;
                    for (phase, traffic) in
                        [(Phase::Setup, predicted.setup), (Phase::Online, predicted.online)]
                    {
                        let measured = report.phase(phase).unwrap();
                        let found = (measured.payload_sent, measured.rounds);
                        let counted = (Some(traffic.bytes_sent(report.side)), traffic.rounds(report.side));
                        assert_eq!(found, counted, "{}, {:?}, {options:?}", phase.name(), report.side);
                    }
                }
            }
        }
    }
}

fn array(lanes: u32, bits: u32) -> Shape {
    Shape::Array { length: lanes, element: Shape::Integer { bits, signed: false }.into() }
}

/// A layer of weighted sums, of which the positive ones pass, and a second layer, for several pictures.
pub(crate) fn network(pixels: u32, hidden: u32, classes: u32, pictures: u32) -> (Program, [Vec<Words>; 3]) {
    let mut builder = Builder::new("network");
    let (a, b) = (builder.role("A"), builder.role("B"));
    let sizes = [(a, hidden * pixels), (a, classes * hidden), (b, pixels * pictures)];
    let ports = sizes.map(|(role, lanes)| {
        let name = format!("x{lanes}");
        builder.input(&name, role, array(lanes, 32)).unwrap()
    });
    let scores = builder.output("scores", vec![a, b], array(classes * pictures, 32)).unwrap();
    let mut main = builder.template("main", vec![]);
    let [first, second, images] = ports.map(|port| main.input(&builder, port).unwrap()[0]);
    let [pixels, hidden, classes, pictures] = [pixels, hidden, classes, pictures].map(u64::from);
    let sums = main.matrix_product(first, images, 1, hidden, pixels, pictures).unwrap();
    let zeros = main.sub(sums, sums).unwrap();
    let negative = main.lt_s(sums, zeros).unwrap();
    let positive = main.select(negative, zeros, sums).unwrap();
    let all = main.matrix_product(second, positive, 1, classes, hidden, pictures).unwrap();
    main.output(&builder, scores, &[all]).unwrap();
    let inputs = [(1, sizes[0].1), (2, sizes[1].1), (3, sizes[2].1)];
    (builder.finish(main).unwrap(), inputs.map(|(seed, lanes)| vec![words(seed, 32, lanes)]))
}

#[test]
fn layers_of_a_network() {
    // In `arith`, where the triples of the matrix products take several windows.
    let (program, inputs) = network(784, 128, 10, 1);
    check(&program, &inputs, &[DomainChoice::In(Domain::Arith)]);
    let (program, inputs) = network(6, 5, 3, 2);
    check(&program, &inputs, &DOMAINS);
}

#[test]
fn sorts() {
    let mut builder = Builder::new("sort");
    let (a, b) = (builder.role("A"), builder.role("B"));
    let ports = [a, b].map(|role| builder.input("x", role, array(24, 16)).unwrap());
    let output = builder.output("sorted", vec![b], array(48, 16)).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = ports.map(|port| main.input(&builder, port).unwrap()[0]);
    let all = main.join(&[x, y]).unwrap();
    let sorted = main.sort(all, &[], 48, false).unwrap();
    main.output(&builder, output, &sorted).unwrap();
    let program = builder.finish(main).unwrap();
    check(&program, &[vec![words(1, 16, 24)], vec![words(2, 16, 24)]], &DOMAINS);
}

/// Words pass through all domains, in both directions, with products, selections and comparisons in between.
#[test]
fn conversions_of_many_words() {
    const LANES: u32 = 2500;
    let mut builder = Builder::new("conversions");
    let (a, b) = (builder.role("A"), builder.role("B"));
    let ports = [a, b].map(|role| builder.input("x", role, array(LANES, 32)).unwrap());
    let [for_a, for_both] = [("for A", vec![a]), ("for both", vec![a, b])]
        .map(|(name, roles)| builder.output(name, roles, array(LANES, 32)).unwrap());
    let mut main = builder.template("main", vec![]);
    let [x, y] = ports.map(|port| main.input(&builder, port).unwrap()[0]);
    let mut value = x;
    for domain in [Domain::Arith, Domain::Bool, Domain::Arith, Domain::Yao, Domain::Bool, Domain::Yao] {
        let [left, right] = [value, y].map(|value| main.pin(domain, value).unwrap());
        let sum = main.add(left, right).unwrap();
        let less = main.lt_u(left, right).unwrap();
        value = main.select(less, sum, right).unwrap();
    }
    let words_of_sums = main.pin(Domain::Arith, value).unwrap();
    let square = main.mul(words_of_sums, words_of_sums).unwrap();
    let product = main.mul(square, words_of_sums).unwrap();
    main.output(&builder, for_a, &[product]).unwrap();
    main.output(&builder, for_both, &[value]).unwrap();
    let program = builder.finish(main).unwrap();
    check(
        &program,
        &[vec![words(1, 32, LANES)], vec![words(2, 32, LANES)]],
        &[DomainChoice::In(Domain::Yao)],
    );
}
