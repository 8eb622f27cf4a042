//! Yao's protocol for a program that grows while it runs: values are opened, and later computations depend on them.
//!
//! The parts of an end work separately, each on a stream of its own: [`LiveGarbler`] and [`LiveEvaluator`] run gates, which are sent in one
//! direction; [`InputSender`] and [`receive_input`] make labels for the evaluator's inputs by oblivious transfers, which are lent to them;
//! [`colours`] open wires. Labels made at any time can be used at any later time of the same session.
//!
//! Security: semi-honest. All values of a session share one delta and one start of the hash, as the wires of one large circuit do, and
//! these are forgotten with it. Regions take increasing ids, so no two gates of a session are garbled under the same tweak. An
//! evaluator holds one label of every wire, whatever it has computed with it. Tables and labels do not depend on any value: only its
//! colours reveal a value, which are sent when it is opened, and only to its recipients. So the inputs and the program may depend on
//! opened values: a simulator makes each part when it is due, and chooses the colours of an opened wire when it learns the value.

use super::bundle::expect;
use super::region::{EvaluationState, GarblingState};
use super::{LabelOperand, LabelTarget, Region, YaoError, inputs, opening};
use crate::garbling::GarblingScheme;
use tacit_crypto::Prg;
use tacit_crypto::half_gates::Delta;
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use tacit_ot::rot;

/// The garbler's gates and inputs.
pub struct LiveGarbler {
    garbling: GarblingState,
}

impl LiveGarbler {
    /// Starts a session: draws delta and the start of the hash, and sends the latter.
    ///
    /// `prg` must be secret and fresh: a session with the randomness of another reveals inputs.
    /// Cost: 16 bytes.
    ///
    /// # Errors
    /// Failures of the channel.
    pub async fn start(channel: &mut Channel, prg: Prg) -> Result<LiveGarbler, YaoError> {
        let garbling = GarblingState::new(prg);
        channel.send(&garbling.start.to_bytes()).await?;
        Ok(LiveGarbler { garbling })
    }

    /// Sets another scheme, which the evaluator must also use.
    #[must_use]
    pub fn with_scheme(mut self, scheme: GarblingScheme) -> LiveGarbler {
        self.garbling.set_scheme(scheme);
        self
    }

    /// The sender of labels for the evaluator's inputs.
    pub fn input_sender(&self) -> InputSender {
        InputSender { delta: self.garbling.delta.clone() }
    }

    /// Labels for wires that carry the garbler's `bits`, one per bit.
    ///
    /// Cost: 16 bytes to the evaluator for each bit, no round.
    /// Cost: 16 bytes a bit to the evaluator, no round.
    ///
    /// # Errors
    /// [`YaoError::Shape`] if the numbers of bits and labels differ; failures of the channel.
    pub async fn input(
        &mut self,
        channel: &mut Channel,
        bits: &Bits,
        labels: &mut [Block],
    ) -> Result<(), YaoError> {
        expect("labels for input bits", labels.len() as u64, bits.len() as u64)?;
        self.garbling.prg.fill(labels);
        inputs::send_active(channel, &self.garbling.delta, bits, labels).await
    }

    /// As [`super::Side::constant`].
    ///
    /// # Errors
    /// As there.
    pub fn constant(&self, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError> {
        inputs::constant(self.garbling.delta.expose(), bits, labels)
    }

    /// As [`super::Side::circuit`].
    ///
    /// # Errors
    /// As there.
    pub async fn circuit(
        &mut self,
        channel: &mut Channel,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> Result<(), YaoError> {
        self.garbling.region(channel, None, region, operands, targets).await
    }

    /// ANDs garbled so far, as the kernels counted them.
    pub fn and_count(&self) -> u64 {
        self.garbling.and_count()
    }
}

/// The garbler's state for making labels for the evaluator's inputs.
pub struct InputSender {
    delta: Delta,
}

impl InputSender {
    /// Labels for wires that carry bits of the evaluator, which calls [`receive_input`].
    ///
    /// # Errors
    /// Failures of channel and OT.
    pub async fn input(
        &self,
        channel: &mut Channel,
        ots: &mut rot::Sender,
        labels: &mut [Block],
    ) -> Result<(), YaoError> {
        inputs::send_labels(channel, ots, &self.delta, labels, true).await
    }
}

/// The evaluator's gates.
pub struct LiveEvaluator {
    evaluation: EvaluationState,
}

impl LiveEvaluator {
    /// Starts a session: receives the start of the hash.
    ///
    /// Cost: 16 bytes.
    ///
    /// # Errors
    /// Failures of the channel.
    pub async fn start(channel: &mut Channel) -> Result<LiveEvaluator, YaoError> {
        Ok(LiveEvaluator { evaluation: EvaluationState::new(inputs::receive_block(channel).await?) })
    }

    /// Sets another scheme, which the garbler must also use.
    #[must_use]
    pub fn with_scheme(mut self, scheme: GarblingScheme) -> LiveEvaluator {
        self.evaluation.set_scheme(scheme);
        self
    }

    /// Labels for wires that carry bits of the garbler, which calls [`LiveGarbler::input`].
    ///
    /// # Errors
    /// Failures of the channel.
    pub async fn input(&mut self, channel: &mut Channel, labels: &mut [Block]) -> Result<(), YaoError> {
        Ok(channel.receive_into(Block::as_bytes_mut(labels)).await?)
    }

    /// As [`super::Side::constant`].
    ///
    /// # Errors
    /// As there.
    pub fn constant(&self, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError> {
        inputs::constant(Block::ZERO, bits, labels)
    }

    /// As [`super::Side::circuit`].
    ///
    /// # Errors
    /// As there.
    pub async fn circuit(
        &mut self,
        channel: &mut Channel,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> Result<(), YaoError> {
        self.evaluation.region(channel, region, operands, targets).await
    }

    /// ANDs evaluated so far, as the kernels counted them.
    pub fn and_count(&self) -> u64 {
        self.evaluation.and_count()
    }
}

/// Labels for wires that carry the evaluator's `bits`, one per bit; the sender of `ots` is the garbler, with its [`InputSender`].
///
/// Security: `bits` are secret; neither time nor traffic depends on them.
/// Cost: one round; as [`super::Side::own_input`].
///
/// # Errors
/// [`YaoError::Shape`] if the numbers of bits and labels differ; failures of channel and OT.
pub async fn receive_input(
    channel: &mut Channel,
    ots: &mut rot::Receiver,
    bits: &Bits,
    labels: &mut [Block],
) -> Result<(), YaoError> {
    expect("labels for input bits", labels.len() as u64, bits.len() as u64)?;
    inputs::receive_labels(channel, ots, labels, Some(bits)).await?;
    Ok(())
}

/// The colours of wires' labels, one bit each. The exclusive or of the colours at the two ends is the value, so only a
/// recipient of the value gets the other's colours.
pub fn colours(labels: &[Block]) -> Bits {
    opening::colours(labels)
}
