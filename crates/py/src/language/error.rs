/// Why something cannot be written down.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TraceError {
    /// Shapes that do not go together, or a position outside of one.
    #[error("{0}")]
    Shape(String),
    /// Kinds that do not go together, or a number that its kind does not hold.
    #[error("{0}")]
    Kind(String),
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
