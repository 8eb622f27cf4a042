//! Runs within reactive programs: one connection, one setup of oblivious transfers, and steps before and after that share values.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::loopback::pair::{Folder, LIMIT, both, expected, inputs, site, task, task_with, terms};
use crate::loopback::stores::{as_predicted, store};
use crate::loopback::{Site, program};
use tacit_engine::live::{
    LiveError, LivePath, LiveValue, PendingWork, Script, SessionWork, SourcePlace, WorkDone, WorkKind,
    memory_pair, recipients, run_live_blocking, side_of,
};
use tacit_engine::{CancelFlag, Class, OpenSession, Outcome, Report, RunError, RunTask, block_on};
use tacit_ir::{BinaryOp, Domain, Op, ValueId, ValueType, Words};
use tacit_net::fault::{Fault, Switch};
use tacit_net::session::Transport;
use tacit_net::{Options, Phase};
use tacit_plan::{DomainChoice, ModeChoice, PlanOptions, Side};

const WORD: ValueType = ValueType::word(32, 1);

fn place(line: u32) -> SourcePlace {
    SourcePlace { file: "test".into(), line }
}

fn input(script: &Script, path: LivePath, giver: Side, value: u128) -> LiveValue {
    let words = (giver == script.side()).then(|| Words::scalar(32, value));
    script.input(path, giver, "x", WORD, words, &place(1)).unwrap()
}

fn join(script: &Script, path: LivePath, op: BinaryOp, operands: [&LiveValue; 2]) -> LiveValue {
    let operand = |value: ValueId| operands.get(value.index()).map(|value| (*value).clone());
    let op = Op::Binary(op, ValueId(0), ValueId(1));
    script.operation(path, op, operand, None, &[WORD], &place(2)).unwrap().remove(0)
}

type Told<T> = Receiver<Result<T, Arc<RunError>>>;

fn open(script: &Script, path: LivePath, value: &LiveValue, line: u32) -> Told<Option<Words>> {
    let (tell, told) = channel();
    let opening = Box::new(move |opened| drop(tell.send(opened)));
    script.open(path, value, recipients(true, true).unwrap(), &place(line), opening).unwrap();
    script.submit();
    told
}

/// Opens a value to both, and returns it.
fn opened(script: &Script, path: LivePath, value: &LiveValue) -> u128 {
    let words = open(script, path, value, 3).recv_timeout(LIMIT).unwrap().unwrap().unwrap();
    words.low_u128(0)
}

fn pending(script: &Script, path: LivePath, kind: WorkKind, task: &RunTask, line: u32) -> PendingWork {
    let pending = script.work(path, kind, &task.program, &place(line)).unwrap();
    script.submit();
    pending
}

fn begin(pending: PendingWork, work: SessionWork) -> Told<WorkDone> {
    let (tell, told) = channel();
    pending.begin(work, Box::new(move |ended| drop(tell.send(ended))));
    told
}

fn run(script: &Script, path: LivePath, task: &RunTask, (index, value): (usize, u128)) -> Told<WorkDone> {
    let pending = pending(script, path, WorkKind::Run, task, 4);
    begin(pending, SessionWork::Run { task: task.clone(), inputs: inputs(index, value) })
}

fn outcome(told: &Told<WorkDone>) -> Outcome {
    match told.recv_timeout(LIMIT).unwrap().unwrap() {
        WorkDone::Outcome(outcome) => *outcome,
        WorkDone::Prepared(_) => panic!("a preparation"),
    }
}

/// What a party's writer returned, and the program's report.
type Ended<T> = (T, Result<Report, Arc<RunError>>);

