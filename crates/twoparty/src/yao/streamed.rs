//! Yao's protocol with tables that are sent while the evaluator evaluates.
//!
//! Everything happens online, in one walk at each party, except for labels of random bits and sums of words that may
//! be made before. Memory does not grow with the number of gates.
//!
//! Security: semi-honest; the garbler's inputs and delta are fixed before any table is made. After the evaluator has
//! seen a table, it only chooses the inputs of later [`Side::own_input`] calls; a semi-honest evaluator has fixed
//! those beforehand.

use super::bundle::expect;
use super::inputs::Ready;
use super::region::{EvaluationState, GarblingState};
use super::sums::{Adds, GarbledSums, SealedSums, Sum, SumPlaces};
use super::{LabelOperand, LabelTarget, Region, RevealTo, Side, YaoError, inputs, opening};
use crate::garbling::GarblingScheme;
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use tacit_ot::rot;
use zeroize::Zeroizing;

/// The garbler.
pub struct Garbler {
    pub(super) channel: Channel,
    /// `None` if all labels are made before.
    pub(super) ots: Option<rot::Sender>,
    pub(super) garbling: GarblingState,
    pub(super) ready: Ready,
    pub(super) sums: GarbledSums,
}

impl Garbler {
    /// Starts a run: draws delta and the start of the hash, and sends the latter.
    ///
    /// `prg` must be secret and fresh: a run with the randomness of another reveals inputs.
    /// Cost: 16 bytes.
    ///
    /// # Errors
    /// Failures of the channel.
    pub async fn start(mut channel: Channel, ots: rot::Sender, prg: Prg) -> Result<Garbler, YaoError> {
        let garbling = GarblingState::new(prg);
        channel.send(&garbling.start.to_bytes()).await?;
        Ok(Garbler {
            channel,
            ots: Some(ots),
            garbling,
            ready: Ready::default(),
            sums: GarbledSums::default(),
        })
    }

    /// Sets the scheme, which the peer must also use; the default is [`GarblingScheme::HalfGates`].
    #[must_use]
    pub fn with_scheme(mut self, scheme: GarblingScheme) -> Garbler {
        self.garbling.set_scheme(scheme);
        self
    }

