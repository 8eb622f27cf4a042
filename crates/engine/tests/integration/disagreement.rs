//! Parties that disagree on what to run, or are not who they should be.

use std::sync::Arc;
use std::time::Duration;

use crate::loopback::{Site, inputs, jobs, jobs_of, options, program, run_pair};
use tacit_engine::{CancelFlag, Class, RunError, block_on, plan, run};
use tacit_ir::{Builder, Domain, Program, Shape, Words};
use tacit_net::keys::generate;
use tacit_net::session::Transport;
use tacit_plan::{
    DomainChoice, Garbling, Link, ModeChoice, Objective, PlanOptions, Profile, SecurityLevel, SecurityParams,
};
use tacit_schedule::Unit;

const LIMIT: Duration = Duration::from_secs(10);

/// Runs `A` as it is and `B` with another program or plan; returns the messages of both errors.
fn differing(other: &Program, others: &PlanOptions) -> [String; 2] {
    let mut jobs = jobs(Site::new(Transport::Tls, LIMIT), &options(ModeChoice::Auto));
    jobs[1].program = Arc::new(other.clone());
    jobs[1].plan = Arc::new(plan(other, others).unwrap());
    jobs[1].compiler = "another test".to_owned();
    run_pair(&jobs).map(|result| {
        let error = result.unwrap_err();
        assert_eq!(error.class(), Class::Peer, "{error}");
        error.to_string()
    })
}

