//! The garbler's setup, and its prepared run.

use super::super::bundle::expect;
use super::super::region::{GarblingState, Mask};
use super::super::{LabelOperand, LabelTarget, Region, RevealTo, Side, YaoError, inputs, opening};
use super::Spent;
use crate::garbling::GarblingScheme;
use tacit_crypto::half_gates::Delta;
use tacit_crypto::{Prg, Secret};
use tacit_math::{Bits, Block, append};
use tacit_net::Channel;
use tacit_ot::{chosen, rot};
use zeroize::Zeroizing;

/// The garbler in setup.
pub struct GarblerSetup {
    channel: Channel,
    ots: rot::Sender,
    garbling: GarblingState,
    key: Secret<[Block; 1]>,
    mask: Mask,
    record: Record,
}

/// The garbler's record of a setup walk.
#[derive(Default)]
pub(super) struct Record {
    /// Zero labels of its own inputs.
    pub(super) own: Zeroizing<Vec<Block>>,
    /// Zero labels of the corrections of the evaluator's inputs.
    pub(super) corrections: Zeroizing<Vec<Block>>,
    /// Colours of the zero labels of outputs.
    pub(super) colours: Bits,
}

/// The garbler's material from setup, for the one run that spends it.
pub struct GarblerPrepared {
    pub(super) delta: Delta,
    pub(super) start: Block,
    pub(super) key: Secret<[Block; 1]>,
    pub(super) record: Record,
}

/// The garbler of a prepared run. Its labels have no meaning.
pub struct GarblerOnline {
    channel: Channel,
    prepared: GarblerPrepared,
    outputs: Spent,
}

impl GarblerSetup {
    /// Starts a setup: draws delta, the start of the hash and the key of the mask. Sends nothing.
    ///
    /// `prg` must be secret and fresh.
    pub fn start(channel: Channel, ots: rot::Sender, prg: Prg) -> GarblerSetup {
        let mut garbling = GarblingState::new(prg);
        let key = garbling.prg.next_block();
        let mask = Mask::new(key);
        GarblerSetup { channel, ots, garbling, key: Secret::new([key]), mask, record: Record::default() }
    }

    /// Sets the scheme, which the peer must also use; the default is [`GarblingScheme::HalfGates`].
    #[must_use]
    pub fn with_scheme(mut self, scheme: GarblingScheme) -> GarblerSetup {
        self.garbling.set_scheme(scheme);
        self
    }

    /// Ends the setup walk; returns what the online run needs, and what other runs can use.
    ///
    /// # Errors
    /// Failures of the channel.
    pub async fn finish(mut self) -> Result<(GarblerPrepared, Channel, rot::Sender), YaoError> {
        self.channel.flush().await?;
        let GarblingState { delta, start, .. } = self.garbling;
        let prepared = GarblerPrepared { delta, start, key: self.key, record: self.record };
        Ok((prepared, self.channel, self.ots))
    }

    /// ANDs garbled so far, as the kernels counted them.
    pub fn and_count(&self) -> u64 {
        self.garbling.and_count()
    }
}

impl Side for GarblerSetup {
    async fn own_input(&mut self, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError> {
        expect("labels for input bits", labels.len() as u64, bits.len() as u64)?;
        self.garbling.prg.fill(labels);
        append(&mut self.record.own, labels);
        Ok(())
    }

    async fn peer_input(&mut self, labels: &mut [Block]) -> Result<(), YaoError> {
        // The wire is the xor of a random bit of the evaluator and its correction, which has labels of its own.
        inputs::send_labels(&mut self.channel, &mut self.ots, &self.garbling.delta, labels, false).await?;
        for label in labels {
            let correction = self.garbling.prg.next_block();
            append(&mut self.record.corrections, &[correction]);
            *label ^= correction;
        }
        Ok(())
    }

    fn constant(&mut self, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError> {
        inputs::constant(self.garbling.delta.expose(), bits, labels)
    }

    async fn random(&mut self, labels: &mut [Block]) -> Result<(), YaoError> {
        inputs::send_labels(&mut self.channel, &mut self.ots, &self.garbling.delta, labels, false).await?;
        self.garbling.flip_at_random(labels);
        Ok(())
    }

    async fn circuit(
        &mut self,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> Result<(), YaoError> {
        self.garbling.region(&mut self.channel, Some(&mut self.mask), region, operands, targets).await
    }

    async fn reveal(&mut self, _: RevealTo, labels: &[Block]) -> Result<Option<Bits>, YaoError> {
        self.record.colours.extend_bits(&opening::colours(labels));
        Ok(None)
    }

    async fn flush(&mut self) -> Result<(), YaoError> {
        Ok(self.channel.flush().await?)
    }
}

impl GarblerPrepared {
    /// How many input bits this party must give.
    pub fn own_inputs(&self) -> usize {
        self.record.own.len()
    }

    /// How many input bits the evaluator gives.
    pub fn peer_inputs(&self) -> usize {
        self.record.corrections.len()
    }

    /// Starts the run with these inputs; `own` is in the order of the setup walk.
    ///
    /// Security: `own` is secret. The key of the mask is only sent when all inputs of both parties are fixed.
    /// Cost: receives a bit for each input bit of the evaluator; sends 16 bytes for every input bit and 32 more.
    ///
    /// # Errors
    /// [`YaoError::Shape`] if there are not as many bits as in setup; failures of the channel.
    pub async fn start(self, mut channel: Channel, own: &Bits) -> Result<GarblerOnline, YaoError> {
        expect("input bits of the garbler", own.len() as u64, self.own_inputs() as u64)?;
        let Record { own: zeros, corrections, .. } = &self.record;
        // 1. The evaluator's inputs are fixed once its corrections have arrived.
        let flips = chosen::receive_bits(&mut channel, corrections.len()).await?;
        // 2. Active labels fix the garbler's.
        inputs::send_active(&mut channel, &self.delta, own, zeros).await?;
        inputs::send_active(&mut channel, &self.delta, &flips, corrections).await?;
        // 3. Now the tables may be revealed.
        let [key] = *self.key.expose();
        channel.send(Block::as_bytes(&[key, self.start])).await?;
        channel.flush().await?;
        Ok(GarblerOnline { channel, prepared: self, outputs: Spent::default() })
    }
}

impl GarblerOnline {
    /// Ends the run, forgets its secrets and returns the channel.
    pub fn finish(self) -> Channel {
        self.channel
    }
}

impl Side for GarblerOnline {
    async fn own_input(&mut self, _: &Bits, _: &mut [Block]) -> Result<(), YaoError> {
        Ok(())
    }

    async fn peer_input(&mut self, _: &mut [Block]) -> Result<(), YaoError> {
        Ok(())
    }

    fn constant(&mut self, _: &Bits, _: &mut [Block]) -> Result<(), YaoError> {
        Ok(())
    }

    async fn random(&mut self, _: &mut [Block]) -> Result<(), YaoError> {
        Ok(())
    }

    async fn circuit(
        &mut self,
        _: Region<'_>,
        _: &[LabelOperand<'_>],
        _: &mut [LabelTarget<'_>],
    ) -> Result<(), YaoError> {
        Ok(())
    }

    async fn reveal(&mut self, recipients: RevealTo, labels: &[Block]) -> Result<Option<Bits>, YaoError> {
        let colours = &self.prepared.record.colours;
        let range = self.outputs.take("output bits", labels.len(), colours.len())?;
        opening::at_garbler(&mut self.channel, recipients, &colours.slice(range)).await
    }

    async fn flush(&mut self) -> Result<(), YaoError> {
        Ok(self.channel.flush().await?)
    }
}
