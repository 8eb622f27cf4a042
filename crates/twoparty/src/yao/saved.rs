//! Prepared material of streamed sides, as bytes that are saved between setup and the run.
//!
//! | party | bytes |
//! |---|---|
//! | garbler | delta, start of the gate hash; labels of random bits; for each sum the key of its mask and the seed of labels; labels of sums |
//! | evaluator | start; labels of the random words of sums, and of random bits; the bits of both, packed; tables of sums |
//!
//! The amounts of each follow from the plan, which is known at setup and in the run: [`LabelRequirement`].
//!
//! Security: everything except the tables is secret, and so are the bytes: seal them before they are stored. Saved material
//! is spent by one run.

use super::inputs::Ready;
use super::region::{EvaluationState, GarblingState};
use super::streamed::{Evaluator, Garbler};
use super::sums::{GarbledSums, SealedSums, SumPlaces};
use super::{Region, YaoError};
use crate::garbling::GarblingScheme;
use crate::stored::StoredFault;
use tacit_crypto::Prg;
use tacit_crypto::half_gates::Delta;
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use tacit_ot::rot;
use zeroize::Zeroizing;

fn refused(fault: StoredFault) -> YaoError {
    YaoError::Stored { what: "labels", fault }
}

/// The amounts that were prepared: the arguments of [`Garbler::prepare`], and the scheme.
#[derive(Clone, Copy, Debug)]
pub struct LabelRequirement<'a> {
    /// Number of labels of random bits.
    pub labels: usize,
    /// The sums.
    pub sums: &'a [Region<'a>],
    /// The garbling scheme.
    pub scheme: GarblingScheme,
}

impl LabelRequirement<'_> {
    /// Bytes that the garbler and that the evaluator save; `None` if a number overflows.
    pub fn bytes(&self) -> Option<[usize; 2]> {
        // The only possible error is that there is no memory for them.
        let places = SumPlaces::new(self.scheme, self.sums).ok()?;
        let (labels, wires) = (self.labels, places.wires());
        let blocks = labels.checked_add(wires)?;
        let garbler = blocks.checked_add(2)?.checked_add(self.sums.len().checked_mul(2)?)?;
        let evaluator = blocks.checked_add(1)?.checked_mul(Block::BYTES)?;
        let rest = blocks.div_ceil(8).checked_add(places.table_bytes())?;
        Some([garbler.checked_mul(Block::BYTES)?, evaluator.checked_add(rest)?])
    }

    /// The places of sums, if the number of bytes is as expected.
    fn places(&self, who: usize, bytes: &[u8]) -> Result<SumPlaces, YaoError> {
        let expected = self.bytes().map_or(u64::MAX, |bytes| bytes[who] as u64);
        match bytes.len() as u64 {
            found if found == expected => SumPlaces::new(self.scheme, self.sums),
            found => Err(refused(StoredFault::Length { found, expected })),
        }
    }
}

impl Garbler {
    /// The prepared material that is not used yet, as bytes; and what other runs can use. From then on, only these bytes have the
    /// secrets of the run.
    pub fn save(self) -> (Zeroizing<Vec<u8>>, Channel, Option<rot::Sender>) {
        let GarbledSums { secrets, labels, .. } = &self.sums;
        let ready = self.ready.unused();
        let size = (2 + ready.len() + 2 * secrets.len() + labels.len()) * Block::BYTES;
        let mut bytes = Zeroizing::new(Vec::with_capacity(size));
        bytes.extend_from_slice(Block::as_bytes(&[self.garbling.delta.expose(), self.garbling.start]));
        bytes.extend_from_slice(Block::as_bytes(ready));
        secrets.iter().for_each(|secret| bytes.extend_from_slice(Block::as_bytes(secret)));
        bytes.extend_from_slice(Block::as_bytes(labels));
        (bytes, self.channel, self.ots)
    }

