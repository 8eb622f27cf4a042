//! The compiled programs that examples measure: vectors of two parties.

use tacit_ir::{BuildError, Builder, Program, Shape, TemplateBuilder, ValueId, Words};

use crate::meeting::Result;

/// The computation on two vectors, lane by lane.
type Compute = fn(&mut TemplateBuilder, ValueId, ValueId) -> std::result::Result<ValueId, BuildError>;

/// A program on this many numbers of A and B with this many bits, whose results of `result_bits` bits go to
/// both.
pub fn of_two((bits, lanes): (u32, u32), result_bits: u32, compute: Compute) -> Result<Program> {
    let mut program = Builder::new("vectors");
    let [a, b] = ["A", "B"].map(|role| program.role(role));
    let array =
        |bits| Shape::Array { length: lanes, element: Box::new(Shape::Integer { bits, signed: false }) };
    let (x, y) = (program.input("x", a, array(bits))?, program.input("y", b, array(bits))?);
    let z = program.output("z", vec![a, b], array(result_bits))?;
    let mut main = program.template("main", vec![]);
    let (x, y) = (main.input(&program, x)?[0], main.input(&program, y)?[0]);
    let result = compute(&mut main, x, y)?;
    main.output(&program, z, &[result])?;
    Ok(program.finish(main)?)
}

/// Products of this many numbers of 32 bits of A and B, for both.
pub fn products(lanes: u32) -> Result<Program> {
    of_two((32, lanes), 32, |main, x, y| main.mul(x, y))
}

/// The numbers of a party with this many bits, the same in every run.
pub fn numbers_of(bits: u32, lanes: u32, party: usize) -> Words {
    let number = |i: u32| (u64::from(i) + party as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits);
    Words::from_u128s(bits, &(0..lanes).map(|i| number(i).into()).collect::<Vec<_>>())
}

/// Numbers of 32 bits.
pub fn numbers(lanes: u32, party: usize) -> Words {
    numbers_of(32, lanes, party)
}

/// The product in one lane.
pub fn product(lanes: u32, lane: u64) -> u128 {
    (numbers(lanes, 0).low_u128(lane) * numbers(lanes, 1).low_u128(lane)) & 0xffff_ffff
}
