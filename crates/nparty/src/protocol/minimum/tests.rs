//! Least words among three simulated parties.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tacit_crypto::difference_signs::negative;
use tacit_math::field::{Field, GaloisRing, Gf256};

use super::*;
use crate::recorder;
use crate::runtime::shared::RING;
use crate::runtime::simulation::{Simulation, computed, cost};
use crate::runtime::wire::{self, MessageKind, Widths};

/// Words of the first party, and the least of each run.
fn found(task: &Task<Gf256>, words: &[i64], shape: Shape) -> Result<[Value<GaloisRing>; 2], RunError> {
    let ring = task.ring()?;
    let given = words.iter().map(|word| GaloisRing.element(*word as u64)).collect();
    let words = ring.input(0, words.len(), (task.me() == 0).then_some(given))?;
    ring.first_least(&words, (shape, 9))
}

/// The same, opened as bytes.
fn opened(words: &[i64], shape: Shape, seed: u64) -> Vec<[u64; 2]> {
    let bytes = computed(&Gf256, (3, 1), seed, |task| {
        let found = found(task, words, shape)?;
        let ring = task.ring()?;
        let both = ring.concat(&[&found[0], &found[1]])?;
        let opened = ring.open(&both)?;
        let unpack = |words: &[GaloisElement]| {
            words.iter().flat_map(|word| GaloisRing.ground(*word).to_le_bytes()).collect()
        };
        task.bytes()?.carry(ring, &opened, (WORD_BYTES * opened.len(), 1), unpack)
    });
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let words: Vec<_> = bytes.chunks(WORD_BYTES).map(word).collect();
    let (least, places) = words.split_at(shape.runs);
    least.iter().zip(places).map(|(least, place)| [*least, *place]).collect()
}

#[test]
fn least_words_are_found_with_their_first_places() {
    let mut prg = Prg::new(Block(11));
    for seed in 0..150 {
        let (length, runs) = (1 + prg.next_u64() as usize % 70, 1 + prg.next_u64() as usize % 4);
        let bits = 2 + prg.next_u64() as u32 % 63;
        let shape = Shape { length, runs, bits };
        // Numbers of one bit less; often few different ones.
        let few = prg.next_u64() % 2 * 60;
        let number = |word: u64| word as i64 >> (65 - bits).max(few as u32).min(63);
        let words: Vec<_> = (0..length * runs).map(|_| number(prg.next_u64())).collect();
        let expected = words.chunks(length).map(|run| {
            let (place, least) = run.iter().enumerate().min_by_key(|(_, word)| **word).expect("a word");
            [*least as u64, place as u64]
        });
        assert_eq!(opened(&words, shape, seed), expected.collect::<Vec<_>>(), "{shape:?}, seed {seed}");
    }
    let words: Vec<_> = (0..3000).map(|word| (word * 7919) % 2999 - 1500).collect();
    assert_eq!(opened(&words, Shape { length: 3000, runs: 1, bits: 13 }, 1), [[-1500i64 as u64, 0]]);
}

#[test]
fn they_cost_what_they_say() {
    for (length, runs, bits) in [(2, 1, 9), (30, 2, 20), (512, 1, 20), (100, 7, 64)] {
        let shape = Shape { length, runs, bits };
        let (rounds, bytes) = cost(&Gf256, (3, 1), |task| {
            drop(found(task, &vec![1; length * runs], shape)?);
            task.constant(vec![0])
        });
        let levels = shape.levels();
        let words: usize = levels
            .iter()
            .map(|level| {
                let compared = 2 * (level.pairs() * bits as usize + level.pairs().div_ceil(64));
                compared + 5 * level.words() + 2 * level.groups()
            })
            .sum();
        let expected = 8 * (length * runs + words + 4 * runs);
        assert_eq!((rounds, bytes), (2 * levels.len() + 2, expected), "{shape:?}");
    }
}

/// What each party receives from others while it finds the least of these words: by sender, in the order of messages.
fn received(words: &[i64], shape: Shape) -> [Vec<(usize, Vec<u8>)>; 3] {
    let (mut simulation, tasks) = Simulation::new(&Gf256, 3, 1, 5);
    let seen: Rc<RefCell<[Vec<_>; 3]>> = Rc::default();
    let sees = seen.clone();
    simulation.tamper = Some(Box::new(move |from, to, message| {
        if usize::from(message[3]) == RING {
            let ranges =
                wire::ranges(&message[4..], Widths::of(&GaloisRing)).map(|range| range.expect("sound"));
            let handed = ranges.filter(|range| range.range.kind == MessageKind::Handed);
            sees.borrow_mut()[to].extend(handed.map(|range| (from, range.elements.to_vec())));
        }
    }));
    for task in &tasks {
        drop(found(task, words, shape).expect("alive"));
    }
    simulation.run();
    assert!(simulation.error.is_none(), "{:?}", simulation.error);
    seen.take()
}

