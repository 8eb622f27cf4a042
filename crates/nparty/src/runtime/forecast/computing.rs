//! What a party computes, in the units of plans.

use tacit_math::field::Field;
use tacit_schedule::{Computing, Unit};

use crate::error::SharingError;
use crate::randomness::Randomness;
use crate::runtime::operation::{OperationKind, TaskOperation};
use crate::runtime::shared::{BYTES, OCTETS, RING, SLICED};
use crate::scheme::Scheme;
use crate::sets::set_count;

/// The parties of a computation.
#[derive(Clone, Copy)]
pub(super) struct Among {
    /// How many there are.
    pub(super) parties: u64,
    /// From how many keys or dealers a random element comes.
    pub(super) sources: u64,
    /// Whether what they send is verified.
    pub(super) checked: bool,
}

impl Among {
    pub(super) fn of<F: Field>(scheme: &Scheme<F>) -> Result<Among, SharingError> {
        let (parties, threshold) = (scheme.parties(), scheme.threshold());
        let sources = match scheme.randomness() {
            Randomness::Dealt => parties,
            // The sets with this party.
            Randomness::CommonKeys => set_count(parties, threshold)? * (parties - threshold) / parties,
        };
        Ok(Among { parties: parties as u64, sources: sources as u64, checked: scheme.is_active() })
    }
}

/// Counts an operation in the field with this number, whose elements have `width` bytes.
pub(super) fn count<F: Field>(
    computing: &mut Computing,
    (field, width): (usize, u64),
    Among { parties, sources, checked }: Among,
    operation: &TaskOperation<F>,
) {
    let elements = operation.length as u64;
    let bytes = elements.saturating_mul(width);
    computing.add_of(Unit::SharedStep, 1);
    if checked && operation.work.is_verified() {
        computing.add_of(Unit::VerifiedByte, bytes);
    }
    match &operation.work {
        OperationKind::Add(..)
        | OperationKind::Sub(..)
        | OperationKind::Scale(..)
        | OperationKind::Shift(..)
        | OperationKind::Carried(..)
        | OperationKind::Constant(_) => computing.add_of(Unit::SharedByte, bytes),
        product if product.is_product() => {
            if let OperationKind::Matrices(_, _, sizes) = product {
                computing.add_of(Unit::FieldWordProduct, elements.saturating_mul(sizes.inner as u64));
            }
            let (unit, count) = match field {
                // GF(2^8), perhaps as the session's own field.
                _ if width == 1 && field <= BYTES => (Unit::ByteProduct, elements),
                SLICED => (Unit::SlicedProduct, bytes),
                OCTETS => (Unit::OctetProduct, elements),
                RING => (Unit::RingProduct, elements),
                _ => (Unit::FieldProduct, bytes),
            };
            computing.add_of(unit, count);
            if parties > 3 {
                computing.add_of(Unit::KingByte, bytes.saturating_mul(parties));
            }
        }
        OperationKind::Open { .. } => computing.add_of(Unit::OpenedByte, bytes.saturating_mul(parties)),
        OperationKind::Synchronise { .. } | OperationKind::Agree { .. } => {}
        OperationKind::Input(..) | OperationKind::InputBits(..) | OperationKind::Contribution(..) => {
            computing.add_of(Unit::SharedInputByte, bytes.saturating_mul(parties));
        }
        OperationKind::Random => add_random(computing, bytes, sources),
        OperationKind::Local(of, _) if of.is_empty() => add_random(computing, bytes, sources),
        // Functions.
        _ => computing.add_of(Unit::DerivedByte, bytes),
    }
}

fn add_random(computing: &mut Computing, bytes: u64, sources: u64) {
    computing.add_of(Unit::SharedRandomByte, bytes.saturating_mul(sources));
}
