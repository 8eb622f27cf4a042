//! Spending: the mark moves ahead of the entries in use, so that most entries need no write.

use zeroize::Zeroizing;

use crate::segment::SegmentReader;
use crate::{Binding, PoolId, Store, StoreError};

/// The most entries that are marked at once.
const MAX_LEASE: u64 = 128;

/// Entries that are marked as spent, some of which this process may still use.
pub(crate) struct Lease {
    /// Nothing below may be claimed.
    pub next: u64,
    /// Everything below is marked in the index.
    until: u64,
    /// How many are marked next time. It grows with use, so that a crash wastes no more entries than were
    /// used.
    size: u64,
}

/// An entry that this party has marked as spent, and may use if the others claim the same one.
pub struct Claim {
    /// Its number.
    pub number: u64,
    /// Identifies the preparation that made it.
    pub batch: [u8; 16],
    /// The entry. Secret.
    pub material: Zeroizing<Vec<u8>>,
}

impl Store {
    /// Claims the first ready entry of number `from` or above that was never claimed, if there is one. The
    /// entry and all below it are durably marked as spent when this returns.
    ///
    /// # Errors
    /// [`StoreError::NoKey`], [`StoreError::Corrupt`] if the entry is damaged, [`StoreError::Full`],
    /// [`StoreError::Io`].
    pub fn claim(&mut self, binding: &Binding, from: u64) -> Result<Option<Claim>, StoreError> {
        self.key()?;
        let pool = binding.pool;
        let least = from.max(self.spent_below(pool));
        let reach = |segment: &crate::index::Segment| (segment.first.max(least), segment.end());
        let fitting = self.index.ready(pool).map(|(id, segment)| (reach(segment), id));
        let found = fitting.filter(|((number, end), _)| number < end).min();
        let Some(((number, end), id)) = found else { return Ok(None) };
        self.mark_spent(pool, number, end)?;
        let claim = self.read(id, number)?;
        self.step("read")?;
        self.erase_spent(pool)?;
        Ok(Some(claim))
    }

    /// Marks `number` as spent, and some that follow it in the segment that ends at `end`.
    fn mark_spent(&mut self, id: PoolId, number: u64, end: u64) -> Result<(), StoreError> {
        let (until, size) = self.leases.get(&id).map_or((0, 1), |lease| (lease.until, lease.size));
        if number < until {
            self.leases.entry(id).and_modify(|lease| lease.next = number + 1);
            return Ok(());
        }
        let until = end.min(number + size);
        self.step("marking")?;
        self.put_mark(id, until)?;
        self.leases.insert(id, Lease { next: number + 1, until, size: (2 * size).min(MAX_LEASE) });
        self.step("marked")
    }

    fn put_mark(&mut self, id: PoolId, mark: u64) -> Result<(), StoreError> {
        let Some(pool) = self.index.pool(id).cloned() else { return Ok(()) };
        self.index.put_pool(id, crate::index::StoredPool { mark, ..pool })
    }

    fn read(&mut self, id: u64, number: u64) -> Result<Claim, StoreError> {
        let found = self.index.segments().find(|(other, _)| *other == id).map(|(_, segment)| segment.clone());
        let segment = found.ok_or(StoreError::Exhausted)?;
        let reader = match self.reader.take().filter(|reader| reader.id == id) {
            Some(reader) => reader,
            None => SegmentReader::open(&self.folder, id, &segment, self.key()?)?,
        };
        let material = reader.read(number)?;
        self.reader = Some(reader);
        Ok(Claim { number, batch: segment.batch, material })
    }

    /// Erases the segments of a pool whose entries were all claimed.
    fn erase_spent(&mut self, pool: PoolId) -> Result<(), StoreError> {
        self.erase_where(|store, segment| {
            segment.ready && segment.pool == pool && segment.end() <= store.spent_below(pool)
        })
    }

    /// Gives back entries that were marked ahead and never claimed, at the orderly end of a session.
    ///
    /// # Errors
    /// [`StoreError::Full`], [`StoreError::Io`].
    pub fn release(&mut self) -> Result<(), StoreError> {
        let leases = std::mem::take(&mut self.leases);
        for (pool, lease) in leases {
            if lease.next < lease.until {
                self.put_mark(pool, lease.next)?;
            }
        }
        self.step("released")
    }
}
