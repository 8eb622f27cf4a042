//! Random programs: both parties against the interpreter, and traffic against the plan's prediction.

use tacit_arbitrary::{self as arbitrary, Size};
use tacit_engine::{BothOutcomes, in_process};
use tacit_ir::{Builder, Domain, Program, Shape, interpret};
use tacit_net::Phase;
use tacit_plan::{
    DomainChoice, Garbling, Link, ModeChoice, PlanOptions, SecurityParams, Side, TransferChoice,
    TransferExtension,
};

const MODES: [ModeChoice; 2] = [ModeChoice::Streamed, ModeChoice::Precomputed];

fn check(program: &Program, seed: u64, options: &PlanOptions) {
    let inputs = arbitrary::inputs(program, seed);
    let both = in_process(program, &inputs, options)
        .unwrap_or_else(|error| panic!("seed {seed}, {:?}: {error}", options.mode));
    assert_eq!(both.outputs(), interpret(program, &inputs, || 0).unwrap(), "seed {seed}, {:?}", options.mode);
    only_recipients_learn(program, &both);
    as_predicted(&both, seed);
}

fn only_recipients_learn(program: &Program, both: &BothOutcomes) {
    for (outcome, role) in [(&both.garbler, 0), (&both.evaluator, 1)] {
        for (port, columns) in program.outputs.iter().zip(&outcome.outputs) {
            assert_eq!(port.roles.iter().any(|other| other.0 == role), !columns.is_empty());
        }
    }
}

fn as_predicted(both: &BothOutcomes, seed: u64) {
    for outcome in [&both.garbler, &both.evaluator] {
        let (report, side) = (&outcome.report, outcome.report.side);
        for (phase, traffic) in
            [(Phase::Setup, report.predicted.setup), (Phase::Online, report.predicted.online)]
        {
            let measured = report.phase(phase).unwrap();
            let context = format!("seed {seed}, {:?}, {side:?}, {}", report.mode, phase.name());
            assert_eq!(measured.payload_sent, Some(traffic.bytes_sent(side)), "{context}");
            assert_eq!(measured.payload_received, Some(traffic.bytes_sent(side.peer())), "{context}");
            assert_eq!(measured.rounds, traffic.rounds(side), "{context}");
        }
    }
    assert_eq!((both.garbler.report.side, both.evaluator.report.side), (Side::Garbler, Side::Evaluator));
    assert_eq!(both.garbler.report.plan_hash, both.evaluator.report.plan_hash);
}

#[test]
fn both_modes_agree_with_the_interpreter() {
    for seed in 0..120 {
        let program = arbitrary::program(seed, &Size::default());
        for mode in MODES {
            check(&program, seed, &PlanOptions { mode, ..PlanOptions::default() });
        }
    }
}

#[test]
fn structure_that_is_kept_agrees_too() {
    let mut options = PlanOptions::default();
    (options.lowering.inline_ands, options.lowering.map_ands, options.lowering.vector_lanes) = (0, 0, 2);
    for seed in 1000..1100 {
        let program = arbitrary::program(seed, &Size::default());
        for mode in MODES {
            check(&program, seed, &PlanOptions { mode, ..options.clone() });
        }
    }
}

#[test]
fn three_halves_agree_and_take_the_bytes_that_are_planned() {
    let mut options = PlanOptions { garbling: Garbling::ThreeHalves, ..PlanOptions::default() };
    for seed in 2000..2100 {
        let program = arbitrary::program(seed, &Size::default());
        // Every other program keeps its structure.
        let keep = if seed % 2 == 0 { 0 } else { 1 << 10 };
        (options.lowering.inline_ands, options.lowering.map_ands, options.lowering.vector_lanes) =
            (keep, keep, 2 + keep);
        for mode in MODES {
            check(&program, seed, &PlanOptions { mode, ..options.clone() });
        }
    }
}

#[test]
fn tiles_agree_and_take_what_is_planned() {
    let size = Size { bits: 9, lanes: 90, ..Size::default() };
    for seed in 4000..4100 {
        let program = arbitrary::program(seed, &size);
        for mode in MODES {
            let mut options =
                PlanOptions { mode, domain: DomainChoice::In(Domain::Yao), ..PlanOptions::default() };
            options.lowering.tile_labels = [1, 12, 70][seed as usize % 3];
            check(&program, seed, &options);
        }
    }
}

#[test]
fn silent_transfers_agree_and_take_what_is_planned() {
    for seed in 3000..3016 {
        let program = arbitrary::program(seed, &Size::default());
        for mode in MODES {
            let transfers = TransferChoice::Silent;
            check(&program, seed, &PlanOptions { mode, transfers, ..PlanOptions::default() });
        }
    }
}

/// Words of the evaluator, each added (XOR) to one of the garbler.
fn masked(count: u32) -> Program {
    let array = |length| Shape::Array { length, element: Shape::Integer { bits: 32, signed: false }.into() };
    let mut builder = Builder::new("masked");
    let roles = [builder.role("A"), builder.role("B")];
    let ports = roles.map(|role| builder.input("x", role, array(count)).unwrap());
    let output = builder.output("masked", roles.to_vec(), array(count)).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = ports.map(|port| main.input(&builder, port).unwrap()[0]);
    let masked = main.xor(x, y).unwrap();
    main.output(&builder, output, &[masked]).unwrap();
    builder.finish(main).unwrap()
}

#[test]
fn the_extension_goes_by_how_many_inputs_there_are_and_by_the_link() {
    let narrow = Link { bits_per_second: 5_000_000, round_us: 10_000 };
    for (count, link, expected) in [
        (10, narrow, TransferExtension::SoftSpoken),
        (20_000, Link::LOOPBACK, TransferExtension::SoftSpoken),
        (20_000, narrow, TransferExtension::SilentSmall),
    ] {
        let options = PlanOptions { link, ..PlanOptions::default() };
        let plan = tacit_engine::plan(&masked(count), &options).unwrap();
        assert_eq!(plan.transfers(), expected, "{count}");
        check(&masked(count), 1, &options);
    }
}

#[test]
fn every_extension_parameter_agrees() {
    for (seed, softspoken_k) in [(1, 1), (2, 2), (3, 4), (4, 8)] {
        let security = SecurityParams { softspoken_k, ..SecurityParams::default() };
        let program = arbitrary::program(seed, &Size::default());
        check(&program, seed, &PlanOptions { security, ..PlanOptions::default() });
    }
}
