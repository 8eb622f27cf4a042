use tacit_lower::LowerError;

/// Why something cannot be appended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// A path's name is taken.
    #[error("two tasks have the name {name}")]
    PathTaken {
        /// The name.
        name: String,
    },
    /// A path, operand or template of another session, or a value of another type.
    #[error("a value or task belongs to another session")]
    Foreign,
    /// An operation or value that live sessions do not support.
    #[error("{what} cannot be used in a reactive session")]
    Unsupported {
        /// The operation or value.
        what: &'static str,
    },
    /// A stored share cannot be read or kept.
    #[error("{reason}")]
    ShareStore {
        /// Why.
        reason: String,
    },
    /// A name that is too long to keep a value under.
    #[error("a value is kept under a name of {bytes} bytes; at most {most} are allowed")]
    LongName {
        /// Its length.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// The session has no store of shares.
    #[error("the session keeps no values; name a folder for them when it begins")]
    NoStore,
    /// Two values are kept under one name, so that it is undefined which of them remains.
    #[error("{name} is kept twice in one session")]
    KeptTwice {
        /// The name.
        name: String,
    },
    /// A run reads or keeps shares in a session whose store the reactive program uses.
    #[error(
        "{program} reads or keeps shares, which no run can within a reactive session; run it by connect, before the \
         session or after it"
    )]
    RunKeeps {
        /// The run's program.
        program: String,
    },
    /// Operations that cannot be lowered to circuits.
    #[error(transparent)]
    Lower(#[from] LowerError),
}
