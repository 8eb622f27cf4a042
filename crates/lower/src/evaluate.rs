//! Walking schedules as engines do: in the clear, or over the gates of one circuit.

mod arith;
mod flat;
mod moves;

pub use flat::circuit_of;

use std::rc::Rc;

use tacit_circuit::Executable;
use tacit_ir::Words;

use crate::schedule::{Action, ArithOp, Body, BundleId, Operand, Schedule};

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
    /// Something random, which has no circuit.
    #[error("what is random has no circuit")]
    Random,
    /// The circuit would be too large.
    #[error("the schedule has more than {limit} gates and inputs")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The schedule breaks a rule of its own.
    #[error(transparent)]
    Invalid(#[from] crate::validate::ScheduleError),
}

/// One bit an element, wire-major.
type Elements<B> = Rc<Vec<B>>;

/// Runs a schedule in the clear, as engines do on labels: for tests, and as the definition of what steps mean.
///
/// `inputs` and the result hold, port by port, the columns. `random` gives fresh random words. Outputs no step gives
/// are empty.
///
/// Errors: [`EvaluateError`].
pub fn evaluate_clear(
    schedule: &Schedule,
    inputs: &[Vec<Words>],
    random: impl FnMut() -> u64,
) -> Result<Vec<Vec<Words>>, EvaluateError> {
    schedule.validate()?;
    let mut walk = Walk { schedule, values: Clear { inputs, random, outputs: Vec::new() } };
    walk.body(&schedule.bodies[schedule.main], 1, &[])?;
    Ok(walk.values.outputs)
}

/// A place of an input or output: port, column, and the column's bits and lanes.
struct Place {
    port: u32,
    column: u32,
    bits: usize,
    lanes: usize,
}

/// What elements are, and how circuits compute with them.
trait Values {
    type Bit: Copy;

    fn constant(&self, bit: bool) -> Self::Bit;

    /// The elements of an input, wire-major.
    fn input(&mut self, place: &Place) -> Result<Vec<Self::Bit>, EvaluateError>;

    fn output(&mut self, place: &Place, elements: &[Self::Bit]);

    fn random(&mut self, count: usize) -> Result<Vec<Self::Bit>, EvaluateError>;

    /// The elements of a result, from those of the operands and their widths; `shape` is the width of the result and
    /// the number of instances.
    fn arith(
        &mut self,
        op: &ArithOp,
        operands: &[(Elements<Self::Bit>, usize)],
        shape: (usize, usize),
    ) -> Result<Vec<Self::Bit>, EvaluateError>;

    /// The output bits of up to 64 instances of a circuit from their input bits.
    fn run(&mut self, circuit: &Executable, instances: &[Vec<Self::Bit>]) -> Vec<Vec<Self::Bit>>;
}

/// Plain bits.
struct Clear<'a, R> {
    inputs: &'a [Vec<Words>],
    random: R,
    outputs: Vec<Vec<Words>>,
}

