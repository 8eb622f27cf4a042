//! Compares programs with the interpreter, with all parties in one thread.

mod columns;
mod garbled;
mod minima;
mod words;

use std::net::TcpListener;
use std::sync::Mutex;
use std::time::Duration;

use tacit_arbitrary as arbitrary;
use tacit_ir::{Builder, Domain, Program, Shape, Words, interpret};

use tacit_math::field::{Mersenne61, Montgomery};
use tacit_net::NetError;
use tacit_net::session::{self, Config, Transport};

use super::*;
use crate::party::{JoinTerms, Party};
use crate::runtime::LEAST_STATISTICAL_BITS;
use crate::runtime::simulation::{SIZES, Simulation, cost};
use crate::runtime::verification::tests::Liar;
use crate::scheme::Scheme;
use crate::security::Security;

/// The elements that a party reads, once they have arrived.
type Slot = Arc<Mutex<Option<Result<Vec<u8>, RunError>>>>;

/// The results of a program at each party.
fn computed(
    program: &Program,
    options: &Options,
    roles: &[usize],
    inputs: &[Vec<Words>],
    (size, seed): ((usize, usize), u64),
) -> Vec<Vec<Vec<Words>>> {
    computed_against(Security::Passive, program, options, roles, inputs, (size, seed))
}

/// The same with this security.
fn computed_against(
    security: Security,
    program: &Program,
    options: &Options,
    roles: &[usize],
    inputs: &[Vec<Words>],
    ((parties, threshold), seed): ((usize, usize), u64),
) -> Vec<Vec<Vec<Words>>> {
    let compiled = Compiled::lowered(program, options, roles).expect("fits");
    let scheme = Scheme::new(Gf256, parties, threshold).expect("a scheme").with_security(security);
    let (mut simulation, tasks) = Simulation::of(&scheme, LEAST_STATISTICAL_BITS, seed);
    let begin = |task: &Task<Gf256>| {
        let mine = |(port, words): (&tacit_ir::InputPort, &Vec<Words>)| match roles[port.role.index()] {
            party if party == task.me() => words.clone(),
            _ => Vec::new(),
        };
        let mine: Vec<_> = program.inputs.iter().zip(inputs).map(mine).collect();
        let outputs = compiled.write(task, &mine, &mut |_, _| Ok(())).expect("a program");
        let slot = Slot::default();
        let got = slot.clone();
        let reply = move |result| *slot.lock().expect("not poisoned") = Some(result);
        task.read(outputs.opened().1, reply).expect("public");
        task.synchronise().expect("alive");
        (outputs, got)
    };
    let begun: Vec<_> = tasks.iter().map(begin).collect();
    simulation.run();
    assert!(simulation.error.is_none(), "seed {seed}: {:?}", simulation.error);
    let end = |(outputs, got): (Outputs<Gf256>, Slot)| {
        let elements = got.lock().expect("not poisoned").take().expect("a result").expect("no error");
        outputs.words(&Gf256, &[], &elements).expect("bits")
    };
    let results = begun.into_iter().map(end).collect();
    simulation.run();
    assert!((0..parties).all(|party| simulation.values(party) == 0), "values are forgotten");
    let predicted = compiled.prediction_against(security, (parties, threshold)).expect("fits");
    assert_eq!(predicted.products, compiled.and_count(), "seed {seed}");
    for (me, task) in tasks.iter().enumerate() {
        for (peer, measured) in task.payload().iter().enumerate() {
            let expected = (predicted.sent[me][peer], predicted.sent[peer][me]);
            assert_eq!((measured.sent, measured.received), expected, "seed {seed}, party {me} and {peer}");
        }
    }
    results
}

/// Runs a random program among some parties and compares with the interpreter.
fn agrees(seed: u64, size: &arbitrary::Size, options: &Options) {
    agrees_against(Security::Passive, seed, size, options);
}

fn agrees_against(security: Security, seed: u64, size: &arbitrary::Size, options: &Options) {
    agrees_among((SIZES[seed as usize % SIZES.len()], security), seed, size, options);
}

