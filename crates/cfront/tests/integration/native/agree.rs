//! Comparing a program with the natively compiled one on random inputs.

use std::path::Path;

use tacit_cfront::{Optimisation, Options, compile};
use tacit_ir::{Column, Program, Words, interpret};

use super::{Directives, Native};

const TRIALS: usize = 24;

/// A small generator, so that a failure can be repeated.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A float: any, a small integer, one at an end of the range or beyond it, or one near 1.
    fn float(&mut self, bits: u32) -> u128 {
        let (any, small) = (self.next(), (self.next() % 64) as f64 / 4.0 - 8.0);
        let small = if bits == 32 { (small as f32).to_bits().into() } else { small.to_bits() };
        let fraction = if bits == 32 { 23 } else { 52 };
        let infinity = ((1u64 << (bits - 1 - fraction)) - 1) << fraction;
        let sign = any & 1 << (bits - 1);
        u128::from(match self.next() % 8 {
            0..=2 => any,
            3 | 4 => small,
            5 => sign | infinity.wrapping_add(any % 3).wrapping_sub(1),
            6 => sign | (any % 3),
            _ => sign | (infinity >> 1) & infinity | any & ((1 << (fraction + 2)) - 1),
        })
    }

    /// Any value, a small one, one near zero or one at an end of the range.
    fn value(&mut self, column: &Column) -> u128 {
        if column.float {
            return self.float(column.bits);
        }
        let any = u128::from(self.next()) << 64 | u128::from(self.next());
        match self.next() % 8 {
            0..=2 => any,
            3 | 4 => any % 16,
            5 => (any % 4).wrapping_sub(2),
            6 => (1u128 << (column.bits.min(128) - 1)).wrapping_add(any % 3).wrapping_sub(1),
            _ => any % 256,
        }
    }

    pub fn inputs(&mut self, program: &Program) -> Vec<Vec<Words>> {
        let column = |random: &mut Random, column: &Column| {
            let values: Vec<u128> = (0..column.lanes).map(|_| random.value(column)).collect();
            Words::from_u128s(column.bits, &values)
        };
        let ports = program.inputs.iter();
        ports.map(|port| port.shape.columns().iter().map(|one| column(self, one)).collect()).collect()
    }
}

fn masked(value: u128, bits: u32) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

/// Compiles a program in both ways and compares each with the native one.
pub fn check(source: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(source).expect("a source");
    let directives = Directives::of(&text);
    let mut native = None;
    for optimisation in [Optimisation::One, Optimisation::None] {
        let mut options = Options::new(super::compiler());
        options.function = directives.function.clone();
        options.optimisation = optimisation;
        let compiled = compile(&[source], &options).map_err(|error| format!("{optimisation:?}: {error}"))?;
        let program = compiled.program;
        program.validate().map_err(|error| error.to_string())?;
        let native = native.get_or_insert_with(|| Native::compile(source, &program, &directives));
        let mut random = Random(7);
        let trials: Vec<_> = (0..TRIALS).map(|_| random.inputs(&program)).collect();
        let expected = native.run(&trials, &program);
        if expected.len() != trials.len() {
            return Err(format!("the native program ended after {} runs", expected.len()));
        }
        for (trial, expected) in trials.iter().zip(expected) {
            let outputs = interpret(&program, trial, || 0).map_err(|error| error.to_string())?;
            compare(&program, trial, &outputs, &expected)
                .map_err(|error| format!("{optimisation:?}: {error}"))?;
        }
    }
    Ok(())
}

fn compare(
    program: &Program,
    inputs: &[Vec<Words>],
    outputs: &[Vec<Words>],
    expected: &[u128],
) -> Result<(), String> {
    let mut expected = expected.iter();
    for (port, columns) in program.outputs.iter().zip(outputs) {
        for (column, words) in columns.iter().enumerate() {
            for lane in 0..words.lanes() {
                let native = expected.next().ok_or("too few native outputs")?;
                let native = masked(*native, words.bits());
                if words.low_u128(lane) != native {
                    let (name, ours) = (&port.name, words.low_u128(lane));
                    return Err(format!(
                        "{name}, column {column}, lane {lane}: {ours:x}, native {native:x}, of {inputs:?}"
                    ));
                }
            }
        }
    }
    Ok(())
}
