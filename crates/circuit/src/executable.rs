mod build;
pub(crate) mod collapse;
mod counts;
mod gates;
pub(crate) mod groups;
pub(crate) mod layering;
mod rounds;
mod slots;
pub(crate) mod widen;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::circuit::CircuitError;
use crate::{CircuitBuilder, Lit};
pub use groups::MAX_GROUP;

/// Label memory that one chunk of lanes may take, so that it stays in the second-level cache.
pub(crate) const CHUNK_BYTES: u64 = 256 << 10;
/// Bytes of one label.
pub(crate) const LABEL_BYTES: u64 = 16;
/// The most lanes of a chunk: enough to fill every pipeline, and more only spreads labels.
pub(crate) const MAX_CHUNK: u64 = 64;

/// How an [`Executable`] will be run, which determines the width of its layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Target {
    /// One instance, or a few: layers of many independent ANDs.
    Flat,
    /// Many instances side by side: as few slots as possible.
    Lanes,
    /// Every layer is a round: as few layers as possible, and in each layer ANDs with a common operand side by side.
    Rounds,
}

/// Where an output bit is after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Output {
    /// In a slot, complemented if `flip` holds.
    Slot {
        /// The slot.
        slot: u32,
        /// Whether the bit is the slot's complement.
        flip: bool,
    },
    /// A constant.
    Constant(bool),
}

/// A circuit as straight-line code over slots, in layers, which protocols run.
///
/// Input bit `i` is first put into slot `inputs[i]`; all these slots differ. ANDs are numbered from 0 through
/// the layers in order, and through each layer by position. Complements are never executed: they are flags on
/// the operands of ANDs and on outputs.
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
    /// Number of instances to run side by side, so that `slots · lane_chunk` labels stay in cache; from 1 to
    /// 64.
    pub lane_chunk: u32,
    xor_a: Vec<u32>,
    xor_b: Vec<u32>,
    xor_out: Vec<u32>,
    and_a: Vec<u32>,
    and_b: Vec<u32>,
    and_out: Vec<u32>,
    and_flip: Vec<u8>,
    conjunctions: Vec<Conjunction>,
    /// The end of each layer in the XOR columns, in the AND columns, and in the ANDs of more operands.
    ends: Vec<[u32; 3]>,
}

/// An AND of three or four operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conjunction {
    operands: [u32; 4],
    count: u8,
    /// Which operands are complemented: bit i is operand i.
    flip: u8,
    /// Where the result goes.
    pub out: u32,
}

impl Conjunction {
    /// The slot of each operand, and whether the operand is the slot's complement.
    pub fn operands(&self) -> impl ExactSizeIterator<Item = (u32, bool)> + use<> {
        let flip = self.flip;
        self.operands
            .into_iter()
            .take(self.count.into())
            .enumerate()
            .map(move |(i, slot)| (slot, flip >> i & 1 != 0))
    }
}

/// One layer of an [`Executable`]: first its XORs in order, then its ANDs, which do not depend on each other.
///
/// An XOR may write a slot that it reads. No AND of a layer writes a slot that an AND of the same layer
/// reads. Only [widened](Executable::widened) executables have ANDs of more than two operands.
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
    /// ANDs of more than two operands, those of three first.
    pub conjunctions: &'a [Conjunction],
}

