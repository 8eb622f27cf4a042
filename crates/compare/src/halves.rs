//! A sealed number: a half for each server, which tells nothing without the other.
//!
//! Source: Geisler's report, section 2.3, the input sharing phase: `m_i = a_i + b_i mod u` for each bit.

use tacit_crypto::Prg;
use tacit_math::Wiped;

use crate::{CompareError, Parameters};

/// One server's half of a sealed number: a share below u for each bit, lowest first. It is overwritten when dropped, and `Debug`
/// shows its length alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Half(Wiped<u8>);

/// What a client does: the half for the server and the half for the assisting server.
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
    Ok([Half(Wiped::from(own)), Half(Wiped::from(others))])
}

impl Half {
    /// The half of an encoding: a byte for each bit.
    ///
    /// Whether both halves decode to bits is for [`crate::Server::check`] and [`crate::Assistant::check`] to find out.
    ///
    /// # Errors
    /// [`CompareError::Count`] for any other number of bytes, [`CompareError::Share`] for a share that is not below u.
    pub fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<Half, CompareError> {
        CompareError::check_count("bytes of a half", bytes.len(), parameters.bits() as usize)?;
        let plaintexts = parameters.plaintexts();
        match bytes.iter().position(|share| u32::from(*share) >= plaintexts) {
            Some(index) => Err(CompareError::Share { index, share: bytes[index], plaintexts }),
            None => Ok(Half(Wiped::from(bytes.to_vec()))),
        }
    }

    /// The encoding, secret.
    pub fn to_bytes(&self) -> Wiped<u8> {
        self.0.clone()
    }

    /// The shares, lowest bit first.
    pub(crate) fn shares(&self) -> impl Iterator<Item = u32> {
        self.0.iter().map(|share| u32::from(*share))
    }

    /// That every half has as many shares as numbers have bits, each below u.
    pub(crate) fn check_all(parameters: &Parameters, halves: &[Half]) -> Result<(), CompareError> {
        halves.iter().try_for_each(|half| Half::from_bytes(parameters, &half.0).map(drop))
    }
}
