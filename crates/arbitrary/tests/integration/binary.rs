//! The binary form of programs.

use proptest::prelude::*;
use tacit_arbitrary::{self as arbitrary, Draw, Size};
use tacit_ir::Program;

/// What stands before the program itself: the magic number and the version.
const HEADER_BYTES: usize = 8;

/// What must hold for any bytes: they are refused, or they are what the program they give is written as.
fn check(bytes: &[u8]) {
    if let Ok(program) = Program::from_bytes(bytes) {
        assert_eq!(program.to_bytes(), bytes);
    }
}

#[test]
fn every_prefix_is_refused() {
    let bytes = arbitrary::program(3, &Size::default()).to_bytes();
    (0..bytes.len()).for_each(|end| assert!(Program::from_bytes(&bytes[..end]).is_err()));
}

/// A reader that allotted what a length says, before it has read as much, would end the process here.
#[test]
fn lengths_beyond_all_memory_are_refused() {
    for seed in 0..20 {
        let bytes =
            arbitrary::program(seed, &Size { operations: 8, templates: 2, ..Size::default() }).to_bytes();
        for position in HEADER_BYTES..bytes.len() {
            let mut huge = bytes.clone();
            huge.splice(position..position + 1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
            check(&huge);
        }
    }
}

proptest! {
    #[test]
    fn random_programs_come_back(program in arbitrary::programs(Size::default())) {
        let bytes = program.to_bytes();
        let again = Program::from_bytes(&bytes).unwrap();
        prop_assert_eq!(again.hash(), program.hash());
        prop_assert_eq!(again, program);
    }

    #[test]
    fn damage_is_refused_or_another_program(seed: u64, damage: u64) {
        let mut draw = Draw::new(damage);
        let mut bytes = arbitrary::program(seed % 1000, &Size::default()).to_bytes();
        for _ in 0..=draw.below(3) {
            let position = draw.below(bytes.len() as u64) as usize;
            match draw.below(6) {
                0 => bytes[position] ^= 1 << draw.below(8),
                1 => bytes[position] = draw.number() as u8,
                2 => drop(bytes.drain(position..(position + 1 + draw.below(9) as usize).min(bytes.len()))),
                3 => drop(bytes.splice(position..position, (0..=draw.below(9)).map(|_| draw.number() as u8))),
                4 => bytes.extend((0..=draw.below(9)).map(|_| draw.number() as u8)),
                _ => bytes.truncate(position.max(1)),
            }
        }
        check(&bytes);
    }
}