fn agrees_among(
    (parties, security): ((usize, usize), Security),
    seed: u64,
    size: &arbitrary::Size,
    options: &Options,
) {
    let program = arbitrary::program(seed, size);
    let inputs = arbitrary::inputs(&program, seed);
    let expected = interpret(&program, &inputs, || 0).expect("runs");
    let roles: Vec<_> = (0..program.roles.len()).map(|role| (role + seed as usize) % parties.0).collect();
    let results = computed_against(security, &program, options, &roles, &inputs, (parties, seed));
    for (me, result) in results.iter().enumerate() {
        for ((port, expected), given) in program.outputs.iter().zip(&expected).zip(result) {
            let receives = port.roles.iter().any(|role| roles[role.index()] == me);
            let expected = if receives { &expected[..] } else { &[] };
            assert!(given == expected, "seed {seed}, party {me}, {options:?}:\n{}", program.to_text());
        }
    }
}

/// The default options, and options that make each operation a step of its own.
fn ways() -> [Options; 3] {
    let usual = Options { effort: 0, ..Compiled::bit_options() };
    [
        usual,
        Options { inline_ands: 0, map_ands: 0, ..usual },
        Options { vector_lanes: 1, inline_ands: 0, ..usual },
    ]
}

#[test]
fn random_programs_agree_with_the_interpreter() {
    let size = arbitrary::Size { bits: 9, ..arbitrary::Size::default() };
    (0..90).for_each(|seed| agrees(seed, &size, &ways()[seed as usize % 3]));
}

#[test]
fn programs_that_are_verified_agree_with_the_interpreter() {
    let size = arbitrary::Size { bits: 9, ..arbitrary::Size::default() };
    (0..35).for_each(|seed| agrees_against(Security::Active, seed, &size, &ways()[seed as usize % 3]));
    let size = arbitrary::Size { bits: 5, lanes: 90, ..arbitrary::Size::default() };
    (0..7).for_each(|seed| agrees_against(Security::Active, seed, &size, &ways()[seed as usize % 3]));
}

/// Both parties' products and a comparison of them.
fn small_program() -> (Program, Vec<Vec<Words>>, u128) {
    let mut program = Builder::new("small");
    let [a, b] = ["A", "B"].map(|role| program.role(role));
    let number = Shape::Integer { bits: 4, signed: false };
    let x = program.input("x", a, number.clone()).expect("an input");
    let y = program.input("y", b, number.clone()).expect("an input");
    let z = program.output("z", vec![a, b], number).expect("an output");
    let mut main = program.template("main", vec![]);
    let (x, y) =
        (main.input(&program, x).expect("an input")[0], main.input(&program, y).expect("an input")[0]);
    let product = main.mul(x, y).expect("fits");
    main.output(&program, z, &[product]).expect("fits");
    let program = program.finish(main).expect("a program");
    let words = |number| vec![Words::from_u128s(4, &[number])];
    (program, vec![words(5), words(7)], 35 & 15)
}

/// The outcome of a run of the small program in which a party changed a message.
struct Lied {
    changed: bool,
    /// Honest parties that got the output, and that ended with an error.
    right: usize,
    ended: usize,
}

