//! Encodes prepared material as bytes, to be kept between setup and the run.
//!
//! | bytes | content |
//! |---|---|
//! | 0 | the party: 1 the garbler, 2 the evaluator of half gates, 3 that of three halves |
//! | 1–32 | four counts of 8 bytes, little-endian |
//! | then | garbler: delta, start, key; labels of own inputs, of corrections; colours of outputs |
//! | or | evaluator: labels of own inputs, of random bits; choices; tables |
//!
//! Counts are, for the garbler, own inputs, corrections, outputs and 0; for the evaluator own inputs, inputs of the
//! garbler, random bits and bytes of tables. Blocks are 16 bytes, bits are packed.
//!
//! Security: everything except the tables is secret, and so are the bytes: seal them before they are stored.

use super::garbler::Record;
use super::{EvaluatorPrepared, GarblerPrepared};
use crate::garbling::GarblingScheme;
use crate::half_gates::TABLE_BYTES;
use crate::stored::StoredFault;
use crate::yao::YaoError;
use tacit_crypto::Secret;
use tacit_crypto::half_gates::Delta;
use tacit_math::{Bits, Block};
use zeroize::Zeroizing;

pub(crate) const GARBLER: u8 = 1;
pub(crate) const EVALUATOR: u8 = 2;
pub(crate) const EVALUATOR_THREE_HALVES: u8 = 3;
pub(crate) const HEAD: usize = 1 + 4 * 8;

impl GarblerPrepared {
    /// The bytes of the prepared material. Secret, wiped on drop.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let Record { own, corrections, colours } = &self.record;
        let counts = [own.len(), corrections.len(), colours.len(), 0];
        let size = 3 * Block::BYTES + blocks(own.len() + corrections.len()) + colours.len().div_ceil(8);
        let mut bytes = begin(GARBLER, counts, size);
        let [key] = self.key.expose();
        bytes.extend_from_slice(Block::as_bytes(&[self.delta.expose(), self.start, *key]));
        bytes.extend_from_slice(Block::as_bytes(own));
        bytes.extend_from_slice(Block::as_bytes(corrections));
        bytes.extend_from_slice(&Zeroizing::new(colours.to_bytes()));
        bytes
    }

    /// Reads the bytes of [`GarblerPrepared::to_bytes`].
    ///
    /// # Errors
    /// [`YaoError::Stored`] for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<GarblerPrepared, YaoError> {
        let mut reader = PreparedReader::new(bytes, GARBLER)?;
        let [own, corrections, outputs, _] = reader.counts;
        let [delta, start, key] = [reader.block()?, reader.block()?, reader.block()?];
        if !delta.lsb() {
            return Err(refused(StoredFault::Delta));
        }
        let record = Record {
            own: reader.blocks(own)?,
            corrections: reader.blocks(corrections)?,
            colours: reader.bits(outputs)?,
        };
        reader.end()?;
        Ok(GarblerPrepared { delta: Delta::new(delta), start, key: Secret::new([key]), record })
    }
}

impl EvaluatorPrepared {
    /// The bytes of the prepared material. Secret except for the tables, wiped on drop.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let counts = [self.own.len(), self.peer, self.random.len(), self.tables.len()];
        let size =
            blocks(self.own.len() + self.random.len()) + self.own.len().div_ceil(8) + self.tables.len();
        let who = match self.scheme {
            GarblingScheme::HalfGates => EVALUATOR,
            GarblingScheme::ThreeHalves => EVALUATOR_THREE_HALVES,
        };
        let mut bytes = begin(who, counts, size);
        bytes.extend_from_slice(Block::as_bytes(&self.own));
        bytes.extend_from_slice(Block::as_bytes(&self.random));
        bytes.extend_from_slice(&Zeroizing::new(self.choices.to_bytes()));
        bytes.extend_from_slice(&self.tables);
        bytes
    }

    /// Reads the bytes of [`EvaluatorPrepared::to_bytes`].
    ///
    /// # Errors
    /// [`YaoError::Stored`] for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<EvaluatorPrepared, YaoError> {
        let (scheme, who) = match bytes.first() {
            Some(&EVALUATOR_THREE_HALVES) => (GarblingScheme::ThreeHalves, EVALUATOR_THREE_HALVES),
            _ => (GarblingScheme::HalfGates, EVALUATOR),
        };
        let mut reader = PreparedReader::new(bytes, who)?;
        let [own, peer, random, tables] = reader.counts;
        if scheme == GarblingScheme::HalfGates && !tables.is_multiple_of(TABLE_BYTES) {
            let (bytes, table) = (tables as u64, TABLE_BYTES as u64);
            return Err(refused(StoredFault::Tables { bytes, table }));
        }
        let (own_labels, random) = (reader.blocks(own)?, reader.blocks(random)?);
        let (choices, tables) = (reader.bits(own)?, reader.take(tables)?.to_vec());
        reader.end()?;
        Ok(EvaluatorPrepared { scheme, tables, choices, own: own_labels, peer, random })
    }
}

fn refused(fault: StoredFault) -> YaoError {
    YaoError::Stored { what: "tables and labels", fault }
}

fn blocks(count: usize) -> usize {
    count * Block::BYTES
}

