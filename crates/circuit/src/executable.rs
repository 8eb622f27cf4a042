mod groups;
mod layering;
mod slots;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::circuit::{Circuit, CircuitError};
pub use groups::MAX_GROUP;
use slots::Emitter;

/// Label memory that one chunk of lanes may take, so that it stays in the second-level cache.
const CHUNK_BYTES: u64 = 256 << 10;
/// Bytes of one label.
const LABEL_BYTES: u64 = 16;
/// The most lanes of a chunk: enough to fill every pipeline, and more only spreads labels.
const MAX_CHUNK: u64 = 64;

/// How an [`Executable`] will be run, which decides the width of its layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Target {
    /// One instance, or a few: layers of many independent ANDs.
    Flat,
    /// Many instances side by side: as few slots as possible.
    Lanes,
    /// Every layer is a round: as few layers as possible, and in each layer ANDs with a common operand side by side.
    Rounds,
}

/// Where an output bit is found after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Output {
    /// In a slot, complemented where `flip` holds.
    Slot {
        /// The slot.
        slot: u32,
        /// Whether the bit is the slot's complement.
        flip: bool,
    },
    /// A constant.
    Constant(bool),
}

/// A circuit as straight-line code over slots, in layers; what protocols run.
///
/// Input bit `i` is put into slot `inputs[i]` first; all these slots differ. ANDs count from 0 through the layers
/// in order, and through each layer by position. Complements never execute: they sit on the operands of ANDs and
/// on outputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executable {
    /// Slots that a run needs.
    pub slots: u32,
    /// The slot of each input bit, all groups in order.
    pub inputs: Vec<u32>,
    /// Where each output bit is after the run, all groups in order.
    pub outputs: Vec<Output>,
    /// ANDs of one instance.
    pub and_count: u64,
    /// Instances to run side by side, so that `slots · lane_chunk` labels stay in cache; from 1 to 64.
    pub lane_chunk: u32,
    xor_a: Vec<u32>,
    xor_b: Vec<u32>,
    xor_out: Vec<u32>,
    and_a: Vec<u32>,
    and_b: Vec<u32>,
    and_out: Vec<u32>,
    and_flip: Vec<u8>,
    /// Ends of each layer in the XOR and in the AND columns.
    ends: Vec<(u32, u32)>,
}

/// One layer of an [`Executable`]: first its XORs in order, then its ANDs, which do not depend on each other.
///
/// An XOR may write the slot it reads. No AND of a layer writes a slot that an AND of the same layer reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer<'a> {
    /// First operands of the XORs.
    pub xor_a: &'a [u32],
    /// Second operands of the XORs.
    pub xor_b: &'a [u32],
    /// Results of the XORs.
    pub xor_out: &'a [u32],
    /// First operands of the ANDs.
    pub and_a: &'a [u32],
    /// Second operands of the ANDs.
    pub and_b: &'a [u32],
    /// Results of the ANDs.
    pub and_out: &'a [u32],
    /// Which operands of the ANDs are complemented: bit 0 the first, bit 1 the second.
    pub and_flip: &'a [u8],
}

impl Executable {
    /// Puts a circuit into executable form. Linear time; the same circuit and target always give the same form.
    pub fn new(circuit: &Circuit, target: Target) -> Executable {
        let mut emitter = Emitter::new(circuit);
        layering::layers(circuit, target, |layer| emitter.layer(layer, target == Target::Rounds));
        emitter.finish()
    }

    /// Number of layers.
    pub fn layer_count(&self) -> usize {
        self.ends.len()
    }

    /// The layers in order.
    pub fn layers(&self) -> impl ExactSizeIterator<Item = Layer<'_>> + '_ {
        (0..self.ends.len()).map(|index| self.layer(index))
    }

    /// One layer; `index` is below [`Executable::layer_count`].
    pub fn layer(&self, index: usize) -> Layer<'_> {
        let start = index.checked_sub(1).map_or((0, 0), |before| self.ends[before]);
        let xors = start.0 as usize..self.ends[index].0 as usize;
        let ands = start.1 as usize..self.ends[index].1 as usize;
        Layer {
            xor_a: &self.xor_a[xors.clone()],
            xor_b: &self.xor_b[xors.clone()],
            xor_out: &self.xor_out[xors],
            and_a: &self.and_a[ands.clone()],
            and_b: &self.and_b[ands.clone()],
            and_out: &self.and_out[ands.clone()],
            and_flip: &self.and_flip[ands],
        }
    }

    /// How many [groups](Layer::groups) of ANDs one instance has, by the ANDs of a group.
    pub fn and_groups(&self) -> BTreeMap<u32, u64> {
        let mut counts = BTreeMap::new();
        for group in self.layers().flat_map(|layer| layer.groups()) {
            *counts.entry(group.len() as u32).or_default() += 1;
        }
        counts
    }

    /// XORs of one instance.
    pub fn xor_count(&self) -> u64 {
        self.xor_a.len() as u64
    }

    /// Runs 64 instances side by side in the clear: bit `l` of word `i` is input bit `i` of instance `l`.
    ///
    /// Errors: [`CircuitError::InputCount`].
    pub fn evaluate_lanes(&self, inputs: &[u64]) -> Result<Vec<u64>, CircuitError> {
        if inputs.len() != self.inputs.len() {
            return Err(CircuitError::InputCount { expected: self.inputs.len(), given: inputs.len() });
        }
        let mut slots = vec![0u64; self.slots as usize];
        self.inputs.iter().zip(inputs).for_each(|(slot, word)| slots[*slot as usize] = *word);
        self.layers().for_each(|layer| layer.run(&mut slots));
        Ok(self.outputs.iter().map(|output| output.read(&slots)).collect())
    }
}

impl Output {
    fn read(self, slots: &[u64]) -> u64 {
        let (word, flip) = match self {
            Output::Slot { slot, flip } => (slots[slot as usize], flip),
            Output::Constant(value) => (0, value),
        };
        word ^ mask(flip)
    }
}

impl Layer<'_> {
    fn run(&self, slots: &mut [u64]) {
        for ((a, b), out) in self.xor_a.iter().zip(self.xor_b).zip(self.xor_out) {
            slots[*out as usize] = slots[*a as usize] ^ slots[*b as usize];
        }
        for (((a, b), out), flip) in self.and_a.iter().zip(self.and_b).zip(self.and_out).zip(self.and_flip) {
            let (a, b) = (slots[*a as usize] ^ mask(flip & 1 != 0), slots[*b as usize] ^ mask(flip & 2 != 0));
            slots[*out as usize] = a & b;
        }
    }
}

fn mask(flip: bool) -> u64 {
    0u64.wrapping_sub(u64::from(flip))
}

/// Lanes that run side by side over this many slots.
fn lane_chunk(slots: u32) -> u32 {
    (CHUNK_BYTES / LABEL_BYTES / u64::from(slots.max(1))).clamp(1, MAX_CHUNK) as u32
}
