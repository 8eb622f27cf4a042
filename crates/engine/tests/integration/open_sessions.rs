//! Many runs over one connection.

use std::thread;
use std::time::Duration;

use crate::loopback::pair::{LIMIT, both, expected, in_session, inputs, run, site, task, task_with, terms};
use crate::loopback::{Site, program};
use crate::matrix_products::product;
use tacit_engine::{BlockingSession, CancelFlag, Class, Report, RunError};
use tacit_ir::{Builder, Domain, PortId, Program, Shape, interpret};
use tacit_net::Phase;
use tacit_net::session::Transport;
use tacit_plan::{DomainChoice, MatrixChoice, ModeChoice, PlanOptions, SecurityParams, Side, TransferChoice};

/// As [`program`], but B garbles.
fn mirrored() -> Program {
    let word = |bits| Shape::Integer { bits, signed: false };
    let mut builder = Builder::new("mirrored");
    let (b, a) = (builder.role("B"), builder.role("A"));
    let inputs = [a, b].map(|role| builder.input("x", role, word(32)).unwrap());
    let less = builder.output("less", vec![a, b], word(1)).unwrap();
    let product = builder.output("product", vec![a, b], word(32)).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    let (smaller, times) = (main.lt_u(x, y).unwrap(), main.mul(x, y).unwrap());
    main.output(&builder, less, &[smaller]).unwrap();
    main.output(&builder, product, &[times]).unwrap();
    builder.finish(main).unwrap()
}

/// Checks that traffic equals the prediction, given what earlier runs had set up, in bytes and rounds.
fn as_predicted(report: &Report) {
    for (phase, traffic) in [(Phase::Setup, report.predicted.setup), (Phase::Online, report.predicted.online)]
    {
        let measured = report.phase(phase).unwrap();
        assert_eq!(measured.payload_sent, Some(traffic.bytes_sent(report.side)), "{phase:?}");
        assert_eq!(measured.payload_received, Some(traffic.bytes_sent(report.side.peer())), "{phase:?}");
        assert_eq!(measured.rounds, traffic.rounds(report.side), "{phase:?}");
    }
}

#[test]
fn one_connection_serves_many_runs() {
    let tasks = [
        task(&program(), ModeChoice::Streamed),
        task(&program(), ModeChoice::Precomputed),
        task(&mirrored(), ModeChoice::Precomputed),
        task(&mirrored(), ModeChoice::Streamed),
    ];
    for transport in [Transport::Tls, Transport::Plain] {
        let site = Site::new(transport, LIMIT);
        let reports = in_session(&site, |index, mut session| {
            let mut reports = Vec::new();
            for round in 0..12u128 {
                let task = &tasks[round as usize % tasks.len()];
                let (a, b) = (round * 1_000_003, 5_000_000);
                let outcome = run(&mut session, task, index, [a, b][index]).unwrap();
                assert_eq!(outcome.outputs, expected(a, b));
                reports.push(outcome.report);
            }
            session.close(None, &CancelFlag::new()).unwrap();
            reports
        });
        for (first, second) in reports[0].iter().zip(&reports[1]) {
            for phase in [Phase::Setup, Phase::Online] {
                let (first, second) = (first.phase(phase).unwrap(), second.phase(phase).unwrap());
                assert_eq!(first.payload_sent, second.payload_received);
                assert_eq!(first.payload_received, second.payload_sent);
            }
            as_predicted(first);
            as_predicted(second);
        }
        // The first run of each direction pays for oblivious transfer, and no other.
        let setup = |report: &Report| report.phase(Phase::Setup).unwrap().payload_sent.unwrap();
        let base: Vec<bool> = reports[0].iter().map(|report| setup(report) > 0).collect();
        let streamed = |place: &usize| reports[0][*place].mode == tacit_plan::Mode::Streamed;
        let first = |side| reports[0].iter().position(|report| report.side == side);
        for place in (0..base.len()).filter(streamed) {
            let new = [Side::Garbler, Side::Evaluator].map(first).contains(&Some(place));
            assert_eq!(base[place], new, "run {place}");
        }
        let sides: Vec<Side> = reports[0].iter().map(|report| report.side).collect();
        assert!(sides.contains(&Side::Garbler) && sides.contains(&Side::Evaluator));
        let fields = reports[0].iter().map(|report| report.phase(Phase::Analysis).unwrap().bytes_sent);
        assert!(fields.skip(1).all(|bytes| bytes < 500), "a run is agreed on in few bytes");
    }
}

