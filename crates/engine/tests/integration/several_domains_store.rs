//! Prepared runs of programs with values in several domains.

use std::fs;

use crate::loopback::pair::{Folder, copy, expected, inputs, site, task_with};
use crate::loopback::program;
use crate::loopback::stores::{as_predicted, cause, with_stores};
use crate::matrix_products::product;
use crate::word_products;
use tacit_arbitrary::{self as arbitrary, Size};
use tacit_engine::{BlockingSession, CancelFlag, Outcome, RunError, RunTask, Store, StoreError};
use tacit_ir::{Builder, Domain, PortId, Program, Shape, Words, interpret};
use tacit_net::Phase;
use tacit_plan::{DomainChoice, MatrixChoice, ModeChoice, PlanOptions, Side, TransferChoice};

const DOMAINS: [DomainChoice; 4] = [
    DomainChoice::Auto,
    DomainChoice::In(Domain::Bool),
    DomainChoice::In(Domain::Arith),
    DomainChoice::In(Domain::Yao),
];

fn prepare(task: &RunTask, session: &mut BlockingSession, store: &mut Store, count: u64) -> u64 {
    let prepared = session.prepare(task, store, count, &CancelFlag::new()).unwrap();
    as_predicted(&prepared.report, "preparing");
    prepared.ready
}

/// The product of two words as sums, and their comparison in labels and as bits.
fn of_sums() -> Program {
    let word = |bits| Shape::Integer { bits, signed: false };
    let mut builder = Builder::new("sums");
    let (a, b) = (builder.role("A"), builder.role("B"));
    let ports = [a, b].map(|role| builder.input("x", role, word(32)).unwrap());
    let less = builder.output("less", vec![a, b], word(1)).unwrap();
    let product = builder.output("product", vec![a, b], word(32)).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = ports.map(|port| main.input(&builder, port).unwrap()[0]);
    let [x, y] = [x, y].map(|value| main.pin(Domain::Arith, value).unwrap());
    let times = main.mul(x, y).unwrap();
    let [x, y] = [x, y].map(|value| main.pin(Domain::Yao, value).unwrap());
    let smaller = main.lt_u(x, y).unwrap();
    main.output(&builder, less, &[smaller]).unwrap();
    main.output(&builder, product, &[times]).unwrap();
    builder.finish(main).unwrap()
}

fn several() -> RunTask {
    task_with(&of_sums(), &PlanOptions { mode: ModeChoice::Precomputed, ..PlanOptions::default() })
}

fn spend(session: &mut BlockingSession, store: &mut Store, index: usize) -> Result<Outcome, RunError> {
    session.run_prepared(&several(), &inputs(index, [77, 5][index]), store, &CancelFlag::new())
}

/// A random program's inputs of one party.
fn given(task: &RunTask, all: &[Vec<Words>], side: Side) -> Vec<(PortId, Vec<Words>)> {
    let mine = |(port, columns): (usize, &Vec<Words>)| {
        let role = task.program.inputs[port].role;
        (task.plan.parties().side(role) == Some(side)).then(|| (PortId(port as u32), columns.clone()))
    };
    all.iter().enumerate().filter_map(mine).collect()
}

/// Prepares two runs of each program, and spends them after both parties have restarted.
fn prepared_and_spent(tasks: &[RunTask]) {
    let (site, folder) = (site(), Folder::new());
    with_stores(&site, [&folder; 2], |_, session, store| {
        tasks.iter().for_each(|task| assert_eq!(prepare(task, session, store, 2), 2));
    });
    with_stores(&site, [&folder; 2], |index, session, store| {
        for round in 0..2u64 {
            for (number, task) in tasks.iter().enumerate() {
                let context = format!("program {number}, round {round}\n{}", task.program.to_text());
                let name = ["A", "B"][index];
                let side = task.plan.parties().side_of(name).unwrap();
                let inputs = arbitrary::inputs(&task.program, number as u64 + 1000 * round);
                let inputs = (given(task, &inputs, side), inputs);
                let outcome = session.run_prepared(task, &inputs.0, store, &CancelFlag::new());
                let outcome = outcome.unwrap_or_else(|error| panic!("{context}: {error}"));
                let expected = interpret(&task.program, &inputs.1, || 0).unwrap();
                for (found, expected) in outcome.outputs.iter().zip(&expected) {
                    assert!(found.is_empty() || found == expected, "{context}");
                }
                assert_eq!(outcome.report.store_entry, Some(round));
                as_predicted(&outcome.report, &context);
            }
        }
        for task in tasks {
            let inputs = given(
                task,
                &arbitrary::inputs(&task.program, 1),
                task.plan.parties().side_of(["A", "B"][index]).unwrap(),
            );
            let error = session.run_prepared(task, &inputs, store, &CancelFlag::new()).unwrap_err();
            assert!(matches!(cause(&error), StoreError::Empty { ready: 0 }), "{error}");
        }
    });
}

#[test]
fn random_programs_that_were_prepared_agree_with_the_interpreter() {
    let task = |seed: u64| {
        let program = arbitrary::program(seed, &Size { pins: true, bits: 40, ..Size::default() });
        let transfers =
            if seed.is_multiple_of(8) { TransferChoice::Silent } else { TransferChoice::SoftSpoken };
        let domain = DOMAINS[seed as usize % 4];
        let mode = ModeChoice::Precomputed;
        task_with(&program, &PlanOptions { domain, transfers, mode, ..PlanOptions::default() })
    };
    // Only programs that draw nothing, since the interpreter's randomness is not that of the parties.
    let tasks: Vec<RunTask> = (0..24).map(task).filter(|task| task.plan.schedule().has_shares()).collect();
    assert!(tasks.len() > 12);
    prepared_and_spent(&tasks);
}