/// Runs both parties' programs; each is told its index.
fn live<T: Send>(
    engine: impl Fn(usize, &Script) -> Result<Report, Arc<RunError>> + Sync,
    write: impl Fn(usize, &Script) -> T + Sync,
) -> [Ended<T>; 2] {
    both(|index| {
        let script = Script::new(side_of(["A", "B"][index], ["B", "A"][index]));
        thread::scope(|scope| {
            let (other, engine) = (script.clone(), &engine);
            let engine = scope.spawn(move || engine(index, &other));
            let written = write(index, &script);
            script.close();
            (written, engine.join().unwrap())
        })
    })
}

fn over<T: Send>(site: &Site, write: impl Fn(usize, &Script) -> T + Sync) -> [Ended<T>; 2] {
    let engine = |index: usize, script: &Script| {
        run_live_blocking(terms(site, index), script, &CancelFlag::new(), || ())
    };
    live(engine, write)
}

fn in_memory<T: Send>(write: impl Fn(usize, &Script) -> T + Sync) -> [Ended<T>; 2] {
    let options = Options { timeout: LIMIT, ..Options::for_peer("peer") };
    let ends = memory_pair("A", "B", &options).unwrap().map(|end| Mutex::new(Some(end)));
    let engine = |index: usize, script: &Script| {
        let end = ends[index].lock().unwrap().take().unwrap();
        end.run_blocking(script, &CancelFlag::new(), || ())
    };
    live(engine, write)
}

fn yao() -> RunTask {
    task(&program(), ModeChoice::Streamed)
}

fn in_bool() -> RunTask {
    let domain = DomainChoice::In(Domain::Bool);
    task_with(&program(), &PlanOptions { domain, ..PlanOptions::default() })
}

/// Steps, a run of each kind, and steps again with the values from before; returns the reports of the runs.
fn steps_and_runs(script: &Script, index: usize) -> Vec<Report> {
    let path = script.path("main").unwrap();
    let (x, y) = (input(script, path, Side::Garbler, 30), input(script, path, Side::Evaluator, 12));
    let total = join(script, path, BinaryOp::Add, [&x, &y]);
    assert_eq!(opened(script, path, &total), 42);
    let reports = [yao(), in_bool(), yao()].map(|task| {
        let Outcome { outputs, report } = outcome(&run(script, path, &task, (index, [5, 1_000_000][index])));
        assert_eq!(outputs, expected(5, 1_000_000));
        report
    });
    let z = input(script, path, Side::Evaluator, 100);
    let product = join(script, path, BinaryOp::Mul, [&total, &z]);
    assert_eq!(opened(script, path, &product), 4200);
    reports.into()
}

fn sent(report: &Report, phase: Phase) -> u64 {
    report.phase(phase).unwrap().payload_sent.unwrap()
}

#[test]
fn one_connection_carries_steps_and_runs() {
    let alone = |index: usize, script: &Script| {
        let path = script.path("main").unwrap();
        let (x, y) = (input(script, path, Side::Garbler, 1), input(script, path, Side::Evaluator, 2));
        (index, opened(script, path, &join(script, path, BinaryOp::Add, [&x, &y])))
    };
    let [without, _] = in_memory(alone);
    let write = |index: usize, script: &Script| steps_and_runs(script, index);
    for ended in [over(&site(), write), over(&Site::new(Transport::Plain, LIMIT), write), in_memory(write)] {
        for (index, (runs, program)) in ended.into_iter().enumerate() {
            runs.iter().for_each(|report| as_predicted(report, "within a program"));
            let program = program.unwrap();
            // The program has set up transfers; a run in the same direction uses them.
            for place in [0, 2] {
                assert_eq!(sent(&runs[place], Phase::Setup), 0, "run {place}");
            }
            if index == 0 {
                let alone = without.1.as_ref().unwrap();
                assert_eq!(sent(&program, Phase::Setup), sent(alone, Phase::Setup));
            }
            assert_eq!(program.work.output_bits, 64);
        }
    }
}

