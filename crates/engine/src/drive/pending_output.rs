//! Output columns that wait to be revealed.

use tacit_ir::{Domain, Words};
use tacit_math::Bits;
use tacit_plan::Column;
use tacit_twoparty::mask;
use zeroize::Zeroizing;

use super::outputs::Revealed;
use super::shares::Shares;
use crate::bits;
use tacit_schedule::walk::WalkError;

/// An output column.
pub(super) struct PendingOutput {
    pub column: Column,
    pub domain: Domain,
    pub wires: Shares,
}

impl PendingOutput {
    /// This party's shares as wires.
    pub fn shares(&self) -> Result<Zeroizing<Bits>, WalkError> {
        match self.domain {
            Domain::Arith => {
                let words = self.wires.words()?;
                Ok(Zeroizing::new(tacit_twoparty::wires::from_words(words, self.column.bits)))
            }
            _ => self.wires.bits(),
        }
    }

    /// This party's share of a value that nobody learns.
    pub fn stored(&self) -> Result<Revealed, WalkError> {
        let Column { bits: width, lanes, .. } = self.column;
        let words = match self.domain {
            Domain::Arith => {
                let shares = self.wires.words()?.iter().map(|share| share & mask(width));
                Words::from_u128s(width, &Zeroizing::new(shares.collect::<Vec<u128>>()))
            }
            _ => bits::to_words(&*self.wires.bits()?, 0, width, lanes),
        };
        Ok(Revealed { column: self.column, words, shared: true })
    }

    /// The value, from the peer's shares.
    pub fn value(&self, theirs: &Bits) -> Result<Words, WalkError> {
        let Column { bits: width, lanes, .. } = self.column;
        if self.domain == Domain::Arith {
            let theirs = Zeroizing::new(tacit_twoparty::wires::to_words(theirs, width));
            let sum = |(x, y): (&u128, &u128)| x.wrapping_add(*y) & mask(width);
            let own = self.wires.words()?;
            if own.len() != theirs.len() {
                return Err(WalkError::Domain);
            }
            let words = Zeroizing::new(own.iter().zip(theirs.iter()).map(sum).collect::<Vec<u128>>());
            return Ok(Words::from_u128s(width, &words));
        }
        let mut value = self.wires.bits()?;
        *value ^= theirs;
        Ok(bits::to_words(&value, 0, width, lanes))
    }
}