#[test]
fn matrix_products_that_lattices_prepare_agree_with_the_interpreter() {
    let task = |bits, sides, matrices| {
        let mode = ModeChoice::Precomputed;
        task_with(&product(bits, sides), &PlanOptions { mode, matrices, ..PlanOptions::default() })
    };
    // Only the first entry of the second program needs a key; the third program uses that of the first.
    let lattice = MatrixChoice::Lattice;
    prepared_and_spent(&[
        task(32, [3, 5, 2], lattice),
        task(16, [2, 2, 2], lattice),
        task(32, [1, 4, 3], lattice),
    ]);
    // Products that lattices would compute online take triples in a stored run.
    prepared_and_spent(&[task(32, [3, 5, 2], MatrixChoice::Online)]);
}

#[test]
fn products_of_words_that_lattices_prepare_agree_with_the_interpreter() {
    let task = |bits, squares| {
        let (mode, matrices) = (ModeChoice::Precomputed, MatrixChoice::Lattice);
        let program = word_products::program(bits, 8192, squares);
        let task = task_with(&program, &PlanOptions { mode, matrices, ..PlanOptions::default() });
        assert_eq!(task.plan.lattices().all().len(), 1 + usize::from(squares));
        task
    };
    // The second uses the key of the first.
    prepared_and_spent(&[task(64, true), task(72, false)]);
}

#[test]
fn nothing_but_inputs_and_openings_travels_when_a_run_is_spent() {
    let (site, folder) = (site(), Folder::new());
    with_stores(&site, [&folder; 2], |_, session, store| {
        assert_eq!(prepare(&several(), session, store, 3), 3)
    });
    for entry in 0..3 {
        with_stores(&site, [&folder; 2], |index, session, store| {
            let outcome = spend(session, store, index).unwrap();
            assert_eq!((outcome.outputs, outcome.report.store_entry), (expected(77, 5), Some(entry)));
            let setup = outcome.report.phase(Phase::Setup).unwrap();
            assert_eq!((setup.bytes_sent, setup.payload_sent, setup.rounds), (0, Some(0), 0));
        });
    }
    with_stores(&site, [&folder; 2], |index, session, store| {
        let error = spend(session, store, index).unwrap_err();
        assert!(matches!(cause(&error), StoreError::Empty { ready: 0 }), "{error}");
        // An empty store does not end the session.
        assert_eq!(prepare(&several(), session, store, 1), 1);
        assert_eq!(spend(session, store, index).unwrap().report.store_entry, Some(3));
        // Nor do runs with a setup of their own.
        let run = session.run(&several(), &inputs(index, [9, 10][index]), &CancelFlag::new()).unwrap();
        assert_eq!(run.outputs, expected(9, 10));
        as_predicted(&run.report, "a run beside");
    });
    for index in [0, 1] {
        assert_eq!(fs::read_dir(folder.party(index)).unwrap().count(), 2, "spent segments are erased");
    }
}

#[test]
fn entries_of_other_plans_and_preparations_are_not_used() {
    let (site, first, second) = (site(), Folder::new(), Folder::new());
    for folder in [&first, &second] {
        with_stores(&site, [folder; 2], |_, session, store| prepare(&several(), session, store, 2));
    }
    with_stores(&site, [&first, &second], |index, session, store| {
        let error = spend(session, store, index).unwrap_err();
        assert!(matches!(cause(&error), StoreError::Unrelated { entry: 0 }), "{error}");
        let transfers = TransferChoice::Silent;
        let silent = task_with(&of_sums(), &PlanOptions { transfers, ..PlanOptions::default() });
        let labels =
            task_with(&program(), &PlanOptions { mode: ModeChoice::Precomputed, ..PlanOptions::default() });
        for other in [silent, labels] {
            let error =
                session.run_prepared(&other, &inputs(index, 1), store, &CancelFlag::new()).unwrap_err();
            assert!(matches!(cause(&error), StoreError::Empty { ready: 0 }), "{error}");
        }
    });
}

#[test]
fn a_backup_at_one_side_repeats_nothing() {
    let (site, folder, backup) = (site(), Folder::new(), Folder::new());
    with_stores(&site, [&folder; 2], |_, session, store| prepare(&several(), session, store, 5));
    copy(&folder.party(0), &backup.party(0));
    with_stores(&site, [&folder; 2], |index, session, store| {
        (0..3).for_each(|_| assert_eq!(spend(session, store, index).unwrap().outputs, expected(77, 5)));
    });
    let numbers = with_stores(&site, [&backup, &folder], |index, session, store| {
        spend(session, store, index).unwrap().report.store_entry
    });
    assert_eq!(numbers, [Some(3); 2]);
}

#[test]
fn what_no_store_holds_is_refused() {
    let (site, folder) = (site(), Folder::new());
    let mut builder = Builder::new("many");
    let (a, b) = (builder.role("A"), builder.role("B"));
    let word = Shape::Integer { bits: 64, signed: false };
    let many = Shape::Array { length: 1 << 21, element: word.into() };
    let inputs = [a, b].map(|role| builder.input("x", role, many.clone()).unwrap());
    let output = builder.output("product", vec![a, b], many).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| {
        let x = main.input(&builder, port).unwrap()[0];
        main.pin(Domain::Arith, x).unwrap()
    });
    let sum = main.add(x, y).unwrap();
    let sum = main.pin(Domain::Yao, sum).unwrap();
    main.output(&builder, output, &[sum]).unwrap();
    let task = task_with(&builder.finish(main).unwrap(), &PlanOptions::default());
    with_stores(&site, [&folder; 2], |_, session, store| {
        let error = session.prepare(&task, store, 1, &CancelFlag::new()).unwrap_err();
        assert!(matches!(cause(&error), StoreError::Large { .. }), "{error}");
    });
}