#[test]
fn runs_are_prepared_and_spent_within_a_program() {
    let (site, folder) = (site(), Folder::new());
    let task = task(&program(), ModeChoice::Precomputed);
    let ended = over(&site, |index, script| {
        let store = Arc::new(Mutex::new(store(&site, &folder, index)));
        let path = script.path("main").unwrap();
        let x = input(script, path, Side::Evaluator, 9);
        let filling = pending(script, path, WorkKind::Prepare(2), &task, 4);
        let filling =
            begin(filling, SessionWork::Prepare { task: task.clone(), store: store.clone(), count: 2 });
        let WorkDone::Prepared(prepared) = filling.recv_timeout(LIMIT).unwrap().unwrap() else { panic!() };
        assert_eq!(prepared.ready, 2);
        as_predicted(&prepared.report, "preparing");
        for entry in 0..2 {
            let spending = pending(script, path, WorkKind::Spend, &task, 5);
            let inputs = inputs(index, [7, 8][index]);
            let work = SessionWork::Spend { task: task.clone(), inputs, store: store.clone() };
            let Outcome { outputs, report } = outcome(&begin(spending, work));
            assert_eq!((outputs, report.store_entry), (expected(7, 8), Some(entry)));
            assert_eq!(report.phase(Phase::Setup).unwrap().bytes_sent, 0);
            as_predicted(&report, "spending");
        }
        // Both know that the store is empty, so the program continues.
        let spending = pending(script, path, WorkKind::Spend, &task, 6);
        let work = SessionWork::Spend { task: task.clone(), inputs: inputs(index, 1), store };
        let error = begin(spending, work).recv_timeout(LIMIT).unwrap().unwrap_err();
        assert_eq!(error.class(), Class::Usage, "{error}");
        opened(script, path, &x)
    });
    for (value, report) in ended {
        report.unwrap();
        assert_eq!(value, 9);
    }
}

/// A session with runs before its program, within it, and afterwards.
#[test]
fn a_program_comes_and_goes_in_a_session() {
    let site = site();
    let ended = live(
        |index, script| {
            let cancel = CancelFlag::new();
            let again = |report: Outcome| {
                assert_eq!(report.outputs, expected(2, 3));
                as_predicted(&report.report, "beside a program");
            };
            let task = yao();
            block_on(async {
                let mut session = OpenSession::open_live(terms(&site, index), script, &cancel).await?;
                again(session.run(&task, &inputs(index, [2, 3][index]), &cancel).await?);
                let report = session.live(script, &cancel, || ()).await;
                again(session.run(&task, &inputs(index, [2, 3][index]), &cancel).await?);
                session.close(None, &cancel).await?;
                Ok::<_, RunError>(report)
            })
            .unwrap()
        },
        |index, script| steps_and_runs(script, index),
    );
    for (_, report) in ended {
        // The first run has set up what the program uses.
        assert_eq!(sent(&report.unwrap(), Phase::Setup), 0);
    }
}

/// Tasks that do not wait for one another: in whatever order they are ready at either party, the runs are
/// sequential.
#[test]
fn runs_of_several_tasks_meet_in_any_order() {
    let ended = over(&site(), |index, script| {
        let paths = ["one", "two", "three"].map(|name| script.path(name).unwrap());
        let order = [[0, 1, 2], [2, 0, 1]][index];
        let task = yao();
        let begin = |place: usize| (place, run(script, paths[place], &task, (index, place as u128 + 1)));
        for (place, told) in order.map(begin) {
            let value = place as u128 + 1;
            assert_eq!(outcome(&told).outputs, expected(value, value));
        }
    });
    for (_, report) in ended {
        report.unwrap();
    }
}