impl<R: FnMut() -> u64> Values for Clear<'_, R> {
    type Bit = bool;

    fn constant(&self, bit: bool) -> bool {
        bit
    }

    fn input(&mut self, place: &Place) -> Result<Vec<bool>, EvaluateError> {
        let (port, column) = (place.port, place.column);
        let words = self.inputs.get(port as usize).and_then(|columns| columns.get(column as usize));
        let fits =
            |words: &&Words| words.bits() as usize == place.bits && words.lanes() as usize == place.lanes;
        words.filter(fits).map(moves::from_words).ok_or(EvaluateError::Input { port, column })
    }

    fn output(&mut self, place: &Place, elements: &[bool]) {
        let (port, column) = (place.port as usize, place.column as usize);
        self.outputs.resize_with(self.outputs.len().max(port + 1), Vec::new);
        let columns = &mut self.outputs[port];
        columns.resize_with(columns.len().max(column + 1), || Words::zero(1, 0));
        columns[column] = moves::to_words(elements, place.bits, place.lanes);
    }

    fn random(&mut self, count: usize) -> Result<Vec<bool>, EvaluateError> {
        Ok((0..count).map(|_| (self.random)() & 1 == 1).collect())
    }

    fn arith(
        &mut self,
        op: &ArithOp,
        operands: &[(Elements<bool>, usize)],
        (bits, copies): (usize, usize),
    ) -> Result<Vec<bool>, EvaluateError> {
        let width = operands.first().map_or(0, |(_, bits)| *bits);
        let operands: Vec<Vec<u128>> =
            operands.iter().map(|(elements, bits)| arith::words(elements, *bits)).collect();
        if let ArithOp::Compare(relation) = op {
            return Ok(arith::compare(*relation, &operands[0], &operands[1], width as u32));
        }
        let words = match *op {
            ArithOp::ShiftRight { by, signed } => {
                arith::shift_right(&operands[0], (by, signed), width as u32)
            }
            _ => arith::apply(op, &operands, copies),
        };
        Ok(arith::elements(&words, bits))
    }

    fn run(&mut self, circuit: &Executable, instances: &[Vec<bool>]) -> Vec<Vec<bool>> {
        let pack = |bit: usize| {
            let lane = |(lane, bits): (usize, &Vec<bool>)| u64::from(bits[bit]) << lane;
            instances.iter().enumerate().map(lane).fold(0, |word, bit| word | bit)
        };
        let words: Vec<u64> = (0..circuit.inputs.len()).map(pack).collect();
        // There are as many words as inputs, which is all that it asks for.
        let results = circuit.evaluate_lanes(&words).unwrap_or_default();
        (0..instances.len()).map(|lane| results.iter().map(|word| word >> lane & 1 == 1).collect()).collect()
    }
}

struct Walk<'a, V> {
    schedule: &'a Schedule,
    values: V,
}

/// The bundles of a running body.
struct Frame<'a, B> {
    body: &'a Body,
    /// Instances side by side.
    copies: usize,
    bundles: Vec<Elements<B>>,
}

impl<B> Frame<'_, B> {
    fn get(&self, bundle: BundleId) -> Elements<B> {
        self.bundles[bundle.index()].clone()
    }

    fn all(&self, bundles: &[BundleId]) -> Vec<Elements<B>> {
        bundles.iter().map(|bundle| self.get(*bundle)).collect()
    }

    fn set(&mut self, bundle: BundleId, elements: Elements<B>) {
        self.bundles[bundle.index()] = elements;
    }

    fn set_all(&mut self, bundles: &[BundleId], values: Vec<Elements<B>>) {
        bundles.iter().zip(values).for_each(|(bundle, elements)| self.set(*bundle, elements));
    }

    fn bits(&self, bundle: BundleId) -> usize {
        self.body.bundles[bundle.index()].bits as usize
    }

    /// Lanes in one instance.
    fn lanes(&self, bundle: BundleId) -> usize {
        self.body.bundles[bundle.index()].lanes as usize
    }

    fn place(&self, port: u32, column: u32, bundle: BundleId) -> Place {
        Place { port, column, bits: self.bits(bundle), lanes: self.lanes(bundle) }
    }
}

