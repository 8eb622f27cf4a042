//! The schemes by name, with the parameters of 128 bits of security.

use tacit_he::HeError;

use super::{Bfv, Djn, EcElgamal, bytes, entry_bytes, rounds};
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
    /// Bytes of the setup of one run in a store, at the function's holder and at the data's owner. Exact.
    pub fn entry_bytes(self, size: &Size) -> [usize; 2] {
        match self {
            SchemeName::EcElgamal => entry_bytes::<EcElgamal>(size),
            SchemeName::Djn => entry_bytes::<Djn>(size),
            SchemeName::Bfv => entry_bytes::<Bfv>(size),
        }
    }

    /// Bytes and rounds of a run with its introduction. Exact.
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
