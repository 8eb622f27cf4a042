//! Programs that grow while they run: random programs, divided at random places, against the interpreter; and
//! peers that differ, stall or leave.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use tacit_arbitrary::{self as arbitrary, Size};
use tacit_engine::live::{
    Library, LiveError, LivePath, LiveValue, MemoryEnd, Opening, Script, SourcePlace, memory_pair, recipients,
};
use tacit_engine::{CancelFlag, Class, Report, RunError};
use tacit_ir::{
    BinaryOp, Body, CompareOp, Op, Operation, Program, ShiftOp, Type, ValueId, ValueType, Words, interpret,
};
use tacit_net::{Options, Phase};
use tacit_plan::Side;

/// Longest wait of a test that does not test a time limit.
const LIMIT: Duration = Duration::from_secs(60);

/// Writes one party's program.
type Writer<T> = Box<dyn FnOnce(&Script) -> T + Send>;

/// Runs both ends while both programs are written, and closes them; returns the writers' results, and the
/// reports.
fn together<T: Send>(options: &Options, writers: [Writer<T>; 2]) -> [(T, Result<Report, Arc<RunError>>); 2] {
    let ends = memory_pair("A", "B", options).unwrap();
    let runs: Vec<_> = ends.into_iter().zip(writers).collect();
    thread::scope(|scope| {
        let started: Vec<_> =
            runs.into_iter().map(|(end, writer)| scope.spawn(move || written(scope, end, writer))).collect();
        let mut results = started.into_iter().map(|thread| thread.join().unwrap());
        [results.next().unwrap(), results.next().unwrap()]
    })
}

fn written<'scope, T: Send>(
    scope: &'scope thread::Scope<'scope, '_>,
    end: MemoryEnd,
    writer: impl FnOnce(&Script) -> T,
) -> (T, Result<Report, Arc<RunError>>) {
    let script = end.script();
    let other = script.clone();
    let engine = scope.spawn(move || run(end, &other, &CancelFlag::new()));
    let value = writer(&script);
    script.close();
    (value, engine.join().unwrap())
}

fn run(end: MemoryEnd, script: &Script, cancel: &CancelFlag) -> Result<Report, Arc<RunError>> {
    end.run_blocking(script, cancel, || ())
}

fn options(timeout: Duration) -> Options {
    Options { timeout, ..Options::for_peer("peer") }
}

fn place(line: u32) -> SourcePlace {
    SourcePlace { file: "test".into(), line }
}

type Opened = Result<Option<Words>, Arc<RunError>>;

/// An opening that sends its value, and the receiver of that value.
fn opening() -> (Opening, Receiver<Opened>) {
    let (sender, receiver): (Sender<Opened>, _) = channel();
    (Box::new(move |opened| drop(sender.send(opened))), receiver)
}

/// A generator of test choices.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// The program without random values, which live sessions do not draw. They were only masks, so the results are the
/// same.
fn unmasked(mut program: Program) -> Program {
    for template in &mut program.templates {
        let Body::Operations { operations, .. } = &mut template.body else { continue };
        for Operation { op, .. } in operations {
            match op {
                Op::Random(ValueType { ty: Type::Word(bits), lanes }) => {
                    *op = Op::Constant(Words::zero(*bits, *lanes));
                }
                Op::Open(value) => *op = Op::ShiftBy(ShiftOp::Left, *value, 0),
                _ => {}
            }
        }
    }
    program.validate().unwrap();
    program
}

