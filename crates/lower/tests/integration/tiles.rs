//! Long vectors in tiles: the same results in less memory, for any number of rows.

use tacit_arbitrary as arbitrary;
use tacit_ir::{Builder, Domain, Index, Program, Shape, TemplateBuilder, ValueId, Words, interpret};
use tacit_lower::{Options, lower};
use tacit_schedule::{Action, Layout, Schedule, evaluate_clear};

/// Tiles of so many labels.
fn tiles(labels: u64) -> Options {
    Options { tile_labels: labels, effort: 0, ..Options::default() }
}

fn integers(bits: u32, lanes: u64) -> Shape {
    Shape::Array { length: lanes as u32, element: Shape::Integer { bits, signed: false }.into() }
}

/// A program that applies `compute` to `x` of A and `y` of B, each with `lanes` lanes of 32 bits.
fn program(
    [x, y]: [u64; 2],
    (bits, lanes): (u32, u64),
    compute: impl FnOnce(&mut TemplateBuilder, ValueId, ValueId) -> ValueId,
) -> Program {
    let mut builder = Builder::new("tiles");
    let [a, b] = ["A", "B"].map(|role| builder.role(role));
    let x = builder.input("x", a, integers(32, x)).unwrap();
    let y = builder.input("y", b, integers(32, y)).unwrap();
    let output = builder.output("z", vec![a, b], integers(bits, lanes)).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y] = [x, y].map(|port| main.input(&builder, port).unwrap()[0]);
    let z = compute(&mut main, x, y);
    main.output(&builder, output, &[z]).unwrap();
    builder.finish(main).unwrap()
}

/// The sum of all sums of two numbers, widened.
fn sum(lanes: u64) -> Program {
    program([lanes; 2], (48, 1), |main, x, y| {
        let [x, y] = [x, y].map(|value| main.zero_extend(value, 48).unwrap());
        let both = main.add(x, y).unwrap();
        main.segment_sum(both, lanes).unwrap()
    })
}

/// For each pair, whether its two numbers are equal.
fn pairs(main: &mut TemplateBuilder, (x, y): (ValueId, ValueId), (rows, columns): (u64, u64)) -> ValueId {
    let x = main.gather(x, Index::Repeat { each: columns as u32, tiles: 1 }).unwrap();
    let y = main.gather(y, Index::Repeat { each: 1, tiles: rows as u32 }).unwrap();
    main.eq(x, y).unwrap()
}

/// Positions `first..first + count` of each of `rows` rows.
fn slice(rows: u64, width: u64, first: u64, count: u64) -> Index {
    Index::List(
        (0..rows).flat_map(|row| (first..first + count).map(move |at| (row * width + at) as u32)).collect(),
    )
}

/// For each `x`, whether some `y` equals it, by halving the row; with odd rows, the rest is joined.
fn any(rows: u64, columns: u64) -> Program {
    program([rows, columns], (1, rows), |main, x, y| {
        let (mut found, mut width) = (pairs(main, (x, y), (rows, columns)), columns);
        while width > 1 {
            let half = width / 2;
            let low = main.gather(found, slice(rows, width, 0, half)).unwrap();
            let high = main.gather(found, slice(rows, width, half, half)).unwrap();
            let odd = main.gather(found, slice(rows, width, width - 1, 1)).unwrap();
            (found, width) = (main.or(low, high).unwrap(), width.div_ceil(2));
            if width > half {
                let joined = main.join(&[found, odd]).unwrap();
                let at = |row: u64| (0..half).map(move |at| row * half + at).chain([rows * half + row]);
                let order = (0..rows).flat_map(at).map(|at| at as u32).collect();
                found = main.gather(joined, Index::List(order)).unwrap();
            }
        }
        found
    })
}

fn same(program: &Program, options: &Options) -> Schedule {
    let schedule = lower(program, options).unwrap();
    assert_eq!(schedule.validate(), Ok(()));
    let inputs = arbitrary::inputs(program, 7);
    let expected = interpret(program, &inputs, || 0).unwrap();
    assert!(evaluate_clear(&schedule, &inputs, || 0).unwrap() == expected, "{}", program.to_text());
    schedule
}

fn is_tiled(schedule: &Schedule) -> bool {
    schedule.bodies.iter().any(|body| body.name.starts_with("tile of"))
}

fn labels(schedule: &Schedule) -> u64 {
    Layout::new(schedule).bodies[schedule.main].peak_labels
}

/// Steps of `main` that take or give columns.
fn parts(schedule: &Schedule) -> [usize; 2] {
    let steps = || schedule.bodies[schedule.main].steps.iter().map(|step| &step.action);
    let inputs = steps().filter(|action| matches!(action, Action::Input { .. })).count();
    [inputs, steps().filter(|action| matches!(action, Action::Output { .. })).count()]
}

