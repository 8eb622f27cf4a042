//! Many inputs, outputs and random bits: more than one batch of each.

use tacit_engine::{BothOutcomes, in_process};
use tacit_ir::{Builder, Program, RoleId, Shape, Type, ValueType, Words};
use tacit_net::Phase;
use tacit_plan::{ModeChoice, Parties, PlanOptions};

const LANES: u32 = 70_000;

fn words(bits: u32, seed: u128) -> Words {
    let values: Vec<u128> = (0..u128::from(LANES)).map(|lane| (lane * 2654435761 + seed) >> 3).collect();
    Words::from_u128s(bits, &values)
}

/// The sum of the named roles' numbers, lane by lane, masked by random bits and unmasked again.
fn program(roles: &[&str], learn: &[u32]) -> Program {
    let shape = Shape::Array { length: LANES, element: Shape::Integer { bits: 18, signed: false }.into() };
    let mut builder = Builder::new("wide");
    let roles: Vec<RoleId> = roles.iter().map(|role| builder.role(role)).collect();
    let inputs: Vec<_> = roles.iter().map(|role| builder.input("x", *role, shape.clone()).unwrap()).collect();
    let learn = learn.iter().map(|index| roles[*index as usize]).collect();
    let output = builder.output("sum", learn, shape).unwrap();
    let mut main = builder.template("main", vec![]);
    let values: Vec<_> = inputs.iter().map(|port| main.input(&builder, *port).unwrap()[0]).collect();
    let sum = values[1..].iter().fold(values[0], |sum, value| main.add(sum, *value).unwrap());
    let mask = main.random(ValueType { ty: Type::Word(18), lanes: LANES.into() }).unwrap();
    let masked = main.xor(sum, mask).unwrap();
    let result = main.xor(masked, mask).unwrap();
    main.output(&builder, output, &[result]).unwrap();
    builder.finish(main).unwrap()
}

fn check(both: &BothOutcomes, inputs: &[Vec<Words>]) {
    let sum = |lane| inputs.iter().map(|port| port[0].low_u128(lane)).sum();
    let expected: Vec<u128> = (0..u64::from(LANES)).map(sum).collect();
    assert_eq!(both.outputs(), [[Words::from_u128s(18, &expected)]]);
    for outcome in [&both.garbler, &both.evaluator] {
        for (phase, traffic) in
            [(Phase::Setup, outcome.report.predicted.setup), (Phase::Online, outcome.report.predicted.online)]
        {
            let measured = outcome.report.phase(phase).unwrap();
            let side = outcome.report.side;
            assert_eq!(measured.payload_sent, Some(traffic.bytes_sent(side)));
            assert_eq!(measured.payload_received, Some(traffic.bytes_sent(side.peer())));
            assert_eq!(measured.rounds, traffic.rounds(side), "{side:?}, {}", phase.name());
        }
    }
}

#[test]
fn batches_agree_in_both_modes() {
    let inputs = [vec![words(18, 1)], vec![words(18, 2)]];
    for mode in [ModeChoice::Streamed, ModeChoice::Precomputed] {
        for learn in [&[0][..], &[1], &[0, 1]] {
            let both = in_process(
                &program(&["A", "B"], learn),
                &inputs,
                &PlanOptions { mode, ..PlanOptions::default() },
            );
            check(&both.unwrap(), &inputs);
        }
    }
}

#[test]
fn a_party_may_speak_for_several_roles() {
    let program = program(&["A", "B", "C"], &[2]);
    let inputs = [vec![words(18, 1)], vec![words(18, 2)], vec![words(18, 3)]];
    let party = |role: &str| Some(if role == "B" { "two" } else { "one" }.to_owned());
    let parties = Some(Parties::assign(&program, party).unwrap());
    let both = in_process(&program, &inputs, &PlanOptions { parties, ..PlanOptions::default() }).unwrap();
    check(&both, &inputs);
    assert_eq!(both.garbler.report.party, "one");
    assert!(both.evaluator.outputs[0].is_empty());
}
