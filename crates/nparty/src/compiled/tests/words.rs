//! Compares programs with words in a prime field or modulo 2^64, and mixed ones, with the interpreter.

use tacit_math::field::{GaloisRing, Mersenne61, Montgomery};

use super::*;
use crate::runtime::simulation::LARGER_SIZES;
use crate::runtime::{LEAST_STATISTICAL_BITS, opening_recorder};

/// 2^127 - 1.
fn wide() -> Montgomery<2> {
    Montgomery::new(&[u64::MAX, u64::MAX >> 1]).expect("odd")
}

/// 2^255 - 19 and 2^512 - 569: large enough for words of 64 and of 128 bits.
pub(super) fn wider() -> [Montgomery<8>; 2] {
    let top = u64::MAX;
    [
        Montgomery::new(&[top - 18, top, top, top >> 1, 0, 0, 0, 0]).expect("odd"),
        Montgomery::new(&[top - 568, top, top, top, top, top, top, top]).expect("odd"),
    ]
}

/// The outputs of the first party, opened to all parties; checks that what is sent was predicted.
fn computed_in<F: Field>(
    field: &F,
    (program, compiled): (&Program, &Compiled),
    roles: &[usize],
    inputs: &[Vec<Words>],
    ((parties, threshold), seed): ((usize, usize), u64),
) -> Vec<Vec<Vec<Words>>> {
    let (mut simulation, tasks) = Simulation::new(field, parties, threshold, seed);
    type Read<E> = Arc<Mutex<Option<Vec<E>>>>;
    let begin = |task: &Task<F>| {
        let mine = |(port, words): (&tacit_ir::InputPort, &Vec<Words>)| match roles[port.role.index()] {
            party if party == task.me() => words.clone(),
            _ => Vec::new(),
        };
        let mine: Vec<_> = program.inputs.iter().zip(inputs).map(mine).collect();
        let outputs = compiled.write(task, &mine, &mut |_, _| Ok(())).expect("a program");
        let (own, bytes) = (Read::<F::Element>::default(), Read::<u8>::default());
        let (slot, slot_of_bytes) = (own.clone(), bytes.clone());
        if let (Some(opened), _) = outputs.opened() {
            let reply = move |result: Result<_, RunError>| *slot.lock().expect("sound") = result.ok();
            task.read(opened, reply).expect("public");
        }
        let reply = move |result: Result<_, RunError>| *slot_of_bytes.lock().expect("sound") = result.ok();
        task.bytes().expect("a field").read(outputs.opened().1, reply).expect("public");
        task.synchronise().expect("alive");
        (outputs, own, bytes)
    };
    let begun: Vec<_> = tasks.iter().map(begin).collect();
    simulation.run();
    assert!(simulation.error.is_none(), "seed {seed}: {:?}", simulation.error);
    let end = |(outputs, own, bytes): (Outputs<F>, Read<F::Element>, Read<u8>)| {
        let own = own.lock().expect("sound").take().unwrap_or_default();
        let bytes = bytes.lock().expect("sound").take().expect("a result");
        outputs.words(field, &own, &bytes).expect("words")
    };
    let results = begun.into_iter().map(end).collect();
    let predicted = compiled.prediction_in(field, (parties, threshold), LEAST_STATISTICAL_BITS);
    let predicted = predicted.expect("fits");
    for (me, task) in tasks.iter().enumerate() {
        for (peer, measured) in task.payload().iter().enumerate() {
            let expected = (predicted.sent[me][peer], predicted.sent[peer][me]);
            assert_eq!((measured.sent, measured.received), expected, "seed {seed}, party {me} and {peer}");
        }
    }
    results
}

/// Runs a program and compares it with the interpreter.
pub(super) fn agrees_in<F: Field>(
    field: &F,
    program: &Program,
    options: &Options,
    inputs: &[Vec<Words>],
    (parties, seed): ((usize, usize), u64),
) {
    let expected = interpret(program, inputs, || 0).expect("runs");
    let roles: Vec<_> = (0..program.roles.len()).map(|role| (role + seed as usize) % parties.0).collect();
    let compiled = Compiled::lowered(program, options, &roles).expect("lowers");
    let results = computed_in(field, (program, &compiled), &roles, inputs, (parties, seed));
    for (me, result) in results.iter().enumerate() {
        for ((port, expected), given) in program.outputs.iter().zip(&expected).zip(result) {
            let receives = port.roles.iter().any(|role| roles[role.index()] == me);
            let expected = if receives { &expected[..] } else { &[] };
            assert!(
                given == expected,
                "seed {seed}, party {me} of {parties:?}, {options:?}: {given:?}\n{}",
                program.to_text()
            );
        }
    }
}

