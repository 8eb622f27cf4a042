//! Counts the executed operations of each kind.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Body, Op, Program, TemplateId, ValidateError, ValueId, ValueType};

/// Operations of one kind on one line of the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct OperationCount {
    /// The operation's name, as the text form writes it; `gate` for the gates of a Boolean circuit.
    pub kind: String,
    /// Line of the source, 0 if unknown.
    pub line: u32,
    /// Number of elements, loops multiplied out: results computed, or operands of operations that reduce,
    /// scan, sort or permute; products of two elements for a product of matrices; saturates.
    pub count: u64,
}

type Tally = BTreeMap<(u32, &'static str), u64>;

impl Program {
    /// Counts the operations of a run by line and kind. Operations that only move bits are left out:
    /// constants, inputs, outputs, changes of width, and public selections of bits and lanes.
    ///
    /// Cost: linear in the size of the program, whatever its loops.
    ///
    /// # Errors
    /// As [`Program::validate`].
    pub fn count_operations(&self) -> Result<Vec<OperationCount>, ValidateError> {
        let types = self.all_value_types()?;
        let mut tallies: Vec<Tally> = Vec::with_capacity(self.templates.len());
        for (template, types) in self.templates.iter().zip(&types) {
            let mut tally = Tally::new();
            match &template.body {
                Body::Netlist(netlist) => {
                    tally.insert((0, "gate"), netlist.gates.len() as u64);
                }
                Body::Operations { operations, .. } => {
                    let mut next = template.parameters.len();
                    for operation in operations {
                        let first = types.get(next).copied();
                        next += operation.op.result_count(&self.templates);
                        add(&mut tally, &operation.op, operation.line, (first, types), &tallies);
                    }
                }
            }
            tallies.push(tally);
        }
        let main = tallies.into_iter().nth(self.main.index()).unwrap_or_default();
        let count =
            |((line, kind), count): ((u32, &str), u64)| OperationCount { kind: kind.into(), line, count };
        Ok(main.into_iter().map(count).collect())
    }
}

fn add(
    tally: &mut Tally,
    op: &Op,
    line: u32,
    (result, types): (Option<ValueType>, &[ValueType]),
    tallies: &[Tally],
) {
    let mut book = |key, count: u64| {
        let sum = tally.entry(key).or_insert(0);
        *sum = sum.saturating_add(count);
    };
    let mut apply = |template: &TemplateId, times: u64| {
        for ((inner, kind), count) in &tallies[template.index()] {
            // Operations without a line, such as the gates of a circuit, count for the line that applies
            // them.
            let line = if *inner == 0 { line } else { *inner };
            book((line, kind), count.saturating_mul(times));
        }
    };
    match op {
        Op::Call { template, .. } => apply(template, 1),
        Op::Map { template, lanes, .. } => apply(template, *lanes),
        Op::Iterate { template, count, .. } => apply(template, *count),
        op => {
            if let Some(count) = elements(op, result, types) {
                book((line, op.name()), count);
            }
        }
    }
}

/// Elements that an operation computes; `None` for one that computes nothing.
fn elements(op: &Op, result: Option<ValueType>, types: &[ValueType]) -> Option<u64> {
    let lanes = |value: &ValueId| types[value.index()].lanes;
    match op {
        Op::Input { .. } | Op::Output { .. } => None,
        op if op.only_moves() => None,
        Op::SegmentSum { value, .. } | Op::ArgMin { value, .. } => Some(lanes(value)),
        Op::MatrixProduct { left, columns, .. } => Some(lanes(left).saturating_mul(*columns)),
        _ => result.map(|ty| ty.lanes),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Builder, Shape, ValueType};

    #[test]
    fn loops_are_multiplied_out_and_lines_kept_apart() {
        let integer = Shape::Integer { bits: 8, signed: false };
        let array = Shape::Array { length: 6, element: integer.clone().into() };
        let mut program = Builder::new("counted");
        let role = program.role("A");
        let (x, z) =
            (program.input("x", role, array).unwrap(), program.output("z", vec![role], integer).unwrap());
        let mut body = program.template("body", vec![ValueType::word(8, 1), ValueType::word(8, 2)]);
        body.set_line(7);
        let [carried, slice] = body.parameters()[..] else { panic!("two parameters") };
        let sum = body.segment_sum(slice, 2).unwrap();
        let next = body.add(carried, sum).unwrap();
        let body = program.add(body, vec![next]).unwrap();
        let mut main = program.template("main", vec![]);
        main.set_line(3);
        let x = main.input(&program, x).unwrap()[0];
        let doubled = main.add(x, x).unwrap();
        let zero = main.word(8, 0).unwrap();
        main.set_line(4);
        let total = main.iterate(&program, body, 3, &[zero], &[], &[doubled]).unwrap()[0];
        main.output(&program, z, &[total]).unwrap();
        let counts = program.finish(main).unwrap().count_operations().unwrap();
        let found: Vec<_> = counts.iter().map(|one| (one.line, one.kind.as_str(), one.count)).collect();
        assert_eq!(found, [(3, "add", 6), (7, "add", 3), (7, "segment_sum", 6)]);
    }
}
