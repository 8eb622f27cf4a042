use std::fmt;

/// What a party is doing at a moment of a run, for errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Meeting the peer and comparing what is about to run.
    Connecting,
    /// Setting up oblivious transfer.
    ObliviousTransfer,
    /// Agreeing on the randomness of a garbling, or beginning to use what was prepared.
    Starting,
    /// An input.
    Input {
        /// The role that gives it.
        role: String,
        /// Its name.
        name: String,
    },
    /// Gates.
    Gates {
        /// Line of the source, 0 where unknown.
        line: u32,
    },
    /// Making the material of operations on shares.
    Triples,
    /// The key of encrypted words, and randomness for them.
    Encryption,
    /// A conversion between domains.
    Conversion {
        /// Line of the source, 0 where unknown.
        line: u32,
    },
    /// An operation on words shared by sum.
    Arithmetic {
        /// Its name.
        name: &'static str,
        /// Line of the source, 0 where unknown.
        line: u32,
    },
    /// Random bits that no party knows.
    Random,
    /// Revealing outputs, including this one.
    Output {
        /// Its name.
        name: String,
    },
    /// Reading or writing stored shares.
    StoredShares,
    /// Running the steps that both parties append to a reactive program.
    Following,
    /// Sending the data's owner the public description of a private function.
    Announcing,
    /// Measuring the link and the machines at its ends.
    Measuring,
    /// Introducing a private function, and garbling it.
    Introducing,
    /// Evaluating a private function.
    Evaluating,
    /// Ending a phase in good order.
    Finishing,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operation::Connecting => f.write_str("connecting"),
            Operation::ObliviousTransfer => f.write_str("setting up oblivious transfer"),
            Operation::Starting => f.write_str("starting the garbled circuit"),
            Operation::Input { role, name } => write!(f, "input {name} of {role}"),
            Operation::Gates { line: 0 } => f.write_str("gates"),
            Operation::Gates { line } => write!(f, "gates of line {line}"),
            Operation::Triples => f.write_str("making triples"),
            Operation::Encryption => f.write_str("making the key of encrypted words"),
            Operation::Conversion { line: 0 } => f.write_str("a conversion"),
            Operation::Conversion { line } => write!(f, "a conversion of line {line}"),
            Operation::Arithmetic { name, line: 0 } => f.write_str(name),
            Operation::Arithmetic { name, line } => write!(f, "{name} of line {line}"),
            Operation::Random => f.write_str("random bits"),
            Operation::Output { name } => write!(f, "output {name}"),
            Operation::StoredShares => f.write_str("stored shares"),
            Operation::Following => f.write_str("running a reactive program"),
            Operation::Announcing => f.write_str("announcing a private function"),
            Operation::Measuring => f.write_str("measuring the link"),
            Operation::Introducing => f.write_str("introducing a private function"),
            Operation::Evaluating => f.write_str("evaluating a private function"),
            Operation::Finishing => f.write_str("finishing the phase"),
        }
    }
}
