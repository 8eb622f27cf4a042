//! Yao's protocol: the garbler's and the evaluator's end of inputs, circuits and outputs.
//!
//! Both ends are driven by the same calls in the same order, the methods of [`Side`]. A caller walks its program once,
//! generically over `Side`, and the two walks match message by message. A wire is one [`Block`] at either end: at the
//! garbler the zero label, at the evaluator the active label, which is the zero label if the wire carries 0 and the
//! zero label xor delta if it carries 1. So the exclusive or of labels is the label of the exclusive or; negation
//! flips the garbler's label by delta and leaves the evaluator's unchanged; and moving wires means moving blocks, in
//! the same way at both ends and without messages.
//!
//! Three modes:
//!
//! - [`streamed`]: tables are sent while the evaluator evaluates; nothing is stored; memory does not grow with the
//!   number of gates.
//! - [`live`]: as streamed, but inputs, gates and outputs each have a stream of their own, for programs that grow
//!   while they run.
//! - [`prepared`]: in setup the garbler garbles everything and the evaluator stores the tables, masked; online only
//!   corrections, labels, a key and outputs are sent.
//!
//! Source: Yao's garbled circuits in the form of Zahur, Rosulek and Evans, *Two Halves Make a Whole* (EUROCRYPT'15);
//! sharing semantics of ABY (NDSS'15) §III-C; the hash of Guo, Katz, Wang and Yu (CRYPTO'20).
//! With `with_scheme` at both sides, three halves replace half gates ([`crate::garbling`]).
//! Differs: labels of the evaluator's inputs come from random OT and a correction, never from OTs correlated by the
//! garbling delta, so an OT session may outlive many deltas.
//!
//! Security: semi-honest, static; AES as an ideal cipher. Every run has a fresh delta and a fresh hash key, and a side
//! refuses gate ids that do not increase, so no two gates of a run are garbled under the same tweak.

mod bundle;
mod cost;
mod cursor;
mod error;
pub(crate) mod inputs;
pub mod live;
pub(crate) mod opening;
pub mod prepared;
mod region;
pub mod saved;
pub mod streamed;
pub(crate) mod sums;

pub use bundle::{LabelOperand, LabelTarget};
pub(crate) use bundle::{View, Wire, width};
pub use cost::{YaoCost, YaoTraffic};
pub use error::YaoError;
pub use inputs::WINDOW as INPUT_WINDOW;
pub use opening::WINDOW as REVEAL_WINDOW;
pub(crate) use sums::width as sum_width;
pub use sums::{Adds, Sum};

use std::future::Future;
use tacit_circuit::Executable;
use tacit_math::{Bits, Block};

/// The recipients of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevealTo {
    /// Only the garbler.
    Garbler,
    /// Only the evaluator.
    Evaluator,
    /// Both parties.
    Both,
    /// Neither: each party has its share of the value, the colours of its labels.
    Nobody,
}

impl RevealTo {
    /// Whether the garbler learns the output.
    pub fn include_garbler(self) -> bool {
        matches!(self, RevealTo::Garbler | RevealTo::Both)
    }

    /// Whether the evaluator learns the output.
    pub fn include_evaluator(self) -> bool {
        matches!(self, RevealTo::Evaluator | RevealTo::Both)
    }
}

/// One circuit that runs over many instances side by side.
#[derive(Clone, Copy, Debug)]
pub struct Region<'a> {
    /// The circuit.
    pub circuit: &'a Executable,
    /// Number of instances.
    pub instances: u64,
    /// The id of the first AND gate of the first instance. AND gate g of instance i has id
    /// `first_id + i * and_count + g`.
    pub first_id: u64,
}

impl Region<'_> {
    /// The id after the region's last.
    ///
    /// # Errors
    /// [`YaoError::GateIds`] if ids would exceed the last for which the gate hash has a tweak.
    pub fn end_id(&self) -> Result<u64, YaoError> {
        self.circuit
            .and_count
            .checked_mul(self.instances)
            .and_then(|ands| self.first_id.checked_add(ands))
            .filter(|&end| end <= crate::half_gates::MAX_IDS)
            .ok_or(YaoError::GateIds { first: self.first_id, expected: crate::half_gates::MAX_IDS })
    }
}

/// One end of Yao's protocol. The peer must make the same calls, with `own_input` and `peer_input` exchanged, on the
/// same numbers of wires, circuits and ids; these follow from a plan whose hash both have compared.
///
/// Only [`Side::reveal`] computes plaintext values. After an error the side cannot be used any more.
pub trait Side: Send {
    /// Labels for wires that carry this party's `bits`, one per bit.
    ///
    /// Sides for setup ([`prepared::GarblerSetup`], [`prepared::EvaluatorSetup`]) have no bits yet and ignore the
    /// values; sides that use prepared material ignore them too, since they got all bits when they started.
    ///
    /// Security: `bits` are secret; neither time nor traffic depends on them.
    /// Cost: a garbler's input takes 16 bytes for each bit and no round; an evaluator's input takes one round, with
    /// about 4.1 bytes for each bit to the garbler and 16 back.
    ///
    /// # Errors
    /// [`YaoError::Shape`] if the numbers of bits and labels differ; failures of channel and OT.
    fn own_input(
        &mut self,
        bits: &Bits,
        labels: &mut [Block],
    ) -> impl Future<Output = Result<(), YaoError>> + Send;

    /// Labels for wires that carry the peer's bits; the peer calls [`Side::own_input`].
    ///
    /// # Errors
    /// Failures of channel and OT.
    fn peer_input(&mut self, labels: &mut [Block]) -> impl Future<Output = Result<(), YaoError>> + Send;

    /// Labels for wires that carry bits that both know. Nothing is sent.
    ///
    /// # Errors
    /// [`YaoError::Shape`] if the numbers of bits and labels differ.
    fn constant(&mut self, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError>;

    /// Labels for wires that carry uniform bits that neither party knows.
    ///
    /// Cost: as the evaluator's input, without its correction bits.
    ///
    /// # Errors
    /// Failures of channel and OT.
    fn random(&mut self, labels: &mut [Block]) -> impl Future<Output = Result<(), YaoError>> + Send;

    /// Runs a circuit. `operands` are in the order of the circuit's inputs, `targets` in that of its outputs;
    /// see [`LabelOperand`] for how instances see the lanes of a bundle.
    ///
    /// Memory: the live labels of one lane chunk and one message, whatever the number of instances.
    /// Cost: 32 bytes for each AND gate from garbler to evaluator, no round; 4 hashes to garble an AND, 2 to evaluate
    /// it. With three halves 24.625 bytes, 6 and 3 hashes.
    ///
    /// # Errors
    /// [`YaoError::Shape`] if operands or targets do not fit the circuit; [`YaoError::GateIds`] if the first id is
    /// below one already used; failures of the channel.
    fn circuit(
        &mut self,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> impl Future<Output = Result<(), YaoError>> + Send;

    /// Opens wires to `recipients`. Returns the values if this party is one of them, except in setup; for
    /// [`RevealTo::Nobody`] this party's shares, whose exclusive or with the other's shares are the values.
    ///
    /// Cost: one bit for each wire to each recipient.
    ///
    /// # Errors
    /// Failures of the channel.
    fn reveal(
        &mut self,
        recipients: RevealTo,
        labels: &[Block],
    ) -> impl Future<Output = Result<Option<Bits>, YaoError>> + Send;

    /// Passes everything that is still buffered to the transport.
    ///
    /// # Errors
    /// Failures of the channel.
    fn flush(&mut self) -> impl Future<Output = Result<(), YaoError>> + Send;
}
