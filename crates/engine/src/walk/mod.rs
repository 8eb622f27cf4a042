//! The walk over a schedule: what runs next, on which wires, under which numbers.
//!
//! A [`Walker`] keeps one frame for each body it is inside of, moves wires where a step only moves them, and hands
//! everything else out as a [`Task`]. It does no cryptography and knows no channel, so both parties, every phase and
//! every test walk in the same way. Memory is that of the live bundles: a bundle is dropped after the last step that
//! reads it, and a mapped body runs over bounded chunks of its instances.

mod error;
mod frame;
mod moves;
mod pool;
#[cfg(test)]
mod tests;
mod turns;

pub use error::WalkError;
pub(crate) use moves::{copy_bit_lanes, gather_bits};
pub(crate) use pool::Pool;
pub use pool::{Buffer, Wires};

use std::collections::VecDeque;

use tacit_circuit::Executable;
use tacit_ir::{Domain, Index, Words};
use tacit_lower::{Action, ArithOp, Bundle, BundleId, Schedule, Step};
use tacit_plan::{BodyLayout, Layout};

use frame::Frame;
use turns::{Chunks, Loop, Turns};

/// Something to be done with wires, after which the walk goes on. A [`Bundle`] beside wires says how they are shared; its
/// lanes are those of one instance of the body.
#[derive(Debug)]
pub enum Task<'s, W> {
    /// Wires of an input column are to be written to `target`.
    Input {
        /// The port, as the program numbers it.
        port: u32,
        /// Which of its columns.
        column: u32,
        /// How it is shared.
        bundle: Bundle,
        /// Where the wires go.
        target: W,
    },
    /// Shares by sum of an input column are to be written to `target`.
    Share {
        /// The port, as the program numbers it.
        port: u32,
        /// Which of its columns.
        column: u32,
        /// Width of the column.
        bits: u32,
        /// Whether wider shares are of the number with a sign.
        signed: bool,
        /// How it is shared.
        bundle: Bundle,
        /// Where the shares go.
        target: W,
    },
    /// Wires of an output column are there.
    Output {
        /// The port, as the program numbers it.
        port: u32,
        /// Which of its columns.
        column: u32,
        /// How it is shared.
        bundle: Bundle,
        /// The wires.
        source: W,
    },
    /// Uniformly random wires are to be written to `target`.
    Random {
        /// How they are shared.
        bundle: Bundle,
        /// Where the wires go.
        target: W,
    },
    /// A public constant is to be written to `target`, once for every copy.
    Constant {
        /// The value.
        words: &'s Words,
        /// Instances of the body, each of which sees the value.
        copies: u64,
        /// How it is shared.
        bundle: Bundle,
        /// Where the wires go.
        target: W,
    },
    /// A circuit is to be run.
    Circuit(CircuitTask<'s, W>),
    /// Words are to be written in another domain.
    Convert {
        /// The words.
        source: W,
        /// How they are shared.
        from: Bundle,
        /// How they are to be shared.
        to: Bundle,
        /// Whether words that become wider do so by their signs.
        signed: bool,
        /// Where they go.
        target: W,
    },
    /// Shares by sum are to be written as two addends.
    Addends {
        /// The shares.
        source: W,
        /// How the addends are to be shared.
        to: Bundle,
        /// Where the first and the second party's go.
        targets: [W; 2],
    },
    /// Words shared by sum are to be written as labels, by a circuit that adds both parties' shares.
    Sum(SumTask<'s, W>),
    /// An operation on shares by sum is to be done.
    Arith {
        /// Which.
        op: &'s ArithOp,
        /// Width of the result's shares; of a comparison and of a shift to the right, of the operands'.
        bits: u32,
        /// Instances of the body.
        copies: u64,
        /// The operands.
        operands: Vec<W>,
        /// Where the result goes.
        target: W,
    },
}

/// Tasks that are done together.
#[derive(Debug)]
pub struct Layer<'s, W> {
    /// The tasks, with the lines of their steps.
    pub tasks: Vec<(Task<'s, W>, u32)>,
    /// Whether they open something; then all of them do.
    pub opens: bool,
}

/// A circuit to be run over many instances.
#[derive(Debug)]
pub struct CircuitTask<'s, W> {
    /// The domain in which it runs.
    pub domain: Domain,
    /// The circuit.
    pub circuit: &'s Executable,
    /// How many instances run side by side.
    pub instances: u64,
    /// Number of the first AND of the first instance. AND `g` of instance `i` has number
    /// `first_id + i · and_count + g`.
    pub first_id: u64,
    /// The operands, in order of the circuit's inputs.
    pub operands: Vec<Operand<W>>,
    /// Where the outputs go, in order.
    pub targets: Vec<Target<W>>,
}

