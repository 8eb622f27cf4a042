//! Outside parties in open sessions: they join the runs that name them, and leave.

use crate::loopback;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::loopback::several::{array, site, survey, survey_inputs};
use tacit_engine::{
    BlockingSession, CancelFlag, Job, Outcome, OutsideOutcome, RunError, RunTask, SessionTerms, ShareStore,
    Store, block_on, plan, take_part,
};
use tacit_ir::{Builder, Domain, PortId, Program, STORED_ROLE, Words, interpret};
use tacit_net::fault::Fault;
use tacit_net::keys::SecretKey;
use tacit_net::session::Config;
use tacit_plan::{ModeChoice, PlanOptions, SecurityParams};

pub const NAMES: [&str; 4] = ["A", "B", "C", "D"];
pub const LIMIT: Duration = Duration::from_secs(20);

pub type Place = (Config, SecretKey);

pub fn task(program: &Program, mode: ModeChoice) -> RunTask {
    let plan = plan(program, &PlanOptions { mode, ..PlanOptions::default() }).unwrap();
    RunTask {
        program: Arc::new(program.clone()),
        plan: Arc::new(plan),
        compiler: "a test".to_owned(),
        progress: None,
    }
}

fn open(places: &[Place], index: usize) -> BlockingSession {
    open_with(places, index, None)
}

fn open_with(places: &[Place], index: usize, shares: Option<ShareStore>) -> BlockingSession {
    let (session, key) = places[index].clone();
    let terms = SessionTerms {
        party: NAMES[index].to_owned(),
        peer: NAMES[1 - index].to_owned(),
        session,
        key: Some(key),
        security: SecurityParams::default(),
        shares,
    };
    BlockingSession::open(terms, &CancelFlag::new()).unwrap()
}

/// A party's inputs.
fn given(task: &RunTask, name: &str, inputs: &[Vec<Words>]) -> Vec<(PortId, Vec<Words>)> {
    let ports = task.program.inputs.iter().enumerate();
    let own = ports.filter(|(_, port)| task.program.roles[port.role.index()] == name);
    own.map(|(index, _)| (PortId(index as u32), inputs[index].clone())).collect()
}

pub fn come(
    places: &[Place],
    index: usize,
    task: &RunTask,
    inputs: &[Vec<Words>],
) -> Result<OutsideOutcome, RunError> {
    let (session, key) = places[index].clone();
    let job = Job {
        program: task.program.clone(),
        plan: task.plan.clone(),
        compiler: task.compiler.clone(),
        party: NAMES[index].to_owned(),
        session,
        key: Some(key),
        inputs: given(task, NAMES[index], inputs),
        progress: None,
    };
    block_on(take_part(&job, &CancelFlag::new()))
}

pub fn run(
    session: &mut BlockingSession,
    task: &RunTask,
    index: usize,
    inputs: &[Vec<Words>],
) -> Result<Outcome, RunError> {
    session.run(task, &given(task, NAMES[index], inputs), &CancelFlag::new())
}

pub fn close(session: BlockingSession) {
    session.close(None, &CancelFlag::new()).unwrap();
}

/// A gate at which all parties wait for each other, for a limited time.
struct Gate(Mutex<usize>, Condvar);

impl Gate {
    fn new() -> Gate {
        Gate(Mutex::new(0), Condvar::new())
    }

    fn wait(&self) {
        let mut count = self.0.lock().unwrap();
        *count += 1;
        self.1.notify_all();
        let waited = self.1.wait_timeout_while(count, 2 * LIMIT, |count| *count < NAMES.len()).unwrap();
        assert!(!waited.1.timed_out(), "another party has failed");
    }
}

/// Runs `work` at both computing parties in a session, and `others` meanwhile.
pub fn with_others(
    places: &[Place],
    work: impl Fn(usize, BlockingSession) + Sync,
    others: impl Fn(usize) + Sync,
) {
    thread::scope(|scope| {
        let (work, others) = (&work, &others);
        let all: Vec<_> = (0..NAMES.len())
            .map(|index| {
                scope.spawn(move || match index {
                    0 | 1 => work(index, open(places, index)),
                    _ => others(index),
                })
            })
            .collect();
        all.into_iter().for_each(|party| party.join().unwrap());
    });
}

fn inputs(round: u128) -> Vec<Vec<Words>> {
    let other = |words: &Words| {
        let lanes: Vec<u128> =
            (0..words.lanes()).map(|lane| (words.low_u128(lane) ^ round) & 0xffff).collect();
        Words::from_u128s(16, &lanes)
    };
    survey_inputs().iter().map(|columns| columns.iter().map(other).collect()).collect()
}

/// Checks that C and D learn the sum, and A whether it is large.
fn right(name: &str, outputs: &[Vec<Words>], program: &Program, round: u128) {
    let expected = interpret(program, &inputs(round), || 0).unwrap();
    for (port, learns) in [(0, ["C", "D"].contains(&name)), (1, name == "A")] {
        let expected = if learns { &expected[port][..] } else { &[] };
        assert_eq!(outputs[port], expected, "{name}, round {round}");
    }
}

