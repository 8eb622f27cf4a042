//! The choices of plans: by prediction never worse than a single domain; and the result is the same for every choice.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::rounds::network;
use crate::several_domains::check_with;
use tacit_arbitrary::{self as arbitrary, Size};
use tacit_engine::{bound, plan};
use tacit_ir::{Builder, Domain, Program, STORED_ROLE, Shape};
use tacit_lower::{Assigned, Ceiling, Library, LowerError, OpClass, lower_within};
use tacit_plan::{
    DomainChoice, Limits, Link, Named, Objective, Plan, PlanError, PlanOptions, Profile, Tariff, Unbounded,
};
use tacit_schedule::{Combined, Unit};

fn link(bits_per_second: u64, microseconds: u64) -> Link {
    Link::one_way(bits_per_second, Duration::from_micros(microseconds))
}

fn links() -> [Link; 4] {
    [Link::LOOPBACK, link(1_000_000_000, 250), Link::SITES, link(100_000_000, 20_000)]
}

/// Loopback, `lan`, `wan` and `mobile`.
fn named_links() -> [Link; 4] {
    let [loopback, lan, ..] = links();
    [loopback, lan, link(100_000_000, 50_000), link(20_000_000, 40_000)]
}

/// A plan's value of its objective.
fn score(plan: &Plan) -> u64 {
    let prediction = plan.prediction();
    match plan.objective() {
        Objective::Total => prediction.nanoseconds(),
        Objective::Online => prediction.time.online.nanoseconds(),
        Objective::Bytes => prediction.bytes(),
        Objective::Money => prediction.money(plan.goal().tariff),
        Objective::Memory => prediction.memory.larger().bytes,
    }
}

/// Each link with one objective, and the last with all.
fn some_cases(links: [Link; 4]) -> Vec<(Link, Objective)> {
    let [.., far] = links;
    let first = links.into_iter().zip(Objective::ALL.iter().copied());
    first.chain(Objective::ALL.iter().map(|one| (far, *one))).collect()
}

/// Each link with every objective.
fn all_cases(links: [Link; 4]) -> Vec<(Link, Objective)> {
    links.into_iter().flat_map(|link| Objective::ALL.iter().map(move |one| (link, *one))).collect()
}

/// Checks plans for links and objectives: none is worse than a single domain, nor better than the bound.
fn check_choice(program: &Program) {
    for (link, objective) in some_cases(links()) {
        let tariff = Tariff { gigabyte: 90_000, core_hour: 40_000 };
        let options = PlanOptions { link, objective, tariff, ..PlanOptions::default() };
        let of = |domain| plan(program, &PlanOptions { domain, ..options.clone() });
        let chosen = of(DomainChoice::Auto).unwrap();
        let least = bound(program, &options, &chosen).map_or(0, |bound| bound.least);
        for domain in Domain::UNPINNED {
            let Ok(whole) = of(DomainChoice::In(*domain)) else { continue };
            assert!(score(&chosen) <= score(&whole), "{objective:?}, {link}, {domain:?}");
            assert!(least <= score(&whole), "{objective:?}, {link}, {domain:?}: no less than {least}");
        }
    }
}

#[test]
fn nothing_is_said_of_how_far_memory_is_from_the_least() {
    let (program, _) = network(6, 5, 3, 2);
    let options = PlanOptions { objective: Objective::Memory, ..PlanOptions::default() };
    let chosen = plan(&program, &options).unwrap();
    assert_eq!(bound(&program, &options, &chosen), Err(Unbounded::Memory));
}

#[test]
fn money_needs_a_price() {
    let (program, _) = network(6, 5, 3, 2);
    let options = PlanOptions { objective: Objective::Money, ..PlanOptions::default() };
    assert_eq!(plan(&program, &options).unwrap_err(), PlanError::NoTariff);
}

/// As bits, a network's products send no more than as words, but take far longer to compute.
#[test]
fn networks_multiply_words() {
    let (program, _) = network(784, 128, 10, 1);
    for link in links() {
        let of = |domain| plan(&program, &PlanOptions { domain, link, ..PlanOptions::default() }).unwrap();
        let (chosen, bits) = (of(DomainChoice::Auto), of(DomainChoice::In(Domain::Bool)));
        assert!(chosen.domains().iter().any(|work| work.product_count > 100_000), "{link}");
        let [chosen, bits] = [chosen, bits].map(|plan| plan.prediction().nanoseconds());
        assert!(5 * chosen < bits, "{link}: {chosen} ns, in bool {bits} ns");
    }
}