/// Words shared by sum that become labels.
#[derive(Debug)]
pub struct SumTask<'s, W> {
    /// The circuit that adds.
    pub circuit: &'s Executable,
    /// How many words.
    pub instances: u64,
    /// Number of the first AND: see [`CircuitTask::first_id`].
    pub first_id: u64,
    /// The shares, which may be wider.
    pub source: W,
    /// Where the labels go.
    pub target: W,
}

/// An operand of a circuit.
#[derive(Debug)]
pub struct Operand<W> {
    /// The wires.
    pub wires: W,
    /// Bits of one lane.
    pub bits: u32,
    /// How many instances in a row see the same lanes; all lanes are divided evenly among these groups.
    pub share: u64,
}

/// An output of a circuit.
#[derive(Debug)]
pub struct Target<W> {
    /// Where the wires go.
    pub wires: W,
    /// Bits of one lane.
    pub bits: u32,
}

/// Walks a schedule once. Call [`Walker::next`], do the task, call [`Walker::supply`], and so on.
pub struct Walker<'s, W: Buffer> {
    schedule: &'s Schedule,
    layout: &'s Layout,
    frames: Vec<Frame<'s, W>>,
    pool: Pool<W>,
    /// Where what tasks write belongs that were given out and not yet supplied.
    awaited: VecDeque<&'s [BundleId]>,
}

impl<'s, W: Buffer> Walker<'s, W> {
    /// At the first step of `main`. The layout is that of the schedule.
    pub fn new(schedule: &'s Schedule, layout: &'s Layout) -> Self {
        let main = Frame::new(&schedule.bodies[schedule.main], &layout.bodies[schedule.main], 1, 0);
        Walker { schedule, layout, frames: vec![main], pool: Pool::default(), awaited: VecDeque::new() }
    }

    /// Line of the source of the step that is due, 0 where unknown.
    pub fn line(&self) -> u32 {
        self.frames.last().and_then(|frame| frame.body.steps.get(frame.step)).map_or(0, |step| step.line)
    }

