//! Numbers of switches and gates of a universal circuit.

/// Numbers of switches and gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SwitchCount {
    /// X switches: two wires in either order, one AND each.
    pub exchanges: u64,
    /// Y switches: one of two wires, one AND each.
    pub selections: u64,
    /// Universal gates.
    pub gates: u64,
}

impl SwitchCount {
    /// Switches of both kinds.
    pub fn switches(&self) -> u64 {
        self.exchanges + self.selections
    }
}

impl std::ops::AddAssign for SwitchCount {
    fn add_assign(&mut self, other: SwitchCount) {
        self.exchanges += other.exchanges;
        self.selections += other.selections;
        self.gates += other.gates;
    }
}
