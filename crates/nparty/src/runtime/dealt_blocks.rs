//! Blocks of dealt sharings at a party: what has arrived, and what is left of the extracted sharings.

use std::collections::BTreeMap;

use tacit_math::Wiped;
use tacit_math::field::Field;

use super::identity::CallSite;
use super::operation::OperationKind;
use super::wire::MessageKind;
use crate::dealing::{BlockPlace, DealtSharings, Degree};

/// A block of a task.
pub(super) type BlockId = (u32, DealtSharings, BlockPlace);

/// A party's parts of a block.
pub(super) struct DealtBlock<F: Field> {
    /// Its shares of what it has dealt itself, by degree; empty before that.
    pub(super) own: Vec<Wiped<F::Element>>,
    /// Elements that others have not yet sent, once it has dealt.
    pub(super) missing: usize,
    /// The extracted sharings, by degree: a column of each row; empty before that.
    pub(super) made: Vec<Wiped<F::Element>>,
    /// How many of them are unused.
    pub(super) left: usize,
    /// Operations that wait for it, and the index of the first of them.
    pub(super) waiters: Vec<u64>,
    pub(super) call_site: CallSite,
}

/// The blocks of a task that have unused sharings.
pub(super) type DealtBlocks<F> = BTreeMap<(DealtSharings, BlockPlace), DealtBlock<F>>;

/// The sharings that an operation uses, if any.
pub(super) fn used_by<F: Field>(work: &OperationKind<F>) -> Option<DealtSharings> {
    match work {
        product if product.is_product() => Some(DealtSharings::Double),
        OperationKind::Random => Some(DealtSharings::Single),
        _ => None,
    }
}

/// The kind of messages in which they are sent.
pub(super) fn kind(sharings: DealtSharings, degree: Degree) -> MessageKind {
    match (sharings, degree) {
        (DealtSharings::Single, _) => MessageKind::Dealt,
        (DealtSharings::Double, Degree::Low) => MessageKind::DealtLow,
        (DealtSharings::Double, Degree::High) => MessageKind::DealtHigh,
    }
}
