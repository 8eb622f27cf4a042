//! The traffic of live sessions: nothing is repeated, and values are opened only to those who learn them.
//!
//! A live session garbles batch after batch under one delta, so anything that two batches have in common shows how their values
//! differ. Here the same inputs are given again and the same gates run again, in one session and in several.

use std::collections::HashSet;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::loopback::Site;
use crate::loopback::pair::{LIMIT, both, terms};
use crate::loopback::tap::Tap;
use tacit_engine::CancelFlag;
use tacit_engine::live::{LivePath, LiveValue, Script, SourcePlace, run_live_blocking, side_of};
use tacit_ir::{BinaryOp, Op, UnaryOp, ValueId, ValueType, Words};
use tacit_net::session::Transport;
use tacit_plan::{Recipients, Side};

const BITS: u32 = 32;

fn place() -> SourcePlace {
    SourcePlace { file: "test".into(), line: 1 }
}

/// Two parties whose links are tapped.
fn tapped() -> (Site, [Tap; 2]) {
    let (mut site, taps) = (Site::new(Transport::Tls, LIMIT), [Tap::default(), Tap::default()]);
    for (config, tap) in site.configs.iter_mut().zip(&taps) {
        config.wrap_frames = Some(tap.wrap());
    }
    (site, taps)
}

/// Runs a live session of both parties with the program that `write` writes.
fn live(site: &Site, write: impl Fn(&Script) + Sync) {
    both(|index| {
        let terms = terms(site, index);
        let script = Script::new(side_of(&terms.party, &terms.peer));
        let other = script.clone();
        thread::scope(|scope| {
            let engine = scope.spawn(move || run_live_blocking(terms, &other, &CancelFlag::new(), || ()));
            write(&script);
            script.close();
            engine.join().unwrap().unwrap();
        });
    });
}

/// An input of this many words, all 5.
fn fives(script: &Script, path: LivePath, giver: Side, lanes: u64) -> LiveValue {
    let words = Words::from_u128s(BITS, &vec![5; lanes as usize]);
    let ty = ValueType::word(BITS, lanes);
    script.input(path, giver, "x", ty, (giver == script.side()).then_some(words), &place()).unwrap()
}

fn calculate(script: &Script, path: LivePath, op: Op, operands: &[&LiveValue]) -> LiveValue {
    let operand = |value: ValueId| operands.get(value.index()).map(|operand| (*operand).clone());
    let ty = [operands[0].value_type()];
    script.operation(path, op, operand, None, &ty, &place()).unwrap().remove(0)
}

/// Opens a value and waits for it, so that later steps belong to a later batch.
fn open(script: &Script, path: LivePath, value: &LiveValue, to: Recipients) -> Option<Words> {
    let (tell, told) = channel();
    let opening = Box::new(move |opened| drop(tell.send(opened)));
    script.open(path, value, to, &place(), opening).unwrap();
    script.submit();
    told.recv_timeout(LIMIT + Duration::from_secs(10)).unwrap().unwrap()
}

const SESSIONS: usize = 2;
const BATCHES: usize = 3;

fn path_name(session: usize, batch: usize) -> String {
    format!("session {session}, batch {batch}")
}

/// Batches of the same gates on the same inputs, given again or not. Each segment ends with different NOTs, which are free, so that
/// their public hashes differ.
fn same_again(script: &Script, session: usize) {
    const LANES: u64 = 20;
    let mut first: Option<[LiveValue; 2]> = None;
    for batch in 0..BATCHES {
        let path = script.path(&path_name(session, batch)).unwrap();
        let given = [Side::Garbler, Side::Evaluator].map(|giver| fives(script, path, giver, LANES));
        let [x, y] = first.get_or_insert_with(|| given.clone());
        for (segment, operands) in [[&*x, &*y], [&given[0], &given[1]]].into_iter().enumerate() {
            let and = Op::Binary(BinaryOp::And, ValueId(0), ValueId(1));
            let mut made = calculate(script, path, and, &operands);
            for _ in 0..2 * (2 * (session * BATCHES + batch) + segment) {
                made = calculate(script, path, Op::Unary(UnaryOp::Not, ValueId(0)), &[&made]);
            }
            let opened = open(script, path, &made, Recipients::Both).unwrap();
            assert_eq!(opened, Words::from_u128s(BITS, &[5; LANES as usize]));
        }
        script.end(path);
    }
}

/// Fails if 16 bytes are repeated, except for public ones: the names of paths, and zeros in place of a hash.
fn assert_nothing_repeats(tap: &Tap, name: &str) {
    let identity = |name: String| {
        blake3::derive_key("tacit 2026 path of a live session, version 1", name.as_bytes())[..16].to_vec()
    };
    let all = (0..SESSIONS).flat_map(|session| (0..BATCHES).map(move |batch| path_name(session, batch)));
    let paths: HashSet<Vec<u8>> = all.map(identity).collect();
    let mut seen = HashSet::new();
    for mut stream in tap.sent() {
        let named: Vec<usize> =
            (0..stream.len().saturating_sub(15)).filter(|at| paths.contains(&stream[*at..at + 16])).collect();
        named.into_iter().for_each(|at| stream[at..at + 16].fill(0));
        for (place, window) in stream.windows(16).enumerate() {
            let public = window.iter().filter(|byte| **byte == 0).count() >= 8;
            assert!(
                public || seen.insert(window.to_vec()),
                "{name} sends bytes {place} to {} again",
                place + 16
            );
        }
    }
    assert!(seen.len() > 4000, "{name} sends too little");
}

#[test]
fn equal_batches_and_equal_sessions_send_nothing_twice() {
    let (site, taps) = tapped();
    for session in 0..SESSIONS {
        live(&site, |script| same_again(script, session));
    }
    for (tap, name) in taps.iter().zip(["A", "B"]) {
        assert_nothing_repeats(tap, name);
    }
}

/// Bytes that each party sends in a session that opens `lanes` words to some.
fn sent(to: Recipients, lanes: u64) -> [usize; 2] {
    let (site, taps) = tapped();
    live(&site, |script| {
        let path = script.path("main").unwrap();
        let x = fives(script, path, Side::Garbler, lanes);
        let opened = open(script, path, &x, to);
        let expected = to.include(script.side()).then(|| Words::from_u128s(BITS, &vec![5; lanes as usize]));
        assert_eq!(opened, expected, "{to:?}");
    });
    taps.map(|tap| tap.sent().iter().map(Vec::len).sum())
}

/// Anyone who gets the other's colours of a value's labels knows the value.
#[test]
fn colours_of_a_value_go_to_those_alone_who_learn_it() {
    const LANES: u64 = 1000;
    let colours = (LANES * u64::from(BITS) / 8) as usize;
    let [garbler, evaluator] = sent(Recipients::Both, LANES);
    // Everything else that is sent does not depend on who learns the value, except for a few bytes.
    let less = |some: usize, all: usize| some + colours / 2 < all;
    let [to_nobody, to_garbler] = sent(Recipients::Garbler, LANES);
    assert!(less(to_nobody, garbler), "B gets A's colours of what A alone learns: {to_nobody} bytes");
    assert!(!less(to_garbler, evaluator), "A learns the value of {to_garbler} bytes");
    let [to_evaluator, to_nobody] = sent(Recipients::Evaluator, LANES);
    assert!(less(to_nobody, evaluator), "A gets B's colours of what B alone learns: {to_nobody} bytes");
    assert!(!less(to_evaluator, garbler), "B learns the value of {to_evaluator} bytes");
}
