//! Compares protocols with computations on plain integers, and tests what t parties learn from their shares
//! of values.

use std::sync::{Arc, Mutex};

use tacit_math::field::{Field, Gf256, Mersenne61, Montgomery};

use super::divide::Fixed;
use crate::error::RunError;
use crate::program::{Task, Value};
use crate::runtime::simulation::{SIZES, Simulation, computed, elements, input};

/// Runs a program on two vectors, and compares its result with the expected one.
fn agrees<F: Field>(
    field: &F,
    size: (usize, usize),
    (a, b): (&[i64], &[i64]),
    program: impl Fn(&Task<F>, &Value<F>, &Value<F>) -> Result<Value<F>, RunError>,
    expected: &[i64],
) {
    let result = computed(field, size, 7, |task| {
        let (a, b) = (input(task, 0, a), input(task, 1, b));
        task.open(&program(task, &a, &b)?)
    });
    assert_eq!(result, elements(field, expected), "{field:?} {size:?}");
}

/// 2^127 - 1, where numbers of 32 bits have room for a mask.
fn wide() -> Montgomery<2> {
    Montgomery::new(&[u64::MAX, u64::MAX >> 1]).expect("odd")
}

/// A prime that is not just below a power of two.
fn plain() -> Montgomery<2> {
    // 2^100 + 277, the first prime above 2^100.
    Montgomery::new(&[277, 1 << 36]).expect("odd")
}

const NUMBERS: [i64; 6] = [0, 1, 5, 100, 2_147_483_647, 1_234_567_890];

fn numbers_have_bits<F: Field>(field: &F, size: (usize, usize)) {
    let bit = |number: &i64| (0..32).map(|bit| number >> bit & 1).collect::<Vec<_>>();
    let expected: Vec<_> = NUMBERS.iter().flat_map(bit).chain(NUMBERS).collect();
    let program = |task: &Task<F>, a: &Value<F>, _: &Value<F>| {
        let bits = task.bits(a, 32)?;
        task.concat(&[&bits, &task.from_bits(&bits, 32)?])
    };
    agrees(field, size, (&NUMBERS, &[0]), program, &expected);
}

#[test]
fn bits_are_those_of_the_number() {
    for size in SIZES {
        numbers_have_bits(&wide(), size);
    }
    numbers_have_bits(&Mersenne61, (3, 1));
    numbers_have_bits(&Mersenne61, (5, 2));
    numbers_have_bits(&plain(), (4, 1));
}

#[test]
fn remainders_truncations_and_signs() {
    let signed = [0, 1, -1, 255, 256, -256, -257, 1_234_567, -7_654_321, (1 << 31) - 1, -(1 << 31)];
    fn checks<F: Field>(field: &F, size: (usize, usize), signed: &[i64]) {
        for dropped in [1, 8, 31] {
            let expected: Vec<_> = signed.iter().map(|a| a >> dropped).collect();
            agrees(field, size, (signed, &[0]), |task, a, _| task.truncate(a, dropped, 32), &expected);
            let sizes: Vec<_> = signed.iter().map(|a| a.abs()).collect();
            let expected: Vec<_> = sizes.iter().map(|a| a & ((1 << dropped) - 1)).collect();
            agrees(field, size, (&sizes, &[0]), |task, a, _| task.remainder(a, dropped, 33), &expected);
        }
        let expected: Vec<_> = signed.iter().map(|a| i64::from(*a < 0)).collect();
        agrees(field, size, (signed, &[0]), |task, a, _| task.is_negative_within(a, 32), &expected);
    }
    for size in SIZES {
        checks(&wide(), size, &signed);
    }
    checks(&Mersenne61, (3, 1), &signed);
    checks(&plain(), (5, 2), &signed);
}

#[test]
fn probable_truncation_is_near() {
    for size in SIZES {
        let numbers: Vec<i64> = (0..300).map(|i| (i - 150) * 7_777_777).collect();
        let result = computed(&wide(), size, 1, |task| {
            task.open(&task.truncate_probably(&input(task, 0, &numbers), 10, 32)?)
        });
        let mut up = 0;
        for (number, result) in numbers.iter().zip(&result) {
            let [low, high] = [number >> 10, (number >> 10) + 1].map(|n| elements(&wide(), &[n])[0]);
            assert!(*result == low || *result == high, "{number}");
            assert!(number & 1023 != 0 || *result == low, "{number} is a multiple");
            up += usize::from(*result == high);
        }
        assert!((75..225).contains(&up), "{up} of 300 rounded up");
    }
}

