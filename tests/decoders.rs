//! Decoders on what is nearly right: the corpus of each fuzz target, changed at random.
//!
//! With TACIT_FUZZ_SECONDS each target runs so long on bytes that no run before has seen; otherwise on a thousand that are
//! the same in every run.

#[path = "../fuzz/targets.rs"]
mod targets;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use targets::{TARGETS, Target};

/// No bytes take longer, on the slowest machine that runs the tests.
const LONGEST: Duration = Duration::from_secs(20);
/// Inputs are no longer than this.
const MAX_BYTES: usize = 1 << 16;
const ROUNDS: u64 = 1000;

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }

    /// A stretch of some bytes.
    fn stretch(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let start = self.below(bytes.len() + 1);
        start..(start + self.below(32)).min(bytes.len())
    }
}

/// Bytes that decoders treat in ways of their own.
const SPECIAL: [&[u8]; 16] = [
    b"0",
    b"-1",
    b"4294967295",
    b"18446744073709551615",
    b"99999999999999999999",
    b"\0",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"((((((((",
    b"[[[[[[[[",
    b"{",
    b"}",
    b"\"",
    b"\n",
    b"%0",
    b"!0",
    b"1e400",
];

fn mutate(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = corpus[random.below(corpus.len())].clone();
    for _ in 0..1 + random.below(6) {
        let at = random.stretch(&bytes);
        match random.below(8) {
            0 => bytes.iter_mut().skip(at.start).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
            1 => bytes.iter_mut().skip(at.start).take(1).for_each(|byte| *byte = random.next() as u8),
            2 => drop(bytes.drain(at)),
            3 => bytes.truncate(at.start),
            4 => drop(bytes.splice(at, SPECIAL[random.below(SPECIAL.len())].iter().copied())),
            5 => {
                let again = bytes[at.clone()].repeat(1 + random.below(40));
                drop(bytes.splice(at.start..at.start, again));
            }
            6 => {
                let other = &corpus[random.below(corpus.len())];
                let from = random.stretch(other);
                drop(bytes.splice(at, other[from].iter().copied()));
            }
            _ => {
                let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
                let (one, other) = (random.below(lines.len()), random.below(lines.len()));
                let mut lines = lines;
                if !lines.is_empty() {
                    lines.swap(one, other);
                }
                bytes = lines.concat();
            }
        }
    }
    bytes.truncate(MAX_BYTES);
    bytes
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(name);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("a corpus").flatten().map(|entry| entry.path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{name} has no corpus");
    paths.iter().map(|path| std::fs::read(path).expect("a file")).collect()
}

/// Runs a target on some bytes and keeps those that it does not bear.
fn run((name, target): Target, bytes: &[u8]) {
    let start = Instant::now();
    let borne = catch_unwind(AssertUnwindSafe(|| target(bytes)));
    let took = start.elapsed();
    if borne.is_err() || took > LONGEST {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.found"));
        std::fs::write(&path, bytes).expect("a file");
        panic!("{name} does not bear {} ({} bytes, {took:?})", path.display(), bytes.len());
    }
}

fn fuzz(name: &str) {
    let target = *TARGETS.iter().find(|(known, _)| *known == name).expect("a target");
    let corpus = corpus(name);
    corpus.iter().for_each(|bytes| run(target, bytes));
    let seconds = std::env::var("TACIT_FUZZ_SECONDS").ok();
    let seconds = seconds.map(|text| text.parse().expect("TACIT_FUZZ_SECONDS is a number of seconds"));
    let (mut random, end) = match seconds {
        Some(seconds) => {
            let seed = RandomState::new().build_hasher().finish();
            (Random(seed), Some(Instant::now() + Duration::from_secs(seconds)))
        }
        None => (Random(1), None),
    };
    let mut rounds = 0;
    while end.map_or(rounds < ROUNDS, |end| Instant::now() < end) {
        run(target, &mutate(&mut random, &corpus));
        rounds += 1;
    }
}

macro_rules! decoders {
    ($($name:ident)*) => {
        $(#[test] fn $name() { fuzz(stringify!($name)); })*

        #[test]
        fn every_target_is_run() {
            let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

decoders!(ir_binary ir_text circuit aiger blif netlist session inputs llvm frame);
