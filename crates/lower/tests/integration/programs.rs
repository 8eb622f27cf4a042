//! Random programs: schedules against the interpreter, under options that force every way of lowering.

use proptest::prelude::*;
use tacit_arbitrary as arbitrary;
use tacit_circuit::Objective;
use tacit_ir::{Builder, Domain, Program, Shape, TemplateBuilder, ValueId, Words, interpret};
use tacit_lower::{Library, Options, flatten_for, lower, with_wide_ands};
use tacit_schedule::{Action, Kernel, evaluate_clear};

/// The default options; everything a step; everything a vector; everything flat; few layers; everything flat
/// in pieces, of one operation and of several.
fn every_way() -> [Options; 8] {
    let usual = Options { effort: 0, ..Options::default() };
    [
        Options { effort: 1 << 14, ..usual },
        Options { inline_ands: 0, map_ands: 0, ..usual },
        Options { vector_lanes: 1, inline_ands: 0, ..usual },
        Options { vector_lanes: 2, inline_ands: 50, map_ands: 100, ..usual },
        Options { vector_lanes: u64::MAX, inline_ands: u64::MAX, ..usual },
        Options { objective: Objective::Depth, effort: 1 << 13, ..usual },
        Options { vector_lanes: u64::MAX, inline_ands: u64::MAX, flat_ands: 0, ..usual },
        Options { vector_lanes: u64::MAX, flat_ands: 1 << 12, ..usual },
    ]
}

fn assert_same_under(program: &Program, seed: u64, options: &Options) {
    let inputs = arbitrary::inputs(program, seed);
    let expected = interpret(program, &inputs, || 0).expect("runs");
    let schedule = lower(program, options).expect("lowers");
    let depth = schedule.and_depth();
    // Rounds have a moderate worth, or an unlimited one.
    let wider = with_wide_ands(
        &schedule,
        if seed.is_multiple_of(2) { 1000 } else { u64::MAX },
        &mut Library::default(),
    );
    for schedule in wider.into_iter().chain([schedule]) {
        assert_eq!(schedule.validate(), Ok(()), "seed {seed}, {options:?}:\n{}", program.to_text());
        assert!(schedule.and_depth() <= depth, "seed {seed}, {options:?}:\n{}", program.to_text());
        let mut state = seed;
        let random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let found = evaluate_clear(&schedule, &inputs, random).expect("runs");
        assert!(found == expected, "seed {seed}, {options:?}:\n{}", program.to_text());
    }
}

fn assert_same(program: &Program, seed: u64) {
    every_way().iter().for_each(|options| assert_same_under(program, seed, options));
    let inputs = arbitrary::inputs(program, seed);
    let expected = interpret(program, &inputs, || 0).expect("runs");
    let mut layers = Vec::new();
    for objective in [Objective::Size, Objective::Depth] {
        if let Ok(circuit) = flatten_for(program, 1 << 22, objective) {
            let found = circuit.evaluate(&bits(&inputs));
            assert_eq!(found, Ok(bits(&expected)), "seed {seed}, flattened for {objective:?}");
            layers.push(circuit.stats().and_depth);
        }
    }
    assert!(layers.is_sorted_by(|size, depth| size >= depth), "seed {seed}, layers {layers:?}");
}

/// All columns of all ports, lane by lane.
fn bits(ports: &[Vec<Words>]) -> Vec<bool> {
    let mut bits = Vec::new();
    for words in ports.iter().flatten() {
        (0..words.lanes()).for_each(|lane| bits.extend((0..words.bits()).map(|bit| words.bit(lane, bit))));
    }
    bits
}

/// Every way to share unpinned values, under the default options and with everything a step.
fn every_domain() -> impl Iterator<Item = Options> {
    Domain::ALL.iter().flat_map(|domain| {
        [
            Options { domain: *domain, effort: 1 << 10, ..Options::default() },
            Options {
                domain: *domain,
                inline_ands: 0,
                map_ands: 0,
                vector_lanes: 2,
                effort: 0,
                direct_comparisons: true,
                ..Options::default()
            },
        ]
    })
}

#[test]
fn pinned_values_mean_the_same() {
    let narrow = arbitrary::Size { bits: 12, pins: true, ..arbitrary::Size::default() };
    let wide = arbitrary::Size { pins: true, lanes: 5, ..arbitrary::Size::default() };
    for (size, seeds) in [(narrow, 0..250), (wide, 0..120)] {
        for seed in seeds {
            let program = arbitrary::program(seed, &size);
            every_domain().for_each(|options| assert_same_under(&program, seed, &options));
        }
    }
}

#[test]
fn small_words() {
    let size = arbitrary::Size { bits: 9, ..arbitrary::Size::default() };
    (0..3000).for_each(|seed| assert_same(&arbitrary::program(seed, &size), seed));
}

#[test]
fn many_lanes() {
    let size = arbitrary::Size { bits: 5, lanes: 90, ..arbitrary::Size::default() };
    (0..1000).for_each(|seed| assert_same(&arbitrary::program(seed, &size), seed));
}

#[test]
fn wide_words() {
    (0..300).for_each(|seed| assert_same(&arbitrary::program(seed, &arbitrary::Size::default()), seed));
}

