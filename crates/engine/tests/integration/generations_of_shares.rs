//! Shares of values that are kept again: one party's old folder and the other's new one reveal nothing about the value
//! together.
//!
//! A value that is kept as it was read, or as a sum of values that were read, would otherwise keep its sharing: anyone
//! who has A's backup from before and B's folder from after could combine two shares of one sharing.

use crate::loopback::balance::Pair;
use crate::loopback::jobs_of;
use crate::loopback::pair::both;
use tacit_engine::live::{Script, SourcePlace, run_live_blocking, side_of};
use tacit_engine::{CancelFlag, block_on};
use tacit_ir::{Builder, Domain, PortId, Program, STORED_ROLE, Shape, Words};
use tacit_plan::PlanOptions;

const BITS: u32 = 8;
const LANES: u32 = 512;

fn shape() -> Shape {
    Shape::Array { length: LANES, element: Shape::Integer { bits: BITS, signed: false }.into() }
}

/// The kept value: the same byte in every lane.
fn value(byte: u8) -> Words {
    Words::from_u128s(BITS, &vec![u128::from(byte); LANES as usize])
}

/// `x` of A is kept as `v`.
fn first(domain: Domain) -> Program {
    let mut builder = Builder::new("first");
    let [a, _, kept] = ["A", "B", STORED_ROLE].map(|name| builder.role(name));
    let x = builder.input("x", a, shape()).unwrap();
    let v = builder.output("v", vec![kept], shape()).unwrap();
    let mut main = builder.template("main", vec![]);
    let x = main.input(&builder, x).unwrap()[0];
    let x = main.pin(domain, x).unwrap();
    main.output(&builder, v, &[x]).unwrap();
    builder.finish(main).unwrap()
}

/// `v` is kept again: as it is, or with the constant 1 added (in `arith`) or with its bits flipped.
fn again(domain: Domain, changed: bool) -> Program {
    let mut builder = Builder::new("again");
    let [_, _, kept] = ["A", "B", STORED_ROLE].map(|name| builder.role(name));
    let old = builder.input("v", kept, shape()).unwrap();
    let new = builder.output("v", vec![kept], shape()).unwrap();
    let mut main = builder.template("main", vec![]);
    let old = main.input(&builder, old).unwrap()[0];
    let mut v = main.pin(domain, old).unwrap();
    if changed {
        v = match domain {
            Domain::Arith => {
                let one = main.constant(value(1)).unwrap();
                main.add(v, one).unwrap()
            }
            _ => {
                let ones = main.constant(value(0xff)).unwrap();
                main.xor(v, ones).unwrap()
            }
        };
        v = main.pin(domain, v).unwrap();
    }
    main.output(&builder, new, &[v]).unwrap();
    builder.finish(main).unwrap()
}

/// Runs a program in which A gives `x`.
fn run(pair: &Pair, program: &Program, x: Option<u8>) {
    let mut jobs = jobs_of(program, [vec![], vec![]], pair.site(), &PlanOptions::default());
    if let Some(x) = x {
        jobs[0].inputs = vec![(PortId(0), vec![value(x)])];
    }
    both(|index| {
        let store = pair.store(index);
        block_on(tacit_engine::run(&jobs[index], Some(store), &CancelFlag::new())).unwrap()
    });
}

/// A live session that keeps `v` as it was read.
fn run_live(pair: &Pair) {
    let site = pair.site();
    both(|index| {
        let mut terms = crate::loopback::pair::terms(&site, index);
        terms.shares = Some(pair.store(index));
        let script = Script::new(side_of(&terms.party, &terms.peer));
        let place = SourcePlace { file: "test".into(), line: 1 };
        std::thread::scope(|scope| {
            let (ready, met) = std::sync::mpsc::channel();
            let other = script.clone();
            let engine = scope.spawn(move || {
                run_live_blocking(terms, &other, &CancelFlag::new(), move || ready.send(()).unwrap())
            });
            met.recv().unwrap();
            let path = script.path("main").unwrap();
            let v = script.stored(path, "v", &shape(), &place).unwrap();
            script.keep(path, "v", &shape(), &v, &place).unwrap();
            script.close();
            engine.join().unwrap().unwrap();
        });
    });
}

