//! The tasks that a walk hands out.

use tacit_circuit::Executable;
use tacit_ir::{Domain, Words};

use crate::bundle::Bundle;
use crate::kernel::Site;
use crate::kernels::Kernel;

/// A task to be executed before the walk continues. A [`Bundle`] beside wires says how they are shared; its
/// lanes are those of one instance of the body.
#[derive(Debug)]
pub enum Task<'s, W> {
    /// Write lanes of an input column to `target`.
    Input {
        /// The index of the port in the program.
        port: u32,
        /// The index of the column in the port.
        column: u32,
        /// The first lane; others follow it.
        start: u64,
        /// Width of the column; words may be wider.
        bits: u32,
        /// Whether wider words extend the sign.
        signed: bool,
        /// How it is shared.
        bundle: Bundle,
        /// The wires to write.
        target: W,
    },
    /// Take the wires of lanes of an output column.
    Output {
        /// The index of the port in the program.
        port: u32,
        /// The index of the column in the port.
        column: u32,
        /// The first lane; others follow it.
        start: u64,
        /// How it is shared.
        bundle: Bundle,
        /// The wires.
        source: W,
    },
    /// Write uniformly random wires to `target`.
    Random {
        /// How they are shared.
        bundle: Bundle,
        /// The wires to write.
        target: W,
    },
    /// Write a public constant to `target`, once for every copy.
    Constant {
        /// The value.
        words: &'s Words,
        /// Instances of the body, each of which sees the value.
        copies: u64,
        /// How it is shared.
        bundle: Bundle,
        /// The wires to write.
        target: W,
    },
    /// Run a circuit.
    Circuit(CircuitTask<'s, W>),
    /// Run a kernel.
    Kernel(KernelTask<'s, W>),
}

/// Tasks that are executed together.
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
    /// The number of the circuit in the schedule.
    pub number: usize,
    /// The circuit.
    pub circuit: &'s Executable,
    /// The number of instances that run side by side.
    pub instances: u64,
    /// Number of the first AND of the first instance. AND `g` of instance `i` has number
    /// `first_id + i · and_count + g`.
    pub first_id: u64,
    /// The operands, in order of the circuit's inputs.
    pub operands: Vec<CircuitOperand<W>>,
    /// The wires for the outputs, in order.
    pub targets: Vec<CircuitTarget<W>>,
}

/// A kernel to be run in all instances of a body.
#[derive(Debug)]
pub struct KernelTask<'s, W> {
    /// The kernel.
    pub kernel: &'s Kernel,
    /// The circuit that it garbles, if any.
    pub circuit: Option<&'s Executable>,
    /// The number of instances of the circuit side by side; zero without a circuit.
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
    /// The wires for the results.
    pub targets: Vec<W>,
}

impl<W> KernelTask<'_, W> {
    /// The bundles that are read and written.
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
    /// The number of consecutive instances that see the same lanes; all lanes are divided evenly among these
    /// groups.
    pub share: u64,
}

/// An output of a circuit.
#[derive(Debug)]
pub struct CircuitTarget<W> {
    /// The wires to write.
    pub wires: W,
    /// Bits of one lane.
    pub bits: u32,
}

/// The positions, in one wire-major bundle, of the bits that instances of a circuit see.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Bits of one lane.
    bits: usize,
    /// Lanes of the bundle.
    lanes: usize,
    /// Lanes that an instance sees.
    span: usize,
    /// The number of consecutive instances that see the same lanes.
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

    /// Whether consecutive instances see consecutive lanes.
    pub fn is_lane_by_lane(&self) -> bool {
        self.step() == Some(1)
    }

    /// How far the elements of a bit are apart in consecutive instances; `None` if some see the same lanes.
    pub fn step(&self) -> Option<usize> {
        (self.share == 1).then_some(self.span)
    }

    /// The elements that an instance sees, in the order of its bits.
    pub fn seen(&self, instance: usize) -> impl Iterator<Item = usize> + use<> {
        let (bits, lanes, first) = (self.bits, self.lanes, instance / self.share * self.span);
        (first..first + self.span).flat_map(move |lane| (0..bits).map(move |bit| bit * lanes + lane))
    }

    /// The element of a bit that an instance sees.
    pub fn element(&self, bit: usize, instance: usize) -> usize {
        bit % self.bits * self.lanes + instance / self.share * self.span + bit / self.bits
    }
}

impl<W> CircuitOperand<W> {
    /// The view of `instances` instances on an operand of `elements` elements.
    pub fn view(&self, elements: usize, instances: usize) -> View {
        View::new(self.bits, elements, instances, self.share as usize)
    }
}

impl<W> CircuitTarget<W> {
    /// The view of `instances` instances on an output of `elements` elements.
    pub fn view(&self, elements: usize, instances: usize) -> View {
        View::new(self.bits, elements, instances, 1)
    }
}
