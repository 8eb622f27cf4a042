//! Regions of gates at either end: where labels and tables meet.

use super::bundle::{self, Chunk, Operand, Target};
use super::{Region, YaoError};
use crate::garbling::{Controls, Scheme};
use crate::half_gates::{Ands, Cursor, lanes};
use tacit_crypto::Prg;
use tacit_crypto::half_gates::{Delta, ShapeError, Tweaks};
use tacit_math::Block;
use tacit_net::Channel;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// The next gate id of a run that was not used yet.
#[derive(Default)]
struct Ids {
    next: u64,
}

impl Ids {
    /// Takes a region's ids, which must be above all taken before.
    fn take(&mut self, region: Region<'_>) -> Result<(), YaoError> {
        if region.first_id < self.next {
            return Err(YaoError::GateIds { first: region.first_id, expected: self.next });
        }
        self.next = region.end_id()?;
        Ok(())
    }
}

/// What stays the same at both ends while regions run: scheme, ids, labels of a chunk's slots, control bits of a message,
/// and a count.
#[derive(Default)]
struct Runner {
    scheme: Scheme,
    ids: Ids,
    slots: Zeroizing<Vec<Block>>,
    controls: Controls,
    ands: u64,
}

impl Runner {
    /// Checks a region and takes its ids; its chunks.
    fn begin(
        &mut self,
        region: Region<'_>,
        operands: &[Operand<'_>],
        targets: &[Target<'_>],
    ) -> Result<impl Iterator<Item = Chunk> + use<>, YaoError> {
        bundle::check(region.circuit, region.instances, operands, targets)?;
        self.ids.take(region)?;
        let width = lanes(region.circuit.lane_chunk);
        // Every instance has lanes in memory, or the circuit has neither inputs nor outputs and nothing to do.
        let instances = usize::try_from(region.instances).unwrap_or(usize::MAX);
        let needed = region.circuit.slots as usize * width.min(instances);
        if self.slots.len() < needed {
            self.slots.resize(needed, Block::ZERO);
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
pub(super) struct Garbling {
    pub(super) delta: Delta,
    /// The random start of the gate hash.
    pub(super) start: Block,
    pub(super) prg: Prg,
    runner: Runner,
}

impl Garbling {
    /// Fresh secrets of a run.
    pub(super) fn new(mut prg: Prg) -> Garbling {
        let (delta, start) = (Delta::new(prg.next_block()), prg.next_block());
        Garbling { delta, start, prg, runner: Runner::default() }
    }

    /// Uses another scheme, before the first region.
    pub(super) fn set_scheme(&mut self, scheme: Scheme) {
        self.runner.scheme = scheme;
    }

    /// Garbles a region; tables go to the channel, under the mask if there is one.
    pub(super) async fn region(
        &mut self,
        channel: &mut Channel,
        mut mask: Option<&mut Mask>,
        region: Region<'_>,
        operands: &[Operand<'_>],
        targets: &mut [Target<'_>],
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

    /// Makes each wire carry its value xor a bit that only the garbler could know and nobody keeps.
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

/// The evaluator's end of every region of a run.
pub(super) struct Evaluation {
    /// The start of the gate hash, which the garbler chose.
    start: Block,
    runner: Runner,
}

impl Evaluation {
    pub(super) fn new(start: Block) -> Evaluation {
        Evaluation { start, runner: Runner::default() }
    }

    /// Uses another scheme, before the first region.
    pub(super) fn set_scheme(&mut self, scheme: Scheme) {
        self.runner.scheme = scheme;
    }

    /// Evaluates a region with tables from `source`.
    pub(super) async fn region(
        &mut self,
        source: &mut impl TableSource,
        region: Region<'_>,
        operands: &[Operand<'_>],
        targets: &mut [Target<'_>],
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

/// For a stretch without ANDs.
fn none(_: &mut [Block], _: Ands<'_>) -> Result<(), ShapeError> {
    Ok(())
}

/// Where an evaluator takes tables from.
pub(super) trait TableSource: Send {
    /// The next `count` bytes, at most [`tacit_net::MAX_RESERVE`].
    fn tables(&mut self, count: usize) -> impl Future<Output = Result<&[u8], YaoError>> + Send;
}

impl TableSource for Channel {
    async fn tables(&mut self, count: usize) -> Result<&[u8], YaoError> {
        Ok(self.receive(count).await?)
    }
}

/// The stream that hides prepared tables until all inputs are fixed: AES-128 in counter mode.
///
/// Security: see [`super::prepared`].
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Mask(Prg);

impl Mask {
    pub(super) fn new(key: Block) -> Mask {
        Mask(Prg::new(key))
    }

    /// Adds (XOR) the next bytes of the stream to `bytes`, a message or whole blocks of it: the rest of a block that the
    /// bytes end in is left out of the stream.
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
            let run = Garbling::new(Prg::from_os().unwrap());
            assert!(run.delta.expose().lsb());
            assert!(seen.insert(run.delta.expose()) && seen.insert(run.start));
        }
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
