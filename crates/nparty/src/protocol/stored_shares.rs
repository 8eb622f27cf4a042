//! Converts stored material to values, and values to stored material.

use tacit_math::field::{BitSliced, Field, Slices};
use zeroize::Zeroizing;

use crate::error::RunError;
use crate::program::pool::{BitMask, FieldMask};
use crate::program::{Task, Value, mixed, tag};
use crate::stored::Taken;
use crate::stored::material::{EntryPart, Material};

/// Elements of each part, row by row. Secret.
type Parts<E> = Vec<(EntryPart, Zeroizing<Vec<E>>)>;

/// This party's shares of some material.
pub(crate) struct MaterialShares<F: Field> {
    field: F,
    own: Parts<F::Element>,
    sliced: Option<(BitSliced, Parts<Slices>)>,
}

impl<F: Field> MaterialShares<F> {
    /// The bytes of an entry. Secret.
    pub(crate) fn entry(&self, entry: usize) -> Zeroizing<Vec<u8>> {
        let sliced =
            self.sliced.iter().flat_map(|(field, parts)| parts.iter().map(move |part| (field, part)));
        let own = self.own.iter().map(|(part, _)| part.length() * self.field.bytes()).sum::<usize>();
        let bytes =
            own + sliced.clone().map(|(field, (part, _))| part.length() * field.bytes()).sum::<usize>();
        // With its final capacity, so that growing leaves no copy behind.
        let mut to = Zeroizing::new(Vec::with_capacity(bytes));
        for (part, all) in &self.own {
            part.append(&self.field, all, entry, &mut to);
        }
        for (field, (part, all)) in sliced {
            part.append(field, all, entry, &mut to);
        }
        to
    }
}

/// Values of a kind of material: parts in the field, and parts on bits.
struct MaterialValues<F: Field> {
    own: Vec<Value<F>>,
    sliced: Vec<Value<BitSliced>>,
}

impl<F: Field> From<FieldMask<F>> for MaterialValues<F> {
    fn from(mask: FieldMask<F>) -> Self {
        MaterialValues { own: vec![mask.number, mask.bits, mask.pairs], sliced: vec![] }
    }
}

impl<F: Field> From<BitMask<F>> for MaterialValues<F> {
    fn from(mask: BitMask<F>) -> Self {
        MaterialValues { own: vec![mask.number], sliced: vec![mask.bits, mask.pairs] }
    }
}

impl<F: Field> Task<F> {
    /// Makes this many entries of a kind, and returns this party's shares of them. Blocks.
    ///
    /// Errors: the computation has ended.
    pub(crate) fn make(&self, material: Material, entries: usize) -> Result<MaterialShares<F>, RunError> {
        let lanes = entries * material.lanes();
        let made = match material {
            Material::Bits => MaterialValues { own: vec![self.new_random_bits(lanes)?], sliced: vec![] },
            Material::Masks(rows) => self.new_mask(rows as usize, lanes)?.into(),
            Material::BitMasks(rows) => self.new_bit_mask(rows as usize, lanes)?.into(),
        };
        let (own, sliced) = material.parts();
        let field = self.field().clone();
        let own = own.into_iter().zip(&made.own).map(|(part, value)| Ok((part, self.own_shares(value)?)));
        let own = own.collect::<Result<_, RunError>>()?;
        if sliced.is_empty() {
            return Ok(MaterialShares { field, own, sliced: None });
        }
        let on_bits = self.sliced()?;
        let parts =
            sliced.into_iter().zip(&made.sliced).map(|(part, value)| Ok((part, on_bits.own_shares(value)?)));
        let parts = parts.collect::<Result<_, RunError>>()?;
        Ok(MaterialShares { field, own, sliced: Some((*on_bits.field(), parts)) })
    }

    /// The values of entries of a store.
    fn values_of(&self, material: Material, taken: Taken) -> Result<MaterialValues<F>, RunError> {
        let hash = mixed(tag(&material.to_string()), taken.first);
        let (own, sliced) = material.parts();
        let (mut at, mut made) = (0, MaterialValues { own: vec![], sliced: vec![] });
        for part in own {
            made.own.push(self.value_of(part, (&taken, at), hash)?);
            at += part.length() * self.field().bytes();
        }
        for part in sliced {
            let on_bits = self.sliced()?;
            made.sliced.push(on_bits.value_of(part, (&taken, at), hash)?);
            at += part.length() * on_bits.field().bytes();
        }
        Ok(made)
    }

    fn value_of(
        &self,
        part: EntryPart,
        (taken, at): (&Taken, usize),
        hash: u64,
    ) -> Result<Value<F>, RunError> {
        let elements = part.joined(self.field(), &taken.entries, at)?;
        self.local(elements.len(), false, mixed(hash, at as u64), &[], move |_, _| elements)
    }

    /// Whether this task may take this many bits or masks from the store.
    pub(super) fn has_stored(&self, material: Material, lanes: usize) -> bool {
        let stored = self.spendable_pools().map_or(0, |pools| pools.usable(material));
        stored >= material.entries(lanes) as u64 && stored > 0
    }

    /// Takes entries for this many bits or masks from the store, if it has enough, and adds them to the prepared ones.
    ///
    /// Errors: the store cannot be written, or an entry is damaged; the computation has ended.
    pub(super) fn refill(&self, material: Material, lanes: usize) -> Result<bool, RunError> {
        let entries = material.entries(lanes);
        let taken = match self.spendable_pools() {
            Some(pools) => pools.take(material, entries)?,
            None => None,
        };
        let Some(taken) = taken else { return Ok(false) };
        let lanes = entries * material.lanes();
        let MaterialValues { own, sliced } = self.values_of(material, taken)?;
        let (mut own, mut sliced) = (own.into_iter(), sliced.into_iter());
        match (material, own.next(), own.next(), own.next()) {
            (Material::Bits, Some(bits), ..) => self.pool_bits(bits),
            (Material::Masks(rows), Some(number), Some(bits), Some(pairs)) => {
                self.pool_mask(FieldMask { number, bits, pairs, rows: rows as usize, lanes });
            }
            (Material::BitMasks(rows), Some(number), ..) => {
                let (Some(bits), Some(pairs)) = (sliced.next(), sliced.next()) else { return Ok(false) };
                self.pool_bit_mask(BitMask { number, bits, pairs, rows: rows as usize, lanes });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// As [`Task::refill`], for as many as the store has; returns how many more are needed.
    pub(super) fn refill_most(
        &self,
        material: Material,
        lanes: usize,
        together: usize,
    ) -> Result<usize, RunError> {
        let mut left = lanes;
        while left > 0 {
            let stored = self.spendable_pools().map_or(0, |pools| pools.usable(material));
            // A count beyond the largest number is more than is requested.
            let stored = usize::try_from(stored).unwrap_or(usize::MAX).saturating_mul(material.lanes());
            let some = left.min(together).min(stored);
            if some == 0 || !self.refill(material, some)? {
                return Ok(left);
            }
            left -= some;
        }
        Ok(0)
    }
}
