//! Sums of one word of each party, garbled before the words are known.
//!
//! Let party G garble and party E evaluate, and let x_G + x_E be a word shared by sum modulo 2^l.
//!
//! 1. Setup: E draws r uniformly and gets its labels by random OT, as for an input. G draws labels for another word
//!    and garbles the sum of both; the tables are sent under a mask.
//! 2. Online: E sends e = x_E - r. G sends labels of x_G + e, and the key of the mask. E evaluates, and gets labels of
//!    (x_G + e) + r = x_G + x_E.
//!
//! Source: ABY (NDSS'15), §IV-C, where both shares are inputs of a garbled adder. Differs: E's input is a random word, so that
//! transfers and tables can be made in setup, and the difference to its share is added to G's input.
//! Security: semi-honest. e is x_E under a one-time pad modulo 2^l, since r is uniform, hidden from G (E's choices in random OT),
//! and used once; so e is uniform for G, whatever x_E is. E sees labels of a word under a pad of its own and tables, as in any
//! garbled circuit. The mask is needed because the tables arrive before the words are known; its key is sent when e has fixed all
//! inputs of the sum (see [`super::prepared`]). Each sum has a key of its own, since other sums may depend on its result. No gate
//! is garbled twice, and the side refuses other gates under the ids of these.
//! Cost of a word of l bits: in setup l OTs, 16·l bytes and the tables of l - 1 ANDs; online l bits to the garbler, 16·l bytes back
//! and a key of 16 bytes for all words of a sum; one round for all that are requested together.

use super::region::{EvaluationState, GarblingState, Mask, TableSource};
use super::{LabelOperand, LabelTarget, Region, Side, YaoError};
use crate::garbling::GarblingScheme;
use crate::pack::{WordReader, WordWriter, mask};
use crate::wires;
use std::ops::Range;
use tacit_crypto::Prg;
use tacit_crypto::half_gates::Delta;
use tacit_math::{Bits, Block};
use tacit_net::{Channel, MAX_RESERVE};
use tacit_ot::chosen;
use zeroize::Zeroizing;

/// Labels that are drawn and sent together.
pub(crate) const BATCH: usize = 1024;

/// Words shared by sum to convert to labels, by a circuit that adds.
pub struct Sum<'a> {
    /// The circuit, which adds two words, its instances, one for each word, and its ids.
    pub region: Region<'a>,
    /// This party's shares, of which the circuit uses the low bits. Secret.
    pub shares: &'a [u128],
    /// The target of the labels, wire-major.
    pub labels: &'a mut [Block],
}

impl Sum<'_> {
    /// Checks that shares and labels fit the circuit; returns the words' width.
    pub(crate) fn check(&self) -> Result<u32, YaoError> {
        let bits = width(self.region)?;
        let count = self.region.instances;
        super::bundle::expect("shares to be added", self.shares.len() as u64, count)?;
        let labels = count.saturating_mul(u64::from(bits));
        super::bundle::expect("labels of sums", self.labels.len() as u64, labels)?;
        Ok(bits)
    }
}

/// Width of the words that a region adds.
pub(crate) fn width(region: Region<'_>) -> Result<u32, YaoError> {
    let bits = region.circuit.outputs.len();
    super::bundle::expect("inputs of a sum", region.circuit.inputs.len() as u64, 2 * bits as u64)?;
    super::bundle::expect("bits of a sum, at most 128", bits.clamp(1, 128) as u64, bits as u64)?;
    Ok(bits as u32)
}