/// The shares that both parties have of `v`, byte by byte.
fn shares(pair: &Pair) -> [Vec<u8>; 2] {
    [0, 1].map(|index| {
        let columns = pair.store(index).share("v").unwrap();
        (0..u64::from(LANES)).map(|lane| columns[0].low_u128(lane) as u8).collect()
    })
}

/// The value that two shares would have.
fn together(domain: Domain, [a, b]: [&[u8]; 2]) -> Vec<u8> {
    let sum = |(a, b): (&u8, &u8)| if domain == Domain::Arith { a.wrapping_add(*b) } else { a ^ b };
    a.iter().zip(b).map(sum).collect()
}

/// Pearson's statistic of the upper halves of bytes against the uniform distribution: 15 degrees of freedom.
fn chi_squared(bytes: &[u8]) -> f64 {
    let mut counts = [0f64; 16];
    bytes.iter().for_each(|byte| counts[usize::from(byte >> 4)] += 1.0);
    let expected = bytes.len() as f64 / 16.0;
    counts.iter().map(|count| (count - expected).powi(2) / expected).sum()
}

/// A uniform distribution exceeds it with a probability of 10^-12.
const LIMIT: f64 = 93.0;

fn check(domain: Domain, byte: u8, keep_again: impl Fn(&Pair) -> u8) -> Vec<u8> {
    let pair = Pair::new();
    run(&pair, &first(domain), Some(byte));
    let old = shares(&pair);
    assert_eq!(together(domain, [&old[0], &old[1]]), vec![byte; LANES as usize], "{domain:?}");
    let wanted = keep_again(&pair);
    let new = shares(&pair);
    assert_eq!(together(domain, [&new[0], &new[1]]), vec![wanted; LANES as usize], "{domain:?}");
    // The words that renewed the shares look random: they depend on no value, and differ in every lane.
    for [a, b] in [[&old[0], &new[1]], [&new[0], &old[1]], [&old[0], &new[0]], [&old[1], &new[1]]] {
        let mixed = together(domain, [a, b]);
        let statistic = chi_squared(&mixed);
        assert!(statistic < LIMIT, "{domain:?}, {byte}: shares of two generations are related, {statistic}");
        let known = mixed.iter().filter(|found| **found == wanted || **found == byte).count();
        assert!(
            known < 32,
            "{domain:?}: two generations of shares are the value in {known} of {LANES} lanes"
        );
    }
    together(domain, [&old[0], &new[1]])
}

#[test]
fn shares_of_two_generations_say_nothing_of_a_value_in_any_domain() {
    for domain in [Domain::Bool, Domain::Arith, Domain::Yao] {
        let unchanged = |pair: &Pair, byte| {
            run(pair, &again(domain, false), None);
            byte
        };
        // The words differ for two values, and for one value kept twice: two runs have nothing in common.
        let mixed = [0, 0, 0x5a].map(|byte| check(domain, byte, |pair| unchanged(pair, byte)));
        for [a, b] in [[0, 1], [0, 2], [1, 2]] {
            let equal = mixed[a].iter().zip(&mixed[b]).filter(|(a, b)| a == b).count();
            assert!(equal < 32, "{domain:?}: {equal} of {LANES} lanes are the same in two runs");
        }
        check(domain, 7, |pair| {
            run(pair, &again(domain, true), None);
            if domain == Domain::Arith { 8 } else { 7 ^ 0xff }
        });
    }
}

#[test]
fn shares_of_a_live_session_say_nothing_with_those_it_read() {
    for domain in [Domain::Bool, Domain::Yao] {
        check(domain, 0x33, |pair| {
            run_live(pair);
            0x33
        });
    }
}

#[test]
fn many_generations_stay_the_value() {
    for domain in [Domain::Bool, Domain::Arith] {
        let pair = Pair::new();
        run(&pair, &first(domain), Some(3));
        let mut seen = vec![shares(&pair)];
        for _ in 0..3 {
            run(&pair, &again(domain, false), None);
            let now = shares(&pair);
            for before in &seen {
                assert!(chi_squared(&together(domain, [&before[0], &now[1]])) < LIMIT, "{domain:?}");
            }
            seen.push(now);
        }
        assert_eq!(together(domain, [&seen[3][0], &seen[3][1]]), vec![3; LANES as usize]);
    }
}
