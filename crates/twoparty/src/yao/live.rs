//! Yao's protocol for a program that grows while it runs: values are opened, and what is computed next depends on them.
//!
//! The parts of an end work apart, each on a stream of its own: [`LiveGarbler`] and [`LiveEvaluator`] run gates, which travel one
//! way; [`InputSender`] and [`receive_input`] make labels for the evaluator's inputs by oblivious transfers, which are lent to them; [`colours`] are
//! what a wire is opened with. Labels made at any time serve at any later time of the same session.
//!
//! Security: semi-honest. All values of a session share one delta and one start of the hash, as the wires of one large
//! circuit do, and are forgotten with it; regions take ids that only grow, so no two gates of a session are garbled under one tweak. An
//! evaluator holds one label of every wire, whatever it computed with it. What tables and labels show does not depend on
//! any value: a value becomes known by its colours alone, which are sent when it is opened, and to who learns it. So the
//! inputs and the program may depend on what was opened before: a simulator makes each part when it is due, and chooses the
//! colours of an opened wire when it is told the value.

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
    /// `prg` must be secret and fresh: a session under the randomness of another reveals inputs.
    /// Cost: 16 bytes.
    ///
    /// # Errors
    /// Failures of the channel.
    pub async fn start(channel: &mut Channel, prg: Prg) -> Result<LiveGarbler, YaoError> {
        let garbling = GarblingState::new(prg);
        channel.send(&garbling.start.to_bytes()).await?;
        Ok(LiveGarbler { garbling })
    }

    /// Garbles with another scheme; the evaluator does too.
    #[must_use]
    pub fn with_scheme(mut self, scheme: GarblingScheme) -> LiveGarbler {
        self.garbling.set_scheme(scheme);
        self
    }

    /// What makes labels for the evaluator's inputs.
    pub fn input_sender(&self) -> InputSender {
        InputSender { delta: self.garbling.delta.clone() }
    }

    /// Labels for wires that carry the garbler's `bits`, one per bit.
    ///
    /// Security: `bits` are secret; neither time nor traffic depends on them.
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

/// What the garbler makes labels for the evaluator's inputs from.
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

    /// Evaluates with another scheme; the garbler uses the same.
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

/// Labels for wires that carry the evaluator's `bits`, one per bit; `ots` are those of which the garbler, with its [`InputSender`], is the sender.
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

/// The colours of wires' labels, one bit each. The colours at the two ends, xored, are the values, so whoever learns a value
/// gets the other's colours of it, and nobody else does.
pub fn colours(labels: &[Block]) -> Bits {
    opening::colours(labels)
}
