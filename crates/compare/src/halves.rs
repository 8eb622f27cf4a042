//! A sealed number: a half for each server, which reveals nothing without the other half.
//!
//! Source: Geisler's report, section 2.3, the input sharing phase: `m_i = a_i + b_i mod u` for each bit.

use subtle::{Choice, ConstantTimeEq};
use tacit_crypto::Prg;
use tacit_math::Wiped;

use crate::constants::NAME_BYTES;
use crate::{CompareError, Parameters};

/// One server's half of a sealed number: a share below u for each bit, lowest first, and the name of the number, which is random and
/// public. Messages begin with a digest of the names, so servers that compare halves of different numbers stop.
///
/// Shares are overwritten when dropped, and `Debug` only shows the name and the number of shares. Halves can only be compared by [`ConstantTimeEq`].
#[derive(Clone, Debug)]
pub struct Half {
    name: [u8; NAME_BYTES],
    shares: Wiped<u8>,
}

/// The client's part: returns the half for the server and the half for the assisting server.
///
/// Security: each half alone is uniform. `number` is secret; time depends on the parameters only.
///
/// # Errors
/// [`CompareError::Range`] if the number has more bits than the parameters allow.
pub fn seal(parameters: &Parameters, number: u64, prg: &mut Prg) -> Result<[Half; 2], CompareError> {
    parameters.check_numbers("the sealed number", &[number])?;
    let residues = parameters.residues();
    let own: Vec<u8> = (0..parameters.bits()).map(|_| residues.random(prg) as u8).collect();
    let bits = parameters.bits_of(number).zip(&own);
    let others: Vec<u8> = bits.map(|(bit, share)| residues.sub(bit, u32::from(*share)) as u8).collect();
    let mut name = [0; NAME_BYTES];
    prg.fill_bytes(&mut name);
    Ok([own, others].map(|shares| Half { name, shares: Wiped::from(shares) }))
}

/// The number to which both halves decode, or `None` if they do not decode to bits. A bidder opens its bid to others in this way.
///
/// Security: whoever has both halves knows the number; time depends on it.
///
/// # Errors
/// As [`Half::from_bytes`], for halves that do not fit the parameters; [`CompareError::Names`] for halves of different numbers.
pub fn open(parameters: &Parameters, halves: &[Half; 2]) -> Result<Option<u64>, CompareError> {
    Half::check_all(parameters, halves)?;
    if halves[0].name != halves[1].name {
        return Err(CompareError::Names);
    }
    let residues = parameters.residues();
    let bits = halves[0].shares().zip(halves[1].shares()).map(|(one, other)| residues.add(one, other));
    let number = bits.enumerate().try_fold(0, |number, (i, bit)| match bit {
        0 | 1 => Some(number | u64::from(bit) << i),
        _ => None,
    });
    Ok(number)
}

impl ConstantTimeEq for Half {
    fn ct_eq(&self, other: &Half) -> Choice {
        self.name[..].ct_eq(&other.name) & self.shares[..].ct_eq(&other.shares)
    }
}

impl Half {
    /// The half of an encoding: the name, then a byte for each bit.
    ///
    /// Whether both halves decode to bits is only checked by [`crate::Server::check`] and [`crate::Assistant::check`].
    ///
    /// # Errors
    /// [`CompareError::Count`] for any other number of bytes, [`CompareError::Share`] for a share that is not below u.
    pub fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<Half, CompareError> {
        CompareError::check_count("bytes of a half", bytes.len(), Half::bytes(parameters))?;
        let (start, shares) = bytes.split_at(NAME_BYTES);
        let mut name = [0; NAME_BYTES];
        name.copy_from_slice(start);
        let half = Half { name, shares: Wiped::from(shares.to_vec()) };
        half.check(parameters)?;
        Ok(half)
    }

    /// Bytes of an encoding.
    pub fn bytes(parameters: &Parameters) -> usize {
        NAME_BYTES + parameters.bits() as usize
    }

    /// The encoding, secret.
    pub fn to_bytes(&self) -> Wiped<u8> {
        Wiped::from([&self.name, &self.shares[..]].concat())
    }

    /// The name that both halves of a number have. It is public, and identifies the submission.
    pub fn name(&self) -> [u8; NAME_BYTES] {
        self.name
    }

    /// The shares, lowest bit first.
    pub(crate) fn shares(&self) -> impl Iterator<Item = u32> {
        self.shares.iter().map(|share| u32::from(*share))
    }

    fn check(&self, parameters: &Parameters) -> Result<(), CompareError> {
        CompareError::check_count("shares of a half", self.shares.len(), parameters.bits() as usize)?;
        let plaintexts = parameters.plaintexts();
        match self.shares.iter().position(|share| u32::from(*share) >= plaintexts) {
            Some(index) => Err(CompareError::Share { index, plaintexts }),
            None => Ok(()),
        }
    }

    /// Checks that every half has as many shares as numbers have bits, each below u.
    pub(crate) fn check_all(parameters: &Parameters, halves: &[Half]) -> Result<(), CompareError> {
        halves.iter().try_for_each(|half| half.check(parameters))
    }
}

#[cfg(test)]
mod tests {
    use tacit_he::dgk::ModulusSize;
    use tacit_math::Block;

    use super::*;
    use crate::Results;

    #[test]
    fn halves_open_to_their_number_or_to_nothing() {
        let mut prg = Prg::new(Block::from(3u128));
        for (bits, number) in [(1, 1), (16, 54321), (64, u64::MAX)] {
            let size = ModulusSize::MEDIUM;
            let parameters = Parameters::new(size, 224, bits, Results::Revealed).unwrap();
            let [mut one, other] = seal(&parameters, number, &mut prg).unwrap();
            assert_eq!(open(&parameters, &[one.clone(), other.clone()]).unwrap(), Some(number));
            let [stranger, _] = seal(&parameters, number, &mut prg).unwrap();
            assert!(matches!(open(&parameters, &[stranger, other.clone()]), Err(CompareError::Names)));
            // A bit that is set becomes 2.
            one.shares[0] = parameters.residues().add(u32::from(one.shares[0]), 1) as u8;
            assert_eq!(open(&parameters, &[one, other]).unwrap(), None);
        }
    }
}