#[test]
fn lowering_is_deterministic() {
    for seed in 0..50 {
        let program = arbitrary::program(seed, &arbitrary::Size::default());
        let options = Options::default();
        assert_eq!(lower(&program, &options), lower(&program, &options));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Failing programs shrink.
    #[test]
    fn programs_agree(program in arbitrary::programs(arbitrary::Size::default()), seed in any::<u64>()) {
        assert_same(&program, seed);
    }
}

fn extended(main: &mut TemplateBuilder, value: ValueId, bits: u32, signed: bool) -> ValueId {
    if signed { main.sign_extend(value, bits) } else { main.zero_extend(value, bits) }.unwrap()
}

/// 8 bits, extended to 16 and then to 24 bits, with the sign or without, times a word.
fn extended_and_multiplied(signed: [bool; 2]) -> Program {
    let mut builder = Builder::new("extended");
    let role = builder.role("A");
    let [bits, words] = [8, 24]
        .map(|bits| Shape::Array { length: 40, element: Box::new(Shape::Integer { bits, signed: false }) });
    let x = builder.input("x", role, bits).unwrap();
    let y = builder.input("y", role, words.clone()).unwrap();
    let output = builder.output("z", vec![role], words).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = [x, y].map(|port| main.input(&builder, port).unwrap()[0]);
    let mut value = main.pin(Domain::Bool, x).unwrap();
    value = main.not(value).unwrap();
    for (bits, signed) in [16, 24].into_iter().zip(signed) {
        value = extended(&mut main, value, bits, signed);
    }
    let words = [value, y].map(|value| main.pin(Domain::Arith, value).unwrap());
    let product = main.mul(words[0], words[1]).unwrap();
    main.output(&builder, output, &[product]).unwrap();
    builder.finish(main).unwrap()
}

#[test]
fn bits_that_only_extend_others_are_not_converted() {
    // Zeros beyond a sign count.
    for (signed, converted) in [([false; 2], 8), ([true; 2], 8), ([false, true], 8), ([true, false], 16)] {
        let program = extended_and_multiplied(signed);
        for options in every_domain() {
            (0..20).for_each(|seed| assert_same_under(&program, seed, &options));
            let schedule = lower(&program, &options).expect("lowers");
            let body = &schedule.bodies[schedule.main];
            let widths = body.steps.iter().filter_map(|step| match &step.action {
                Action::Kernel { kernel: Kernel::BoolToArith(_), inputs, .. } => {
                    Some(body.bundles[inputs[0].index()].bits)
                }
                _ => None,
            });
            assert_eq!(widths.min(), Some(converted), "{signed:?}, {options:?}");
        }
    }
}

#[test]
fn products_of_extended_bits_are_widened_as_words() {
    for signed in [false, true] {
        let mut builder = Builder::new("widened");
        let role = builder.role("A");
        let [bits, word, wide] = [8, 10, 40]
            .map(|bits| Shape::Array { length: 40, element: Box::new(Shape::Integer { bits, signed }) });
        let x = builder.input("x", role, bits).unwrap();
        let y = builder.input("y", role, word).unwrap();
        let output = builder.output("z", vec![role], wide).unwrap();
        let mut main = builder.template("main", vec![]);
        let [x, y] = [x, y].map(|port| main.input(&builder, port).unwrap()[0]);
        let bits = main.pin(Domain::Bool, x).unwrap();
        let words = main.pin(Domain::Arith, y).unwrap();
        let bits = main.not(bits).unwrap();
        let factors = [bits, words].map(|value| extended(&mut main, value, 24, signed));
        let product = main.mul(factors[0], factors[1]).unwrap();
        let widened = extended(&mut main, product, 40, signed);
        main.output(&builder, output, &[widened]).unwrap();
        let program = builder.finish(main).unwrap();
        for options in every_domain() {
            (0..20).for_each(|seed| assert_same_under(&program, seed, &options));
            let schedule = lower(&program, &options).expect("lowers");
            let body = &schedule.bodies[schedule.main];
            let leaves = |action: &Action| {
                let Action::Kernel { kernel, inputs, .. } = action else { return false };
                kernel.rules().converts() && body.bundles[inputs[0].index()].domain == Domain::Arith
            };
            assert!(!body.steps.iter().any(|step| leaves(&step.action)), "{signed}, {options:?}");
        }
    }
}

#[test]
fn every_action_occurs() {
    let mut kinds = std::collections::BTreeSet::new();
    for seed in 0..300 {
        let program = arbitrary::program(seed, &arbitrary::Size::default());
        for options in every_way() {
            let schedule = lower(&program, &options).expect("lowers");
            for step in schedule.bodies.iter().flat_map(|body| &body.steps) {
                kinds.insert(match &step.action {
                    Action::Input { .. } => "input",
                    Action::Output { .. } => "output",
                    Action::Random { .. } => "random",
                    Action::Constant { .. } => "constant",
                    Action::Circuit { lanes: 1, .. } => "circuit",
                    Action::Circuit { inputs, .. } if inputs.iter().any(|input| input.broadcast) => {
                        "broadcast"
                    }
                    Action::Circuit { .. } => "circuit over lanes",
                    Action::Gather { .. } => "gather",
                    Action::Join { .. } => "join",
                    Action::Call { .. } => "call",
                    Action::Map { .. } => "map",
                    Action::Kernel { .. } => "kernel",
                    Action::Iterate { .. } => "iterate",
                });
            }
        }
    }
    assert_eq!(kinds.len(), 12, "{kinds:?}");
}