/// Runs the small program with a party that changes one of its messages, and checks that no honest party gets a wrong output.
fn lied_to<F: Field>(field: &F, size: (usize, usize), (me, target): (usize, usize)) -> Lied {
    let (program, inputs, expected) = small_program();
    let compiled = Compiled::lowered(&program, &ways()[0], &[0, 1]).expect("fits");
    let scheme =
        Scheme::new(field.clone(), size.0, size.1).expect("a scheme").with_security(Security::Active);
    let (mut simulation, tasks) = Simulation::of(&scheme, LEAST_STATISTICAL_BITS, 7);
    let liar = std::rc::Rc::new(std::cell::RefCell::new(Liar::new(me, target)));
    let lying = liar.clone();
    // Bits are in bytes, whatever the field.
    simulation.tamper =
        Some(Box::new(move |from, _, message| lying.borrow_mut().change(&Gf256, from, message)));
    let begin = |task: &Task<F>| {
        let mine = inputs.iter().enumerate();
        let mine: Vec<_> =
            mine.map(|(of, words)| if of == task.me() { words.clone() } else { vec![] }).collect();
        let outputs = compiled.write(task, &mine, &mut |_, _| Ok(())).expect("a program");
        let slot = Slot::default();
        let got = slot.clone();
        let reply = move |result| *slot.lock().expect("not poisoned") = Some(result);
        task.bytes().expect("alive").read(outputs.opened().1, reply).expect("public");
        task.synchronise().expect("alive");
        (outputs, got)
    };
    let begun: Vec<_> = tasks.iter().map(begin).collect();
    let errors = simulation.run_each();
    let mut lied = Lied { changed: liar.borrow().changed.is_some(), right: 0, ended: 0 };
    lied.ended = errors.iter().filter(|(error, _)| error.is_some()).count();
    for (party, (outputs, got)) in begun.iter().enumerate().filter(|(party, _)| *party < 2 && *party != me) {
        if let Some(Ok(elements)) = got.lock().expect("not poisoned").take() {
            let words = outputs.words(field, &[], &elements).expect("bits");
            let what = format!("party {party} of {size:?} after {:?} of party {me}", liar.borrow().changed);
            assert_eq!(words[0][0].low_u128(0), expected, "{what}");
            lied.right += 1;
        }
    }
    lied
}

#[test]
fn no_changed_message_makes_a_wrong_output() {
    for size in [(3, 1), (4, 1), (5, 2)] {
        for me in [0, 1, 2] {
            let lied = (0..).map(|target| lied_to(&Gf256, size, (me, target)));
            let lied: Vec<_> = lied.take_while(|lied| lied.changed).collect();
            let noticed = lied.iter().filter(|lied| lied.ended > 0).count();
            assert!(lied.len() > 12 && noticed > 8, "{noticed} of {} by {me} among {size:?}", lied.len());
        }
    }
}

#[test]
fn programs_beside_a_prime_field_are_verified() {
    let wide = Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd");
    for size in [(3, 1), (5, 2)] {
        let honest = [lied_to(&Mersenne61, size, (size.0, 0)), lied_to(&wide, size, (size.0, 0))];
        assert!(honest.iter().all(|run| (run.changed, run.right, run.ended) == (false, 2, 0)), "{size:?}");
    }
    let lied = (0..).map(|target| lied_to(&Mersenne61, (3, 1), (0, target)));
    let lied: Vec<_> = lied.take_while(|lied| lied.changed).collect();
    assert!(lied.iter().filter(|lied| lied.ended > 0).count() > 8);
}

#[test]
fn words_that_are_not_verified_are_refused() {
    let (program, inputs, _) = small_program();
    let options = Options { domain: Domain::Arith, ..ways()[0] };
    let compiled = Compiled::lowered(&program, &options, &[0, 1]).expect("fits");
    assert!(compiled.has_words());
    let scheme = Scheme::new(Gf256, 3, 1).expect("a scheme").with_security(Security::Active);
    let (_, tasks) = Simulation::of(&scheme, LEAST_STATISTICAL_BITS, 1);
    let mine = [inputs[0].clone(), vec![]];
    let refused = [
        compiled.plan(&tasks[0]).err(),
        compiled.run(&tasks[0], &mine).err(),
        compiled.write(&tasks[0], &mine, &mut |_, _| Ok(())).err(),
    ];
    for error in refused {
        let error = error.expect("refused").to_string();
        assert!(error.contains("compiled programs are computed on bits"), "{error}");
    }
}

#[test]
fn programs_with_many_lanes_agree() {
    let size = arbitrary::Size { bits: 5, lanes: 90, ..arbitrary::Size::default() };
    (0..30).for_each(|seed| agrees(seed, &size, &ways()[seed as usize % 3]));
}