#[test]
fn random_programs_are_never_worse_than_in_one_domain() {
    for seed in 0..8 {
        check_choice(&arbitrary::program(seed, &Size::default()));
    }
}

/// Neither single domains nor circuits as they are written, which are both priced before anything is chosen.
#[test]
fn no_plan_is_worse_than_what_was_priced_for_it() {
    for seed in 0..20 {
        let program = arbitrary::program(seed, &Size::default());
        for link in named_links() {
            for objective in [Objective::Total, Objective::Online, Objective::Bytes] {
                let of = |domain, effort: Option<u64>| {
                    let mut options = PlanOptions { link, objective, domain, ..PlanOptions::default() };
                    options.lowering.effort = effort.unwrap_or(options.lowering.effort);
                    plan(&program, &options)
                };
                let chosen = score(&of(DomainChoice::Auto, None).unwrap());
                let throughout = Domain::UNPINNED.iter().map(|domain| (*domain, None));
                // In `bool`, the written circuits are also priced in fewer layers, which drafts are not.
                for (domain, effort) in throughout.chain([(Domain::Yao, Some(0))]) {
                    let Ok(other) = of(DomainChoice::In(domain), effort) else { continue };
                    let other = score(&other);
                    assert!(
                        chosen <= other,
                        "{seed}, {link}, {objective:?}, {domain:?}, {effort:?}: {other}"
                    );
                }
            }
        }
    }
}

/// Checks that ending drafts early leads to the same plan as completing all of them.
fn check_early_ends(program: &Program, cases: &[(Link, Objective)]) {
    let tariff = Tariff { gigabyte: 90_000, core_hour: 40_000 };
    for (link, objective) in cases.iter().copied() {
        let of = |every_draft| {
            let options =
                PlanOptions { domain: DomainChoice::Auto, link, objective, tariff, ..PlanOptions::default() };
            plan(program, &PlanOptions { every_draft, ..options })
        };
        match (of(false), of(true)) {
            (Ok(early), Ok(every)) => {
                assert_eq!(early.hash(), every.hash(), "{}, {link}, {objective:?}", program.name);
                assert_eq!(early.prediction(), every.prediction());
            }
            (early, every) => assert_eq!(early.unwrap_err(), every.unwrap_err()),
        }
    }
}

fn random_programs() -> impl Iterator<Item = Program> {
    (0..8).map(|seed| arbitrary::program(seed, &Size { pins: seed % 4 == 3, ..Size::default() }))
}

fn networks() -> impl Iterator<Item = Program> {
    let sizes = [(6, 5, 3, 2), (100, 20, 10, 1), (40, 70, 8, 70)];
    sizes.into_iter().map(|(inputs, hidden, outputs, rows)| network(inputs, hidden, outputs, rows).0)
}

/// With so many rounds or ANDs that most drafts end early.
fn chains() -> impl Iterator<Item = Program> {
    (0..4).map(|kind| chain(kind, 120))
}

#[test]
fn drafts_that_end_early_change_no_plan_of_random_programs() {
    random_programs().for_each(|program| check_early_ends(&program, &some_cases(named_links())));
}

#[test]
fn drafts_that_end_early_change_no_plan_of_products() {
    networks().for_each(|program| check_early_ends(&program, &some_cases(named_links())));
}

#[test]
fn drafts_that_end_early_change_no_plan_of_chains() {
    chains().for_each(|program| check_early_ends(&program, &some_cases(named_links())));
}

#[test]
#[ignore = "minutes: every link with every objective"]
fn drafts_that_end_early_change_no_plan_for_any_link_and_objective() {
    let programs = random_programs().chain(networks()).chain(chains());
    programs.for_each(|program| check_early_ends(&program, &all_cases(named_links())));
}

