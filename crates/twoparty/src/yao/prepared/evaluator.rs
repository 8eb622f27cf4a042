//! The evaluator's setup, and its prepared run.

use super::super::bundle::{self, expect};
use super::super::region::{EvaluationState, Mask, TableSource};
use super::super::{LabelOperand, LabelTarget, Region, RevealTo, Side, YaoError, inputs, opening};
use super::Spent;
use crate::garbling::GarblingScheme;
use crate::half_gates::TABLE_BYTES;
use tacit_circuit::Executable;
use tacit_math::{Bits, Block, append};
use tacit_net::{Channel, MAX_RESERVE};
use tacit_ot::rot;
use zeroize::Zeroizing;

/// The evaluator in setup. Its labels have no meaning.
pub struct EvaluatorSetup {
    channel: Channel,
    ots: rot::Receiver,
    prepared: EvaluatorPrepared,
}

/// The evaluator's material from setup, for the one run that spends it.
#[derive(Default)]
pub struct EvaluatorPrepared {
    /// The garbling scheme of the tables.
    pub(super) scheme: GarblingScheme,
    /// Masked tables.
    pub(super) tables: Vec<u8>,
    /// Random bits in place of this party's inputs, and their labels.
    pub(super) choices: Bits,
    pub(super) own: Zeroizing<Vec<Block>>,
    /// Number of input bits of the garbler.
    pub(super) peer: usize,
    /// Labels of bits that nobody knows.
    pub(super) random: Zeroizing<Vec<Block>>,
}

/// The evaluator of a prepared run.
pub struct EvaluatorOnline {
    channel: Channel,
    evaluation: EvaluationState,
    store: MaskedTables,
    labels: Labels,
}

impl EvaluatorSetup {
    /// Starts a setup for a walk with `and_count` ANDs in all, and reserves memory for their tables.
    ///
    /// # Errors
    /// [`YaoError::Memory`] if there is not enough memory.
    pub fn start(channel: Channel, ots: rot::Receiver, and_count: u64) -> Result<EvaluatorSetup, YaoError> {
        let bytes = and_count.saturating_mul(TABLE_BYTES as u64);
        let mut tables = Vec::new();
        usize::try_from(bytes)
            .ok()
            .and_then(|bytes| tables.try_reserve_exact(bytes).ok())
            .ok_or(YaoError::Memory { bytes })?;
        Ok(EvaluatorSetup { channel, ots, prepared: EvaluatorPrepared { tables, ..Default::default() } })
    }

    /// Sets the scheme in which the peer garbles; the default is [`GarblingScheme::HalfGates`].
    #[must_use]
    pub fn with_scheme(mut self, scheme: GarblingScheme) -> EvaluatorSetup {
        self.prepared.scheme = scheme;
        self
    }

    /// Ends the setup walk; returns what the online run needs, and what other runs can use.
    pub fn finish(self) -> (EvaluatorPrepared, Channel, rot::Receiver) {
        (self.prepared, self.channel, self.ots)
    }
}