#[test]
fn outside_parties_come_to_each_run_of_a_session() {
    let tasks: Vec<RunTask> = [
        (Domain::Yao, ModeChoice::Streamed),
        (Domain::Bool, ModeChoice::Auto),
        (Domain::Yao, ModeChoice::Precomputed),
        (Domain::Arith, ModeChoice::Auto),
    ]
    .map(|(domain, mode)| task(&survey(domain), mode))
    .to_vec();
    let places = site(&NAMES, ["A", "B"], LIMIT);
    let rounds = || (0..6u128).map(|round| (round, &tasks[round as usize % tasks.len()]));
    with_others(
        &places,
        |index, mut session| {
            for (round, task) in rounds() {
                let outcome = run(&mut session, task, index, &inputs(round)).unwrap();
                right(NAMES[index], &outcome.outputs, &task.program, round);
                let report = outcome.report;
                let online = report.phase(tacit_net::Phase::Online).unwrap();
                assert_eq!(online.payload_sent, Some(report.predicted.online.bytes_sent(report.side)));
                let setup = report.phase(tacit_net::Phase::Setup).unwrap();
                assert_eq!(setup.payload_sent, Some(report.predicted.setup.bytes_sent(report.side)));
            }
            close(session);
        },
        |index| {
            for (round, task) in rounds() {
                let outcome = come(&places, index, task, &inputs(round)).unwrap();
                right(NAMES[index], &outcome.outputs, &task.program, round);
            }
        },
    );
}

#[test]
fn outside_parties_come_to_prepared_runs() {
    let task = task(&survey(Domain::Yao), ModeChoice::Precomputed);
    let places = site(&NAMES, ["A", "B"], LIMIT);
    let folder = loopback::pair::Folder::new();
    with_others(
        &places,
        |index, mut session| {
            let mut store = Store::open(&folder.party(index), &places[index].1).unwrap();
            session.prepare(&task, &mut store, 2, &CancelFlag::new()).unwrap();
            for round in 0..2 {
                let own = given(&task, NAMES[index], &inputs(round));
                let outcome = session.run_prepared(&task, &own, &mut store, &CancelFlag::new()).unwrap();
                right(NAMES[index], &outcome.outputs, &task.program, round);
            }
            session.close(Some(&mut store), &CancelFlag::new()).unwrap();
        },
        |index| {
            for round in 0..2 {
                let outcome = come(&places, index, &task, &inputs(round)).unwrap();
                right(NAMES[index], &outcome.outputs, &task.program, round);
            }
        },
    );
}

#[test]
fn an_outside_party_that_never_comes_is_named_in_time_and_the_session_goes_on() {
    let task = task(&survey(Domain::Bool), ModeChoice::Auto);
    let limit = Duration::from_secs(3);
    let places = site(&NAMES, ["A", "B"], limit);
    let gate = Gate::new();
    with_others(
        &places,
        |index, mut session| {
            let start = Instant::now();
            let error = run(&mut session, &task, index, &inputs(0)).unwrap_err().to_string();
            assert!(error.contains("D: did not connect"), "{error}");
            assert!(start.elapsed() < limit * 3, "{:?}", start.elapsed());
            gate.wait();
            let outcome = run(&mut session, &task, index, &inputs(1)).unwrap();
            right(NAMES[index], &outcome.outputs, &task.program, 1);
            close(session);
        },
        |index| {
            if index == 2 {
                come(&places, index, &task, &inputs(0)).unwrap_err();
            }
            gate.wait();
            let outcome = come(&places, index, &task, &inputs(1)).unwrap();
            right(NAMES[index], &outcome.outputs, &task.program, 1);
        },
    );
}

#[test]
fn an_outside_party_with_another_program_is_refused_and_the_session_goes_on() {
    let (mine, other) = (survey(Domain::Bool), survey(Domain::Arith));
    let [mine, other] = [mine, other].map(|program| task(&program, ModeChoice::Auto));
    let places = site(&NAMES, ["A", "B"], Duration::from_secs(5));
    let gate = Gate::new();
    with_others(
        &places,
        |index, mut session| {
            let error = run(&mut session, &mine, index, &inputs(0)).unwrap_err().to_string();
            assert!(error.contains("differ in program") || error.contains("aborted"), "{error}");
            gate.wait();
            let outcome = run(&mut session, &mine, index, &inputs(1)).unwrap();
            right(NAMES[index], &outcome.outputs, &mine.program, 1);
            close(session);
        },
        |index| {
            come(&places, index, [&other, &mine][index - 2], &inputs(0)).unwrap_err();
            gate.wait();
            let outcome = come(&places, index, &mine, &inputs(1)).unwrap();
            right(NAMES[index], &outcome.outputs, &mine.program, 1);
        },
    );
}

/// An outside party's number for A.
fn told(outside: &str) -> Program {
    let mut builder = Builder::new("told");
    let [a, _, outside] = ["A", "B", outside].map(|name| builder.role(name));
    let x = builder.input("x", outside, array(16, 70, false)).unwrap();
    let told = builder.output("told", vec![a], array(16, 70, false)).unwrap();
    let mut main = builder.template("main", vec![]);
    let x = main.input(&builder, x).unwrap()[0];
    main.output(&builder, told, &[x]).unwrap();
    builder.finish(main).unwrap()
}

