use std::fmt;

/// A place in a C source.
#[derive(Clone, Debug, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The file as given to the compiler; empty if unknown.
    pub file: String,
    /// The line, counted from 1; 0 if unknown.
    pub line: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.file.as_str(), self.line) {
            ("", _) => write!(f, "<unknown place>"),
            (file, 0) => write!(f, "{file}"),
            (file, line) => write!(f, "{file}:{line}"),
        }
    }
}

/// Why a C program could not be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CError {
    /// The C compiler could not be run at all.
    #[error("cannot run the C compiler `{command}`: {reason}")]
    NoCompiler {
        /// The command tried.
        command: String,
        /// The system's error.
        reason: String,
    },
    /// The compiler rejected the source; its own message.
    #[error("the compiler reports:\n{message}")]
    Clang {
        /// The compiler's output, unchanged.
        message: String,
    },
    /// A file could not be read or written.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// The system's error.
        reason: String,
    },
    /// The compiler's output cannot be parsed.
    #[error("cannot read the compiler's output, line {line}: {reason}")]
    Parse {
        /// Line of the compiler's output.
        line: u32,
        /// What was expected or found.
        reason: String,
    },
    /// A construct that has no meaning as a circuit, or is not supported yet.
    #[error("{location}: {construct} is not supported")]
    Unsupported {
        /// Where it is.
        location: Location,
        /// The construct.
        construct: String,
    },
    /// A loop for which no bound was found.
    #[error(
        "{location}: no bound was found for this loop after {iterations} iterations. \
         Give it a constant bound, such as `i < n && i < 100`, or bound it from outside with --unwind {name}=N"
    )]
    Unbounded {
        /// Where the loop begins.
        location: Location,
        /// The loop's name, `function.number`.
        name: String,
        /// Iterations executed.
        iterations: u64,
    },
    /// A recursion for which no bound was found.
    #[error("{location}: calls of `{function}` nest deeper than {depth}; recursion needs a constant bound")]
    Recursion {
        /// The location of the last call.
        location: Location,
        /// The function called.
        function: String,
        /// Calls nested.
        depth: u32,
    },
    /// The program has more operations than allowed.
    #[error("{location}: the program grows beyond {limit} {what}")]
    TooLarge {
        /// The location that execution reached.
        location: Location,
        /// The unit of the limit.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// There is no main function, or several functions could be the main function.
    #[error("{}", describe_candidates(.wanted, .candidates))]
    MainFunction {
        /// The function asked for, if one was.
        wanted: Option<String>,
        /// The candidates.
        candidates: Vec<String>,
    },
    /// An `INPUT_` or `OUTPUT_` variable that cannot be an input or output.
    #[error("{location}: {name}: {reason}")]
    Variable {
        /// Where it is declared.
        location: Location,
        /// The variable.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Behaviour that C leaves undefined and that occurs in every run.
    #[error("{location}: {reason}")]
    Undefined {
        /// Where it happens.
        location: Location,
        /// What happens.
        reason: String,
    },
    /// The program could not be written: the front end produced operations that do not fit together.
    #[error("{location}: {reason}")]
    Build {
        /// The source line of the operation.
        location: Location,
        /// The builder's message.
        reason: String,
    },
}

fn describe_candidates(wanted: &Option<String>, candidates: &[String]) -> String {
    let list = candidates.join(", ");
    match (wanted, candidates.is_empty()) {
        (Some(name), true) => format!("there is no function `{name}`, nor any other with a body"),
        (Some(name), false) => {
            format!("there is no function `{name}`; the functions with a body are: {list}")
        }
        (None, true) => "no function uses an INPUT_ or OUTPUT_ variable".into(),
        (None, false) => format!("several functions could be the main function, name one of: {list}"),
    }
}
