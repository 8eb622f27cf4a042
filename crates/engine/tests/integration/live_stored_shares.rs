//! Shares that live sessions read when they begin and keep when they end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use crate::loopback::balance::{Pair, add, deposit, sum, values, word};
use crate::loopback::jobs_of;
use crate::loopback::pair::{both, terms};
use tacit_engine::live::{
    LiveError, LivePath, LiveValue, Script, SourcePlace, recipients, run_live_blocking, side_of,
};
use tacit_engine::{CancelFlag, Outcome, Report, RunError, SessionTerms, block_on, run};
use tacit_ir::{BinaryOp, Domain, Op, PortId, Program, Shape, ValueId, ValueType, Words};
use tacit_plan::{PlanOptions, Side};

/// What a party's writer returned, and the session's report.
type Ended<T> = (Option<T>, Result<Report, Arc<RunError>>);

/// Runs a live session of both parties; returns each writer's result, and the report.
fn live<T: Send>(
    pair: &Pair,
    change: impl Fn(usize, &mut SessionTerms) + Sync,
    write: impl Fn(usize, &Script) -> T + Sync,
) -> [Ended<T>; 2] {
    let site = pair.site();
    both(|index| {
        let mut terms = terms(&site, index);
        terms.shares = Some(pair.store(index));
        change(index, &mut terms);
        let script = Script::new(side_of(&terms.party, &terms.peer));
        let (ready, met) = channel();
        thread::scope(|scope| {
            let other = script.clone();
            let engine = scope.spawn(move || {
                run_live_blocking(terms, &other, &CancelFlag::new(), move || ready.send(()).unwrap())
            });
            // If the parties do not meet, there is nothing to write.
            let written = met.recv().is_ok().then(|| write(index, &script));
            script.close();
            (written, engine.join().unwrap())
        })
    })
}

fn here() -> SourcePlace {
    SourcePlace { file: "test".into(), line: 1 }
}

/// An input of B.
fn given(script: &Script, path: LivePath, index: usize, bits: u32, value: u128) -> LiveValue {
    let words = (index == 1).then(|| values(bits, value));
    script.input(path, Side::Evaluator, "B.y", ValueType::word(bits, 3), words, &here()).unwrap()
}

fn plus(script: &Script, path: LivePath, a: &LiveValue, b: &LiveValue) -> LiveValue {
    let operands = [a.clone(), b.clone()];
    let op = Op::Binary(BinaryOp::Add, ValueId(0), ValueId(1));
    let operand = |value: ValueId| operands.get(value.index()).cloned();
    script.operation(path, op, operand, None, &[a.value_type()], &here()).unwrap().remove(0)
}

/// Opens a value, and returns it at both parties.
fn opened(script: &Script, path: LivePath, value: &LiveValue) -> Words {
    let (sender, receiver) = channel();
    let opening = Box::new(move |opened| drop(sender.send(opened)));
    script.open(path, value, recipients(true, true).unwrap(), &here(), opening).unwrap();
    script.submit();
    receiver.recv().unwrap().unwrap().unwrap()
}

/// Adds `y` to the balance, and keeps it; returns the new balance if asked to.
fn grow(script: &Script, index: usize, (bits, y): (u32, u128), tell: bool) -> Option<Words> {
    let path = script.path("main").unwrap();
    let old = script.stored(path, "balance", &word(bits), &here()).unwrap();
    let y = given(script, path, index, bits, y);
    let new = plus(script, path, &old, &y);
    script.keep(path, "balance", &word(bits), &new, &here()).unwrap();
    tell.then(|| opened(script, path, &new))
}

/// A single run.
fn single(pair: &Pair, program: &Program, value: u128) -> [Outcome; 2] {
    let mut jobs = jobs_of(program, [vec![], vec![]], pair.site(), &PlanOptions::default());
    for (index, port) in program.inputs.iter().enumerate() {
        let role = &program.roles[port.role.index()];
        if let Some(job) = jobs.iter_mut().find(|job| job.party == *role) {
            let bits = port.shape.columns()[0].bits;
            job.inputs = vec![(PortId(index as u32), vec![values(bits, value)])];
        }
    }
    both(|index| block_on(run(&jobs[index], Some(pair.store(index)), &CancelFlag::new())).unwrap())
}

#[test]
fn a_balance_lives_through_live_sessions_and_runs() {
    for (domain, bits) in [(Domain::Yao, 16), (Domain::Bool, 33), (Domain::Yao, 128), (Domain::Bool, 1)] {
        let pair = Pair::new();
        single(&pair, &deposit(bits, domain), 5);
        for (told, terms) in [(false, &[5, 31][..]), (true, &[5, 31, 77])] {
            let y = *terms.last().unwrap();
            for (value, report) in
                live(&pair, |_, _| {}, |index, script| grow(script, index, (bits, y), told))
            {
                report.unwrap();
                assert_eq!(value.unwrap(), told.then(|| sum(bits, terms).remove(0)), "{bits} bits");
            }
        }
        let [a, _] = single(&pair, &add(bits, domain, true), 9);
        assert_eq!(a.outputs, [sum(bits, &[5, 31, 77, 9])]);
        for index in [0, 1] {
            let kept = pair.store(index).list();
            assert!(kept.iter().all(|row| row.settled && row.version == 4), "{kept:?}");
        }
    }
}