#[test]
#[ignore = "minutes"]
fn thousands_of_random_programs_agree() {
    for seed in 1000..4000 {
        agrees(seed, &arbitrary::Size { bits: 9, ..arbitrary::Size::default() }, &ways()[seed as usize % 3]);
    }
    (0..100).for_each(|seed| agrees(seed, &arbitrary::Size::default(), &ways()[0]));
}

/// Runs a random program so that everything that is ready leaves at once, and compares rounds and bytes with the prediction.
fn costs_what_was_predicted(seed: u64, size: &arbitrary::Size, options: &Options) {
    costs_among(&[(3, 1), (4, 1), (5, 1), (5, 2), (7, 3)], (seed, size), options);
}

fn costs_among(sizes: &[(usize, usize)], (seed, size): (u64, &arbitrary::Size), options: &Options) {
    let program = arbitrary::program(seed, size);
    let inputs = arbitrary::inputs(&program, seed);
    for parties in sizes.iter().copied() {
        let roles: Vec<_> = (0..program.roles.len()).map(|role| (role + seed as usize) % parties.0).collect();
        let compiled = Compiled::lowered(&program, options, &roles).expect("fits");
        let measured = cost(&Gf256, parties, |task| {
            let mine = |(port, words): (&tacit_ir::InputPort, &Vec<Words>)| {
                if roles[port.role.index()] == task.me() { words.clone() } else { Vec::new() }
            };
            let mine: Vec<_> = program.inputs.iter().zip(&inputs).map(mine).collect();
            let outputs = compiled.write(task, &mine, &mut |_, _| Ok(())).expect("a program");
            Ok(outputs.bytes)
        });
        let predicted = compiled.prediction(parties.0, parties.1).expect("fits");
        let bytes: u64 = (0..parties.0).map(|party| predicted.bytes_sent(party)).sum();
        assert_eq!(measured, (predicted.rounds as usize, bytes as usize), "seed {seed}, {parties:?}");
    }
}

#[test]
fn rounds_and_bytes_are_predicted() {
    let size = arbitrary::Size { bits: 9, ..arbitrary::Size::default() };
    (0..40).for_each(|seed| costs_what_was_predicted(seed, &size, &ways()[seed as usize % 3]));
    let size = arbitrary::Size { bits: 5, lanes: 90, ..arbitrary::Size::default() };
    (0..20).for_each(|seed| costs_what_was_predicted(seed, &size, &ways()[seed as usize % 3]));
    let size = arbitrary::Size::default();
    (0..3).for_each(|seed| costs_what_was_predicted(seed, &size, &ways()[0]));
    let size = arbitrary::Size { bits: 24, lanes: 400, ..arbitrary::Size::default() };
    (0..2).for_each(|seed| costs_what_was_predicted(seed, &size, &ways()[0]));
}

/// The same where all inputs and results are those of an outside party, of whose masks the parties have shares.
fn shared_inputs_cost_what_was_predicted(seed: u64, size: &arbitrary::Size) {
    let program = arbitrary::program(seed, size);
    for parties in [(4, 1), (5, 1), (5, 2), (7, 3)] {
        let speakers = vec![Speaker::Outside(0); program.roles.len()];
        let split = Split::new(&program, &speakers, parties, Sharing::Masks).expect("a program");
        let compiled = Compiled::lowered(split.program(), &ways()[0], split.parties()).expect("fits");
        let compiled = compiled.with_shared_inputs(&split.shared_inputs());
        let measured = cost(&Gf256, parties, |task| {
            let shared = ColumnBits::of_values(compiled.masks(task).expect("masks"));
            let own = vec![Vec::new(); shared.len()];
            let inputs = RunInputs { own: &own, shared: &shared };
            Ok(compiled.write_with(task, inputs, &mut |_, _| Ok(())).expect("a program").bytes)
        });
        let predicted = compiled.prediction(parties.0, parties.1).expect("fits");
        assert_eq!(predicted.inputs, vec![0; parties.0], "no party gives an input");
        let bytes: u64 = (0..parties.0).map(|party| predicted.bytes_sent(party)).sum();
        assert_eq!(measured, (predicted.rounds as usize, bytes as usize), "seed {seed}, {parties:?}");
    }
}

