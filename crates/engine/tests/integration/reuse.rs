//! Equal runs have nothing in common on the wire, nor have gates with equal operands.
//!
//! Everything that a party sends after both agreed on a run is uniform to the peer: masks, labels, rows of tables, corrections.
//! So 16 bytes that are repeated, in this run or any later one, were made twice from the same secret randomness, which shows how
//! the values under them differ. Runs here have equal inputs, so that anything made twice is also equal.

use crate::loopback::pair::{Folder, LIMIT, expected, in_session, inputs, run, task_with};
use crate::loopback::stores::with_stores;
use crate::loopback::tap::Tap;
use crate::loopback::{Site, jobs, program, run_pair};
use tacit_engine::{CancelFlag, RunTask};
use tacit_ir::{Builder, Domain, Index, PortId, Program, Shape, Type, ValueType, Words};
use tacit_net::session::Transport;
use tacit_plan::{DomainChoice, Garbling, ModeChoice, PlanOptions, TransferChoice};

const ROUNDS: usize = 3;

/// Two parties whose links are tapped, the taps in their order.
fn tapped() -> (Site, [Tap; 2]) {
    let (mut site, taps) = (Site::new(Transport::Tls, LIMIT), [Tap::default(), Tap::default()]);
    for (config, tap) in site.configs.iter_mut().zip(&taps) {
        config.wrap_frames = Some(tap.wrap());
    }
    (site, taps)
}

fn nothing_repeats(taps: &[Tap; 2], what: &str) {
    for (tap, name) in taps.iter().zip(["A", "B"]) {
        tap.assert_nothing_repeats(&format!("{what}, sent by {name}"));
    }
}

/// Ways to run [`program`] that send different things.
fn ways() -> Vec<(&'static str, PlanOptions)> {
    let usual = PlanOptions { transfers: TransferChoice::SoftSpoken, ..PlanOptions::default() };
    let labels = |mode| PlanOptions { mode, ..usual.clone() };
    let shares = |domain| PlanOptions { domain, ..usual.clone() };
    vec![
        ("streamed tables", labels(ModeChoice::Streamed)),
        ("prepared tables", labels(ModeChoice::Precomputed)),
        ("three halves", PlanOptions { garbling: Garbling::ThreeHalves, ..labels(ModeChoice::Precomputed) }),
        ("bits", shares(DomainChoice::In(Domain::Bool))),
        ("sums", shares(DomainChoice::In(Domain::Arith))),
        (
            "silent transfers",
            PlanOptions { transfers: TransferChoice::Silent, ..shares(DomainChoice::In(Domain::Bool)) },
        ),
    ]
}

fn cancel() -> CancelFlag {
    CancelFlag::new()
}

#[test]
fn equal_runs_of_sessions_send_nothing_twice() {
    for (name, options) in ways() {
        let (site, taps) = tapped();
        let task = task_with(&program(), &options);
        for _ in 0..2 {
            in_session(&site, |index, mut session| {
                for _ in 0..ROUNDS {
                    let outcome = run(&mut session, &task, index, 12_345).unwrap();
                    assert_eq!(outcome.outputs, expected(12_345, 12_345));
                }
                session.close(None, &cancel()).unwrap();
            });
        }
        nothing_repeats(&taps, name);
    }
}

#[test]
fn equal_single_runs_send_nothing_twice() {
    for (name, options) in ways() {
        let (site, taps) = tapped();
        let configs = site.configs.clone();
        let mut pair = jobs(site, &options);
        for _ in 0..2 {
            pair.iter_mut().zip(&configs).for_each(|(job, config)| job.session = config.clone());
            run_pair(&pair).into_iter().for_each(|ended| drop(ended.unwrap()));
        }
        nothing_repeats(&taps, name);
    }
}

#[test]
fn equal_prepared_runs_send_nothing_twice() {
    let prepared = |(_, options): &(&str, PlanOptions)| options.mode != ModeChoice::Streamed;
    for (name, options) in ways().into_iter().filter(prepared) {
        let ((site, taps), folder) = (tapped(), Folder::new());
        let task = task_with(&program(), &options);
        with_stores(&site, [&folder; 2], |_, session, store| {
            session.prepare(&task, store, ROUNDS as u64, &cancel()).unwrap();
        });
        with_stores(&site, [&folder; 2], |index, session, store| {
            for _ in 0..ROUNDS {
                let outcome = session.run_prepared(&task, &inputs(index, 7), store, &cancel()).unwrap();
                assert_eq!(outcome.outputs, expected(7, 7));
            }
        });
        nothing_repeats(&taps, name);
    }
}

