//! How the instances of a circuit see bundles of wires.

use super::YaoError;
use tacit_circuit::{Executable, Output};
use tacit_crypto::half_gates::ShapeError;
use tacit_math::Block;

/// Wires that a circuit reads: a bundle of `bits` wires by some number of lanes, wire-major, so that lane l of bit b
/// is at `labels[b * lanes + l]`.
///
/// The instances are divided into groups of `share` consecutive ones. The lanes are divided evenly among the groups,
/// and every instance of a group sees all lanes of its group, lane after lane and bit after bit within a lane: bit b of
/// the j-th lane is its input `j * bits + b`, counted from the first input of this operand. So with `share` 1 every
/// instance sees its own lanes, and with `share` equal to the number of instances all of them see every lane.
#[derive(Clone, Copy, Debug)]
pub struct LabelOperand<'a> {
    /// The labels of the bundle.
    pub labels: &'a [Block],
    /// Bits of one lane.
    pub bits: u32,
    /// How many consecutive instances see the same lanes.
    pub share: u64,
}

/// Wires that a circuit writes: a bundle laid out as in [`LabelOperand`]; every instance writes its own lanes.
#[derive(Debug)]
pub struct LabelTarget<'a> {
    /// The target of the labels.
    pub labels: &'a mut [Block],
    /// Bits of one lane.
    pub bits: u32,
}

/// A chunk of a region's instances, run side by side in slots of `width` lanes each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    /// The first instance.
    pub(super) start: usize,
    /// Number of instances.
    pub(super) width: usize,
    /// Number of instances of the whole region.
    pub(super) instances: usize,
}

