//! What can go wrong in a run.

use std::fmt;

use crate::Location;

/// What can go wrong in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PropertyKind {
    /// The result of signed arithmetic does not fit its type.
    SignedOverflow,
    /// A division or remainder by zero.
    DivisionByZero,
    /// The least signed number divided by -1, or its remainder.
    DivisionOverflow,
    /// A shift by a negative amount or by at least the width, or of bits into or beyond the sign.
    Shift,
    /// An access beyond the bounds of an object, or an index beyond those of an array.
    Bounds,
    /// An access through the null pointer, or through a pointer to no object.
    Null,
    /// An access to an object after its lifetime, or freeing memory that is not allocated.
    Lifetime,
    /// A string literal or a `const` object is changed.
    Constant,
    /// Addresses in different objects are subtracted, or compared by other than equality.
    Unrelated,
    /// `memcpy` between blocks that overlap.
    Overlap,
    /// A value that was never set decides a branch, an address, a result of arithmetic or an output.
    Uninitialised,
    /// A floating-point number that the integer type cannot hold is converted to it.
    FloatConversion,
    /// A function is called with an argument for which it is undefined, such as counting the zeros of zero.
    Argument,
    /// An array whose length is not positive.
    ArrayLength,
    /// A call through a pointer that points to no function, or with parameters or a result that the function
    /// does not have.
    Call,
    /// A point marked as unreachable, or the end of a function that must return a value.
    Unreachable,
    /// `assert`.
    Assertion,
    /// `abort`.
    Abort,
    /// A loop or recursion goes on beyond its bound.
    Unwinding,
}

impl fmt::Display for PropertyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PropertyKind::SignedOverflow => "signed overflow",
            PropertyKind::DivisionByZero => "division by zero",
            PropertyKind::DivisionOverflow => "division overflow",
            PropertyKind::Shift => "bad shift",
            PropertyKind::Bounds => "out of bounds",
            PropertyKind::Null => "null access",
            PropertyKind::Lifetime => "use after end",
            PropertyKind::Constant => "constant changed",
            PropertyKind::Unrelated => "unrelated addresses",
            PropertyKind::Overlap => "overlapping copy",
            PropertyKind::Uninitialised => "uninitialised read",
            PropertyKind::FloatConversion => "float conversion",
            PropertyKind::Argument => "invalid argument",
            PropertyKind::ArrayLength => "array length",
            PropertyKind::Call => "bad call",
            PropertyKind::Unreachable => "unreachable",
            PropertyKind::Assertion => "assertion",
            PropertyKind::Abort => "abort",
            PropertyKind::Unwinding => "unwinding",
        })
    }
}

/// A condition that no run may violate.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Property {
    /// Its kind.
    pub kind: PropertyKind,
    /// Its location.
    pub location: Location,
    /// The function that contains it.
    pub function: String,
    /// A description for people.
    pub description: String,
}

/// Undefined behaviour that was assumed not to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Its location.
    pub location: Location,
    /// Its description.
    pub reason: String,
}
