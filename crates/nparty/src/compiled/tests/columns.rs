//! Columns that stay shared between programs.

use tacit_ir::Builder;

use tacit_math::field::BitOctets;

use super::*;
use crate::runtime::simulation::{computed_with, cost, taken};
use crate::runtime::wire::{MessageKind, Widths, ranges};

/// A program that gives its inputs as they are, for roles that receive everything.
fn unchanged(columns: &[(u32, u64)], roles: usize) -> Program {
    let mut program = Builder::new("unchanged");
    let roles: Vec<_> = (0..roles).map(|role| program.role(&format!("r{role}"))).collect();
    let mut main = program.template("main", vec![]);
    for (number, (bits, lanes)) in columns.iter().enumerate() {
        let element = Box::new(Shape::Integer { bits: *bits, signed: false });
        let shape = Shape::Array { length: *lanes as u32, element };
        let input = program.input(&format!("x{number}"), roles[0], shape.clone()).expect("a port");
        let output = program.output(&format!("y{number}"), roles.clone(), shape).expect("a port");
        let value = main.input(&program, input).expect("an input")[0];
        main.output(&program, output, &[value]).expect("an output");
    }
    program.finish(main).expect("a program")
}

/// What a party gives of a program's inputs.
fn given(program: &Program, inputs: &[Vec<Words>], roles: &[usize], me: usize) -> Vec<Vec<Words>> {
    let mine = |(port, words): (&tacit_ir::InputPort, &Vec<Words>)| {
        if roles[port.role.index()] == me { words.clone() } else { Vec::new() }
    };
    program.inputs.iter().zip(inputs).map(mine).collect()
}

/// Writes a program whose outputs stay shared, and then one that opens them to the first parties.
fn in_two_programs<F: Field>(
    task: &Task<F>,
    compiled: &Compiled,
    own: &[Vec<Words>],
    receivers: usize,
) -> Value<Gf256> {
    let columns = compiled.compute(task, own, &vec![Vec::new(); own.len()]).expect("computes");
    let types: Vec<_> = compiled.output_columns().collect();
    let parties: Vec<_> = (0..receivers).collect();
    let opening = Compiled::lowered(&unchanged(&types, receivers), &ways()[0], &parties).expect("fits");
    let opening = opening.with_shared_inputs(&(0..types.len()).collect::<Vec<_>>());
    let shared: Vec<_> = columns.into_iter().map(|column| vec![column]).collect();
    opening.opened(task, &shared).expect("opens")
}

fn opens_what_was_computed(security: Security, seed: u64, size: &arbitrary::Size) {
    let program = arbitrary::program(seed, size);
    let inputs = arbitrary::inputs(&program, seed);
    let expected = interpret(&program, &inputs, || 0).expect("runs");
    let (parties, threshold) = SIZES[seed as usize % SIZES.len()];
    let roles: Vec<_> = (0..program.roles.len()).map(|role| (role + seed as usize) % parties).collect();
    let compiled = Compiled::lowered(&program, &ways()[seed as usize % 3], &roles).expect("fits");
    let compiled = compiled.with_shared_outputs();
    let scheme = Scheme::new(Gf256, parties, threshold).expect("a scheme").with_security(security);
    let bits = computed_with(&scheme, seed, |task| {
        let own = given(&program, &inputs, &roles, task.me());
        Ok(in_two_programs(task, &compiled, &own, parties))
    });
    let expected = expected.iter().flatten().flat_map(Words::to_wires).collect::<Vec<_>>();
    assert!(bits == expected, "seed {seed}:\n{}", program.to_text());
}

#[test]
fn outputs_that_stay_shared_open_to_what_the_interpreter_computes() {
    let size = arbitrary::Size { bits: 9, ..arbitrary::Size::default() };
    (0..40).for_each(|seed| opens_what_was_computed(Security::Passive, seed, &size));
    (0..10).for_each(|seed| opens_what_was_computed(Security::Active, seed, &size));
    let lanes = arbitrary::Size { bits: 5, lanes: 90, ..arbitrary::Size::default() };
    (0..10).for_each(|seed| opens_what_was_computed(Security::Passive, seed, &lanes));
}