/// Runs a random program with pins in this field, or in the largest field if this one has no room. Returns
/// whether it had room.
fn random_agrees<F: Field>(field: &F, seed: u64, size: &arbitrary::Size, domain: Domain) -> bool {
    random_agrees_among(SIZES[seed as usize % 5], field, seed, (size, domain))
}

fn random_agrees_among<F: Field>(
    parties: (usize, usize),
    field: &F,
    seed: u64,
    (size, domain): (&arbitrary::Size, Domain),
) -> bool {
    let program = arbitrary::program(seed, size);
    let inputs = arbitrary::inputs(&program, seed);
    let options = Options { domain, ..ways()[seed as usize % 3] };
    let roles = vec![0; program.roles.len()];
    let compiled = Compiled::lowered(&program, &options, &roles).expect("lowers");
    match compiled.prediction_in(field, parties, LEAST_STATISTICAL_BITS) {
        Err(CompiledError::Room { .. }) => {
            agrees_in(&wider()[1], &program, &options, &inputs, (parties, seed));
            false
        }
        _ => {
            agrees_in(field, &program, &options, &inputs, (parties, seed));
            true
        }
    }
}

#[test]
fn random_mixed_programs_agree_with_the_interpreter() {
    let size = arbitrary::Size { bits: 30, pins: true, ..arbitrary::Size::default() };
    let domain = |seed: u64| [Domain::Bool, Domain::Arith][seed as usize / 3 % 2];
    let had_room = (0..60).filter(|seed| random_agrees(&wide(), *seed, &size, domain(*seed))).count();
    assert!(had_room > 30, "only {had_room} programs fit");
}

#[test]
fn mixed_programs_with_many_lanes_agree() {
    let size = arbitrary::Size { bits: 12, lanes: 90, pins: true, ..arbitrary::Size::default() };
    let had_room = (0..20).filter(|seed| random_agrees(&wide(), *seed, &size, Domain::Arith)).count();
    assert!(had_room > 10, "only {had_room} programs fit");
    for (seed, parties) in (20..).zip(LARGER_SIZES) {
        random_agrees_among(parties, &wide(), seed, (&size, Domain::Arith));
    }
}

#[test]
fn wide_words_agree_in_large_fields() {
    let size = arbitrary::Size { bits: 64, pins: true, ..arbitrary::Size::default() };
    for seed in 0..6 {
        random_agrees(&wider()[0], seed, &size, Domain::Arith);
    }
    let size = arbitrary::Size { bits: 128, pins: true, ..arbitrary::Size::default() };
    (0..6).for_each(|seed| assert!(random_agrees(&wider()[1], seed, &size, Domain::Arith)));
}

#[test]
#[ignore = "minutes"]
fn thousands_of_random_mixed_programs_agree() {
    let size = arbitrary::Size { bits: 30, pins: true, ..arbitrary::Size::default() };
    for seed in 1000..3000 {
        random_agrees(&wide(), seed, &size, [Domain::Bool, Domain::Arith][seed as usize / 3 % 2]);
    }
}

/// A program on vectors of two roles, all of whose words are in the prime field.
pub(super) fn on_vectors(
    (bits, lanes): (u32, u64),
    results: u64,
    compute: impl Fn(&mut tacit_ir::TemplateBuilder, tacit_ir::ValueId, tacit_ir::ValueId) -> tacit_ir::ValueId,
) -> Program {
    let mut program = Builder::new("vectors");
    let [a, b] = ["A", "B"].map(|role| program.role(role));
    let vector = |lanes| Shape::Array {
        element: Box::new(Shape::Integer { bits, signed: false }),
        length: lanes as u32,
    };
    let x = program.input("x", a, vector(lanes)).expect("an input");
    let y = program.input("y", b, vector(lanes)).expect("an input");
    let z = program.output("z", vec![a, b], vector(results)).expect("an output");
    let mut main = program.template("main", vec![]);
    let (x, y) = (main.input(&program, x).expect("x")[0], main.input(&program, y).expect("y")[0]);
    let result = compute(&mut main, x, y);
    main.output(&program, z, &[result]).expect("an output");
    program.finish(main).expect("a program")
}