/// Appends a program to three paths, submitting now and then; returns the columns of every output, none if they
/// are not learnt.
fn append(
    script: &Script,
    program: &Program,
    inputs: &[Vec<Words>],
    seed: u64,
    pauses: u64,
) -> Vec<Vec<Words>> {
    // Each party has lines of its own.
    let lines = pauses as u32;
    let mut places = Draw(seed);
    let mut pauses = Draw(pauses);
    let paths: Vec<LivePath> = (0..3).map(|number| script.path(&format!("task {number}")).unwrap()).collect();
    let library = Arc::new(Library::new(&program.templates[..program.main.index()]).unwrap());
    let Body::Operations { operations, .. } = &program.templates[program.main.index()].body else { panic!() };
    let types = program.value_types(program.main).unwrap();
    let mut values: Vec<LiveValue> = Vec::new();
    let mut opened = Vec::new();
    for (line, Operation { op, .. }) in operations.iter().enumerate() {
        let (path, place) = (paths[places.below(3) as usize], place(line as u32 + lines));
        match op {
            Op::Input { port, column } => {
                let giver = side(program.inputs[port.index()].role.0);
                let words = inputs[port.index()][*column as usize].clone();
                let ty = words.value_type();
                let words = (giver == script.side()).then_some(words);
                values.push(script.input(path, giver, "x", ty, words, &place).unwrap());
            }
            Op::Output { port, column, value } => {
                let roles = &program.outputs[port.index()].roles;
                let learns = |side_of| roles.iter().any(|role| side(role.0) == side_of);
                let to = recipients(learns(Side::Garbler), learns(Side::Evaluator)).unwrap();
                let (tell, told) = opening();
                script.open(path, &values[value.index()], to, &place, tell).unwrap();
                opened.push((port.index(), *column, told));
            }
            op => {
                let results = op_results(program, op, &types[values.len()..]);
                let operand = |value: ValueId| values.get(value.index()).cloned();
                let made = script.operation(path, op.clone(), operand, Some(&library), results, &place);
                values.extend(made.unwrap());
            }
        }
        if pauses.below(3) == 0 {
            script.submit();
            thread::sleep(Duration::from_micros(pauses.below(200)));
        }
    }
    drop(values);
    script.submit();
    let mut outputs: Vec<Vec<Words>> = vec![Vec::new(); program.outputs.len()];
    for (port, column, told) in opened {
        let words = told.recv_timeout(LIMIT).expect("in time").unwrap();
        if let Some(words) = words {
            assert_eq!(outputs[port].len(), column as usize, "columns are opened in order");
            outputs[port].push(words);
        }
    }
    paths.into_iter().for_each(|path| script.end(path));
    outputs
}

fn side(role: u32) -> Side {
    if role == 0 { Side::Garbler } else { Side::Evaluator }
}

/// The types of an operation's results, which come first in `types`.
fn op_results<'t>(program: &Program, op: &Op, types: &'t [ValueType]) -> &'t [ValueType] {
    &types[..op.result_count(&program.templates)]
}

fn check(seed: u64, size: &Size) {
    let program = unmasked(arbitrary::program(seed, size));
    let inputs = arbitrary::inputs(&program, seed);
    let expected = interpret(&program, &inputs, || 0).unwrap();
    let writer = |pauses: u64| -> Writer<Vec<Vec<Words>>> {
        let (program, inputs) = (program.clone(), inputs.clone());
        Box::new(move |script| append(script, &program, &inputs, seed, pauses))
    };
    let [first, second] = together(&options(LIMIT), [writer(seed), writer(seed ^ 0x5555)]);
    for (port, expected) in expected.iter().enumerate() {
        for (number, (outputs, _)) in [&first, &second].into_iter().enumerate() {
            match program.outputs[port].roles.iter().any(|role| role.index() == number) {
                true => assert_eq!(outputs[port], *expected, "seed {seed}, output {port}, party {number}"),
                false => {
                    assert!(outputs[port].is_empty(), "seed {seed}: who should not learn output {port} does")
                }
            }
        }
    }
    let reports = [first.1.unwrap(), second.1.unwrap()];
    assert_eq!(reports[0].work, reports[1].work, "seed {seed}");
    assert_eq!(reports[0].program_hash, reports[1].program_hash, "seed {seed}");
    for phase in [Phase::Setup, Phase::Online] {
        let [one, other] = [0, 1].map(|number| reports[number].phase(phase).unwrap().clone());
        assert_eq!(one.payload_sent, other.payload_received, "seed {seed}");
        assert_eq!(other.payload_sent, one.payload_received, "seed {seed}");
    }
}

#[test]
fn programs_cut_anywhere_agree_with_the_interpreter() {
    (0..60).for_each(|seed| check(seed, &Size::default()));
}

#[test]
#[ignore = "long"]
fn many_programs_cut_anywhere_agree_with_the_interpreter() {
    (1000..3000).for_each(|seed| check(seed, &Size::default()));
}

const WORD: ValueType = ValueType::word(32, 1);