#[test]
fn programs_are_named_with_their_compilers() {
    let mut other = program();
    other.name = "twin".to_owned();
    for message in differing(&other, &options(ModeChoice::Auto)) {
        for part in ["differ in program", "pair", "twin", "made by a test", "made by another test"] {
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn modes_are_named() {
    for message in differing(&program(), &options(ModeChoice::Streamed)) {
        for part in ["differ in mode", "streamed", "precomputed"] {
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn domains_are_named_before_what_comes_of_them() {
    let others = PlanOptions { domain: DomainChoice::In(Domain::Bool), ..options(ModeChoice::Auto) };
    for message in differing(&program(), &others) {
        for part in ["differ in domain", "yao", "bool"] {
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn garbling_is_named() {
    let others = PlanOptions { garbling: Garbling::ThreeHalves, ..options(ModeChoice::Auto) };
    for message in differing(&program(), &others) {
        for part in ["differ in garbling", "half-gates", "three-halves"] {
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn planned_links_are_named_even_where_plans_are_equal() {
    let wan = Link { bits_per_second: 100_000_000, round_us: 100_000 };
    let others = PlanOptions { link: wan, ..options(ModeChoice::Auto) };
    let hashes =
        [&others, &options(ModeChoice::Auto)].map(|options| *plan(&program(), options).unwrap().hash());
    assert_eq!(hashes[0], hashes[1]);
    for message in differing(&program(), &others) {
        for part in ["differ in planned link", "250 Mbit/s, 5 ms", "100 Mbit/s, 50 ms"] {
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn objectives_and_profiles_are_named_even_where_plans_are_equal() {
    let profile = Arc::new(Profile::named("slow").with(Unit::Word, 1_000_000));
    let cases = [
        (
            PlanOptions { objective: Objective::Bytes, ..options(ModeChoice::Auto) },
            ["objective", "total", "bytes"],
        ),
        (PlanOptions { profile, ..options(ModeChoice::Auto) }, ["profile", "built-in", "slow"]),
    ];
    for (others, [what, here, there]) in cases {
        for message in differing(&program(), &others) {
            for part in [&format!("differ in {what}")[..], here, there] {
                assert!(message.contains(part), "{message}");
            }
        }
    }
}

#[test]
fn efforts_are_named() {
    let mut others = options(ModeChoice::Auto);
    others.lowering.effort = 77;
    for message in differing(&program(), &others) {
        for part in ["differ in effort", "77", "4194304"] {
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn security_parameters_are_named() {
    let security = SecurityParams { softspoken_k: 2, ..SecurityParams::default() };
    for message in differing(&program(), &PlanOptions { security, ..options(ModeChoice::Auto) }) {
        for part in ["differ in security parameters", "k = 2", "k = 4"] {
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn security_levels_are_named() {
    let security = SecurityParams { level: SecurityLevel::Medium, ..SecurityParams::default() };
    for message in differing(&program(), &PlanOptions { security, ..options(ModeChoice::Auto) }) {
        for part in ["differ in security parameters", "level medium", "level long"] {
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn plans_are_compared() {
    let lanes = wide();
    let inputs = [vec![vec![Words::zero(8, 20)]], vec![]];
    let mut jobs = jobs_of(&lanes, inputs, Site::new(Transport::Tls, LIMIT), &PlanOptions::default());
    let mut others = PlanOptions::default();
    others.lowering.vector_lanes = 100;
    jobs[1].plan = Arc::new(plan(&lanes, &others).unwrap());
    for result in run_pair(&jobs) {
        let message = result.unwrap_err().to_string();
        assert!(message.contains("differ in plan"), "{message}");
    }
}

/// Squares of 20 numbers of A, for B.
fn wide() -> Program {
    let numbers = Shape::Array { length: 20, element: Shape::Integer { bits: 8, signed: false }.into() };
    let mut builder = Builder::new("wide");
    let (a, b) = (builder.role("A"), builder.role("B"));
    let input = builder.input("x", a, numbers.clone()).unwrap();
    let output = builder.output("squares", vec![b], numbers).unwrap();
    let mut main = builder.template("main", vec![]);
    let x = main.input(&builder, input).unwrap()[0];
    let squares = main.mul(x, x).unwrap();
    main.output(&builder, output, &[squares]).unwrap();
    builder.finish(main).unwrap()
}

#[test]
fn a_wrong_key_is_refused() {
    let mut site = Site::new(Transport::Tls, LIMIT);
    let (stranger, public) = generate().unwrap();
    site.keys[1] = Some(stranger);
    site.configs[1].parties[1].key = Some(public);
    for result in run_pair(&jobs(site, &options(ModeChoice::Auto))) {
        let error = result.unwrap_err();
        assert_eq!(error.class(), Class::Peer, "{error}");
    }
}

#[test]
fn an_absent_peer_is_reported_in_time() {
    for index in [0, 1] {
        let mut site = Site::new(Transport::Tls, Duration::from_millis(300));
        site.configs[index].listener = site.configs[index].listener.take().filter(|_| index == 0);
        let jobs = jobs(site, &options(ModeChoice::Auto));
        let error = block_on(run(&jobs[index], None, &CancelFlag::new())).unwrap_err();
        assert_eq!(error.class(), Class::Peer, "{error}");
        assert!(error.to_string().contains(["B", "A"][index]), "{error}");
    }
}

#[test]
fn a_party_must_speak_for_a_role() {
    let mut jobs = jobs(Site::new(Transport::Tls, LIMIT), &options(ModeChoice::Auto));
    jobs[0].party = "C".to_owned();
    let error = block_on(run(&jobs[0], None, &CancelFlag::new())).unwrap_err();
    assert!(matches!(error, RunError::Party { .. }), "{error}");
    assert_eq!(error.class(), Class::Usage);
    jobs[1].session.parties.remove(0);
    let error = block_on(run(&jobs[1], None, &CancelFlag::new())).unwrap_err();
    assert!(error.to_string().contains("party A speaks for a role"), "{error}");
}

#[test]
fn inputs_are_checked_before_anything_else() {
    let bad = [
        (vec![], "missing"),
        (vec![vec![Words::scalar(31, 5)]], "31 bits"),
        (vec![vec![Words::zero(32, 1); 2]], "2 columns"),
    ];
    for (columns, part) in bad {
        let [_, second] = inputs();
        let site = Site::new(Transport::Tls, LIMIT);
        let jobs = jobs_of(&program(), [columns, second], site, &options(ModeChoice::Auto));
        let error = block_on(run(&jobs[0], None, &CancelFlag::new())).unwrap_err();
        assert_eq!(error.class(), Class::Input);
        assert!(error.to_string().contains(part), "{error}");
    }
}