/// Words at both ends of their range, and others.
fn ends(bits: u32, lanes: u64, seed: u128) -> Words {
    let most = u128::MAX >> (128 - bits);
    let word = |lane: u64| match lane % 4 {
        0 => most,
        1 => 1 << (bits - 1),
        2 => most ^ 1,
        _ => (seed + u128::from(lane)).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) & most,
    };
    Words::from_u128s(bits, &(0..lanes).map(word).collect::<Vec<_>>())
}

fn summed() -> Options {
    Options { domain: Domain::Arith, effort: 0, ..Compiled::bit_options() }
}

#[test]
fn words_wrap_around_however_often_they_are_multiplied() {
    for (bits, size) in [(8, (3, 1)), (32, (3, 1)), (32, (4, 1)), (31, (5, 2)), (32, (7, 3))] {
        let program = on_vectors((bits, 6), 6, |main, x, y| {
            let mut power = x;
            for _ in 0..5 {
                let product = main.mul(power, y).expect("a product");
                let square = main.mul(product, product).expect("a square");
                power = main.sub(square, x).expect("a difference");
            }
            power
        });
        let inputs = [vec![ends(bits, 6, 1)], vec![ends(bits, 6, 5)]];
        agrees_in(&wide(), &program, &summed(), &inputs, (size, u64::from(bits)));
    }
}

#[test]
fn products_of_matrices_agree() {
    for size in [(3, 1), (4, 1), (5, 2)] {
        let product = |main: &mut tacit_ir::TemplateBuilder, x, y| {
            main.matrix_product(x, y, 2, 3, 4, 3).expect("a product of matrices")
        };
        let program = on_vectors((32, 24), 18, product);
        let inputs = [vec![ends(32, 24, 1)], vec![ends(32, 24, 5)]];
        agrees_in(&wide(), &program, &summed(), &inputs, (size, 1));
        let compiled = Compiled::lowered(&program, &summed(), &[0, 1]).expect("fits");
        let sent = compiled.prediction_in(&wide(), size, LEAST_STATISTICAL_BITS).expect("fits").sent;
        let total: u64 = sent.iter().flatten().sum();
        // Inputs; a product, whatever its length; and outputs for two parties, each of whom gets the shares of t others.
        let expected = match size {
            (3, 1) => 8 * (2 * 24 + 3 * 18 + 2 * 18),
            (4, 1) => 16 * (2 * 3 * 24 + 4 * 18 + 2 * 18),
            // Sharings are dealt in blocks.
            _ => continue,
        };
        assert_eq!(total, expected, "{size:?}");
    }
}

#[test]
fn products_of_words_send_less_than_their_bits() {
    let program = on_vectors((32, 500), 500, |main, x, y| main.mul(x, y).expect("a product"));
    let sent = |options: &Options, size| {
        let compiled = Compiled::lowered(&program, options, &[0, 1]).expect("fits");
        let predicted = compiled.prediction_in(&wide(), size, LEAST_STATISTICAL_BITS).expect("fits");
        (predicted.rounds, predicted.sent.iter().flatten().sum::<u64>())
    };
    let bits = Options { effort: 0, ..Compiled::bit_options() };
    for (size, expected) in [((3, 1), (3, 500 * 8 * (2 + 3 + 2))), ((4, 1), (4, 500 * 16 * (2 * 3 + 4 + 2)))]
    {
        let ((rounds, words), (rounds_of_bits, bits)) = (sent(&summed(), size), sent(&bits, size));
        assert_eq!((rounds, words), expected, "{size:?}");
        assert!(words < bits && rounds < rounds_of_bits, "{words} bytes and not {bits}");
    }
}

#[test]
fn sums_of_products_send_as_much_as_one_product() {
    // A sum that is read alone, of products or squares; and products that are read a second time.
    let program = |which: usize| {
        on_vectors((16, 40), 10, |main, x, y| {
            let product = main.mul(x, [y, x, y][which]).expect("a product");
            let sum = main.segment_sum(product, 4).expect("a sum");
            match which {
                2 => {
                    let other = main.segment_sum(product, 4).expect("another sum");
                    main.mul(sum, other).expect("a product")
                }
                _ => sum,
            }
        })
    };
    let inputs = [vec![ends(16, 40, 1)], vec![ends(16, 40, 5)]];
    for (which, saved) in [(0, 30), (1, 30), (2, 0)] {
        let program = program(which);
        for (size, bytes) in [((3, 1), 3 * 8), ((4, 1), 4 * 16), ((5, 2), 0)] {
            agrees_in(&wide(), &program, &summed(), &inputs, (size, 1));
            let sent = |inner_products| {
                let options = Options { inner_products, ..summed() };
                let compiled = Compiled::lowered(&program, &options, &[0, 1]).expect("fits");
                let sent = compiled.prediction_in(&wide(), size, LEAST_STATISTICAL_BITS).expect("fits").sent;
                sent.iter().flatten().sum::<u64>()
            };
            // Sharings among five are dealt in blocks.
            assert!(size.0 == 5 || sent(false) - sent(true) == saved * bytes, "{which}, {size:?}");
        }
    }
}

