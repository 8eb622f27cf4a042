//! The walk over a schedule: it writes steps to the task, each as its domain defines it.

use tacit_math::field::Field;
use tacit_schedule::walk::{CircuitTask, Task as Step, Walker};
use tacit_schedule::{Bundle as Form, Layout, Schedule};

use super::column_bits::ColumnBits;
use super::domains::{self, InputColumn, SharedDomain, Site, Size};
use super::elements::Elements;
use super::memory::{Bundle, Memory};
use super::pace::{PARTS, Pace};
use super::{Compiled, CompiledError, Giver, RunInputs, Wait};
use crate::program::Task;

/// A column of an output.
pub(super) enum Given<F: Field> {
    /// Opened to its receivers.
    Opened(&'static dyn SharedDomain<F>, Elements<F>),
    /// Still shared.
    Kept(ColumnBits<F>),
}

/// The columns of all outputs, by port; `None` where no step gives one.
pub(super) type GivenColumns<F> = Vec<Vec<Option<Given<F>>>>;

/// Writes a program to a task, and returns the columns of all its outputs.
pub(super) fn write<F: Field>(
    compiled: &Compiled,
    task: &Task<F>,
    inputs: RunInputs<'_, F>,
    wait: Wait<'_, F>,
) -> Result<GivenColumns<F>, CompiledError> {
    let part = compiled.window / PARTS;
    let layout = layout(&compiled.schedule, part);
    let pace = Pace::new(part, wait);
    let mut walker = Walker::with(&compiled.schedule, &layout, Memory::new(task, pace, compiled.tag));
    let outputs = compiled.outputs.iter().map(|place| place.columns.iter().map(|_| None).collect()).collect();
    let size = Size::of(task, &compiled.schedule);
    let mut writer = Writer { compiled, task, size, inputs, outputs };
    while let Some(step) = walker.next()? {
        let written = writer.step(walker.memory(), step)?;
        walker.supply(written)?;
    }
    Ok(writer.outputs)
}

/// Determines when bundles are dropped, and divides maps into chunks of as many instances as `part` bytes hold.
fn layout(schedule: &Schedule, part: usize) -> Layout {
    let mut layout = Layout::new(schedule);
    let mut weights: Vec<u64> = Vec::with_capacity(schedule.bodies.len());
    for (body, layout) in schedule.bodies.iter().zip(&mut layout.bodies) {
        let bundles = body.bundles.iter().map(|bundle| u64::from(bundle.bits).saturating_mul(bundle.lanes));
        let inside = body.steps.iter().map(|step| {
            // A body only applies bodies before it.
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

/// Writes the steps of a schedule to a task.
struct Writer<'a, F: Field> {
    compiled: &'a Compiled,
    task: &'a Task<F>,
    size: Size,
    inputs: RunInputs<'a, F>,
    outputs: GivenColumns<F>,
}

/// How the values of a bundle are shared. Schedules with other domains were refused before.
fn shared<F: Field>(size: Size, form: Form) -> Result<&'static dyn SharedDomain<F>, CompiledError> {
    domains::shared(size, form.domain).ok_or(CompiledError::OtherSchedule)
}

impl<F: Field> Writer<'_, F> {
    /// Writes a step, and returns its results.
    fn step(
        &mut self,
        memory: &mut Memory<'_, F>,
        step: Step<'_, Bundle<F>>,
    ) -> Result<Vec<Bundle<F>>, CompiledError> {
        let site = Site { task: self.task, schedule: &self.compiled.schedule, hash: memory.hash };
        let written = match step {
            Step::Input { port, column, bits, signed, bundle, target, .. } => {
                let domain = shared(self.size, bundle)?;
                let (port, column, length) = (port as usize, column as usize, target.len());
                match self.compiled.inputs[port].giver {
                    Giver::Party(owner) => {
                        let words = self.inputs.own[port].get(column);
                        let words = words.filter(|_| owner == self.task.me());
                        let column = InputColumn { owner, words, form: bundle, bits, signed, length };
                        domain.input(site, &column)?
                    }
                    Giver::Shared => {
                        let bits = self.inputs.shared.get(port).and_then(|columns| columns.get(column));
                        let bits = bits.filter(|bits| bits.len() == length);
                        domain.shared_input(bits.ok_or(CompiledError::OtherSchedule)?)?
                    }
                }
            }
            Step::Output { port, column, bundle, source, .. } => {
                let domain = shared(self.size, bundle)?;
                let place = &self.compiled.outputs[port as usize];
                let output = match place.kept {
                    true => Given::Kept(domain.shared_output(&source)?),
                    false => Given::Opened(domain, domain.open(site, (&source, bundle), place.receivers())?),
                };
                self.outputs[port as usize][column as usize] = Some(output);
                return Ok(Vec::new());
            }
            Step::Kernel(kernel) => {
                let runs = domains::runner(self.size, kernel.kernel).ok_or(CompiledError::OtherSchedule)?;
                let written = runs.write(site, &kernel)?;
                return written.into_iter().map(|bundle| memory.wrote(bundle)).collect();
            }
            Step::Random { bundle, target } => {
                shared(self.size, bundle)?.random(site, bundle, target.len())?
            }
            Step::Constant { words, copies, bundle, .. } => {
                shared(self.size, bundle)?.constant(site, words, (bundle, copies))?
            }
            Step::Circuit(circuit) => return self.circuit(memory, site, &circuit),
        };
        Ok(vec![memory.wrote(written)?])
    }

    fn circuit(
        &mut self,
        memory: &mut Memory<'_, F>,
        site: Site<'_, F>,
        circuit: &CircuitTask<'_, Bundle<F>>,
    ) -> Result<Vec<Bundle<F>>, CompiledError> {
        let domain = domains::shared(self.size, circuit.domain).ok_or(CompiledError::OtherSchedule)?;
        let (written, bytes) = domain.circuit(site, circuit)?;
        if let Some(last) = written.last() {
            memory.pace.wrote(self.task, last.elements()?, bytes)?;
        }
        Ok(written)
    }
}
