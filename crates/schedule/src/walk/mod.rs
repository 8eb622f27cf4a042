//! The walk over a schedule: what runs next, on which wires, with which AND numbers.
//!
//! A [`Walker`] keeps one frame for each body that it is inside, moves wires where a step only moves them,
//! and hands out everything else as a [`Task`]. It does no cryptography and uses no channel, so both parties,
//! every phase and every test walk in the same way. Its memory is that of the live bundles: a bundle is
//! dropped after the last step that reads it, and a mapped body runs over bounded chunks of its instances.

mod error;
mod frame;
mod iterations;
mod memory;
mod moves;
mod pool;
mod task;

pub use error::WalkError;
pub use memory::Memory;
pub use moves::{copy_bit_lanes, copy_lanes, gather, gather_bits};
pub use pool::{Buffer, Element, Pool, Wires};
pub use task::{CircuitOperand, CircuitTarget, CircuitTask, KernelTask, Layer, Task, View};

use std::collections::{BTreeMap, VecDeque};

use tacit_ir::Index;

use crate::layout::{BodyLayout, Layout};
use crate::schedule::{Action, BundleId, Operand, Schedule, Step};
use frame::Frame;
use iterations::{Chunks, Iterations, Loop};

/// Walks a schedule once. Call [`Walker::next`], execute the task, call [`Walker::supply`], and repeat.
pub struct Walker<'s, M: Memory> {
    schedule: &'s Schedule,
    layout: &'s Layout,
    frames: Vec<Frame<'s, M>>,
    memory: M,
    /// The targets of tasks that were handed out and not yet supplied.
    awaited: VecDeque<&'s [BundleId]>,
    ports: Ports,
}

/// The number of lanes of input and output columns that steps have taken or given so far.
#[derive(Default)]
struct Ports(BTreeMap<(bool, u32, u32), u64>);

impl Ports {
    /// The next lane of a column; advances it by `lanes`.
    fn start(&mut self, is_input: bool, (port, column): (u32, u32), lanes: u64) -> u64 {
        let next = self.0.entry((is_input, port, column)).or_default();
        std::mem::replace(next, next.saturating_add(lanes))
    }
}

impl<'s, W: Buffer> Walker<'s, Pool<W>> {
    /// A walk at the first step of `main`, with buffers. The layout must be that of the schedule.
    pub fn new(schedule: &'s Schedule, layout: &'s Layout) -> Self {
        Walker::with(schedule, layout, Pool::default())
    }

    /// Elements of the live bundles; those shared by several bodies count once for each.
    pub fn live(&self) -> u64 {
        self.frames.iter().flat_map(Frame::live).map(|wires| wires.elements() as u64).sum()
    }
}

impl<'s, M: Memory> Walker<'s, M> {
    /// A walk at the first step of `main`. The layout must be that of the schedule.
    pub fn with(schedule: &'s Schedule, layout: &'s Layout, memory: M) -> Self {
        let main = frame(schedule, layout, schedule.main, 1, 0);
        Walker {
            schedule,
            layout,
            frames: vec![main],
            memory,
            awaited: VecDeque::new(),
            ports: Ports::default(),
        }
    }

    /// The memory for elements.
    pub fn memory(&mut self) -> &mut M {
        &mut self.memory
    }

    /// Line of the source of the next step, 0 if unknown.
    pub fn line(&self) -> u32 {
        self.frames.last().and_then(|frame| frame.body.steps.get(frame.step)).map_or(0, |step| step.line)
    }