impl Executable {
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
        let start = index.checked_sub(1).map_or([0; 3], |before| self.ends[before]);
        let range = |column: usize| start[column] as usize..self.ends[index][column] as usize;
        let (xors, ands) = (range(0), range(1));
        Layer {
            xor_a: &self.xor_a[xors.clone()],
            xor_b: &self.xor_b[xors.clone()],
            xor_out: &self.xor_out[xors],
            and_a: &self.and_a[ands.clone()],
            and_b: &self.and_b[ands.clone()],
            and_out: &self.and_out[ands.clone()],
            and_flip: &self.and_flip[ands],
            conjunctions: &self.conjunctions[range(2)],
        }
    }

    /// The number of [groups](Layer::groups) of ANDs in one instance, by the ANDs of a group.
    pub fn and_groups(&self) -> BTreeMap<u32, u64> {
        let mut counts = BTreeMap::new();
        for group in self.layers().flat_map(|layer| layer.groups()) {
            *counts.entry(group.len() as u32).or_default() += 1;
        }
        counts
    }

    /// The number of ANDs of more than two operands in one instance, by the number of operands.
    pub fn conjunctions(&self) -> BTreeMap<u32, u64> {
        let mut counts = BTreeMap::new();
        for conjunction in &self.conjunctions {
            *counts.entry(conjunction.count.into()).or_default() += 1;
        }
        counts
    }

    /// XORs of one instance.
    pub fn xor_count(&self) -> u64 {
        self.xor_a.len() as u64
    }

    /// Writes the gates to a circuit and returns the outputs; `inputs` must be as many as the input bits.
    pub fn write(&self, builder: &mut CircuitBuilder, inputs: &[Lit]) -> Vec<Lit> {
        let mut slots = vec![Lit::FALSE; self.slots as usize];
        self.inputs.iter().zip(inputs).for_each(|(slot, lit)| slots[*slot as usize] = *lit);
        for layer in self.layers() {
            for ((a, b), out) in layer.xor_a.iter().zip(layer.xor_b).zip(layer.xor_out) {
                slots[*out as usize] = builder.xor(slots[*a as usize], slots[*b as usize]);
            }
            let operands = layer.and_a.iter().zip(layer.and_b).zip(layer.and_flip);
            for (((a, b), flip), out) in operands.zip(layer.and_out) {
                let (a, b) = (slots[*a as usize].flip(flip & 1 != 0), slots[*b as usize].flip(flip & 2 != 0));
                slots[*out as usize] = builder.and(a, b);
            }
            for conjunction in layer.conjunctions {
                let operands = conjunction.operands().map(|(slot, flip)| slots[slot as usize].flip(flip));
                slots[conjunction.out as usize] = operands.fold(Lit::TRUE, |all, lit| builder.and(all, lit));
            }
        }
        self.output_lits(&slots)
    }

    /// The outputs if slots hold these literals.
    fn output_lits(&self, slots: &[Lit]) -> Vec<Lit> {
        let read = |output: &Output| match *output {
            Output::Slot { slot, flip } => slots[slot as usize].flip(flip),
            Output::Constant(value) => Lit::constant(value),
        };
        self.outputs.iter().map(read).collect()
    }

    /// Layers that have ANDs.
    pub fn and_layers(&self) -> u64 {
        self.layers().filter(|layer| layer.has_ands()).count() as u64
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
    /// Whether there is any AND.
    pub fn has_ands(&self) -> bool {
        !self.and_a.is_empty() || !self.conjunctions.is_empty()
    }

    fn run(&self, slots: &mut [u64]) {
        for ((a, b), out) in self.xor_a.iter().zip(self.xor_b).zip(self.xor_out) {
            slots[*out as usize] = slots[*a as usize] ^ slots[*b as usize];
        }
        for (((a, b), out), flip) in self.and_a.iter().zip(self.and_b).zip(self.and_out).zip(self.and_flip) {
            let (a, b) = (slots[*a as usize] ^ mask(flip & 1 != 0), slots[*b as usize] ^ mask(flip & 2 != 0));
            slots[*out as usize] = a & b;
        }
        for conjunction in self.conjunctions {
            let operands = conjunction.operands().map(|(slot, flip)| slots[slot as usize] ^ mask(flip));
            slots[conjunction.out as usize] = operands.fold(u64::MAX, |all, operand| all & operand);
        }
    }
}

fn mask(flip: bool) -> u64 {
    0u64.wrapping_sub(u64::from(flip))
}

/// The number of lanes that run side by side over this many slots.
fn lane_chunk(slots: u32) -> u32 {
    (CHUNK_BYTES / LABEL_BYTES / u64::from(slots.max(1))).clamp(1, MAX_CHUNK) as u32
}
