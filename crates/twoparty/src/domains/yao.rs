//! Values that are labels, in runs that also have values of other domains. Colours of labels are shares of
//! bits.

use tacit_ir::Words;
use tacit_schedule::Bundle;
use tacit_schedule::walk::WalkError;

use super::domain_worker::{DomainWorker, InputColumn};
use super::shares::Shares;
use crate::{End, Party, ShareError};

pub(super) struct Yao;

impl DomainWorker for Yao {
    fn input(&self, _: &mut End, _: InputColumn<'_>, _: Bundle, _: Shares) -> Result<Shares, ShareError> {
        Err(WalkError::Domain.into())
    }

    fn random(&self, _: &mut End, _: Bundle, _: Shares) -> Result<Shares, ShareError> {
        Err(WalkError::Domain.into())
    }

    fn constant(&self, _: Party, _: (&Words, u64), _: Bundle, _: Shares) -> Result<Shares, ShareError> {
        Err(WalkError::Domain.into())
    }
}
