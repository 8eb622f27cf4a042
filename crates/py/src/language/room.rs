//! Which numbers the field of a computation holds, and which of them a mask hides.

use num_bigint::BigUint;

use super::error::{TraceError, Traced};
use super::kind::{Kind, Number};

/// What fits between -p/2 and p/2.
pub struct Room {
    modulus: BigUint,
    /// The most bits of numbers without a sign.
    unsigned: u32,
    /// The most bits of numbers with a sign, which counts.
    signed: u32,
    /// The most bits, signs included, of numbers that are compared or rounded, and so hidden by a mask.
    masked: u32,
}

impl Room {
    /// The room of a prime field; `masked` bits, signs included, have numbers at most that a mask hides.
    pub fn new(modulus: BigUint, masked: usize) -> Room {
        let most: BigUint = &modulus >> 1;
        let signed = most.bits() as u32;
        let unsigned = (most + 1u8).bits() as u32 - 1;
        Room { modulus, unsigned, signed, masked: masked as u32 }
    }

    /// The field, as a kind.
    pub fn field(&self) -> Kind {
        Kind::Field(self.modulus.clone().into())
    }

    /// The kind of what an operation gives.
    ///
    /// Errors: the field does not hold all such numbers.
    pub fn kind(&self, operation: impl FnOnce() -> String, number: Number) -> Traced<Kind> {
        let room = if number.signed { self.signed } else { self.unsigned };
        match number.bits <= room {
            true => Kind::of(number),
            false => Err(self.refused(operation(), number.bits, room)),
        }
    }

    /// The bits, sign included, of numbers that an operation hides by a mask.
    ///
    /// Errors: no mask hides so many.
    pub fn masked(&self, operation: impl FnOnce() -> String, bits: u32) -> Traced<usize> {
        match bits <= self.masked {
            true => Ok(bits as usize),
            false => Err(self.refused(operation(), bits, self.masked)),
        }
    }

    fn refused(&self, operation: String, needed: u32, room: u32) -> TraceError {
        TraceError::Room { operation, needed, room, modulus: self.modulus.clone() }
    }
}
