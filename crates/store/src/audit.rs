//! Looking at a store: what is in it, what is damaged, and removing what is of no more use.

use std::path::PathBuf;

use serde::Serialize;

use crate::index;
use crate::segment::{self, SegmentName, SegmentReader};
use crate::{Binding, PoolId, Store, StoreError};

/// Entries of one kind in a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PoolStatus {
    /// What they are for.
    pub binding: Binding,
    /// Identity of what they are for.
    pub pool: PoolId,
    /// Entries that can be spent.
    pub ready: u64,
    /// Entries that were spent or wasted, including numbers that only the peer had an entry for.
    pub spent: u64,
    /// The number that the next new entry gets, unless the peer is ahead.
    pub next: u64,
    /// Files of entries.
    pub segments: u64,
    /// Bytes of these files.
    pub bytes: u64,
}

/// Something in a store that cannot be used.
#[derive(Debug)]
pub struct Damage {
    /// The segment that it is in.
    pub segment: u64,
    /// The file that it was noticed in.
    pub file: PathBuf,
    /// What is wrong.
    pub error: StoreError,
}

impl Store {
    /// What is in the store.
    pub fn list(&self) -> Vec<PoolStatus> {
        let status = |(id, pool): (&PoolId, &crate::index::StoredPool)| {
            let segments = || self.index.ready(*id).map(|(_, segment)| segment);
            PoolStatus {
                binding: pool.binding.clone(),
                pool: *id,
                ready: self.ready(&pool.binding),
                spent: self.spent_below(*id),
                next: pool.next,
                segments: segments().count() as u64,
                bytes: segments().map(index::Segment::bytes).fold(0, u64::saturating_add),
            }
        };
        self.index.pools().map(status).collect()
    }

    /// Checks the index and every file; every entry that is not spent is unsealed if the store was opened with its key.
    /// What was found, in the order of segments.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the index itself is damaged; failures of the operating system.
    pub fn verify(&mut self) -> Result<Vec<Damage>, StoreError> {
        if !self.index.check()? {
            return Err(StoreError::corrupt(&self.folder.join(crate::INDEX), crate::Corruption::Checksums));
        }
        let mut found = Vec::new();
        for (id, segment) in self.index.segments().filter(|(_, segment)| segment.ready) {
            if let Err(error) = self.verify_segment(id, segment) {
                let file = SegmentName::of(id, segment).file(&self.folder);
                found.push(Damage { segment: id, file, error });
            }
        }
        Ok(found)
    }

    fn verify_segment(&self, id: u64, segment: &crate::index::Segment) -> Result<(), StoreError> {
        let name = SegmentName::of(id, segment);
        let Some(key) = &self.key else {
            return segment::check(&name.file(&self.folder), name, segment).map(drop);
        };
        let reader = SegmentReader::open(&self.folder, id, segment, key)?;
        let unspent = segment.first.max(self.spent_below(segment.pool))..segment.end();
        unspent.into_iter().try_for_each(|number| reader.read(number).map(drop))
    }

    /// Erases entries that are spent, were left unfinished or are damaged, and with `all` every entry. How many segments
    /// went. Counters stay, so that no number is given to an entry again.
    ///
    /// # Errors
    /// As [`Store::verify`].
    pub fn prune(&mut self, all: bool) -> Result<u64, StoreError> {
        let before = self.index.segments().count();
        self.sweep()?;
        let damaged: Vec<u64> = self.verify()?.into_iter().map(|damage| damage.segment).collect();
        let chosen = |(id, segment): (u64, &crate::index::Segment)| {
            (all || damaged.contains(&id)).then(|| (id, SegmentName::of(id, segment)))
        };
        let chosen: Vec<_> = self.index.segments().filter_map(chosen).collect();
        chosen.into_iter().try_for_each(|(id, name)| self.erase(id, name))?;
        Ok((before - self.index.segments().count()) as u64)
    }
}
