//! Makes material and keeps it: a task of its own, which waits for the material and stores it.

use tacit_math::field::Field;

use crate::error::RunError;
use crate::program::Task;
use crate::stored::StoredPools;
use crate::stored::material::Material;

/// Entries of a segment: the maximum that a crash can waste.
const SEGMENT: u64 = 256;

/// Entries that are computed together.
const TOGETHER: u64 = 32;

/// Material to make, with the numbers of its entries.
pub struct Preparation<F: Field> {
    task: Task<F>,
    material: Material,
    first: u64,
    count: u64,
}

impl<F: Field> Preparation<F> {
    /// A preparation of at least this many bits or masks, from the first task of a program.
    pub(crate) fn new(
        of: &Task<F>,
        pools: &StoredPools,
        material: Material,
        lanes: usize,
    ) -> Result<Preparation<F>, RunError> {
        let count = material.entries(lanes) as u64;
        Ok(Preparation { task: of.fork()?, material, first: pools.allot(material, count)?, count })
    }

    /// Makes the material, and returns when it is on disk at all parties. Blocks; call it on a thread of its
    /// own.
    ///
    /// 1. Numbers are reserved for a segment.
    /// 2. All parties compute its entries, and each stores its shares.
    /// 3. The parties wait for one another, so that all have the entries durably.
    /// 4. The entries are marked as ready.
    ///
    /// A crash before step 4 leaves entries at some parties that others do not have; these are never used.
    ///
    /// Errors: the store cannot be written, or the computation has ended.
    pub fn fill(self) -> Result<(), RunError> {
        for done in (0..self.count).step_by(SEGMENT as usize) {
            self.segment(self.first + done, SEGMENT.min(self.count - done))?;
        }
        Ok(())
    }

    fn segment(&self, first: u64, count: u64) -> Result<(), RunError> {
        let pools = self.task.stored_pools()?;
        let mut filling = pools.with(self.material, |store, binding, batch| {
            store.reserve(binding, (first, count), batch(first))
        })?;
        for done in (0..count).step_by(TOGETHER as usize) {
            let entries = TOGETHER.min(count - done) as usize;
            let shares = self.task.make(self.material, entries)?;
            for entry in 0..entries {
                let mut bytes = shares.entry(entry);
                pools.with(self.material, |store, _, _| store.append(&mut filling, &mut bytes))?;
            }
        }
        let sealed = pools.with(self.material, |store, _, _| store.seal(filling))?;
        let all = self.task.synchronise()?;
        self.task.wait(&all)?;
        pools.with(self.material, |store, _, _| {
            store.step("acknowledged")?;
            store.commit(sealed)
        })
    }
}