#[test]
fn all_small_numbers_divide() {
    fn divides<F: Field>(field: &F, size: (usize, usize), numbers: i64) {
        let pairs: Vec<_> = (0..numbers).flat_map(|a| (0..numbers).map(move |b| (a, b))).collect();
        let (a, b): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
        let quotients = pairs.iter().map(|(a, b)| if *b == 0 { 15 } else { a / b });
        let rests = pairs.iter().map(|(a, b)| if *b == 0 { *a } else { a % b });
        let expected: Vec<_> = quotients.chain(rests).collect();
        let program = |task: &Task<F>, a: &Value<F>, b: &Value<F>| {
            let (quotient, rest) = task.divide(a, b, 4)?;
            task.concat(&[&quotient, &rest])
        };
        agrees(field, size, (&a, &b), program, &expected);
    }
    divides(&wide(), (3, 1), 16);
    divides(&Mersenne61, (5, 2), 8);
}

#[test]
fn fixed_point_multiplies_and_divides() {
    let at = Fixed { fraction: 8, bits: 20 };
    let (a, b) = ([768, -384, 100, -1, 0, 3], [512, 512, -256, -77, 5, 1]);
    let products = a.iter().zip(b).map(|(a, b)| (a * b) >> 8);
    let quotients = a.iter().zip(b).map(|(a, b)| (a << 8) / b);
    let expected: Vec<_> = products.chain(quotients).collect();
    for size in [(3, 1), (5, 2)] {
        let program = |task: &Task<_>, a: &Value<_>, b: &Value<_>| {
            task.concat(&[&task.fixed_mul(a, b, at)?, &task.fixed_divide(a, b, at)?])
        };
        agrees(&wide(), size, (&a, &b), program, &expected);
    }
}

#[test]
fn tofts_comparison_agrees() {
    let a = [0, 0, 1, 7, 7, 8, 100, (1 << 32) - 1, 1 << 31, (1 << 31) - 1];
    let b = [0, 1, 0, 7, 8, 7, 99, 0, (1 << 31) - 1, 1 << 31];
    let expected: Vec<_> = a.iter().zip(b).map(|(a, b)| i64::from(*a >= b)).collect();
    for size in SIZES {
        agrees(&wide(), size, (&a, &b), |task, a, b| task.greater_than_equal_toft(a, b, 32), &expected);
    }
    let pairs: Vec<_> = (0..16).flat_map(|a| (0..16).map(move |b| (a, b))).collect();
    let (a, b): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    let expected: Vec<_> = pairs.iter().map(|(a, b)| i64::from(a >= b)).collect();
    agrees(&plain(), (3, 1), (&a, &b), |task, a, b| task.greater_than_equal_toft(a, b, 4), &expected);
}

#[test]
fn what_was_made_ahead_is_spent_once() {
    let (a, b) = ([5, -3, 7, 0], [4, 3, 7, 1]);
    let program = |task: &Task<_>, a: &Value<_>, b: &Value<_>| {
        task.prepare_comparisons(7)?;
        let first = task.less(a, b)?;
        // Three lanes are left, which is too few for four.
        let second = task.less(b, a)?;
        let third =
            task.less(&task.gather(a, Arc::new([0, 1, 2]))?, &task.gather(b, Arc::new([0, 1, 2]))?)?;
        task.concat(&[&first, &second, &third])
    };
    for size in [(3, 1), (5, 2)] {
        agrees(&Mersenne61, size, (&a, &b), program, &[0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0]);
    }
    // Bits and masks with bits, and how many are left.
    let program = |task: &Task<_>, a: &Value<_>, _: &Value<_>| {
        task.prepare_masks(5, 4)?;
        task.prepare_bits(200)?;
        let (low, bits) = (task.remainder(a, 5, 20)?, task.random_bits(150)?);
        task.concat(&[
            &low,
            &task.mul(&bits, &task.sub(&bits, &task.constant(vec![wide().one()])?)?)?,
            &task.sub(&task.random_bits(50)?, &task.constant(vec![Default::default()])?)?,
        ])
    };
    let result = computed(&wide(), (3, 1), 1, |task| {
        let a = input(task, 0, &[33, 64, 31, 1000]);
        task.open(&program(task, &a, &a)?)
    });
    let (numbers, rest) = result.split_at(4);
    assert_eq!(numbers, elements(&wide(), &[1, 0, 31, 8]));
    assert_eq!(rest[..150], elements(&wide(), &[0; 150]));
    let ones = rest[150..].iter().filter(|bit| **bit == wide().one()).count();
    assert!((5..45).contains(&ones), "{ones} of 50 bits");
}