#[test]
fn rounds_and_bytes_with_shared_inputs_are_predicted() {
    let size = arbitrary::Size { bits: 9, lanes: 20, ..arbitrary::Size::default() };
    (0..15).for_each(|seed| shared_inputs_cost_what_was_predicted(seed, &size));
}

#[test]
fn shared_inputs_that_are_missing_or_do_not_fit_are_refused() {
    let program = arbitrary::program(2, &arbitrary::Size::default());
    let speakers = vec![Speaker::Outside(0); program.roles.len()];
    let split = Split::new(&program, &speakers, (4, 1), Sharing::Masks).expect("a program");
    let compiled = Compiled::lowered(split.program(), &ways()[0], split.parties()).expect("fits");
    let compiled = compiled.with_shared_inputs(&split.shared_inputs());
    let (_, tasks) = Simulation::new(&Gf256, 4, 1, 1);
    let own = vec![Vec::new(); split.program().inputs.len()];
    let mut short = compiled.masks(&tasks[0]).expect("masks");
    let port = split.shared_inputs()[0];
    short[port][0] = tasks[0].random_bits(short[port][0].len() + 1).expect("bits");
    let short = ColumnBits::of_values(short);
    for shared in [&[][..], &short] {
        let written = compiled.write_with(&tasks[0], RunInputs { own: &own, shared }, &mut |_, _| Ok(()));
        assert!(matches!(written.map(drop), Err(CompiledError::Input { mine: true, .. })));
    }
}

/// The results of a program at all parties over links, when it may be written this many bytes ahead.
fn computed_over_links(
    program: &Program,
    roles: [usize; 3],
    inputs: &[Vec<Words>],
    window: usize,
) -> Vec<Vec<Vec<Words>>> {
    let mut compiled = Compiled::lowered(program, &ways()[1], &roles[..program.roles.len()]).expect("fits");
    compiled.window = window;
    let bound = [(); 3].map(|()| Arc::new(TcpListener::bind("127.0.0.1:0").expect("a port")));
    let named = |(number, listener): (usize, &Arc<TcpListener>)| session::Party {
        name: format!("p{number}"),
        address: listener.local_addr().expect("bound").to_string().parse().expect("an address"),
        key: None,
    };
    let parties: Vec<_> = bound.iter().enumerate().map(named).collect();
    let run = |(me, listener): (usize, Arc<TcpListener>)| {
        let mut config = Config::new(parties.clone());
        config.transport = Transport::Plain;
        (config.timeout, config.listener) = (Duration::from_secs(30), Some(listener));
        let mine = |(port, words): (&tacit_ir::InputPort, &Vec<Words>)| match roles[port.role.index()] == me {
            true => words.clone(),
            false => Vec::new(),
        };
        let mine: Vec<_> = program.inputs.iter().zip(inputs).map(mine).collect();
        let (compiled, name) = (compiled.clone(), format!("p{me}"));
        std::thread::spawn(move || {
            let terms = JoinTerms {
                config,
                me: name,
                key: None,
                field: Gf256,
                threshold: 1,
                security: Security::Passive,
                statistical_bits: LEAST_STATISTICAL_BITS,
                fields: Vec::new(),
                store: None,
            };
            let party = Party::join(terms, || Ok(())).expect("all are there");
            let task = party.root();
            let outputs = compiled.run(&task, &mine).expect("a result");
            task.wait(&task.synchronise().expect("alive")).expect("the same everywhere");
            let predicted = compiled.prediction(3, 1).expect("fits");
            let sent: Vec<_> = task.payload().iter().map(|peer| peer.sent).collect();
            assert_eq!(sent, predicted.sent[me], "over links as well");
            let account = party.account();
            assert_eq!(account.peers, task.payload(), "the session has nothing else");
            assert!(account.counts.iter().all(|phase| phase.bytes_sent + phase.bytes_received > 0));
            assert!(account.counts[2].rounds > 0, "this party has sent and then received");
            assert!((0..3).all(|phase| account.waiting_seconds[phase] <= account.seconds[phase]));
            party.leave().expect("a good end");
            outputs
        })
    };
    let threads: Vec<_> = bound.into_iter().enumerate().map(run).collect();
    threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
}