    /// Makes `count` labels now for inputs of the evaluator and random bits, once in a run and before any of these, which then
    /// send a correction of a bit or nothing. Also garbles `sums`, whose ids increase, for [`Adds::add`]. The evaluator
    /// prepares the same.
    ///
    /// Cost: an OT and 16 bytes for each of `count` and each bit of the words of `sums`, and the tables of `sums`.
    ///
    /// # Errors
    /// [`YaoError::Shape`] for circuits that do not add two words; [`YaoError::GateIds`]; failures of channel and OT.
    pub async fn prepare(&mut self, count: usize, sums: &[Region<'_>]) -> Result<(), YaoError> {
        let places = SumPlaces::new(self.garbling.scheme(), sums)?;
        let mut labels = Zeroizing::new(vec![Block::ZERO; places.wires() + count]);
        let all = (&mut Ready::default(), &mut self.ots);
        inputs::send_ready(&mut self.channel, all, &self.garbling.delta, &mut labels, false).await?;
        let wires = places.wires();
        self.sums = GarbledSums::make(&mut self.channel, &mut self.garbling, (places, sums), &labels).await?;
        self.ready = Ready::new(labels, Bits::default(), wires);
        Ok(self.channel.flush().await?)
    }

    /// The stream of the run.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Begins a phase: see [`Channel::begin_phase`].
    pub fn begin_phase(&mut self) {
        self.channel.begin_phase();
    }

    /// ANDs garbled so far, as the kernels counted them.
    pub fn and_count(&self) -> u64 {
        self.garbling.and_count()
    }

    /// Ends the run, forgets its secrets and returns what the next run can use.
    pub fn finish(self) -> (Channel, Option<rot::Sender>) {
        (self.channel, self.ots)
    }
}

impl Side for Garbler {
    async fn own_input(&mut self, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError> {
        expect("labels for input bits", labels.len() as u64, bits.len() as u64)?;
        self.garbling.prg.fill(labels);
        inputs::send_active(&mut self.channel, &self.garbling.delta, bits, labels).await
    }

    async fn peer_input(&mut self, labels: &mut [Block]) -> Result<(), YaoError> {
        let source = (&mut self.ready, &mut self.ots);
        inputs::send_ready(&mut self.channel, source, &self.garbling.delta, labels, true).await
    }

    fn constant(&mut self, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError> {
        inputs::constant(self.garbling.delta.expose(), bits, labels)
    }

    async fn random(&mut self, labels: &mut [Block]) -> Result<(), YaoError> {
        let source = (&mut self.ready, &mut self.ots);
        inputs::send_ready(&mut self.channel, source, &self.garbling.delta, labels, false).await?;
        self.garbling.flip_at_random(labels);
        Ok(())
    }

    async fn circuit(
        &mut self,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> Result<(), YaoError> {
        self.garbling.region(&mut self.channel, None, region, operands, targets).await
    }

    async fn reveal(&mut self, recipients: RevealTo, labels: &[Block]) -> Result<Option<Bits>, YaoError> {
        opening::at_garbler(&mut self.channel, recipients, &opening::colours(labels)).await
    }

    async fn flush(&mut self) -> Result<(), YaoError> {
        Ok(self.channel.flush().await?)
    }
}

impl Adds for Garbler {
    fn has_ready(&self, region: Region<'_>) -> bool {
        self.sums.places.has(region)
    }

    async fn add(&mut self, sums: &mut [Sum<'_>]) -> Result<(), YaoError> {
        self.sums.add(&mut self.channel, &self.garbling.delta, sums).await
    }
}

/// The evaluator.
pub struct Evaluator {
    pub(super) channel: Channel,
    /// `None` if all labels are made before.
    pub(super) ots: Option<rot::Receiver>,
    pub(super) evaluation: EvaluationState,
    pub(super) ready: Ready,
    pub(super) sums: SealedSums,
}

impl Evaluator {
    /// Starts a run: receives the start of the hash.
    ///
    /// Cost: 16 bytes.
    ///
    /// # Errors
    /// Failures of the channel.
    pub async fn start(mut channel: Channel, ots: rot::Receiver) -> Result<Evaluator, YaoError> {
        let evaluation = EvaluationState::new(inputs::receive_block(&mut channel).await?);
        Ok(Evaluator {
            channel,
            ots: Some(ots),
            evaluation,
            ready: Ready::default(),
            sums: SealedSums::default(),
        })
    }

    /// Sets the scheme, which the peer must also use; the default is [`GarblingScheme::HalfGates`].
    #[must_use]
    pub fn with_scheme(mut self, scheme: GarblingScheme) -> Evaluator {
        self.evaluation.set_scheme(scheme);
        self
    }

    /// Gets `count` labels and `sums` now, as [`Garbler::prepare`] makes them.
    ///
    /// # Errors
    /// As there.
    pub async fn prepare(&mut self, count: usize, sums: &[Region<'_>]) -> Result<(), YaoError> {
        let places = SumPlaces::new(self.evaluation.scheme(), sums)?;
        let wires = places.wires();
        let mut labels = Zeroizing::new(vec![Block::ZERO; wires + count]);
        let all = (&mut Ready::default(), &mut self.ots);
        let bits = inputs::receive_ready(&mut self.channel, all, &mut labels, None).await?;
        self.ready = Ready::new(labels, bits, wires);
        let sums = (places, sums);
        self.sums =
            SealedSums::receive(&mut self.channel, &mut self.evaluation, sums, &self.ready.bits).await?;
        Ok(self.channel.flush().await?)
    }

    /// The stream of the run.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Begins a phase: see [`Channel::begin_phase`].
    pub fn begin_phase(&mut self) {
        self.channel.begin_phase();
    }

    /// ANDs evaluated so far, as the kernels counted them.
    pub fn and_count(&self) -> u64 {
        self.evaluation.and_count()
    }

    /// Ends the run and returns what the next run can use.
    pub fn finish(self) -> (Channel, Option<rot::Receiver>) {
        (self.channel, self.ots)
    }
}

impl Side for Evaluator {
    async fn own_input(&mut self, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError> {
        expect("labels for input bits", labels.len() as u64, bits.len() as u64)?;
        let source = (&mut self.ready, &mut self.ots);
        inputs::receive_ready(&mut self.channel, source, labels, Some(bits)).await.map(drop)
    }

    async fn peer_input(&mut self, labels: &mut [Block]) -> Result<(), YaoError> {
        Ok(self.channel.receive_into(Block::as_bytes_mut(labels)).await?)
    }

    fn constant(&mut self, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError> {
        inputs::constant(Block::ZERO, bits, labels)
    }

    async fn random(&mut self, labels: &mut [Block]) -> Result<(), YaoError> {
        inputs::receive_ready(&mut self.channel, (&mut self.ready, &mut self.ots), labels, None)
            .await
            .map(drop)
    }

    async fn circuit(
        &mut self,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> Result<(), YaoError> {
        self.evaluation.region(&mut self.channel, region, operands, targets).await
    }

    async fn reveal(&mut self, recipients: RevealTo, labels: &[Block]) -> Result<Option<Bits>, YaoError> {
        opening::at_evaluator(&mut self.channel, recipients, &opening::colours(labels)).await
    }

    async fn flush(&mut self) -> Result<(), YaoError> {
        Ok(self.channel.flush().await?)
    }
}

impl Adds for Evaluator {
    fn has_ready(&self, region: Region<'_>) -> bool {
        self.sums.places.has(region)
    }

    async fn add(&mut self, sums: &mut [Sum<'_>]) -> Result<(), YaoError> {
        self.sums.add(&mut self.channel, &mut self.evaluation, &self.ready.labels, sums).await
    }
}
