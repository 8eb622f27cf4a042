//! Identifiers, and types of values.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $sigil:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index into a slice.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $sigil, self.0)
            }
        }
    };
}

id! {
    /// A value of one template: its parameters first, then the results of its operations in order.
    ValueId, "%"
}
id! {
    /// A template of a program.
    TemplateId, "@"
}
id! {
    /// An input or output of a program.
    PortId, "port "
}
id! {
    /// A role that a program names.
    RoleId, "role "
}
id! {
    /// A field that a program declares.
    FieldId, "f"
}

/// The type of one element of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Type {
    /// A word of this many bits, at least 1. Signedness belongs to the operation.
    Word(u32),
    /// An element of a declared field.
    Field(FieldId),
}

/// The type of a value: a vector of `lanes` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ValueType {
    /// Type of each element.
    pub ty: Type,
    /// Number of elements, at least 1.
    pub lanes: u64,
}

/// A finite field.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Field {
    /// Integers modulo a prime, given as little-endian 64-bit limbs.
    Prime(Vec<u64>),
    /// GF(2^8) with the AES polynomial.
    Gf256,
}

/// Widest word, in bits.
pub const MAX_WIDTH: u32 = 1 << 20;

/// Most lanes of a value.
pub const MAX_LANES: u64 = 1 << 32;

/// Most bits of a value, all its lanes together.
pub const MAX_VALUE_BITS: u64 = 1 << 33;

impl ValueType {
    /// The type of `lanes` words of `bits` bits.
    pub const fn word(bits: u32, lanes: u64) -> Self {
        ValueType { ty: Type::Word(bits), lanes }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Word(bits) => write!(f, "w{bits}"),
            Type::Field(field) => write!(f, "{field}"),
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.ty, self.lanes)
    }
}