#[test]
fn programs_run_over_links_however_far_they_may_be_ahead() {
    let size = arbitrary::Size { bits: 9, ..arbitrary::Size::default() };
    let mut mapped = false;
    for seed in 0..6 {
        let program = arbitrary::program(seed, &size);
        mapped |= maps(&program);
        let inputs = arbitrary::inputs(&program, seed);
        let expected = interpret(&program, &inputs, || 0).expect("runs");
        let roles = [2, 0, 1];
        for window in [0, 5_000, WINDOW] {
            let results = computed_over_links(&program, roles, &inputs, window);
            for (me, result) in results.iter().enumerate() {
                for ((port, expected), given) in program.outputs.iter().zip(&expected).zip(result) {
                    let receives = port.roles.iter().any(|role| roles[role.index()] == me);
                    let expected = if receives { &expected[..] } else { &[] };
                    assert!(given == expected, "seed {seed}, party {me}, window {window}");
                }
            }
        }
    }
    assert!(mapped, "a map that does not fit into the window is divided by instances");
}

/// Whether a body of a program runs over several instances.
fn maps(program: &Program) -> bool {
    let roles = vec![0; program.roles.len()];
    let compiled = Compiled::lowered(program, &ways()[1], &roles).expect("fits");
    let mut steps = compiled.schedule.bodies.iter().flat_map(|body| &body.steps);
    steps.any(|step| matches!(step.action, tacit_schedule::Action::Map { lanes: 2.., .. }))
}

/// `A`'s number times `B`'s, for `C` alone.
fn product() -> Program {
    let mut program = Builder::new("product");
    let [a, b, c] = ["A", "B", "C"].map(|role| program.role(role));
    let integer = Shape::Integer { bits: 32, signed: false };
    let x = program.input("x", a, integer.clone()).expect("an input");
    let y = program.input("y", b, integer.clone()).expect("an input");
    let z = program.output("z", vec![c], integer).expect("an output");
    let mut main = program.template("main", vec![]);
    let (x, y) = (main.input(&program, x).expect("x")[0], main.input(&program, y).expect("y")[0]);
    let product = main.mul(x, y).expect("a product");
    main.output(&program, z, &[product]).expect("an output");
    program.finish(main).expect("a program")
}

#[test]
fn roles_are_any_parties() {
    let inputs = [vec![Words::scalar(32, 123_456)], vec![Words::scalar(32, 7_891)]];
    for roles in [[0, 1, 2], [4, 0, 0], [2, 2, 2]] {
        let results = computed(&product(), &Compiled::bit_options(), &roles, &inputs, ((5, 2), 1));
        for (me, result) in results.iter().enumerate() {
            let expected = match me == roles[2] {
                true => vec![Words::scalar(32, 123_456 * 7_891)],
                false => vec![],
            };
            assert_eq!(result, &[expected], "{roles:?} {me}");
        }
    }
}

/// The error that ends a computation in which the second party's plan differs.
fn refused(
    second: impl Fn(&mut Program, &mut Options, &mut Vec<usize>),
    circuits: impl Fn(&mut Compiled),
) -> Option<RunError> {
    let (mut simulation, tasks) = Simulation::new(&Gf256, 3, 1, 4);
    for task in &tasks {
        let (mut program, mut options, mut roles) = (product(), Compiled::bit_options(), vec![0, 1, 2]);
        if task.me() == 1 {
            second(&mut program, &mut options, &mut roles);
        }
        let mut compiled =
            Schedules::default().lowered(&program, (&options, Pins::Kept), &roles).expect("fits");
        if task.me() == 1 {
            circuits(&mut compiled);
        }
        let plan = compiled.plan(task).expect("fits");
        task.agree(plan.fields()).expect("alive");
    }
    simulation.run();
    let exchanged = tasks.iter().flat_map(|task| task.traffic());
    assert!(exchanged.into_iter().all(|peer| peer == Default::default()), "nothing of inputs has left");
    simulation.error
}

