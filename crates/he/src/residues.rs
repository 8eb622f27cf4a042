//! Checks of moduli and ciphertexts that Paillier's scheme and DGK's share.

use crypto_bigint::{BoxedUint, Gcd, NonZero, Odd};

use crate::modular::{Modulus, Residue, from_bytes};
use crate::size::ModulusSize;
use crate::{HeError, KeyFault, primes};

/// That a modulus has its size, no small factor, and two primes rather than one squared.
pub(crate) fn check_modulus(size: ModulusSize, modulus: &BoxedUint) -> Result<(), HeError> {
    let given = modulus.bits_vartime();
    if given != size.bits() {
        return Err(KeyFault::Size { given, expected: size.bits() }.into());
    }
    if let Some(factor) = primes::small_factor(modulus) {
        return Err(KeyFault::SmallFactor(factor).into());
    }
    if modulus.checked_sqrt_vartime().is_some() {
        return Err(KeyFault::EqualPrimes.into());
    }
    Ok(())
}

/// Residues below `square` that are all coprime to `modulus`, which has the same prime factors.
pub(crate) fn decode_residues<'a>(
    square: &Modulus,
    modulus: &BoxedUint,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> Result<Vec<Residue>, HeError> {
    let what = "a ciphertext";
    let mut residues: Vec<Residue> = Vec::with_capacity(pieces.size_hint().0);
    let mut product = square.one();
    for piece in pieces {
        let number = from_bytes(piece, square.precision());
        if number >= *square.value() {
            return Err(HeError::Range { what });
        }
        let residue = square.residue_below(number);
        product = product.mul(&residue);
        residues.push(residue);
    }
    // A product is coprime to the modulus if and only if every factor is.
    let divisor = NonZero::new(modulus.clone()).into_option().ok_or(KeyFault::Inconsistent)?;
    let rest = product.retrieve().rem_vartime(&divisor);
    let odd: Odd<BoxedUint> = modulus.to_odd().into_option().ok_or(KeyFault::Inconsistent)?;
    if !bool::from(odd.gcd_vartime(&rest).is_one()) {
        return Err(HeError::NotCoprime { what });
    }
    Ok(residues)
}