    /// The next task, or `None` at the end.
    ///
    /// # Errors
    /// [`WalkError`] if a bundle does not fit into memory.
    #[allow(clippy::should_implement_trait, reason = "a task must be supplied before the next is asked for")]
    pub fn next(&mut self) -> Result<Option<Task<'s, M::Wires>>, M::Error> {
        while let Some(frame) = self.frames.last_mut() {
            let Some(step) = frame.body.steps.get(frame.step) else {
                if let Some(results) = frame.end(&mut self.memory)? {
                    self.frames.pop();
                    self.leave(results);
                }
                continue;
            };
            if let Some(task) = self.step(step)? {
                return Ok(Some(task));
            }
        }
        Ok(None)
    }

    /// The next tasks: all consecutive ones that open something and do not depend on each other, or one of
    /// another kind. None at the end. Their results must be supplied in the same order.
    ///
    /// # Errors
    /// As [`Walker::next`].
    pub fn layer(&mut self) -> Result<Layer<'s, M::Wires>, M::Error> {
        let Some(first) = self.next()? else { return Ok(Layer { tasks: Vec::new(), opens: false }) };
        let mut tasks = vec![(first, self.line())];
        let opens = self.frames.last().is_some_and(|frame| {
            let due = frame.body.steps.get(frame.step);
            due.is_some_and(|step| self.schedule.opens(frame.body, &step.action))
        });
        while let Some(step) = opens.then(|| self.another(tasks.len())).flatten() {
            // A step that opens something is a task.
            let Some(task) = self.step(step)? else { break };
            tasks.push((task, step.line));
        }
        Ok(Layer { tasks, opens })
    }

    /// The step `ahead` places after the next one, if it opens something and its operands are available.
    fn another(&self, ahead: usize) -> Option<&'s Step> {
        let frame = self.frames.last()?;
        let step = frame.body.steps.get(frame.step + ahead)?;
        let mut there = true;
        step.action.for_each_source(|source| there &= frame.holds(source));
        (there && self.schedule.opens(frame.body, &step.action)).then_some(step)
    }

    /// Takes the results of the first task that is not yet supplied: one for each target, none for an output.
    ///
    /// # Errors
    /// [`WalkError::Supplied`] if no task waits, or the task has another number of targets.
    pub fn supply(&mut self, written: impl IntoIterator<Item = M::Wires>) -> Result<(), WalkError> {
        let frame = self.frames.last_mut().ok_or(WalkError::Supplied)?;
        let targets = self.awaited.pop_front().ok_or(WalkError::Supplied)?;
        let mut written = written.into_iter();
        for bundle in targets {
            frame.set(*bundle, written.next().ok_or(WalkError::Supplied)?);
        }
        frame.advance(&mut self.memory);
        if written.next().is_none() { Ok(()) } else { Err(WalkError::Supplied) }
    }

    /// Hands the results of a body to the step that applied it.
    fn leave(&mut self, results: Vec<M::Wires>) {
        let Some(frame) = self.frames.last_mut() else { return };
        let (Action::Call { results: targets, .. }
        | Action::Map { results: targets, .. }
        | Action::Iterate { results: targets, .. }) = &frame.body.steps[frame.step].action
        else {
            return;
        };
        targets.iter().zip(results).for_each(|(target, wires)| frame.set(*target, wires));
        frame.advance(&mut self.memory);
    }

    /// Executes a step that only moves or applies; otherwise returns its task.
    fn step(&mut self, step: &'s Step) -> Result<Option<Task<'s, M::Wires>>, M::Error> {
        let (frame, memory) = (self.frames.last_mut().ok_or(WalkError::Unwritten)?, &mut self.memory);
        memory.at(frame.number, frame.step);
        match &step.action {
            Action::Gather { source, positions, target } => {
                gather_lanes(frame, *source, positions, *target, memory)?;
            }
            Action::Join { sources, target } => join(frame, sources, *target, memory)?,
            action @ (Action::Call { .. } | Action::Map { .. } | Action::Iterate { .. }) => {
                self.enter(action)?;
            }
            action => {
                let task = task(self.schedule, frame, step, (memory, &mut self.ports))?;
                self.awaited.push_back(action.targets());
                return Ok(Some(task));
            }
        }
        Ok(None)
    }

    /// Pushes the frame of a body that a step applies.
    fn enter(&mut self, action: &'s Action) -> Result<(), M::Error> {
        let (frame, memory) = (self.frames.last_mut().ok_or(WalkError::Unwritten)?, &mut self.memory);
        let apply = |body: u32, copies| {
            self::frame(self.schedule, self.layout, body as usize, copies, frame.step_id())
        };
        let entered = match action {
            Action::Call { body, arguments, .. } => {
                apply(*body, frame.copies).begin(Iterations::One, frame.get_all(arguments)?, memory)?
            }
            Action::Map { body, lanes, arguments, results } => {
                let BodyLayout { chunk, .. } = self.layout.bodies[*body as usize];
                let total = lanes.saturating_mul(frame.copies);
                let arguments = frame.get_all(arguments)?;
                if total <= chunk {
                    apply(*body, total).begin(Iterations::One, arguments, memory)?
                } else {
                    let results = begin_all(frame, results, memory)?;
                    let iterations = Iterations::Chunks(Chunks { start: 0, total, arguments, results });
                    apply(*body, chunk).begin(iterations, Vec::new(), memory)?
                }
            }
            Action::Iterate { body, count, carried, invariant, sliced, results } => {
                let iterations = Iterations::Loop(Loop {
                    iteration: 0,
                    count: *count,
                    carried: carried.len(),
                    invariant: frame.get_all(invariant)?,
                    sliced: frame.get_all(sliced)?,
                    stacks: begin_all(frame, &results[carried.len()..], memory)?,
                });
                apply(*body, frame.copies).begin(iterations, frame.get_all(carried)?, memory)?
            }
            _ => return Ok(()),
        };
        self.frames.push(entered);
        Ok(())
    }
}

