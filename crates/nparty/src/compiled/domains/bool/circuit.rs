//! One circuit over many lanes: the exclusive ors of a layer at once, its ANDs as one operation.

use std::sync::{Arc, Mutex, PoisonError};

use tacit_circuit::{Executable, Layer, Output};
use tacit_math::field::{Field, Gf256};
use tacit_schedule::Schedule;
use tacit_schedule::walk::View;
use zeroize::Zeroizing;

use crate::error::RunError;
use crate::program::{Task, Value, mixed};

/// Bytes of slots that a chunk of lanes may have, so that a layer's ANDs of a wide circuit are sent before all are computed.
pub(crate) const CHUNK_BYTES: usize = 1 << 22;

/// A circuit to be run over many lanes.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) schedule: Arc<Schedule>,
    pub(super) circuit: usize,
    pub(super) instances: usize,
    pub(super) inputs: Vec<View>,
    pub(super) outputs: Vec<View>,
    /// Tells this step apart from others.
    pub(super) hash: u64,
}

impl Run {
    fn executable(&self) -> &Executable {
        &self.schedule.circuits[self.circuit]
    }

    /// Bytes of slots of all lanes.
    pub(super) fn bytes(&self) -> usize {
        let slots = (self.executable().slots as usize).max(1);
        slots.saturating_mul(self.instances)
    }

    /// Writes the circuit to a task: the bundles of its outputs.
    pub(super) fn write(
        &self,
        task: &Task<Gf256>,
        operands: &[&Value<Gf256>],
    ) -> Result<Vec<Value<Gf256>>, RunError> {
        let all = self.instances;
        let chunk = (CHUNK_BYTES / (self.executable().slots as usize).max(1)).max(1);
        let starts: Vec<_> = (0..all).step_by(chunk).collect();
        let part = |start: &usize| self.chunk(task, operands, *start..all.min(start + chunk));
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

    /// Writes the circuit for some lanes: all its outputs' bits, wire-major.
    fn chunk(
        &self,
        task: &Task<Gf256>,
        operands: &[&Value<Gf256>],
        range: std::ops::Range<usize>,
    ) -> Result<Value<Gf256>, RunError> {
        let lanes = range.len();
        let state = Arc::new(Mutex::new(State { slots: Zeroizing::default(), lanes, done: 0 }));
        let mut before: Option<Value<Gf256>> = None;
        for (layer, number) in self.executable().layers().zip(0..) {
            if layer.and_out.is_empty() {
                continue;
            }
            let (run, state, first) = (self.clone(), state.clone(), range.start);
            let count = layer.and_out.len() * lanes;
            let body = move |_: &_, given: &[&[u8]]| {
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                run.advance(&mut state, given, first, number);
                state.multiply(&run.executable().layer(number))
            };
            let hash = mixed(self.hash, number as u64);
            before = Some(match before {
                None => task.form(count, hash, operands, body)?,
                Some(before) => task.form(count, hash, &[&before], body)?,
            });
        }
        let count = self.outputs.iter().map(View::width).sum::<usize>() * lanes;
        let (run, first, last) = (self.clone(), range.start, self.executable().layer_count());
        let body = move |_: &_, given: &[&[u8]]| {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            run.advance(&mut state, given, first, last);
            run.executable().outputs.iter().flat_map(|output| state.read(*output)).collect()
        };
        match before {
            None => task.local(count, false, self.hash, operands, body),
            Some(before) => task.local(count, false, self.hash, &[&before], body),
        }
    }

    /// Comes to the ANDs of a layer, or behind the last: takes the operands or the products of the layer before, and adds.
    fn advance(&self, state: &mut State, given: &[&[u8]], first: usize, layer: usize) {
        let executable = self.executable();
        if state.slots.is_empty() {
            state.slots = Zeroizing::new(vec![0; executable.slots as usize * state.lanes]);
            self.load(state, given, first);
        } else if let Some(products) = given.first() {
            let layer = executable.layer(state.done - 1);
            for (slot, product) in layer.and_out.iter().zip(products.chunks_exact(state.lanes)) {
                state.slot_mut(*slot).copy_from_slice(product);
            }
        }
        let end = executable.layer_count().min(layer + 1);
        for number in state.done..end {
            state.add(&executable.layer(number));
        }
        state.done = end;
    }

    /// Puts the operands into the slots of the inputs.
    fn load(&self, state: &mut State, given: &[&[u8]], first: usize) {
        let mut slots = self.executable().inputs.iter();
        for (view, wires) in self.inputs.iter().zip(given) {
            for (bit, slot) in (0..view.width()).zip(slots.by_ref()) {
                for (lane, element) in state.slot_mut(*slot).iter_mut().enumerate() {
                    *element = wires[view.element(bit, first + lane)];
                }
            }
        }
    }

    /// The bundle of one output from the bits of all chunks of lanes.
    fn output(
        &self,
        task: &Task<Gf256>,
        parts: &[&Value<Gf256>],
        (view, offset): (View, usize),
        chunk: usize,
    ) -> Result<Value<Gf256>, RunError> {
        let (all, length) = (self.instances, view.elements());
        task.local(length, false, mixed(self.hash, offset as u64), parts, move |_, given| {
            let mut wires = vec![0; length];
            for (start, part) in (0..all).step_by(chunk).zip(given) {
                let count = chunk.min(all - start);
                for bit in 0..view.width() {
                    let row = &part[(offset + bit) * count..][..count];
                    for (lane, element) in row.iter().enumerate() {
                        wires[view.element(bit, start + lane)] = *element;
                    }
                }
            }
            wires
        })
    }
}

/// A circuit in the middle of its run.
struct State {
    /// Shares, those of a slot's lanes beside one another.
    slots: Zeroizing<Vec<u8>>,
    lanes: usize,
    /// Layers whose exclusive ors are there.
    done: usize,
}

impl State {
    fn slot(&self, slot: u32) -> &[u8] {
        &self.slots[slot as usize * self.lanes..][..self.lanes]
    }

