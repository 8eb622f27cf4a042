//! Random valid programs, for tests of everything that takes programs.
//!
//! A program follows from its seed and [`Size`] alone. Its outputs follow from its inputs alone: what
//! [`tacit_ir::Op::Random`] draws is always removed again, so that any two ways of running it must agree.
//!
//! ```
//! use tacit_arbitrary as arbitrary;
//! use tacit_ir::interpret;
//!
//! let program = arbitrary::program(7, &arbitrary::Size::default());
//! let inputs = arbitrary::inputs(&program, 1);
//! assert_eq!(interpret(&program, &inputs, || 0), interpret(&program, &inputs, || u64::MAX));
//! ```

mod draw;
mod operations;
mod ports;
mod templates;

use proptest::strategy::Strategy;

use tacit_ir::{Builder, Program, Words};

pub use draw::Draw;

/// How large programs become.
#[derive(Clone, Debug)]
pub struct Size {
    /// Operations of `main`; other templates have up to as many.
    pub operations: usize,
    /// Templates before `main`.
    pub templates: usize,
    /// Inputs of each of the two roles, at least 1; as many outputs in all.
    pub ports: usize,
    /// Widest word.
    pub bits: u32,
    /// Most lanes that are aimed at; joins and maps may exceed them.
    pub lanes: u64,
    /// Most bits of a value.
    pub value_bits: u64,
    /// Most bit operations of a template, loops multiplied out, by the bound that validation uses.
    pub work: u64,
    /// Whether some values are pinned to domains.
    pub pins: bool,
    /// Whether some of them are pinned to where they are encrypted.
    pub encrypted: bool,
}

impl Default for Size {
    /// Small enough to run thousands of, and with every operation in reach.
    fn default() -> Self {
        Size {
            operations: 24,
            templates: 4,
            ports: 3,
            bits: 130,
            lanes: 24,
            value_bits: 4096,
            work: 1 << 20,
            pins: false,
            encrypted: false,
        }
    }
}

/// The program of a seed.
pub fn program(seed: u64, size: &Size) -> Program {
    let mut draw = Draw::new(seed);
    let mut program = Builder::new(&format!("arbitrary {seed}"));
    for number in 0..size.templates {
        templates::add(&mut program, &mut draw, size, number);
    }
    ports::main(program, &mut draw, size)
}

/// Inputs for a program: the columns of every port, about half of the lanes at the limits of their types.
pub fn inputs(program: &Program, seed: u64) -> Vec<Vec<Words>> {
    let mut draw = Draw::new(seed ^ 0x1234_5678_9abc_def0);
    let mut column = |column: tacit_ir::Column| draw.words(column.bits, column.lanes);
    program.inputs.iter().map(|port| port.shape.columns().into_iter().map(&mut column).collect()).collect()
}

/// Programs of up to that size; they shrink to fewer operations and templates.
pub fn programs(size: Size) -> impl Strategy<Value = Program> {
    let parts = (proptest::num::u64::ANY, 1..=size.operations.max(1), 0..=size.templates);
    parts.prop_map(move |(seed, operations, templates)| {
        program(seed, &Size { operations, templates, ..size.clone() })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use tacit_ir::{BinaryOp, Body, CompareOp, Index, NetlistGate, Op, ScanOp, ShiftOp, interpret};

    use super::*;

    #[test]
    fn programs_follow_from_their_seed() {
        let size = Size::default();
        assert_eq!(program(5, &size), program(5, &size));
        assert_ne!(program(5, &size).to_bytes()[30..], program(6, &size).to_bytes()[30..]);
    }

    #[test]
    fn every_operation_on_words_occurs() {
        let (mut names, mut widths, mut nested) = (BTreeSet::new(), HashSet::new(), 0);
        for seed in 0..300 {
            let program = program(seed, &Size::default());
            program.validate().unwrap();
            let types = program.all_value_types().unwrap();
            widths.extend(types.iter().flatten().map(|ty| ty.ty));
            for template in &program.templates {
                match &template.body {
                    Body::Netlist(netlist) => names.extend(netlist.gates.iter().map(|gate| match gate {
                        NetlistGate::Xor(..) => "gate xor",
                        NetlistGate::And(..) => "gate and",
                        NetlistGate::Not(_) => "gate not",
                        NetlistGate::Constant(_) => "gate constant",
                    })),
                    Body::Operations { operations, .. } => {
                        names.extend(operations.iter().map(|operation| operation.op.name()));
                        nested += operations.iter().filter(|o| o.op.template().is_some()).count();
                        for operation in operations {
                            match &operation.op {
                                Op::Gather(_, Index::List(_)) => drop(names.insert("list")),
                                Op::Gather(_, Index::Range { .. }) => drop(names.insert("range")),
                                Op::Gather(_, Index::Repeat { .. }) => drop(names.insert("repeat")),
                                Op::Iterate { carried, invariant, sliced, .. } => {
                                    names.extend((!carried.is_empty()).then_some("carried"));
                                    names.extend((!invariant.is_empty()).then_some("invariant"));
                                    names.extend((!sliced.is_empty()).then_some("sliced"));
                                    let results =
                                        &program.templates[operation.op.template().unwrap().index()].results;
                                    names.extend((results.len() > carried.len()).then_some("stacked"));
                                }
                                _ => {}
                            }
                        }
                    }
                }
            }
        }
        let wanted = BinaryOp::ALL.iter().map(|op| op.name()).chain(ShiftOp::ALL.iter().map(|op| op.name()));
        let wanted = wanted.chain(CompareOp::ALL.iter().map(|op| op.name()));
        let wanted = wanted.chain(ScanOp::ALL.iter().map(|op| op.name())).chain([
            "constant",
            "input",
            "output",
            "open",
            "neg",
            "not",
            "shift_left_by",
            "shift_right_u_by",
            "shift_right_s_by",
            "select",
            "zero_extend",
            "sign_extend",
            "slice",
            "concat",
            "gather",
            "join",
            "segment_sum",
            "matrix_product",
            "arg_min_u",
            "arg_min_s",
            "sort_u",
            "sort_s",
            "permute",
            "lookup",
            "update",
            "random",
            "call",
            "map",
            "iterate",
            "gate xor",
            "gate and",
            "gate not",
            "gate constant",
            "list",
            "range",
            "repeat",
            "carried",
            "invariant",
            "sliced",
            "stacked",
        ]);
        let missing: Vec<_> = wanted.filter(|name| !names.contains(name)).collect();
        assert!(missing.is_empty(), "{missing:?} of {names:?}");
        assert!(widths.len() > 120, "{} widths", widths.len());
        assert!(nested > 300, "{nested} applications");
    }

    #[test]
    fn outputs_do_not_depend_on_what_is_drawn() {
        for seed in 0..100 {
            let program = program(seed, &Size::default());
            let inputs = inputs(&program, seed);
            let outputs = interpret(&program, &inputs, || 0).unwrap();
            assert_eq!(outputs, interpret(&program, &inputs, Draw::new(seed).numbers()).unwrap());
        }
    }
}
