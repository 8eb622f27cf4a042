//! What a walk hands out.

use tacit_circuit::Executable;
use tacit_ir::{Domain, Words};

use crate::bundle::Bundle;
use crate::kernel::Site;
use crate::kernels::Kernel;

/// Something to be done with wires, after which the walk goes on. A [`Bundle`] beside wires says how they are shared; its
/// lanes are those of one instance of the body.
#[derive(Debug)]
pub enum Task<'s, W> {
    /// Lanes of an input column are to be written to `target`.
    Input {
        /// The port, as the program numbers it.
        port: u32,
        /// Which of its columns.
        column: u32,
        /// The first lane; others follow it.
        start: u64,
        /// Width of the column; words may lie wider than that.
        bits: u32,
        /// Whether wider words are of the number with a sign.
        signed: bool,
        /// How it is shared.
        bundle: Bundle,
        /// Where the wires go.
        target: W,
    },
    /// Wires of lanes of an output column are there.
    Output {
        /// The port, as the program numbers it.
        port: u32,
        /// Which of its columns.
        column: u32,
        /// The first lane; others follow it.
        start: u64,
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
    /// A kernel is to be run.
    Kernel(KernelTask<'s, W>),
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

/// A kernel to be run in all instances of a body.
#[derive(Debug)]
pub struct KernelTask<'s, W> {
    /// Which.
    pub kernel: &'s Kernel,
    /// The circuit that it garbles, if it does.
    pub circuit: Option<&'s Executable>,
    /// How many instances of the circuit run side by side; none without one.
    pub instances: u64,
    /// Number of the first AND of the first instance: see [`CircuitTask::first_id`].
    pub first_id: u64,
    /// Instances of the body.
    pub copies: u64,
    /// How the operands are shared; lanes are those of one instance.
    pub inputs: Vec<Bundle>,
    /// How the results are to be shared.
    pub outputs: Vec<Bundle>,
    /// The operands.
    pub operands: Vec<W>,
    /// Where the results go.
    pub targets: Vec<W>,
}

impl<W> KernelTask<'_, W> {
    /// What is read and written.
    pub fn site(&self) -> Site<'_> {
        Site { inputs: &self.inputs, targets: &self.outputs }
    }
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

    /// Whether instances that follow one another see lanes that do.
    pub fn is_lane_by_lane(&self) -> bool {
        (self.span, self.share) == (1, 1)
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