#[test]
fn extensions_of_both_kinds_serve_one_session() {
    let with = |program: &Program, mode, transfers| {
        task_with(program, &PlanOptions { mode, transfers, ..PlanOptions::default() })
    };
    let (silent, loud) = (TransferChoice::Silent, TransferChoice::SoftSpoken);
    let (streamed, precomputed) = (ModeChoice::Streamed, ModeChoice::Precomputed);
    let tasks = [
        with(&program(), streamed, silent),
        with(&program(), precomputed, loud),
        with(&mirrored(), precomputed, silent),
        with(&program(), precomputed, silent),
        with(&mirrored(), streamed, loud),
    ];
    // Each task is the first of some session.
    for start in 0..tasks.len() {
        in_session(&site(), |index, mut session| {
            for round in start..start + 2 * tasks.len() {
                let (a, b) = (round as u128 * 1_000_003, 5_000_000);
                let task = &tasks[round % tasks.len()];
                let outcome = run(&mut session, task, index, [a, b][index]).unwrap();
                assert_eq!(outcome.outputs, expected(a, b), "session {start}, run {round}");
                as_predicted(&outcome.report);
            }
            session.close(None, &CancelFlag::new()).unwrap();
        });
    }
}

/// As [`program`], with the product of sums.
fn of_sums() -> Program {
    let word = |bits| Shape::Integer { bits, signed: false };
    let mut builder = Builder::new("sums");
    let (a, b) = (builder.role("A"), builder.role("B"));
    let inputs = [a, b].map(|role| builder.input("x", role, word(32)).unwrap());
    let less = builder.output("less", vec![a, b], word(1)).unwrap();
    let product = builder.output("product", vec![a, b], word(32)).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    let smaller = main.lt_u(x, y).unwrap();
    let [x, y] = [x, y].map(|value| main.pin(Domain::Arith, value).unwrap());
    let times = main.mul(x, y).unwrap();
    main.output(&builder, less, &[smaller]).unwrap();
    main.output(&builder, product, &[times]).unwrap();
    builder.finish(main).unwrap()
}

#[test]
fn values_shared_in_several_ways_run_in_a_session() {
    let domain =
        |program: &Program, domain| task_with(program, &PlanOptions { domain, ..PlanOptions::default() });
    let silent = |program: &Program, domain| {
        let transfers = TransferChoice::Silent;
        task_with(program, &PlanOptions { domain, transfers, ..PlanOptions::default() })
    };
    let tasks = [
        silent(&mirrored(), DomainChoice::In(Domain::Bool)),
        domain(&of_sums(), DomainChoice::In(Domain::Yao)),
        task(&program(), ModeChoice::Streamed),
        domain(&mirrored(), DomainChoice::In(Domain::Bool)),
        domain(&of_sums(), DomainChoice::In(Domain::Bool)),
        silent(&of_sums(), DomainChoice::In(Domain::Bool)),
        task(&mirrored(), ModeChoice::Precomputed),
        domain(&program(), DomainChoice::In(Domain::Arith)),
    ];
    let reports = in_session(&site(), |index, mut session| {
        let mut reports = Vec::new();
        for round in 0..30u128 {
            let task = &tasks[round as usize % tasks.len()];
            let (a, b) = (round * 1_000_003, 15_000_000);
            let outcome = run(&mut session, task, index, [a, b][index]).unwrap();
            assert_eq!(outcome.outputs, expected(a, b), "round {round}");
            reports.push(outcome.report);
        }
        session.close(None, &CancelFlag::new()).unwrap();
        reports
    });
    reports.iter().flatten().for_each(as_predicted);
}