impl Side for EvaluatorSetup {
    async fn own_input(&mut self, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError> {
        expect("labels for input bits", labels.len() as u64, bits.len() as u64)?;
        let choices = inputs::receive_labels(&mut self.channel, &mut self.ots, labels, None).await?;
        self.prepared.choices.extend_bits(&choices);
        append(&mut self.prepared.own, labels);
        Ok(())
    }

    async fn peer_input(&mut self, labels: &mut [Block]) -> Result<(), YaoError> {
        self.prepared.peer += labels.len();
        Ok(())
    }

    fn constant(&mut self, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError> {
        inputs::constant(Block::ZERO, bits, labels)
    }

    async fn random(&mut self, labels: &mut [Block]) -> Result<(), YaoError> {
        inputs::receive_labels(&mut self.channel, &mut self.ots, labels, None).await?;
        append(&mut self.prepared.random, labels);
        Ok(())
    }

    async fn circuit(
        &mut self,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> Result<(), YaoError> {
        bundle::check(region.circuit, region.instances, operands, targets)?;
        region.end_id()?;
        let Executable { and_count, lane_chunk, .. } = *region.circuit;
        let mut left = self.prepared.scheme.table_bytes(and_count, lane_chunk, region.instances);
        while left > 0 {
            let count = left.min(MAX_RESERVE as u64);
            let tables = self.channel.receive(count as usize).await?;
            self.prepared.tables.try_reserve(tables.len()).map_err(|_| YaoError::Memory { bytes: left })?;
            self.prepared.tables.extend_from_slice(tables);
            left -= count;
        }
        Ok(())
    }

    async fn reveal(&mut self, _: RevealTo, _: &[Block]) -> Result<Option<Bits>, YaoError> {
        Ok(None)
    }

    async fn flush(&mut self) -> Result<(), YaoError> {
        Ok(self.channel.flush().await?)
    }
}

impl EvaluatorPrepared {
    /// How many input bits this party must give.
    pub fn own_inputs(&self) -> usize {
        self.choices.len()
    }

    /// How many input bits the garbler gives.
    pub fn peer_inputs(&self) -> usize {
        self.peer
    }

    /// Starts the run with these inputs; `own` is in the order of the setup walk.
    ///
    /// Security: `own` is secret.
    /// Cost: see [`super::GarblerPrepared::start`].
    ///
    /// # Errors
    /// [`YaoError::Shape`] if there are not as many bits as in setup; failures of the channel.
    pub async fn start(mut self, mut channel: Channel, own: &Bits) -> Result<EvaluatorOnline, YaoError> {
        expect("input bits of the evaluator", own.len() as u64, self.own_inputs() as u64)?;
        // 1. Corrections from random bits to inputs.
        let mut flips = self.choices;
        flips ^= own;
        channel.send(&flips.to_bytes()).await?;
        // 2. Labels of the garbler's inputs, and of the corrections, from which those of this party's inputs follow.
        let mut peer = Zeroizing::new(vec![Block::ZERO; self.peer]);
        channel.receive_into(Block::as_bytes_mut(&mut peer)).await?;
        for labels in self.own.chunks_mut(1024) {
            let mut corrections = Zeroizing::new([Block::ZERO; 1024]);
            channel.receive_into(Block::as_bytes_mut(&mut corrections[..labels.len()])).await?;
            labels.iter_mut().zip(corrections.iter()).for_each(|(label, correction)| *label ^= *correction);
        }
        // 3. The key of the tables' mask.
        let (key, start) =
            (inputs::receive_block(&mut channel).await?, inputs::receive_block(&mut channel).await?);
        let mut evaluation = EvaluationState::new(start);
        evaluation.set_scheme(self.scheme);
        Ok(EvaluatorOnline {
            channel,
            evaluation,
            store: MaskedTables { tables: self.tables, mask: Mask::new(key), spent: Spent::default() },
            labels: Labels {
                own: Queue::new("the evaluator's input bits", self.own),
                peer: Queue::new("the garbler's input bits", peer),
                random: Queue::new("random bits", self.random),
            },
        })
    }
}

impl EvaluatorOnline {
    /// ANDs evaluated so far, as the kernels counted them.
    pub fn and_count(&self) -> u64 {
        self.evaluation.and_count()
    }

    /// Ends the run and returns the channel.
    pub fn finish(self) -> Channel {
        self.channel
    }
}

impl Side for EvaluatorOnline {
    async fn own_input(&mut self, _: &Bits, labels: &mut [Block]) -> Result<(), YaoError> {
        self.labels.own.take(labels)
    }

    async fn peer_input(&mut self, labels: &mut [Block]) -> Result<(), YaoError> {
        self.labels.peer.take(labels)
    }

    fn constant(&mut self, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError> {
        inputs::constant(Block::ZERO, bits, labels)
    }

    async fn random(&mut self, labels: &mut [Block]) -> Result<(), YaoError> {
        self.labels.random.take(labels)
    }

    async fn circuit(
        &mut self,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> Result<(), YaoError> {
        self.evaluation.region(&mut self.store, region, operands, targets).await
    }

    async fn reveal(&mut self, recipients: RevealTo, labels: &[Block]) -> Result<Option<Bits>, YaoError> {
        opening::at_evaluator(&mut self.channel, recipients, &opening::colours(labels)).await
    }

    async fn flush(&mut self) -> Result<(), YaoError> {
        Ok(self.channel.flush().await?)
    }
}

/// Labels that wait for the walk to reach their wires.
struct Labels {
    own: Queue,
    peer: Queue,
    random: Queue,
}

/// Labels of one kind, in the order of the walk.
struct Queue {
    what: &'static str,
    labels: Zeroizing<Vec<Block>>,
    spent: Spent,
}

impl Queue {
    fn new(what: &'static str, labels: Zeroizing<Vec<Block>>) -> Queue {
        Queue { what, labels, spent: Spent::default() }
    }

    fn take(&mut self, into: &mut [Block]) -> Result<(), YaoError> {
        let range = self.spent.take(self.what, into.len(), self.labels.len())?;
        into.copy_from_slice(&self.labels[range]);
        Ok(())
    }
}

/// Prepared tables, unmasked as they are used.
struct MaskedTables {
    tables: Vec<u8>,
    mask: Mask,
    spent: Spent,
}

impl TableSource for MaskedTables {
    async fn tables(&mut self, count: usize) -> Result<&[u8], YaoError> {
        let range = self.spent.take("bytes of tables", count, self.tables.len())?;
        let tables = &mut self.tables[range];
        self.mask.apply(tables);
        Ok(tables)
    }
}