/// A side that can add words whose sum setup has garbled.
pub trait Adds: Side {
    /// Whether setup has garbled the sum with these ids, and it is not used yet.
    fn has_ready(&self, region: Region<'_>) -> bool;

    /// Labels of sums for which [`Adds::has_ready`] holds; all in one round.
    ///
    /// # Errors
    /// [`YaoError::Shape`]; [`YaoError::NotPrepared`] for sums that setup has not garbled, or not with this circuit; failures
    /// of the channel.
    fn add(&mut self, sums: &mut [Sum<'_>]) -> impl Future<Output = Result<(), YaoError>> + Send;
}

/// The place of a sum that was garbled ahead in the material of all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SumPlace {
    first_id: u64,
    instances: u64,
    bits: u32,
    /// The range of its labels, and of its words.
    wires: Range<usize>,
    words: Range<usize>,
    /// The range of its tables, in bytes.
    tables: Range<usize>,
    spent: bool,
}

/// All sums that were garbled ahead, by ids.
#[derive(Default)]
pub(super) struct SumPlaces(Vec<SumPlace>);

impl SumPlaces {
    /// Lays out sums, whose ids increase.
    pub(super) fn new(scheme: GarblingScheme, regions: &[Region<'_>]) -> Result<SumPlaces, YaoError> {
        let mut places: Vec<SumPlace> = Vec::with_capacity(regions.len());
        let (mut wires, mut words, mut tables) = (0usize, 0usize, 0usize);
        for region in regions {
            let bits = width(*region)?;
            let circuit = region.circuit;
            let bytes = scheme.table_bytes(circuit.and_count, circuit.lane_chunk, region.instances);
            let memory = YaoError::Memory { bytes };
            let sizes = usize::try_from(region.instances).ok().zip(usize::try_from(bytes).ok());
            let more = sizes.and_then(|(size, bytes)| {
                Some((size.checked_mul(bits as usize)?, size, tables.checked_add(bytes)?))
            });
            let (more_wires, more_words, tables_end) = more.ok_or(memory)?;
            let place = SumPlace {
                first_id: region.first_id,
                instances: region.instances,
                bits,
                wires: wires..wires + more_wires,
                words: words..words + more_words,
                tables: tables..tables_end,
                spent: false,
            };
            (wires, words, tables) = (place.wires.end, place.words.end, place.tables.end);
            places.push(place);
        }
        Ok(SumPlaces(places))
    }

    /// Number of labels of all sums.
    pub(super) fn wires(&self) -> usize {
        self.0.last().map_or(0, |place| place.wires.end)
    }

    /// Bytes of all tables.
    pub(super) fn table_bytes(&self) -> usize {
        self.0.last().map_or(0, |place| place.tables.end)
    }

    /// The random words whose wires are at the beginning of `bits`.
    pub(super) fn random_words(&self, bits: &Bits) -> Zeroizing<Vec<u128>> {
        let mut words = Zeroizing::new(Vec::with_capacity(self.0.last().map_or(0, |place| place.words.end)));
        for place in &self.0 {
            let bits = Zeroizing::new(bits.slice(place.wires.clone()));
            words.extend_from_slice(&Zeroizing::new(wires::to_words(&bits, place.bits)));
        }
        words
    }

    /// Each sum with its place.
    fn with<'r>(&self, regions: &'r [Region<'r>]) -> impl Iterator<Item = (&SumPlace, Region<'r>)> {
        self.0.iter().zip(regions.iter().copied())
    }

    /// The index of an unused sum. Circuits without ANDs have no ids of their own, and are not garbled ahead.
    fn find(&self, region: Region<'_>) -> Option<usize> {
        if region.circuit.and_count == 0 {
            return None;
        }
        let at = self.0.binary_search_by_key(&region.first_id, |place| place.first_id).ok()?;
        (!self.0[at].spent).then_some(at)
    }

    pub(super) fn has(&self, region: Region<'_>) -> bool {
        self.find(region).is_some()
    }

    /// Takes the material of a sum, exclusively; returns the index of the sum, and its place.
    fn take(&mut self, sum: &Sum<'_>) -> Result<(usize, SumPlace), YaoError> {
        let bits = sum.check()?;
        let (asked, what) = (sum.region.instances, "garbled sums");
        let at = self.find(sum.region).ok_or(YaoError::NotPrepared { what, asked, left: 0 })?;
        let place = &mut self.0[at];
        if (place.instances, place.bits) != (asked, bits) {
            return Err(YaoError::NotPrepared { what, asked, left: place.instances });
        }
        place.spent = true;
        Ok((at, place.clone()))
    }
}

/// The garbler's material for sums.
#[derive(Default)]
pub(super) struct GarbledSums {
    pub(super) places: SumPlaces,
    /// For each sum, the key of its mask and the seed of the labels of its first word.
    pub(super) secrets: Zeroizing<Vec<[Block; 2]>>,
    /// Zero labels of all sums.
    pub(super) labels: Zeroizing<Vec<Block>>,
}

impl GarbledSums {
    /// Garbles sums; `own` are zero labels of the evaluator's words.
    pub(super) async fn make(
        channel: &mut Channel,
        garbling: &mut GarblingState,
        (places, regions): (SumPlaces, &[Region<'_>]),
        own: &[Block],
    ) -> Result<GarbledSums, YaoError> {
        // Zero if there is no sum.
        let largest = places.0.iter().map(|place| place.wires.len()).max().unwrap_or(0);
        let mut first = Zeroizing::new(vec![Block::ZERO; largest]);
        let mut labels = Zeroizing::new(vec![Block::ZERO; places.wires()]);
        let mut secrets = Zeroizing::new(Vec::with_capacity(regions.len()));
        for (place, region) in places.with(regions) {
            let [key, seed] = [garbling.prg.next_block(), garbling.prg.next_block()];
            let first = &mut first[..place.wires.len()];
            Prg::new(seed).fill(first);
            let operand = |labels| LabelOperand { labels, bits: place.bits, share: 1 };
            let operands = [operand(&*first), operand(&own[place.wires.clone()])];
            let mut targets = [LabelTarget { labels: &mut labels[place.wires.clone()], bits: place.bits }];
            garbling.region_ahead(channel, &mut Mask::new(key), region, &operands, &mut targets).await?;
            secrets.push([key, seed]);
        }
        Ok(GarbledSums { places, secrets, labels })
    }

    /// The garbler's online part.
    pub(super) async fn add(
        &mut self,
        channel: &mut Channel,
        delta: &Delta,
        sums: &mut [Sum<'_>],
    ) -> Result<(), YaoError> {
        let taken = sums.iter().map(|sum| self.places.take(sum)).collect::<Result<Vec<_>, _>>()?;
        // 1. The differences of the evaluator's shares and its random words.
        let missing =
            chosen::receive_bits(channel, taken.iter().map(|(_, place)| place.wires.len()).sum()).await?;
        let mut missing = WordReader::new(missing.words());
        // 2. They are added to the garbler's shares, and fix all inputs, so the tables may be revealed.
        for (sum, (at, place)) in sums.iter_mut().zip(taken) {
            let with = |share: &u128| share.wrapping_add(missing.take(place.bits)) & mask(place.bits);
            let words = Zeroizing::new(sum.shares.iter().map(with).collect::<Vec<u128>>());
            let bits = Zeroizing::new(wires::from_words(&words, place.bits));
            let [key, seed] = self.secrets[at];
            channel.send(&key.to_bytes()).await?;
            send_labels(channel, delta, &mut Prg::new(seed), &bits).await?;
            sum.labels.copy_from_slice(&self.labels[place.wires]);
        }
        Ok(channel.flush().await?)
    }
}

/// Sends labels of `bits`, whose zero labels are the next of `zeros`.
async fn send_labels(
    channel: &mut Channel,
    delta: &Delta,
    zeros: &mut Prg,
    bits: &Bits,
) -> Result<(), YaoError> {
    let mut labels = Zeroizing::new([Block::ZERO; BATCH]);
    for (start, words) in (0..).step_by(BATCH).zip(bits.words().chunks(BATCH / 64)) {
        let labels = &mut labels[..BATCH.min(bits.len() - start)];
        zeros.fill(labels);
        for (labels, word) in labels.chunks_mut(64).zip(words) {
            let bit = |i: usize| word >> i & 1 == 1;
            labels.iter_mut().enumerate().for_each(|(i, label)| *label = delta.label(*label, bit(i)));
        }
        channel.send(Block::as_bytes(labels)).await?;
    }
    Ok(())
}

/// The evaluator's material for sums.
#[derive(Default)]
pub(super) struct SealedSums {
    pub(super) places: SumPlaces,
    /// Random words.
    pub(super) words: Zeroizing<Vec<u128>>,
    /// Masked tables.
    pub(super) tables: Vec<u8>,
}

impl SealedSums {
    /// Stores the tables of sums. `bits` begins with the evaluator's random words, each sum's wires together.
    pub(super) async fn receive(
        channel: &mut Channel,
        evaluation: &mut EvaluationState,
        (places, regions): (SumPlaces, &[Region<'_>]),
        bits: &Bits,
    ) -> Result<SealedSums, YaoError> {
        regions.iter().try_for_each(|region| evaluation.reserve(*region))?;
        let words = places.random_words(bits);
        let bytes = places.table_bytes();
        let mut tables = Vec::new();
        tables.try_reserve_exact(bytes).map_err(|_| YaoError::Memory { bytes: bytes as u64 })?;
        while tables.len() < bytes {
            let count = (bytes - tables.len()).min(MAX_RESERVE);
            tables.extend_from_slice(channel.receive(count).await?);
        }
        Ok(SealedSums { places, words, tables })
    }

    /// The evaluator's online part. `labels` begins with those of its random words.
    pub(super) async fn add(
        &mut self,
        channel: &mut Channel,
        evaluation: &mut EvaluationState,
        labels: &[Block],
        sums: &mut [Sum<'_>],
    ) -> Result<(), YaoError> {
        let taken = sums
            .iter()
            .map(|sum| Ok(self.places.take(sum)?.1))
            .collect::<Result<Vec<SumPlace>, YaoError>>()?;
        // 1. The differences of this party's shares and the random words.
        let mut missing = WordWriter::with_capacity(taken.iter().map(|place| place.wires.len()).sum());
        for (sum, place) in sums.iter().zip(&taken) {
            for (share, random) in sum.shares.iter().zip(&self.words[place.words.clone()]) {
                missing.push(share.wrapping_sub(*random) & mask(place.bits), place.bits);
            }
        }
        channel.send(&missing.finish().to_bytes()).await?;
        channel.flush().await?;
        // 2. Labels of the other word, and the key of the tables' mask.
        // Zero if there is no sum.
        let largest = taken.iter().map(|place| place.wires.len()).max().unwrap_or(0);
        let mut other = Zeroizing::new(vec![Block::ZERO; largest]);
        for (sum, place) in sums.iter_mut().zip(taken) {
            let key = super::inputs::receive_block(channel).await?;
            let other = &mut other[..place.wires.len()];
            channel.receive_into(Block::as_bytes_mut(other)).await?;
            let mut source = MaskedSums { tables: &mut self.tables[place.tables], mask: Mask::new(key) };
            let operand = |labels| LabelOperand { labels, bits: place.bits, share: 1 };
            let own = &labels[place.wires];
            let operands = [operand(&*other), operand(own)];
            let mut targets = [LabelTarget { labels: &mut *sum.labels, bits: place.bits }];
            evaluation.evaluate(&mut source, sum.region, &operands, &mut targets).await?;
        }
        Ok(())
    }
}

/// Tables of one sum, unmasked as they are used.
struct MaskedSums<'a> {
    tables: &'a mut [u8],
    mask: Mask,
}

impl TableSource for MaskedSums<'_> {
    async fn tables(&mut self, count: usize) -> Result<&[u8], YaoError> {
        let (asked, left) = (count as u64, self.tables.len() as u64);
        let tables = std::mem::take(&mut self.tables);
        let (now, later) = tables.split_at_mut_checked(count).ok_or(YaoError::NotPrepared {
            what: "bytes of tables",
            asked,
            left,
        })?;
        self.tables = later;
        self.mask.apply(now);
        Ok(now)
    }
}
