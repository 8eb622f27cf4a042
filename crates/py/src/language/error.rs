use num_bigint::BigUint;

/// Why something cannot be written down.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TraceError {
    /// Shapes that do not go together, or a position outside of one.
    #[error("{0}")]
    Shape(String),
    /// Kinds that do not go together, or a number that its kind does not hold.
    #[error("{0}")]
    Kind(String),
    /// A result too wide for the field in which parties compute.
    #[error(
        "{operation} needs {needed} bits, and the field of this session, modulo {modulus}, has {room} for it: promise that \
         operands are narrower with x.within(bits), or compute in a larger field, such as modulus=2**127 - 1"
    )]
    Room {
        /// What is to be computed, and of what.
        operation: String,
        /// The bits that it needs.
        needed: u32,
        /// The bits that there are.
        room: u32,
        /// The field's modulus.
        modulus: BigUint,
    },
    /// A secret value where only a public one has a meaning.
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

/// The result of writing something down.
pub type Traced<T> = Result<T, TraceError>;

/// A [`TraceError::Shape`].
pub fn shape<T>(reason: impl Into<String>) -> Traced<T> {
    Err(TraceError::Shape(reason.into()))
}

/// A [`TraceError::Kind`].
pub fn kind<T>(reason: impl Into<String>) -> Traced<T> {
    Err(TraceError::Kind(reason.into()))
}
