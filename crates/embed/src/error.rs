use std::path::PathBuf;

use tacit_engine::{OptionError, RunError};
use tacit_ir::data::DataError;
use tacit_net::keys::KeyError;
use tacit_net::session::SessionFileError;

/// Why a function could not be loaded or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// A file cannot be read.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A file, or bytes, that contain no program.
    #[error("{name}: {reason}")]
    Program {
        /// The name of the file or bytes.
        name: String,
        /// The problem.
        reason: String,
    },
    /// A session file that cannot be used.
    #[error(transparent)]
    Session(#[from] SessionFileError),
    /// A key file that cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// An option of runs that is refused.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A party, a role or a setting of the session that cannot be used.
    #[error("{0}")]
    Terms(String),
    /// Inputs that do not fit the function.
    #[error("role {role}: {source}")]
    Input {
        /// The role of the inputs.
        role: String,
        /// The problem.
        source: DataError,
    },
    /// A value that the program cannot represent, or of another form than it is read as.
    #[error("{name}: {source}")]
    Value {
        /// The input or output.
        name: String,
        /// The problem.
        source: serde_json::Error,
    },
    /// An output that this party does not receive.
    #[error("there is no output {name}; there are {}", known.join(", "))]
    NoOutput {
        /// The requested name.
        name: String,
        /// The existing names.
        known: Vec<String>,
    },
    /// A run that failed.
    #[error(transparent)]
    Run(#[from] RunError),
}
