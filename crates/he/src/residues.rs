//! Checks of moduli and ciphertexts that Paillier's scheme and DGK's share.

use crypto_bigint::{BoxedUint, CtLt, Gcd, NonZero, Odd};
use tacit_math::Wiped;
use zeroize::Zeroizing;

use crate::modular::{Modulus, Residue, from_bytes, push_bytes, told};
use crate::scheme::check_length;
use crate::size::ModulusSize;
use crate::{HeError, KeyFault, primes};

/// Checks that a modulus has its size, no small factor, and is not a square.
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

/// Secret residues as bytes, `each` for one. Constant time.
pub(crate) fn encode_secret(residues: &[&Residue], each: usize) -> Wiped<u8> {
    let mut bytes = Vec::with_capacity(each * residues.len());
    for residue in residues {
        push_bytes(&Zeroizing::new(residue.retrieve()), each, &mut bytes);
    }
    Wiped::from(bytes)
}

/// Residues that this party itself wrote with [`encode_secret`], so that they are not checked for inverses. Constant time where all are in range.
pub(crate) fn decode_secret(
    modulus: &Modulus,
    (count, each): (usize, usize),
    bytes: &[u8],
) -> Result<Vec<Residue>, HeError> {
    let what = "stored randomness";
    check_length(what, bytes, count, each)?;
    let residue = |piece: &[u8]| {
        let number = Zeroizing::new(from_bytes(piece, modulus.precision()));
        match told(number.ct_lt(modulus.value()).to_bool()) {
            true => Ok(modulus.residue_below((*number).clone())),
            false => Err(HeError::Range { what }),
        }
    };
    bytes.chunks_exact(each).map(residue).collect()
}
