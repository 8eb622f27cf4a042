//! The walk over a schedule: what is written to the task, on which bundles.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use tacit_ir::Words;
use tacit_lower::{Action, Body, BundleId, Operand};
use tacit_math::field::Gf256;

use super::circuit::{Port, Run};
use super::map::Weights;
use super::{Compiled, CompiledError, Wait, moves};
use crate::program::{Task, Value, mixed};

/// How many parts of the window are waited for one by one.
pub(crate) const PARTS: usize = 4;

/// What each operation counts besides its shares.
const OPERATION_BYTES: usize = 256;

/// A shared bundle, wire-major.
pub(super) type Bundle = Rc<Value<Gf256>>;

/// Writes a program to a task; all its outputs, opened to whom they are for.
pub(super) fn write(
    compiled: &Compiled,
    task: &Task<Gf256>,
    inputs: &[Vec<Words>],
    wait: Wait<'_>,
) -> Result<Value<Gf256>, CompiledError> {
    let part = compiled.window / PARTS;
    let pace = Pace { part, written: 0, markers: VecDeque::new(), wait };
    let weights = Weights::of(&compiled.schedule);
    let outputs = compiled.outputs.iter().map(|place| place.columns.iter().map(|_| None).collect()).collect();
    let mut walk = Walk { compiled, task, inputs, outputs, pace, weights, hash: compiled.tag };
    let main = compiled.schedule.main;
    walk.body(main, 1, Vec::new())?;
    let mut opened = Vec::new();
    for (place, columns) in compiled.outputs.iter().zip(walk.outputs) {
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

/// How far the writer may be ahead of what is computed.
pub(super) struct Pace<'a> {
    /// Bytes between two markers.
    pub(super) part: usize,
    /// Bytes written since the last marker.
    written: usize,
    /// Values that are known when what was written before them is.
    markers: VecDeque<Value<Gf256>>,
    wait: Wait<'a>,
}

impl Pace<'_> {
    /// Notes that a value was written that takes so many bytes, and waits where the writer is too far ahead.
    fn wrote(&mut self, task: &Task<Gf256>, value: &Value<Gf256>, bytes: usize) -> Result<(), CompiledError> {
        self.written = self.written.saturating_add(bytes).saturating_add(OPERATION_BYTES);
        if self.written < self.part {
            return Ok(());
        }
        self.written = 0;
        // What is public of it is only that it is there.
        self.markers.push_back(task.local(1, true, 0x6d61, &[value], |_, _| vec![0])?);
        if self.markers.len() >= PARTS
            && let Some(first) = self.markers.pop_front()
        {
            (self.wait)(task, &first)?;
        }
        Ok(())
    }
}

pub(super) struct Walk<'a> {
    pub(super) compiled: &'a Compiled,
    pub(super) task: &'a Task<Gf256>,
    inputs: &'a [Vec<Words>],
    /// By port and column.
    outputs: Vec<Vec<Option<Value<Gf256>>>>,
    pub(super) pace: Pace<'a>,
    pub(super) weights: Weights,
    pub(super) hash: u64,
}

/// The bundles of a body that is being written.
struct Frame<'a> {
    body: &'a Body,
    /// Instances side by side.
    copies: usize,
    bundles: Vec<Option<Bundle>>,
    /// Steps that have still to read each bundle, and one more for each time it is a result.
    readers: Vec<u32>,
}

impl<'a> Frame<'a> {
    fn new(body: &'a Body, copies: usize, arguments: Vec<Bundle>) -> Self {
        let mut readers = vec![0; body.bundles.len()];
        body.results.iter().for_each(|result| readers[result.index()] += 1);
        for step in &body.steps {
            each_source(&step.action, |source| readers[source.index()] += 1);
        }
        let mut bundles = vec![None; body.bundles.len()];
        for (parameter, bundle) in body.parameters.iter().zip(arguments) {
            bundles[parameter.index()] = Some(bundle);
        }
        Frame { body, copies, bundles, readers }
    }

    fn get(&self, bundle: BundleId) -> Result<Bundle, CompiledError> {
        self.bundles[bundle.index()].clone().ok_or(CompiledError::OtherSchedule)
    }

    fn get_all(&self, bundles: &[BundleId]) -> Result<Vec<Bundle>, CompiledError> {
        bundles.iter().map(|bundle| self.get(*bundle)).collect()
    }

    fn set(&mut self, bundle: BundleId, value: Bundle) {
        self.bundles[bundle.index()] = Some(value);
    }

    /// Forgets what no later step reads.
    fn advance(&mut self, action: &Action) {
        let (readers, bundles) = (&mut self.readers, &mut self.bundles);
        each_source(action, |source| {
            readers[source.index()] -= 1;
            if readers[source.index()] == 0 {
                bundles[source.index()] = None;
            }
        });
    }

    fn bits(&self, bundle: BundleId) -> usize {
        self.body.bundles[bundle.index()].bits as usize
    }

    /// Lanes in one instance.
    fn lanes(&self, bundle: BundleId) -> usize {
        self.body.bundles[bundle.index()].lanes as usize
    }