#[test]
fn nothing_is_sent_between_programs() {
    let size = arbitrary::Size { bits: 9, ..arbitrary::Size::default() };
    for seed in 0..15 {
        let mut program = arbitrary::program(seed, &size);
        let everyone: Vec<_> = (0..program.roles.len() as u32).map(RoleId).collect();
        program.outputs.iter_mut().for_each(|port| port.roles.clone_from(&everyone));
        let inputs = arbitrary::inputs(&program, seed);
        for parties in [(3, 1), (4, 1), (5, 2)] {
            let roles: Vec<_> = (0..program.roles.len()).collect();
            let compiled = Compiled::lowered(&program, &ways()[0], &roles).expect("fits");
            let whole = compiled.prediction(parties.0, parties.1).expect("fits");
            let kept = compiled.with_shared_outputs();
            let (_, sent) = cost(&Gf256, parties, |task| {
                let own = given(&program, &inputs, &roles, task.me());
                Ok(in_two_programs(task, &kept, &own, roles.len()))
            });
            let expected: u64 = (0..parties.0).map(|party| whole.bytes_sent(party)).sum();
            assert_eq!(sent as u64, expected, "seed {seed}, {parties:?}");
        }
    }
}

fn converts<F: Field>(field: &F, (parties, threshold): (usize, usize)) {
    let bits: Vec<u64> = (0..35u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) & 1).collect();
    let scheme = Scheme::new(field.clone(), parties, threshold).expect("a scheme");
    let back = computed_with(&scheme, 7, |task| {
        let mine = (task.me() == 1).then(|| bits.iter().map(|bit| field.element(*bit)).collect());
        let column = task.column_of_bits(&task.input(1, bits.len(), mine)?, 5)?;
        assert_eq!((column.len(), column.is_public()), (35, false));
        task.open(&task.bits_of_column(&column, 5)?)
    });
    assert_eq!(back, bits.iter().map(|bit| field.element(*bit)).collect::<Vec<_>>());
}

