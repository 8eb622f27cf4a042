//! Regions of gates at either end: combines labels and tables.

use super::bundle::{self, Chunk, LabelOperand, LabelTarget};
use super::cursor::{Ands, Cursor};
use super::{Region, YaoError};
use crate::garbling::{Controls, GarblingScheme};
use crate::half_gates::lanes;
use std::ops::Range;
use tacit_crypto::Prg;
use tacit_crypto::half_gates::{Delta, ShapeError, Tweaks};
use tacit_math::Block;
use tacit_net::Channel;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// The gate ids of a run that are not used yet.
#[derive(Default)]
struct Ids {
    next: u64,
    /// Ids of regions that were garbled before the run, in order; the first `passed` of them are below `next`.
    reserved: Vec<Range<u64>>,
    passed: usize,
}

impl Ids {
    /// Takes a region's ids, which must be above all taken before and not be reserved.
    fn take(&mut self, region: Region<'_>) -> Result<(), YaoError> {
        let (first, end) = (region.first_id, region.end_id()?);
        while self.reserved.get(self.passed).is_some_and(|reserved| reserved.end <= first) {
            self.passed += 1;
        }
        let limit = self.reserved.get(self.passed).map_or(u64::MAX, |reserved| reserved.start);
        if first < self.next || end > limit {
            return Err(YaoError::GateIds { first, expected: self.next });
        }
        self.next = end;
        Ok(())
    }

    /// Takes the ids of a region before the run, which must be above all reserved before.
    fn reserve(&mut self, region: Region<'_>) -> Result<(), YaoError> {
        let above = self.reserved.last().map_or(0, |reserved| reserved.end);
        if region.first_id < above || self.next > 0 {
            return Err(YaoError::GateIds { first: region.first_id, expected: above.max(self.next) });
        }
        self.reserved.push(region.first_id..region.end_id()?);
        Ok(())
    }
}

/// State at both ends that persists over regions: scheme, ids, labels of a chunk's slots, control bits of a message, and
/// a count.
#[derive(Default)]
struct Runner {
    scheme: GarblingScheme,
    ids: Ids,
    slots: Zeroizing<Vec<Block>>,
    controls: Controls,
    ands: u64,
}

impl Runner {
    /// Checks a region whose ids are taken; returns its chunks.
    fn begin(
        &mut self,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &[LabelTarget<'_>],
    ) -> Result<impl Iterator<Item = Chunk> + use<>, YaoError> {
        bundle::check(region.circuit, region.instances, operands, targets)?;
        let width = lanes(region.circuit.lane_chunk);
        // Every instance has lanes in memory, or the circuit has neither inputs nor outputs and nothing to do.
        let instances = usize::try_from(region.instances).unwrap_or(usize::MAX);
        let needed = region.circuit.slots as usize * width.min(instances);
        if self.slots.len() < needed {
            // The old slots are not needed any more, and growing in place could leave a copy behind.
            self.slots = Zeroizing::new(vec![Block::ZERO; needed]);
        }
        Ok((0..instances).step_by(width).map(move |start| Chunk {
            start,
            width: width.min(instances - start),
            instances,
        }))
    }
}

/// The tweaks of some gates of a chunk.
fn tweaks(start: Block, region: Region<'_>, chunk: Chunk, ands: &Ands<'_>) -> Tweaks {
    let stride = region.circuit.and_count;
    Tweaks {
        start,
        first_id: region.first_id + chunk.start as u64 * stride + ands.number,
        lane_stride: stride,
    }
}

/// The garbler's secrets of one run, and its end of every region.
pub(super) struct GarblingState {
    pub(super) delta: Delta,
    /// The random start of the gate hash.
    pub(super) start: Block,
    pub(super) prg: Prg,
    runner: Runner,
}

impl GarblingState {
    /// Fresh secrets of a run.
    pub(super) fn new(mut prg: Prg) -> GarblingState {
        let (delta, start) = (Delta::new(prg.next_block()), prg.next_block());
        GarblingState { delta, start, prg, runner: Runner::default() }
    }

    /// The secrets of a run that were drawn before, with fresh randomness for its remainder.
    pub(super) fn resume(delta: Delta, start: Block, prg: Prg) -> GarblingState {
        GarblingState { delta, start, prg, runner: Runner::default() }
    }

    /// Uses another scheme, before the first region.
    pub(super) fn set_scheme(&mut self, scheme: GarblingScheme) {
        self.runner.scheme = scheme;
    }

    /// The scheme of all regions.
    pub(super) fn scheme(&self) -> GarblingScheme {
        self.runner.scheme
    }

