//! The meaning of schedules: their walk in the clear, or over the gates of one circuit.

mod clear;
mod flat;

pub use clear::evaluate_clear;
pub use flat::circuit_of;

use tacit_circuit::Executable;
use tacit_ir::Words;

use crate::bundle::Bundle;
use crate::layout::Layout;
use crate::schedule::Schedule;
use crate::validate::ScheduleError;
use crate::walk::{CircuitTask, Element, KernelTask, Pool, Task, WalkError, Walker, Wires};

/// Inputs that do not fit a schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluateError {
    /// A column is missing or has other bits or lanes.
    #[error("column {column} of input {port} is missing or has another type")]
    Input {
        /// The port.
        port: u32,
        /// The column.
        column: u32,
    },
    /// Arithmetic on words shared by sum, which has no circuit.
    #[error("arithmetic on words that are shared by sum has no circuit")]
    Arithmetic,
    /// A random operation, which has no circuit.
    #[error("random operations have no circuit")]
    Random,
    /// The circuit would be too large.
    #[error("the schedule has more than {limit} gates and inputs")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The schedule violates a rule of schedules.
    #[error(transparent)]
    Invalid(#[from] ScheduleError),
    /// The walk failed.
    #[error(transparent)]
    Walk(#[from] WalkError),
}

/// Lanes of a column of an input or output.
struct Column {
    port: u32,
    column: u32,
    start: u64,
    bits: u32,
    lanes: u64,
}

/// The elements of values, and how circuits compute with them.
trait Values {
    /// A bit; or a word if words are shared by sum.
    type Element: Element;

    /// Writes an input: bits, wire-major; or words, with their signs if they are wider and `signed`.
    fn input(
        &mut self,
        column: &Column,
        bundle_signed: (Bundle, bool),
        target: &mut [Self::Element],
    ) -> Result<(), EvaluateError>;

    fn output(&mut self, column: &Column, bundle: Bundle, elements: &[Self::Element]);

    fn random(&mut self, bundle: Bundle, target: &mut [Self::Element]) -> Result<(), EvaluateError>;

    /// Writes a constant, in each of several instances.
    fn constant(&mut self, words: &Words, copies: u64, bundle: Bundle, target: &mut [Self::Element]);

    /// The output bits of up to 64 instances of a circuit from their input bits.
    fn run(&mut self, circuit: &Executable, instances: &[Vec<Self::Element>]) -> Vec<Vec<Self::Element>>;

    /// Runs a kernel; returns its results.
    fn kernel(
        &mut self,
        task: KernelTask<'_, Wires<Self::Element>>,
    ) -> Result<Vec<Wires<Self::Element>>, EvaluateError>;
}

/// Walks a schedule with values.
fn walk<V: Values>(schedule: &Schedule, values: &mut V) -> Result<(), EvaluateError> {
    schedule.validate()?;
    let layout = Layout::new(schedule);
    let mut walker = Walker::<Pool<Wires<V::Element>>>::new(schedule, &layout);
    while let Some(task) = walker.next()? {
        let written = step(values, task)?;
        walker.supply(written)?;
    }
    Ok(())
}

/// Executes a task; returns its results.
fn step<V: Values>(
    values: &mut V,
    task: Task<'_, Wires<V::Element>>,
) -> Result<Vec<Wires<V::Element>>, EvaluateError> {
    match task {
        Task::Input { port, column, start, bits, signed, bundle, mut target } => {
            let column = Column { port, column, start, bits, lanes: bundle.lanes };
            values.input(&column, (bundle, signed), target.elements_mut())?;
            Ok(vec![target])
        }
        Task::Output { port, column, start, bundle, source } => {
            let column = Column { port, column, start, bits: bundle.bits, lanes: bundle.lanes };
            values.output(&column, bundle, &source);
            Ok(Vec::new())
        }
        Task::Random { bundle, mut target } => {
            values.random(bundle, target.elements_mut())?;
            Ok(vec![target])
        }
        Task::Constant { words, copies, bundle, mut target } => {
            values.constant(words, copies, bundle, target.elements_mut());
            Ok(vec![target])
        }
        Task::Circuit(task) => Ok(circuit(values, task)),
        // All domains of bits are the same in the clear.
        Task::Kernel(task) if task.kernel.rules().keeps_bits() => Ok(task.operands),
        Task::Kernel(task) => values.kernel(task),
    }
}

/// Runs a circuit over all its instances.
fn circuit<V: Values>(
    values: &mut V,
    mut task: CircuitTask<'_, Wires<V::Element>>,
) -> Vec<Wires<V::Element>> {
    let instances = task.instances as usize;
    let sources: Vec<_> =
        task.operands.iter().map(|operand| operand.view(operand.wires.len(), instances)).collect();
    let targets: Vec<_> =
        task.targets.iter().map(|target| target.view(target.wires.len(), instances)).collect();
    let all: Vec<usize> = (0..instances).collect();
    for chunk in all.chunks(64) {
        let read = |instance: &usize| {
            let operands = sources.iter().zip(&task.operands);
            let bits = operands.flat_map(|(view, operand)| {
                (0..view.width()).map(|bit| operand.wires[view.element(bit, *instance)])
            });
            bits.collect::<Vec<_>>()
        };
        let given: Vec<_> = chunk.iter().map(read).collect();
        for (instance, results) in chunk.iter().zip(values.run(task.circuit, &given)) {
            let mut results = results.into_iter();
            for (view, target) in targets.iter().zip(&mut task.targets) {
                let elements = target.wires.elements_mut();
                for (bit, value) in (0..view.width()).zip(results.by_ref()) {
                    elements[view.element(bit, *instance)] = value;
                }
            }
        }
    }
    task.targets.into_iter().map(|target| target.wires).collect()
}

/// Writes the bits of words, wire-major, in each of several instances.
fn write<E>(words: &Words, copies: u64, of: impl Fn(bool) -> E, target: &mut [E]) {
    let mut elements = target.iter_mut();
    for bit in 0..words.bits() {
        for _ in 0..copies {
            for (lane, element) in (0..words.lanes()).zip(elements.by_ref()) {
                *element = of(words.bit(lane, bit));
            }
        }
    }
}