/// Inputs of both parties on a path of their own.
fn two(script: &Script, path: LivePath, x: u128, y: u128) -> [LiveValue; 2] {
    let input = |giver: Side, line, value: u128| {
        let words = (giver == script.side()).then(|| Words::scalar(32, value));
        script.input(path, giver, "x", WORD, words, &place(line)).unwrap()
    };
    [input(Side::Garbler, 1, x), input(Side::Evaluator, 2, y)]
}

fn binary(
    script: &Script,
    path: LivePath,
    op: BinaryOp,
    a: &LiveValue,
    b: &LiveValue,
    line: u32,
) -> LiveValue {
    apply(script, path, Op::Binary(op, ValueId(0), ValueId(1)), (a, b), WORD, line)
}

fn apply(
    script: &Script,
    path: LivePath,
    op: Op,
    (a, b): (&LiveValue, &LiveValue),
    ty: ValueType,
    line: u32,
) -> LiveValue {
    let operand = |value: ValueId| Some(if value.0 == 0 { a.clone() } else { b.clone() });
    script.operation(path, op, operand, None, &[ty], &place(line)).unwrap().remove(0)
}

/// Opens a value to both, and waits for it.
fn open(script: &Script, path: LivePath, value: &LiveValue, line: u32) -> Opened {
    let (tell, told) = opening();
    script.open(path, value, recipients(true, true).unwrap(), &place(line), tell).unwrap();
    script.submit();
    told.recv_timeout(LIMIT).expect("in time")
}