#[test]
fn a_session_that_only_reads_leaves_what_is_kept_as_it_is() {
    let pair = Pair::new();
    single(&pair, &deposit(16, Domain::Bool), 5);
    for _ in 0..2 {
        for (value, report) in live(
            &pair,
            |_, _| {},
            |_, script| {
                let path = script.path("main").unwrap();
                let kept = script.stored(path, "balance", &word(16), &here()).unwrap();
                opened(script, path, &kept)
            },
        ) {
            report.unwrap();
            assert_eq!(vec![value.unwrap()], sum(16, &[5]));
        }
    }
    assert_eq!(pair.store(0).list()[0].version, 1);
}

#[test]
fn what_cannot_be_read_or_kept_is_named() {
    let pair = Pair::new();
    single(&pair, &deposit(16, Domain::Bool), 5);
    for (_, report) in live(
        &pair,
        |_, _| {},
        |index, script| {
            let path = script.path("main").unwrap();
            let message = |name: &str, shape: &Shape| match script.stored(path, name, shape, &here()) {
                Err(LiveError::ShareStore { reason }) => reason,
                other => panic!("{other:?}"),
            };
            assert!(message("account", &word(16)).contains("nothing is kept as account"));
            let wrong = message("balance", &word(17));
            assert!(
                wrong.contains("was kept as u16[3] in bool or yao, but the program reads u17[3]"),
                "{wrong}"
            );
            let y = given(script, path, index, 16, 1);
            let keep = |name: &str, shape: &Shape| script.keep(path, name, shape, &y, &here());
            assert_eq!(keep("new", &word(15)), Err(LiveError::Foreign));
            keep("new", &word(16)).unwrap();
            assert_eq!(keep("new", &word(16)), Err(LiveError::KeptTwice { name: "new".to_owned() }));
        },
    ) {
        report.unwrap();
    }
    // The session was good, so what it kept is there.
    let names: Vec<String> = pair.store(1).list().into_iter().map(|row| row.name).collect();
    assert_eq!(names, ["balance", "new"]);
    for (_, report) in live(
        &pair,
        |_, terms| terms.shares = None,
        |_, script| {
            let path = script.path("main").unwrap();
            let error = script.stored(path, "balance", &word(16), &here()).unwrap_err();
            assert_eq!(error, LiveError::NoStore);
        },
    ) {
        report.unwrap();
    }
}

#[test]
fn both_parties_have_a_store_or_neither() {
    let pair = Pair::new();
    let without = |index: usize, terms: &mut SessionTerms| {
        if index == 0 {
            terms.shares = None;
        }
    };
    for (written, report) in live(&pair, without, |_, _| ()) {
        assert_eq!(written, None);
        let error = report.unwrap_err().to_string();
        assert!(error.contains("differ in stored shares"), "{error}");
    }
}

#[test]
fn programs_that_keep_different_things_differ() {
    let pair = Pair::new();
    for (_, report) in live(
        &pair,
        |_, _| {},
        |index, script| {
            let path = script.path("main").unwrap();
            let y = given(script, path, index, 16, 1);
            script.keep(path, ["one", "other"][index], &word(16), &y, &here()).unwrap();
        },
    ) {
        let error = report.unwrap_err().to_string();
        assert!(error.contains("differ"), "{error}");
    }
    assert!(pair.store(0).list().is_empty() && pair.store(1).list().is_empty());
}

/// Ends one party at every step of its store at the end of a session; the next session finds one complete
/// value.
#[test]
fn wherever_a_party_ends_both_have_one_value() {
    for failing in [0, 1] {
        for last in 1..=4 {
            let pair = Pair::new();
            single(&pair, &deposit(16, Domain::Bool), 5);
            let observe = |index: usize, terms: &mut SessionTerms| {
                if index == failing {
                    let steps = AtomicU64::new(0);
                    let store = terms.shares.as_mut().unwrap();
                    store.observe(move |_| match steps.fetch_add(1, Ordering::SeqCst) + 1 == last {
                        true => Err(io::Error::other("the end")),
                        false => Ok(()),
                    });
                }
            };
            let ended = live(&pair, observe, |index, script| grow(script, index, (16, 6), false));
            assert!(ended[failing].1.is_err());
            let [a, _] = single(&pair, &add(16, Domain::Bool, true), 7);
            let (old, new) = (sum(16, &[5, 7]), sum(16, &[5, 6, 7]));
            let kept = if last >= 3 { [&new, &new] } else { [&old, &new] };
            assert!(kept.contains(&&a.outputs[0]), "party {failing}, step {last}");
            if last == 1 {
                assert_eq!(a.outputs[0], old, "party {failing}");
            }
        }
    }
}

#[test]
fn a_session_that_fails_keeps_nothing_and_lets_go_of_its_store() {
    let pair = Pair::new();
    single(&pair, &deposit(16, Domain::Yao), 5);
    let scripts = live(
        &pair,
        |_, _| {},
        |index, script| {
            grow(script, index, (16, 6), true);
            if index == 1 {
                // A step that A's program does not have.
                let path = script.path("odd").unwrap();
                given(script, path, index, 16, 1);
            }
            script.clone()
        },
    );
    for (script, report) in &scripts {
        assert!(report.is_err());
        assert!(script.as_ref().unwrap().failure().is_some());
    }
    // The scripts still exist, but the stores are free.
    let [a, _] = single(&pair, &add(16, Domain::Yao, true), 7);
    assert_eq!(a.outputs, [sum(16, &[5, 7])]);
}
