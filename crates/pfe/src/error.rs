//! Errors of private functions.

use tacit_crypto::EntropyError;
use tacit_he::HeError;
use tacit_net::NetError;
use tacit_ot::OtError;
use tacit_universal::UniversalError;
use thiserror::Error;

/// Why a function does not fit a size, or a size is unusable.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FunctionError {
    /// No party has an input, so no gate has an operand.
    #[error("the function has no inputs; give it at least one input bit")]
    NoInputs,
    /// The function has no outputs.
    #[error("the function has no outputs; give it at least one output bit")]
    NoOutputs,
    /// There are fewer gates than outputs, but every output needs a gate of its own.
    #[error("{gates} gates for {outputs} outputs; every output needs a gate of its own")]
    FewGates {
        /// Announced gates.
        gates: usize,
        /// Announced outputs.
        outputs: usize,
    },
    /// More wires than this crate supports.
    #[error("{given} wires; at most {limit} are possible")]
    TooLarge {
        /// Inputs and gates together.
        given: usize,
        /// The limit.
        limit: usize,
    },
    /// The function has more gates than were announced.
    #[error("the function has {given} gates, and {announced} were announced; announce more")]
    Gates {
        /// Gates of the function.
        given: usize,
        /// Gates announced.
        announced: usize,
    },
    /// The function's numbers of inputs or outputs differ from the announced ones.
    #[error("{what}: {given} given, {announced} announced")]
    Count {
        /// What was counted.
        what: &'static str,
        /// Of the function.
        given: usize,
        /// Announced.
        announced: usize,
    },
    /// No universal circuit has this size.
    #[error("{0}")]
    Universal(UniversalError),
    /// The encryption scheme does not support these parameters.
    #[error(transparent)]
    He(#[from] HeError),
    /// A gate reads a wire that is not before it, or an output.
    #[error("gate {gate} reads wire {wire}, which is not available to it")]
    Wire {
        /// The gate.
        gate: usize,
        /// The wire.
        wire: u32,
    },
}

impl From<UniversalError> for FunctionError {
    fn from(error: UniversalError) -> FunctionError {
        FunctionError::Universal(error)
    }
}

/// Why the evaluation of a private function stopped.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PfeError {
    /// The channel to the peer failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The oblivious transfers of inputs failed.
    #[error(transparent)]
    Ot(#[from] OtError),
    /// A ciphertext, key or point was refused.
    #[error(transparent)]
    He(#[from] HeError),
    /// The operating system gave no randomness.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// The function does not fit.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// The two parties announced different sizes.
    #[error("the parties announced different numbers of {what}: here {ours}, there {theirs}")]
    Size {
        /// What differs.
        what: &'static str,
        /// This party's.
        ours: u64,
        /// The peer's.
        theirs: u64,
    },
    /// The peer sent the identity, or bytes that are not the canonical encoding of a point.
    #[error("the peer sent an unusable point: {what} {index}")]
    Point {
        /// What the point stands for.
        what: &'static str,
        /// Which of them.
        index: usize,
    },
    /// The two parties use different schemes or sizes of keys.
    #[error("the parties use different encryption schemes: code {ours:#x} here, {theirs:#x} there")]
    Scheme {
        /// This party's.
        ours: u64,
        /// The peer's.
        theirs: u64,
    },
    /// An operand's ciphertext decrypts to more than a key and its blind.
    #[error("the peer's ciphertext of the operands from {index} on does not decrypt to keys")]
    Operand {
        /// The first operand in the ciphertext.
        index: usize,
    },
    /// A row of a gate does not decrypt to a key.
    #[error("gate {gate} of the garbled function does not decrypt to a key")]
    Row {
        /// The gate.
        gate: usize,
    },
    /// The peer returned a label that does not stand for a bit.
    #[error("the peer returned an unknown label for output {output}")]
    Label {
        /// The output.
        output: usize,
    },
    /// The peer's sign of progress has an unknown value.
    #[error("the peer's sign of progress has the unknown value {given}")]
    Progress {
        /// The byte.
        given: u8,
    },
    /// This party gave another number of input bits than announced.
    #[error("{given} input bits given, {announced} announced")]
    Inputs {
        /// Bits given.
        given: usize,
        /// Bits announced.
        announced: usize,
    },
    /// Two keys of one wire have the same hash, which does not happen by chance.
    #[error("both keys of a wire have the same hash (a hardware error); run again, or on another machine")]
    Collision,
    /// The function has already been introduced to the peer.
    #[error("the function was introduced already; prepare further runs instead")]
    Introduced,
    /// The thread that garbles or evaluates ended early.
    #[error("the thread that garbles or evaluates the universal circuit has stopped; start a new run")]
    Stopped,
    /// The prepared setup is for a function of another size.
    #[error("the prepared run has {given} bytes; one of a function of this size has {expected}")]
    Entry {
        /// Bytes of it.
        given: usize,
        /// Bytes that it should have.
        expected: usize,
    },
    /// The prepared setup has invalid shifts.
    #[error("the prepared run is unusable: the shifts of gate {gate} are invalid under this protocol")]
    Shift {
        /// The gate.
        gate: usize,
    },
    /// This protocol has no setups to prepare.
    #[error("this protocol has no setup to prepare: all its work begins once inputs are known")]
    NoSetup,
    /// A run of a function that has not been introduced.
    #[error("the function was not introduced to the peer; introduce it first")]
    NotIntroduced,
}
