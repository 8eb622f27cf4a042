use tacit_schedule::walk::{KernelTask, WalkError, Wires};
use tacit_schedule::{Computing, Unit};

use super::counted::CountedLayer;
use super::openings::Openings;
use super::shares::Shares;
use crate::{Party, ShareError};

/// What two parties do for a kernel.
pub(super) trait KernelWorker {
    /// Runs a kernel without messages; returns what it wrote.
    ///
    /// # Errors
    /// The kernel needs messages, or its operands are of another domain.
    fn alone(&self, _: Party, _: KernelTask<'_, Shares>) -> Result<Vec<Shares>, ShareError> {
        Err(WalkError::Domain.into())
    }

    /// Adds the openings of a kernel that needs messages.
    ///
    /// # Errors
    /// The kernel needs no messages, or its operands are of another domain.
    fn open<'s>(&self, _: usize, _: KernelTask<'s, Shares>, _: &mut Openings<'s>) -> Result<(), ShareError> {
        Err(WalkError::Domain.into())
    }

    /// What both parties compute for a kernel, besides what setup computes for it.
    fn computing(&self, task: &KernelTask<'_, Wires<()>>) -> Computing {
        Computing::of(Unit::Word, lanes(&task.operands) + lanes(&task.targets))
    }

    /// Counts its openings.
    fn count<'s>(&self, _: &KernelTask<'s, Wires<()>>, _: &mut CountedLayer<'s>) {}
}

/// Exactly `N` operands or targets.
pub(super) fn operands<T, const N: usize>(all: Vec<T>) -> Result<[T; N], WalkError> {
    all.try_into().map_err(|_| WalkError::Unwritten)
}

/// The number of elements of all these bundles.
pub(super) fn lanes(all: &[Wires<()>]) -> u64 {
    all.iter().map(|one| one.len() as u64).sum()
}
