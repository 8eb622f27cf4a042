//! The schemes by name, with the parameters of 128 bits of security.

use tacit_he::HeError;

use super::{Bfv, Djn, EcElgamal, bytes, rounds};
use crate::{Bytes, Rounds, Size};

/// An encryption scheme of Katz and Malka's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemeName {
    /// [`EcElgamal`].
    EcElgamal,
    /// [`Djn`], with a modulus of 3072 bits.
    Djn,
    /// [`Bfv`].
    Bfv,
}

impl SchemeName {
    /// What a run with its introduction sends, and in how many rounds. Exact.
    ///
    /// # Errors
    /// None at present.
    pub fn cost(self, size: &Size) -> Result<(Bytes, Rounds), HeError> {
        let bytes = match self {
            SchemeName::EcElgamal => bytes(&EcElgamal, size),
            SchemeName::Djn => bytes(&Djn::long()?, size),
            SchemeName::Bfv => bytes(&Bfv::new()?, size),
        };
        Ok((bytes, rounds(size)))
    }
}
