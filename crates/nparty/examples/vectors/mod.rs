//! The compiled program that examples measure: products of vectors of two parties.

use tacit_ir::{Builder, Program, Shape, Words};

use crate::meeting::Result;

/// Products of so many numbers of 32 bits of A and B, for both.
pub fn products(lanes: u32) -> Result<Program> {
    let mut program = Builder::new("products");
    let [a, b] = ["A", "B"].map(|role| program.role(role));
    let integer = Shape::Integer { bits: 32, signed: false };
    let array = Shape::Array { length: lanes, element: Box::new(integer) };
    let (x, y) = (program.input("x", a, array.clone())?, program.input("y", b, array.clone())?);
    let z = program.output("z", vec![a, b], array)?;
    let mut main = program.template("main", vec![]);
    let (x, y) = (main.input(&program, x)?[0], main.input(&program, y)?[0]);
    let product = main.mul(x, y)?;
    main.output(&program, z, &[product])?;
    Ok(program.finish(main)?)
}

/// The numbers of a party, the same every time.
pub fn numbers(lanes: u32, party: usize) -> Words {
    let number = |i: u32| u128::from((u64::from(i) + party as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32);
    Words::from_u128s(32, &(0..lanes).map(number).collect::<Vec<_>>())
}

/// The product in one lane.
pub fn product(lanes: u32, lane: u64) -> u128 {
    (numbers(lanes, 0).low_u128(lane) * numbers(lanes, 1).low_u128(lane)) & 0xffff_ffff
}
