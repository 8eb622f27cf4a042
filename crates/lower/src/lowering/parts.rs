//! Takes inputs, and gives outputs, part by part.

use tacit_ir::{Index, Op, ValueId};

use super::{Draft, Lowering, bits_of};
use crate::error::LowerError;
use crate::partition::{Partition, Source};
use tacit_schedule::Action;

impl Lowering<'_> {
    /// Executes the extra meaning of an operation in a program in tiles: takes the selected lanes of an
    /// input. Returns whether nothing else is to be done.
    pub(super) fn part(
        &mut self,
        draft: &mut Draft,
        partition: &Partition<'_>,
        index: usize,
    ) -> Result<bool, LowerError> {
        let operation = &partition.operations[index];
        let mut results = partition.results(index);
        match &operation.op {
            Op::Input { .. } => Ok(results.any(|value| partition.parts.inputs.contains(&value))),
            Op::Join(_) => Ok(results.any(|value| partition.parts.outputs.contains(&value))),
            Op::Output { value, .. } => Ok(partition.parts.outputs.contains(value)),
            Op::Gather(value, Index::Range { .. }) if partition.parts.inputs.contains(value) => {
                let Source::Operation(definer) = partition.source(*value) else { return Ok(false) };
                let Op::Input { port, column } = partition.operations[definer].op else { return Ok(false) };
                for result in results {
                    let target = draft.define_new(partition, result);
                    let bits = bits_of(partition.types[result.index()]);
                    let action = Action::Input { port: port.0, column, bits, signed: false, target };
                    self.push(draft, operation.line, action)?;
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Gives values to the outputs that they are part of, as soon as they are available.
    pub(super) fn give(
        &mut self,
        draft: &mut Draft,
        partition: &Partition<'_>,
        values: impl Iterator<Item = ValueId>,
        line: u32,
    ) -> Result<(), LowerError> {
        for value in values {
            for (port, column) in partition.parts.given.get(&value).into_iter().flatten().copied() {
                let source = self.read_bits(draft, partition, value, line)?;
                self.push(draft, line, Action::Output { port, column, source })?;
            }
        }
        Ok(())
    }
}
