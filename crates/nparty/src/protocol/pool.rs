//! Prepares randomness before it is needed: bits, and masks with their bits.

use tacit_math::field::Field;

use crate::error::{RunError, UsageError};
use crate::program::pool::{BitMask, FieldMask};
use crate::program::{MAX_LENGTH, Task, Value, mixed};
use crate::protocol::compare::LANES;
use crate::protocol::keep::Preparation;
use crate::stored::material::Material;
use crate::stored::{Stored, StoredPools};

impl<F: Field> Task<F> {
    /// Prepares random bits for [`Task::random_bits`] and every operation of this task that draws bits; these then send nothing for
    /// them.
    ///
    /// Cost: as [`Task::random_bits`].
    ///
    /// Errors: the computation has ended.
    pub fn prepare_bits(&self, count: usize) -> Result<(), RunError> {
        let count = self.refill_most(Material::Bits, count, MAX_LENGTH)?;
        if count == 0 {
            return Ok(());
        }
        let bits = self.new_random_bits(count)?;
        self.pool_bits(bits);
        Ok(())
    }

    pub(super) fn pool_bits(&self, bits: Value<F>) {
        self.pool().lock().bits.push_back((bits, 0));
    }

    pub(super) fn pool_mask(&self, mask: FieldMask<F>) {
        self.pool().lock().masks.push_back((mask, 0));
    }

    pub(super) fn pool_bit_mask(&self, mask: BitMask<F>) {
        self.pool().lock().bit_masks.push_back((mask, 0));
    }

    /// The material that masks this many bits of numbers, if there are many numbers.
    fn masks_of(&self, bits: usize) -> Material {
        match self.masks_by_bits(bits, LANES) {
            true => Material::BitMasks(bits as u32),
            false => Material::Masks(bits as u32),
        }
    }

    /// The material of comparisons in this field, if there are many.
    fn comparisons(&self) -> Result<Material, RunError> {
        let rows = self.mask_rows()?;
        match self.by_bits(rows, LANES) {
            true => Ok(Material::BitMasks(rows as u32)),
            false => Ok(Material::Masks(rows as u32)),
        }
    }

    /// Prepares masks for this many comparisons of this task: [`Task::less`], [`Task::equal`], [`Task::parity`] and operations that use them. Only the opening
    /// and the tree of a comparison are left.
    ///
    /// Cost: with 3 parties and a modulus of 61 bits about 150 products each, in 3 rounds; for 16 masks or more about 470 ANDs of two bits and 4
    /// products, modulo 2^61 - 1 only 423 ANDs.
    ///
    /// Errors: the modulus is not just below a power of two, or the computation has ended.
    pub fn prepare_comparisons(&self, count: usize) -> Result<(), RunError> {
        let (rows, stored) = (self.mask_rows()?, self.comparisons()?);
        let count = self.refill_most(stored, count, LANES)?;
        if !self.by_bits(rows, count) {
            return self.prepare_masks(rows, count);
        }
        self.each_bit_mask(rows, count, |mask| self.pool_bit_mask(mask))
    }

    /// Prepares masks with this many bits, for numbers that are truncated by `bits` or decomposed into `bits` bits, if there is room in the
    /// field.
    ///
    /// Cost: `bits` random bits and half as many products each; for many, where that sends less, as [`Task::prepare_comparisons`] with masks of this many
    /// bits.
    ///
    /// Errors: the computation has ended.
    pub fn prepare_masks(&self, bits: usize, count: usize) -> Result<(), RunError> {
        let count = self.refill_most(self.masks_of(bits), count, LANES)?;
        if self.masks_by_bits(bits, count) {
            return self.each_bit_mask(bits, count, |mask| self.pool_bit_mask(mask));
        }
        for first in (0..count).step_by(LANES) {
            self.pool_mask(self.new_mask(bits, LANES.min(count - first))?);
        }
        Ok(())
    }

    /// As [`Task::prepare_bits`], for later sessions: [`Preparation::fill`] makes the bits and keeps them in the stores of all parties. Only the first task
    /// of a program may call this.
    ///
    /// Cost: as [`Task::random_bits`], rounded up to whole entries of 1024.
    ///
    /// Errors: this is not the first task, this party has no store, or the computation has ended.
    pub fn keep_bits(&self, count: usize) -> Result<Preparation<F>, RunError> {
        self.preparation(Material::Bits, count)
    }

    /// As [`Task::prepare_comparisons`], for later sessions; see [`Task::keep_bits`].
    ///
    /// Cost: as [`Task::prepare_comparisons`], rounded up to whole entries of 64.
    ///
    /// Errors: as [`Task::prepare_comparisons`] and [`Task::keep_bits`].
    pub fn keep_comparisons(&self, count: usize) -> Result<Preparation<F>, RunError> {
        self.preparation(self.comparisons()?, count)
    }