#[test]
fn what_has_no_room_is_refused() {
    let (_, tasks) = Simulation::new(&Mersenne61, 3, 1, 1);
    let a = input(&tasks[0], 0, &[1]);
    assert!(tasks[0].bits(&a, 61).is_err() && tasks[0].bits(&a, 0).is_err());
    assert!(tasks[0].truncate(&a, 32, 32).is_err() && tasks[0].remainder(&a, 0, 8).is_err());
    assert!(tasks[0].truncate_probably(&a, 8, 32).is_err());
    assert!(tasks[0].greater_than_equal_toft(&a, &a, 32).is_err());
    assert!(tasks[0].divide(&a, &a, 59).is_err() && tasks[0].from_bits(&a, 0).is_err());
    let (_, tasks) = Simulation::new(&Gf256, 3, 1, 1);
    let a = input(&tasks[0], 0, &[1]);
    assert!(tasks[0].sqrt(&a).is_err() && tasks[0].bits(&a, 2).is_err());
}

#[test]
fn all_small_numbers_compare() {
    fn compares<F: Field>(field: &F, size: (usize, usize)) {
        let pairs: Vec<_> = (-8..8).flat_map(|a| (-8..8).map(move |b| (a, b))).collect();
        let (a, b): (Vec<i64>, Vec<i64>) = pairs.iter().copied().unzip();
        let less = pairs.iter().map(|(a, b)| i64::from(a < b));
        let expected: Vec<_> = less.chain(pairs.iter().map(|(a, b)| i64::from(a == b))).collect();
        let program = |task: &Task<F>, a: &Value<F>, b: &Value<F>| {
            task.concat(&[&task.less_within(a, b, 5)?, &task.equal_within(a, b, 5)?])
        };
        agrees(field, size, (&a, &b), program, &expected);
    }
    for size in SIZES {
        compares(&plain(), size);
    }
    compares(&wide(), (3, 1));
    compares(&Mersenne61, (5, 2));
}

/// Small primes such that every power of two occurs in the order less 1.
const SMALL: [u64; 6] = [5, 7, 11, 13, 17, 257];

#[test]
fn all_elements_of_small_fields_have_roots_and_inverses() {
    for prime in SMALL {
        let field = Montgomery::<1>::new(&[prime]).expect("odd");
        let sizes = if prime < 100 { &SIZES[..] } else { &SIZES[..1] };
        for size in sizes.iter().copied().filter(|size| (size.0 as u64) < prime) {
            let all: Vec<i64> = (0..prime as i64).collect();
            let squares: Vec<_> = all.iter().map(|a| a * a % prime as i64).collect();
            let inverses = all.iter().map(|a| i64::from(*a != 0));
            let expected: Vec<_> = squares.iter().copied().chain(inverses).collect();
            let program = |task: &Task<_>, a: &Value<_>, _: &Value<_>| {
                let root = task.sqrt(&task.mul(a, a)?)?;
                let product = task.mul(a, &task.inverse(a)?)?;
                task.concat(&[&task.mul(&root, &root)?, &product])
            };
            agrees(&field, size, (&all, &[0]), program, &expected);
        }
    }
}