    /// Starts the run from the bytes of [`Garbler::save`]. Sends nothing; `prg` must be secret and fresh.
    ///
    /// # Errors
    /// [`YaoError::Stored`] for other bytes; [`YaoError::GateIds`].
    pub fn resume(
        channel: Channel,
        required: LabelRequirement<'_>,
        bytes: &[u8],
        prg: Prg,
    ) -> Result<Garbler, YaoError> {
        let places = required.places(0, bytes)?;
        let mut rest = bytes;
        let [delta, start] = [block(&mut rest)?, block(&mut rest)?];
        if !delta.lsb() {
            return Err(refused(StoredFault::Delta));
        }
        let mut garbling = GarblingState::resume(Delta::new(delta), start, prg);
        garbling.set_scheme(required.scheme);
        required.sums.iter().try_for_each(|sum| garbling.reserve(*sum))?;
        let ready = blocks(&mut rest, required.labels)?;
        let mut secrets = Zeroizing::new(Vec::with_capacity(required.sums.len()));
        for _ in required.sums {
            secrets.push([block(&mut rest)?, block(&mut rest)?]);
        }
        let labels = blocks(&mut rest, places.wires())?;
        let ready = Ready::new(ready, Bits::default(), 0);
        Ok(Garbler { channel, ots: None, garbling, ready, sums: GarbledSums { places, secrets, labels } })
    }
}

impl Evaluator {
    /// The prepared material that is not used yet, as bytes; and what other runs can use: see
    /// [`Garbler::save`].
    pub fn save(self) -> (Zeroizing<Vec<u8>>, Channel, Option<rot::Receiver>) {
        let Ready { labels, bits, .. } = &self.ready;
        let (packed, tables) = (Zeroizing::new(bits.to_bytes()), &self.sums.tables);
        let size = (1 + labels.len()) * Block::BYTES + packed.len() + tables.len();
        let mut bytes = Zeroizing::new(Vec::with_capacity(size));
        bytes.extend_from_slice(&self.evaluation.start.to_bytes());
        bytes.extend_from_slice(Block::as_bytes(labels));
        bytes.extend_from_slice(&packed);
        bytes.extend_from_slice(tables);
        (bytes, self.channel, self.ots)
    }

    /// Starts the run from the bytes of [`Evaluator::save`]. Sends nothing.
    ///
    /// # Errors
    /// As for [`Garbler::resume`].
    pub fn resume(
        channel: Channel,
        required: LabelRequirement<'_>,
        bytes: &[u8],
    ) -> Result<Evaluator, YaoError> {
        let places = required.places(1, bytes)?;
        let mut rest = bytes;
        let mut evaluation = EvaluationState::new(block(&mut rest)?);
        evaluation.set_scheme(required.scheme);
        required.sums.iter().try_for_each(|sum| evaluation.reserve(*sum))?;
        let count = required.labels + places.wires();
        let labels = blocks(&mut rest, count)?;
        let bits = Bits::from_bytes(split(&mut rest, count.div_ceil(8))?, count)
            .map_err(|_| refused(StoredFault::Padding { bits: count as u64 }))?;
        let sums = SealedSums { words: places.random_words(&bits), tables: rest.to_vec(), places };
        let ready = Ready::new(labels, bits, sums.places.wires());
        Ok(Evaluator { channel, ots: None, evaluation, ready, sums })
    }
}

fn split<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8], YaoError> {
    let short = || refused(StoredFault::short(Some(count), bytes.len()));
    let (now, later) = bytes.split_at_checked(count).ok_or_else(short)?;
    *bytes = later;
    Ok(now)
}

fn block(bytes: &mut &[u8]) -> Result<Block, YaoError> {
    let short = || refused(StoredFault::short(Some(Block::BYTES), bytes.len()));
    let (block, later) = bytes.split_first_chunk().ok_or_else(short)?;
    *bytes = later;
    Ok(Block::from_bytes(*block))
}

fn blocks(bytes: &mut &[u8], count: usize) -> Result<Zeroizing<Vec<Block>>, YaoError> {
    let size = count.checked_mul(Block::BYTES);
    let from = split(bytes, size.ok_or_else(|| refused(StoredFault::short(size, bytes.len())))?)?;
    let mut blocks = Zeroizing::new(vec![Block::ZERO; count]);
    Block::as_bytes_mut(&mut blocks).copy_from_slice(from);
    Ok(blocks)
}
