//! What a walk hands out.

use tacit_circuit::Executable;
use tacit_ir::{Domain, Words};

use crate::arithmetic::ArithOp;
use crate::bundle::Bundle;

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
    /// Which of the schedule's circuits.
    pub number: usize,
    /// The circuit.
    pub circuit: &'s Executable,
    /// How many instances run side by side.
    pub instances: u64,
    /// Number of the first AND of the first instance. AND `g` of instance `i` has number
    /// `first_id + i · and_count + g`.
    pub first_id: u64,
    /// The operands, in order of the circuit's inputs.
    pub operands: Vec<CircuitOperand<W>>,
    /// Where the outputs go, in order.
    pub targets: Vec<CircuitTarget<W>>,
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
pub struct CircuitOperand<W> {
    /// The wires.
    pub wires: W,
    /// Bits of one lane.
    pub bits: u32,
    /// How many instances in a row see the same lanes; all lanes are divided evenly among these groups.
    pub share: u64,
}

/// An output of a circuit.
#[derive(Debug)]
pub struct CircuitTarget<W> {
    /// Where the wires go.
    pub wires: W,
    /// Bits of one lane.
    pub bits: u32,
}

/// Where the bits lie that instances of a circuit see of one bundle, which is wire-major.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Bits of one lane.
    bits: usize,
    /// Lanes of the bundle.
    lanes: usize,
    /// Lanes that an instance sees.
    span: usize,
    /// Instances in a row that see the same lanes.
    share: usize,
}

impl View {
    fn new(bits: u32, elements: usize, instances: usize, share: usize) -> View {
        let (bits, groups) = (bits as usize, instances / share);
        let lanes = elements / bits;
        View { bits, lanes, span: lanes / groups, share }
    }

    /// Bits that an instance sees.
    pub fn width(&self) -> usize {
        self.span * self.bits
    }

    /// Elements of the bundle.
    pub fn elements(&self) -> usize {
        self.bits * self.lanes
    }

    /// The element of a bit that an instance sees.
    pub fn element(&self, bit: usize, instance: usize) -> usize {
        bit % self.bits * self.lanes + instance / self.share * self.span + bit / self.bits
    }
}

impl<W> CircuitOperand<W> {
    /// What so many instances see of the operand, which has so many elements.
    pub fn view(&self, elements: usize, instances: usize) -> View {
        View::new(self.bits, elements, instances, self.share as usize)
    }
}

impl<W> CircuitTarget<W> {
    /// Where so many instances write the output, which has so many elements.
    pub fn view(&self, elements: usize, instances: usize) -> View {
        View::new(self.bits, elements, instances, 1)
    }
}