/// A schedule may be given up for its rounds or ANDs only if its run takes these.
#[test]
fn what_ends_early_takes_no_less_than_it_is_said_to() {
    // If rounds take no time, there are no wider ANDs.
    let link = Link { bits_per_second: 1_000_000_000, round_us: 0 };
    let programs =
        (0..30).map(|seed| arbitrary::program(seed, &Size { pins: seed % 3 == 2, ..Size::default() }));
    for program in programs.chain((0..4).map(|kind| chain(kind, 20))) {
        for domain in Domain::UNPINNED {
            let options = PlanOptions { domain: DomainChoice::In(*domain), link, ..PlanOptions::default() };
            let Ok(plan) = plan(&program, &options) else { continue };
            let lowered = |ceiling| {
                let lowering = tacit_lower::Options { effort: options.lowering.effort, ..*plan.lowering() };
                lower_within(&program, &lowering, ceiling, &mut Library::default(), &mut |_| {})
            };
            let (ands, rounds) = (plan.work().and_count, plan.forecast().online.flights);
            assert_eq!(lowered(Ceiling { ands, rounds }).as_ref(), Ok(plan.schedule()));
            if ands > 0 {
                let fewer = Ceiling { ands: ands - 1, ..Ceiling::default() };
                assert_eq!(lowered(fewer), Err(LowerError::BeyondCeiling));
            }
        }
    }
}

/// Products, sums, comparisons or squares, each computed from the one before.
fn chain(kind: u8, length: u32) -> Program {
    let word = || Shape::Integer { bits: 32, signed: false };
    let mut builder = Builder::new("chain");
    let roles = [builder.role("A"), builder.role("B")];
    let inputs = roles.map(|role| builder.input("x", role, word()).unwrap());
    let output = builder.output("last", roles.to_vec(), word()).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    let mut last = y;
    for _ in 0..length {
        last = match kind {
            0 => main.mul(last, x).unwrap(),
            1 => main.add(last, x).unwrap(),
            2 => {
                let less = main.lt_u(last, x).unwrap();
                let sum = main.add(last, y).unwrap();
                main.select(less, sum, x).unwrap()
            }
            _ => {
                let product = main.mul(last, last).unwrap();
                main.xor(product, x).unwrap()
            }
        };
    }
    main.output(&builder, output, &[last]).unwrap();
    builder.finish(main).unwrap()
}

/// Programs find what others kept, whatever domain is chosen to compute with it.
#[test]
fn what_is_kept_is_shared_as_in_the_usual_domain() {
    let shape = Shape::Array { length: 4096, element: Shape::Integer { bits: 32, signed: false }.into() };
    let mut builder = Builder::new("products");
    let [a, _, kept] = ["A", "B", STORED_ROLE].map(|name| builder.role(name));
    let inputs = [a, kept].map(|role| builder.input("x", role, shape.clone()).unwrap());
    let outputs = [a, kept].map(|role| builder.output("product", vec![role], shape.clone()).unwrap());
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    let product = main.mul(x, y).unwrap();
    outputs.into_iter().for_each(|port| main.output(&builder, port, &[product]).unwrap());
    let program = builder.finish(main).unwrap();
    let forms = |domain| {
        let plan = plan(&program, &PlanOptions { domain, ..PlanOptions::default() }).unwrap();
        let [read, written] = [plan.input_forms(&program, 1), plan.output_forms(&program, 1)];
        [read[0].combined, written[0].combined]
    };
    assert_eq!(forms(DomainChoice::In(Domain::Arith)), [Combined::Sum; 2]);
    assert_eq!(forms(DomainChoice::Auto), [Combined::ExclusiveOr; 2]);
}

#[test]
fn profiles_change_what_is_chosen() {
    let (program, _) = network(6, 5, 3, 2);
    let of = |profile: Profile| {
        let options = PlanOptions {
            domain: DomainChoice::Auto,
            link: Link::LOOPBACK,
            profile: Arc::new(profile),
            ..PlanOptions::default()
        };
        plan(&program, &options).unwrap()
    };
    let domains = |plan: &Plan| plan.domains().iter().map(|work| work.domain.clone()).collect::<Vec<_>>();
    let dear = Profile::named("dear labels").with(Unit::HalfGatesGarbled, 1_000_000_000);
    assert!(!domains(&of(dear)).contains(&"yao".to_owned()));
    let transfers = [Unit::SoftSpoken4, Unit::SilentSmall, Unit::SilentLarge];
    let dear =
        transfers.into_iter().fold(Profile::named("dear transfers"), |all, one| all.with(one, 1_000_000_000));
    assert_eq!(domains(&of(dear)), ["yao"]);
}

