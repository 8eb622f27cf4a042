/// Why a walk cannot go on.
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
    /// A step works in another domain than the run.
    #[error("a step of the schedule works on shares that this run does not hold")]
    Domain,
}