#[test]
fn bits_of_the_field_become_columns_and_come_back() {
    for size in SIZES {
        converts(&Mersenne61, size);
        converts(&Montgomery::<1>::new(&[65_537]).expect("odd"), size);
    }
    converts(&Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd"), (3, 1));
}

#[test]
fn words_lie_in_columns_wire_by_wire() {
    let words = Words::from_u128s(4, &[0b0001, 0b1010, 0b0111]);
    let lowest_first = words_of(&words);
    let opened = |task: &Task<Mersenne61>| {
        let field = Mersenne61;
        let mine = (task.me() == 0).then(|| lowest_first.iter().map(|bit| field.element(*bit)).collect());
        let column = task.column_of_bits(&task.input(0, 12, mine).expect("an input"), 4).expect("converts");
        let program = Compiled::lowered(&unchanged(&[(4, 3)], 1), &ways()[0], &[0]).expect("fits");
        program.with_shared_inputs(&[0]).opened(task, &[vec![column]]).expect("opens")
    };
    let (mut simulation, tasks) = Simulation::new(&Mersenne61, 3, 1, 2);
    let got: Vec<_> = tasks
        .iter()
        .map(|task| crate::runtime::simulation::read(task.bytes().expect("a field"), &opened(task)))
        .collect();
    simulation.run();
    assert_eq!(taken(&got[0]).expect("known"), words.to_wires());
}

/// The bits of words one after the other, the lowest first.
fn words_of(words: &Words) -> Vec<u64> {
    let bits = |lane| (0..words.bits()).map(move |bit| u64::from(words.bit(lane, bit)));
    (0..words.lanes()).flat_map(bits).collect()
}

#[test]
fn the_same_program_on_the_same_columns_sends_other_messages() {
    let program = two_products();
    let compiled = Compiled::lowered(&program, &ways()[0], &[0]).expect("fits");
    let compiled = compiled.with_shared_inputs(&[0, 1]).with_shared_outputs();
    for size in [(3, 1), (5, 2)] {
        let (mut simulation, tasks) = Simulation::new(&Gf256, size.0, size.1, 3);
        let columns: Vec<_> = tasks
            .iter()
            .map(|task| {
                let own = [if task.me() == 0 { vec![Words::from_u128s(8, &[0xa5; 64])] } else { vec![] }];
                let given = Compiled::lowered(&unchanged(&[(8, 64)], 1), &ways()[0], &[0]).expect("fits");
                let given = given.with_shared_outputs();
                [(); 2].map(|()| given.compute(task, &own, &[vec![]]).expect("an input"))
            })
            .collect();
        simulation.run();
        let mut run = || {
            let seen = Arc::new(Mutex::new(Vec::new()));
            let sink = seen.clone();
            simulation.tamper = Some(Box::new(move |from, _, message| {
                if from == 1 {
                    sink.lock().expect("sound").extend(summands(message));
                }
            }));
            for (task, columns) in tasks.iter().zip(&columns) {
                compiled.compute(task, &[vec![], vec![]], columns).expect("computes");
            }
            simulation.run();
            simulation.tamper = None;
            let seen = seen.lock().expect("sound");
            seen.clone()
        };
        let (first, second) = (run(), run());
        // Kings rotate, so this party may send less in one of them.
        assert!(first.len().min(second.len()) > 64, "{size:?}");
        let same = first.iter().zip(&second).filter(|(a, b)| a == b).count();
        assert!(2 * same < first.len().min(second.len()), "{size:?}: {same} bytes are the same");
    }
}

/// The elements of products in a message in GF(2^8) or among three.
fn summands(message: &[u8]) -> Vec<u8> {
    let widths = if message[3] == 3 { Widths::of(&BitOctets) } else { Widths::of(&Gf256) };
    let ranges = ranges(&message[4..], widths).map(|range| range.expect("well-formed"));
    let products = ranges.filter(|arrived| {
        matches!(arrived.range.kind, MessageKind::Replicated | MessageKind::ToKing | MessageKind::FromKing)
    });
    products.flat_map(|arrived| arrived.elements.to_vec()).collect()
}

/// The product of two columns of 64 words of 8 bits.
fn two_products() -> Program {
    let mut program = Builder::new("product");
    let role = program.role("r");
    let element = Box::new(Shape::Integer { bits: 8, signed: false });
    let shape = Shape::Array { length: 64, element };
    let [x, y] = ["x", "y"].map(|name| program.input(name, role, shape.clone()).expect("a port"));
    let z = program.output("z", vec![role], shape).expect("a port");
    let mut main = program.template("main", vec![]);
    let [x, y] = [x, y].map(|port| main.input(&program, port).expect("an input")[0]);
    let product = main.mul(x, y).expect("a product");
    main.output(&program, z, &[product]).expect("an output");
    program.finish(main).expect("a program")
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    let compiled = Compiled::lowered(&two_products(), &ways()[0], &[0]).expect("fits");
    let compiled = compiled.with_shared_inputs(&[0, 1]);
    let (_, tasks) = Simulation::new(&Mersenne61, 3, 1, 1);
    let task = &tasks[0];
    let column =
        |bits: usize| vec![task.column_of_bits(&task.random_bits(bits).expect("bits"), 8).expect("converts")];
    let short = compiled.compute(task, &[vec![], vec![]], &[column(512), column(504)]);
    assert!(matches!(short, Err(CompiledError::Input { mine: true, .. })));
    let received = compiled.compute(task, &[vec![], vec![]], &[column(512), column(512)]);
    assert!(matches!(received, Err(CompiledError::OtherSchedule)), "its outputs are for somebody");
}
