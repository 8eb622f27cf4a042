//! Matrix products of words shared by sum, with triples from transfers and from lattices and by lattices online: against the
//! interpreter, and traffic against the plan's prediction.

use tacit_engine::{BothOutcomes, in_process};
use tacit_ir::{Builder, Domain, Index, Program, Shape, ValueId, ValueType, Words, interpret};
use tacit_net::Phase;
use tacit_plan::{Link, MatrixChoice, Named as _, Objective, PlanOptions, TransferChoice};

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

/// Fails unless outputs are those of the interpreter, and bytes those of the prediction.
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
            let sent = (measured.payload_sent, measured.payload_received, measured.rounds);
            let [own, theirs] = [side, side.peer()].map(|side| Some(traffic.bytes_sent(side)));
            let predicted = (own, theirs, traffic.rounds(side));
            assert_eq!(sent, predicted, "{options:?}, {side:?}, {}", phase.name());
        }
    }
    both
}

fn setup_bytes(both: &BothOutcomes) -> u64 {
    sent(both, Phase::Setup)
}

fn sent(both: &BothOutcomes, phase: Phase) -> u64 {
    both.garbler.report.phase(phase).unwrap().payload_sent.unwrap()
}

/// Several products of equal and different shapes in one layer, with a product of words and a loop in which matrices are multiplied.
fn several_products() -> Program {
    let array = |length| Shape::Array { length, element: Shape::Integer { bits: 32, signed: false }.into() };
    let mut builder = Builder::new("several");
    let roles = [builder.role("A"), builder.role("B")];
    let inputs = [0, 1].map(|i| builder.input("x", roles[i], array(12)).unwrap());
    let outputs = ["batch", "row", "words", "powers"].map(|name| {
        let lanes = if name == "row" {
            2
        } else if name == "powers" {
            9
        } else {
            12
        };
        builder.output(name, roles.to_vec(), array(lanes)).unwrap()
    });
    let square = ValueType::word(32, 9);
    let mut body = builder.template("step", vec![square, square]);
    let [x, y] = [ValueId(0), ValueId(1)];
    let next = body.matrix_product(x, y, 1, 3, 3, 3).unwrap();
    let step = builder.add(body, vec![next]).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| {
        let value = main.input(&builder, port).unwrap()[0];
        main.pin(Domain::Arith, value).unwrap()
    });
    // Three products of 2 x 2 matrices, and one of the same shape from other positions.
    let batch = main.matrix_product(x, y, 3, 2, 2, 2).unwrap();
    let row = main.matrix_product(x, y, 2, 1, 6, 1).unwrap();
    let words = main.mul(x, y).unwrap();
    let [a, b] =
        [x, y].map(|value| main.gather(value, Index::Range { start: 0, step: 1, count: 9 }).unwrap());
    let powers = main.iterate(&builder, step, 4, &[a], &[b], &[]).unwrap()[0];
    for (port, value) in outputs.into_iter().zip([batch, row, words, powers]) {
        main.output(&builder, port, &[value]).unwrap();
    }
    builder.finish(main).unwrap()
}

#[test]
fn every_way_gives_the_interpreter_s_result() {
    for (bits, sides) in
        [(8, [3, 4, 2]), (32, [5, 70, 1]), (40, [1, 33, 9]), (64, [2, 3, 4]), (100, [2, 2, 2])]
    {
        let program = product(bits, sides);
        for &matrices in MatrixChoice::ALL {
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
        plan.lattices().all().len()
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

#[test]
fn products_online_take_no_setup_but_keys_and_open_nothing() {
    let program = product(32, [128, 784, 1]);
    let [lattice, online] =
        [MatrixChoice::Lattice, MatrixChoice::Online].map(|matrices| check(&program, &options(matrices)));
    // Triples took 0.67 MB in setup, and online the masked matrix and vector 0.4 MB.
    assert!(setup_bytes(&lattice) - setup_bytes(&online) > 600_000);
    let opened = 4 * (128 * 784 + 784);
    let [before, now] = [&lattice, &online].map(|both| sent(both, Phase::Setup) + sent(both, Phase::Online));
    assert_eq!(before - now, opened);
}

#[test]
fn the_objective_decides_whether_matrices_take_triples() {
    let program = product(32, [64, 400, 1]);
    let narrow = Link { bits_per_second: 10_000_000, round_us: 20_000 };
    let online = |objective, matrices| {
        let options = PlanOptions { objective, matrices, link: narrow, ..PlanOptions::default() };
        tacit_engine::plan(&program, &options).unwrap().lattices().online.len()
    };
    for objective in [Objective::Total, Objective::Bytes] {
        assert_eq!(online(objective, MatrixChoice::Auto), 1, "{objective:?}");
        assert_eq!(online(objective, MatrixChoice::Lattice), 0, "{objective:?}");
    }
    assert_eq!(online(Objective::Online, MatrixChoice::Auto), 0);
    assert_eq!(online(Objective::Online, MatrixChoice::Online), 1);
}

#[test]
fn several_products_share_a_layer_and_loops_repeat_them() {
    for &matrices in MatrixChoice::ALL {
        check(&several_products(), &options(matrices));
    }
}
