use tacit_lower::LowerError;

/// Why something cannot be appended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// A path's name is another's.
    #[error("two tasks have the name {name}")]
    PathTaken {
        /// The name.
        name: String,
    },
    /// A path, operand or template that is not of this session, or a value of another type.
    #[error("a value or task belongs to another session")]
    Foreign,
    /// Something that live sessions do not compute.
    #[error("{what} cannot be used in a reactive session")]
    Unsupported {
        /// What it is.
        what: &'static str,
    },
    /// A stored share cannot be read or kept.
    #[error("{reason}")]
    ShareStore {
        /// Why.
        reason: String,
    },
    /// A name under which nothing can be kept.
    #[error("a value is kept under a name of {bytes} bytes; a name takes up to {most}")]
    LongName {
        /// Its length.
        bytes: usize,
        /// The longest that can be.
        most: usize,
    },
    /// The session has no store of shares.
    #[error("the session keeps no values; name a folder for them when it begins")]
    NoStore,
    /// Two values are to be kept under one name; which of them came last is not defined.
    #[error("{name} is kept twice in one session")]
    KeptTwice {
        /// The name.
        name: String,
    },
    /// A run that reads or keeps shares within a session whose store the reactive program has.
    #[error(
        "{program} reads or keeps shares, which no run can within a reactive session; run it by connect, before the \
         session or after it"
    )]
    RunKeeps {
        /// The run's program.
        program: String,
    },
    /// Operations that cannot be put into circuits.
    #[error(transparent)]
    Lower(#[from] LowerError),
}
