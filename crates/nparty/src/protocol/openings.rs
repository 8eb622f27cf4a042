//! Tests what openings reveal about operands at the ends of the permitted ranges.
//!
//! A party sees opened elements, and knows all parts of a mask except that of the one set that it is not in. The rest, without the known parts, must reveal
//! nothing about the operand: for an operand of B bits, it must be uniform over B + κ bits, for statistical security κ.

use tacit_math::field::{Field, Gf256, Mersenne61, Montgomery};

use crate::error::RunError;
use crate::parties::Parties;
use crate::program::{Task, Value};
use crate::protocol::divide::Fixed;
use crate::protocol::words::WordSize;
use crate::prss::Purpose;
use crate::prss::tests::ends;
use crate::recorder;
use crate::runtime::opening_recorder;
use crate::runtime::simulation::{Simulation, input};

/// How an opening is hidden.
#[derive(Clone, Copy, Debug)]
enum Hidden {
    /// Numbers of this many bits, by a mask whose `low` last bits are shared, and whose other bits are sums over sets of parties.
    Within { bits: usize, low: usize },
    /// The same, where the last bits are also sums over sets of parties.
    Summed { bits: usize, low: usize },
    /// By a mask as large as the field.
    Whole,
    /// By other means, which other tests check.
    Otherwise,
}

use Hidden::{Otherwise, Summed, Whole, Within};

/// An operation on two vectors.
type Program<'a, F> = &'a dyn Fn(&Task<F>, &Value<F>, &Value<F>) -> Result<(), RunError>;

/// Three parties, threshold 1: every set except one contains the party whose view is tested.
const SIZE: (usize, usize) = (3, 1);

/// 2^127 - 1.
fn wide() -> Montgomery<2> {
    Montgomery::new(&[u64::MAX, u64::MAX >> 1]).expect("odd")
}