#[test]
fn a_run_here_and_a_step_there_are_named() {
    for running in [0, 1] {
        let ended = over(&Site::new(Transport::Tls, Duration::from_secs(5)), |index, script| {
            let path = script.path("main").unwrap();
            let x = input(script, path, Side::Garbler, 1);
            match index == running {
                true => run(script, path, &yao(), (index, 1)).recv_timeout(LIMIT).unwrap().map(drop),
                false => open(script, path, &x, 7).recv_timeout(LIMIT).unwrap().map(drop),
            }
        });
        for (waited, report) in ended {
            let error = report.unwrap_err();
            assert_eq!(waited.unwrap_err().to_string(), error.to_string());
            assert_eq!(error.class(), Class::Peer, "{error}");
            for part in ["`run` at test:4", "`open` at test:7", "task main, step 1"] {
                assert!(error.to_string().contains(part), "{error}");
            }
        }
    }
}

/// Plans that differ are reported with their first difference, at both parties, and the program continues.
#[test]
fn a_run_under_another_plan_is_refused_in_step() {
    let ended = over(&site(), |index, script| {
        let path = script.path("main").unwrap();
        let x = input(script, path, Side::Evaluator, 4);
        let told = run(script, path, &[yao(), in_bool()][index], (index, 1));
        let error = told.recv_timeout(LIMIT).unwrap().unwrap_err();
        assert!(error.to_string().contains("differ in "), "{error}");
        let Outcome { outputs, .. } = outcome(&run(script, path, &yao(), (index, 3)));
        assert_eq!(outputs, expected(3, 3));
        opened(script, path, &x)
    });
    for (value, report) in ended {
        report.unwrap();
        assert_eq!(value, 4);
    }
}

/// A party without a plan runs nothing, and the other is told.
#[test]
fn a_run_that_one_party_cannot_begin_is_left_out() {
    for lacking in [0, 1] {
        let ended = over(&site(), |index, script| {
            let path = script.path("main").unwrap();
            let x = input(script, path, Side::Evaluator, 4);
            let pending = pending(script, path, WorkKind::Run, &yao(), 4);
            if index == lacking {
                drop(pending);
            } else {
                let work = SessionWork::Run { task: yao(), inputs: inputs(index, 1) };
                let error = begin(pending, work).recv_timeout(LIMIT).unwrap().unwrap_err();
                assert_eq!(error.class(), Class::Abort, "{error}");
            }
            opened(script, path, &x)
        });
        for (value, report) in ended {
            report.unwrap();
            assert_eq!(value, 4);
        }
    }
}

#[test]
fn a_run_that_would_keep_shares_is_refused() {
    let script = Script::new(Side::Garbler);
    let path = script.path("main").unwrap();
    let keeping = crate::loopback::balance::deposit(16, Domain::Bool);
    let refused = script.work(path, WorkKind::Run, &keeping, &place(1)).err().unwrap();
    assert!(matches!(refused, LiveError::RunKeeps { .. }), "{refused}");
    assert!(refused.to_string().contains("which no run can within a reactive session"), "{refused}");
}

/// A party that is lost in the middle of a run is noticed, and everything that is awaited fails.
#[test]
fn a_peer_that_vanishes_in_a_run_is_noticed() {
    // Before the run is announced or begun, during the agreement, and in the middle of the run.
    for (gone, after) in [(0, 0), (0, 120), (0, 2000), (1, 0), (1, 120), (1, 400)] {
        let mut site = Site::new(Transport::Tls, Duration::from_secs(5));
        let switch = Switch::default();
        site.configs[gone].wrap_frames = Some(Fault::Cut(after).wrap_armed_by(switch.clone()));
        let ended = over(&site, |index, script| {
            let path = script.path("main").unwrap();
            let x = input(script, path, Side::Garbler, 1);
            opened(script, path, &x);
            if index == gone {
                switch.arm();
            }
            run(script, path, &yao(), (index, 1)).recv_timeout(LIMIT).unwrap().unwrap_err()
        });
        for (waited, report) in ended {
            let error = report.unwrap_err();
            assert_eq!(waited.to_string(), error.to_string());
            assert!(matches!(error.class(), Class::Peer | Class::Abort), "{error}");
        }
    }
}