#[test]
fn sums_hold_a_tile_of_their_summands() {
    for lanes in [64, 1000, 1024, 1027] {
        let program = sum(lanes);
        let whole = same(&program, &Options { effort: 0, ..Options::default() });
        let tiled = same(&program, &tiles(1 << 10));
        // 16 lanes of 48 bits fit, and inputs come in the same tiles.
        let count = lanes.div_ceil(16) as usize;
        match lanes {
            64 => assert!(!is_tiled(&tiled)),
            _ => {
                assert!(is_tiled(&tiled) && parts(&tiled) == [2 * count, 1], "{:?}", parts(&tiled));
                assert!(labels(&tiled) < labels(&whole) / 8, "{} of {}", labels(&tiled), labels(&whole));
                assert!(tiled.and_count() <= whole.and_count() * 11 / 10);
            }
        }
    }
}

#[test]
fn values_are_given_as_they_are_made() {
    for lanes in [512, 999] {
        let program = program([lanes; 2], (32, lanes), |main, x, y| {
            let product = main.mul(x, y).unwrap();
            let two = main.constant(Words::from_u128s(32, &vec![2; lanes as usize])).unwrap();
            let some: Vec<u128> = (0..u128::from(lanes)).collect();
            let some = main.constant(Words::from_u128s(32, &some)).unwrap();
            let doubled = main.mul(product, two).unwrap();
            main.add(doubled, some).unwrap()
        });
        let tiled = same(&program, &tiles(1 << 10));
        let count = lanes.div_ceil(32) as usize;
        assert_eq!(parts(&tiled), [2 * count, count]);
    }
}

#[test]
fn pairs_are_compared_row_by_row() {
    for (rows, columns) in [(60, 50), (64, 33), (17, 100)] {
        let tiled = same(&any(rows, columns), &tiles(32 * 4 * columns));
        assert!(is_tiled(&tiled), "{rows} x {columns}");
        // There are few numbers, so they are taken whole.
        assert_eq!(parts(&tiled), [2, 1]);
        assert!(labels(&tiled) < 32 * 16 * columns, "{} labels", labels(&tiled));
        let counted = program([rows, columns], (16, rows), |main, x, y| {
            let equal = pairs(main, (x, y), (rows, columns));
            let wide = main.zero_extend(equal, 16).unwrap();
            main.segment_sum(wide, columns).unwrap()
        });
        assert!(is_tiled(&same(&counted, &tiles(32 * 4 * columns))));
        let listed =
            program([rows, columns], (1, rows * columns), |main, x, y| pairs(main, (x, y), (rows, columns)));
        assert!(is_tiled(&same(&listed, &tiles(32 * 4 * columns))));
    }
}

#[test]
fn what_is_read_again_stays_whole() {
    let program = program([500; 2], (48, 500), |main, x, y| {
        let [x, y] = [x, y].map(|value| main.zero_extend(value, 48).unwrap());
        let both = main.add(x, y).unwrap();
        let total = main.segment_sum(both, 500).unwrap();
        let totals = main.gather(total, Index::Range { start: 0, step: 0, count: 500 }).unwrap();
        let less = main.sub(both, totals).unwrap();
        main.mul(less, x).unwrap()
    });
    assert!(is_tiled(&same(&program, &tiles(1 << 10))));
}

#[test]
fn only_garbled_values_come_in_tiles() {
    let program = sum(1000);
    for domain in Domain::ALL.iter().copied() {
        let schedule = lower(&program, &Options { domain, ..tiles(1 << 10) }).unwrap();
        assert_eq!(is_tiled(&schedule), domain == Domain::Yao, "{domain:?}");
    }
    assert!(!is_tiled(&lower(&program, &Options::default()).unwrap()));
}

#[test]
fn random_programs_mean_the_same_in_tiles() {
    let mut tiled = 0;
    for (bits, lanes, seeds) in [(5, 90, 0..600), (33, 40, 0..300), (1, 200, 0..300)] {
        let size = arbitrary::Size { bits, lanes, ..arbitrary::Size::default() };
        for seed in seeds {
            let program = arbitrary::program(seed, &size);
            for labels in [1, 12, 70] {
                for vector_lanes in [2, 16] {
                    let schedule = same(&program, &Options { vector_lanes, ..tiles(labels) });
                    tiled += usize::from(is_tiled(&schedule));
                }
            }
        }
    }
    assert!(tiled > 500, "only {tiled} programs have tiles");
}

#[test]
fn columns_of_a_table_are_chosen_by_rows() {
    let program = program([300, 100], (32, 100), |main, x, y| {
        let column = main.gather(x, Index::Range { start: 1, step: 3, count: 100 }).unwrap();
        main.mul(column, y).unwrap()
    });
    assert!(is_tiled(&same(&program, &tiles(200))));
}
