//! Circuits that are garbled among three parties.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use tacit_arbitrary as arbitrary;
use tacit_ir::{Builder, Domain, Program, Shape, Words};
use tacit_lower::Options;
use tacit_math::field::{BitOctets, Gf256, Mersenne61, Montgomery};

use super::words::{agrees_in, wider};
use super::{agrees_among, costs_among, ways};
use crate::compiled::Compiled;
use crate::prss::Purpose;
use crate::recorder;
use crate::runtime::LEAST_STATISTICAL_BITS;
use crate::runtime::shared::OCTETS;
use crate::runtime::simulation::Simulation;
use crate::runtime::wire::{self, MessageKind, Widths};
use crate::security::Security;

const THREE: (usize, usize) = (3, 1);

/// The ways of the other tests, with garbled circuits.
fn garbled() -> [Options; 3] {
    ways().map(|way| Options { domain: Domain::Yao, bits: Domain::Yao, ..way })
}

fn agrees(seed: u64, size: &arbitrary::Size, options: &Options, parties: (usize, usize)) {
    agrees_among((parties, Security::Passive), seed, size, options);
}

#[test]
fn garbled_programs_agree_with_the_interpreter() {
    let size = arbitrary::Size { bits: 9, ..arbitrary::Size::default() };
    (0..3000).for_each(|seed| agrees(seed, &size, &garbled()[seed as usize % 3], THREE));
    let size = arbitrary::Size { bits: 5, lanes: 90, ..arbitrary::Size::default() };
    (0..40).for_each(|seed| agrees(seed, &size, &garbled()[seed as usize % 3], THREE));
    let size = arbitrary::Size { bits: 24, lanes: 400, ..arbitrary::Size::default() };
    (0..4).for_each(|seed| agrees(seed, &size, &garbled()[0], THREE));
}

#[test]
fn other_numbers_of_parties_compute_them_by_products() {
    let size = arbitrary::Size { bits: 9, ..arbitrary::Size::default() };
    for (seed, parties) in (0..).zip([(4, 1), (5, 2), (7, 3)]) {
        agrees(seed, &size, &garbled()[seed as usize % 3], parties);
    }
}

#[test]
fn rounds_and_bytes_are_predicted() {
    let size = arbitrary::Size { bits: 9, ..arbitrary::Size::default() };
    (0..40).for_each(|seed| costs_among(&[THREE], (seed, &size), &garbled()[seed as usize % 3]));
    let size = arbitrary::Size { bits: 24, lanes: 400, ..arbitrary::Size::default() };
    (0..2).for_each(|seed| costs_among(&[THREE], (seed, &size), &garbled()[0]));
}

/// Whether the first party's words are below the second's, lane by lane, after a sum.
fn compared(bits: u32, lanes: u32) -> Program {
    let mut builder = Builder::new("compared");
    let roles = [builder.role("A"), builder.role("B")];
    let array =
        |bits: u32| Shape::Array { length: lanes, element: Box::new(Shape::Integer { bits, signed: false }) };
    let ports = roles.map(|role| builder.input("x", role, array(bits)).expect("an input"));
    let output = builder.output("z", roles.to_vec(), array(1)).expect("an output");
    let mut main = builder.template("main", vec![]);
    let [x, y] = ports.map(|port| main.input(&builder, port).expect("an input")[0]);
    let product = main.mul(x, y).expect("fits");
    let less = main.lt_u(product, y).expect("fits");
    main.output(&builder, output, &[less]).expect("fits");
    builder.finish(main).expect("a program")
}

#[test]
fn a_garbled_circuit_takes_two_rounds_however_deep_it_is() {
    for (bits, lanes) in [(8, 1), (32, 1), (32, 7), (24, 3000)] {
        let program = compared(bits, lanes);
        let rounds = |options: &Options| {
            let compiled = Compiled::lowered(&program, options, &[0, 1]).expect("lowers");
            (compiled.prediction(3, 1).expect("fits"), compiled)
        };
        let ((prediction, compiled), (by_products, _)) = (rounds(&garbled()[0]), rounds(&ways()[0]));
        let steps = compiled.schedule().bodies.iter().flat_map(|body| &body.steps);
        let circuits = steps.filter(|step| step.action.circuit().is_some()).count() as u64;
        // The circuits, the opening, and inputs, unless the parties that need them first have them.
        let most = 2 * circuits + 2;
        assert!((most - 1..=most).contains(&prediction.rounds), "{bits} bits, {lanes} lanes");
        assert!(by_products.rounds > prediction.rounds);
        // Tables, labels, and what is the same in either way.
        let labels = compiled.schedule().bodies.iter().flat_map(|body| &body.steps).filter_map(|step| {
            let (circuit, lanes) = step.action.circuit()?;
            Some(compiled.schedule().circuits[circuit].inputs.len() as u64 * lanes)
        });
        let tables = 32 * compiled.and_count() + 16 * labels.sum::<u64>();
        let sent: u64 = (0..3).map(|party| prediction.bytes_sent(party)).sum();
        let rest = u64::from(lanes * (4 * bits + 12)) / 8 + 40;
        assert!((tables..tables + rest).contains(&sent), "{sent} bytes for {tables}");
    }
}

