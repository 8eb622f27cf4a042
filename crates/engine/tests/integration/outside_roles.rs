//! Outside parties: they share inputs between the two computing parties, and combine shares of outputs.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::loopback::several::{array, site, survey, survey_inputs};
use crate::loopback::tap::Tap;
use tacit_arbitrary::{self as arbitrary, Size};
use tacit_engine::{CancelFlag, Job, RunError, block_on, in_process, plan, run, take_part};
use tacit_ir::{Builder, Domain, PortId, Program, STORED_ROLE, Shape, Words, interpret};
use tacit_net::Phase;
use tacit_net::keys::SecretKey;
use tacit_net::session::Config;
use tacit_plan::{DomainChoice, ModeChoice, Parties, PlanOptions};

const DOMAINS: [DomainChoice; 4] = [
    DomainChoice::In(Domain::Yao),
    DomainChoice::In(Domain::Bool),
    DomainChoice::In(Domain::Arith),
    DomainChoice::Auto,
];

/// Outside parties have both roles of a program of A and B.
fn outsourced(program: &Program, domain: DomainChoice, mode: ModeChoice) -> PlanOptions {
    let parties = Parties::among(program, ["one", "two"], |role| Some(role.to_owned())).unwrap();
    PlanOptions { parties: Some(parties), domain, mode, ..PlanOptions::default() }
}

fn check(program: &Program, inputs: &[Vec<Words>], options: &PlanOptions, context: &str) {
    let both = in_process(program, inputs, options).unwrap_or_else(|error| panic!("{context}: {error}"));
    let expected = interpret(program, inputs, || 0).unwrap();
    assert!(both.outputs() == expected, "{context}\n{}", program.to_text());
    for outcome in [&both.garbler, &both.evaluator] {
        let (report, side) = (&outcome.report, outcome.report.side);
        for (phase, traffic) in
            [(Phase::Setup, report.predicted.setup), (Phase::Online, report.predicted.online)]
        {
            let measured = report.phase(phase).unwrap();
            let sent = (measured.payload_sent.unwrap_or(0), measured.rounds);
            let predicted = (traffic.bytes_sent(side), traffic.rounds(side));
            assert_eq!(sent, predicted, "{context}, {side:?}, {}", phase.name());
        }
    }
}

#[test]
fn random_programs_of_roles_elsewhere_agree_with_the_interpreter() {
    for seed in 0..48 {
        let size = Size { pins: seed % 3 != 0, ..Size::default() };
        let program = arbitrary::program(seed, &size);
        let inputs = arbitrary::inputs(&program, seed);
        let domain = DOMAINS[seed as usize % 4];
        let options = outsourced(&program, domain, ModeChoice::Auto);
        check(&program, &inputs, &options, &format!("seed {seed}, {domain:?}"));
    }
}

#[test]
fn random_garbled_programs_of_roles_elsewhere_run_in_both_modes() {
    for seed in 100..124 {
        let program = arbitrary::program(seed, &Size::default());
        let inputs = arbitrary::inputs(&program, seed);
        for mode in [ModeChoice::Streamed, ModeChoice::Precomputed] {
            let options = outsourced(&program, DomainChoice::In(Domain::Yao), mode);
            check(&program, &inputs, &options, &format!("seed {seed}, {mode:?}"));
        }
    }
}

