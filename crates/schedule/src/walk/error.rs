/// Why a walk failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WalkError {
    /// A bundle of wires does not fit into memory.
    #[error("no memory for the wires of {lanes} lanes of {bits} bits")]
    Memory {
        /// Width of each lane.
        bits: u32,
        /// Number of lanes, in all instances.
        lanes: u64,
    },
    /// A step reads a bundle that no step has written: the schedule is malformed.
    #[error("a step of the schedule reads wires that were not written")]
    Unwritten,
    /// A party has no values for an input that it gives.
    #[error("there are no values for column {column} of input number {port}, which this party gives")]
    Input {
        /// The index of the port in the program.
        port: u32,
        /// The index of the column in the port.
        column: u32,
    },
    /// The results are not those of the first open task: another number of bundles, or no task is open.
    #[error("a step of the schedule was given results that are not its own")]
    Supplied,
    /// A step works in a domain that the run does not have.
    #[error("a step of the schedule works on shares that this run does not hold")]
    Domain,
}
