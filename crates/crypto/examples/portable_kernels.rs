//! Runs a portable kernel a fixed number of times, for counting its instructions under valgrind's callgrind.
//!
//! `portable_kernels KERNEL CALLS`, with a kernel of `aes`, `mitccrh`, `garble`, `evaluate`. A call works on
//! [`UNITS`] blocks or ANDs. The difference between two numbers of calls is the kernel alone.

use std::error::Error;
use std::hint::black_box;

use tacit_crypto::aes::Aes128;
use tacit_crypto::half_gates::{AndGates, Delta, TABLE_BYTES, Tweaks, evaluate_on, garble_on};
use tacit_crypto::mitccrh::Mitccrh;
use tacit_crypto::{Backend, Prg};
use tacit_math::Block;

/// Units of work in a call.
const UNITS: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kernel, calls] = &arguments[..] else {
        return Err("usage: portable_kernels KERNEL CALLS".into());
    };
    let calls: u64 = calls.parse()?;
    match kernel.as_str() {
        "aes" => aes(calls),
        "mitccrh" => mitccrh(calls),
        "garble" => garble(calls)?,
        "evaluate" => evaluate(calls)?,
        other => return Err(format!("no kernel {other}").into()),
    }
    Ok(())
}

fn random_blocks(count: usize) -> Vec<Block> {
    let mut blocks = vec![Block::ZERO; count];
    Prg::new(Block(1)).fill(&mut blocks);
    blocks
}

fn aes(calls: u64) {
    let mut blocks = random_blocks(UNITS);
    let cipher = Aes128::on(Backend::PORTABLE, Block(7));
    (0..calls).for_each(|_| cipher.encrypt_blocks(black_box(&mut blocks)));
}

fn mitccrh(calls: u64) {
    let mut blocks = random_blocks(UNITS);
    let hash = Mitccrh::on(Backend::PORTABLE, Block(5));
    (0..calls).for_each(|call| hash.hash(call * UNITS as u64, black_box(&mut blocks)));
}

/// One AND over as many lanes as there are units.
struct Layer {
    labels: Vec<Block>,
    tables: Vec<u8>,
}

const SLOTS: usize = 3;

impl Layer {
    fn new() -> Layer {
        Layer { labels: random_blocks(SLOTS * UNITS), tables: vec![0; UNITS * TABLE_BYTES] }
    }

    fn tweaks(call: u64) -> Tweaks {
        Tweaks { start: Block(77), first_id: call * UNITS as u64, lane_stride: 1 }
    }
}

fn garble(calls: u64) -> Result<(), Box<dyn Error>> {
    let mut layer = Layer::new();
    let delta = Delta::new(Block(0x1357_9bdf_0246_8ace_1122_3344_5566_7788));
    let gates = AndGates::new(&[0], &[1], &[2], &[0], SLOTS)?;
    for call in 0..calls {
        let Layer { labels, tables } = &mut layer;
        garble_on(Backend::PORTABLE, labels, UNITS, gates, &delta, Layer::tweaks(call), black_box(tables))?;
    }
    Ok(())
}

fn evaluate(calls: u64) -> Result<(), Box<dyn Error>> {
    let mut layer = Layer::new();
    let gates = AndGates::new(&[0], &[1], &[2], &[0], SLOTS)?;
    for call in 0..calls {
        let Layer { labels, tables } = &mut layer;
        evaluate_on(Backend::PORTABLE, black_box(labels), UNITS, gates, Layer::tweaks(call), tables)?;
    }
    Ok(())
}
