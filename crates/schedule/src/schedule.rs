use serde::{Deserialize, Serialize};
use tacit_circuit::Executable;
use tacit_ir::{Index, Words};

use crate::bundle::Bundle;
use crate::kernels::Kernel;

/// A program as circuits over bundles of wires, which engines walk.
///
/// Bodies apply only bodies before them. A body may run in `M` instances side by side (where a map applies it, and
/// maps nest): then each of its bundles has `M` times its lanes, instance after instance, each circuit step runs
/// over `M` times its lanes, and moves of lanes act within every instance.
///
/// In memory a bundle is wire-major: its element for a bit and a lane stands at `bit · lanes + lane`, `lanes`
/// counting all instances.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// The circuits that bodies run; each is used by some step.
    pub circuits: Vec<Executable>,
    /// The bodies, each after those that it applies.
    pub bodies: Vec<Body>,
    /// Where a run starts: the last body, without parameters and results; it runs once.
    pub main: usize,
}

/// A bundle of a body, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BundleId(pub u32);

impl BundleId {
    /// The number as an index into a slice.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A lowered template: steps over bundles, in an order in which every bundle is written before it is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// The template's name, for people.
    pub name: String,
    /// The bundles.
    pub bundles: Vec<Bundle>,
    /// Bundles that are written before the body runs.
    pub parameters: Vec<BundleId>,
    /// Bundles that are read after it has run; one may be named more than once.
    pub results: Vec<BundleId>,
    /// The steps.
    pub steps: Vec<Step>,
    /// ANDs of one run of one instance of the body, including those of applied bodies.
    pub and_count: u64,
}

/// One step of a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// ANDs of the body before this step, in one instance.
    ///
    /// The ANDs of a run of a body in `M` instances take `M · and_count` numbers from the run's first number. The
    /// step's own start at `M · and_base`: AND `g` of instance `i` of a circuit with `n` ANDs is number `i · n + g`
    /// of the step, `i` counting the lanes of all instances; a call, map or iteration hands each run of its body
    /// the next block.
    pub and_base: u64,
    /// Line of the source where the step begins, 0 if unknown. It is not part of any serial form or hash,
    /// since lines do not change what is run.
    #[serde(skip)]
    pub line: u32,
    /// The action of the step.
    pub action: Action,
}

/// An operand of a circuit step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Operand {
    /// The bundle.
    pub bundle: BundleId,
    /// Whether every lane of the circuit step sees the whole bundle (of its own instance of the body), instead of
    /// its share.
    pub broadcast: bool,
}

/// The action of a step. Lanes are those of one instance of the body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Takes a column of an input port. Only in `main`. If several steps name one column, they take its lanes
    /// in order.
    Input {
        /// The index of the port in the program.
        port: u32,
        /// The index of the column in the port.
        column: u32,
        /// Width of the column; words may be wider.
        bits: u32,
        /// Whether wider words extend the sign.
        signed: bool,
        /// The bundle to write.
        target: BundleId,
    },
    /// Runs a kernel.
    Kernel {
        /// The kernel.
        kernel: Kernel,
        /// The operands.
        inputs: Vec<BundleId>,
        /// The results.
        targets: Vec<BundleId>,
    },
    /// Gives a column of an output port. Only in `main`. If several steps name one column, they give its
    /// lanes in order.
    Output {
        /// The index of the port in the program.
        port: u32,
        /// The index of the column in the port.
        column: u32,
        /// The bundle to give.
        source: BundleId,
    },
    /// Uniformly random bits that no party knows, fresh in every instance.
    Random {
        /// The bundle to write.
        target: BundleId,
    },
    /// A public constant, the same in every instance.
    Constant {
        /// The value, of the target's bits and lanes.
        words: Words,
        /// The bundle to write.
        target: BundleId,
    },
    /// Runs a circuit over `lanes` lanes.
    ///
    /// An operand or output bundle of `n` lanes and `b` bits gives each lane of the step `k = n / lanes` lanes: step
    /// lane `i` sees lanes `i·k .. (i+1)·k`, or, broadcast, all `n`. Lane `j` of those, bit `c`, is bit `j·b + c` of
    /// the operand's share of the circuit's inputs; the operands' shares follow one another in order. Outputs
    /// likewise.
    Circuit {
        /// Index into [`Schedule::circuits`].
        circuit: u32,
        /// Instances of the circuit.
        lanes: u64,
        /// The operands.
        inputs: Vec<Operand>,
        /// The outputs.
        outputs: Vec<BundleId>,
    },
    /// Lanes at public positions.
    Gather {
        /// The bundle to read.
        source: BundleId,
        /// The positions.
        positions: Index,
        /// The bundle to write.
        target: BundleId,
    },
    /// Lanes one after the other.
    Join {
        /// The bundles to read, in order.
        sources: Vec<BundleId>,
        /// The bundle to write.
        target: BundleId,
    },
    /// Runs a body once.
    Call {
        /// Index into [`Schedule::bodies`].
        body: u32,
        /// One bundle for each parameter.
        arguments: Vec<BundleId>,
        /// One bundle for each result.
        results: Vec<BundleId>,
    },
    /// Runs a body in `lanes` instances side by side; where a parameter or result has `k` lanes the bundle has
    /// `lanes · k`, instance after instance.
    Map {
        /// Index into [`Schedule::bodies`].
        body: u32,
        /// Number of instances.
        lanes: u64,
        /// One bundle for each parameter.
        arguments: Vec<BundleId>,
        /// One bundle for each result.
        results: Vec<BundleId>,
    },
    /// Runs a body `count` times in sequence. The body's parameters are the carried bundles, the invariant ones and
    /// one slice of each sliced one (iteration `i` sees lanes `i·k .. (i+1)·k`); its results are the carried bundles,
    /// then those to stack.
    Iterate {
        /// Index into [`Schedule::bodies`].
        body: u32,
        /// Number of iterations, at least 1.
        count: u64,
        /// The initial carried bundles.
        carried: Vec<BundleId>,
        /// Bundles that every iteration sees whole.
        invariant: Vec<BundleId>,
        /// Bundles of which every iteration sees a slice.
        sliced: Vec<BundleId>,
        /// The final carried bundles, then the stacks of `count · k` lanes.
        results: Vec<BundleId>,
    },
}
