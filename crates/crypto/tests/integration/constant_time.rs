//! No branch, address or time of the portable kernels depends on a secret.
//!
//! One test marks secrets as undefined and runs the kernels under valgrind's memcheck, which reports each branch and
//! address that depends on undefined memory (Langley's *ctgrind*). Another compares times on fixed and on random inputs
//! (Reparaz, Balasch, Verbauwhede, *Dude, is my code constant time?*, DATE 2017). Both are run by `make test-long`.
#![allow(unsafe_code)]

use std::process::{Command, Stdio};
use std::time::Instant;
use tacit_crypto::aes::Aes128;
use tacit_crypto::half_gates::{self, AndGates, Delta, TABLE_BYTES, Tweaks};
use tacit_crypto::mitccrh::Mitccrh;
use tacit_crypto::three_halves::{self, GATE_BYTES};
use tacit_crypto::{Backend, Prg};
use tacit_math::Block;

/// Requests to memcheck, as its `memcheck.h` numbers them.
const MAKE_UNDEFINED: u64 = 0x4d43_0001;
const MAKE_DEFINED: u64 = 0x4d43_0002;

/// Asks valgrind for something; does nothing elsewhere.
#[cfg(target_arch = "x86_64")]
fn request(code: u64, bytes: &[u8]) {
    let arguments = [code, bytes.as_ptr() as u64, bytes.len() as u64, 0, 0, 0];
    // SAFETY: the rotations cancel out, and exchanging a register with itself does nothing; valgrind
    // recognises the sequence, reads the six arguments and only changes its record of the memory.
    unsafe {
        core::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            inout("rdx") 0u64 => _,
            in("rax") arguments.as_ptr(),
            options(nostack),
        );
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn request(_: u64, _: &[u8]) {}

pub(crate) fn secret(blocks: &mut [Block]) {
    request(MAKE_UNDEFINED, Block::as_bytes_mut(blocks));
}

pub(crate) fn public(bytes: &mut [u8]) {
    request(MAKE_DEFINED, bytes);
}

/// Five gates with every flip over three lanes, from slots 0 to 3 to slots 4 to 8.
const A: [u32; 5] = [0, 1, 2, 3, 0];
const B: [u32; 5] = [1, 2, 3, 0, 0];
const OUT: [u32; 5] = [4, 5, 6, 7, 8];
const FLIPS: [u8; 5] = [0, 1, 2, 3, 0];
const SLOTS: usize = 9;
const WIDTH: usize = 3;
const COUNT: usize = A.len() * WIDTH;
const TWEAKS: Tweaks = Tweaks { start: Block(99), first_id: 7, lane_stride: 5 };

/// All kernels on these labels, under this delta.
struct Run {
    labels: Vec<Block>,
    delta: Delta,
    tables: Vec<u8>,
    controls: Vec<u8>,
}

impl Run {
    fn new(labels: Vec<Block>, delta: Block) -> Run {
        let delta = Delta::new(delta);
        Run { labels, delta, tables: vec![0; COUNT * TABLE_BYTES], controls: vec![0; COUNT] }
    }

    fn garble(&mut self) {
        let gates = AndGates::new(&A, &B, &OUT, &FLIPS, SLOTS).unwrap();
        let Run { labels, delta, tables, .. } = self;
        half_gates::garble_on(Backend::PORTABLE, labels, WIDTH, gates, delta, TWEAKS, tables).unwrap();
    }

    fn evaluate(&mut self) {
        let gates = AndGates::new(&A, &B, &OUT, &FLIPS, SLOTS).unwrap();
        let Run { labels, tables, .. } = self;
        half_gates::evaluate_on(Backend::PORTABLE, labels, WIDTH, gates, TWEAKS, tables).unwrap();
    }

    fn garble_three_halves(&mut self) {
        let gates = AndGates::new(&A, &B, &OUT, &FLIPS, SLOTS).unwrap();
        let Run { labels, delta, tables, controls } = self;
        let tables = &mut tables[..COUNT * GATE_BYTES];
        three_halves::garble_on(Backend::PORTABLE, labels, WIDTH, gates, delta, TWEAKS, tables, controls)
            .unwrap();
    }

    fn evaluate_three_halves(&mut self) {
        let gates = AndGates::new(&A, &B, &OUT, &FLIPS, SLOTS).unwrap();
        let Run { labels, tables, controls, .. } = self;
        let tables = &tables[..COUNT * GATE_BYTES];
        three_halves::evaluate_on(Backend::PORTABLE, labels, WIDTH, gates, TWEAKS, tables, controls).unwrap();
    }

    /// The values that are sent are public.
    fn publish(&mut self) {
        public(&mut self.tables);
        public(&mut self.controls);
    }
}

/// Run under valgrind by the test below; alone it only computes.
#[test]
fn kernels_on_secrets() {
    let mut labels = vec![Block(5); SLOTS * WIDTH];
    let mut delta = [Block(0x77)];
    secret(&mut labels);
    secret(&mut delta);
    let mut run = Run::new(labels, delta[0]);
    run.garble();
    run.publish();
    run.evaluate();
    run.garble_three_halves();
    run.publish();
    run.evaluate_three_halves();

    let mut blocks = vec![Block(3); 37];
    let mut others = blocks.clone();
    let mut key = [Block(9)];
    for secrets in [&mut blocks[..], &mut others, &mut key] {
        secret(secrets);
    }
    Aes128::on(Backend::PORTABLE, key[0]).encrypt_blocks(&mut blocks);
    Mitccrh::on(Backend::PORTABLE, Block(4)).hash_both(1, delta[0], &mut blocks, &mut others);
    Prg::on(Backend::PORTABLE, key[0]).fill(&mut blocks);
    for secrets in [&mut blocks[..], &mut others, &mut key, &mut delta, &mut run.labels] {
        public(Block::as_bytes_mut(secrets));
    }
}

/// A branch on a secret, so that the test below can check that valgrind detects one.
#[test]
#[ignore = "only under valgrind"]
fn a_branch_on_a_secret() {
    let mut block = [Block(1)];
    secret(&mut block);
    if std::hint::black_box(block[0]).lsb() {
        std::hint::black_box(&block);
    }
    public(Block::as_bytes_mut(&mut block));
}

/// Whether valgrind finds nothing in a test of this file; none if valgrind is not installed.
pub(crate) fn clean(test: &str) -> Option<bool> {
    let status = Command::new("valgrind")
        .args(["--quiet", "--error-exitcode=99"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--include-ignored", "--test-threads=1"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    assert!(matches!(status.code(), Some(0 | 99)), "{test}: {status}");
    Some(status.success())
}

#[test]
#[ignore = "takes a minute"]
#[cfg(target_arch = "x86_64")]
fn valgrind_finds_no_branch_or_address_that_depends_on_a_secret() {
    match (clean("constant_time::a_branch_on_a_secret"), clean("constant_time::kernels_on_secrets")) {
        (Some(leaky), Some(kernels)) => {
            assert!(!leaky, "valgrind does not see a branch on a secret");
            assert!(kernels, "run valgrind on this file's kernels_on_secrets to see where");
        }
        _ => eprintln!("valgrind is not installed: branches on secrets not looked for"),
    }
}

/// Welch's t of two samples.
fn welch(samples: &[Vec<f64>; 2]) -> f64 {
    let moments = samples.each_ref().map(|sample| {
        let count = sample.len() as f64;
        let mean = sample.iter().sum::<f64>() / count;
        let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0);
        (mean, variance / count)
    });
    let [(a, spread_a), (b, spread_b)] = moments;
    (a - b) / (spread_a + spread_b).sqrt()
}

type Kernel = fn(&mut Run);

/// The t of times on fixed and on random inputs, leaving out the slowest tenth of each.
fn time_difference(kernel: Kernel) -> f64 {
    const SAMPLES: usize = 20_000;
    let mut prg = Prg::new(Block(1));
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..SAMPLES {
        let class = usize::from(prg.next_block().lsb());
        let mut labels = vec![Block::ZERO; SLOTS * WIDTH];
        let mut delta = [Block::ZERO];
        // Both classes draw random labels, so that both find the caches in the same state.
        let mut drawn = labels.clone();
        prg.fill(&mut drawn);
        prg.fill(&mut delta);
        let keep = Block::mask(class == 1);
        labels.iter_mut().zip(&drawn).for_each(|(label, &drawn)| *label = drawn & keep);
        let mut run = Run::new(labels, delta[0] & keep);
        let start = Instant::now();
        kernel(std::hint::black_box(&mut run));
        times[class].push(start.elapsed().as_nanos() as f64);
    }
    for sample in &mut times {
        sample.sort_by(f64::total_cmp);
        sample.truncate(sample.len() * 9 / 10);
    }
    welch(&times)
}

/// Generous: a table or branch that depends on a secret gives a t of hundreds. Another process may disturb one attempt.
#[test]
#[ignore = "measures times"]
fn times_on_fixed_and_random_inputs_are_alike() {
    let kernels: [(&str, Kernel); 4] = [
        ("garble", Run::garble),
        ("evaluate", Run::evaluate),
        ("garble three halves", Run::garble_three_halves),
        ("evaluate three halves", Run::evaluate_three_halves),
    ];
    for (name, kernel) in kernels {
        let found: Vec<f64> = (0..4).map(|_| time_difference(kernel)).collect();
        assert!(found.iter().any(|t| t.abs() < 10.0), "{name}: t = {found:?}");
    }
}