impl<V: Values> Walk<'_, V> {
    fn body(
        &mut self,
        body: &Body,
        copies: usize,
        arguments: &[Elements<V::Bit>],
    ) -> Result<Vec<Elements<V::Bit>>, EvaluateError> {
        let nothing = Rc::new(Vec::new());
        let mut frame = Frame { body, copies, bundles: vec![nothing; body.bundles.len()] };
        frame.set_all(&body.parameters, arguments.to_vec());
        for step in &body.steps {
            self.step(&mut frame, &step.action)?;
        }
        Ok(frame.all(&body.results))
    }

    fn step(&mut self, frame: &mut Frame<'_, V::Bit>, action: &Action) -> Result<(), EvaluateError> {
        let copies = frame.copies;
        match action {
            Action::Input { port, column, target } => {
                let elements = self.values.input(&frame.place(*port, *column, *target))?;
                frame.set(*target, Rc::new(elements));
            }
            Action::Share { port, column, bits, signed, target } => {
                let bits = *bits as usize;
                let place = Place { port: *port, column: *column, bits, lanes: frame.lanes(*target) };
                let elements = self.values.input(&place)?;
                frame.set(*target, Rc::new(self.resized(&elements, bits, frame.bits(*target), *signed)));
            }
            Action::Convert { source, signed, target } => {
                let (from, to) = (frame.bits(*source), frame.bits(*target));
                frame.set(*target, Rc::new(self.resized(&frame.get(*source), from, to, *signed)));
            }
            Action::Addends { source, targets: [first, second] } => {
                let (from, to) = (frame.bits(*source), frame.bits(*first));
                let low = self.resized(&frame.get(*source), from, to, false);
                frame.set(*second, Rc::new(vec![self.values.constant(false); low.len()]));
                frame.set(*first, Rc::new(low));
            }
            Action::Sum { source, target, .. } => {
                let (from, to) = (frame.bits(*source), frame.bits(*target));
                frame.set(*target, Rc::new(self.resized(&frame.get(*source), from, to, false)));
            }
            Action::Arith { op, inputs, target } => {
                let operands: Vec<_> =
                    inputs.iter().map(|input| (frame.get(*input), frame.bits(*input))).collect();
                let elements = self.values.arith(op, &operands, (frame.bits(*target), copies))?;
                frame.set(*target, Rc::new(elements));
            }
            Action::Output { port, column, source } => {
                self.values.output(&frame.place(*port, *column, *source), &frame.get(*source));
            }
            Action::Random { target } => {
                let count = frame.bits(*target) * frame.lanes(*target) * copies;
                frame.set(*target, Rc::new(self.values.random(count)?));
            }
            Action::Constant { words, target } => {
                let bits: Vec<V::Bit> =
                    moves::from_words(words).into_iter().map(|bit| self.values.constant(bit)).collect();
                frame.set(*target, Rc::new(moves::repeat(&bits, frame.lanes(*target), copies)));
            }
            Action::Circuit { circuit, lanes, inputs, outputs } => {
                let executable = &self.schedule.circuits[*circuit as usize];
                self.circuit(frame, executable, *lanes as usize, inputs, outputs);
            }
            Action::Gather { source, positions, target } => {
                let from = frame.lanes(*source);
                let position = |lane| positions.position(lane as u64, from as u64) as usize;
                let elements = moves::gather(&frame.get(*source), from, frame.lanes(*target), position);
                frame.set(*target, Rc::new(elements));
            }
            Action::Join { sources, target } => {
                let parts: Vec<_> =
                    sources.iter().map(|source| (frame.get(*source), frame.lanes(*source))).collect();
                frame.set(*target, Rc::new(moves::join(&parts, frame.bits(*target) * copies)));
            }
            Action::Call { body, arguments, results } => {
                let values =
                    self.body(&self.schedule.bodies[*body as usize], copies, &frame.all(arguments))?;
                frame.set_all(results, values);
            }
            Action::Map { body, lanes, arguments, results } => {
                let copies = copies * *lanes as usize;
                let values =
                    self.body(&self.schedule.bodies[*body as usize], copies, &frame.all(arguments))?;
                frame.set_all(results, values);
            }
            Action::Iterate { body, count, carried, invariant, sliced, results } => {
                let values = self.iterate(frame, *body, *count as usize, [carried, invariant, sliced])?;
                frame.set_all(results, values);
            }
        }
        Ok(())
    }

    /// Wires of `from` bits as wires of `to`, filled up with zeros or the sign.
    fn resized(&self, elements: &[V::Bit], from: usize, to: usize, signed: bool) -> Vec<V::Bit> {
        let lanes = elements.len() / from;
        let zero = self.values.constant(false);
        let wire = |bit: usize| {
            let filled = bit >= from && !signed;
            (0..lanes).map(move |lane| if filled { zero } else { elements[bit.min(from - 1) * lanes + lane] })
        };
        (0..to).flat_map(wire).collect()
    }

    fn iterate(
        &mut self,
        frame: &Frame<'_, V::Bit>,
        body: u32,
        count: usize,
        [carried, invariant, sliced]: [&[BundleId]; 3],
    ) -> Result<Vec<Elements<V::Bit>>, EvaluateError> {
        let body = &self.schedule.bodies[body as usize];
        let mut state = frame.all(carried);
        let mut stacks: Vec<Vec<Elements<V::Bit>>> = vec![Vec::new(); body.results.len() - carried.len()];
        for iteration in 0..count {
            let slice = |bundle: &BundleId| {
                let (from, to) = (frame.lanes(*bundle), frame.lanes(*bundle) / count);
                Rc::new(moves::gather(&frame.get(*bundle), from, to, |lane| iteration * to + lane))
            };
            let arguments = state
                .iter()
                .cloned()
                .chain(frame.all(invariant))
                .chain(sliced.iter().map(slice))
                .collect::<Vec<_>>();
            let mut results = self.body(body, frame.copies, &arguments)?;
            let stacked = results.split_off(state.len());
            stacks.iter_mut().zip(stacked).for_each(|(stack, value)| stack.push(value));
            state = results;
        }
        for (stack, result) in stacks.into_iter().zip(&body.results[carried.len()..]) {
            let Bundled { bits, lanes } = Bundled::of(body, *result);
            let parts: Vec<_> = stack.into_iter().map(|value| (value, lanes)).collect();
            state.push(Rc::new(moves::join(&parts, bits * frame.copies)));
        }
        Ok(state)
    }
}

