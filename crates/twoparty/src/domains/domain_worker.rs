use tacit_circuit::Executable;
use tacit_ir::Words;
use tacit_math::Bits;
use tacit_schedule::walk::WalkError;
use tacit_schedule::{Bundle, Computing};
use zeroize::Zeroizing;

use super::shares::Shares;
use crate::{End, Party, ShareError, bits};

/// A column of an input at a party.
#[derive(Clone, Copy)]
pub struct InputColumn<'a> {
    /// The words that this party gives, or its share of them if both parties have one. Secret.
    pub own: Option<&'a Words>,
    /// Whether both parties have a share.
    pub is_shared: bool,
    /// Whether words are sign-extended if they are stored wider.
    pub signed: bool,
}

tacit_math::redacted!(InputColumn<'_>);

/// What two parties do with the values of a domain.
///
/// If values are labels, [`crate::yao::Side`] handles inputs, random bits and constants.
pub trait DomainWorker: Sync {
    /// Shares of an input column. Nothing is sent.
    ///
    /// # Errors
    /// The target is of another domain.
    fn input(
        &self,
        end: &mut End,
        column: InputColumn<'_>,
        bundle: Bundle,
        target: Shares,
    ) -> Result<Shares, ShareError>;

    /// Shares of random values that no party knows.
    ///
    /// # Errors
    /// The target is of another domain.
    fn random(&self, end: &mut End, bundle: Bundle, target: Shares) -> Result<Shares, ShareError>;

    /// Shares of a public constant, in each of several instances.
    ///
    /// # Errors
    /// Where the target is of another domain.
    fn constant(
        &self,
        party: Party,
        words_copies: (&Words, u64),
        bundle: Bundle,
        target: Shares,
    ) -> Result<Shares, ShareError>;

    /// What both parties compute to run a circuit layer by layer, besides what setup computes for it.
    fn layers(&self, _: &Executable, _instances: u64) -> Computing {
        Computing::default()
    }

    /// This party's shares of an output column, in the form in which they are opened.
    ///
    /// # Errors
    /// The shares are of another domain.
    fn opened(&self, _: Party, shares: &Shares, _: Bundle) -> Result<Zeroizing<Bits>, WalkError> {
        shares.bits()
    }

    /// This party's share of an output column that nobody learns.
    ///
    /// # Errors
    /// The shares are of another domain.
    fn kept(&self, _: Party, shares: &Shares, column: Bundle) -> Result<Words, WalkError> {
        Ok(bits::to_words(&*shares.bits()?, 0, column.bits, column.lanes))
    }

    /// An output column, from the peer's opened shares.
    ///
    /// # Errors
    /// The shares are of another domain.
    fn value(&self, _: Party, shares: &Shares, theirs: &Bits, column: Bundle) -> Result<Words, WalkError> {
        let mut value = shares.bits()?;
        *value ^= theirs;
        Ok(bits::to_words(&value, 0, column.bits, column.lanes))
    }
}
