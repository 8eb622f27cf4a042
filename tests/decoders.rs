//! Decoders on what is nearly right: the corpus of each fuzz target, changed at random.
//!
//! With TACIT_FUZZ_SECONDS each target runs so long on bytes that no run before has seen; otherwise on a thousand that are
//! the same in every run.

#[path = "../fuzz/targets.rs"]
mod targets;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
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

/// Writes bytes that a target does not bear to a file, and tells which.
fn keep(name: &str, bytes: &[u8], took: Duration) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.found"));
    std::fs::write(&path, bytes).expect("a file");
    format!("{name} does not bear {} ({} bytes, {took:?})", path.display(), bytes.len())
}

/// Bytes, and when a target began to work on them.
type Begun = (Vec<u8>, Instant);

/// What a target works on, if it does.
#[derive(Clone, Default)]
struct Current(Arc<Mutex<Option<Begun>>>);

impl Current {
    fn set(&self, current: Option<Begun>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = current;
    }

    /// What it has worked on for longer than `limit`.
    fn stuck(&self, limit: Duration) -> Option<(Vec<u8>, Duration)> {
        let current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (bytes, took) = current.as_ref().map(|(bytes, start)| (bytes, start.elapsed()))?;
        (took > limit).then(|| (bytes.clone(), took))
    }
}

/// Runs a target on some bytes and keeps those that it does not bear.
fn run((name, target): Target, bytes: Vec<u8>, current: &Current) {
    let start = Instant::now();
    current.set(Some((bytes.clone(), start)));
    let borne = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
    current.set(None);
    let took = start.elapsed();
    assert!(borne.is_ok() && took <= LONGEST, "{}", keep(name, &bytes, took));
}

/// Does the work on a thread of its own, and ends the process where a target does not return: no thread can be stopped.
fn watched(name: &'static str, limit: Duration, work: impl FnOnce(&Current) + Send + 'static) {
    let current = Current::default();
    let (done, ended) = mpsc::channel::<()>();
    let seen = current.clone();
    let worker = std::thread::spawn(move || {
        let _done = done;
        work(&seen);
    });
    while ended.recv_timeout(limit / 4) == Err(mpsc::RecvTimeoutError::Timeout) {
        if let Some((bytes, took)) = current.stuck(limit) {
            // Past what holds back the output of tests.
            let _ = writeln!(std::io::stderr(), "{}: it does not return", keep(name, &bytes, took));
            std::process::exit(1);
        }
    }
    if let Err(panic) = worker.join() {
        std::panic::resume_unwind(panic);
    }
}

fn fuzz(name: &'static str) {
    watched(name, LONGEST, move |current| work(name, current));
}

fn work(name: &str, current: &Current) {
    let target = *TARGETS.iter().find(|(known, _)| *known == name).expect("a target");
    let corpus = corpus(name);
    corpus.iter().for_each(|bytes| run(target, bytes.clone(), current));
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
        run(target, mutate(&mut random, &corpus), current);
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

decoders!(
    ir_binary ir_text circuit aiger blif netlist session inputs llvm frame
    greeting store_index store_segment stored_share live_header live_inputs live_names interface
    parties_messages parties_dealt_messages parties_holdings parties_material prepared pool paillier dgk elgamal bfv half
);

/// What libFuzzer can drive is what is driven here.
#[test]
fn every_target_is_a_binary() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/Cargo.toml");
    let manifest: toml::Table = std::fs::read_to_string(path).expect("a file").parse().expect("a manifest");
    let binaries = manifest["bin"].as_array().expect("binaries");
    let text = |binary: &toml::Value, key: &str| binary[key].as_str().expect("a text").to_owned();
    assert!(binaries.iter().all(|binary| text(binary, "path") == "target.rs"));
    let names: Vec<String> = binaries.iter().map(|binary| text(binary, "name")).collect();
    assert_eq!(names, TARGETS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

/// Set where this binary is to run a target that does not return.
const STUCK: &str = "TACIT_FUZZ_STUCK";

#[test]
fn a_target_that_does_not_return_ends_the_run() {
    if std::env::var_os(STUCK).is_some() {
        let endless: Target = ("endless", |_| {
            loop {
                std::thread::park();
            }
        });
        return watched("endless", Duration::from_millis(100), move |current| {
            run(endless, b"bytes".to_vec(), current);
        });
    }
    let binary = std::env::current_exe().expect("a path");
    let mut command = Command::new(binary);
    let output =
        command.env(STUCK, "1").args(["--exact", "a_target_that_does_not_return_ends_the_run"]).output();
    let output = output.expect("a process");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("endless does not bear") && said.contains("does not return"), "{said}");
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("endless.found");
    assert_eq!(std::fs::read(&kept).expect("a file"), b"bytes");
    std::fs::remove_file(&kept).expect("a file");
}