#[test]
fn an_outside_party_that_comes_too_early_waits_for_its_run() {
    let tasks = [told("C"), told("D")].map(|program| task(&program, ModeChoice::Auto));
    let places = site(&NAMES, ["A", "B"], LIMIT);
    let given = survey_inputs();
    with_others(
        &places,
        |index, mut session| {
            for task in &tasks {
                let outcome = run(&mut session, task, index, &given).unwrap();
                let expected = if index == 0 { &given[0][..] } else { &[] };
                assert_eq!(outcome.outputs[0], expected);
            }
            close(session);
        },
        |index| {
            // D is there from the start, while both wait for C.
            if index == 2 {
                thread::sleep(Duration::from_millis(800));
            }
            come(&places, index, &tasks[index - 2], &given).unwrap();
        },
    );
}

/// C's input is added to the kept value, and the sum goes to C; the first program only keeps it.
fn account(first: bool) -> Program {
    let mut builder = Builder::new("account");
    let [_, _, c, kept] = ["A", "B", "C", STORED_ROLE].map(|name| builder.role(name));
    let x = builder.input("x", c, array(16, 70, false)).unwrap();
    let old = (!first).then(|| builder.input("account", kept, array(16, 70, false)).unwrap());
    let new = builder.output("account", vec![c, kept], array(16, 70, false)).unwrap();
    let mut main = builder.template("main", vec![]);
    let x = main.input(&builder, x).unwrap()[0];
    let all = match old {
        Some(old) => {
            let old = main.input(&builder, old).unwrap()[0];
            main.add(old, x).unwrap()
        }
        None => x,
    };
    main.output(&builder, new, &[all]).unwrap();
    builder.finish(main).unwrap()
}

#[test]
fn outside_parties_and_kept_shares_meet_in_the_runs_of_a_session() {
    let tasks = [account(true), account(false)].map(|program| task(&program, ModeChoice::Streamed));
    let places = site(&NAMES, ["A", "B"], LIMIT);
    let folder = loopback::pair::Folder::new();
    let rounds = || (0..4usize).map(|round| &tasks[round.min(1)]);
    let given = survey_inputs();
    with_others(
        &places,
        |index, session| {
            drop(session.close(None, &CancelFlag::new()));
            let store = ShareStore::open(&folder.party(index), &places[index].1).unwrap();
            let mut session = open_with(&places, index, Some(store));
            for task in rounds() {
                run(&mut session, task, index, &given).unwrap();
            }
            close(session);
        },
        |index| {
            for (round, task) in rounds().enumerate().filter(|_| index == 2) {
                let inputs = [given[0].clone(), vec![]];
                let outcome = come(&places, index, task, &inputs).unwrap();
                let lanes = (0..70).map(|lane| (given[0][0].low_u128(lane) * (round as u128 + 1)) & 0xffff);
                let all = Words::from_u128s(16, &lanes.collect::<Vec<_>>());
                assert_eq!(outcome.outputs, [vec![all]], "round {round}");
            }
        },
    );
}

/// Whatever frame of an outside party is truncated, omitted or repeated: all end in time, no result is wrong, and the session
/// continues.
#[test]
fn an_outside_party_whose_messages_are_broken_ends_its_run_alone() {
    let task = task(&survey(Domain::Bool), ModeChoice::Auto);
    let limit = Duration::from_secs(2);
    let faults: Vec<Fault> =
        (0..4).flat_map(|frame| [Fault::Truncate(frame), Fault::Omit(frame), Fault::Repeat(frame)]).collect();
    let strike = |fault: Fault| {
        let mut places = site(&NAMES, ["A", "B"], limit);
        places[2].0.wrap_frames = Some(fault.wrap());
        let gate = Gate::new();
        let start = Instant::now();
        with_others(
            &places,
            |index, mut session| {
                if let Ok(outcome) = run(&mut session, &task, index, &inputs(0)) {
                    right(NAMES[index], &outcome.outputs, &task.program, 0);
                }
                gate.wait();
                let outcome = run(&mut session, &task, index, &inputs(1))
                    .unwrap_or_else(|error| panic!("{fault:?}, {index}: {error}"));
                right(NAMES[index], &outcome.outputs, &task.program, 1);
                close(session);
            },
            |index| {
                if let Ok(outcome) = come(&places, index, &task, &inputs(0)) {
                    right(NAMES[index], &outcome.outputs, &task.program, 0);
                }
                gate.wait();
                let mut places = places.clone();
                places[2].0.wrap_frames = None;
                let outcome = come(&places, index, &task, &inputs(1)).unwrap();
                right(NAMES[index], &outcome.outputs, &task.program, 1);
            },
        );
        assert!(start.elapsed() < limit * 10, "{fault:?}: {:?}", start.elapsed());
    };
    for some in faults.chunks(4) {
        thread::scope(|scope| some.iter().for_each(|fault| drop(scope.spawn(|| strike(*fault)))));
    }
}
