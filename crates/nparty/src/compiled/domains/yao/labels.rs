//! The labels of a circuit's slots, from its inputs to its outputs. Tables are made and used gate by gate, however their bytes are divided.

use std::ops::Range;

use tacit_circuit::{Executable, Output};
use tacit_crypto::half_gates::{AndGates, Delta, ShapeError, TABLE_BYTES, Tweaks, XorGates};
use tacit_crypto::half_gates::{evaluate, garble, xor};
use tacit_math::field::{BitOctets, Field, Octet};
use tacit_math::{Block, Wiped};

/// Bytes of tables that are made together, unless one gate has more.
const BATCH_BYTES: usize = 1 << 13;

/// A circuit, and how many lanes it has.
type Lanes<'a> = (&'a Executable, usize);

/// Labels in the middle of a run: those of zeros at the garbler, those of the bits at the evaluator.
pub(super) struct Labels {
    slots: Wiped<Block>,
    delta: Delta,
    start: Block,
    layer: usize,
    /// Whether the exclusive ors of the layer are computed.
    entered: bool,
    /// ANDs of the layer that are done, and of all layers.
    gate: usize,
    done: u64,
    /// Bytes of tables that were made or used.
    passed: usize,
    /// Tables that are made in part: of which some are not given yet, or some have not arrived.
    staged: Vec<u8>,
    /// Bytes of these that were given.
    given: usize,
}

/// Some ANDs of the layer.
struct Batch {
    gates: Range<usize>,
    bytes: usize,
}

impl Labels {
    /// Labels of the inputs, in their slots.
    pub(super) fn new(slots: Wiped<Block>, delta: Delta, start: Block) -> Labels {
        let (layer, entered, gate, done) = (0, false, 0, 0);
        Labels { slots, delta, start, layer, entered, gate, done, passed: 0, staged: Vec::new(), given: 0 }
    }

    /// Computes exclusive ors up to the next ANDs; `None` if there are no more.
    fn next(&mut self, (circuit, lanes): Lanes<'_>) -> Result<Option<Batch>, ShapeError> {
        while self.layer < circuit.layer_count() {
            let layer = circuit.layer(self.layer);
            if !std::mem::replace(&mut self.entered, true) {
                let slots = circuit.slots as usize;
                xor(&mut self.slots, lanes, XorGates::new(layer.xor_a, layer.xor_b, layer.xor_out, slots)?)?;
            }
            if self.gate < layer.and_a.len() {
                let most = (BATCH_BYTES / (TABLE_BYTES * lanes)).max(1);
                let gates = self.gate..layer.and_a.len().min(self.gate + most);
                let bytes = gates.len() * lanes * TABLE_BYTES;
                return Ok(Some(Batch { gates, bytes }));
            }
            (self.layer, self.gate, self.entered) = (self.layer + 1, 0, false);
        }
        Ok(None)
    }

    /// Runs ANDs of the layer by a kernel.
    fn run(
        &mut self,
        circuit: &Executable,
        gates: Range<usize>,
        kernel: impl FnOnce(&mut [Block], AndGates<'_>, &Delta, Tweaks) -> Result<u64, ShapeError>,
    ) -> Result<(), ShapeError> {
        let (layer, Range { start, end }) = (circuit.layer(self.layer), gates);
        let (a, b, out) = (&layer.and_a[start..end], &layer.and_b[start..end], &layer.and_out[start..end]);
        let gates = AndGates::new(a, b, out, &layer.and_flip[start..end], circuit.slots as usize)?;
        let tweaks = Tweaks { start: self.start, first_id: self.done, lane_stride: circuit.and_count };
        kernel(&mut self.slots, gates, &self.delta, tweaks)?;
        (self.gate, self.done) = (end, self.done + (end - start) as u64);
        Ok(())
    }

    /// Fills room with the next tables, from this byte on; returns whether that is the next one and there are as many.
    pub(super) fn garble(
        &mut self,
        of: Lanes<'_>,
        (at, mut room): (usize, &mut [u8]),
    ) -> Result<bool, ShapeError> {
        if at != self.passed {
            return Ok(false);
        }
        self.passed += room.len();
        while !room.is_empty() {
            let left = self.staged.len() - self.given;
            if left > 0 {
                let count = left.min(room.len());
                let (now, later) = std::mem::take(&mut room).split_at_mut(count);
                now.copy_from_slice(&self.staged[self.given..][..count]);
                (room, self.given) = (later, self.given + count);
                continue;
            }
            let Some(Batch { gates, bytes }) = self.next(of)? else { return Ok(false) };
            if bytes <= room.len() {
                let (now, later) = std::mem::take(&mut room).split_at_mut(bytes);
                self.run(of.0, gates, |slots, gates, delta, tweaks| {
                    garble(slots, of.1, gates, delta, tweaks, now)
                })?;
                room = later;
                continue;
            }
            let mut staged = std::mem::take(&mut self.staged);
            staged.resize(bytes, 0);
            self.run(of.0, gates, |slots, gates, delta, tweaks| {
                garble(slots, of.1, gates, delta, tweaks, &mut staged)
            })?;
            (self.staged, self.given) = (staged, 0);
        }
        Ok(true)
    }

    /// Uses the next tables, from this byte on; returns whether that is the next one and no more come.
    pub(super) fn evaluate(
        &mut self,
        of: Lanes<'_>,
        (at, mut tables): (usize, &[u8]),
    ) -> Result<bool, ShapeError> {
        if at != self.passed {
            return Ok(false);
        }
        self.passed += tables.len();
        while !tables.is_empty() {
            let Some(Batch { gates, bytes }) = self.next(of)? else { return Ok(false) };
            let (now, later) = tables.split_at(tables.len().min(bytes - self.staged.len()));
            tables = later;
            if now.len() == bytes {
                self.run(of.0, gates, |slots, gates, _, tweaks| evaluate(slots, of.1, gates, tweaks, now))?;
                continue;
            }
            self.staged.extend_from_slice(now);
            if self.staged.len() == bytes {
                let staged = std::mem::take(&mut self.staged);
                self.run(of.0, gates, |slots, gates, _, tweaks| {
                    evaluate(slots, of.1, gates, tweaks, &staged)
                })?;
                self.staged = staged;
                self.staged.clear();
            }
        }
        Ok(true)
    }

    /// This party's parts of the outputs, side by side: the colours of its labels; complements and constants are the garbler's. Returns whether all ANDs are done.
    pub(super) fn colours(
        &mut self,
        (circuit, lanes): Lanes<'_>,
        garbles: bool,
        bits: &mut [Octet],
    ) -> Result<bool, ShapeError> {
        let done = self.next((circuit, lanes))?.is_none();
        let mut put = |at: usize, bit: bool| {
            let (octet, lane) = (&mut bits[at / BitOctets::LANES], at % BitOctets::LANES);
            *octet = BitOctets.add(*octet, BitOctets.bits(u8::from(bit) << lane));
        };
        for (output, number) in circuit.outputs.iter().zip(0..) {
            let at = number * lanes..(number + 1) * lanes;
            match output {
                Output::Slot { slot, flip } => {
                    let labels = &self.slots[*slot as usize * lanes..][..lanes];
                    at.zip(labels).for_each(|(at, label)| put(at, label.lsb() ^ (*flip && garbles)));
                }
                Output::Constant(bit) => at.for_each(|at| put(at, *bit && garbles)),
            }
        }
        Ok(done)
    }
}