/// ANDs of the same two wires: in many lanes, in every iteration of a loop, and in a map.
fn same_operands() -> Program {
    const LANES: u64 = 70;
    let word = |bits| Shape::Integer { bits, signed: false };
    let one = ValueType { ty: Type::Word(32), lanes: 1 };
    let mut builder = Builder::new("same");
    let (a, b) = (builder.role("A"), builder.role("B"));
    let ports = [a, b].map(|role| builder.input("x", role, word(32)).unwrap());
    let all = [a, b].to_vec();
    let outputs = ["lanes", "loop", "map"].map(|name| builder.output(name, all.clone(), word(32)).unwrap());
    let mut step = builder.template("step", vec![one, one, one]);
    let [carried, x, y] = step.parameters()[..] else { panic!() };
    let both = step.and(x, y).unwrap();
    let sum = step.xor(carried, both).unwrap();
    let step = builder.add(step, vec![sum]).unwrap();
    let mut pair = builder.template("pair", vec![one, one]);
    let [x, y] = pair.parameters()[..] else { panic!() };
    let both = pair.and(x, y).unwrap();
    let pair = builder.add(pair, vec![both]).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = ports.map(|port| main.input(&builder, port).unwrap()[0]);
    let [many_x, many_y] =
        [x, y].map(|value| main.gather(value, Index::Repeat { each: LANES as u32, tiles: 1 }).unwrap());
    let lanes = main.and(many_x, many_y).unwrap();
    let looped = main.iterate(&builder, step, 20, &[x], &[x, y], &[]).unwrap()[0];
    let mapped = main.map(&builder, pair, LANES, &[many_x, many_y]).unwrap()[0];
    let results = [lanes, looped, mapped]
        .map(|value| main.gather(value, Index::Range { start: 0, step: 1, count: 1 }).unwrap());
    for (port, value) in outputs.into_iter().zip(results) {
        main.output(&builder, port, &[value]).unwrap();
    }
    builder.finish(main).unwrap()
}

/// Random words, for A, and an input of B.
fn random_words() -> Program {
    const LANES: u32 = 8;
    let mut builder = Builder::new("random");
    let [a, b] = ["A", "B"].map(|role| builder.role(role));
    let word = Shape::Integer { bits: 32, signed: false };
    let many = Shape::Array { length: LANES, element: word.clone().into() };
    let inputs = [a, b].map(|role| builder.input("x", role, word.clone()).unwrap());
    let [drawn, given] =
        [("drawn", many), ("given", word)].map(|(name, shape)| builder.output(name, vec![a], shape).unwrap());
    let mut main = builder.template("main", vec![]);
    let random = main.random(ValueType { ty: Type::Word(32), lanes: LANES.into() }).unwrap();
    let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    let sum = main.add(x, y).unwrap();
    main.output(&builder, drawn, &[random]).unwrap();
    main.output(&builder, given, &[sum]).unwrap();
    builder.finish(main).unwrap()
}

/// B sends A its shares of random words; they are drawn anew in each run.
#[test]
fn random_words_are_drawn_anew_in_each_run() {
    for domain in
        [DomainChoice::In(Domain::Yao), DomainChoice::In(Domain::Bool), DomainChoice::In(Domain::Arith)]
    {
        let (site, taps) = tapped();
        let task = task_with(&random_words(), &PlanOptions { domain, ..PlanOptions::default() });
        in_session(&site, |index, mut session| {
            let ran = (0..ROUNDS).map(|_| run(&mut session, &task, index, 3).unwrap().outputs);
            let drawn: Vec<_> = ran.map(|outputs| outputs[0].clone()).collect();
            assert!(index == 1 || drawn[0] != drawn[1] && drawn[1] != drawn[2] && drawn[0] != drawn[2]);
            session.close(None, &cancel()).unwrap();
        });
        nothing_repeats(&taps, &format!("random words in {domain:?}"));
    }
}

#[test]
fn tables_of_gates_with_equal_operands_all_differ() {
    let (mode, garbling) = (ModeChoice::Streamed, Garbling::HalfGates);
    for (name, options) in [
        ("half gates", PlanOptions { mode, garbling, ..PlanOptions::default() }),
        ("three halves", PlanOptions { mode, garbling: Garbling::ThreeHalves, ..PlanOptions::default() }),
        ("prepared", PlanOptions { mode: ModeChoice::Precomputed, ..PlanOptions::default() }),
    ] {
        let (site, taps) = tapped();
        let task: RunTask = task_with(&same_operands(), &options);
        in_session(&site, |index, mut session| {
            let inputs = vec![(PortId(index as u32), vec![Words::scalar(32, 5)])];
            let outcome = session.run(&task, &inputs, &cancel()).unwrap();
            assert_eq!(outcome.outputs[0], vec![Words::scalar(32, 5)]);
            session.close(None, &cancel()).unwrap();
        });
        nothing_repeats(&taps, name);
    }
}