impl Chunk {
    /// Copies the labels that the chunk's instances read into the circuit's input slots.
    pub(super) fn load(self, circuit: &Executable, operands: &[LabelOperand<'_>], slots: &mut [Block]) {
        let mut inputs = circuit.inputs.iter();
        for operand in operands {
            let view = View::new(operand.labels.len(), operand.bits, operand.share as usize, self.instances);
            for (wire, &slot) in view.wires().zip(&mut inputs) {
                let lanes = &mut slots[slot as usize * self.width..][..self.width];
                view.read(operand.labels, wire, self.start, lanes);
            }
        }
    }

    /// Copies the circuit's outputs to the places of the chunk's instances. A complemented output is xored with
    /// `complement`, and a constant is `complement` or zero.
    pub(super) fn store(
        self,
        circuit: &Executable,
        slots: &[Block],
        complement: Block,
        targets: &mut [LabelTarget<'_>],
    ) {
        let mut outputs = circuit.outputs.iter();
        for target in targets {
            let view = View::new(target.labels.len(), target.bits, 1, self.instances);
            for (wire, output) in view.wires().zip(&mut outputs) {
                let places = view.places(wire, self.start, self.width);
                let labels = target.labels[places].iter_mut().step_by(view.span);
                match *output {
                    Output::Slot { slot, flip } => {
                        let lanes = &slots[slot as usize * self.width..][..self.width];
                        let flip = complement & Block::mask(flip);
                        labels.zip(lanes).for_each(|(label, lane)| *label = *lane ^ flip);
                    }
                    Output::Constant(value) => {
                        let constant = complement & Block::mask(value);
                        labels.for_each(|label| *label = constant);
                    }
                }
            }
        }
    }
}

/// Checks that operands and targets fit a circuit run over `instances`.
pub(super) fn check(
    circuit: &Executable,
    instances: u64,
    operands: &[LabelOperand<'_>],
    targets: &[LabelTarget<'_>],
) -> Result<(), YaoError> {
    let wide = circuit.conjunctions().values().sum();
    expect("ANDs of more than two operands, which are not garbled,", wide, 0)?;
    let mut inputs = 0u64;
    for operand in operands {
        inputs += width(operand.labels.len(), operand.bits, operand.share, instances)?;
    }
    expect("inputs of a circuit", inputs, circuit.inputs.len() as u64)?;
    let mut outputs = 0u64;
    for target in targets {
        outputs += width(target.labels.len(), target.bits, 1, instances)?;
    }
    expect("outputs of a circuit", outputs, circuit.outputs.len() as u64)?;
    let read = circuit.outputs.iter().map(|output| match *output {
        Output::Slot { slot, .. } => slot,
        Output::Constant(_) => 0,
    });
    match circuit.inputs.iter().copied().chain(read).max() {
        Some(slot) if slot >= circuit.slots.max(1) => {
            let slots = circuit.slots as usize;
            Err(ShapeError::Slot { slot, slots }.into())
        }
        _ => Ok(()),
    }
}

/// The number of inputs or outputs of one instance that a bundle provides.
pub(crate) fn width(labels: usize, bits: u32, share: u64, instances: u64) -> Result<u64, YaoError> {
    let lanes = divide("labels of a bundle, to be divided by its bits", labels as u64, u64::from(bits))?;
    let groups = divide("instances, to be divided by how many share lanes", instances, share)?;
    let span = divide("lanes of a bundle, to be divided by its groups", lanes, groups)?;
    Ok(span * u64::from(bits))
}

fn divide(what: &'static str, given: u64, expected: u64) -> Result<u64, YaoError> {
    if expected == 0 || !given.is_multiple_of(expected) {
        return Err(YaoError::Shape { what, given, expected });
    }
    Ok(given / expected)
}

/// An error unless both counts are equal.
pub(super) fn expect(what: &'static str, given: u64, expected: u64) -> Result<(), YaoError> {
    if given == expected { Ok(()) } else { Err(YaoError::Shape { what, given, expected }) }
}

/// The shape of a checked bundle as instances see it.
#[derive(Clone, Copy)]
pub(crate) struct View {
    lanes: usize,
    bits: usize,
    share: usize,
    /// Lanes that one instance sees.
    span: usize,
}

/// Bit `bit` of the `lane`-th lane that an instance sees.
#[derive(Clone, Copy)]
pub(crate) struct Wire {
    lane: usize,
    bit: usize,
}

impl View {
    /// [`check`] or [`width`] has made sure that no divisor is zero.
    pub(crate) fn new(labels: usize, bits: u32, share: usize, instances: usize) -> View {
        let bits = bits as usize;
        let lanes = labels / bits;
        View { lanes, bits, share, span: lanes / (instances / share) }
    }

    /// The wires of one instance in the order of the circuit's inputs or outputs.
    pub(crate) fn wires(self) -> impl Iterator<Item = Wire> {
        (0..self.span).flat_map(move |lane| (0..self.bits).map(move |bit| Wire { lane, bit }))
    }

    /// Whether the wires of consecutive instances are consecutive.
    pub(crate) fn is_plain(&self) -> bool {
        self.share == 1 && self.span == 1
    }

    /// The place of a wire of an instance.
    pub(crate) fn place(&self, wire: Wire, instance: usize) -> usize {
        wire.bit * self.lanes + instance / self.share * self.span + wire.lane
    }

    /// The range of a wire of `width` instances from `start` on, every `span`-th place of it. Only for unshared lanes.
    fn places(&self, wire: Wire, start: usize, width: usize) -> std::ops::Range<usize> {
        let first = self.place(wire, start);
        first..first + (width - 1) * self.span + 1
    }

    /// Copies a wire of `into.len()` instances from `start` on.
    fn read(&self, labels: &[Block], wire: Wire, start: usize, into: &mut [Block]) {
        if self.share == 1 {
            let places = self.places(wire, start, into.len());
            match self.span {
                1 => into.copy_from_slice(&labels[places]),
                _ => into
                    .iter_mut()
                    .zip(labels[places].iter().step_by(self.span))
                    .for_each(|(to, from)| *to = *from),
            }
        } else {
            into.iter_mut().enumerate().for_each(|(i, to)| *to = labels[self.place(wire, start + i)]);
        }
    }
}
