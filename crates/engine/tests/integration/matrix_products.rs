//! Matrix products of words shared by sum, with triples from transfers and from lattices: against the interpreter, and what was sent
//! against what the plan said.

use tacit_engine::{BothOutcomes, in_process};
use tacit_ir::{Builder, Domain, Program, Shape, Words, interpret};
use tacit_net::Phase;
use tacit_plan::{Link, MatrixChoice, PlanOptions, TransferChoice};

/// The product of a matrix of A and one of B.
pub fn product(bits: u32, [rows, inner, columns]: [u32; 3]) -> Program {
    let array = |length| Shape::Array { length, element: Shape::Integer { bits, signed: false }.into() };
    let mut builder = Builder::new("matrices");
    let roles = [builder.role("A"), builder.role("B")];
    let sizes = [rows * inner, inner * columns];
    let inputs = [0, 1].map(|i| builder.input("x", roles[i], array(sizes[i])).unwrap());
    let output = builder.output("product", roles.to_vec(), array(rows * columns)).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| {
        let value = main.input(&builder, port).unwrap()[0];
        main.pin(Domain::Arith, value).unwrap()
    });
    let z = main.matrix_product(x, y, 1, rows.into(), inner.into(), columns.into()).unwrap();
    main.output(&builder, output, &[z]).unwrap();
    builder.finish(main).unwrap()
}

fn inputs(program: &Program) -> Vec<Vec<Words>> {
    tacit_arbitrary::inputs(program, 5)
}

fn options(matrices: MatrixChoice) -> PlanOptions {
    PlanOptions { matrices, ..PlanOptions::default() }
}

/// Fails unless outputs are the interpreter's and bytes those that were predicted.
pub fn check(program: &Program, options: &PlanOptions) -> BothOutcomes {
    let inputs = inputs(program);
    let both = in_process(program, &inputs, options).unwrap();
    assert!(both.outputs() == interpret(program, &inputs, || 0).unwrap(), "{options:?}");
    for outcome in [&both.garbler, &both.evaluator] {
        let (report, side) = (&outcome.report, outcome.report.side);
        assert_eq!(report.matrices, options.matrices);
        let phases = [(Phase::Setup, report.predicted.setup), (Phase::Online, report.predicted.online)];
        for (phase, traffic) in phases {
            let measured = report.phase(phase).unwrap();
            let sent = (measured.payload_sent, measured.payload_received);
            let predicted = (Some(traffic.bytes_sent(side)), Some(traffic.bytes_sent(side.peer())));
            assert_eq!(sent, predicted, "{options:?}, {side:?}, {}", phase.name());
        }
    }
    both
}

fn setup_bytes(both: &BothOutcomes) -> u64 {
    both.garbler.report.phase(Phase::Setup).unwrap().payload_sent.unwrap()
}

#[test]
fn both_providers_give_the_interpreter_s_result() {
    for (bits, sides) in
        [(8, [3, 4, 2]), (32, [5, 70, 1]), (40, [1, 33, 9]), (64, [2, 3, 4]), (100, [2, 2, 2])]
    {
        let program = product(bits, sides);
        for matrices in [MatrixChoice::Auto, MatrixChoice::Ot, MatrixChoice::Lattice] {
            check(&program, &options(matrices));
        }
    }
    let silent = PlanOptions { transfers: TransferChoice::Silent, ..options(MatrixChoice::Lattice) };
    check(&product(32, [5, 70, 1]), &silent);
}

#[test]
fn the_planned_link_decides_who_makes_triples() {
    let made = |sides, options: &PlanOptions| {
        let plan = tacit_engine::plan(&product(32, sides), options).unwrap();
        plan.lattices().len()
    };
    let (large, small) = ([64, 200, 1], [2, 3, 2]);
    let narrow = Link { bits_per_second: 10_000_000, round_us: 20_000 };
    for link in [Link::LOOPBACK, Link::SITES, narrow] {
        let auto = PlanOptions { link, ..PlanOptions::default() };
        assert_eq!(made(small, &auto), 0, "{link}");
    }
    assert_eq!(made(large, &PlanOptions { link: narrow, ..PlanOptions::default() }), 1);
    assert_eq!(made(large, &options(MatrixChoice::Ot)), 0);
    assert_eq!(made(small, &options(MatrixChoice::Lattice)), 1);
}

#[test]
fn lattices_send_a_fraction_of_what_transfers_send() {
    let program = product(32, [128, 200, 1]);
    let [ot, lattice] =
        [MatrixChoice::Ot, MatrixChoice::Lattice].map(|matrices| check(&program, &options(matrices)));
    assert!(setup_bytes(&ot) > 2 * setup_bytes(&lattice));
}

#[test]
fn plans_of_different_providers_have_different_hashes() {
    let program = product(32, [2, 3, 2]);
    let hash = |matrices| *tacit_engine::plan(&program, &options(matrices)).unwrap().hash();
    assert_ne!(hash(MatrixChoice::Ot), hash(MatrixChoice::Lattice));
    assert_eq!(hash(MatrixChoice::Ot), hash(MatrixChoice::Auto));
}