#[test]
fn parties_agree_on_their_plans_before_inputs_are_used() {
    type Second = fn(&mut Program, &mut Options, &mut Vec<usize>);
    assert!(refused(|_, _, _| {}, |_| {}).is_none(), "they are the same");
    type Circuits = fn(&mut Compiled);
    let nothing: Circuits = |_| {};
    let others: [(&str, Second, Circuits); 4] = [
        ("program", |program, _, _| program.name.push('s'), nothing),
        ("roles", |_, _, roles| roles.swap(0, 1), nothing),
        ("effort", |_, options, _| options.effort += 1, nothing),
        ("plan", |_, _, _| {}, |compiled| compiled.circuits[0] ^= 1),
    ];
    for (what, second, circuits) in others {
        let error = refused(second, circuits);
        let Some(RunError::Net(NetError::Mismatch { peer, field, ours, theirs })) = error else {
            panic!("{what}: {error:?}")
        };
        assert_eq!(field, what, "{peer}: here {ours}, there {theirs}");
        assert!(ours != theirs, "{what}: here {ours}, there {theirs}");
    }
}

#[test]
fn plans_tell_what_is_run() {
    let (_, tasks) = Simulation::new(&Gf256, 4, 1, 1);
    let schedules = Schedules::default();
    let plan = |effort: u64, roles: &[usize]| {
        let options = Options { effort, ..Compiled::bit_options() };
        schedules
            .lowered(&product(), (&options, Pins::Kept), roles)
            .expect("fits")
            .plan(&tasks[0])
            .expect("fits")
    };
    let one = plan(1, &[0, 1, 2]);
    assert_eq!((one.effort(), one.threshold(), one.program_hash()), (Some(1), 1, &product().hash()));
    let roles = [("A", "p1"), ("B", "p2"), ("C", "p3")].map(|(role, party)| (role.into(), party.into()));
    assert_eq!(one.roles(), roles);
    assert_eq!(one.prediction().inputs, [32, 32, 0, 0]);
    assert_eq!(one.hash(), plan(1, &[0, 1, 2]).hash());
    assert_ne!(one.hash(), plan(1, &[0, 1, 3]).hash());
    assert_ne!(one.hash(), plan(2, &[0, 1, 2]).hash());
}

#[test]
fn reports_set_what_was_measured_beside_what_was_predicted() {
    let (simulation, tasks) = Simulation::new(&Gf256, 3, 1, 1);
    let (program, options) = (product(), Compiled::bit_options());
    let compiled = Compiled::lowered(&program, &options, &[0, 1, 2]).expect("fits");
    let plan = compiled.plan(&tasks[1]).expect("fits");
    let traffic = [5, 0, 7].map(|sent| crate::runtime::PeerTraffic { sent, received: 2 * sent });
    let run = (&plan, &program, Some("p.c"));
    let report = compiled.report(run, (1, tasks[1].names()), (2, &traffic)).expect("a report");
    drop(simulation);
    assert_eq!((&report.program[..], report.times, report.source.as_deref()), ("product", 2, Some("p.c")));
    assert_eq!(report.work.and_count, report.predicted.products);
    assert_eq!(report.work.input_bits, [("p1".into(), 32), ("p2".into(), 32)].into());
    assert_eq!((report.work.output_bits, report.predicted.opened), (32, 32));
    let shares = |sent| PeerBytes { payload_sent: sent, payload_received: 2 * sent };
    assert_eq!(report.peers, [("p1".into(), shares(5)), ("p3".into(), shares(7))].into());
    // Its own input goes to the party before it, its products to the next, and the output comes from the party before it.
    let (products, sent) = (report.predicted.products, &report.predicted.sent);
    let summands = sent["p2"]["p3"] - 4;
    assert!((products.div_ceil(8)..products / 4).contains(&summands), "{summands} bytes of {products} bits");
    assert_eq!((sent["p2"]["p1"], report.predicted.payload_sent), (4, 4 + summands + 4));
    assert_eq!(report.domains[0].domain, "bool");
    assert!(report.operations.iter().all(|one| one.domain == "bool" && one.operation.count > 0));
}

