//! Blocks of dealt sharings at a party: what has come, and what is left of what was made of it.

use std::collections::BTreeMap;

use tacit_math::Wiped;
use tacit_math::field::Field;

use super::identity::CallSite;
use super::operation::OperationKind;
use super::wire::MessageKind;
use crate::dealing::{BlockPlace, DealtSharings, Degree};

/// A block of a task.
pub(super) type BlockId = (u32, DealtSharings, BlockPlace);

/// Of a block, what this party has.
pub(super) struct DealtBlock<F: Field> {
    /// Its shares of what it has dealt itself, by degree. None before that.
    pub(super) own: Vec<Wiped<F::Element>>,
    /// Elements that others have not yet sent, once it has dealt.
    pub(super) missing: usize,
    /// What came out of it, by degree: a column of each row. None before that.
    pub(super) made: Vec<Wiped<F::Element>>,
    /// How much of that is not used.
    pub(super) left: usize,
    /// Operations that wait for it, and where the first of them is.
    pub(super) waiters: Vec<u64>,
    pub(super) call_site: CallSite,
}

/// The blocks of a task of which something is still to be used.
pub(super) type DealtBlocks<F> = BTreeMap<(DealtSharings, BlockPlace), DealtBlock<F>>;

/// What an operation uses, if it uses any.
pub(super) fn used_by<F: Field>(work: &OperationKind<F>) -> Option<DealtSharings> {
    match work {
        product if product.is_product() => Some(DealtSharings::Double),
        OperationKind::Random => Some(DealtSharings::Single),
        _ => None,
    }
}

/// In which messages they travel.
pub(super) fn kind(sharings: DealtSharings, degree: Degree) -> MessageKind {
    match (sharings, degree) {
        (DealtSharings::Single, _) => MessageKind::Dealt,
        (DealtSharings::Double, Degree::Low) => MessageKind::DealtLow,
        (DealtSharings::Double, Degree::High) => MessageKind::DealtHigh,
    }
}
