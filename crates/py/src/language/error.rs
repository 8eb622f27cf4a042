use num_bigint::BigUint;

/// Why something cannot be traced.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TraceError {
    /// Shapes that do not fit together, or a position outside of a shape.
    #[error("{0}")]
    Shape(String),
    /// Kinds that cannot be combined, or a number that its kind does not hold.
    #[error("{0}")]
    Kind(String),
    /// A result too wide for the field in which parties compute.
    #[error(
        "{operation} needs {needed} bits, and the field of this session, modulo {modulus}, has {room} for it: promise that \
         operands are narrower with x.within(bits), or compute in a larger field, such as modulus=2**127 - 1"
    )]
    Room {
        /// The operation and its operands.
        operation: String,
        /// The number of bits that it needs.
        needed: u32,
        /// The number of bits available.
        room: u32,
        /// The field's modulus.
        modulus: BigUint,
    },
    /// A secret value where only a public one is possible.
    #[error("{0}")]
    Secret(String),
    /// A division by the public number zero.
    #[error("division by zero")]
    Zero,
    /// A role, name or loop used in the wrong place.
    #[error("{0}")]
    Usage(String),
    /// An operation that the program cannot hold.
    #[error(transparent)]
    Build(#[from] tacit_ir::BuildError),
}

/// The result of tracing.
pub type Traced<T> = Result<T, TraceError>;

/// A [`TraceError::Shape`].
pub fn shape<T>(reason: impl Into<String>) -> Traced<T> {
    Err(TraceError::Shape(reason.into()))
}

/// A [`TraceError::Kind`].
pub fn kind<T>(reason: impl Into<String>) -> Traced<T> {
    Err(TraceError::Kind(reason.into()))
}
