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
        /// What the system says.
        source: std::io::Error,
    },
    /// A file, or bytes, that hold no program.
    #[error("{name}: {reason}")]
    Program {
        /// What they are called.
        name: String,
        /// What is wrong with them.
        reason: String,
    },
    /// A session file that does not fit.
    #[error(transparent)]
    Session(#[from] SessionFileError),
    /// A key file that does not fit.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// An option of runs that cannot be had.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// What a party, a role or a setting of the session should be and is not.
    #[error("{0}")]
    Terms(String),
    /// Inputs that are not those of the function.
    #[error("role {role}: {source}")]
    Input {
        /// Whose inputs.
        role: String,
        /// What does not fit.
        source: DataError,
    },
    /// A value that has no form in the program, or another form than it is read in.
    #[error("{name}: {source}")]
    Value {
        /// The input or output.
        name: String,
        /// What does not fit.
        source: serde_json::Error,
    },
    /// An output that this party does not receive.
    #[error("there is no output {name}; there are {}", known.join(", "))]
    NoOutput {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A run that failed.
    #[error(transparent)]
    Run(#[from] RunError),
}