/// The head, with room for `size` bytes more, so that growing leaves nothing secret behind.
fn begin(who: u8, counts: [usize; 4], size: usize) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(HEAD + size));
    bytes.push(who);
    counts.iter().for_each(|count| bytes.extend_from_slice(&(*count as u64).to_le_bytes()));
    bytes
}

/// Reads from the front; a count is only trusted if there are bytes for it.
struct PreparedReader<'a> {
    rest: &'a [u8],
    counts: [usize; 4],
}

impl<'a> PreparedReader<'a> {
    fn new(bytes: &'a [u8], who: u8) -> Result<PreparedReader<'a>, YaoError> {
        let mut reader = PreparedReader { rest: bytes, counts: [0; 4] };
        let [kind] = reader.array()?;
        if kind != who {
            return Err(refused(StoredFault::Kind { found: kind, expected: who }));
        }
        for index in 0..4 {
            let count = usize::try_from(u64::from_le_bytes(reader.array()?));
            reader.counts[index] = count.map_err(|_| reader.short(None))?;
        }
        Ok(reader)
    }

    /// The error if fewer bytes are left than are needed.
    fn short(&self, needed: Option<usize>) -> YaoError {
        refused(StoredFault::short(needed, self.rest.len()))
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], YaoError> {
        let (now, later) = self.rest.split_at_checked(count).ok_or_else(|| self.short(Some(count)))?;
        self.rest = later;
        Ok(now)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], YaoError> {
        let (now, later) = self.rest.split_first_chunk().ok_or_else(|| self.short(Some(N)))?;
        self.rest = later;
        Ok(*now)
    }

    fn block(&mut self) -> Result<Block, YaoError> {
        Ok(Block::from_bytes(self.array()?))
    }

    fn blocks(&mut self, count: usize) -> Result<Zeroizing<Vec<Block>>, YaoError> {
        let size = count.checked_mul(Block::BYTES);
        let bytes = self.take(size.ok_or_else(|| self.short(None))?)?;
        let mut blocks = Zeroizing::new(vec![Block::ZERO; count]);
        Block::as_bytes_mut(&mut blocks).copy_from_slice(bytes);
        Ok(blocks)
    }

    fn bits(&mut self, count: usize) -> Result<Bits, YaoError> {
        let padded = |_| refused(StoredFault::Padding { bits: count as u64 });
        Bits::from_bytes(self.take(count.div_ceil(8))?, count).map_err(padded)
    }

    fn end(self) -> Result<(), YaoError> {
        match self.rest.len() {
            0 => Ok(()),
            bytes => Err(refused(StoredFault::Trailing { bytes: bytes as u64 })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(count: usize) -> Zeroizing<Vec<Block>> {
        Zeroizing::new((0..count).map(|i| Block(i as u128 + 5)).collect())
    }

    fn garbler() -> GarblerPrepared {
        let record =
            Record { own: labels(3), corrections: labels(2), colours: Bits::from_fn(11, |i| i % 3 == 0) };
        GarblerPrepared { delta: Delta::new(Block(8)), start: Block(6), key: Secret::new([Block(7)]), record }
    }

    fn evaluator() -> EvaluatorPrepared {
        EvaluatorPrepared {
            scheme: GarblingScheme::HalfGates,
            tables: (0..64).collect(),
            choices: Bits::from_fn(9, |i| i % 2 == 0),
            own: labels(9),
            peer: 4,
            random: labels(1),
        }
    }

    #[test]
    fn bytes_come_back() {
        let bytes = garbler().to_bytes();
        assert_eq!(GarblerPrepared::from_bytes(&bytes).unwrap().to_bytes(), bytes);
        for scheme in [GarblingScheme::HalfGates, GarblingScheme::ThreeHalves] {
            let bytes = EvaluatorPrepared { scheme, ..evaluator() }.to_bytes();
            let read = EvaluatorPrepared::from_bytes(&bytes).unwrap();
            assert_eq!((read.scheme, read.to_bytes()), (scheme, bytes));
        }
    }

    #[test]
    fn other_lengths_and_other_parties_are_refused() {
        let (mine, theirs) = (garbler().to_bytes(), evaluator().to_bytes());
        assert!(
            GarblerPrepared::from_bytes(&theirs).is_err() && EvaluatorPrepared::from_bytes(&mine).is_err()
        );
        for length in 0..mine.len() {
            assert!(GarblerPrepared::from_bytes(&mine[..length]).is_err());
        }
        for length in 0..theirs.len() {
            assert!(EvaluatorPrepared::from_bytes(&theirs[..length]).is_err());
        }
        assert!(GarblerPrepared::from_bytes(&[&mine[..], &[0]].concat()).is_err());
        let mut even = mine.clone();
        even[HEAD] &= !1;
        assert!(GarblerPrepared::from_bytes(&even).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_decode_or_fail(who in 1u8..4, rest in proptest::collection::vec(any::<u8>(), 0..200)) {
            let bytes = [&[who], &rest[..]].concat();
            if let Ok(prepared) = GarblerPrepared::from_bytes(&bytes) {
                prop_assert!(prepared.own_inputs() <= bytes.len());
            }
            if let Ok(prepared) = EvaluatorPrepared::from_bytes(&bytes) {
                prop_assert!(prepared.own_inputs() <= bytes.len());
            }
        }
    }
}
