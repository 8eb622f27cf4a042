//! The messages of all computing parties to an outside party about one input or result.

use tacit_math::field::Field;
use zeroize::Zeroizing;

use super::collect::decoded;
use crate::error::OutsideError;
use crate::error::RunError;
use crate::parties::PartyIndex;
use crate::reception::message::Description;
use crate::scheme::Scheme;

/// The messages received so far.
pub(super) struct Gathering<F: Field> {
    pub(super) what: Description,
    /// By party.
    shares: Vec<Option<Zeroizing<Vec<F::Element>>>>,
    /// The masked result, if this is a result.
    masked: Vec<F::Element>,
}

impl<F: Field> Gathering<F> {
    pub(super) fn new(what: Description, masked: Vec<F::Element>, parties: usize) -> Gathering<F> {
        Gathering { what, shares: (0..parties).map(|_| None).collect(), masked }
    }

    /// Adds the message of a computing party.
    ///
    /// Errors: it contradicts others, or is repeated.
    pub(super) fn add(
        &mut self,
        party: PartyIndex,
        (what, masked): (&Description, &[F::Element]),
        shares: Zeroizing<Vec<F::Element>>,
    ) -> Result<(), OutsideError> {
        let whole = shares.len() == what.length && (masked.is_empty() || masked.len() == what.length);
        if *what != self.what || *masked != self.masked[..] || !whole {
            return Err(OutsideError::Differs { name: self.what.name.clone() });
        }
        match self.shares[party].replace(shares) {
            None => Ok(()),
            Some(_) => Err(OutsideError::NotDue { what: "the same input or result again" }),
        }
    }

    /// Whether all have sent theirs.
    pub(super) fn is_complete(&self) -> bool {
        self.shares.iter().all(Option::is_some)
    }

    /// The mask.
    ///
    /// Errors: the shares contradict each other.
    pub(super) fn mask(&self, scheme: &Scheme<F>) -> Result<Zeroizing<Vec<F::Element>>, OutsideError> {
        let shares = self.shares.iter().enumerate();
        let shares: Vec<_> =
            shares.filter_map(|(party, shares)| Some((party, &shares.as_ref()?[..]))).collect();
        let opened = scheme.open(&shares, scheme.threshold());
        opened.map(Zeroizing::new).map_err(|_| OutsideError::Mask { name: self.what.name.clone() })
    }

    /// The result.
    ///
    /// Errors: as [`Gathering::mask`].
    pub(super) fn result(&self, scheme: &Scheme<F>) -> Result<Vec<F::Element>, OutsideError> {
        let mask = self.mask(scheme)?;
        let field = scheme.field();
        Ok(self.masked.iter().zip(mask.iter()).map(|(masked, mask)| field.sub(*masked, *mask)).collect())
    }
}

/// Decodes elements from the bytes that a party has sent.
///
/// Errors: some bytes do not encode an element.
pub(super) fn elements<F: Field>(
    field: &F,
    bytes: &[u8],
    peer: &str,
) -> Result<Zeroizing<Vec<F::Element>>, RunError> {
    let wrong = || RunError::Outside { peer: peer.to_owned(), error: OutsideError::NotInField };
    decoded(field, bytes).map(Zeroizing::new).ok_or_else(wrong)
}