#[test]
fn what_parties_see_looks_random_whatever_the_words() {
    let shape = Shape { length: 4, runs: 2048, bits: 9 };
    for run in [[0, 0, 0, 0], [1, 2, 3, 4], [200, 100, 50, 0], [-100, 5, -100, 5]] {
        let seen = received(&run.repeat(shape.runs), shape);
        for (party, seen) in seen.iter().enumerate() {
            assert!(!seen.is_empty(), "party {party} receives something");
            for from in (0..3).filter(|from| *from != party) {
                let words: Vec<_> =
                    seen.iter().filter(|one| one.0 == from).flat_map(|one| one.1.chunks(8)).collect();
                for bit in (0..64).filter(|_| !words.is_empty()) {
                    let ones = words.iter().filter(|word| word[bit / 8] >> (bit % 8) & 1 == 1).count() as f64;
                    let off = (2.0 * ones - words.len() as f64).abs() / (words.len() as f64).sqrt();
                    assert!(
                        off < 6.0,
                        "party {party} sees {ones} of {} ones at bit {bit} of {run:?}",
                        words.len()
                    );
                }
            }
        }
    }
}

#[test]
fn the_referee_sees_random_orders_whatever_the_words() {
    let shape = Shape { length: 3, runs: 8192, bits: 9 };
    let level = shape.levels()[0];
    for run in [[0, 0, 0], [1, 2, 3], [9, 5, 5], [-7, 7, 0]] {
        let seen = received(&run.repeat(shape.runs), shape);
        let length = message_words(level.pairs(), shape.bits);
        // Only the referee receives messages of this length in all.
        let of = |party: usize, from: usize| {
            let bytes: Vec<u8> =
                seen[party].iter().filter(|one| one.0 == from).flat_map(|one| one.1.clone()).collect();
            let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            bytes.chunks(8).map(word).collect::<Vec<u64>>()
        };
        let ways = (0..3).map(|party| [of(party, (party + 1) % 3), of(party, (party + 2) % 3)]);
        let referees: Vec<_> = ways.filter(|both| both.iter().all(|one| one.len() == length)).collect();
        let [[first, second]] = &referees[..] else { panic!("{} referees", referees.len()) };
        let both: Vec<_> = first.iter().zip(second).map(|(one, other)| one ^ other).collect();
        let negative = negative(&both, level.pairs(), shape.bits).expect("both messages");
        let mut counts: BTreeMap<&[u64], usize> = BTreeMap::new();
        negative.chunks(3).for_each(|order| *counts.entry(order).or_default() += 1);
        let expected = shape.runs as f64 / 6.0;
        let chi: f64 = counts.values().map(|count| (*count as f64 - expected).powi(2) / expected).sum();
        assert!(counts.len() == 6 && chi < 35.0, "{run:?}: {counts:?}");
    }
}

#[test]
fn no_seed_is_drawn_for_two_things() {
    recorder::start();
    let (mut simulation, tasks) = Simulation::new(&Gf256, 3, 1, 6);
    for task in &tasks {
        for _ in 0..3 {
            drop(found(task, &[5; 600], Shape { length: 600, runs: 1, bits: 9 }).expect("alive"));
        }
    }
    simulation.run();
    assert!(simulation.error.is_none(), "{:?}", simulation.error);
    let mut seeds: BTreeMap<_, usize> = BTreeMap::new();
    for draw in recorder::take().into_iter().filter(|draw| draw.lane >> 32 == u64::from(Purpose::LEAST.0)) {
        *seeds.entry((draw.me, draw.key, draw.first)).or_default() += 1;
    }
    // A party makes the masks of the end for its message and for both of its shares: the same words.
    let levels = Shape { length: 600, runs: 1, bits: 9 }.levels().len();
    assert_eq!(seeds.len(), 3 * 6 * (levels + 1) - 3 * 2, "seeds of three searches");
    let ends = seeds.values().filter(|times| **times > 1).count();
    assert!(ends <= 3 * 4, "{ends} seeds are drawn twice");
}