/// Bisection: the gap between two numbers, found by opening only comparisons.
fn bisect(script: &Script, [x, y]: [u128; 2]) -> u128 {
    let path = script.path("main").unwrap();
    let [x, y] = two(script, path, x, y);
    let gap = binary(script, path, BinaryOp::Sub, &y, &x, 3);
    let (mut low, mut high) = (0, 1u128 << 31);
    while low < high {
        let middle = (low + high) / 2;
        let constant = Op::Constant(Words::scalar(32, middle));
        let bound = script.operation(path, constant, |_| None, None, &[WORD], &place(4)).unwrap().remove(0);
        let less = Op::Compare(CompareOp::LtU, ValueId(0), ValueId(1));
        let above = apply(script, path, less, (&bound, &gap), ValueType::word(1, 1), 5);
        match open(script, path, &above, 6).unwrap().unwrap().bit(0, 0) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

#[test]
fn what_is_opened_decides_what_is_computed() {
    let writer = || -> Writer<u128> { Box::new(|script| bisect(script, [1_000_000, 1_234_567])) };
    for (found, report) in together(&options(LIMIT), [writer(), writer()]) {
        assert_eq!(found, 234_567);
        assert_eq!(report.unwrap().work.output_bits, 31);
    }
}

/// The errors of both parties that append different programs.
fn differing(writers: [Writer<Opened>; 2]) -> [String; 2] {
    together(&options(Duration::from_secs(5)), writers).map(|(opened, report)| {
        let error = report.unwrap_err();
        assert_eq!(error.class(), Class::Peer, "{error}");
        assert_eq!(opened.unwrap_err().to_string(), error.to_string());
        error.to_string()
    })
}

fn sum(op: BinaryOp, line: u32) -> Writer<Opened> {
    Box::new(move |script| {
        let path = script.path("main").unwrap();
        let [x, y] = two(script, path, 1, 2);
        let z = binary(script, path, op, &x, &y, line);
        open(script, path, &z, 9)
    })
}

#[test]
fn the_first_difference_is_named_at_both_parties() {
    for writers in
        [[sum(BinaryOp::Add, 7), sum(BinaryOp::Mul, 8)], [sum(BinaryOp::Mul, 8), sum(BinaryOp::Add, 7)]]
    {
        for message in differing(writers) {
            for part in ["`add` at test:7", "`mul` at test:8", "task main, step 2"] {
                assert!(message.contains(part), "{message}");
            }
        }
    }
}

#[test]
fn a_program_that_ends_early_is_named() {
    let short = || -> Writer<Opened> {
        Box::new(|script| {
            let path = script.path("main").unwrap();
            let [x, _] = two(script, path, 1, 2);
            open(script, path, &x, 4)
        })
    };
    let long = || -> Writer<Opened> {
        Box::new(|script| {
            let path = script.path("main").unwrap();
            let [x, y] = two(script, path, 1, 2);
            open(script, path, &x, 4).unwrap();
            open(script, path, &y, 5)
        })
    };
    for (writers, late) in [([short(), long()], 1), ([long(), short()], 0)] {
        let results = together(&options(Duration::from_secs(2)), writers);
        let error = results[late].0.as_ref().unwrap_err();
        assert_eq!(error.class(), Class::Peer, "{error}");
        for part in ["`open` at test:5", "no step after test:4 (task main, 3 steps)"] {
            assert!(error.to_string().contains(part), "{error}");
        }
        assert!(results.iter().all(|(_, report)| report.is_err()));
    }
}

#[test]
fn a_peer_that_stalls_is_noticed() {
    let stalls: Writer<Option<Opened>> = Box::new(|script| {
        let path = script.path("main").unwrap();
        let [x, _] = two(script, path, 1, 2);
        script.submit();
        // Far longer than the time limit of the session.
        for _ in 0..600 {
            if script.failure().is_some() {
                break;
            }
            thread::sleep(Duration::from_millis(100));
        }
        drop(x);
        None
    });
    let waits: Writer<Option<Opened>> = Box::new(|script| {
        let path = script.path("main").unwrap();
        let [x, _] = two(script, path, 1, 2);
        Some(open(script, path, &x, 3))
    });
    let [_, (opened, _)] = together(&options(Duration::from_millis(600)), [stalls, waits]);
    let error = opened.unwrap().unwrap_err();
    assert_eq!(error.class(), Class::Peer, "{error}");
    assert!(error.to_string().contains("opening a value at test:3 (task main)"), "{error}");
}

#[test]
fn a_peer_that_vanishes_is_noticed_while_nothing_is_awaited() {
    for keep in [0, 1] {
        let mut ends = memory_pair("A", "B", &options(LIMIT)).unwrap();
        ends.rotate_left(keep);
        let [kept, gone] = ends;
        let (script, cancel) = (kept.script(), CancelFlag::new());
        let other = gone.script();
        thread::scope(|scope| {
            let runs = scope.spawn(|| run(kept, &script, &CancelFlag::new()));
            let cancelled = scope.spawn(|| run(gone, &other, &cancel));
            thread::sleep(Duration::from_millis(50));
            cancel.cancel();
            assert!(matches!(*cancelled.join().unwrap().unwrap_err(), RunError::Cancelled { .. }));
            let error = runs.join().unwrap().unwrap_err();
            assert!(matches!(error.class(), Class::Peer | Class::Abort), "{error}");
            assert!(script.failure().is_some());
        });
    }
}

#[test]
fn values_that_nobody_holds_are_freed() {
    let writer = || -> Writer<usize> {
        Box::new(|script| {
            let path = script.path("main").unwrap();
            let [x, y] = two(script, path, 3, 4);
            let mut total = x.clone();
            for _ in 0..200 {
                total = binary(script, path, BinaryOp::Add, &total, &y, 3);
                open(script, path, &total, 4).unwrap();
            }
            script.pending()
        })
    };
    for (pending, report) in together(&options(LIMIT), [writer(), writer()]) {
        assert_eq!(pending, 0);
        assert_eq!(report.unwrap().work.and_count, 200 * 31);
    }
}

#[test]
fn what_does_not_belong_is_refused() {
    let script = Script::new(Side::Garbler);
    let path = script.path("main").unwrap();
    assert!(matches!(script.path("main"), Err(LiveError::PathTaken { .. })));
    let refused = |op: Op| script.operation(path, op, |_| None, None, &[WORD], &place(1)).unwrap_err();
    assert!(matches!(refused(Op::Random(WORD)), LiveError::Unsupported { .. }));
    assert_eq!(refused(Op::Unary(tacit_ir::UnaryOp::Not, ValueId(0))), LiveError::Foreign);
    let call = Op::Call { template: tacit_ir::TemplateId(0), arguments: vec![] };
    assert_eq!(refused(call), LiveError::Foreign);
    let words = Some(Words::scalar(31, 1));
    assert!(script.input(path, Side::Garbler, "x", WORD, words, &place(1)).is_err());
    assert!(script.input(path, Side::Garbler, "x", WORD, None, &place(1)).is_err());
}
