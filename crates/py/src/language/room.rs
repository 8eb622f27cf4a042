//! The numbers that fit in the field of a computation, and those that a mask hides.

use num_bigint::BigUint;

use super::error::{TraceError, Traced};
use super::kind::{Kind, Number};

/// The numbers that fit between -p/2 and p/2.
pub struct Room {
    modulus: BigUint,
    /// The most bits of numbers without a sign.
    unsigned: u32,
    /// The most bits of signed numbers, including the sign.
    signed: u32,
    /// The most bits, including signs, of numbers that are compared or rounded, and therefore hidden by a
    /// mask.
    masked: u32,
}

impl Room {
    /// The room of a prime field; `masked` is the most bits, including signs, of numbers that a mask hides.
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

    /// The kind of the result of an operation.
    ///
    /// Errors: the field does not hold all such numbers.
    pub fn kind(&self, operation: impl FnOnce() -> String, number: Number) -> Traced<Kind> {
        let room = if number.signed { self.signed } else { self.unsigned };
        match number.bits <= room {
            true => Kind::of(number),
            false => Err(self.refused(operation(), number.bits, room)),
        }
    }

    /// The bits, including the sign, of numbers that an operation hides by a mask.
    ///
    /// Errors: no mask hides that many bits.
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