    fn slot_mut(&mut self, slot: u32) -> &mut [u8] {
        &mut self.slots[slot as usize * self.lanes..][..self.lanes]
    }

    /// The exclusive ors of a layer.
    fn add(&mut self, layer: &Layer<'_>) {
        for ((a, b), out) in layer.xor_a.iter().zip(layer.xor_b).zip(layer.xor_out) {
            let other = match out {
                out if out == a => b,
                out if out == b => a,
                out => {
                    let from = *a as usize * self.lanes;
                    self.slots.copy_within(from..from + self.lanes, *out as usize * self.lanes);
                    b
                }
            };
            self.add_to(*out, *other);
        }
    }

    /// Adds one slot to another.
    fn add_to(&mut self, to: u32, from: u32) {
        let lanes = self.lanes;
        let (low, high) = self.slots.split_at_mut(to.max(from) as usize * lanes);
        let (low, high) = (&mut low[to.min(from) as usize * lanes..][..lanes], &mut high[..lanes]);
        let (to, from) = if to < from { (low, high) } else { (high, low) };
        to.iter_mut().zip(from).for_each(|(to, from)| *to ^= *from);
    }

    /// The local products of a layer's ANDs.
    fn multiply(&self, layer: &Layer<'_>) -> Vec<u8> {
        let operands = |slots: &[u32], side: u8| {
            let mut operands = Vec::with_capacity(slots.len() * self.lanes);
            for (slot, flip) in slots.iter().zip(layer.and_flip) {
                let flip = flip >> side & 1;
                operands.extend(self.slot(*slot).iter().map(|share| share ^ flip));
            }
            operands
        };
        let mut products = operands(layer.and_a, 0);
        Gf256.mul_assign(&mut products, &Zeroizing::new(operands(layer.and_b, 1)));
        products
    }

    fn read(&self, output: Output) -> Vec<u8> {
        match output {
            Output::Slot { slot, flip } => {
                self.slot(slot).iter().map(|share| share ^ u8::from(flip)).collect()
            }
            Output::Constant(value) => vec![u8::from(value); self.lanes],
        }
    }
}