#[test]
fn bits_xor_and_exponents_may_be_shared() {
    for prime in SMALL {
        let field = Montgomery::<1>::new(&[prime]).expect("odd");
        let bits = ([0, 0, 1, 1], [0, 1, 0, 1]);
        agrees(&field, (3, 1), (&bits.0, &bits.1), |task, a, b| task.xor(a, b), &[0, 1, 1, 0]);
        let all: Vec<i64> = (0..prime as i64).collect();
        let power = |a: &i64, exponent: u32| (0..exponent).fold(1, |power, _| power * a % prime as i64);
        for exponent in 0..8 {
            let expected: Vec<_> = all.iter().map(|a| power(a, exponent)).collect();
            let bits: Vec<_> = (0..3).map(|bit| i64::from(exponent >> bit & 1)).collect();
            let program = |task: &Task<_>, a: &Value<_>, bits: &Value<_>| {
                let bit = |bit: usize| task.gather(bits, Arc::new([bit]));
                let bits = (0..3).map(bit).collect::<Result<Vec<_>, _>>()?;
                task.pow_shared(a, &bits.iter().collect::<Vec<_>>())
            };
            agrees(&field, (4, 1), (&all, &bits), program, &expected);
        }
    }
}

/// The shares of all parties of the values that a program makes.
fn held(
    size: (usize, usize),
    count: usize,
    program: impl Fn(&Task<Montgomery<1>>) -> Result<Vec<Value<Montgomery<1>>>, RunError>,
) -> Vec<Vec<Vec<u64>>> {
    let field = Montgomery::<1>::new(&[11]).expect("odd");
    let (mut simulation, tasks) = Simulation::new(&field, size.0, size.1, 3);
    let mut slots = Vec::new();
    for task in &tasks {
        let values = program(task).expect("a program");
        for value in &values {
            // Only for tests: this party's shares are treated as public.
            let seen = task.local(count, true, 0, &[value], |_, given| given[0].to_vec()).expect("alive");
            let slot = Arc::new(Mutex::new(Vec::new()));
            let got = slot.clone();
            let reply = move |result: Result<Vec<_>, _>| {
                let number = |share| {
                    let mut bytes = [0; 1];
                    field.encode(share, &mut bytes);
                    u64::from(bytes[0])
                };
                *got.lock().expect("fine") = result.expect("shares").into_iter().map(number).collect();
            };
            task.read(&seen, reply).expect("public");
            slots.push(slot);
        }
    }
    simulation.run();
    assert!(simulation.error.is_none(), "{:?}", simulation.error);
    let shares: Vec<Vec<u64>> = slots.iter().map(|slot| slot.lock().expect("fine").clone()).collect();
    let values = shares.len() / size.0;
    (0..values)
        .map(|value| (0..size.0).map(|party| shares[party * values + value].clone()).collect())
        .collect()
}

#[test]
fn what_t_parties_hold_of_any_value_is_uniform() {
    let count = 24_200;
    for size in [(3, 1), (5, 2)] {
        let values = held(size, count, |task| {
            let a = input(task, 0, &vec![3; count]);
            let b = input(task, 1, &vec![1; count]);
            let product = task.mul(&a, &b)?;
            let xor = task.xor(&b, &b)?;
            let all = [task.random_bits(count)?, task.random(count)?, task.inverse(&a)?, task.sqrt(&a)?];
            let chosen = task.select(&b, &a, &product)?;
            let converted = task.from_bytes(&task.to_bytes(&b)?)?;
            Ok([a, b, product, xor, chosen, converted].into_iter().chain(all).collect())
        });
        for (number, shares) in values.iter().enumerate() {
            for first in 0..size.0 {
                let seen = |position: usize| {
                    let some = (0..size.1).map(|step| shares[(first + step) % size.0][position]);
                    some.fold(0, |cell, share| cell * 11 + share) as usize
                };
                let mut cells = vec![0usize; 11usize.pow(size.1 as u32)];
                (0..count).for_each(|position| cells[seen(position)] += 1);
                let expected = count as f64 / cells.len() as f64;
                let chi: f64 = cells.iter().map(|n| (*n as f64 - expected).powi(2) / expected).sum();
                // For f degrees of freedom chi² has mean f and variance 2f.
                let freedom = (cells.len() - 1) as f64;
                let limit = freedom + 6.0 * (2.0 * freedom).sqrt() + 8.0;
                assert!(chi < limit, "{size:?} value {number} parties from {first}: {chi} > {limit}");
            }
        }
    }
}