/// The task of a step.
fn task<'s, M: Memory>(
    schedule: &'s Schedule,
    frame: &Frame<'s, M>,
    step: &'s Step,
    (memory, ports): (&mut M, &mut Ports),
) -> Result<Task<'s, M::Wires>, M::Error> {
    Ok(match &step.action {
        Action::Output { port, column, source } => {
            let bundle = frame.bundle(*source);
            let start = ports.start(false, (*port, *column), bundle.lanes);
            Task::Output { port: *port, column: *column, start, bundle, source: frame.get(*source)? }
        }
        Action::Input { port, column, bits, signed, target } => Task::Input {
            port: *port,
            column: *column,
            start: ports.start(true, (*port, *column), frame.bundle(*target).lanes),
            bits: *bits,
            signed: *signed,
            bundle: frame.bundle(*target),
            target: frame.allocate(*target, memory)?,
        },
        Action::Random { target } => {
            Task::Random { bundle: frame.bundle(*target), target: frame.allocate(*target, memory)? }
        }
        Action::Constant { words, target } => Task::Constant {
            words,
            copies: frame.copies,
            bundle: frame.bundle(*target),
            target: frame.allocate(*target, memory)?,
        },
        Action::Circuit { circuit, lanes, inputs, outputs } => Task::Circuit(CircuitTask {
            domain: outputs.first().map(|output| frame.bundle(*output).domain).ok_or(WalkError::Unwritten)?,
            number: *circuit as usize,
            circuit: &schedule.circuits[*circuit as usize],
            instances: lanes.saturating_mul(frame.copies),
            first_id: frame.id_of(step),
            operands: operands(frame, *lanes, inputs)?,
            targets: targets(frame, outputs, memory)?,
        }),
        Action::Kernel { kernel, inputs, targets } => {
            let circuit = kernel.rules().circuit();
            Task::Kernel(KernelTask {
                kernel,
                circuit: circuit.map(|(number, _)| &schedule.circuits[number as usize]),
                instances: circuit.map_or(0, |(_, lanes)| lanes.saturating_mul(frame.copies)),
                first_id: frame.id_of(step),
                copies: frame.copies,
                inputs: inputs.iter().map(|input| frame.bundle(*input)).collect(),
                outputs: targets.iter().map(|target| frame.bundle(*target)).collect(),
                operands: frame.get_all(inputs)?,
                targets: targets.iter().map(|one| frame.allocate(*one, memory)).collect::<Result<_, _>>()?,
            })
        }
        // All other steps are executed or begun elsewhere.
        _ => return Err(WalkError::Unwritten.into()),
    })
}

/// The frame of a body.
fn frame<'s, M: Memory>(
    schedule: &'s Schedule,
    layout: &'s Layout,
    number: usize,
    copies: u64,
    first_id: u64,
) -> Frame<'s, M> {
    Frame::new(number, (&schedule.bodies[number], &layout.bodies[number]), copies, first_id)
}

fn begin_all<M: Memory>(
    frame: &Frame<'_, M>,
    bundles: &[BundleId],
    memory: &mut M,
) -> Result<Vec<M::Parts>, M::Error> {
    bundles.iter().map(|bundle| memory.begin(frame.bundle(*bundle), frame.lanes(*bundle))).collect()
}

fn operands<M: Memory>(
    frame: &Frame<'_, M>,
    lanes: u64,
    inputs: &[Operand],
) -> Result<Vec<CircuitOperand<M::Wires>>, WalkError> {
    let operand = |input: &Operand| {
        let bits = frame.bundle(input.bundle).bits;
        let share = if input.broadcast { lanes } else { 1 };
        Ok(CircuitOperand { wires: frame.get(input.bundle)?, bits, share })
    };
    inputs.iter().map(operand).collect()
}

fn targets<M: Memory>(
    frame: &Frame<'_, M>,
    outputs: &[BundleId],
    memory: &mut M,
) -> Result<Vec<CircuitTarget<M::Wires>>, M::Error> {
    let target = |output: &BundleId| {
        let bits = frame.bundle(*output).bits;
        Ok(CircuitTarget { wires: frame.allocate(*output, memory)?, bits })
    };
    outputs.iter().map(target).collect()
}

fn gather_lanes<M: Memory>(
    frame: &mut Frame<'_, M>,
    source: BundleId,
    positions: &Index,
    target: BundleId,
    memory: &mut M,
) -> Result<(), M::Error> {
    let wires = frame.get(source)?;
    let gathered = memory.gather(
        (&wires, frame.bundle(source).lanes),
        positions,
        (frame.bundle(target), frame.lanes(target)),
    )?;
    drop(wires);
    frame.set(target, gathered);
    frame.advance(memory);
    Ok(())
}

fn join<M: Memory>(
    frame: &mut Frame<'_, M>,
    sources: &[BundleId],
    target: BundleId,
    memory: &mut M,
) -> Result<(), M::Error> {
    let to = frame.bundle(target).lanes as usize;
    let mut joined = memory.begin(frame.bundle(target), frame.lanes(target))?;
    let mut at = 0;
    for source in sources {
        let lanes = frame.bundle(*source).lanes as usize;
        memory.put(&mut joined, (&frame.get(*source)?, lanes, 0), (to, at), lanes)?;
        at += lanes;
    }
    let joined = memory.finish(joined)?;
    frame.set(target, joined);
    frame.advance(memory);
    Ok(())
}
