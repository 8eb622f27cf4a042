use tacit_ir::{ValidateError, ValueId};

/// A program that can't be lowered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// The program violates a rule of programs.
    #[error(transparent)]
    Invalid(#[from] ValidateError),
    /// An operation without a circuit.
    #[error("{}: `{operation}` {reason}", place(template, *line))]
    Unsupported {
        /// The template's name.
        template: String,
        /// Line of the source, 0 where unknown.
        line: u32,
        /// The operation's name.
        operation: &'static str,
        /// Why it has none.
        reason: &'static str,
    },
    /// A circuit would grow beyond [`crate::Options::max_gates`].
    #[error("{}: the circuit grew beyond {limit} gates at `{operation}`", place(template, *line))]
    TooLarge {
        /// The template's name.
        template: String,
        /// Line of the source that was reached, 0 where unknown.
        line: u32,
        /// The operation that was reached.
        operation: &'static str,
        /// The limit.
        limit: usize,
    },
    /// A value would be read before the step that writes it.
    #[error(
        "line {line}: {value} is read before it is written; this is a mistake in the translation, please report it"
    )]
    Unwritten {
        /// The value.
        value: ValueId,
        /// Line of the source of the step that reads it, 0 where unknown.
        line: u32,
    },
    /// A value is needed in a domain to which no conversion leads.
    #[error("line {line}: no conversions lead from {from} to {to}; pin the value to another domain")]
    NoConversion {
        /// The domain where the value is.
        from: &'static str,
        /// The domain where it is read.
        to: &'static str,
        /// Line of the source of the step that reads it, 0 where unknown.
        line: u32,
    },
    /// More ANDs in total than can be numbered.
    #[error("the program runs more than 2^62 AND gates")]
    TooManyAnds,
    /// The schedule exceeds the [`crate::Ceiling`] under which it was lowered.
    #[error("the program exceeds the ceiling on ANDs or rounds")]
    BeyondCeiling,
}

impl LowerError {
    /// Line of the source that the error is about, 0 where unknown.
    pub fn line(&self) -> u32 {
        match self {
            LowerError::Unsupported { line, .. }
            | LowerError::TooLarge { line, .. }
            | LowerError::NoConversion { line, .. }
            | LowerError::Unwritten { line, .. } => *line,
            LowerError::Invalid(_) | LowerError::TooManyAnds | LowerError::BeyondCeiling => 0,
        }
    }
}

fn place(template: &str, line: u32) -> String {
    match line {
        0 => format!("template {template:?}"),
        _ => format!("template {template:?}, line {line}"),
    }
}
