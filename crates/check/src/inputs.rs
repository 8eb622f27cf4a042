//! Converts input bits of a flat circuit to inputs of its program.

use std::ops::Range;

use serde_json::{Map, Value};
use tacit_ir::{Column, Program, Words, data};

/// The columns of every input port, as used for running programs.
pub type Inputs = Vec<Vec<Words>>;

fn columns(program: &Program) -> impl Iterator<Item = Vec<Column>> + '_ {
    program.inputs.iter().map(|port| port.shape.columns())
}

/// The input bits of each number of a program's flat circuit, in order.
pub(crate) fn numbers(program: &Program) -> Vec<Range<usize>> {
    let mut next = 0;
    let mut number = |bits: u32| {
        let start = next;
        next += bits as usize;
        start..next
    };
    let of = |column: Column| (0..column.lanes).map(move |_| column.bits);
    columns(program).flatten().flat_map(of).map(&mut number).collect()
}

/// Whether each number of a program's inputs has a sign.
pub(crate) fn signs(program: &Program) -> Vec<bool> {
    let of = |column: Column| (0..column.lanes).map(move |_| column.signed);
    columns(program).flatten().flat_map(of).collect()
}

/// The inputs that these input bits of the flat circuit represent.
pub(crate) fn from_bits(program: &Program, bits: &[bool]) -> Inputs {
    let mut bits = bits.iter().copied();
    let mut column = |column: Column| {
        let mut words = Words::zero(column.bits, column.lanes);
        for (lane, bit) in (0..column.lanes).flat_map(|lane| (0..column.bits).map(move |bit| (lane, bit))) {
            words.set_bit(lane, bit, bits.next().unwrap_or(false));
        }
        words
    };
    columns(program).map(|port| port.into_iter().map(&mut column).collect()).collect()
}

/// The inputs in the users' form: an object for each role that gives any, from variable to value.
pub fn to_json(program: &Program, inputs: &[Vec<Words>]) -> Value {
    let mut roles = Map::new();
    for (port, columns) in program.inputs.iter().zip(inputs) {
        let role = roles.entry(&program.roles[port.role.index()]).or_insert_with(|| Map::new().into());
        if let Some(role) = role.as_object_mut() {
            role.insert(port.name.clone(), data::encode(&port.shape, columns));
        }
    }
    roles.into()
}
