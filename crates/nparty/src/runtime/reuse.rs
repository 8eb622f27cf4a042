//! Tests that nothing that hides something is used twice: all draws from common keys are recorded, and every place under a key must be
//! drawn once.

use std::collections::BTreeMap;

use tacit_math::field::{BitOctets, Field, Gf256, Montgomery};

use super::simulation::{Simulation, input};
use crate::error::RunError;
use crate::parties::Parties;
use crate::program::{Task, Value};
use crate::protocol::divide::Fixed;
use crate::protocol::words::WordSize;
use crate::prss::Purpose;
use crate::recorder::{self, Draw};

/// Every operation that draws, twice, with few and with many numbers, in all fields of the computation.
fn program<F: Field>(task: &Task<F>) -> Result<Vec<Value<F>>, RunError> {
    let mut made = Vec::new();
    for (length, _) in [(3, 0), (3, 1), (70, 0), (70, 1)] {
        let (a, b) = (input(task, 0, &vec![5; length]), input(task, 1, &vec![-3; length]));
        let bytes = task.bytes()?;
        let bits = task.random_bits(length)?;
        let there = task.to_bytes(&bits)?;
        // As many products in bytes as above in the field, whose elements take more blocks.
        let both = bytes.mul(&there, &bytes.random_bits(length)?)?;
        made.extend([
            task.mul(&a, &b)?,
            task.random(length)?,
            task.truncate(&a, 3, 12)?,
            task.fixed_mul(&a, &b, Fixed { fraction: 4, bits: 12 })?,
            task.less(&a, &b)?,
            task.equal_within(&a, &b, 12)?,
            task.bits(&a, 8)?,
            task.inverse(&a)?,
            task.from_bytes(&bytes.add(&both, &bytes.random(length)?)?)?,
            task.greater_than_equal_toft(&a, &a, 12)?,
            task.from_bytes(&task.greater_than_equal_in_bytes(&a, &a, 12)?)?,
            bits,
        ]);
        let of = WordSize { size: 20, low: 12 };
        let [public, mask] = task.word_addends::<Gf256>(&a, of)?;
        made.extend([
            task.smaller_words(&a, of)?,
            task.random_words(length, 12)?,
            task.open_words(&a, of, Parties::first(2))?,
            task.words_of_bits(&bytes.add(&public, &mask)?, ((12, length), false), 12)?.0,
            task.words_of_bits(&there, ((1, length), true), 40)?.0,
        ]);
        if let Ok(octets) = task.octets() {
            let [public, mask] = task.word_addends::<BitOctets>(&a, of)?;
            let given = input(octets, 0, &vec![1; public.len()]);
            let both = octets.mul(&octets.add(&public, &mask)?, &octets.random_places(12 * length)?)?;
            let both = octets.mul(&both, &octets.add(&given, &input(octets, 2, &vec![1; given.len()]))?)?;
            words_among_three(task, &both, length)?;
            made.extend([
                task.words_of_bits(&both, ((12, length), true), 12)?.0,
                task.words_of_bits(&octets.random_places(length)?, ((1, length), false), 40)?.0,
            ]);
        }
        task.prepare_masks(6, length)?;
        task.prepare_bits(length)?;
        task.prepare_comparisons(length)?;
    }
    // A long product is masked in parts, before those that follow it; a very long one runs in pieces.
    for length in [2500, 20_000] {
        let (a, b, c) =
            (input(task, 0, &vec![5; length]), input(task, 1, &vec![-3; length]), input(task, 2, &[7; 3]));
        let product = task.mul(&a, &b)?;
        made.extend([task.mul(&c, &c)?, task.mul(&product, &b)?, product, task.mul(&c, &c)?]);
    }
    Ok(made)
}

/// Inputs, products and random words modulo 2^64, and conversions of these and of 12 bits of this many
/// numbers.
fn words_among_three<F: Field>(
    task: &Task<F>,
    bits: &Value<BitOctets>,
    length: usize,
) -> Result<(), RunError> {
    let ring = task.ring()?;
    let (a, b) = (input(ring, 0, &vec![5; length]), input(ring, 1, &vec![-3; length]));
    let product = ring.mul(&ring.mul(&a, &b)?, &ring.random_words(length, 64)?)?;
    let [first, second] = task.replicated_addends(&product, 12)?;
    let octets = task.octets()?;
    let [sum, one] = [octets.mul(&first, &second)?, octets.random_places(length)?];
    for (bits, count) in [(bits, 12), (&sum, 12), (&one, 1)] {
        let words = task.replicated_words(bits, ((count, length), false), 40)?;
        ring.mul(&words, &product)?;
    }
    Ok(())
}

/// A key for draws that may be the same: values that are the same in several fields, and uses of dealt sharings, which
/// only their task identifies.
fn drawn_together(draw: &Draw) -> String {
    let purpose = Purpose((draw.lane >> 32) as u32);
    if [Purpose::JOINT, Purpose::USED].contains(&purpose) { draw.field.clone() } else { String::new() }
}

/// The first place that is drawn more than once, if any.
fn again(places: &mut [(u128, i64)]) -> Option<u128> {
    // Where one range ends and another begins, the end comes first.
    places.sort_unstable();
    let mut drawn = 0;
    places.iter().find_map(|(place, step)| {
        drawn += step;
        (drawn > 1).then_some(*place)
    })
}

#[test]
fn every_place_under_a_key_is_drawn_once() {
    let field = Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd");
    for size in [(3, 1), (4, 1), (5, 2)] {
        let (mut simulation, tasks) = Simulation::new(&field, size.0, size.1, 4);
        recorder::start();
        let mut kept = Vec::new();
        for task in &tasks {
            let other = task.fork().expect("another task");
            kept.push((program(task).expect("a program"), program(&other).expect("a program"), other));
        }
        simulation.run();
        assert!(simulation.error.is_none(), "{:?}", simulation.error);
        let mut streams: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let drawn = recorder::take();
        let dealt = [Purpose::USED, Purpose::DEALT, Purpose::DEALT_LOW, Purpose::DEALT_HIGH];
        let common = [Purpose::PRODUCT, Purpose::RANDOM];
        let mut purposes = vec![Purpose::BOUNDED, Purpose::JOINT];
        purposes.extend(if size == (5, 2) { &dealt[..] } else { &common });
        for purpose in purposes {
            let some = drawn.iter().filter(|draw| draw.lane >> 32 == u64::from(purpose.0)).count();
            assert!(some > 20, "{size:?}: {purpose:?} is drawn {some} times");
        }
        for draw in drawn {
            let stream = (draw.me, draw.key, draw.lane, drawn_together(&draw));
            // A block of a stream consists of its bits.
            let unit = if draw.of_bits { 1 } else { 128 };
            let (first, end) = (unit * draw.first, unit * (draw.first + draw.count));
            streams.entry(stream).or_default().extend([(first, 1), (end, -1)]);
        }
        for ((me, _, lane, _), mut places) in streams {
            let purpose = Purpose((lane >> 32) as u32);
            if let Some(place) = again(&mut places) {
                panic!(
                    "{size:?}: party {me} draws bit {place} of {purpose:?} (stream {}) more than once with one key: \
                     two values are hidden by the same randomness, and their difference is seen",
                    lane as u32
                );
            }
        }
    }
}