    /// Takes the ids of a region that was garbled before.
    pub(super) fn reserve(&mut self, region: Region<'_>) -> Result<(), YaoError> {
        self.runner.ids.reserve(region)
    }

    /// Garbles a region; tables are sent on the channel, under the mask if there is one.
    pub(super) async fn region(
        &mut self,
        channel: &mut Channel,
        mask: Option<&mut Mask>,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> Result<(), YaoError> {
        bundle::check(region.circuit, region.instances, operands, targets)?;
        self.runner.ids.take(region)?;
        self.garble(channel, mask, region, operands, targets).await
    }

    /// Garbles a region before the run; no other region can use its ids afterwards.
    pub(super) async fn region_ahead(
        &mut self,
        channel: &mut Channel,
        mask: &mut Mask,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> Result<(), YaoError> {
        bundle::check(region.circuit, region.instances, operands, targets)?;
        self.runner.ids.reserve(region)?;
        self.garble(channel, Some(mask), region, operands, targets).await
    }

    async fn garble(
        &mut self,
        channel: &mut Channel,
        mut mask: Option<&mut Mask>,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> Result<(), YaoError> {
        for chunk in self.runner.begin(region, operands, targets)? {
            let Runner { scheme, slots, controls, ands: total, .. } = &mut self.runner;
            chunk.load(region.circuit, operands, slots);
            let mut cursor = Cursor::new(*scheme, region.circuit, chunk.width);
            while let Some(count) = cursor.next_message() {
                let bytes = channel.reserve(cursor.bytes(count)).await?;
                scheme.write(bytes, count * chunk.width, controls, |mut tables| {
                    cursor.run(count, slots, |slots, ands| {
                        let tweaks = tweaks(self.start, region, chunk, &ands);
                        *total += tables.garble(slots, chunk.width, ands.gates, &self.delta, tweaks)?;
                        Ok(())
                    })
                })?;
                if let Some(mask) = &mut mask {
                    mask.apply(bytes);
                }
            }
            // A circuit without ANDs has no message, but may have XORs.
            cursor.run(0, slots, none)?;
            chunk.store(region.circuit, slots, self.delta.expose(), targets);
        }
        Ok(())
    }

    /// Adds to each wire's value a bit that only the garbler could know and that nobody keeps.
    pub(super) fn flip_at_random(&mut self, labels: &mut [Block]) {
        for label in labels {
            *label = self.delta.label(*label, self.prg.next_block().lsb());
        }
    }

    /// ANDs that the kernels have garbled.
    pub(super) fn and_count(&self) -> u64 {
        self.runner.ands
    }
}

/// The evaluator's state for the regions of a run.
pub(super) struct EvaluationState {
    /// The start of the gate hash, which the garbler chose.
    pub(super) start: Block,
    runner: Runner,
}

impl EvaluationState {
    pub(super) fn new(start: Block) -> EvaluationState {
        EvaluationState { start, runner: Runner::default() }
    }

    /// Uses another scheme, before the first region.
    pub(super) fn set_scheme(&mut self, scheme: GarblingScheme) {
        self.runner.scheme = scheme;
    }

    /// The scheme of all regions.
    pub(super) fn scheme(&self) -> GarblingScheme {
        self.runner.scheme
    }

    /// Evaluates a region with tables from `source`.
    pub(super) async fn region(
        &mut self,
        source: &mut impl TableSource,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> Result<(), YaoError> {
        bundle::check(region.circuit, region.instances, operands, targets)?;
        self.runner.ids.take(region)?;
        self.evaluate(source, region, operands, targets).await
    }

    /// Takes the ids of a region that the garbler garbles before the run; it is evaluated once by
    /// [`EvaluationState::evaluate`].
    pub(super) fn reserve(&mut self, region: Region<'_>) -> Result<(), YaoError> {
        self.runner.ids.reserve(region)
    }

    /// Evaluates a region whose ids are taken.
    pub(super) async fn evaluate(
        &mut self,
        source: &mut impl TableSource,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> Result<(), YaoError> {
        for chunk in self.runner.begin(region, operands, targets)? {
            let Runner { scheme, slots, controls, ands: total, .. } = &mut self.runner;
            chunk.load(region.circuit, operands, slots);
            let mut cursor = Cursor::new(*scheme, region.circuit, chunk.width);
            while let Some(count) = cursor.next_message() {
                let message = source.tables(cursor.bytes(count)).await?;
                let mut tables = scheme.read(message, count * chunk.width, controls);
                cursor.run(count, slots, |slots, ands| {
                    let tweaks = tweaks(self.start, region, chunk, &ands);
                    *total += tables.evaluate(slots, chunk.width, ands.gates, tweaks)?;
                    Ok(())
                })?;
            }
            cursor.run(0, slots, none)?;
            chunk.store(region.circuit, slots, Block::ZERO, targets);
        }
        Ok(())
    }

    /// ANDs that the kernels have evaluated.
    pub(super) fn and_count(&self) -> u64 {
        self.runner.ands
    }
}

/// For a range of gates without ANDs.
fn none(_: &mut [Block], _: Ands<'_>) -> Result<(), ShapeError> {
    Ok(())
}

/// A source of an evaluator's tables.
pub(super) trait TableSource: Send {
    /// The next `count` bytes, at most [`tacit_net::MAX_RESERVE`].
    fn tables(&mut self, count: usize) -> impl Future<Output = Result<&[u8], YaoError>> + Send;
}

impl TableSource for Channel {
    async fn tables(&mut self, count: usize) -> Result<&[u8], YaoError> {
        Ok(self.receive(count).await?)
    }
}

/// The stream that masks prepared tables until all inputs are fixed: AES-128 in counter mode.
///
/// Security: see [`super::prepared`].
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Mask(Prg);

impl Mask {
    pub(super) fn new(key: Block) -> Mask {
        Mask(Prg::new(key))
    }

    /// Adds (XOR) the next bytes of the stream to `bytes`, a message or whole blocks of it: the unused rest of the last
    /// block is skipped in the stream.
    pub(super) fn apply(&mut self, bytes: &mut [u8]) {
        let mut stream = [Block::ZERO; 128];
        for chunk in bytes.chunks_mut(size_of_val(&stream)) {
            let stream = &mut stream[..chunk.len().div_ceil(Block::BYTES)];
            self.0.fill(stream);
            let (blocks, rest) = chunk.as_chunks_mut::<16>();
            for (block, mask) in blocks.iter_mut().zip(&*stream) {
                *block = (Block::from_bytes(*block) ^ *mask).to_bytes();
            }
            let last = stream[stream.len() - 1].to_bytes();
            rest.iter_mut().zip(last).for_each(|(byte, mask)| *byte ^= mask);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn runs_repeat_neither_delta_nor_hash_key() {
        let mut seen = HashSet::new();
        for _ in 0..100 {
            let run = GarblingState::new(Prg::from_os().unwrap());
            assert!(run.delta.expose().lsb());
            assert!(seen.insert(run.delta.expose()) && seen.insert(run.start));
        }
    }

    #[test]
    fn no_id_is_taken_twice_whether_before_the_run_or_in_it() {
        let mut builder = tacit_circuit::CircuitBuilder::new();
        let (x, y) = (builder.input(2), builder.input(2));
        let both = x.iter().zip(&y).map(|(x, y)| builder.and(*x, *y)).collect();
        let circuit = builder.finish(vec![both]).unwrap();
        let circuit = tacit_circuit::Executable::new(&circuit, tacit_circuit::Target::Flat);
        let region = |first_id, instances| Region { circuit: &circuit, instances, first_id };
        let mut ids = Ids::default();
        ids.reserve(region(4, 2)).unwrap();
        ids.reserve(region(20, 1)).unwrap();
        assert!(ids.reserve(region(21, 1)).is_err() && ids.reserve(region(4, 2)).is_err());
        ids.take(region(0, 2)).unwrap();
        for first in [0, 3, 4, 5, 7] {
            assert!(ids.take(region(first, 1)).is_err(), "{first}");
        }
        assert!(ids.take(region(8, 7)).is_err());
        ids.take(region(8, 6)).unwrap();
        assert!(ids.take(region(20, 1)).is_err() && ids.reserve(region(30, 1)).is_err());
        ids.take(region(22, 1)).unwrap();
    }

    #[test]
    fn a_mask_comes_off_however_its_bytes_are_split() {
        let plain: Vec<u8> = (0..32 * 500).map(|i| i as u8).collect();
        let mut masked = plain.clone();
        Mask::new(Block(7)).apply(&mut masked);
        assert_ne!(masked[..32], plain[..32]);
        let mut mask = Mask::new(Block(7));
        masked.chunks_mut(32 * 77).for_each(|chunk| mask.apply(chunk));
        assert_eq!(masked, plain);
        // Messages that are not whole blocks.
        let (mut on, mut off) = (Mask::new(Block(8)), Mask::new(Block(8)));
        masked.chunks_mut(2045).for_each(|message| on.apply(message));
        assert_ne!(masked[2040..2045], plain[2040..2045]);
        masked.chunks_mut(2045).for_each(|message| off.apply(message));
        assert_eq!(masked, plain);
    }
}
