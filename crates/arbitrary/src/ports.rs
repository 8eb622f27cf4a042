//! Inputs, outputs and `main`.

use tacit_ir::{Builder, Program, RoleId, Shape};

use crate::operations::{FITS, Writer};
use crate::{Draw, Size};

/// Declares ports of two roles and finishes with a random `main`.
pub(crate) fn main(mut program: Builder, draw: &mut Draw, size: &Size) -> Program {
    let roles = ["A", "B"].map(|name| program.role(name));
    let mut inputs = Vec::new();
    for role in roles {
        for number in 0..draw.between(1, size.ports.max(1) as u64) {
            let shape = shape(draw, size, 3);
            inputs.push(program.input(&format!("in{number}"), role, shape).expect(FITS));
        }
    }
    // The shapes of outputs come first, since a template is written after all ports are declared.
    let mut outputs = Vec::new();
    for number in 0..draw.between(1, size.ports.max(1) as u64) {
        let (name, shape) = (format!("out{number}"), shape(draw, size, 3));
        let port = program.output(&name, receivers(draw, roles), shape.clone()).expect(FITS);
        outputs.push((port, shape.columns()));
    }
    let main = program.template("main", vec![]);
    let mut writer = Writer::new(&program, draw, size, main);
    for port in inputs {
        writer.input(port);
    }
    writer.write(size.operations);
    for (port, columns) in outputs {
        let candidates = writer.results(columns.len());
        let values: Vec<_> = columns
            .iter()
            .enumerate()
            .map(|(number, column)| writer.coerce(candidates[number % candidates.len()], column.value_type()))
            .collect();
        writer.body.output(&program, port, &values).expect(FITS);
    }
    let main = writer.body;
    program.finish(main).expect(FITS)
}

fn receivers(draw: &mut Draw, roles: [RoleId; 2]) -> Vec<RoleId> {
    match draw.below(3) {
        0 => vec![roles[0]],
        1 => vec![roles[1]],
        _ => roles.to_vec(),
    }
}

fn shape(draw: &mut Draw, size: &Size, depth: usize) -> Shape {
    match draw.below(5) {
        0 if depth > 0 => {
            let length = draw.between(1, 4) as u32;
            Shape::Array { length, element: Box::new(shape(draw, size, depth - 1)) }
        }
        1 if depth > 0 => {
            let names = ["x", "y", "z"].into_iter().take(draw.between(1, 3) as usize);
            Shape::Struct(names.map(|name| (name.to_owned(), shape(draw, size, depth - 1))).collect())
        }
        2 => Shape::Float { bits: if draw.once_in(2) { 32 } else { 64 } },
        _ => Shape::Integer { bits: draw.width(size.bits), signed: draw.once_in(2) },
    }
}
