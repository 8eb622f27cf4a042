//! Making material and keeping it: a task of its own, which waits for what it makes and writes it down.

use tacit_math::field::Field;

use crate::error::RunError;
use crate::program::Task;
use crate::stored::StoredPools;
use crate::stored::material::Material;

/// Entries of a segment: what a crash can cost.
const SEGMENT: u64 = 256;

/// Entries that are computed together.
const TOGETHER: u64 = 32;

/// Material that is to be made, with numbers of its own.
pub struct Preparation<F: Field> {
    task: Task<F>,
    material: Material,
    first: u64,
    count: u64,
}

impl<F: Field> Preparation<F> {
    /// A preparation of so many bits or masks at least, from the first task of a program.
    pub(crate) fn new(
        of: &Task<F>,
        pools: &StoredPools,
        material: Material,
        lanes: usize,
    ) -> Result<Preparation<F>, RunError> {
        let count = material.entries(lanes) as u64;
        Ok(Preparation { task: of.fork()?, material, first: pools.allot(material, count)?, count })
    }

    /// Makes it, and returns when it is on disk at all parties. Blocks; to be called on a thread of its own.
    ///
    /// 1. Numbers are reserved for a segment.
    /// 2. Its entries are computed by all parties, and each writes its shares down.
    /// 3. The parties wait for one another: all have them durably.
    /// 4. They are ready.
    ///
    /// A crash before 4 leaves at some parties what others do not have, which is never used.
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