struct Bundled {
    bits: usize,
    lanes: usize,
}

impl Bundled {
    fn of(body: &Body, bundle: BundleId) -> Bundled {
        let bundle = body.bundles[bundle.index()];
        Bundled { bits: bundle.bits as usize, lanes: bundle.lanes as usize }
    }
}

/// Where the bits of an operand or output of a circuit step lie.
struct Port {
    bits: usize,
    /// Lanes in one instance.
    lanes: usize,
    /// Lanes that a lane of the step sees.
    share: usize,
    broadcast: bool,
}

impl Port {
    fn new<B>(frame: &Frame<'_, B>, bundle: BundleId, step_lanes: usize, broadcast: bool) -> Port {
        let lanes = frame.lanes(bundle);
        let share = if broadcast { lanes } else { lanes / step_lanes };
        Port { bits: frame.bits(bundle), lanes, share, broadcast }
    }

    /// Bits that a lane of the step sees.
    fn width(&self) -> usize {
        self.share * self.bits
    }

    /// The element of bit `bit` of lane `lane` of all instances of the step, `step_lanes` to an instance of the body.
    fn element(&self, bit: usize, lane: usize, step_lanes: usize, copies: usize) -> usize {
        let (instance, within) = (lane / step_lanes, lane % step_lanes);
        let first = if self.broadcast { 0 } else { within * self.share };
        let bundle_lane = instance * self.lanes + first + bit / self.bits;
        bit % self.bits * self.lanes * copies + bundle_lane
    }
}

impl<V: Values> Walk<'_, V> {
    fn circuit(
        &mut self,
        frame: &mut Frame<'_, V::Bit>,
        circuit: &Executable,
        lanes: usize,
        inputs: &[Operand],
        outputs: &[BundleId],
    ) {
        let copies = frame.copies;
        let sources: Vec<(Port, Elements<V::Bit>)> = inputs
            .iter()
            .map(|operand| {
                (Port::new(frame, operand.bundle, lanes, operand.broadcast), frame.get(operand.bundle))
            })
            .collect();
        let targets: Vec<Port> =
            outputs.iter().map(|bundle| Port::new(frame, *bundle, lanes, false)).collect();
        let zero = self.values.constant(false);
        let mut written: Vec<Vec<V::Bit>> =
            targets.iter().map(|port| vec![zero; port.bits * port.lanes * copies]).collect();
        let all: Vec<usize> = (0..lanes * copies).collect();
        for chunk in all.chunks(64) {
            let read = |lane: usize| {
                let bits = |(port, elements): &(Port, Elements<V::Bit>)| {
                    let element = |bit| elements[port.element(bit, lane, lanes, copies)];
                    (0..port.width()).map(element).collect::<Vec<_>>()
                };
                sources.iter().flat_map(bits).collect::<Vec<_>>()
            };
            let instances: Vec<Vec<V::Bit>> = chunk.iter().map(|lane| read(*lane)).collect();
            for (lane, results) in chunk.iter().zip(self.values.run(circuit, &instances)) {
                let mut results = results.into_iter();
                for (port, written) in targets.iter().zip(&mut written) {
                    for (bit, value) in (0..port.width()).zip(results.by_ref()) {
                        written[port.element(bit, *lane, lanes, copies)] = value;
                    }
                }
            }
        }
        frame.set_all(outputs, written.into_iter().map(Rc::new).collect());
    }
}