    /// As [`Task::prepare_masks`], for later sessions; see [`Task::keep_bits`].
    ///
    /// Cost: as [`Task::prepare_masks`], rounded up to whole entries of 64.
    ///
    /// Errors: the field has no room for such masks; as [`Task::keep_bits`].
    pub fn keep_masks(&self, bits: usize, count: usize) -> Result<Preparation<F>, RunError> {
        if !(1..=self.number_bits()).contains(&bits) {
            return Err(UsageError::MaskBits { bits, most: self.number_bits() }.into());
        }
        self.preparation(self.masks_of(bits), count)
    }

    fn preparation(&self, material: Material, count: usize) -> Result<Preparation<F>, RunError> {
        self.stored_pools()?;
        Preparation::new(self, self.spendable_pools().ok_or(UsageError::NotFirstTask)?, material, count)
    }

    /// The material that this task may still take from the party's store: none, unless it is the first task.
    pub fn stored(&self) -> Stored {
        let comparisons = self.comparisons().ok();
        let mut stored = Stored::default();
        for (material, count) in self.spendable_pools().map_or(Vec::new(), StoredPools::all_usable) {
            match material {
                Material::Bits => stored.bits = count,
                _ if Some(material) == comparisons => stored.comparisons = count,
                Material::Masks(rows) | Material::BitMasks(rows) => {
                    stored.masks.push((rows as usize, count));
                }
            }
        }
        stored
    }

    /// Prepared bits, if enough are left in one value.
    pub(super) fn pooled_bits(&self, length: usize) -> Result<Option<Value<F>>, RunError> {
        let fits = |(bits, spent): &(Value<F>, usize)| bits.len() - spent >= length;
        if !self.pool().lock().bits.iter().any(fits) {
            self.refill(Material::Bits, length)?;
        }
        let mut pooled = self.pool().lock();
        let Some(place) = pooled.bits.iter().position(fits) else { return Ok(None) };
        let (bits, spent) = &mut pooled.bits[place];
        let taken = self.lanes_of(bits, 1, (*spent, length))?;
        *spent += length;
        if *spent == bits.len() {
            pooled.bits.remove(place);
        }
        Ok(Some(taken))
    }

    /// A prepared mask, if there is one with this many bits and enough lanes left.
    pub(super) fn pooled_mask(&self, rows: usize, lanes: usize) -> Result<Option<FieldMask<F>>, RunError> {
        let fits = |(mask, spent): &(FieldMask<F>, usize)| mask.rows == rows && mask.lanes - spent >= lanes;
        if !self.pool().lock().masks.iter().any(fits) {
            self.refill(Material::Masks(rows as u32), lanes)?;
        }
        let mut pooled = self.pool().lock();
        let Some(place) = pooled.masks.iter().position(fits) else { return Ok(None) };
        let (mask, spent) = &mut pooled.masks[place];
        let range = (*spent, lanes);
        let number = self.lanes_of(&mask.number, 1, range)?;
        let bits = self.lanes_of(&mask.bits, rows, range)?;
        let pairs = self.lanes_of(&mask.pairs, rows / 2, range)?;
        *spent += lanes;
        if *spent == mask.lanes {
            pooled.masks.remove(place);
        }
        Ok(Some(FieldMask { number, bits, pairs, rows, lanes }))
    }

    /// Whether masks by bits were prepared for this many numbers in one value.
    pub(super) fn has_bit_mask(&self, rows: usize, lanes: usize) -> bool {
        self.pool().lock().bit_mask(rows, lanes).is_some()
            || self.has_stored(Material::BitMasks(rows as u32), lanes)
    }

    /// The same for masks that are not by bits.
    pub(super) fn has_mask(&self, rows: usize, lanes: usize) -> bool {
        let fits = |(mask, spent): &(FieldMask<F>, usize)| mask.rows == rows && mask.lanes - spent >= lanes;
        self.pool().lock().masks.iter().any(fits) || self.has_stored(Material::Masks(rows as u32), lanes)
    }

    /// As [`Task::pooled_mask`], for masks by bits.
    pub(super) fn pooled_bit_mask(&self, rows: usize, lanes: usize) -> Result<Option<BitMask<F>>, RunError> {
        if self.pool().lock().bit_mask(rows, lanes).is_none() {
            self.refill(Material::BitMasks(rows as u32), lanes)?;
        }
        let mut pooled = self.pool().lock();
        let Some(place) = pooled.bit_mask(rows, lanes) else { return Ok(None) };
        let (mask, spent) = &mut pooled.bit_masks[place];
        let taken = self.bit_mask_lanes(mask, (*spent, lanes))?;
        *spent += lanes;
        if *spent == mask.lanes {
            pooled.bit_masks.remove(place);
        }
        Ok(Some(taken))
    }

    /// A range of lanes of each row.
    fn lanes_of(
        &self,
        of: &Value<F>,
        rows: usize,
        (first, count): (usize, usize),
    ) -> Result<Value<F>, RunError> {
        let (all, hash) = ((of.len() / rows.max(1)).max(1), mixed(0x6c61, first as u64));
        self.local(rows * count, false, hash, &[of], move |_, given| {
            given[0].chunks(all).flat_map(|row| &row[first..][..count]).copied().collect()
        })
    }
}