/// `total = kept.total + sum of (A.x · B.y)` modulo 2^24, kept and for C, with words signed or not.
fn ledger(domain: Domain, signed: bool) -> Program {
    let mut builder = Builder::new("ledger");
    let [a, b, c, kept] = ["A", "B", "C", STORED_ROLE].map(|name| builder.role(name));
    let total = Shape::Integer { bits: 24, signed: false };
    let x = builder.input("x", a, array(8, 5, signed)).unwrap();
    let y = builder.input("y", b, array(8, 5, signed)).unwrap();
    let old = builder.input("total", kept, total.clone()).unwrap();
    let factor = builder.input("factor", c, Shape::Integer { bits: 3, signed: false }).unwrap();
    let new = builder.output("total", vec![b, c, kept], total).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y, old, factor] = [x, y, old, factor].map(|port| main.input(&builder, port).unwrap()[0]);
    let [x, y, old, factor] = [x, y, old, factor].map(|value| main.pin(domain, value).unwrap());
    let wide = |main: &mut tacit_ir::TemplateBuilder, value| {
        if signed { main.sign_extend(value, 24).unwrap() } else { main.zero_extend(value, 24).unwrap() }
    };
    let (x, y) = (wide(&mut main, x), wide(&mut main, y));
    let products = main.mul(x, y).unwrap();
    let sum = main.segment_sum(products, 5).unwrap();
    let factor = main.zero_extend(factor, 24).unwrap();
    let scaled = main.mul(sum, factor).unwrap();
    let added = main.add(old, scaled).unwrap();
    let wider = main.zero_extend(added, 30).unwrap();
    let again = main.slice(wider, 0, 24).unwrap();
    main.output(&builder, new, &[again]).unwrap();
    builder.finish(main).unwrap()
}

fn ledger_inputs() -> Vec<Vec<Words>> {
    vec![
        vec![Words::from_u128s(8, &[200, 1, 255, 0, 128])],
        vec![Words::from_u128s(8, &[3, 255, 255, 7, 129])],
        vec![Words::scalar(24, 0xff_fff0)],
        vec![Words::scalar(3, 6)],
    ]
}

#[test]
fn roles_that_compute_that_do_not_and_that_are_nobody_meet_in_one_program() {
    for domain in Domain::ALL {
        for signed in [false, true] {
            let program = ledger(*domain, signed);
            let options = PlanOptions::default();
            check(&program, &ledger_inputs(), &options, &format!("{domain:?}, signed {signed}"));
        }
    }
}

/// The outputs of a party, whether it computes or not.
type Got = Result<Vec<Vec<Words>>, RunError>;

/// Runs all parties at once, each on a thread of its own; `change` may change their jobs.
fn run_all(
    program: &Program,
    names: &[&str],
    options: &PlanOptions,
    inputs: &[Vec<Words>],
    change: impl Fn(&mut Job),
) -> Vec<Got> {
    let plan = Arc::new(plan(program, options).unwrap());
    let program = Arc::new(program.clone());
    let computing =
        [tacit_plan::Side::Garbler, tacit_plan::Side::Evaluator].map(|side| plan.parties().name(side));
    let sites = site(names, computing, Duration::from_secs(20));
    let job = |(name, (session, key)): (&&str, (Config, SecretKey))| {
        let own = program.inputs.iter().enumerate();
        let own = own.filter(|(_, port)| plan.parties().party(port.role) == Some(*name));
        let mut job = Job {
            program: program.clone(),
            plan: plan.clone(),
            compiler: "a test".to_owned(),
            party: (*name).to_owned(),
            session,
            key: Some(key),
            inputs: own.map(|(index, _)| (PortId(index as u32), inputs[index].clone())).collect(),
            progress: None,
        };
        change(&mut job);
        job
    };
    let jobs: Vec<Job> = names.iter().zip(sites).map(job).collect();
    thread::scope(|scope| {
        let run = |job: Job| {
            let computes = job.plan.parties().side_of(&job.party).is_some();
            scope.spawn(move || match computes {
                true => block_on(run(&job, None, &CancelFlag::new())).map(|outcome| outcome.outputs),
                false => block_on(take_part(&job, &CancelFlag::new())).map(|outcome| outcome.outputs),
            })
        };
        let running: Vec<_> = jobs.into_iter().map(run).collect();
        running.into_iter().map(|party| party.join().unwrap()).collect()
    })
}

