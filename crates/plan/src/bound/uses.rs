//! The operations of a program, each alone, with how often a run executes it.

use std::collections::HashMap;

use tacit_ir::{Body, Op, Program, ValueId};

use super::alone::Alone;
use super::values::Values;

/// An operation at its place in the program.
pub(super) struct Use {
    /// The operation.
    pub(super) alone: Alone,
    /// How often a run executes it.
    pub(super) times: u128,
    /// Line of the source, 0 if unknown.
    pub(super) line: u32,
    /// Its name.
    pub(super) kind: &'static str,
}

/// All operations that can be priced, with how often each is executed; none for a program that is not well
/// formed.
pub(super) fn of(program: &Program) -> Option<Vec<Use>> {
    let types = program.all_value_types().ok()?;
    let mut times = vec![0u128; program.templates.len()];
    *times.get_mut(program.main.index())? = 1;
    let mut all = Vec::new();
    // Templates apply only templates before them.
    for (number, (template, types)) in program.templates.iter().zip(&types).enumerate().rev() {
        let here = times[number];
        let Body::Operations { operations, .. } = &template.body else { continue };
        let mut known = HashMap::new();
        let mut next = template.parameters.len();
        for operation in operations {
            let op = &operation.op;
            if let (Some(applied), Some(more)) = (op.template(), here.checked_mul(repetitions(op))) {
                let applied = &mut times[applied.index()];
                *applied = applied.saturating_add(more);
            }
            let values = Values { types, known: &known };
            let count = op.result_count(&program.templates);
            let given = types.get(next..next + count)?;
            if here > 0 {
                let alone = Alone::of(op, values, given);
                let (times, line, kind) = (here, operation.line, op.name());
                all.extend(alone.map(|alone| Use { alone, times, line, kind }));
            }
            if matches!(op, Op::Constant(_) | Op::Extend { .. }) {
                known.insert(ValueId(u32::try_from(next).ok()?), op);
            }
            next += count;
        }
    }
    Some(all)
}

/// How often an operation that applies a template does so.
fn repetitions(op: &Op) -> u128 {
    match op {
        Op::Map { lanes, .. } => u128::from(*lanes),
        Op::Iterate { count, .. } => u128::from(*count),
        _ => 1,
    }
}
