//! One circuit over many lanes: each layer's exclusive ors are computed at once, and its ANDs are one
//! operation.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use tacit_circuit::{Executable, Layer, Output};
use tacit_math::field::Field;
use tacit_math::{Wiped, zeros};
use tacit_schedule::Schedule;
use tacit_schedule::walk::View;

use crate::error::RunError;
use crate::program::{Task, Value, mixed};
use crate::protocol::binary::BinaryField;
use crate::protocol::packed::{copy_bits, gather_bits};

/// The maximum bytes of a chunk's slots. It is small enough that the first ANDs of a wide layer are sent before all
/// are computed.
pub(crate) const CHUNK_BYTES: usize = 1 << 22;

/// A circuit to be run over many lanes.
#[derive(Clone)]
pub(in crate::compiled::domains) struct Run {
    pub(in crate::compiled::domains) schedule: Arc<Schedule>,
    pub(in crate::compiled::domains) circuit: usize,
    pub(in crate::compiled::domains) instances: usize,
    pub(in crate::compiled::domains) inputs: Vec<View>,
    pub(in crate::compiled::domains) outputs: Vec<View>,
    /// The identity of this step.
    pub(in crate::compiled::domains) hash: u64,
}

impl Run {
    pub(in crate::compiled::domains) fn executable(&self) -> &Executable {
        &self.schedule.circuits[self.circuit]
    }

    /// Bytes of the slots of as many lanes as an element holds.
    fn slot_bytes<G: BinaryField>(&self) -> usize {
        (self.executable().slots as usize).max(1).saturating_mul(size_of::<G::Element>())
    }

    /// Bytes of slots of all lanes.
    pub(in crate::compiled::domains) fn bytes<G: BinaryField>(&self) -> usize {
        self.slot_bytes::<G>().saturating_mul(G::words(self.instances))
    }

    /// Writes the circuit to a task, and returns the bundles of its outputs.
    pub(in crate::compiled::domains) fn write<G: BinaryField>(
        &self,
        task: &Task<G>,
        operands: &[&Value<G>],
    ) -> Result<Vec<Value<G>>, RunError> {
        let chunk = (CHUNK_BYTES / self.slot_bytes::<G>()).max(1) * G::LANES;
        self.write_chunks(task, chunk, |range| self.chunk(task, operands, range))
    }

    /// Writes the circuit for `chunk` lanes at a time, which `write` does, and returns the bundles of its outputs.
    pub(in crate::compiled::domains) fn write_chunks<G: BinaryField>(
        &self,
        task: &Task<G>,
        chunk: usize,
        write: impl Fn(Range<usize>) -> Result<Value<G>, RunError>,
    ) -> Result<Vec<Value<G>>, RunError> {
        let all = self.instances;
        let starts: Vec<_> = (0..all).step_by(chunk).collect();
        let part = |start: &usize| write(*start..all.min(start + chunk));
        let parts: Vec<_> = starts.iter().map(part).collect::<Result<_, _>>()?;
        let parts: Vec<_> = parts.iter().collect();
        let mut offset = 0;
        let mut outputs = Vec::with_capacity(self.outputs.len());
        for view in &self.outputs {
            outputs.push(self.output(task, &parts, (*view, offset), chunk)?);
            offset += view.width();
        }
        Ok(outputs)
    }

    /// Writes the circuit for some lanes, and returns the bits of all its outputs, each in a row of elements.
    fn chunk<G: BinaryField>(
        &self,
        task: &Task<G>,
        operands: &[&Value<G>],
        range: Range<usize>,
    ) -> Result<Value<G>, RunError> {
        let lanes = range.len();
        let state = Arc::new(Mutex::new(State::new(task.field(), lanes)));
        let mut before: Option<Value<G>> = None;
        for (layer, number) in self.executable().layers().zip(0..) {
            if layer.and_out.is_empty() {
                continue;
            }
            let (run, state, first) = (self.clone(), state.clone(), range.start);
            let count = layer.and_out.len() * lanes;
            let reached = move |given: &[&[G::Element]]| {
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                run.advance(&mut state, given, first, number);
                state.operands(&run.executable().layer(number))
            };
            let (size, hash) = ((G::words(count), count), mixed(self.hash, number as u64));
            let one = before.take();
            let given = one.as_ref().map_or_else(|| operands.to_vec(), |one| vec![one]);
            before = Some(match task.scheme().is_active() {
                true => task.factors_of(size, hash, &given, reached)?,
                false => {
                    let field = task.field().clone();
                    let product = move |_: &_, given: &[&[G::Element]]| multiplied(&field, reached(given));
                    task.form_of(size, hash, &given, product)?
                }
            });
        }
        let count = self.outputs.iter().map(View::width).sum::<usize>() * G::words(lanes);
        let (run, first, last) = (self.clone(), range.start, self.executable().layer_count());
        let body = move |_: &_, given: &[&[G::Element]]| {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            run.advance(&mut state, given, first, last);
            let mut bits = Vec::with_capacity(count);
            run.executable().outputs.iter().for_each(|output| state.append_output(&mut bits, *output));
            bits
        };
        match before {
            None => task.local(count, false, self.hash, operands, body),
            Some(before) => task.local(count, false, self.hash, &[&before], body),
        }
    }