    /// Elements in all instances.
    fn elements(&self, bundle: BundleId) -> Result<usize, CompiledError> {
        let lanes = self.lanes(bundle).saturating_mul(self.copies);
        let bits = self.body.bundles[bundle.index()].bits;
        lanes.checked_mul(bits as usize).ok_or(CompiledError::Memory { bits, lanes })
    }

    fn port(&self, bundle: BundleId, step_lanes: usize, broadcast: bool) -> Port {
        let lanes = self.lanes(bundle);
        let share = if broadcast { lanes } else { lanes / step_lanes };
        Port { bits: self.bits(bundle), lanes, share, broadcast }
    }
}

/// Calls `f` with every bundle that a step reads, as often as it does.
fn each_source(action: &Action, mut f: impl FnMut(BundleId)) {
    match action {
        Action::Input { .. } | Action::Share { .. } | Action::Random { .. } | Action::Constant { .. } => {}
        Action::Output { source, .. }
        | Action::Gather { source, .. }
        | Action::Convert { source, .. }
        | Action::Addends { source, .. }
        | Action::Sum { source, .. } => f(*source),
        Action::Arith { inputs, .. } => inputs.iter().for_each(|input| f(*input)),
        Action::Circuit { inputs, .. } => inputs.iter().for_each(|input| f(input.bundle)),
        Action::Join { sources, .. } => sources.iter().for_each(|source| f(*source)),
        Action::Call { arguments, .. } | Action::Map { arguments, .. } => {
            arguments.iter().for_each(|argument| f(*argument));
        }
        Action::Iterate { carried, invariant, sliced, .. } => {
            carried.iter().chain(invariant).chain(sliced).for_each(|argument| f(*argument));
        }
    }
}

/// Whether a step makes or takes shares by sum.
pub(super) fn is_for_two(action: &Action) -> bool {
    matches!(
        action,
        Action::Share { .. } | Action::Addends { .. } | Action::Sum { .. } | Action::Arith { .. }
    )
}