#[test]
fn keys_for_matrices_serve_all_runs_of_a_session() {
    let task =
        |matrices| task_with(&product(32, [3, 40, 1]), &PlanOptions { matrices, ..PlanOptions::default() });
    let [triples, online] = [MatrixChoice::Lattice, MatrixChoice::Online].map(task);
    let program = product(32, [3, 40, 1]);
    let inputs = tacit_arbitrary::inputs(&program, 3);
    let expected = interpret(&program, &inputs, || 0).unwrap();
    let reports = in_session(&site(), |index, mut session| {
        let runs = [&online, &triples, &online, &online];
        let outcomes = runs.map(|task| {
            session.run(task, &[(PortId(index as u32), inputs[index].clone())], &CancelFlag::new()).unwrap()
        });
        session.close(None, &CancelFlag::new()).unwrap();
        assert!(outcomes.iter().all(|outcome| outcome.outputs == expected));
        outcomes.map(|outcome| outcome.report)
    });
    reports.iter().flatten().for_each(as_predicted);
    let setup = |run: usize| reports[0][run].phase(Phase::Setup).unwrap().payload_sent.unwrap();
    assert!(setup(2) == setup(3) && setup(0) > setup(2) + 100_000, "the keys are made once");
}

#[test]
fn a_difference_is_named_and_the_session_goes_on() {
    let mut twin = program();
    twin.name = "twin".to_owned();
    let mine = task(&program(), ModeChoice::Precomputed);
    let others =
        [(task(&twin, ModeChoice::Precomputed), "program"), (task(&program(), ModeChoice::Streamed), "mode")];
    in_session(&site(), |index, mut session| {
        for (other, name) in &others {
            let error = run(&mut session, [&mine, other][index], index, 3).unwrap_err();
            assert_eq!(error.class(), Class::Peer, "{error}");
            assert!(error.to_string().contains(&format!("differ in {name}")), "{error}");
        }
        assert_eq!(run(&mut session, &mine, index, 3).unwrap().outputs, expected(3, 3));
        session.close(None, &CancelFlag::new()).unwrap();
    });
}

#[test]
fn wrong_arguments_are_refused_before_the_peer_hears_of_them() {
    let mine = task(&program(), ModeChoice::Streamed);
    let security = SecurityParams { softspoken_k: 2, ..SecurityParams::default() };
    let other = task_with(&program(), &PlanOptions { security, ..PlanOptions::default() });
    in_session(&site(), |index, mut session| {
        let error = session.run(&mine, &[], &CancelFlag::new()).unwrap_err();
        assert!(matches!(error, RunError::Input(_)), "{error}");
        let error = run(&mut session, &other, index, 1).unwrap_err();
        assert!(matches!(error, RunError::Party { .. }), "{error}");
        assert_eq!(run(&mut session, &mine, index, 9).unwrap().outputs, expected(9, 9));
        session.close(None, &CancelFlag::new()).unwrap();
    });
}

#[test]
fn security_parameters_are_compared_when_a_session_opens() {
    let site = site();
    for result in both(|index| {
        let mut terms = terms(&site, index);
        terms.security.softspoken_k = [4, 8][index];
        BlockingSession::open(terms, &CancelFlag::new()).map(drop)
    }) {
        let message = result.unwrap_err().to_string();
        assert!(message.contains("differ in security parameters"), "{message}");
    }
}

#[test]
fn a_peer_that_has_closed_is_an_error() {
    let mine = task(&program(), ModeChoice::Streamed);
    in_session(&site(), |index, mut session| {
        if index == 0 {
            assert!(run(&mut session, &mine, index, 1).is_err());
            let error = run(&mut session, &mine, index, 1).unwrap_err();
            assert!(error.to_string().contains("aborted"), "{error}");
        } else {
            assert!(session.close(None, &CancelFlag::new()).is_err());
        }
    });
}

#[test]
fn a_run_can_be_cancelled() {
    let mine = task(&program(), ModeChoice::Streamed);
    let cancel = CancelFlag::new();
    let canceller = cancel.clone();
    in_session(&site(), |index, mut session| {
        if index == 0 {
            thread::scope(|scope| {
                scope.spawn(|| {
                    thread::sleep(Duration::from_millis(50));
                    canceller.cancel();
                });
                // The peer does not come.
                let error = session.run(&mine, &inputs(0, 1), &cancel).unwrap_err();
                assert!(matches!(error, RunError::Cancelled { .. }), "{error}");
            });
        } else {
            thread::sleep(Duration::from_millis(200));
            let error = run(&mut session, &mine, index, 1).unwrap_err();
            assert_eq!(error.class(), Class::Abort, "{error}");
        }
    });
}