#[test]
fn a_party_that_spends_another_effort_is_refused() {
    let program = product();
    for (mine, other) in [(0, 1), (0, Options::EFFORT), (Options::EFFORT, Options::EFFORT + 1)] {
        let (mut simulation, tasks) = Simulation::new(&Gf256, 3, 1, 2);
        let mut written = Vec::new();
        for task in &tasks {
            let effort = if task.me() == 1 { other } else { mine };
            let options = Options { effort, ..Compiled::bit_options() };
            let compiled =
                Schedules::default().lowered(&program, (&options, Pins::Kept), &[0, 1, 2]).expect("fits");
            let given = |role: usize| if role == task.me() { vec![Words::scalar(32, 5)] } else { Vec::new() };
            let outputs = compiled.write(task, &[given(0), given(1)], &mut |_, _| Ok(())).expect("a program");
            task.synchronise().expect("alive");
            written.push(outputs);
        }
        simulation.run();
        let error = simulation.error;
        assert!(
            matches!(error, Some(RunError::OtherProgram { .. })),
            "efforts {mine} and {other}: {error:?}"
        );
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let program = product();
    let schedule = Arc::new(lower(&program, &Compiled::bit_options()).expect("lowers"));
    let error = Compiled::new(&program, schedule.clone(), &[0, 1]).err();
    assert!(matches!(error, Some(CompiledError::Role { role }) if role == "C"));
    let other = arbitrary::program(3, &arbitrary::Size::default());
    let roles = vec![0; other.roles.len()];
    let error = Compiled::new(&other, schedule.clone(), &roles).err();
    assert!(matches!(error, Some(CompiledError::OtherSchedule)));
    let (_, tasks) = Simulation::new(&Gf256, 3, 1, 1);
    let given = |roles: &[usize], inputs: &[Vec<Words>]| {
        let compiled = Compiled::new(&program, schedule.clone(), roles).expect("fits");
        compiled.write(&tasks[0], inputs, &mut |_, _| Ok(())).map(drop).expect_err("does not fit")
    };
    let word = || vec![Words::scalar(32, 1)];
    assert!(matches!(given(&[0, 1, 3], &[word(), vec![]]), CompiledError::Party { party: 3, parties: 3 }));
    assert!(matches!(given(&[0, 1, 2], &[word()]), CompiledError::Inputs { given: 1, expected: 2 }));
    assert!(matches!(given(&[0, 1, 2], &[vec![], vec![]]), CompiledError::Input { mine: true, .. }));
    assert!(matches!(given(&[0, 1, 2], &[word(), word()]), CompiledError::Input { mine: false, .. }));
    // Comparisons of sums without conversion, which only two parties support.
    let compared = words::on_vectors((32, 4), 4, |main, x, y| {
        let less = main.lt_u(x, y).expect("a comparison");
        main.select(less, x, y).expect("a choice")
    });
    let summed = Options { domain: Domain::Arith, direct_comparisons: true, ..Compiled::bit_options() };
    let summed = Arc::new(lower(&compared, &summed).expect("lowers"));
    assert!(matches!(Compiled::new(&compared, summed, &[0, 1]).err(), Some(CompiledError::Summed { .. })));
    let narrow = vec![Words::scalar(31, 1)];
    assert!(matches!(given(&[0, 1, 2], &[narrow, vec![]]), CompiledError::Input { mine: true, .. }));
}