impl Walk<'_> {
    pub(super) fn body(
        &mut self,
        number: usize,
        copies: usize,
        arguments: Vec<Bundle>,
    ) -> Result<Vec<Bundle>, CompiledError> {
        let schedule = self.compiled.schedule.clone();
        let body = &schedule.bodies[number];
        let mut frame = Frame::new(body, copies, arguments);
        for (step, index) in body.steps.iter().zip(0..) {
            self.hash = mixed(mixed(self.compiled.tag, number as u64), index);
            self.step(&mut frame, &step.action)?;
            frame.advance(&step.action);
        }
        frame.get_all(&body.results)
    }

    pub(super) fn wrote(&mut self, value: Value<Gf256>) -> Result<Bundle, CompiledError> {
        self.pace.wrote(self.task, &value, value.len())?;
        Ok(Rc::new(value))
    }

    fn step(&mut self, frame: &mut Frame<'_>, action: &Action) -> Result<(), CompiledError> {
        let copies = frame.copies;
        match action {
            Action::Input { port, column, target } => {
                let value = self.input(*port, *column, frame.elements(*target)?)?;
                frame.set(*target, value);
            }
            Action::Output { port, column, source } => {
                let to = self.compiled.outputs[*port as usize].receivers();
                let opened = self.task.open_to(&*frame.get(*source)?, to)?;
                self.outputs[*port as usize][*column as usize] = Some(opened);
            }
            // Both domains of bits are one here.
            Action::Convert { source, target, .. } if frame.bits(*source) == frame.bits(*target) => {
                let value = frame.get(*source)?;
                frame.set(*target, value);
            }
            Action::Share { .. }
            | Action::Addends { .. }
            | Action::Sum { .. }
            | Action::Arith { .. }
            | Action::Convert { .. } => {
                return Err(CompiledError::Summed { body: frame.body.name.clone() });
            }
            Action::Random { target } => {
                let bits = self.task.random_bits(frame.elements(*target)?)?;
                frame.set(*target, self.wrote(bits)?);
            }
            Action::Constant { words, target } => {
                frame.elements(*target)?;
                let bits = moves::repeat(&moves::from_words(words), frame.lanes(*target), copies);
                let bits = self.task.constant(bits)?;
                frame.set(*target, self.wrote(bits)?);
            }
            Action::Circuit { circuit, lanes, inputs, outputs } => {
                self.circuit(frame, *circuit as usize, *lanes as usize, inputs, outputs)?;
            }
            Action::Gather { source, positions, target } => {
                let (from, to) = (frame.lanes(*source), frame.lanes(*target));
                let position = |lane| positions.position(lane as u64, from as u64) as usize;
                let positions: Arc<[usize]> = (0..to).map(position).collect();
                let (source, length) = (frame.get(*source)?, frame.elements(*target)?);
                let gather = move |_: &_, given: &[&[u8]]| moves::gather(given[0], from, &positions);
                let value = self.task.local(length, source.is_public(), self.hash, &[&source], gather)?;
                frame.set(*target, self.wrote(value)?);
            }
            Action::Join { sources, target } => {
                let lanes = sources.iter().map(|source| frame.lanes(*source)).collect();
                let rows = frame.bits(*target) * copies;
                let value = self.join(&frame.get_all(sources)?, lanes, rows, frame.elements(*target)?)?;
                frame.set(*target, value);
            }
            Action::Call { body, arguments, results } => {
                let values = self.body(*body as usize, copies, frame.get_all(arguments)?)?;
                results.iter().zip(values).for_each(|(result, value)| frame.set(*result, value));
            }
            Action::Map { body, lanes, arguments, results } => {
                let instances = copies.checked_mul(*lanes as usize);
                let instances = instances.ok_or(CompiledError::Memory { bits: 1, lanes: usize::MAX })?;
                let values = self.map(*body as usize, instances, &frame.get_all(arguments)?)?;
                results.iter().zip(values).for_each(|(result, value)| frame.set(*result, value));
            }
            Action::Iterate { body, count, carried, invariant, sliced, results } => {
                let values = self.iterate(frame, *body as usize, *count, [carried, invariant, sliced])?;
                results.iter().zip(values).for_each(|(result, value)| frame.set(*result, value));
            }
        }
        Ok(())
    }

    fn input(&mut self, port: u32, column: u32, length: usize) -> Result<Bundle, CompiledError> {
        let owner = self.compiled.inputs[port as usize].party;
        let words = self.inputs[port as usize].get(column as usize);
        let bits = words.filter(|_| owner == self.task.me()).map(moves::from_words);
        let value = self.task.input(owner, length, bits)?;
        self.wrote(value)
    }

    pub(super) fn join(
        &mut self,
        parts: &[Bundle],
        lanes: Vec<usize>,
        rows: usize,
        length: usize,
    ) -> Result<Bundle, CompiledError> {
        let public = parts.iter().all(|part| part.is_public());
        let parts: Vec<_> = parts.iter().map(|part| &**part).collect();
        let value = self.task.local(length, public, self.hash, &parts, move |_, given| {
            let parts: Vec<_> = given.iter().copied().zip(lanes).collect();
            moves::join(&parts, rows)
        })?;
        self.wrote(value)
    }

    fn circuit(
        &mut self,
        frame: &mut Frame<'_>,
        circuit: usize,
        lanes: usize,
        inputs: &[Operand],
        outputs: &[BundleId],
    ) -> Result<(), CompiledError> {
        for bundle in outputs {
            frame.elements(*bundle)?;
        }
        let operands: Vec<_> =
            inputs.iter().map(|input| frame.get(input.bundle)).collect::<Result<_, _>>()?;
        let operands: Vec<_> = operands.iter().map(|operand| &**operand).collect();
        let run = Run {
            schedule: self.compiled.schedule.clone(),
            circuit,
            lanes: (lanes, frame.copies),
            inputs: inputs.iter().map(|input| frame.port(input.bundle, lanes, input.broadcast)).collect(),
            outputs: outputs.iter().map(|bundle| frame.port(*bundle, lanes, false)).collect(),
            hash: self.hash,
        };
        let values = run.write(self.task, &operands)?;
        if let Some(last) = values.last() {
            self.pace.wrote(self.task, last, run.bytes())?;
        }
        for (bundle, value) in outputs.iter().zip(values) {
            frame.set(*bundle, Rc::new(value));
        }
        Ok(())
    }

    fn iterate(
        &mut self,
        frame: &Frame<'_>,
        number: usize,
        count: u64,
        [carried, invariant, sliced]: [&[BundleId]; 3],
    ) -> Result<Vec<Bundle>, CompiledError> {
        let schedule = self.compiled.schedule.clone();
        let (body, copies, count) = (&schedule.bodies[number], frame.copies, count as usize);
        let (mut state, hash) = (frame.get_all(carried)?, self.hash);
        let mut stacks: Vec<Vec<Bundle>> = vec![Vec::new(); body.results.len() - state.len()];
        for iteration in 0..count {
            let mut arguments = state;
            arguments.extend(frame.get_all(invariant)?);
            for bundle in sliced {
                let (from, source) = (frame.lanes(*bundle), frame.get(*bundle)?);
                let lanes = from / count;
                let length = frame.bits(*bundle) * lanes * copies;
                let slice =
                    move |_: &_, given: &[&[u8]]| moves::slice(given[0], from, iteration * lanes, lanes);
                let hash = mixed(hash, iteration as u64);
                let value = self.task.local(length, source.is_public(), hash, &[&source], slice)?;
                arguments.push(self.wrote(value)?);
            }
            state = self.body(number, copies, arguments)?;
            let stacked = state.split_off(carried.len());
            stacks.iter_mut().zip(stacked).for_each(|(stack, value)| stack.push(value));
        }
        self.hash = hash;
        for (stack, result) in stacks.iter().zip(&body.results[carried.len()..]) {
            let bundle = body.bundles[result.index()];
            let lanes = vec![bundle.lanes as usize; count];
            let rows = bundle.bits as usize * copies;
            let length = rows * bundle.lanes as usize * count;
            let joined = self.join(stack, lanes, rows, length)?;
            state.push(joined);
        }
        Ok(state)
    }
}
