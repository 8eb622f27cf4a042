//! Inspects a store: lists its entries, finds damage, and removes what is of no more use.

use std::path::PathBuf;

use serde::Serialize;

use crate::index;
use crate::segment::{self, SegmentName, SegmentReader};
use crate::{Binding, PoolId, Store, StoreError};

/// Entries of one kind in a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PoolStatus {
    /// The purpose of these entries.
    pub binding: Binding,
    /// Identity of their purpose.
    pub pool: PoolId,
    /// Entries that can be spent.
    pub ready: u64,
    /// Entries that were spent or wasted, including numbers for which only the peer had an entry.
    pub spent: u64,
    /// The number that the next new entry gets, unless the peer is ahead.
    pub next: u64,
    /// Files of entries.
    pub segments: u64,
    /// Bytes of these files.
    pub bytes: u64,
}

/// A part of a store that cannot be used.
#[derive(Debug)]
pub struct Damage {
    /// The damaged segment.
    pub segment: u64,
    /// The file in which the damage was found.
    pub file: PathBuf,
    /// The problem.
    pub error: StoreError,
}

impl Store {
    /// The pools of the store.
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

    /// Checks the index and every file; if the store was opened with its key, every entry that is not spent
    /// is unsealed. Returns the damage in the order of segments.
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

    /// Erases entries that are spent, unfinished or damaged, and with `all` every entry. Returns the number
    /// of erased segments. Counters are kept, so that no number is used for an entry again.
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