#[test]
fn four_roles_on_a_network_of_which_two_or_none_compute() {
    for (domain, names) in [
        (Domain::Yao, &["A", "B", "C", "D"][..]),
        (Domain::Bool, &["A", "B", "C", "D"]),
        (Domain::Arith, &["A", "B", "C", "D", "one", "two"]),
    ] {
        let program = survey(domain);
        let expected = interpret(&program, &survey_inputs(), || 0).unwrap();
        let computing = if names.len() == 4 { ["A", "B"] } else { ["one", "two"] };
        let parties = Parties::among(&program, computing, |role| Some(role.to_owned())).unwrap();
        let options = PlanOptions { parties: Some(parties), ..PlanOptions::default() };
        let outputs = run_all(&program, names, &options, &survey_inputs(), |_| {});
        for (name, got) in names.iter().zip(outputs) {
            let outputs = got.unwrap();
            let learns = |port: usize, roles: &[&str]| match roles.contains(name) {
                true => assert_eq!(outputs[port], expected[port], "{domain:?}, {name}"),
                false => assert_eq!(outputs[port], Vec::<Words>::new(), "{domain:?}, {name}"),
            };
            learns(0, &["C", "D"]);
            learns(1, &["A"]);
        }
    }
}

#[test]
fn an_outside_party_with_another_program_is_refused_by_all() {
    let program = survey(Domain::Bool);
    let other = Arc::new(survey(Domain::Arith));
    let plan = Arc::new(plan(&other, &PlanOptions::default()).unwrap());
    let change = |job: &mut Job| {
        if job.party == "C" {
            (job.program, job.plan) = (other.clone(), plan.clone());
        }
    };
    let all = run_all(&program, &["A", "B", "C", "D"], &PlanOptions::default(), &survey_inputs(), change);
    let errors: Vec<String> = all.into_iter().map(|got| got.unwrap_err().to_string()).collect();
    assert!(errors.iter().any(|error| error.contains("program")), "{errors:?}");
}

#[test]
fn an_outside_party_gives_exactly_its_inputs() {
    let program = survey(Domain::Bool);
    let plan = Arc::new(plan(&program, &PlanOptions::default()).unwrap());
    let words = |bits, lanes| vec![Words::zero(bits, lanes)];
    for (given, message) in [
        (vec![], "input x of C is missing"),
        (vec![(PortId(0), words(16, 70))], "given twice, does not exist or is another party's"),
        (
            vec![(PortId(2), words(16, 70)), (PortId(2), words(16, 70))],
            "given twice, does not exist or is another party's",
        ),
        (vec![(PortId(2), words(16, 69))], "expected 70 lanes of 16 bits"),
        (vec![(PortId(2), words(17, 70))], "expected 70 lanes of 16 bits"),
    ] {
        let (session, key) = site(&["A", "B", "C", "D"], ["A", "B"], Duration::from_secs(5)).swap_remove(2);
        let job = Job {
            program: Arc::new(program.clone()),
            plan: plan.clone(),
            compiler: String::new(),
            party: "C".to_owned(),
            session,
            key: Some(key),
            inputs: given,
            progress: None,
        };
        let error = block_on(take_part(&job, &CancelFlag::new())).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        let error = block_on(run(&job, None, &CancelFlag::new())).unwrap_err().to_string();
        assert!(error.contains("takes no part"), "{error}");
    }
}

#[test]
fn an_absent_outside_party_is_named_in_time() {
    let program = survey(Domain::Yao);
    let change = |job: &mut Job| {
        job.session.timeout = Duration::from_millis(1500);
        if job.party == "D" {
            // It listens, but neither answers nor connects.
            job.session.parties.retain(|party| party.name == "D");
        }
    };
    let all = run_all(&program, &["A", "B", "C", "D"], &PlanOptions::default(), &survey_inputs(), change);
    let errors: Vec<String> = all.into_iter().map(|got| got.unwrap_err().to_string()).collect();
    assert!(errors[..2].iter().any(|error| error.contains('D')), "{errors:?}");
}

/// Neither computing party can find an outside party's input by comparing runs: its shares have nothing in common with earlier ones.
#[test]
fn an_outside_party_that_gives_the_same_again_sends_nothing_twice() {
    for domain in [Domain::Yao, Domain::Bool, Domain::Arith] {
        let tap = Tap::default();
        let change = |job: &mut Job| {
            if job.party == "C" {
                job.session.wrap_frames = Some(tap.wrap());
            }
        };
        for _ in 0..3 {
            let names = ["A", "B", "C", "D"];
            run_all(&survey(domain), &names, &PlanOptions::default(), &survey_inputs(), change);
        }
        tap.assert_nothing_repeats(&format!("an outside party's shares for {domain:?}"));
    }
}
