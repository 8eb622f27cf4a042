use tacit_schedule::walk::{KernelTask, WalkError, Wires};
use tacit_schedule::{Computing, Unit};

use super::counted::CountedLayer;
use super::openings::Openings;
use super::shares::Shares;
use crate::{Party, ShareError};

/// What two parties do where a kernel stands.
pub(super) trait KernelWorker {
    /// Runs a kernel for which nobody waits; what it wrote.
    ///
    /// # Errors
    /// Where it is one for which parties wait, or its operands are of another domain.
    fn alone(&self, _: Party, _: KernelTask<'_, Shares>) -> Result<Vec<Shares>, ShareError> {
        Err(WalkError::Domain.into())
    }

    /// Adds what a kernel opens for which parties wait.
    ///
    /// # Errors
    /// Where nobody waits, or its operands are of another domain.
    fn open<'s>(&self, _: usize, _: KernelTask<'s, Shares>, _: &mut Openings<'s>) -> Result<(), ShareError> {
        Err(WalkError::Domain.into())
    }

    /// What both parties compute where it stands, beside what setup makes for it.
    fn computing(&self, task: &KernelTask<'_, Wires<()>>) -> Computing {
        Computing::of(Unit::Word, lanes(&task.operands) + lanes(&task.targets))
    }

    /// Counts what it opens.
    fn count<'s>(&self, _: &KernelTask<'s, Wires<()>>, _: &mut CountedLayer<'s>) {}
}

/// So many operands or targets, no more and no fewer.
pub(super) fn operands<T, const N: usize>(all: Vec<T>) -> Result<[T; N], WalkError> {
    all.try_into().map_err(|_| WalkError::Unwritten)
}

/// Elements of all these bundles together.
pub(super) fn lanes(all: &[Wires<()>]) -> u64 {
    all.iter().map(|one| one.len() as u64).sum()
}