    /// Reaches the ANDs of a layer, or the end: takes the operands, or the products of the layer before, and computes
    /// exclusive ors.
    fn advance<G: BinaryField>(
        &self,
        state: &mut State<G>,
        given: &[&[G::Element]],
        first: usize,
        layer: usize,
    ) {
        let executable = self.executable();
        if state.slots.is_empty() {
            state.slots = Wiped::from(zeros(executable.slots as usize * state.row));
            self.load(state, given, first);
        } else if let Some(products) = given.first() {
            state.put_products(executable.layer(state.done - 1).and_out, products);
        }
        let end = executable.layer_count().min(layer + 1);
        for number in state.done..end {
            state.add(&executable.layer(number));
        }
        state.done = end;
    }

    /// Puts the operands into the slots of the inputs.
    fn load<G: BinaryField>(&self, state: &mut State<G>, given: &[&[G::Element]], first: usize) {
        let mut slots = self.executable().inputs.iter();
        for (view, wires) in self.inputs.iter().zip(given) {
            for (bit, slot) in (0..view.width()).zip(slots.by_ref()) {
                let (field, lanes) = (state.field.clone(), state.lanes);
                take_lanes(&field, (wires, view), (bit, first), (state.slot_mut(*slot), lanes));
            }
        }
    }

    /// The bundle of one output from the bits of all chunks of lanes.
    fn output<G: BinaryField>(
        &self,
        task: &Task<G>,
        parts: &[&Value<G>],
        (view, offset): (View, usize),
        chunk: usize,
    ) -> Result<Value<G>, RunError> {
        let (all, length) = (self.instances, G::words(view.elements()));
        task.local(length, false, mixed(self.hash, offset as u64), parts, move |prss, given| {
            let field = prss.scheme().field();
            let mut wires = zeros(length);
            for (start, part) in (0..all).step_by(chunk).zip(given) {
                let count = chunk.min(all - start);
                for (bit, row) in (0..view.width()).zip(part.chunks_exact(G::words(count)).skip(offset)) {
                    match view.is_lane_by_lane() {
                        true => copy_bits(field, (row, 0), (&mut wires, view.element(bit, start)), count),
                        false => (0..count).for_each(|lane| {
                            copy_bits(field, (row, lane), (&mut wires, view.element(bit, start + lane)), 1);
                        }),
                    }
                }
            }
            wires
        })
    }
}

/// Copies a bit of an operand in some instances, from the first on, to consecutive places.
pub(in crate::compiled::domains) fn take_lanes<G: BinaryField>(
    field: &G,
    (wires, view): (&[G::Element], &View),
    (bit, first): (usize, usize),
    (to, lanes): (&mut [G::Element], usize),
) {
    match view.step() {
        Some(1) => copy_bits(field, (wires, view.element(bit, first)), (to, 0), lanes),
        Some(step) => gather_bits(field, (wires, view.element(bit, first), step), to, lanes),
        None => (0..lanes).for_each(|lane| {
            copy_bits(field, (wires, view.element(bit, first + lane)), (to, lane), 1);
        }),
    }
}

/// The products of two lists of elements.
fn multiplied<F: Field>(field: &F, [mut a, b]: [Vec<F::Element>; 2]) -> Vec<F::Element> {
    field.mul_assign(&mut a, &Wiped::from(b));
    a
}

/// A circuit in the middle of its run.
struct State<G: BinaryField> {
    field: G,
    /// Shares; those of a slot's lanes are neighbours.
    slots: Wiped<G::Element>,
    lanes: usize,
    /// Elements of a slot. Bits after the last lane have no meaning and are never sent.
    row: usize,
    /// Layers whose exclusive ors are computed.
    done: usize,
}