#[test]
fn conversions_keep_words() {
    // Comparison and selection on bits, products on words; few and many lanes.
    for (lanes, size) in [(3, (3, 1)), (40, (3, 1)), (40, (5, 2)), (70, (4, 1))] {
        for bits in [1, 5, 16, 32] {
            let program = on_vectors((bits, lanes), lanes, |main, x, y| {
                let product = main.mul(x, y).expect("a product");
                let less = main.lt_u(product, x).expect("a comparison");
                let chosen = main.select(less, product, y).expect("a choice");
                let back = main.pin(Domain::Arith, chosen).expect("a pin");
                main.mul(back, product).expect("a product")
            });
            let inputs = [vec![ends(bits, lanes, 1)], vec![ends(bits, lanes, 5)]];
            agrees_in(&wide(), &program, &summed(), &inputs, (size, lanes));
        }
    }
}

#[test]
fn words_without_room_are_refused() {
    let product = |bits| on_vectors((bits, 4), 4, |main, x, y| main.mul(x, y).expect("a product"));
    let compiled = |bits| Compiled::lowered(&product(bits), &summed(), &[0, 1]).expect("lowers");
    let room = |error: Option<CompiledError>| match error {
        Some(CompiledError::Room { bits, needed, has }) => (bits, needed, has),
        other => panic!("{other:?}"),
    };
    let sizes = ((4, 1), LEAST_STATISTICAL_BITS);
    let refused = compiled(32).prediction_in(&Mersenne61, sizes.0, sizes.1).err();
    assert_eq!(room(refused), (32, 32 + 2 + 2 + 40 + 2 + 3, 61));
    assert_eq!(room(compiled(32).prediction(4, 1).err()).2, 9);
    let refused = compiled(41).prediction_in(&wide(), sizes.0, sizes.1).err();
    assert_eq!(room(refused), (41, 129, 127));
    assert!(compiled(40).prediction_in(&wide(), sizes.0, sizes.1).is_ok());
    // Smaller fields have room for narrow words.
    assert!(compiled(6).prediction_in(&Mersenne61, sizes.0, sizes.1).is_ok());
    let (_, tasks) = Simulation::new(&Mersenne61, 4, 1, 1);
    assert!(matches!(compiled(32).plan(&tasks[0]).err(), Some(CompiledError::Room { .. })));
    assert!(compiled(6).plan(&tasks[0]).is_ok());
    // Among three parties, words of up to 64 bits need no prime field.
    assert!(compiled(64).prediction(3, 1).is_ok());
    assert_eq!(room(compiled(65).prediction_in(&wide(), (3, 1), sizes.1).err()).2, 127);
}

/// Sums, products, selections and comparisons of words of this many bits, and conversions both ways, including
/// single bits.
fn everything(bits: u32, lanes: u64) -> Program {
    on_vectors((bits, lanes), lanes, |main, x, y| {
        let product = main.mul(x, y).expect("a product");
        let difference = main.sub(product, x).expect("a difference");
        let less = main.lt_u(difference, y).expect("a comparison");
        let flag = main.zero_extend(less, bits).expect("wider");
        let flag = main.pin(Domain::Arith, flag).expect("a pin");
        let signed = main.sign_extend(less, bits).expect("wider");
        let signed = main.pin(Domain::Arith, signed).expect("a pin");
        let scaled = main.mul(flag, product).expect("a product");
        let back = main.select(less, difference, y).expect("a choice");
        let back = main.pin(Domain::Arith, back).expect("a pin");
        let sum = main.add(scaled, signed).expect("a sum");
        main.mul(sum, back).expect("a product")
    })
}

#[test]
fn words_of_every_width_among_three_agree_whatever_the_field() {
    for bits in 1..=64 {
        let lanes = [1, 3, 8, 70][bits as usize % 4];
        let inputs = [vec![ends(bits, lanes, 1)], vec![ends(bits, lanes, 5)]];
        agrees_in(&Gf256, &everything(bits, lanes), &summed(), &inputs, ((3, 1), u64::from(bits)));
    }
}