#[test]
fn words_become_labels_and_labels_words() {
    let wide = Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd");
    for seed in 0..45 {
        let size = arbitrary::Size { bits: 9, ..arbitrary::Size::default() };
        let program = arbitrary::program(seed, &size);
        let inputs = arbitrary::inputs(&program, seed);
        let options = Options { domain: Domain::Arith, bits: Domain::Yao, ..ways()[seed as usize % 3] };
        agrees_in(&wider()[1], &program, &options, &inputs, (THREE, seed));
    }
    let program = compared(24, 5);
    let inputs = arbitrary::inputs(&program, 3);
    let options = Options { domain: Domain::Arith, bits: Domain::Yao, ..ways()[0] };
    let compiled = Compiled::lowered(&program, &options, &[0, 1]).expect("lowers");
    assert!(compiled.has_words());
    for parties in [THREE, (4, 1), (5, 2)] {
        agrees_in(&wide, &program, &options, &inputs, (parties, 1));
    }
    agrees_in(&Mersenne61, &program, &options, &inputs, (THREE, 2));
    let fits = compiled.prediction_in(&Gf256, THREE, LEAST_STATISTICAL_BITS);
    assert!(fits.is_ok(), "words that wrap need no room");
}

/// What a party receives in a garbled comparison of these two numbers in all lanes: of each message its kind and its bytes.
fn received(x: u128, y: u128, lanes: u32) -> [Vec<(MessageKind, Vec<u8>)>; 3] {
    let program = compared(4, lanes);
    let compiled = Compiled::lowered(&program, &garbled()[0], &[0, 1]).expect("lowers");
    let (mut simulation, tasks) = Simulation::new(&Gf256, 3, 1, 5);
    let seen: Rc<RefCell<[Vec<_>; 3]>> = Rc::default();
    let sees = seen.clone();
    simulation.tamper = Some(Box::new(move |_, to, message| {
        let ranges = wire::ranges(&message[4..], Widths::of(&BitOctets)).take_while(Result::is_ok).flatten();
        if usize::from(message[3]) == OCTETS {
            let ranges = ranges.map(|range| (range.range.kind, range.elements.to_vec()));
            sees.borrow_mut()[to].extend(ranges);
        }
    }));
    for task in &tasks {
        let words = |number: u128| vec![Words::from_u128s(4, &vec![number; lanes as usize])];
        let mine = [(0, x), (1, y)].map(|(me, number)| if task.me() == me { words(number) } else { vec![] });
        let outputs = compiled.write(task, &mine, &mut |_, _| Ok(())).expect("a program");
        drop(outputs);
    }
    simulation.run();
    assert!(simulation.error.is_none(), "{:?}", simulation.error);
    seen.take()
}

/// How many bits are ones, of how many.
fn ones(bits: impl Iterator<Item = bool>) -> (usize, usize) {
    bits.fold((0, 0), |(ones, all), bit| (ones + usize::from(bit), all + 1))
}

#[test]
fn what_parties_see_of_a_garbled_circuit_does_not_depend_on_its_inputs() {
    const LANES: u32 = 8192;
    for (x, y) in [(0, 0), (15, 15), (3, 5), (8, 1)] {
        let seen = received(x, y, LANES);
        let handed = |party: usize| {
            let labels = seen[party].iter().filter(|(kind, _)| *kind == MessageKind::Handed);
            labels.flat_map(|(_, bytes)| bytes.clone()).collect::<Vec<u8>>()
        };
        assert!((0..3).any(|party| !handed(party).is_empty()), "it is garbled");
        for (party, seen) in seen.iter().enumerate() {
            // Every label and every half of a table looks random, and none occurs twice.
            let handed = handed(party);
            let blocks: BTreeSet<_> = handed.chunks(16).collect();
            assert_eq!(blocks.len(), handed.len() / 16, "party {party} sees a label twice");
            // Bits of inputs and outputs are masked.
            let masked = seen.iter().filter(|(kind, _)| *kind != MessageKind::Handed);
            let masked: Vec<u8> = masked.flat_map(|(_, bytes)| bytes.clone()).collect();
            for bytes in [&handed, &masked].into_iter().filter(|bytes| !bytes.is_empty()) {
                for bit in 0..8 {
                    let (ones, all) = ones(bytes.iter().map(|byte| byte >> bit & 1 == 1));
                    let off = (2.0 * ones as f64 - all as f64).abs() / (all as f64).sqrt();
                    assert!(off < 6.0, "party {party} sees {ones} of {all} ones at bit {bit} of {x}, {y}");
                }
            }
            // Colours of one input's labels in all lanes.
            for colours in handed.chunks_exact(16 * LANES as usize) {
                let (ones, all) = ones(colours.chunks(16).map(|label| label[0] & 1 == 1));
                let off = (2.0 * ones as f64 - all as f64).abs() / (all as f64).sqrt();
                assert!(off < 6.0, "party {party} sees {ones} of {all} labels of one colour, of {x}, {y}");
            }
        }
    }
}

#[test]
fn no_seed_of_a_garbled_circuit_is_drawn_twice() {
    let program = compared(24, 3000);
    let inputs = arbitrary::inputs(&program, 1);
    let compiled = Compiled::lowered(&program, &garbled()[0], &[0, 0]).expect("lowers");
    recorder::start();
    let (mut simulation, tasks) = Simulation::new(&Gf256, 3, 1, 6);
    for task in &tasks {
        for _ in 0..2 {
            let mine = if task.me() == 0 { inputs.clone() } else { vec![Vec::new(); inputs.len()] };
            drop(compiled.write(task, &mine, &mut |_, _| Ok(())).expect("a program"));
        }
    }
    simulation.run();
    assert!(simulation.error.is_none(), "{:?}", simulation.error);
    let mut seeds = BTreeMap::new();
    for draw in recorder::take().into_iter().filter(|draw| draw.lane >> 32 == u64::from(Purpose::GARBLED.0)) {
        *seeds.entry((draw.me, draw.key, draw.first)).or_insert(0) += 1;
    }
    assert!(seeds.len() > 20, "{} seeds", seeds.len());
    assert!(seeds.values().all(|times| *times == 1), "a seed is drawn twice");
}
