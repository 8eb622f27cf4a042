//! A walk over the gates of an executable circuit: the order, ids and tables of gates.
//!
//! The order is the same at both ends and part of the protocol: instances in chunks of [`Executable::lane_chunk`];
//! within a chunk layer by layer; within a layer gate by gate; and for each gate the lanes of the chunk.

use crate::garbling::GarblingScheme;
use tacit_circuit::{Executable, Layer};
use tacit_crypto::half_gates::{AndGates, ShapeError, XorGates, xor};
use tacit_math::Block;

/// A place between the gates of a circuit that runs over `width` lanes.
pub(crate) struct Cursor<'a> {
    scheme: GarblingScheme,
    circuit: &'a Executable,
    width: usize,
    layer: usize,
    /// ANDs of the current layer already done; its XORs are done if this is not zero.
    gate: usize,
    /// ANDs of the circuit already done.
    done: u64,
}

/// Some independent AND gates of one layer.
pub(crate) struct Ands<'a> {
    pub(crate) gates: AndGates<'a>,
    /// The number of the first within its instance.
    pub(crate) number: u64,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(scheme: GarblingScheme, circuit: &'a Executable, width: usize) -> Cursor<'a> {
        Cursor { scheme, circuit, width, layer: 0, gate: 0, done: 0 }
    }

    /// How many ANDs the next message holds; `None` when all are done. A message fits a channel's contiguous
    /// buffer.
    pub(crate) fn next_message(&self) -> Option<usize> {
        let most = GarblingScheme::message_ands(self.circuit.and_count, self.width);
        // At most as many as one message holds.
        let left = usize::try_from(self.circuit.and_count - self.done).unwrap_or(usize::MAX);
        (left > 0).then(|| left.min(most))
    }

    /// Bytes of the tables of `count` ANDs.
    pub(crate) fn bytes(&self, count: usize) -> usize {
        self.scheme.message_bytes(count * self.width)
    }

    /// Runs the next `count` ANDs by `ands`, and all XORs before them; after the circuit's last AND also the XORs
    /// after it.
    pub(crate) fn run(
        &mut self,
        mut count: usize,
        slots: &mut [Block],
        mut ands: impl FnMut(&mut [Block], Ands<'a>) -> Result<(), ShapeError>,
    ) -> Result<(), ShapeError> {
        while self.layer < self.circuit.layer_count() {
            let layer = self.circuit.layer(self.layer);
            let size = layer.and_a.len();
            if count == 0 && size > 0 {
                return Ok(());
            }
            if self.gate == 0 && !layer.xor_a.is_empty() {
                xor(slots, self.width, self.xors(&layer)?)?;
            }
            let end = size.min(self.gate + count);
            if end > self.gate {
                let gates = self.ands(&layer, self.gate, end)?;
                ands(slots, Ands { gates, number: self.done })?;
                count -= end - self.gate;
                self.done += (end - self.gate) as u64;
            }
            self.gate = end;
            if end == size {
                self.layer += 1;
                self.gate = 0;
            }
        }
        Ok(())
    }

    fn xors(&self, layer: &Layer<'a>) -> Result<XorGates<'a>, ShapeError> {
        XorGates::new(layer.xor_a, layer.xor_b, layer.xor_out, self.circuit.slots as usize)
    }

    fn ands(&self, layer: &Layer<'a>, start: usize, end: usize) -> Result<AndGates<'a>, ShapeError> {
        let (a, b, out) = (&layer.and_a[start..end], &layer.and_b[start..end], &layer.and_out[start..end]);
        AndGates::new(a, b, out, &layer.and_flip[start..end], self.circuit.slots as usize)
    }
}