/// Runs an operation on the same operands in all lanes, `runs` times with `lanes` each. Returns for each of its openings the opened elements less the mask's
/// parts that the first party knows.
fn seen<F: Field>(
    field: &F,
    statistical_bits: usize,
    (runs, lanes): (usize, usize),
    (a, b): (i64, i64),
    (program, openings): (Program<'_, F>, &[Hidden]),
) -> Vec<Vec<u128>> {
    let (mut simulation, tasks) = Simulation::secured(field, SIZE, statistical_bits, 9);
    recorder::start();
    opening_recorder::start();
    for task in &tasks {
        let (a, b) = (input(task, 0, &vec![a; lanes]), input(task, 1, &vec![b; lanes]));
        (0..runs).for_each(|_| program(task, &a, &b).expect("a program"));
    }
    simulation.run();
    assert!(simulation.error.is_none(), "{:?}", simulation.error);
    let (drawn, mut opened, name) = (recorder::take(), opening_recorder::take(), format!("{field:?}"));
    opened.retain(|opening| opening.me == 0 && opening.field == name);
    opened.sort_by_key(|opening| opening.first);
    let mut opened: Vec<u128> = opened.into_iter().flat_map(|opening| opening.numbers).collect();
    assert_eq!(opened.len(), runs * openings.len() * lanes, "all openings are listed");
    // Each part of a mask is drawn once for each set, at the same places.
    let bounded =
        drawn.iter().filter(|draw| draw.me == 0 && draw.lane >> 32 == u64::from(Purpose::BOUNDED.0));
    let mut parts: Vec<_> = bounded
        .filter(|draw| draw.field == name)
        .map(|draw| (draw.first as u64, draw.lane as u32, draw.count as usize))
        .collect();
    parts.sort();
    parts.dedup();
    let (mut parts, me) = (parts.into_iter(), ends(field, SIZE.0, SIZE.1)[0].derived(0));
    for (number, opened) in opened.chunks_mut(lanes).enumerate() {
        let (bits, low, mut drawn) = match openings[number % openings.len()] {
            Within { bits, low } => (bits, low, low),
            Summed { bits, low } => (bits, low, 0),
            Whole | Otherwise => continue,
        };
        while drawn < bits + statistical_bits {
            let Some((first, part, count)) = parts.next() else { break };
            assert_eq!(count, lanes, "a mask for each");
            me.each_number((Purpose::BOUNDED, part), (first, lanes), None, |_, numbers| {
                for (opened, number) in opened.iter_mut().zip(numbers) {
                    *opened = opened.checked_sub(number << drawn).expect("no sum wraps around the modulus");
                }
            });
            let is_last = drawn >= low && part < 128;
            drawn += part as usize;
            // Masks that are too short show in the opened elements.
            if is_last {
                break;
            }
        }
    }
    assert!(parts.next().is_none() || matches!(openings, [Whole]), "all masks are listed");
    let of = |opening: usize| {
        let runs = opened.chunks(lanes).skip(opening).step_by(openings.len());
        runs.flatten().copied().collect()
    };
    (0..openings.len()).map(of).collect()
}

/// Checks that numbers below 8 are all about equally frequent.
fn even(cells: impl Iterator<Item = u128>, what: &str) {
    let mut counts = [0usize; 8];
    cells.for_each(|cell| counts[(cell % 8) as usize] += 1);
    let expected = counts.iter().sum::<usize>() as f64 / 8.0;
    let chi: f64 = counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum();
    assert!(chi < 40.0, "{what} are not uniform, so openings reveal something about the operand: {counts:?}");
}

fn hides<F: Field>(
    field: &F,
    statistical_bits: usize,
    (runs, lanes): (usize, usize),
    operands: &[(i64, i64)],
    (name, program, openings): (&str, Program<'_, F>, &[Hidden]),
) {
    let order = field.order();
    let order_bits = 64 * order.len() - order[order.len() - 1].leading_zeros() as usize;
    for pair in operands {
        let seen = seen(field, statistical_bits, (runs, lanes), *pair, (program, openings));
        for (number, (seen, hidden)) in seen.iter().zip(openings).enumerate() {
            let what = format!("of {name} of {pair:?}, {lanes} at a time, opening {number}");
            let top = match hidden {
                Within { bits, .. } | Summed { bits, .. } => bits + statistical_bits,
                Whole => order_bits,
                Otherwise => continue,
            };
            let (large, half) = (seen.iter().filter(|seen| **seen >> (top - 1) > 0).count(), seen.len() / 2);
            let least = half - 6 * (half as f64 / 2.0).sqrt() as usize;
            assert!(
                large > least,
                "the mask {what} does not have {top} bits: {large} of {} reach them",
                seen.len()
            );
            even(seen.iter().map(|seen| seen >> (top - 3)), &format!("the top bits {what}"));
            if !matches!(hidden, Within { low: 0..3, .. }) {
                even(seen.iter().copied(), &format!("the last bits {what}"));
            }
        }
    }
}

/// The numbers of runs and lanes: few enough lanes that masks are made individually, and enough that they are
/// made by bits.
const CALLS: [(usize, usize); 2] = [(40, 15), (1, 640)];

#[test]
fn the_ends_of_every_range_are_hidden() {
    let field = wide();
    for (security, bits) in [(40, 12), (60, 12), (40, 40)] {
        let (signed, below) = (1i64 << (bits - 1), 1i64 << bits);
        let one: [(i64, i64); 2] = [(0, 0), (below - 1, 0)];
        let ends: [(i64, i64); 2] = [(-signed, 0), (signed - 1, 0)];
        for calls in CALLS {
            let at = |low| [Within { bits, low }];
            hides(
                &field,
                security,
                calls,
                &one,
                ("remainder", &|t, a, _| t.remainder(a, 5, bits).map(drop), &at(5)),
            );
            hides(&field, security, calls, &one, ("bits", &|t, a, _| t.bits(a, bits).map(drop), &at(bits)));
            hides(
                &field,
                security,
                calls,
                &ends,
                ("truncate", &|t, a, _| t.truncate(a, 5, bits).map(drop), &at(5)),
            );
            let program: Program<'_, _> = &|t, a, _| t.truncate_probably(a, 5, bits).map(drop);
            hides(&field, security, calls, &ends, ("truncate_probably", program, &at(5)));
            let program: Program<'_, _> = &|t, a, b| t.less_within(a, b, bits).map(drop);
            hides(&field, security, calls, &ends, ("less_within", program, &at(bits - 1)));
            let program: Program<'_, _> = &|t, a, b| t.equal_within(a, b, bits).map(drop);
            hides(&field, security, calls, &ends, ("equal_within", program, &at(bits)));
        }
    }
}

#[test]
fn comparisons_after_toft_hide_the_largest_differences() {
    let (field, bits) = (wide(), 12);
    let pairs: [(i64, i64); 2] = [(0, (1 << bits) - 1), ((1 << bits) - 1, 0)];
    for (security, calls) in [(40, CALLS[0]), (40, CALLS[1]), (60, CALLS[1])] {
        let program: Program<'_, _> = &|t, a, b| t.greater_than_equal_toft(a, b, bits).map(drop);
        let openings = [Within { bits: bits + 1, low: bits }, Otherwise];
        hides(&field, security, calls, &pairs, ("toft", program, &openings));
        let program: Program<'_, _> = &|t, a, b| t.greater_than_equal_in_bytes(a, b, bits).map(drop);
        let openings = [Within { bits: bits + 1, low: bits + 1 }];
        hides(&field, security, calls, &pairs, ("toft in bytes", program, &openings));
    }
}

#[test]
fn products_with_a_fixed_point_are_hidden_whatever_their_size() {
    let field = wide();
    for (fraction, bits) in [(16, 32), (4, 20), (16, 40)] {
        let (least, most) = (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1);
        let pairs = [(least, least), (most, most), (least, most), (0, most)];
        for calls in CALLS {
            let program: Program<'_, _> = &|t, a, b| t.fixed_mul(a, b, Fixed { fraction, bits }).map(drop);
            let openings = [Within { bits: 2 * bits - 1, low: fraction }];
            hides(&field, 40, calls, &pairs, ("fixed_mul", program, &openings));
        }
    }
    // Without room above the product, the mask covers the field.
    let (least, most) = (-(1i64 << 62), (1i64 << 62) - 1);
    let program: Program<'_, _> = &|t, a, b| t.fixed_mul(a, b, Fixed { fraction: 16, bits: 63 }).map(drop);
    hides(&field, 40, CALLS[1], &[(least, least), (most, least)], ("fixed_mul", program, &[Whole]));
}

#[test]
fn quotients_hide_what_is_divided() {
    let (field, bits) = (wide(), 4);
    let rest = |bits| {
        [vec![Within { bits, low: bits }], vec![Within { bits: bits + 2, low: bits + 1 }; bits]].concat()
    };
    let program: Program<'_, _> = &|t, a, b| t.divide(a, b, bits).map(drop);
    hides(&field, 40, CALLS[0], &[(0, 0), (15, 0), (0, 15), (15, 15)], ("divide", program, &rest(bits)));
    let signs = vec![Within { bits, low: bits - 1 }; 2];
    let program: Program<'_, _> = &|t, a, b| t.fixed_divide(a, b, Fixed { fraction: 2, bits }).map(drop);
    let openings = [signs, rest(bits + 2)].concat();
    hides(&field, 40, CALLS[0], &[(-8, -8), (7, -8), (-8, 7), (0, 0)], ("fixed_divide", program, &openings));
}

#[test]
fn words_are_hidden_but_for_the_bits_that_are_told() {
    let field = wide();
    let (all, signed) = (Parties::first(SIZE.0), 1i64 << 29);
    for security in [40, 60] {
        for calls in CALLS {
            let bits = |of: WordSize| of.size.max(of.low + 2) + 2;
            let at = |of: WordSize| [Within { bits: bits(of), low: of.low }];
            for of in [WordSize { size: 30, low: 12 }, WordSize { size: 30, low: 30 }] {
                let ends: [(i64, i64); 3] = [(-signed * 2 + 1, 0), (signed * 2 - 1, 0), (0, 0)];
                let program: Program<'_, _> = &|t, a, _| t.smaller_words(a, of).map(drop);
                let openings = [Summed { bits: bits(of), low: of.low }];
                hides(&field, security, calls, &ends, ("smaller_words", program, &openings));
                let program: Program<'_, _> = &|t, a, _| t.word_addends::<Gf256>(a, of).map(drop);
                hides(&field, security, calls, &ends, ("word_addends", program, &at(of)));
            }
            // The last two bits are opened, the same in all lanes; those above are uniform.
            let of = WordSize { size: 30, low: 2 };
            let program: Program<'_, _> = &|t, a, _| t.open_words(a, of, all).map(drop);
            let ends: [(i64, i64); 2] = [(-signed * 2 + 1, 0), (signed * 2 - 1, 0)];
            hides(&field, security, calls, &ends, ("open_words", program, &at(of)));
            for (end, _) in ends {
                let seen = seen(&field, security, calls, (end, 0), (program, &at(of)));
                assert!(
                    seen[0].iter().all(|seen| seen % 4 == (end & 3) as u128),
                    "the word itself is opened"
                );
                even(seen[0].iter().map(|seen| seen >> 2), "bits above the word");
            }
        }
    }
}

#[test]
fn numbers_without_room_are_hidden_by_masks_as_large_as_the_field() {
    let bits = 32;
    let ends: [(i64, i64); 2] = [(0, 0), ((1 << bits) - 1, 0)];
    for calls in CALLS {
        let field = Mersenne61;
        hides(
            &field,
            40,
            calls,
            &ends,
            ("remainder", &|t, a, _| t.remainder(a, 5, bits).map(drop), &[Whole]),
        );
        hides(&field, 40, calls, &ends, ("bits", &|t, a, _| t.bits(a, bits).map(drop), &[Whole]));
        hides(&field, 40, calls, &ends, ("less", &|t, a, b| t.less(a, b).map(drop), &[Whole]));
        let program: Program<'_, _> = &|t, a, b| t.less_within(a, b, bits + 1).map(drop);
        hides(&field, 40, calls, &ends, ("less_within", program, &[Whole]));
        hides(&field, 40, calls, &ends, ("equal", &|t, a, b| t.equal(a, b).map(drop), &[Whole]));
        hides(&field, 40, calls, &ends, ("parity", &|t, a, _| t.parity(a).map(drop), &[Whole]));
        let program: Program<'_, _> = &|t, a, b| t.fixed_mul(a, b, Fixed { fraction: 8, bits: 30 }).map(drop);
        let (least, most) = (-(1i64 << 29), (1i64 << 29) - 1);
        hides(&field, 40, calls, &[(least, least), (most, most)], ("fixed_mul", program, &[Whole]));
    }
}

#[test]
fn conversions_hide_bits_and_what_is_none() {
    let program: Program<'_, _> = &|t, a, _| t.to_bytes(a).map(drop);
    for security in [40, 60] {
        let openings = [Within { bits: 1, low: 1 }];
        hides(&wide(), security, CALLS[1], &[(0, 0), (1, 0)], ("to_bytes", program, &openings));
    }
    // Numbers that are not bits are hidden by an element of the whole field, not by the mask of a bit.
    for none in [2, -1, 5, 1 << 59] {
        let seen =
            &seen(&Mersenne61, 40, CALLS[1], (none, 0), (&|t, a, _| t.to_bytes(a).map(drop), &[Whole]))[0];
        even(seen.iter().map(|seen| seen >> 58), &format!("the top bits of to_bytes of {none}"));
    }
    let small = Montgomery::<1>::new(&[11]).expect("odd");
    for none in 0..11 {
        let seen =
            &seen(&small, 40, (1, 5_500), (none, 0), (&|t, a, _| t.to_bytes(a).map(drop), &[Otherwise]))[0];
        let counts: Vec<_> =
            (0..11).map(|value| seen.iter().filter(|seen| **seen == value).count()).collect();
        let even = if none < 2 {
            counts[0] + counts[1] == 5_500
        } else {
            counts.iter().all(|n| (380..620).contains(n))
        };
        assert!(even, "to_bytes of {none} modulo 11 opens what depends on it: {counts:?}");
    }
}

#[test]
fn bytes_that_become_bits_are_hidden_as_a_whole() {
    for byte in [0u8, 1, 2, 0x80, 0xfe, 0xff] {
        let (mut simulation, tasks) = Simulation::new(&Mersenne61, SIZE.0, SIZE.1, 3);
        opening_recorder::start();
        let count = 12_800;
        for task in &tasks {
            let bytes = task.bytes().expect("a field");
            let given = bytes.input(0, count, (task.me() == 0).then(|| vec![byte; count])).expect("an input");
            task.from_bytes(&given).expect("alive");
        }
        simulation.run();
        assert!(simulation.error.is_none(), "{:?}", simulation.error);
        let mut counts = [0usize; 256];
        let opened = opening_recorder::take();
        let mine = opened.iter().filter(|opening| opening.me == 1 && opening.field == format!("{Gf256:?}"));
        mine.flat_map(|opening| &opening.numbers).for_each(|number| counts[*number as usize] += 1);
        assert_eq!(counts.iter().sum::<usize>(), count);
        let chi: f64 = counts.iter().map(|n| (*n as f64 - 50.0).powi(2) / 50.0).sum();
        // 255 degrees of freedom.
        assert!(
            chi < 255.0 + 6.0 * 510f64.sqrt() + 8.0,
            "from_bytes of {byte} opens what depends on it: {chi}"
        );
    }
}
