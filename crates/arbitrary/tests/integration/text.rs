//! The text form of programs.

use proptest::prelude::*;
use tacit_arbitrary::{self as arbitrary, Size};
use tacit_ir::Program;

proptest! {
    #[test]
    fn random_programs_come_back(program in arbitrary::programs(Size::default())) {
        let text = program.to_text();
        prop_assert_eq!(Program::parse_text(&text), Ok(program));
    }
}