/// Without a message to the peer, and equally for a peer with the same limit.
#[test]
fn runs_beyond_a_limit_are_refused() {
    let (program, _) = network(6, 5, 3, 2);
    let of = |limits| plan(&program, &PlanOptions { limits, ..PlanOptions::default() });
    let free = of(Limits::default()).unwrap();
    let (bytes, time) = (free.prediction().bytes(), free.prediction().nanoseconds().div_ceil(1_000_000));
    let within = of(Limits { bytes: Some(bytes), milliseconds: Some(time), memory: None }).unwrap();
    assert_eq!(within.hash(), free.hash());
    let refused = |limits| of(limits).unwrap_err();
    let of_bytes = Limits { bytes: Some(bytes - 3), ..Limits::default() };
    let error = refused(of_bytes);
    let PlanError::Limit { what: "bytes", needed, limit, excess: 3, least, by: Objective::Bytes } = error
    else {
        panic!("{error}");
    };
    assert_eq!((needed, limit), (bytes, bytes - 3));
    let sparing = PlanOptions { objective: Objective::Bytes, ..PlanOptions::default() };
    assert_eq!(least, plan(&program, &sparing).unwrap().prediction().bytes().min(bytes));
    let of_time = Limits { milliseconds: Some(0), bytes: Some(bytes), memory: None };
    assert!(matches!(refused(of_time), PlanError::Limit { what: "milliseconds", limit: 0, .. }));
}

/// Both parties plan independently, at any speed and at the same time.
#[test]
fn parties_choose_the_same() {
    for seed in 0..6 {
        let program = arbitrary::program(seed, &Size::default());
        let options = PlanOptions { domain: DomainChoice::Auto, ..PlanOptions::default() };
        let plans: Vec<_> = thread::scope(|scope| {
            let parties = [0; 2].map(|_| scope.spawn(|| *plan(&program, &options).unwrap().hash()));
            parties.map(|party| party.join().unwrap()).into()
        });
        assert_eq!(plans[0], plans[1], "program {seed}");
    }
}

/// The time is the sum of the parts, whatever is counted.
#[test]
fn predictions_say_how_long_phases_take() {
    let (program, _) = network(6, 5, 3, 2);
    for domain in DomainChoice::ALL {
        let plan = plan(&program, &PlanOptions { domain: *domain, ..PlanOptions::default() }).unwrap();
        let (forecast, time) = (plan.forecast(), plan.prediction().time);
        for (effort, time) in [(&forecast.setup, time.setup), (&forecast.online, time.online)] {
            assert_eq!(plan.profile().time(effort, plan.link()), time);
            let rounds = effort.flights * plan.link().round_us * 500;
            assert!(time.waiting_ns == rounds && time.nanoseconds() > 0, "{domain:?}: {time:?}");
        }
    }
}

/// Assigns each class of operations every domain, in turn.
fn assigned(seed: u64) -> Assigned {
    let domain = |class: OpClass| match (seed / 4u64.pow(class as u32)) % 4 {
        0 => None,
        1 => Some(Domain::Yao),
        2 => Some(Domain::Bool),
        _ => Some(Domain::Arith),
    };
    OpClass::ALL.into_iter().fold(Assigned::default(), |all, class| all.with(class, domain(class)))
}

#[test]
fn classes_of_operations_compute_the_same_in_every_domain() {
    for number in 0..60u64 {
        // A factor that is coprime to the number of assignments visits them all.
        let seed = number * 157 % 1024;
        let program = arbitrary::program(number, &Size { pins: number % 3 == 2, ..Size::default() });
        let mut options =
            PlanOptions { domain: DomainChoice::ALL[number as usize % 4], ..PlanOptions::default() };
        options.lowering.assigned = assigned(seed);
        let inputs = arbitrary::inputs(&program, number);
        check_with(&program, &inputs, &options, &format!("program {number}, assignment {seed}"));
    }
}
