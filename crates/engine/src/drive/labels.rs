use tacit_math::{Block, Wiped};
use tacit_twoparty::yao;

use crate::Failure;

/// Number of random bits that are fetched together.
pub(crate) const RANDOM_BATCH: u64 = 1 << 15;

/// How many random bits are fetched next, if `left` are still to be drawn in this run. The first batch takes the
/// remainder, so that all others are full.
pub(crate) fn random_batch(left: u64) -> u64 {
    match left % RANDOM_BATCH {
        0 => left.min(RANDOM_BATCH),
        odd => odd,
    }
}

/// Labels of the evaluator's inputs that were fetched together and wait for the walk to reach them.
#[derive(Default)]
pub(super) struct Fetched {
    labels: Wiped<Block>,
    next: usize,
}

impl Fetched {
    /// Takes the labels of a batch; those of the batch before must be used up.
    pub fn put(&mut self, labels: Wiped<Block>) {
        *self = Fetched { labels, next: 0 };
    }

    /// Fills `target` with the next labels; false if none are left.
    pub fn take(&mut self, target: &mut [Block]) -> bool {
        let Some(labels) = self.labels.get(self.next..self.next + target.len()) else { return false };
        target.copy_from_slice(labels);
        self.next += target.len();
        if self.next == self.labels.len() {
            *self = Fetched::default();
        }
        true
    }
}

/// Labels of bits that nobody knows, fetched in batches. The first batch is fetched before the walk starts.
pub(super) struct Randoms {
    /// Bits not yet fetched.
    left: u64,
    labels: Wiped<Block>,
    /// Labels not yet taken; the next is at the front.
    ready: usize,
}

impl Randoms {
    /// For a walk that draws `count` bits in all.
    pub fn new(count: u64) -> Self {
        Randoms { left: count, labels: Wiped::default(), ready: 0 }
    }

    /// Fetches the next batch, if the walk needs one.
    pub async fn prefetch<S: yao::Side>(&mut self, side: &mut S) -> Result<(), Failure> {
        let count = random_batch(self.left);
        if count > 0 {
            if self.labels.len() < count as usize {
                self.labels = Wiped::blocks(count as usize);
            }
            self.ready = count as usize;
            side.random(&mut self.labels[..self.ready]).await?;
            self.left -= count;
        }
        Ok(())
    }

    /// Fills `target`.
    pub async fn take<S: yao::Side>(
        &mut self,
        side: &mut S,
        mut target: &mut [Block],
    ) -> Result<(), Failure> {
        while !target.is_empty() {
            if self.ready == 0 {
                self.prefetch(side).await?;
            }
            let count = self.ready.min(target.len());
            if count == 0 {
                return Err(Failure::Walk(tacit_schedule::walk::WalkError::Unwritten));
            }
            let (now, later) = target.split_at_mut(count);
            now.copy_from_slice(&self.labels[self.ready - count..self.ready]);
            self.ready -= count;
            target = later;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_batches_but_the_first_are_whole() {
        assert_eq!(random_batch(0), 0);
        assert_eq!(random_batch(5), 5);
        assert_eq!(random_batch(RANDOM_BATCH), RANDOM_BATCH);
        assert_eq!(random_batch(3 * RANDOM_BATCH + 7), 7);
        assert_eq!(random_batch(3 * RANDOM_BATCH), RANDOM_BATCH);
    }

    #[test]
    fn fetched_labels_come_in_order() {
        let mut fetched = Fetched::default();
        let mut target = [Block::ZERO; 2];
        assert!(!fetched.take(&mut target));
        fetched.put((1..=4).map(Block).collect::<Vec<_>>().into());
        assert!(fetched.take(&mut target));
        assert_eq!(target, [Block(1), Block(2)]);
        assert!(fetched.take(&mut target));
        assert_eq!(target, [Block(3), Block(4)]);
        assert!(!fetched.take(&mut target));
    }
}