#[test]
fn bits_above_a_word_never_leave() {
    // Products and sums of 8 bits, whose numbers are far longer.
    let program = on_vectors((8, 50), 50, |main, x, y| {
        let product = main.mul(x, y).expect("a product");
        main.mul(product, product).expect("a product")
    });
    opening_recorder::start();
    let inputs = [vec![ends(8, 50, 1)], vec![ends(8, 50, 5)]];
    agrees_in(&Gf256, &program, &summed(), &inputs, ((3, 1), 1));
    let mut opened = opening_recorder::take();
    opened.retain(|opening| opening.field == format!("{GaloisRing:?}"));
    let numbers: Vec<_> = opened.iter().flat_map(|opening| &opening.numbers).collect();
    assert_eq!(numbers.len(), 2 * 50, "at both receivers");
    assert!(numbers.iter().all(|number| *number % (1 << 56) == 0), "{numbers:x?}");
}

#[test]
pub(super) fn wider_words_among_three_are_in_the_prime_field() {
    for bits in [65, 100, 128] {
        let inputs = [vec![ends(bits, 5, 1)], vec![ends(bits, 5, 5)]];
        agrees_in(&wider()[1], &everything(bits, 5), &summed(), &inputs, ((3, 1), u64::from(bits)));
    }
}

#[test]
fn random_programs_with_words_among_three_agree() {
    for (bits, lanes) in [(30, 3), (64, 9), (12, 90)] {
        let size = arbitrary::Size { bits, lanes, pins: true, ..arbitrary::Size::default() };
        let agrees = |seed: &u64| {
            let program = arbitrary::program(*seed, &size);
            let inputs = arbitrary::inputs(&program, *seed);
            let direct_minima = seed.is_multiple_of(2);
            let options = Options { domain: Domain::Arith, direct_minima, ..ways()[*seed as usize % 3] };
            let compiled = Compiled::lowered(&program, &options, &vec![0; program.roles.len()]);
            // Programs with wider words are for a prime field.
            let fits = !matches!(compiled.expect("lowers").prediction(3, 1), Err(CompiledError::Room { .. }));
            if fits {
                agrees_in(&Gf256, &program, &options, &inputs, ((3, 1), *seed));
            }
            fits
        };
        let agreed = (0..30).filter(agrees).count();
        assert!(agreed > 8, "only {agreed} of {bits} bits fit");
    }
}

#[test]
fn reports_tell_what_ran_in_each_domain() {
    let program = on_vectors((16, 5), 5, |main, x, y| {
        let product = main.mul(x, y).expect("a product");
        let less = main.lt_u(product, x).expect("a comparison");
        let chosen = main.select(less, product, y).expect("a choice");
        main.pin(Domain::Arith, chosen).expect("a pin")
    });
    let (_, tasks) = Simulation::new(&wide(), 3, 1, 1);
    let compiled = Compiled::lowered(&program, &summed(), &[0, 1]).expect("fits");
    let plan = compiled.plan(&tasks[1]).expect("fits");
    let traffic = [5, 0, 7].map(|sent| crate::runtime::PeerTraffic { sent, received: 2 * sent });
    let report = compiled.report((&plan, &program, None), (1, tasks[1].names()), (1, &traffic));
    let report = report.expect("a report");
    let [words, bits] = &report.domains[..] else { panic!("{:?}", report.domains) };
    assert_eq!((&words.domain[..], words.and_count, words.product_count), ("arith", 0, 5));
    assert_eq!((&bits.domain[..], bits.and_count), ("bool", report.work.and_count));
    assert!(words.converted_words >= 5 && bits.converted_words >= 10 && bits.and_count > 0);
    let domains = |kind: &str| {
        let found = report.operations.iter().find(|one| one.operation.kind == kind);
        found.map(|one| one.domain.clone()).expect("it is there")
    };
    assert_eq!((&domains("mul")[..], &domains("select")[..]), ("arith", "bool"));
    assert_eq!(report.work.input_bits, [("p1".into(), 80), ("p2".into(), 80)].into());
    assert_eq!(report.work.output_bits, 80);
    // The same schedule in another field is another plan.
    let (_, others) = Simulation::new(&wider()[0], 3, 1, 1);
    assert_ne!(plan.hash(), compiled.plan(&others[1]).expect("fits").hash());
}
