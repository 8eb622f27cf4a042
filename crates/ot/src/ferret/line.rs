//! The sequence of stages, the same at both parties.

use super::stage::{Progress, Stage};
use super::{Params, Set};
use crate::error::OtError;
use tacit_crypto::aes::Aes128;
use tacit_math::{Block, Table};
use tacit_net::Channel;

/// The part that differs between the parties: how each makes the leaves of a tree.
pub(super) trait End: Send {
    /// Fills `leaves` with those of the tree with this hash and these OTs. With `due`, the corrections of the tree have not
    /// been sent yet and are sent or received now.
    fn leaves(
        &mut self,
        channel: &mut Channel,
        hash: &Aes128,
        masks: &[Block],
        due: bool,
        leaves: &mut [Block],
    ) -> impl Future<Output = Result<(), OtError>> + Send;

    /// Sends or receives the corrections of a tree ahead of time.
    fn ahead(
        &mut self,
        channel: &mut Channel,
        hash: &Aes128,
        masks: &[Block],
    ) -> impl Future<Output = Result<(), OtError>> + Send;
}

/// A session at one party.
pub(super) struct Line<E> {
    salt: Block,
    now: Rung<E>,
    /// The next stage, once OTs of this one have started it.
    next: Option<Stage>,
}

/// A stage that hands out OTs.
struct Rung<E> {
    set: Set,
    stage: Stage,
    progress: Progress,
    /// The last tree's OTs.
    leaves: Leaves,
    end: E,
}

/// The OTs of a tree, of which some have been handed out.
struct Leaves {
    blocks: Table,
    used: usize,
}

impl Leaves {
    fn new(set: Set) -> Leaves {
        Leaves { blocks: Table::new(set.leaves()), used: set.leaves() }
    }

    fn left(&self) -> usize {
        self.blocks.len() - self.used
    }

    /// Moves as many OTs as are left, or as fit, to the front of `out`. Returns their number.
    fn take(&mut self, out: &mut [Block]) -> usize {
        let count = self.left().min(out.len());
        let taken = &mut self.blocks[self.used..self.used + count];
        out[..count].copy_from_slice(taken);
        taken.fill(Block::ZERO);
        self.used += count;
        count
    }
}

impl<E: End> Line<E> {
    /// Goes through the sets of `params`, starting from the OTs in `seeds`, as many as the first set needs.
    pub(super) async fn climb(
        channel: &mut Channel,
        params: Params,
        salt: Block,
        seeds: Table,
        end: E,
    ) -> Result<Line<E>, OtError> {
        let mut sets = params.sets().iter();
        let mut now = Rung::new(params.sets()[0], salt, seeds, end);
        for &set in sets.by_ref().skip(1) {
            let seeds = now.seeds_of(channel, set).await?;
            now = Rung::new(set, salt, seeds, now.end);
        }
        Ok(Line { salt, now, next: None })
    }

    /// Fills `out` with the next OTs.
    pub(super) async fn fill(&mut self, channel: &mut Channel, mut out: &mut [Block]) -> Result<(), OtError> {
        while !out.is_empty() {
            if self.left() == 0 {
                self.renew(channel).await?;
            }
            let (now, later) = out.split_at_mut(out.len().min(self.left()));
            self.now.fill(channel, now).await?;
            out = later;
        }
        Ok(())
    }

    /// OTs that this stage still hands out: all that are left except those from which the next stage will start.
    fn left(&self) -> usize {
        let kept = if self.next.is_none() { self.now.set.seeds() } else { 0 };
        self.now.left() - kept
    }

    /// The next stage, started from the next OTs of this one if that has not been done yet.
    async fn next(&mut self, channel: &mut Channel) -> Result<Stage, OtError> {
        if let Some(next) = self.next.take() {
            return Ok(next);
        }
        let seeds = self.now.seeds_of(channel, self.now.set).await?;
        Ok(Stage::new(self.now.set, self.salt, self.now.progress.stage() + 1, seeds))
    }

    /// Goes on to the next stage.
    async fn renew(&mut self, channel: &mut Channel) -> Result<(), OtError> {
        self.now.stage = self.next(channel).await?;
        self.now.progress.renew();
        Ok(())
    }

    /// Sends or receives the messages for the next `count` OTs. If some are missing, it does so for up to the next `most` OTs. If the
    /// `count` OTs reach into the next stage, that stage is started.
    pub(super) async fn ahead(
        &mut self,
        channel: &mut Channel,
        count: usize,
        most: usize,
    ) -> Result<(), OtError> {
        let usable = self.now.set.usable();
        if count > usable {
            return Err(OtError::Shape { what: "OTs to be offered", given: count, expected: usable });
        }
        if count > self.left() {
            self.next = Some(self.next(channel).await?);
        }
        let most = if self.next.is_some() { usable } else { self.left() }.min(most).max(count);
        let Rung { stage, progress, leaves, end, .. } = &mut self.now;
        if progress.to_offer(leaves.left(), count) == 0 {
            return Ok(());
        }
        for _ in 0..progress.to_offer(leaves.left(), most) {
            let (tree, later) = progress.offer();
            let stage = self.next.as_ref().filter(|_| later).unwrap_or(stage);
            let (hash, masks) = stage.tree(tree);
            end.ahead(channel, &hash, masks).await?;
        }
        Ok(())
    }

    /// OTs made and not handed out yet.
    pub(super) fn spare(&self) -> usize {
        self.now.leaves.left()
    }

    /// The part that differs between the parties.
    pub(super) fn end(&self) -> &E {
        &self.now.end
    }
}

impl<E: End> Rung<E> {
    fn new(set: Set, salt: Block, seeds: Table, end: E) -> Rung<E> {
        let (stage, progress) = (Stage::new(set, salt, 0, seeds), Progress::new(set));
        Rung { set, stage, progress, leaves: Leaves::new(set), end }
    }

    /// OTs left in the stage.
    fn left(&self) -> usize {
        self.leaves.left() + self.progress.left()
    }

    /// The next OTs, as many as a stage of `above` needs to start.
    async fn seeds_of(&mut self, channel: &mut Channel, above: Set) -> Result<Table, OtError> {
        let mut seeds = Table::new(above.seeds());
        self.fill(channel, &mut seeds).await?;
        Ok(seeds)
    }

    /// Fills `out` with the next OTs of the stage, which must have enough left.
    async fn fill(&mut self, channel: &mut Channel, out: &mut [Block]) -> Result<(), OtError> {
        let taken = self.leaves.take(out);
        let mut whole = out[taken..].chunks_exact_mut(self.set.leaves());
        for out in &mut whole {
            self.make(channel, out).await?;
        }
        let rest = whole.into_remainder();
        if !rest.is_empty() {
            let mut leaves = std::mem::replace(&mut self.leaves.blocks, Table::new(0));
            self.make(channel, &mut leaves).await?;
            self.leaves = Leaves { blocks: leaves, used: 0 };
            self.leaves.take(rest);
        }
        Ok(())
    }

    /// Makes the next tree's OTs.
    async fn make(&mut self, channel: &mut Channel, out: &mut [Block]) -> Result<(), OtError> {
        let due = self.progress.is_due();
        if due {
            self.progress.offer();
        }
        let tree = self.progress.make();
        let (hash, masks) = self.stage.tree(tree);
        self.end.leaves(channel, &hash, masks, due, out).await?;
        self.stage.encode(tree, out);
        Ok(())
    }
}
