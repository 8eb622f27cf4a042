//! Templates to apply: word operations and netlists.

use tacit_ir::{Builder, Netlist, NetlistGate, Type, ValueType};

use crate::operations::{FITS, Writer};
use crate::{Draw, Size};

/// Adds one random template.
pub(crate) fn add(program: &mut Builder, draw: &mut Draw, size: &Size, number: usize) {
    let name = format!("template {number}");
    if draw.once_in(4) {
        netlist(program, draw, &name);
        return;
    }
    let parameters: Vec<_> =
        (0..draw.between(1, 4)).map(|_| value_type(draw, size.bits, size.lanes.min(6))).collect();
    let body = program.template(&name, parameters.clone());
    let small = Size { work: size.work / 8, ..size.clone() };
    let mut writer = Writer::new(program, draw, &small, body);
    let operations = writer.draw.between(1, size.operations.max(1) as u64 / 2 + 1);
    writer.write(operations as usize);
    let count = writer.draw.between(1, 4) as usize;
    let mut values = writer.results(count);
    // Where the first results have the types of the first parameters, an iteration can carry them.
    let carried = writer.draw.below(parameters.len() as u64 + 1) as usize;
    for (value, parameter) in values.iter_mut().zip(parameters).take(carried) {
        *value = writer.coerce(*value, parameter);
    }
    let body = writer.body;
    program.add(body, values).expect(FITS);
}

fn value_type(draw: &mut Draw, bits: u32, lanes: u64) -> ValueType {
    ValueType::word(draw.width(bits), draw.lanes(lanes))
}

fn netlist(program: &mut Builder, draw: &mut Draw, name: &str) {
    let [parameters, results] =
        [0; 2].map(|_| (0..draw.between(1, 3)).map(|_| value_type(draw, 9, 4)).collect::<Vec<_>>());
    let bits = |ty: &ValueType| if let Type::Word(bits) = ty.ty { u64::from(bits) * ty.lanes } else { 0 };
    let inputs: u64 = parameters.iter().map(bits).sum();
    let gates: Vec<_> = (0..draw.between(0, 60)).map(|number| gate(draw, inputs + number)).collect();
    let wires = inputs + gates.len() as u64;
    let outputs =
        results.iter().map(|ty| (0..bits(ty)).map(|_| draw.below(wires) as u32).collect()).collect();
    program.add_netlist(name, parameters, results, Netlist { gates, outputs }).expect(FITS);
}

/// A gate over wires below `wires`.
fn gate(draw: &mut Draw, wires: u64) -> NetlistGate {
    let [a, b] = [0; 2].map(|_| draw.below(wires) as u32);
    match draw.below(8) {
        0 => NetlistGate::Not(a),
        1 if draw.once_in(2) => NetlistGate::Constant(draw.once_in(2)),
        2..5 => NetlistGate::And(a, b),
        _ => NetlistGate::Xor(a, b),
    }
}
