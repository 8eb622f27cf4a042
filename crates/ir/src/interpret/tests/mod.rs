//! The interpreter against a model in big integers, and its templates.

mod mixing;
mod model;
mod templates;

use super::*;
use crate::{Builder, Shape, TemplateBuilder};

/// Widths around the limits of limbs and of the machine's words.
const WIDTHS: [u32; 13] = [1, 2, 7, 8, 16, 31, 32, 63, 64, 65, 127, 128, 130];

/// A pseudorandom sequence: Steele, Lea and Flood's SplitMix.
fn splitmix(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// Runs a program whose inputs have the types of `inputs` and whose outputs `write` returns.
fn run<F>(inputs: &[Words], write: F) -> Vec<Words>
where
    F: FnOnce(&mut Builder, &[ValueId]) -> (TemplateBuilder, Vec<ValueId>),
{
    let mut program = Builder::new("test");
    let role = program.role("A");
    let types: Vec<_> = inputs.iter().map(Words::value_type).collect();
    let column = |bits, lanes| Shape::Array {
        length: lanes as u32,
        element: Box::new(Shape::Integer { bits, signed: false }),
    };
    let parameters: Vec<_> = (0..types.len() as u32).map(ValueId).collect();
    let (body, results) = write(&mut program, &parameters);
    let result_types: Vec<_> = results.iter().map(|value| body.value_type(*value)).collect();
    let body = program.add(body, results).unwrap();
    let ports: Vec<_> = inputs
        .iter()
        .enumerate()
        .map(|(number, words)| {
            program.input(&format!("in{number}"), role, column(words.bits(), words.lanes())).unwrap()
        })
        .collect();
    let mut main = program.template("main", vec![]);
    let arguments: Vec<_> = ports.iter().map(|port| main.input(&program, *port).unwrap()[0]).collect();
    let values = main.call(&program, body, &arguments).unwrap();
    for (number, (value, ty)) in values.iter().zip(result_types).enumerate() {
        let Type::Word(bits) = ty.ty else { panic!("a field cannot be put out") };
        let port = program.output(&format!("out{number}"), vec![role], column(bits, ty.lanes)).unwrap();
        main.output(&program, port, &[*value]).unwrap();
    }
    let program = program.finish(main).unwrap();
    let inputs: Vec<_> = inputs.iter().map(|words| vec![words.clone()]).collect();
    interpret(&program, &inputs, splitmix(1)).unwrap().into_iter().map(|mut port| port.remove(0)).collect()
}

/// Runs operations of one template on inputs of the types given.
fn operations<F>(inputs: &[Words], write: F) -> Vec<Words>
where
    F: FnOnce(&mut TemplateBuilder, &[ValueId]) -> Vec<ValueId>,
{
    let types = inputs.iter().map(Words::value_type).collect();
    run(inputs, |program, parameters| {
        let mut body = program.template("body", types);
        let results = write(&mut body, parameters);
        (body, results)
    })
}