impl<G: BinaryField> State<G> {
    fn new(field: &G, lanes: usize) -> State<G> {
        State { field: field.clone(), slots: Wiped::default(), lanes, row: G::words(lanes), done: 0 }
    }

    fn slot(&self, slot: u32) -> &[G::Element] {
        &self.slots[slot as usize * self.row..][..self.row]
    }

    fn slot_mut(&mut self, slot: u32) -> &mut [G::Element] {
        &mut self.slots[slot as usize * self.row..][..self.row]
    }

    /// Copies bits from a position on into a slot.
    fn put(&mut self, slot: u32, from: (&[G::Element], usize)) {
        let (field, row) = (&self.field, slot as usize * self.row..(slot as usize + 1) * self.row);
        copy_bits(field, from, (&mut self.slots[row], 0), self.lanes);
    }

    /// Whether slots are packed without gaps so that each is in one element as a whole.
    fn shares_elements(&self) -> bool {
        G::LANES.is_multiple_of(self.lanes)
    }

    /// Puts the products of a layer, which are packed without gaps, into their slots.
    fn put_products(&mut self, slots: &[u32], products: &[G::Element]) {
        if self.shares_elements() {
            return self.field.unpacked(products, slots, self.lanes, &mut self.slots);
        }
        let places = (0..).step_by(self.lanes);
        slots.iter().zip(places).for_each(|(slot, at)| self.put(*slot, (products, at)));
    }

    /// The exclusive ors of a layer.
    fn add(&mut self, layer: &Layer<'_>) {
        let gates = layer.xor_a.iter().zip(layer.xor_b).zip(layer.xor_out);
        if self.row == 1 {
            let (field, slots) = (&self.field, &mut self.slots[..]);
            gates.for_each(|((a, b), out)| {
                slots[*out as usize] = field.add(slots[*a as usize], slots[*b as usize])
            });
            return;
        }
        for ((a, b), out) in gates {
            let other = match out {
                out if out == a => b,
                out if out == b => a,
                out => {
                    let from = *a as usize * self.row;
                    self.slots.copy_within(from..from + self.row, *out as usize * self.row);
                    b
                }
            };
            self.add_to(*out, *other);
        }
    }

    /// Adds one slot to another.
    fn add_to(&mut self, to: u32, from: u32) {
        let row = self.row;
        let (low, high) = self.slots.split_at_mut(to.max(from) as usize * row);
        let (low, high) = (&mut low[to.min(from) as usize * row..][..row], &mut high[..row]);
        let (to, from) = if to < from { (low, high) } else { (high, low) };
        self.field.add_assign(to, from);
    }

    /// The operands of a layer's ANDs: all left operands, and all right operands.
    fn operands(&self, layer: &Layer<'_>) -> [Vec<G::Element>; 2] {
        let side = |slots: &[u32], side: u32| {
            if self.shares_elements() {
                return self.field.packed(&self.slots, (slots, layer.and_flip, side), self.lanes);
            }
            let mut operands = Vec::with_capacity(slots.len() * self.row);
            for (slot, flip) in slots.iter().zip(layer.and_flip) {
                self.append(&mut operands, *slot, flip >> side & 1 == 1);
            }
            self.dense(operands, layer.and_out.len())
        };
        [side(layer.and_a, 0), side(layer.and_b, 1)]
    }

    /// Rows of lanes, `count` of them, packed without gaps.
    fn dense(&self, rows: Vec<G::Element>, count: usize) -> Vec<G::Element> {
        if self.lanes == self.row * G::LANES {
            return rows;
        }
        let rows = Wiped::from(rows);
        let mut dense = zeros(G::words(count * self.lanes));
        for (number, row) in rows.chunks_exact(self.row).enumerate() {
            copy_bits(&self.field, (row, 0), (&mut dense, number * self.lanes), self.lanes);
        }
        dense
    }

    /// Appends the shares of a slot, or of its complements.
    fn append(&self, elements: &mut Vec<G::Element>, slot: u32, flip: bool) {
        let first = elements.len();
        elements.extend_from_slice(self.slot(slot));
        if flip {
            let one = self.field.one();
            elements[first..].iter_mut().for_each(|share| *share = self.field.add(*share, one));
        }
    }

    /// Appends the shares of an output.
    fn append_output(&self, elements: &mut Vec<G::Element>, output: Output) {
        let end = elements.len() + self.row;
        match output {
            Output::Slot { slot, flip } => self.append(elements, slot, flip),
            Output::Constant(true) => elements.resize(end, self.field.one()),
            Output::Constant(false) => elements.resize(end, G::Element::default()),
        }
    }
}
