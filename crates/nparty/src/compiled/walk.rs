//! The walk over a schedule: what is written to the task, on which bundles.

use tacit_ir::Words;
use tacit_math::field::Gf256;
use tacit_schedule::walk::{CircuitTask, Task as Step, Walker};
use tacit_schedule::{Action, Layout, Schedule};

use super::circuit::Run;
use super::memory::{Bundle, Memory};
use super::pace::{PARTS, Pace};
use super::{Compiled, CompiledError, Wait, moves};
use crate::program::{Task, Value};

/// Writes a program to a task; all its outputs, opened to whom they are for.
pub(super) fn write(
    compiled: &Compiled,
    task: &Task<Gf256>,
    inputs: &[Vec<Words>],
    wait: Wait<'_>,
) -> Result<Value<Gf256>, CompiledError> {
    let part = compiled.window / PARTS;
    let layout = layout(&compiled.schedule, part);
    let pace = Pace::new(part, wait);
    let mut walker = Walker::with(&compiled.schedule, &layout, Memory::new(task, pace, compiled.tag));
    let outputs = compiled.outputs.iter().map(|place| place.columns.iter().map(|_| None).collect()).collect();
    let mut writer = Writer { compiled, task, inputs, outputs };
    while let Some(step) = walker.next()? {
        let written = writer.step(walker.memory(), step)?;
        walker.supply(written)?;
    }
    let mut opened = Vec::new();
    for (place, columns) in compiled.outputs.iter().zip(writer.outputs) {
        for (column, (bits, lanes)) in columns.into_iter().zip(&place.columns) {
            opened.push(match column {
                Some(column) => column,
                // What no step gives is zero.
                None => task.constant(vec![0; *bits as usize * *lanes as usize])?,
            });
        }
    }
    let parts: Vec<_> = opened.iter().collect();
    Ok(task.concat(&parts)?)
}

/// When bundles are dropped; and maps in chunks of as many instances as there is room for in `part` bytes.
fn layout(schedule: &Schedule, part: usize) -> Layout {
    let mut layout = Layout::new(schedule);
    let mut weights: Vec<u64> = Vec::with_capacity(schedule.bodies.len());
    for (body, layout) in schedule.bodies.iter().zip(&mut layout.bodies) {
        let bundles = body.bundles.iter().map(|bundle| u64::from(bundle.bits).saturating_mul(bundle.lanes));
        let inside = body.steps.iter().map(|step| {
            // Bodies apply only bodies before them.
            let applied =
                step.action.applied().map(|applied| weights[applied.body].saturating_mul(applied.lanes));
            let circuit = step
                .action
                .circuit()
                .map(|(circuit, lanes)| u64::from(schedule.circuits[circuit].slots).saturating_mul(lanes));
            applied.or(circuit).unwrap_or(0)
        });
        let weight = bundles.chain(inside).fold(0, u64::saturating_add);
        layout.chunk = (part as u64 / weight.max(1)).max(1);
        weights.push(weight);
    }
    layout
}

/// Whether a step makes or takes something else than bits.
pub(super) fn is_for_two(action: &Action) -> bool {
    matches!(action, Action::Kernel { kernel, .. } if !kernel.rules().keeps_bits())
}

/// What is written to a task.
struct Writer<'a> {
    compiled: &'a Compiled,
    task: &'a Task<Gf256>,
    inputs: &'a [Vec<Words>],
    /// By port and column.
    outputs: Vec<Vec<Option<Value<Gf256>>>>,
}

impl Writer<'_> {
    /// Writes a step; what it gives.
    fn step(
        &mut self,
        memory: &mut Memory<'_>,
        step: Step<'_, Bundle>,
    ) -> Result<Vec<Bundle>, CompiledError> {
        let written = match step {
            Step::Input { port, column, target, .. } => self.input(port, column, target.len())?,
            Step::Output { port, column, source, .. } => {
                let to = self.compiled.outputs[port as usize].receivers();
                let opened = self.task.open_to(source.value()?, to)?;
                self.outputs[port as usize][column as usize] = Some(opened);
                return Ok(Vec::new());
            }
            // All domains of bits are one here, and a program with other kernels is refused beforehand.
            Step::Kernel(kernel) => return Ok(kernel.operands),
            Step::Random { target, .. } => self.task.random_bits(target.len())?,
            Step::Constant { words, copies, bundle, .. } => {
                let bits = moves::repeat(&moves::from_words(words), bundle.lanes as usize, copies as usize);
                self.task.constant(bits)?
            }
            Step::Circuit(circuit) => return self.circuit(memory, &circuit),
        };
        Ok(vec![memory.wrote(written)?])
    }

    fn input(&mut self, port: u32, column: u32, length: usize) -> Result<Value<Gf256>, CompiledError> {
        let owner = self.compiled.inputs[port as usize].party;
        let words = self.inputs[port as usize].get(column as usize);
        let bits = words.filter(|_| owner == self.task.me()).map(moves::from_words);
        Ok(self.task.input(owner, length, bits)?)
    }

    fn circuit(
        &mut self,
        memory: &mut Memory<'_>,
        circuit: &CircuitTask<'_, Bundle>,
    ) -> Result<Vec<Bundle>, CompiledError> {
        let instances = circuit.instances as usize;
        let operands =
            circuit.operands.iter().map(|operand| operand.wires.value()).collect::<Result<Vec<_>, _>>()?;
        let run = Run {
            schedule: self.compiled.schedule.clone(),
            circuit: circuit.number,
            instances,
            inputs: circuit.operands.iter().map(|one| one.view(one.wires.len(), instances)).collect(),
            outputs: circuit.targets.iter().map(|one| one.view(one.wires.len(), instances)).collect(),
            hash: memory.hash,
        };
        let values = run.write(self.task, &operands)?;
        if let Some(last) = values.last() {
            memory.pace.wrote(self.task, last, run.bytes())?;
        }
        Ok(values.into_iter().map(Bundle::written).collect())
    }
}
