//! Tables of sixteen random entries at one party, one of which the other knows: random 1-out-of-16 OT.
//!
//! Four random OTs make one lookup. Entry v of the table is the exclusive or, over the four bits j of v, of bits that
//! belong only to v in string v_j of OT j. The receiver has the strings of its four choices c, and so entry c. For any
//! other entry v it lacks the string of an OT j with v_j ≠ c_j, and so bits of that string that serve no other entry:
//! what it does not know is uniform and independent of what it knows.
//!
//! Source: Naor and Pinkas, *Computationally Secure Oblivious Transfer* (J. Cryptology 2005), §3. Differs: since entries
//! have two bits, disjoint parts of the strings take the place of a pseudorandom function.
//! Security: that of random OT; nothing is added to its assumptions.
//! Cost of a lookup: four OTs and nothing else. For comparison, the 1-out-of-16 OT of Kolesnikov and Kumaresan
//! (CRYPTO'13) sends 256 bits, and its sender evaluates sixteen hashes; four OTs of SoftSpokenOT with k = 4 send 124
//! bits and take eight hashes.

use super::ots::supplied;
use super::{Columns, CorrelationKind, OtKind, Ots, bit_triples};
use crate::pack::WordReader;
use crate::{Dialogue, ShareError};
use tacit_math::Block;
use tacit_net::Channel;
use tacit_schedule::Unit;
use zeroize::Zeroizing;

/// Bits of an index.
pub const INDEX_BITS: u32 = 4;
/// Entries of a table.
pub const ENTRIES: u32 = 1 << INDEX_BITS;
/// Lookups made at a time.
pub(crate) const WINDOW: usize = bit_triples::WINDOW / INDEX_BITS as usize;

/// Random lookups in both directions.
#[derive(Default)]
pub struct LookupTables {
    /// This party's tables: bit v is the low bit of entry v, and bit 16 + v its high bit.
    pub tables: Zeroizing<Vec<u32>>,
    /// The indices at which this party looks into the peer's tables, below 16.
    pub indices: Zeroizing<Vec<u8>>,
    /// The entries that it finds: the low bit at 0, and the high bit at 16.
    pub entries: Zeroizing<Vec<u32>>,
}

impl CorrelationKind for LookupTables {
    const NAME: &'static str = "table lookups";

    type Shape = ();

    fn check((): ()) -> Result<(), ShareError> {
        Ok(())
    }

    fn columns(&self, (): (), by: &mut impl Columns) -> LookupTables {
        LookupTables {
            tables: by.words(&self.tables, 1, 32),
            indices: by.words(&self.indices, 1, 8),
            entries: by.words(&self.entries, 1, 32),
        }
    }
}

impl OtKind for LookupTables {
    fn price((): (), count: u64) -> Dialogue {
        let ots = u64::from(INDEX_BITS);
        supplied(count, (WINDOW as u64, ots), |count| Dialogue::default().transfer([count * ots; 2]))
            .compute(Unit::LookupTable, count)
    }

    async fn make(
        ots: &mut Ots,
        channel: &mut Channel,
        (): (),
        count: usize,
    ) -> Result<LookupTables, ShareError> {
        let mut made = LookupTables {
            tables: Zeroizing::new(Vec::with_capacity(count)),
            indices: Zeroizing::new(Vec::with_capacity(count)),
            entries: Zeroizing::new(Vec::with_capacity(count)),
        };
        let blocks = || Zeroizing::new(vec![Block::ZERO; count.min(WINDOW) * INDEX_BITS as usize]);
        let (mut zeros, mut ones, mut chosen) = (blocks(), blocks(), blocks());
        for start in (0..count).step_by(WINDOW) {
            let size = WINDOW.min(count - start) * INDEX_BITS as usize;
            let (zeros, ones, chosen) = (&mut zeros[..size], &mut ones[..size], &mut chosen[..size]);
            ots.supply(channel, size, (count - start) * INDEX_BITS as usize).await?;
            let choices = ots.receiver.extend(channel, chosen).await?;
            ots.sender.extend(channel, zeros, ones).await?;
            let (zeros, ones) = (zeros.as_chunks().0, ones.as_chunks().0);
            made.tables.extend(zeros.iter().zip(ones).map(|(zeros, ones)| table(zeros, ones)));
            let mut choices = WordReader::new(choices.words());
            for strings in chosen.as_chunks::<4>().0 {
                let index = choices.take(INDEX_BITS) as u8;
                made.indices.push(index);
                made.entries.push(entry(strings, index));
            }
        }
        Ok(made)
    }
}

/// The entries whose index has bit j set, in both halves of a table.
const SET: [u32; INDEX_BITS as usize] = [0xaaaa_aaaa, 0xcccc_cccc, 0xf0f0_f0f0, 0xff00_ff00];

/// The table from four OTs.
fn table(zeros: &[Block; 4], ones: &[Block; 4]) -> u32 {
    (0..4).fold(0, |table, j| {
        let (zero, one) = (zeros[j].0 as u32, ones[j].0 as u32);
        table ^ zero ^ ((zero ^ one) & SET[j])
    })
}

/// The entry from the strings of the choices `index`.
fn entry(strings: &[Block; 4], index: u8) -> u32 {
    (strings.iter().fold(0, |sum, string| sum ^ string.0 as u32) >> index) & 0x0001_0001
}
