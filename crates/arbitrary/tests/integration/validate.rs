//! Validation of programs.

use tacit_arbitrary::{self as arbitrary, Draw, Size};
use tacit_ir::{Body, Program, interpret};

/// Programs with parts of others in them are refused or run; nothing panics.
#[test]
fn mixed_up_programs_do_no_harm() {
    let size = Size { lanes: 8, value_bits: 512, work: 1 << 16, ..Size::default() };
    let mut valid = 0;
    for seed in 0..3000 {
        let mut draw = Draw::new(seed);
        let mut program = arbitrary::program(seed, &size);
        let other = arbitrary::program(seed + 1, &size);
        for _ in 0..=draw.below(2) {
            let template = draw.below(program.templates.len() as u64) as usize;
            match draw.below(4) {
                0 => program.templates[template] = other.templates[draw.below(5) as usize].clone(),
                1 => drop(program.templates.remove(template)),
                2 => program.inputs.clone_from(&other.inputs),
                _ => {
                    if let Body::Operations { operations, .. } = &mut program.templates[template].body {
                        let last = operations.len() as u64;
                        if last > 0 {
                            operations.swap(draw.below(last) as usize, draw.below(last) as usize);
                        }
                    }
                }
            }
            if program.templates.is_empty() {
                break;
            }
        }
        if program.validate().is_ok() {
            valid += 1;
            interpret(&program, &arbitrary::inputs(&program, seed), || 0).unwrap();
        }
        let text = program.to_text();
        assert_eq!(Program::parse_text(&text).is_ok(), program.validate().is_ok());
    }
    assert!(valid > 100, "{valid}");
}