    /// The next task, or `None` at the end.
    ///
    /// # Errors
    /// [`WalkError`] where a bundle does not fit into memory.
    #[allow(clippy::should_implement_trait, reason = "a task must be supplied before the next is asked for")]
    pub fn next(&mut self) -> Result<Option<Task<'s, W>>, WalkError> {
        while let Some(frame) = self.frames.last_mut() {
            let Some(step) = frame.body.steps.get(frame.step) else {
                if let Some(results) = frame.end(&mut self.pool)? {
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

    /// The next tasks: all that come next, open something and do not depend on each other, or one of another kind. None at
    /// the end. What they write is to be supplied in their order.
    ///
    /// # Errors
    /// As [`Walker::next`].
    pub fn layer(&mut self) -> Result<Layer<'s, W>, WalkError> {
        let Some(first) = self.next()? else { return Ok(Layer { tasks: Vec::new(), opens: false }) };
        let mut tasks = vec![(first, self.line())];
        let opens = self.frames.last().is_some_and(|frame| {
            let due = frame.body.steps.get(frame.step);
            due.is_some_and(|step| self.schedule.opens(frame.body, &step.action))
        });
        while let Some(step) = opens.then(|| self.another(tasks.len())).flatten() {
            // What opens something is a task.
            let Some(task) = self.step(step)? else { break };
            tasks.push((task, step.line));
        }
        Ok(Layer { tasks, opens })
    }

    /// The step that comes so many after the one that is due, if it opens something and what it reads is there.
    fn another(&self, ahead: usize) -> Option<&'s Step> {
        let frame = self.frames.last()?;
        let step = frame.body.steps.get(frame.step + ahead)?;
        let mut there = true;
        step.action.for_each_source(|source| there &= frame.holds(source));
        (there && self.schedule.opens(frame.body, &step.action)).then_some(step)
    }

    /// Takes what the first task that is not yet supplied wrote: its targets, nothing of an output.
    ///
    /// # Errors
    /// [`WalkError::Supplied`] if no task waits, or it has another number of targets.
    pub fn supply(&mut self, written: impl IntoIterator<Item = W>) -> Result<(), WalkError> {
        let frame = self.frames.last_mut().ok_or(WalkError::Supplied)?;
        let targets = self.awaited.pop_front().ok_or(WalkError::Supplied)?;
        let mut written = written.into_iter();
        for bundle in targets {
            frame.set(*bundle, written.next().ok_or(WalkError::Supplied)?);
        }
        frame.advance(&mut self.pool);
        if written.next().is_none() { Ok(()) } else { Err(WalkError::Supplied) }
    }

    /// Elements of the bundles that frames hold, those shared by several counted once for each.
    #[cfg(test)]
    fn live(&self) -> u64 {
        self.frames.iter().map(|frame| frame.live()).sum()
    }

    /// Hands the results of a body to the step that applied it.
    fn leave(&mut self, results: Vec<W>) {
        let Some(frame) = self.frames.last_mut() else { return };
        let (Action::Call { results: targets, .. }
        | Action::Map { results: targets, .. }
        | Action::Iterate { results: targets, .. }) = &frame.body.steps[frame.step].action
        else {
            return;
        };
        targets.iter().zip(results).for_each(|(target, wires)| frame.set(*target, wires));
        frame.advance(&mut self.pool);
    }

    fn step(&mut self, step: &'s Step) -> Result<Option<Task<'s, W>>, WalkError> {
        let (frame, pool) = (self.frames.last_mut().ok_or(WalkError::Unwritten)?, &mut self.pool);
        let action = &step.action;
        let task = match action {
            Action::Gather { source, positions, target } => {
                gather(frame, *source, positions, *target, pool)?;
                return Ok(None);
            }
            Action::Join { sources, target } => {
                join(frame, sources, *target, pool)?;
                return Ok(None);
            }
            Action::Call { .. } | Action::Map { .. } | Action::Iterate { .. } => {
                self.enter(action)?;
                return Ok(None);
            }
            Action::Output { port, column, source } => {
                let bundle = frame.bundle(*source);
                Task::Output { port: *port, column: *column, bundle, source: frame.get(*source)? }
            }
            Action::Input { port, column, target } => Task::Input {
                port: *port,
                column: *column,
                bundle: frame.bundle(*target),
                target: frame.allocate(*target, pool)?,
            },
            Action::Share { port, column, bits, signed, target } => Task::Share {
                port: *port,
                column: *column,
                bits: *bits,
                signed: *signed,
                bundle: frame.bundle(*target),
                target: frame.allocate(*target, pool)?,
            },
            Action::Random { target } => {
                Task::Random { bundle: frame.bundle(*target), target: frame.allocate(*target, pool)? }
            }
            Action::Constant { words, target } => Task::Constant {
                words,
                copies: frame.copies,
                bundle: frame.bundle(*target),
                target: frame.allocate(*target, pool)?,
            },
            Action::Convert { source, signed, target } => Task::Convert {
                source: frame.get(*source)?,
                from: frame.bundle(*source),
                to: frame.bundle(*target),
                signed: *signed,
                target: frame.allocate(*target, pool)?,
            },
            Action::Addends { source, targets: [first, second] } => Task::Addends {
                source: frame.get(*source)?,
                to: frame.bundle(*first),
                targets: [frame.allocate(*first, pool)?, frame.allocate(*second, pool)?],
            },
            Action::Sum { circuit, lanes, source, target } => Task::Sum(SumTask {
                circuit: &self.schedule.circuits[*circuit as usize],
                instances: lanes.saturating_mul(frame.copies),
                first_id: frame.id_of(step),
                source: frame.get(*source)?,
                target: frame.allocate(*target, pool)?,
            }),
            Action::Arith { op, inputs, target } => Task::Arith {
                op,
                bits: match (op, &inputs[..]) {
                    (ArithOp::Compare(_) | ArithOp::ShiftRight { .. }, [x, ..]) => frame.bundle(*x).bits,
                    _ => frame.bundle(*target).bits,
                },
                copies: frame.copies,
                operands: frame.get_all(inputs)?,
                target: frame.allocate(*target, pool)?,
            },
            Action::Circuit { circuit, lanes, inputs, outputs } => Task::Circuit(CircuitTask {
                domain: outputs.first().map_or(Domain::Yao, |output| frame.bundle(*output).domain),
                circuit: &self.schedule.circuits[*circuit as usize],
                instances: lanes.saturating_mul(frame.copies),
                first_id: frame.id_of(step),
                operands: operands(frame, *lanes, inputs)?,
                targets: targets(frame, outputs, pool)?,
            }),
        };
        self.awaited.push_back(action.targets());
        Ok(Some(task))
    }

    /// Pushes the frame of a body that a step applies.
    fn enter(&mut self, action: &'s Action) -> Result<(), WalkError> {
        let (frame, pool) = (self.frames.last_mut().ok_or(WalkError::Unwritten)?, &mut self.pool);
        let apply = |body: u32, copies| {
            let index = body as usize;
            Frame::new(&self.schedule.bodies[index], &self.layout.bodies[index], copies, frame.step_id())
        };
        let entered = match action {
            Action::Call { body, arguments, .. } => {
                apply(*body, frame.copies).begin(Turns::One, frame.get_all(arguments)?, pool)?
            }
            Action::Map { body, lanes, arguments, results } => {
                let BodyLayout { chunk, .. } = self.layout.bodies[*body as usize];
                let total = lanes.saturating_mul(frame.copies);
                let arguments = frame.get_all(arguments)?;
                if total <= chunk {
                    apply(*body, total).begin(Turns::One, arguments, pool)?
                } else {
                    let results = allocate_all(frame, results, pool)?;
                    let turns = Turns::Chunks(Chunks { start: 0, total, arguments, results });
                    apply(*body, chunk).begin(turns, Vec::new(), pool)?
                }
            }
            Action::Iterate { body, count, carried, invariant, sliced, results } => {
                let turns = Turns::Loop(Loop {
                    iteration: 0,
                    count: *count,
                    carried: carried.len(),
                    invariant: frame.get_all(invariant)?,
                    sliced: frame.get_all(sliced)?,
                    stacks: allocate_all(frame, &results[carried.len()..], pool)?,
                });
                apply(*body, frame.copies).begin(turns, frame.get_all(carried)?, pool)?
            }
            _ => return Ok(()),
        };
        self.frames.push(entered);
        Ok(())
    }
}

fn allocate_all<W: Buffer>(
    frame: &Frame<'_, W>,
    bundles: &[BundleId],
    pool: &mut Pool<W>,
) -> Result<Vec<W>, WalkError> {
    bundles.iter().map(|bundle| frame.allocate(*bundle, pool)).collect()
}

fn operands<W: Buffer>(
    frame: &Frame<'_, W>,
    lanes: u64,
    inputs: &[tacit_lower::Operand],
) -> Result<Vec<Operand<W>>, WalkError> {
    let operand = |input: &tacit_lower::Operand| {
        let bits = frame.body.bundles[input.bundle.index()].bits;
        let share = if input.broadcast { lanes } else { 1 };
        Ok(Operand { wires: frame.get(input.bundle)?, bits, share })
    };
    inputs.iter().map(operand).collect()
}

fn targets<W: Buffer>(
    frame: &Frame<'_, W>,
    outputs: &[BundleId],
    pool: &mut Pool<W>,
) -> Result<Vec<Target<W>>, WalkError> {
    let target = |output: &BundleId| {
        let bits = frame.body.bundles[output.index()].bits;
        Ok(Target { wires: frame.allocate(*output, pool)?, bits })
    };
    outputs.iter().map(target).collect()
}

fn gather<W: Buffer>(
    frame: &mut Frame<'_, W>,
    source: BundleId,
    positions: &Index,
    target: BundleId,
    pool: &mut Pool<W>,
) -> Result<(), WalkError> {
    let (from, to) = (frame.body.bundles[source.index()].lanes, frame.body.bundles[target.index()].lanes);
    let wires = frame.get(source)?;
    let mut gathered = frame.allocate(target, pool)?;
    gathered.gather((&wires, from), positions, to)?;
    drop(wires);
    frame.set(target, gathered);
    frame.advance(pool);
    Ok(())
}

fn join<W: Buffer>(
    frame: &mut Frame<'_, W>,
    sources: &[BundleId],
    target: BundleId,
    pool: &mut Pool<W>,
) -> Result<(), WalkError> {
    let to = frame.body.bundles[target.index()].lanes as usize;
    let mut joined = frame.allocate(target, pool)?;
    let mut at = 0;
    for source in sources {
        let lanes = frame.body.bundles[source.index()].lanes as usize;
        joined.copy_lanes((&frame.get(*source)?, lanes, 0), (to, at), lanes)?;
        at += lanes;
    }
    frame.set(target, joined);
    frame.advance(pool);
    Ok(())
}
