//! Lookup and update at a secret position of a long table.

use tacit_circuit::{Lit, arithmetic};

use super::CHUNK;
use crate::error::LowerError;
use crate::lowering::assemble::{Assembler, position_bits, share, whole};
use crate::wires::Wires;
use tacit_schedule::BundleId;

/// Positions that one circuit decodes.
pub(crate) const DECODED: u64 = 1 << 10;

impl Assembler<'_, '_> {
    /// The tree of multiplexers, several levels at a time. A partial last chunk uses the same tree over its
    /// entries.
    pub(super) fn lookup(&mut self, mut table: BundleId, index: BundleId) -> Result<BundleId, LowerError> {
        let mut low = 0;
        while self.lanes(table) > 1 {
            let lanes = self.lanes(table);
            let (full, left) = (lanes / CHUNK, lanes % CHUNK);
            let mut parts = [None, None];
            for (part, (start, length, instances)) in
                parts.iter_mut().zip([(0, full * CHUNK, full), (full * CHUNK, left, 1)])
            {
                if length > 0 {
                    let entries = self.range(table, start, length)?;
                    let bits = self.index_bits(index, low, position_bits(length / instances) as usize)?;
                    *part = Some(self.choose(entries, bits, instances)?);
                }
            }
            table = self.join(&parts)?;
            low += position_bits(CHUNK) as usize;
        }
        Ok(table)
    }

    /// The entry of each chunk that the index selects.
    fn choose(
        &mut self,
        entries: BundleId,
        index: Option<BundleId>,
        chunks: u64,
    ) -> Result<BundleId, LowerError> {
        let operands: Vec<_> = [share(entries)].into_iter().chain(index.map(whole)).collect();
        self.word(chunks, &operands, |builder, inputs| {
            let table: Vec<&[Lit]> = inputs[0].lanes().collect();
            let index = inputs.get(1).map_or(&[][..], Wires::lits);
            Wires::new(inputs[0].bits(), arithmetic::lookup(builder, &table, index))
        })
    }

    /// `count` bits of an index from bit `low` up, or fewer if it ends before.
    fn index_bits(
        &mut self,
        index: BundleId,
        low: usize,
        count: usize,
    ) -> Result<Option<BundleId>, LowerError> {
        let width = self.bits(index) as usize;
        let (low, high) = (low.min(width), (low + count).min(width));
        if low == high {
            return Ok(None);
        }
        let slice = self.word(1, &[share(index)], |_, inputs| {
            Wires::new(high - low, inputs[0].lits()[low..high].to_vec())
        })?;
        Ok(Some(slice))
    }

    pub(super) fn update(
        &mut self,
        table: BundleId,
        index: BundleId,
        value: BundleId,
    ) -> Result<BundleId, LowerError> {
        let lanes = self.lanes(table);
        let chosen = self.decode(Some(index), lanes)?;
        self.word(lanes, &[share(table), share(chosen), whole(value)], |builder, inputs| {
            let [entry, chosen, value] = [0, 1, 2].map(|number| inputs[number].lits());
            Wires::new(entry.len(), arithmetic::select(builder, chosen[0], value, entry))
        })
    }

    /// For each position, whether the index equals it: rows first, then the positions of every row at once.
    fn decode(&mut self, index: Option<BundleId>, count: u64) -> Result<BundleId, LowerError> {
        if count <= DECODED {
            let operands: Vec<_> = index.map(share).into_iter().collect();
            return self.word(1, &operands, |builder, inputs| {
                let index = inputs.first().map_or(&[][..], Wires::lits);
                Wires::new(1, arithmetic::decode(builder, index, count as usize))
            });
        }
        let width = index.map_or(0, |index| self.bits(index) as usize);
        let column_bits = position_bits(CHUNK) as usize;
        let (low, high) = match index {
            Some(index) => {
                (self.index_bits(index, 0, column_bits)?, self.index_bits(index, column_bits, width)?)
            }
            None => (None, None),
        };
        let columns = self.decode(low, CHUNK)?;
        let rows = self.decode(high, count.div_ceil(CHUNK))?;
        let all = self.word(count.div_ceil(CHUNK), &[share(rows), whole(columns)], |builder, inputs| {
            let row = inputs[0].lits()[0];
            Wires::new(1, inputs[1].lits().iter().map(|column| builder.and(row, *column)).collect())
        })?;
        self.range(all, 0, count)
    }
}
